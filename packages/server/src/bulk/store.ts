import { randomUUID } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { BulkSubjectName } from '@caretaker/rules/actions/home-actions.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { changed } from '../changes/changed.ts'
import { makeDue } from '../postgres/due.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { BulkOrder, ChangedItem, Outcome, StoredRun } from './subject.ts'

/** The Postgres channel that announces pending items of a bulk action on commit. */
export const bulkActionWaiting = 'bulk_action_waiting'

/** A query for item ids in a column `id`, so that any number of them can stay in the database. */
export type Items = RawBuilder<unknown>
export const itemsOf = (ids: readonly string[]): Items => sql`select id from unnest(${ids}::uuid[]) as id`

/** How long a finished action is kept, in ms. */
export const keptFor = 90 * 86_400_000

interface NewRun extends BulkOrder {
  tagNames: string[]
  items: Items
  person: { id: string; name: string }
  heldUntil: Date | null
}

/** Stores a bulk action with its items as pending; returns how many. */
export async function insertRun(
  tx: TenantTx,
  { subject, action, tagIds, settings, tagNames, items, person, heldUntil }: NewRun,
): Promise<{ id: string; total: number }> {
  const id = randomUUID()
  await tx
    .insertInto('bulk_action')
    .values({
      tenant_id: tx.tenant,
      id,
      subject,
      action,
      tag_ids: [...tagIds],
      tag_names: tagNames,
      settings: Object.keys(settings).length > 0 ? JSON.stringify(settings) : null,
      started_by: person.id,
      started_by_name: person.name,
      started_at: new Date(),
      held_until: heldUntil,
      total: 0,
    })
    .execute()
  const { numAffectedRows = 0n } = await sql`
    insert into bulk_item (tenant_id, bulk_action_id, item_id)
    select ${tx.tenant}, ${id}::uuid, found.id from (${items}) as found
    on conflict do nothing`.execute(tx)
  await makeDue(tx, 'forget bulk actions', new Date(Date.now() + keptFor))
  const total = Number(numAffectedRows)
  await tx.updateTable('bulk_action').set({ total }).where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
  await changed(tx, 'bulk action', [id], [person.id])
  return { id, total }
}

/** Makes items of a started action pending: new ones, and those that failed. */
export async function joinRun(tx: TenantTx, runId: string, itemIds: readonly string[], heldUntil: Date): Promise<void> {
  const again = await retryFailed(tx, runId, itemIds)
  const { rows } = await sql`
    insert into bulk_item (tenant_id, bulk_action_id, item_id)
    select ${tx.tenant}, ${runId}, item_id from unnest(${itemIds}::uuid[]) as item_id
    on conflict do nothing returning item_id`.execute(tx)
  await tx
    .updateTable('bulk_action')
    .set((eb) => ({
      total: eb('total', '+', rows.length),
      held_until: heldUntil,
      ...(rows.length + again > 0 && { finished_at: null }),
    }))
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', runId)
    .execute()
  await makeDue(tx, 'run bulk actions', heldUntil)
  await runChanged(tx, runId)
}

/** Only the person who started a bulk action is notified. */
async function runChanged(tx: TenantTx, runId: string): Promise<void> {
  const run = await runs(tx).where('id', '=', runId).executeTakeFirst()
  if (run) await changed(tx, 'bulk action', [runId], [run.started_by])
}

/** The pending items among these (default: all) that no worker has taken; locks them until the transaction ends. */
export async function holdWaiting(tx: TenantTx, runId: string, itemIds?: readonly string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('bulk_item')
    .select('item_id')
    .where('tenant_id', '=', tx.tenant)
    .where('bulk_action_id', '=', runId)
    .$if(itemIds !== undefined, (some) => some.where(sql<boolean>`item_id = any(${itemIds}::uuid[])`))
    .where('state', '=', 'waiting')
    .orderBy('item_id')
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.map((row) => row.item_id)
}

/** The results of completed items of the action. */
export async function outcomesIn(
  tx: TenantTx,
  runId: string,
  itemIds: readonly string[],
): Promise<{ itemId: string; state: 'done' | 'failed'; message: string | null }[]> {
  const rows = await tx
    .selectFrom('bulk_item')
    .select(['item_id', 'state', 'message'])
    .where('tenant_id', '=', tx.tenant)
    .where('bulk_action_id', '=', runId)
    .where(sql<boolean>`item_id = any(${itemIds}::uuid[])`)
    .where('state', '<>', 'waiting')
    .execute()
  return rows.map((row) => ({ itemId: row.item_id, state: row.state as 'done' | 'failed', message: row.message }))
}

/** Hands the tenant's open actions to the workers, and wakes one on commit. */
export async function wakeWorker(tx: TenantTx): Promise<void> {
  await makeDue(tx, 'run bulk actions')
  await sql`select pg_notify(${bulkActionWaiting}, '')`.execute(tx)
}

