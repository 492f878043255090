import { isDeepStrictEqual } from 'node:util'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { BulkRun } from '@caretaker/contract/actions.ts'
import { bulkLimit } from '@caretaker/rules/actions/actions.ts'
import { countOf, pluralOf, runActionLabels, singularOf } from '@caretaker/rules/actions/home-actions.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { audit } from '../audit/audit.ts'
import type { Person } from '../identity/person.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Items } from './store.ts'
import type { StoredRun } from './subject.ts'
import {
  changedItems,
  findRun,
  holdWaiting,
  insertRun,
  joinRun,
  leaveToWorker,
  markUndone,
  retryFailed,
  outcomesIn,
  storeOutcomes,
  wakeWorker,
} from './store.ts'
import type { BulkOrder, BulkSubject, BulkSubjects } from './subject.ts'
import { failedWith } from './subject.ts'

export interface BulkCaller {
  tx: TenantTx
  actor: Actor
  person: Person
}

/** A requested bulk action; `tagNames` are for the audit log. */
export interface BulkAsked extends BulkOrder {
  tagNames: string[]
}

/** If the page that runs an action makes no call for this time in ms, a worker continues it. */
const pageSilence = 30_000
const heldFromNow = () => new Date(Date.now() + pageSilence)

const subjectOf = ({ id, action }: Pick<StoredRun, 'id' | 'action'>) =>
  ({ type: 'bulk action', id, name: runActionLabels[action] }) as const

/**
 * Stores a bulk action and records its start. Its items wait for a worker, or for calls of the page, which continue
 * it with `continueRun`.
 */
export async function begin(
  { tx, person, actor }: BulkCaller,
  asked: BulkAsked,
  items: Items,
  doneBy: 'worker' | 'page',
): Promise<StoredRun> {
  const { subject, action, tagNames, settings } = asked
  const heldUntil = doneBy === 'page' ? heldFromNow() : null
  const { id, total } = await insertRun(tx, { ...asked, items, person, heldUntil })
  if (total > bulkLimit) throw refuse('invalid', `A bulk action can have at most ${countOf(bulkLimit, subject)}.`)
  if (!total) throw refuse('refused', `This action applies to no selected ${singularOf(subject)}.`)
  const after = {
    [pluralOf(subject)]: total,
    ...(tagNames.length > 0 && { tags: tagNames }),
    ...(subject === 'property' && settings.reason && { reason: settings.reason }),
  }
  await audit(tx, { person, action: 'bulk action started', subject: subjectOf({ id, action }), after })
  await wakeWorker(tx)
  return ownRun(tx, actor, id)
}

/** Adds items to an action that the person started in an earlier call, and retries those that failed. */
export async function continueRun(
  { tx, actor }: BulkCaller,
  asked: BulkAsked,
  itemIds: readonly string[],
  id: string,
): Promise<StoredRun> {
  const run = await ownRun(tx, actor, id, 'to change')
  const isSame =
    run.action === asked.action &&
    isDeepStrictEqual(run.settings, asked.settings) &&
    run.tagIds.toSorted().join() === asked.tagIds.toSorted().join()
  if (!isSame) throw refuse('refused', 'This is a different bulk action.')
  if (run.undoneAt) throw refuse('refused', 'The action was undone.')
  if (!run.finishedAt && !run.heldUntil) throw refuse('refused', 'The action is still running.')
  if (run.total + itemIds.length > bulkLimit)
    throw refuse('invalid', `A bulk action can have at most ${countOf(bulkLimit, run.subject)}.`)
  await joinRun(tx, run.id, [...new Set(itemIds)], heldFromNow())
  return run
}

export interface ItemResult {
  itemId: string
  state: 'waiting' | 'done' | 'failed'
  message: string | null
}

/**
 * Runs the items that are still pending within this call, and returns the results of all; a request repeated
 * after a lost response gets them too. Items that a worker is processing stay pending.
 */
