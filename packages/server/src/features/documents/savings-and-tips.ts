import { randomUUID } from 'node:crypto'
import { create as contentDisposition } from 'content-disposition'
import type { SavingsAndTips, saveDocument } from '@caretaker/contract/documents.ts'
import { getDocument } from '@caretaker/contract/documents.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Received, Route } from '@caretaker/contract/route.ts'
import { text } from '@caretaker/contract/scalars.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { longestTips } from '@caretaker/rules/residents/residents.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { Sending } from '../../http/sending.ts'
import type { TenantCall } from '../../http/serve.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

type Call = Pick<TenantCall<Route>, 'tx' | 'actor' | 'person'>
type TipsForm = Extract<Received<typeof saveDocument>['form'], { documentType: 'SavingsAndTips' }>

const tips = (tx: TenantTx) =>
  tx
    .selectFrom('savings_and_tips as tips')
    .innerJoin('resident', (join) =>
      join.on('resident.tenant_id', '=', tx.tenant).onRef('resident.id', '=', 'tips.resident_id'),
    )
    .where('tips.tenant_id', '=', tx.tenant)
    .select(['tips.id', 'tips.name', 'tips.content', 'tips.updated_at', 'tips.resident_id', 'resident.app_user_id'])

type Row = Awaited<ReturnType<ReturnType<typeof tips>['execute']>>[number]

/** The text written for a resident: one at most. Refuses an unknown resident. */
export async function tipsOf({ tx, actor }: Pick<Call, 'tx' | 'actor'>, userId: string): Promise<SavingsAndTips[]> {
  expectView(actor)
  await residentNamed(tx, userId)
  return (await tips(tx).where('resident.app_user_id', '=', userId).execute()).map((row) => asDocument(tx, row))
}

/** The text with an id; undefined if there is none or the actor may not see it. */
export async function findTips({ tx, actor }: Pick<Call, 'tx' | 'actor'>, id: string): Promise<Row | undefined> {
  if (!can(actor, 'see savings and tips')) return undefined
  return tips(tx).where('tips.id', '=', id).executeTakeFirst()
}

/** Its text, as a file that runs nothing wherever it is opened. */
export const sendTips = ({ name, content, app_user_id: residentId }: Row): Sending =>
  new Sending(async (reply) =>
    reply
      .headers({
        'content-type': 'text/markdown; charset=utf-8',
        'content-disposition': contentDisposition(name, { type: 'attachment' }),
        'content-security-policy': `default-src 'none'; sandbox`,
      })
      .send(content),
  ).of({ residentId })

/** Stores the text for a resident with access to a property, replacing the former one. */
export async function saveTips(call: Call, form: TipsForm): Promise<SavingsAndTips> {
  const { tx, actor, person } = call
  if (!can(actor, 'write savings and tips')) throw refuse('forbidden')
  const resident = await residentNamed(tx, form.userId, 'hold')
  const before = await tips(tx).where('tips.resident_id', '=', resident.id).executeTakeFirst()
  if (form.documentId && before?.id !== form.documentId) throw refuse('not found')
  const content = await contentIn(form.content)
  if (!(await isApproved(tx, resident.id))) throw refuse('refused', 'This resident is waiting for approval.')
  if (before?.content !== content) {
    const [name, updated_at] = [form.content.name.replaceAll(/[^\w .-]/g, '').slice(-100) || 'tips.md', new Date()]
    await tx
      .insertInto('savings_and_tips')
      .values({ tenant_id: tx.tenant, id: randomUUID(), resident_id: resident.id, name, content, updated_at })
      .onConflict((same) => same.columns(['tenant_id', 'resident_id']).doUpdateSet({ name, content, updated_at }))
      .execute()
    const subject = { type: 'resident', id: resident.id, name: form.userId } as const
    const after = { characters: content.length }
    await audit(tx, { person, action: 'savings and tips changed', subject, after })
    await changed(tx, 'resident', null)
  }
  return asDocument(tx, await tips(tx).where('tips.resident_id', '=', resident.id).executeTakeFirstOrThrow())
}

export async function deleteTips({ tx, actor, person }: Call, { id, resident_id, app_user_id }: Row): Promise<void> {
  if (!can(actor, 'write savings and tips')) throw refuse('forbidden')
  const { numDeletedRows } = await tx
    .deleteFrom('savings_and_tips')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!numDeletedRows) throw refuse('not found')
  const subject = { type: 'resident', id: resident_id, name: app_user_id } as const
  await audit(tx, { person, action: 'savings and tips deleted', subject })
  await changed(tx, 'resident', null)
}

function expectView(actor: Actor): void {
  if (!can(actor, 'see savings and tips')) throw refuse('forbidden')
}

async function residentNamed(tx: TenantTx, appUserId: string, hold?: 'hold'): Promise<{ id: string }> {
  const query = tx
    .selectFrom('resident')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('app_user_id', '=', appUserId)
  const row = await (hold ? query.forUpdate() : query).executeTakeFirst()
  if (!row) throw refuse('not found')
  return row
}

async function isApproved(tx: TenantTx, residentId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('residence_access')
    .select('property_id')
    .where('tenant_id', '=', tx.tenant)
    .where('resident_id', '=', residentId)
    .where('is_approved', '=', true)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function contentIn(file: File): Promise<string> {
  // A character takes at most four bytes in UTF-8.
  if (file.size > longestTips * 4) throw refuse('too large', tooLong)
  const parsed = text(longestTips).safeParse(await file.text())
  if (!parsed.success) throw refuse('invalid', undefined, [{ field: 'content', message: tooLong }])
  if (parsed.data.trim() === '')
    throw refuse('invalid', undefined, [{ field: 'content', message: 'Text is required!' }])
  return parsed.data
}

const tooLong = `Savings and tips are plain text of at most ${longestTips.toLocaleString('en-GB')} characters.`

const asDocument = ({ tenant }: TenantTx, row: Row): SavingsAndTips => ({
  id: row.id,
  documentType: 'SavingsAndTips',
  contentType: 'text/markdown',
  userId: row.app_user_id,
  fileName: row.name,
  updatedAt: row.updated_at.toISOString(),
  resourceLocation: getDocument.path.replace('{tenant}', tenant).replace('{id}', row.id),
})
