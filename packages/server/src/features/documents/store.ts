import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { UserDocument } from '@caretaker/contract/documents.ts'
import type { ViewContent } from '@caretaker/contract/views.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** The actor's own documents, by name; nobody sees those of others. */
export async function listDocuments(tx: TenantTx, actor: Actor): Promise<UserDocument[]> {
  const rows = await own(tx, actor.memberId)
    .orderBy(sql`lower(metadata ->> 'userViewName')`)
    .orderBy('id')
    .execute()
  return rows.map((row) => asDocument(row, actor))
}

/** A document of the actor's own, if asked for held until the transaction ends; anybody else's is not found. */
export async function findDocument(tx: TenantTx, actor: Actor, id: string, hold?: 'hold'): Promise<UserDocument> {
  const query = own(tx, actor.memberId).where('id', '=', id)
  const row = await (hold ? query.forUpdate() : query).executeTakeFirst()
  if (!row) throw refuse('not found')
  return asDocument(row, actor)
}

function own(tx: TenantTx, memberId: string) {
  return tx.selectFrom('user_document').selectAll().where('tenant_id', '=', tx.tenant).where('owner_id', '=', memberId)
}

type Row = Awaited<ReturnType<ReturnType<typeof own>['execute']>>[number]

function asDocument(row: Row, { userId }: Actor): UserDocument {
  return {
    id: row.id,
    userId,
    documentType: row.document_type as UserDocument['documentType'],
    contentType: row.content_type as UserDocument['contentType'],
    metadata: row.metadata as UserDocument['metadata'],
    content: row.content as ViewContent,
    updatedAt: row.updated_at.toISOString(),
  }
}

type Kept = Pick<UserDocument, 'documentType' | 'contentType' | 'metadata' | 'content'>

/** The new document's id; undefined when the person gave its name to another at the same moment. */
export async function insertDocument(tx: TenantTx, { memberId }: Actor, kept: Kept): Promise<string | undefined> {
  const row = await tx
    .insertInto('user_document')
    .values({
      tenant_id: tx.tenant,
      id: randomUUID(),
      owner_id: memberId,
      document_type: kept.documentType,
      content_type: kept.contentType,
      metadata: JSON.stringify(kept.metadata),
      content: JSON.stringify(kept.content),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

const uniqueViolation = '23505'

/** Whether the document was replaced; not when the person gave its name to another at the same moment. */
export async function replaceDocument(tx: TenantTx, id: string, kept: Kept): Promise<boolean> {
  try {
    await tx
      .updateTable('user_document')
      .set({
        metadata: JSON.stringify(kept.metadata),
        content: JSON.stringify(kept.content),
        // Instants are given out in milliseconds: two saves within one still differ.
        updated_at: sql<Date>`greatest(now(), updated_at + interval '1 millisecond')`,
      })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', id)
      .execute()
    return true
  } catch (error) {
    if ((error as { code?: string }).code === uniqueViolation) return false
    throw error
  }
}

export async function deleteDocument(tx: TenantTx, id: string): Promise<void> {
  await tx.deleteFrom('user_document').where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
}

/** Deletes everything that a user kept. */
export async function deleteDocumentsOf(tx: TenantTx, memberId: string): Promise<{ id: string; name: string }[]> {
  return tx
    .deleteFrom('user_document')
    .where('tenant_id', '=', tx.tenant)
    .where('owner_id', '=', memberId)
    .returning(['id', sql<string>`metadata ->> 'userViewName'`.as('name')])
    .execute()
}

/** Whether the id names a user of the tenant, or the person behind one. */
export async function isUser(tx: TenantTx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('membership')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(({ eb, or }) => or([eb('id', '=', id), eb('person_id', '=', id)]))
    .executeTakeFirst()
  return row !== undefined
}
