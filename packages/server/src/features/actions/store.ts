import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { BulkResult, BulkRun } from '@caretaker/contract/actions.ts'
import { undoLimit } from '@caretaker/rules/actions/actions.ts'
import { refusals } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { BulkOrder, Outcome } from './batch.ts'

/** The channel on which it is announced that devices of a bulk action wait, as soon as that is committed. */
export const bulkActionWaiting = 'bulk_action_waiting'

/** A bulk action as it is stored. */
export interface StoredRun extends BulkOrder {
  id: string
  tagNames: string[]
  startedBy: string
  startedByName: string
  startedAt: Date
  finishedAt: Date | null
  undoneAt: Date | null
  total: number
  done: number
  failed: number
}

interface NewRun extends BulkOrder {
  tagNames: string[]
  deviceIds: readonly string[]
  person: { id: string; name: string }
}

/** Stores a bulk action with its devices, all of them waiting. */
export async function insertRun(
  tx: TenantTx,
  { action, tagIds, tagNames, deviceIds, person }: NewRun,
): Promise<string> {
  const id = randomUUID()
  await tx
    .insertInto('bulk_action')
    .values({
      tenant_id: tx.tenant,
      id,
      action,
      tag_ids: [...tagIds],
      tag_names: tagNames,
      started_by: person.id,
      started_by_name: person.name,
      total: deviceIds.length,
    })
    .execute()
  await sql`
    insert into bulk_action_device (tenant_id, bulk_action_id, device_id)
    select ${tx.tenant}, ${id}, device_id from unnest(${deviceIds}::uuid[]) as device_id`.execute(tx)
  return id
}

/** Makes devices wait in an action that has begun: those that it did not have yet, and those of it that failed. */
export async function joinRun(tx: TenantTx, runId: string, deviceIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ again: boolean }>`
    insert into bulk_action_device as device (tenant_id, bulk_action_id, device_id)
    select ${tx.tenant}, ${runId}, device_id from unnest(${deviceIds}::uuid[]) as device_id
    on conflict (tenant_id, bulk_action_id, device_id) do update set state = 'waiting', message = null
    where device.tenant_id = ${tx.tenant} and device.state = 'failed'
    returning xmax <> 0 as again`.execute(tx)
  const again = rows.filter((row) => row.again).length
  await tx
    .updateTable('bulk_action')
    .set((eb) => ({
      total: eb('total', '+', rows.length - again),
      failed: eb('failed', '-', again),
      finished_at: null,
    }))
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', runId)
    .execute()
}

/** Which of these devices wait in the action. */
export async function waitingOf(tx: TenantTx, runId: string, deviceIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('bulk_action_device')
    .select('device_id')
    .where('tenant_id', '=', tx.tenant)
    .where('bulk_action_id', '=', runId)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .where('state', '=', 'waiting')
    .execute()
  return rows.map((row) => row.device_id)
}

/** Wakes a worker when the transaction is committed. */
export async function wakeWorker(tx: TenantTx): Promise<void> {
  await sql`select pg_notify(${bulkActionWaiting}, '')`.execute(tx)
}

