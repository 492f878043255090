import { sql } from 'kysely'
import type { AuditEntry, getAudit } from '@caretaker/contract/audit.ts'
import { auditPageSize, mostAuditCounted, mostAuditSearched } from '@caretaker/contract/audit.ts'
import type { Received } from '@caretaker/contract/route.ts'
import { withoutCustomerData } from '@caretaker/rules/audit/audit.ts'
import { containsWords } from '../../lists/words.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

type Wanted = Received<typeof getAudit>['query']

/**
 * A page of the audit, newest first; a page past the end is empty. Filters have no index of their own: they search the
 * range's newest entries in the order of `audit_entry_at`, and the answer states how far back.
 */
export async function listEntries(
  tx: TenantTx,
  wanted: Wanted,
  { hidePersonal }: { hidePersonal: boolean },
): Promise<{ results: AuditEntry[]; total: number; searchedFrom: string | null }> {
  const inRange = tx
    .selectFrom('audit_entry')
    .where('tenant_id', '=', tx.tenant)
    .$if(wanted.from !== undefined, (query) => query.where('at', '>=', new Date(wanted.from!)))
    .$if(wanted.to !== undefined, (query) => query.where('at', '<', new Date(wanted.to!)))
    .orderBy('at', 'desc')
    .orderBy('id')
  const newest = inRange
    .select(['id', 'at', 'person_name', 'action', 'subject_type', 'subject_id', 'subject_name', 'before', 'after'])
    .limit(mostAuditSearched)
  const found = tx
    .selectFrom(newest.as('entry'))
    .$if(wanted.user !== undefined, (query) => query.where(containsWords(sql`lower(person_name)`, wanted.user!)))
    .$if(wanted.action !== undefined, (query) => query.where('action', '=', wanted.action!))
    .$if(wanted.subject !== undefined, (query) =>
      query.where(
        containsWords(
          sql`lower(concat_ws(' ', subject_type, ${visibleName(hidePersonal)}, subject_id))`,
          wanted.subject!,
        ),
      ),
    )
  const { total } = await tx
    .selectFrom(
      found
        .select('id')
        .limit(mostAuditCounted + 1)
        .as('counted'),
    )
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const isFiltered = (wanted.user ?? wanted.action ?? wanted.subject) !== undefined
  const isCut = isFiltered && total <= mostAuditCounted
  const oldest = isCut
    ? await inRange
        .select('at')
        .offset(mostAuditSearched - 1)
        .limit(2)
        .execute()
    : []
  const rows = await found
    .select(['id', 'at', 'person_name', 'action', 'subject_type', 'subject_id', 'before', 'after'])
    .select(visibleName(hidePersonal).as('subject_name'))
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(auditPageSize)
    .offset((wanted.page - 1) * auditPageSize)
    .execute()
  const shown = (row: (typeof rows)[number], record: Record<string, unknown> | null) =>
    hidePersonal ? withoutCustomerData(row.subject_type, record) : record
  return {
    total,
    searchedFrom: oldest.length > 1 ? oldest[0]!.at.toISOString() : null,
    results: rows.map((row) => ({
      id: row.id,
      at: row.at.toISOString(),
      userName: row.person_name,
      action: row.action,
      subject: row.subject_name,
      subjectType: row.subject_type,
      subjectId: row.subject_id,
      before: shown(row, row.before),
      after: shown(row, row.after),
    })),
  }
}

/** The name of a property is its address, and that of a resident is personal: both are hidden and not searchable. */
function visibleName(hidePersonal: boolean) {
  return hidePersonal
    ? sql<string>`case when subject_type in ('property', 'resident') then '' else subject_name end`
    : sql<string>`subject_name`
}
