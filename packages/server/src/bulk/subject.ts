import type { BulkSubjectName, RunAction } from '@caretaker/rules/actions/home-actions.ts'
import type { LightSettings } from '@caretaker/rules/actions/light-settings.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Recorded } from '../audit/audit.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** What a bulk action is, whoever started it. */
export interface BulkOrder<A extends RunAction = RunAction> {
  subject: BulkSubjectName
  action: A
  tagIds: readonly string[]
  /** What lights are given besides tags, and why homes are archived. */
  settings: LightSettings
}

/** A bulk action as it is stored. */
export interface StoredRun<A extends RunAction = RunAction> extends BulkOrder<A> {
  id: string
  tagNames: string[]
  startedBy: string
  startedByName: string
  startedAt: Date
  finishedAt: Date | null
  undoneAt: Date | null
  /** Until then its items are done by calls of the page that watches it; a worker goes on when the page falls silent. */
  heldUntil: Date | null
  total: number
  done: number
  failed: number
}

/** How one thing of a bulk action fared, and what undoing it needs. */
export interface Outcome {
  itemId: string
  state: 'done' | 'failed'
  message: string | null
  /** Whether anything changed that undoing would take back. */
  changed: boolean
  changedTagIds: string[]
  /** What undoing gives back besides tags. */
  before?: Record<string, unknown>
}

/** What an action changed in one of its items: what undoing it needs. */
export interface ChangedItem {
  itemId: string
  changedTagIds: string[]
  before: Record<string, unknown> | null
}

export interface Initiator {
  actor: Actor
  person: Recorded & { id: string }
}

/** A kind of thing that bulk actions are done to, and how each action of its own is done. */
export interface BulkSubject<A extends RunAction = RunAction> {
  /** Whether the actor may do it to any of them at all; asked before it starts and again while it runs. */
  may(actor: Actor, action: A): boolean
  /** Does it to some of them, each as it is now and by the rights that the actor has now, and says how each fared. */
  perform(tx: TenantTx, initiator: Initiator, order: BulkOrder<A>, itemIds: readonly string[]): Promise<Outcome[]>
  /** Whether a change of this kind can be taken back. */
  isUndoable(action: A): boolean
  /** Of more of them it is not taken back in one go. */
  undoLimit(action: A): number
  /** Takes it back where a thing still has what the action left; how many. */
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

/** How each subject is acted on. */
export type BulkSubjects = Record<BulkSubjectName, BulkSubject>
