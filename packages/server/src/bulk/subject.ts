import type { BulkSubjectName, RunAction } from '@caretaker/rules/actions/home-actions.ts'
import type { LightSettings } from '@caretaker/rules/actions/light-settings.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Recorded } from '../audit/audit.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** The definition of a bulk action, independent of who started it. */
export interface BulkOrder<A extends RunAction = RunAction> {
  subject: BulkSubjectName
  action: A
  tagIds: readonly string[]
  /** The settings that lights get in addition to tags, and the reason for archiving properties. */
  settings: LightSettings
}

/** A bulk action as stored. */
export interface StoredRun<A extends RunAction = RunAction> extends BulkOrder<A> {
  id: string
  tagNames: string[]
  startedBy: string
  startedByName: string
  startedAt: Date
  finishedAt: Date | null
  undoneAt: Date | null
  /** Until then the page that shows it runs its items; a worker continues if the page makes no more calls. */
  heldUntil: Date | null
  total: number
  done: number
  failed: number
}

/** The result for one item of a bulk action, and what undoing needs. */
export interface Outcome {
  itemId: string
  state: 'done' | 'failed'
  message: string | null
  /** Whether anything changed that undoing would restore. */
  changed: boolean
  changedTagIds: string[]
  /** The values that undoing restores in addition to tags. */
  before?: Record<string, unknown>
}

/** An action's changes to one item, for undoing. */
export interface ChangedItem {
  itemId: string
  changedTagIds: string[]
  before: Record<string, unknown> | null
}

export interface Initiator {
  actor: Actor
  person: Recorded & { id: string }
}

/** A kind of item that supports bulk actions, and how each action is performed. */
export interface BulkSubject<A extends RunAction = RunAction> {
  /** Whether the actor may perform it at all; checked before it starts and again while it runs. */
  may(actor: Actor, action: A): boolean
  /** Performs it on items in their current state and with the actor's current rights; returns the result of each. */
  perform(tx: TenantTx, initiator: Initiator, order: BulkOrder<A>, itemIds: readonly string[]): Promise<Outcome[]>
  /** Whether an action of this kind can be undone. */
  isUndoable(action: A): boolean
  /** The maximum number of items that can be undone at once. */
  undoLimit(action: A): number
  /** Undoes the action for items that still have the value it set; returns how many. */
  undo(tx: TenantTx, initiator: Initiator, run: StoredRun<A>, items: readonly ChangedItem[]): Promise<number>
}

export const failedWith = (itemId: string, message: string): Outcome => ({
  itemId,
  state: 'failed',
  message,
  changed: false,
  changedTagIds: [],
})

export const doneWith = (itemId: string, rest: Partial<Outcome> = {}): Outcome => ({
  itemId,
  state: 'done',
  message: null,
  changed: true,
  changedTagIds: [],
  ...rest,
})

/** The implementation for each subject. */
export type BulkSubjects = Record<BulkSubjectName, BulkSubject>
