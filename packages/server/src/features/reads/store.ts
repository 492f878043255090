import { sql } from 'kysely'
import type { PersonalDataRead } from '@caretaker/contract/reads.ts'
import type { ReadKind } from '@caretaker/rules/audit/reads.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { ReadSubject } from './subject.ts'

const entriesOf = (tx: TenantTx, { where }: Pick<ReadSubject, 'where'>) =>
  tx.selectFrom('personal_data_read').where('tenant_id', '=', tx.tenant).where(where)

const columns = [
  ...['id', 'person_id', 'person_name', 'role', 'is_key', 'viewing_as', 'page', 'kind', 'question', 'property_ids'],
  ...['row_count', 'first_at', 'last_at', 'times'],
] as const

/** A page of entries, newest first. */
export async function listReads(
  tx: TenantTx,
  subject: ReadSubject,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<{ results: PersonalDataRead[]; total: number }> {
  const { total } = await entriesOf(tx, subject)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const results = await pageOf(tx, subject, { limit: pageSize, offset: (page - 1) * pageSize })
  return { results, total: Number(total) }
}

const rowsAtOnce = 500

/** All entries, newest first, in batches. */
export async function* readPages(tx: TenantTx, subject: ReadSubject): AsyncGenerator<PersonalDataRead[]> {
  for (let offset = 0; ; offset += rowsAtOnce) {
    const some = await pageOf(tx, subject, { limit: rowsAtOnce, offset })
    if (some.length) yield some
    if (some.length < rowsAtOnce) return
  }
}

async function pageOf(
  tx: TenantTx,
  subject: ReadSubject,
  { limit, offset }: { limit: number; offset: number },
): Promise<PersonalDataRead[]> {
  const rows = await entriesOf(tx, subject)
    .select(columns as unknown as ['id'])
    .select(sql<number>`cardinality(resident_ids)`.as('residents'))
    .orderBy('last_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
  const found = rows as unknown as Row[]
  return withReferences(tx, subject.namesHomes ? found : found.map((row) => ({ ...row, property_ids: [] })))
}

interface Row {
  id: string
  person_id: string
  person_name: string
  role: string | null
  is_key: boolean
  viewing_as: string | null
  page: string
  kind: string
  question: string | null
  property_ids: string[]
  residents: number
  row_count: number | null
  first_at: Date
  last_at: Date
  times: number
}

async function withReferences(tx: TenantTx, rows: readonly Row[]): Promise<PersonalDataRead[]> {
  const ids = [...new Set(rows.flatMap((row) => row.property_ids))]
  const known = ids.length
    ? await tx
        .selectFrom('property')
        .select(['id', 'reference'])
        .where('tenant_id', '=', tx.tenant)
        .where(sql<boolean>`id = any(${ids}::uuid[])`)
        .execute()
    : []
  const references = new Map(known.map(({ id, reference }) => [id, reference]))
  return rows.map((row) => ({
    ...{
      readId: row.id,
      personId: row.person_id,
      name: row.person_name,
      role: row.role as Role | null,
      isKey: row.is_key,
    },
    ...{ viewingAs: row.viewing_as, page: row.page, kind: row.kind as ReadKind, question: row.question },
    properties: row.property_ids.map((propertyId) => ({ propertyId, reference: references.get(propertyId) ?? null })),
    ...{ residents: row.residents, rows: row.row_count, times: row.times },
    ...{ firstAt: row.first_at.toISOString(), lastAt: row.last_at.toISOString() },
  }))
}