/** Takes some devices that wait, which no other worker has taken, until the transaction ends. */
export async function takeWaiting(tx: TenantTx, runId: string, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('bulk_action_device')
    .select('device_id')
    .where('tenant_id', '=', tx.tenant)
    .where('bulk_action_id', '=', runId)
    .where('state', '=', 'waiting')
    .orderBy('device_id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.map((row) => row.device_id)
}

/** Writes down how devices that waited fared. The action is finished with the last of them. */
export async function settleRun(tx: TenantTx, runId: string, outcomes: readonly Outcome[]): Promise<void> {
  const column = <K extends keyof Outcome>(key: K) => outcomes.map((outcome) => outcome[key])
  const { rows } = await sql<{ state: string; n: number }>`
    with settled as (
      update bulk_action_device as device
      set state = outcome.state, message = outcome.message, changed = outcome.changed,
        changed_tag_ids = outcome.tag_ids::uuid[]
      from unnest(
        ${column('deviceId')}::uuid[], ${column('state')}::text[], ${column('message')}::text[],
        ${column('changed')}::boolean[], ${outcomes.map(({ changedTagIds }) => `{${changedTagIds.join()}}`)}::text[]
      ) as outcome (id, state, message, changed, tag_ids)
      where device.tenant_id = ${tx.tenant} and bulk_action_id = ${runId} and device.device_id = outcome.id
        and device.state = 'waiting'
      returning device.state
    )
    select state, count(*) as n from settled group by state`.execute(tx)
  const count = (state: string) => rows.find((row) => row.state === state)?.n ?? 0
  await sql`
    update bulk_action set done = done + ${count('done')}, failed = failed + ${count('failed')},
      finished_at = case when done + failed + ${count('done')} + ${count('failed')} >= total then now() end
    where tenant_id = ${tx.tenant} and id = ${runId}`.execute(tx)
}

const runs = (tx: TenantTx) => tx.selectFrom('bulk_action').selectAll().where('tenant_id', '=', tx.tenant)
type Row = Awaited<ReturnType<ReturnType<typeof runs>['executeTakeFirstOrThrow']>>

const stored = (row: Row): StoredRun => ({
  id: row.id,
  action: row.action,
  tagIds: row.tag_ids,
  tagNames: row.tag_names,
  startedBy: row.started_by,
  startedByName: row.started_by_name,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  undoneAt: row.undone_at,
  total: row.total,
  done: row.done,
  failed: row.failed,
})

/** The actions of the tenant that are not finished, oldest first. */
export async function openRuns(tx: TenantTx): Promise<StoredRun[]> {
  return (await runs(tx).where('finished_at', 'is', null).orderBy('started_at').execute()).map(stored)
}

/** The person's own last 50. */
export async function runsOf(tx: TenantTx, actor: Actor): Promise<StoredRun[]> {
  const rows = await runs(tx)
    .where('started_by', '=', actor.userId)
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(50)
    .execute()
  return rows.map(stored)
}

/** One of the person's own, if there is one of that id; held until the transaction ends when it is to be changed. */
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

/** Makes the devices that failed wait again; how many. */
export async function retryFailed(tx: TenantTx, runId: string): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('bulk_action_device')
    .set({ state: 'waiting', message: null })
    .where('tenant_id', '=', tx.tenant)
    .where('bulk_action_id', '=', runId)
    .where('state', '=', 'failed')
    .executeTakeFirstOrThrow()
  const again = Number(numUpdatedRows)
  if (again)
    await tx
      .updateTable('bulk_action')
      .set((eb) => ({ failed: eb('failed', '-', again), finished_at: null }))
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', runId)
      .execute()
  return again
}

const mostFailures = 1000

/** The devices that failed, with their names where the actor may see them. */
export async function failuresOf(
  tx: TenantTx,
  actor: Actor,
  runId: string,
): Promise<(BulkResult & { serial: string; name: string })[]> {
  const rows = await tx
    .selectFrom('bulk_action_device as part')
    .leftJoin('device', (join) =>
      join.onRef('device.tenant_id', '=', 'part.tenant_id').onRef('device.id', '=', 'part.device_id'),
    )
    .where('part.tenant_id', '=', tx.tenant)
    .where('bulk_action_id', '=', runId)
    .where('state', '=', 'failed')
    .select(['part.device_id', 'message', 'serial', 'device.name', 'product', 'status', 'access_rights_tag_id'])
    .orderBy('part.device_id')
    .limit(mostFailures)
    .execute()
  return rows.map((row) => {
    const visible =
      row.product !== null &&
      can(actor, 'see device', {
        product: row.product,
        status: row.status!,
        inWholesale: false,
        accessRightsTags: row.access_rights_tag_id ? [row.access_rights_tag_id] : [],
      })
    return {
      deviceId: row.device_id,
      state: 'failed' as const,
      message: visible ? row.message : refusals['not found'].text,
      serial: visible ? row.serial! : '',
      name: visible ? row.name! : '',
    }
  })
}

export const undoable = ({ action }: BulkOrder): boolean => action.endsWith('tags')

/** A bulk action as it is told to the person who started it. */
export function runTold(run: StoredRun): BulkRun {
  return {
    bulkActionId: run.id,
    action: run.action,
    names: run.tagNames,
    startedBy: run.startedByName,
    startedAt: run.startedAt.toISOString(),
    finishedAt: run.finishedAt?.toISOString() ?? null,
    total: run.total,
    done: run.done,
    failed: run.failed,
    canUndo:
      undoable(run) && run.finishedAt !== null && run.undoneAt === null && run.done > 0 && run.total <= undoLimit,
    undone: run.undoneAt !== null,
  }
}
