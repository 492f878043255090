import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import type { LightSettings } from '@caretaker/rules/actions/light-settings.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Recorded } from '../audit/audit.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** What a bulk action is done to. A room whose things can be acted on in bulk adds its word, and a `BulkSubject`. */
export const bulkSubjects = ['device'] as const
export type BulkSubjectName = (typeof bulkSubjects)[number]

/** What a bulk action is, whoever started it. */
export interface BulkOrder {
  subject: BulkSubjectName
  action: BulkAction
  tagIds: readonly string[]
  /** What lights are given besides tags. */
  settings: LightSettings
}

/** A bulk action as it is stored. */
export interface StoredRun extends BulkOrder {
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

/** What the one road of bulk actions asks of a room about its things. */
export interface BulkSubject {
  /** Whether the actor may do it to any of them at all; asked before it starts and again while it runs. */
  may(actor: Actor, action: BulkAction): boolean
  /** Does it to some of them, each as it is now and by the rights that the actor has now, and says how each fared. */
  perform(tx: TenantTx, initiator: Initiator, order: BulkOrder, itemIds: readonly string[]): Promise<Outcome[]>
  /** Whether a change of this kind can be taken back. */
  isUndoable(action: BulkAction): boolean
  /** Of more of them it is not taken back in one go. */
  undoLimit(action: BulkAction): number
  /** Takes it back where a thing still has what the action left; how many. */
  undo(tx: TenantTx, initiator: Initiator, run: StoredRun, items: readonly ChangedItem[]): Promise<number>
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