/** Locks some pending items that no other worker has taken, until the transaction ends. */
export async function takeWaiting(tx: TenantTx, runId: string, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('bulk_item')
    .select('item_id')
    .where('tenant_id', '=', tx.tenant)
    .where('bulk_action_id', '=', runId)
    .where('state', '=', 'waiting')
    .orderBy('item_id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.map((row) => row.item_id)
}

/** Stores the results of pending items. The last result finishes the action. */
export async function storeOutcomes(tx: TenantTx, runId: string, outcomes: readonly Outcome[]): Promise<void> {
  const column = <K extends keyof Outcome>(key: K) => outcomes.map((outcome) => outcome[key])
  // Materialized: a distributed database rejects an update that casts texts, because such casts depend on session
  // settings.
  const { rows } = await sql<{ state: string }>`
    with outcome as materialized (
      -- The ids of one item as one text: an array of arrays would be one of single ids.
      select id, state, message, changed, ids::uuid[] as tag_ids, before::jsonb as before
      from unnest(
        ${column('itemId')}::uuid[], ${column('state')}::text[], ${column('message')}::text[],
        ${column('changed')}::boolean[], ${outcomes.map(({ changedTagIds }) => `{${changedTagIds.join()}}`)}::text[],
        ${outcomes.map(({ before }) => (before ? JSON.stringify(before) : null))}::text[]
      ) as input (id, state, message, changed, ids, before)
    )
    update bulk_item
    set state = outcome.state, message = outcome.message, changed = outcome.changed, changed_tag_ids = outcome.tag_ids,
      had_before = outcome.before
    from outcome
    where bulk_item.tenant_id = ${tx.tenant} and bulk_action_id = ${runId} and bulk_item.item_id = outcome.id
      and bulk_item.state = 'waiting'
    returning bulk_item.state`.execute(tx)
  const done = rows.filter((row) => row.state === 'done').length
  const failed = rows.length - done
  await sql`
    update bulk_action set done = done + ${done}, failed = failed + ${failed},
      finished_at = case when done + failed + ${rows.length} >= total then ${new Date()}::timestamptz end
    where tenant_id = ${tx.tenant} and id = ${runId}`.execute(tx)
  await runChanged(tx, runId)
}

const runs = (tx: TenantTx) => tx.selectFrom('bulk_action').selectAll().where('tenant_id', '=', tx.tenant)
type Row = Awaited<ReturnType<ReturnType<typeof runs>['executeTakeFirstOrThrow']>>

const stored = (row: Row): StoredRun => ({
  id: row.id,
  subject: row.subject as BulkSubjectName,
  action: row.action,
  tagIds: row.tag_ids,
  tagNames: row.tag_names,
  settings: row.settings ?? {},
  startedBy: row.started_by,
  startedByName: row.started_by_name,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  undoneAt: row.undone_at,
  heldUntil: row.held_until,
  total: row.total,
  done: row.done,
  failed: row.failed,
})

/** The tenant's unfinished actions that no page is running, oldest first. */
export async function openRuns(tx: TenantTx, now: Date): Promise<StoredRun[]> {
  const rows = await runs(tx)
    .where('finished_at', 'is', null)
    .where(({ or, eb }) => or([eb('held_until', 'is', null), eb('held_until', '<', now)]))
    .orderBy('started_at')
    .execute()
  return rows.map(stored)
}

/**
 * When a worker must check the tenant's actions next. Open ones stay due, because another worker may die while it
 * runs one.
 */
export async function nextRun(tx: TenantTx): Promise<Date | null> {
  const { at } = await tx
    .selectFrom('bulk_action')
    .select((eb) => eb.fn.min(eb.fn.coalesce('held_until', eb.val(new Date()))).as('at'))
    .where('tenant_id', '=', tx.tenant)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow()
  return at
}

/** The person's last 50 actions. */
export async function runsOf(tx: TenantTx, actor: Actor): Promise<StoredRun[]> {
  const rows = await runs(tx)
    .where('started_by', '=', actor.userId)
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(50)
    .execute()
  return rows.map(stored)
}

/** An action of the person by id, if it exists; locked until the transaction ends if it is to be changed. */
export async function findRun(
  tx: TenantTx,
  actor: Actor,
  id: string,
  purpose: 'to read' | 'to change',
): Promise<StoredRun | undefined> {
  const query = runs(tx).where('id', '=', id).where('started_by', '=', actor.userId)
  const row = await (purpose === 'to change' ? query.forUpdate() : query).executeTakeFirst()
  return row && stored(row)
}

/** Makes failed items pending again, all or some of them; returns how many. */
export async function retryFailed(tx: TenantTx, runId: string, itemIds?: readonly string[]): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('bulk_item')
    .set({ state: 'waiting', message: null })
    .where('tenant_id', '=', tx.tenant)
    .where('bulk_action_id', '=', runId)
    .where('state', '=', 'failed')
    .$if(itemIds !== undefined, (some) => some.where(sql<boolean>`item_id = any(${itemIds}::uuid[])`))
    .executeTakeFirstOrThrow()
  const again = Number(numUpdatedRows)
  if (!again) return 0
  await tx
    .updateTable('bulk_action')
    .set((eb) => ({ failed: eb('failed', '-', again), finished_at: null }))
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', runId)
    .execute()
  await runChanged(tx, runId)
  return again
}

/** Lets a worker process the remaining items, whichever page started the action. */
export async function leaveToWorker(tx: TenantTx, runId: string): Promise<void> {
  await tx
    .updateTable('bulk_action')
    .set({ held_until: null })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', runId)
    .execute()
}

export async function changedItems(tx: TenantTx, runId: string): Promise<ChangedItem[]> {
  const rows = await tx
    .selectFrom('bulk_item')
    .select(['item_id', 'changed_tag_ids', 'had_before'])
    .where('tenant_id', '=', tx.tenant)
    .where('bulk_action_id', '=', runId)
    .where('state', '=', 'done')
    .where('changed', '=', true)
    .execute()
  return rows.map((row) => ({ itemId: row.item_id, changedTagIds: row.changed_tag_ids, before: row.had_before }))
}

export async function markUndone(tx: TenantTx, runId: string): Promise<void> {
  await tx
    .updateTable('bulk_action')
    .set({ undone_at: new Date() })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', runId)
    .execute()
  await runChanged(tx, runId)
}