export async function doNow(
  { tx, actor, person }: BulkCaller,
  subject: BulkSubject,
  run: StoredRun,
  itemIds: readonly string[],
): Promise<ItemResult[]> {
  const waiting = await holdWaiting(tx, run.id, itemIds)
  if (waiting.length) await storeOutcomes(tx, run.id, await subject.perform(tx, { actor, person }, run, waiting))
  const known = new Map((await outcomesIn(tx, run.id, itemIds)).map((result) => [result.itemId, result]))
  return [...new Set(itemIds)].map(
    (itemId) => known.get(itemId) ?? { itemId, state: 'waiting' as const, message: null },
  )
}

/**
 * Marks pending items that no worker is processing as failed: the page that was running them has already shown them
 * as failed.
 */
export async function giveUp({ tx, actor }: BulkCaller, id: string): Promise<StoredRun> {
  const run = await ownRun(tx, actor, id, 'to change')
  const waiting = await holdWaiting(tx, run.id)
  if (waiting.length)
    await storeOutcomes(
      tx,
      run.id,
      waiting.map((itemId) => failedWith(itemId, 'The server could not be reached.')),
    )
  return ownRun(tx, actor, run.id)
}

/** Lets a worker retry failed items. */
export async function retry({ tx, actor }: BulkCaller, id: string): Promise<StoredRun> {
  const run = await ownRun(tx, actor, id, 'to change')
  if (run.undoneAt) throw refuse('refused', 'The action was undone.')
  if (!(await retryFailed(tx, run.id))) throw refuse('refused', `No ${singularOf(run.subject)} has failed.`)
  await leaveToWorker(tx, run.id)
  await wakeWorker(tx)
  return ownRun(tx, actor, run.id)
}

/** Undoes a finished action where possible; returns how many items were undone and how many were not. */
export async function takeBack(
  { tx, actor, person }: BulkCaller,
  subjects: BulkSubjects,
  id: string,
): Promise<{ restored: number; skipped: number }> {
  const run = await ownRun(tx, actor, id, 'to change')
  const subject = subjects[run.subject]
  if (!subject.isUndoable(run.action)) throw refuse('refused', 'This action cannot be undone.')
  if (run.undoneAt) throw refuse('refused', 'The action was already undone.')
  if (!run.finishedAt) throw refuse('refused', 'The action is still running.')
  const most = subject.undoLimit(run.action)
  if (run.total > most)
    throw refuse('refused', `Changes to more than ${countOf(most, run.subject)} cannot be undone at once.`)
  const changed = await changedItems(tx, run.id)
  const restored = await subject.undo(tx, { actor, person }, run, changed)
  await markUndone(tx, run.id)
  const result = { restored, skipped: changed.length - restored }
  await audit(tx, { person, action: 'bulk action undone', subject: subjectOf(run), after: result })
  return result
}

/** An action of the person, or `not found`. */
export async function ownRun(
  tx: TenantTx,
  actor: Actor,
  id: string,
  purpose: 'to read' | 'to change' = 'to read',
): Promise<StoredRun> {
  const run = await findRun(tx, actor, id, purpose)
  if (!run) throw refuse('not found')
  return run
}

/** A bulk action as shown to the person who started it. */
export function asBulkRun(run: StoredRun, subjects: BulkSubjects): BulkRun {
  const subject = subjects[run.subject]
  const canUndo =
    subject.isUndoable(run.action) &&
    run.finishedAt !== null &&
    run.undoneAt === null &&
    run.done > 0 &&
    run.total <= subject.undoLimit(run.action)
  return {
    bulkActionId: run.id,
    subject: run.subject,
    action: run.action,
    names: run.tagNames,
    startedBy: run.startedByName,
    startedAt: run.startedAt.toISOString(),
    finishedAt: run.finishedAt?.toISOString() ?? null,
    total: run.total,
    done: run.done,
    failed: run.failed,
    canUndo,
    undone: run.undoneAt !== null,
  }
}
