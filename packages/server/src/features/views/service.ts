import { isDeepStrictEqual } from 'node:util'
import { refuse } from '@caretaker/contract/refusal.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { fieldsSeen } from '@caretaker/rules/lists/list.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { mayManageView, maySaveView, viewNameFault } from '@caretaker/rules/views/view.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import type { Person } from '../../identity/person.ts'
import { asSeen, rejectInvalidView, auditedFilters } from '../../lists/validate.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { NamedView, NewView, ViewChange } from './store.ts'
import * as store from './store.ts'

/** The person who makes the call, and the tenant. */
export interface Asking {
  tx: TenantTx
  actor: Actor
  person: Person
}

/** The path of a view's name and of its columns, filters and sorts in a call, for refusals. */
export interface Shape {
  label: string
  content: string
}
const definition: Shape = { label: 'view.label', content: 'view.' }

export const savedMeanwhile = () => refuse('conflict', 'Someone else has saved this view. Reload it before you save.')

/** Creates a view of a list for the person. */
export async function createView(
  { tx, actor, person }: Asking,
  view: NewView,
  shape: Shape = definition,
): Promise<NamedView> {
  if (!can(actor, view.list.may)) throw refuse('forbidden')
  rejectInvalidView(view, fieldsSeen(view.list, actor), shape.content)
  await refuseName(tx, actor, view.label, { root: view.list.root }, shape)
  const id = await store.insertView(tx, actor, view)
  if (!id) throw nameInUse(view.label, shape)
  const made = await store.findView(tx, actor, id)
  await audit(tx, { person, action: 'view created', subject: subjectOf(made), after: recordOf(made) })
  return made
}

/** Changes the given fields of a view. Refuses a caller that does not give the current version of the view. */
export async function changeView(
  asking: Asking,
  viewId: string,
  version: number,
  change: { [F in keyof ViewChange]: ViewChange[F] | undefined },
): Promise<NamedView> {
  refuseBuiltIn(viewId)
  const view = await store.holdView(asking.tx, asking.actor, viewId)
  const changed = changedFields(asSeen(view, store.listOf(view), asking.actor), change)
  refuseRights(asking.actor, view, changed)
  if (version !== view.version) throw savedMeanwhile()
  return changeHeld(asking, view, changed)
}

/**
 * The content of a view is changed by users who may save it; its name, visibility and authors by those who may manage
 * it.
 */
function refuseRights(actor: Actor, view: View, change: { [F in keyof ViewChange]: ViewChange[F] | undefined }): void {
  const { columns, filters, sorts, label, authors } = change
  const saves = columns !== undefined || filters !== undefined || sorts !== undefined
  const manages = label !== undefined || authors !== undefined || change.private !== undefined
  if (saves && !maySaveView(actor, view)) throw refuse('forbidden')
  if (manages && !mayManageView(actor, view)) throw refuse('forbidden')
}

/** Changes a locked view as far as the actor may. */
export async function changeHeld(
  { tx, actor, person }: Asking,
  view: NamedView,
  change: { [F in keyof ViewChange]: ViewChange[F] | undefined },
  shape: Shape = definition,
): Promise<NamedView> {
  const { authors } = change
  const after = { ...view, ...given(change), ...(authors && { authors: [...new Set(authors)] }) }
  rejectInvalidView(change as Partial<View>, fieldsSeen(store.listOf(after), actor), shape.content)
  if (authors) await refuseStrangers(tx, authors)
  if (change.private && view.owner === null) throw refuse('refused', 'A view whose owner has left stays public.')
  if (after.label !== view.label || after.private !== view.private || after.root !== view.root)
    await refuseName(tx, actor, after.label, after, shape)
  const changed = differences(recordOf(view), recordOf(after))
  if (!changed) return view
  if (!(await store.updateView(tx, view, given({ ...change, authors: authors && after.authors }))))
    throw nameInUse(after.label, shape)
  await audit(tx, { person, action: 'view changed', subject: subjectOf(view), ...changed })
  return { ...after, version: view.version + 1 }
}

export async function removeView({ tx, actor, person }: Asking, viewId: string): Promise<void> {
  refuseBuiltIn(viewId)
  const view = await store.holdView(tx, actor, viewId)
  if (!mayManageView(actor, view)) throw refuse('forbidden')
  await removeHeld({ tx, person }, view)
}

/** Deletes a locked view that the person may delete. */
export async function removeHeld({ tx, person }: Omit<Asking, 'actor'>, view: NamedView): Promise<void> {
  await store.deleteView(tx, view)
  await audit(tx, { person, action: 'view deleted', subject: subjectOf(view), before: recordOf(view) })
}

/** How many other people have a view as their start page, for users who may delete it or make it private. */
export async function countStarts(
  { tx, actor }: Pick<Asking, 'tx' | 'actor'>,
  viewId: string,
): Promise<{ people: number; losingAccess: number }> {
  refuseBuiltIn(viewId)
  const view = await store.findView(tx, actor, viewId)
  if (!mayManageView(actor, view)) throw refuse('forbidden')
  const others = (await store.peopleStartingAt(tx, viewId)).filter((id) => id !== actor.memberId)
  const losingAccess = others.filter((id) => id !== view.owner && !view.authors.includes(id))
  return { people: others.length, losingAccess: losingAccess.length }
}

/** Deletes a user's private views with the user; public ones stay, and are managed by managers. */
export async function leaveViews({ tx, person }: { tx: TenantTx; person: Recorded }, memberId: string): Promise<void> {
  for (const { id, label } of await store.forgetOwner(tx, memberId))
    await audit(tx, { person, action: 'view deleted', subject: { type: 'view', id, name: label } })
}

const subjectOf = ({ viewId, label }: View) => ({ type: 'view', id: viewId, name: label }) as const

/** A view in the words of the audit. */
function recordOf({ root, label, private: isPrivate, authors, columns, filters, sorts }: View) {
  return {
    list: store.listOf({ root }).label,
    label,
    private: isPrivate,
    authors,
    columns,
    filters: auditedFilters(filters),
    sorts,
  }
}

/** The fields that differ from the view as the actor sees it: sending a whole view back changes nothing else. */
function changedFields(seen: View, change: { [F in keyof ViewChange]: ViewChange[F] | undefined }): ViewChange {
  const entries = Object.entries(given(change)) as [keyof ViewChange, unknown][]
  return Object.fromEntries(entries.filter(([field, value]) => !isDeepStrictEqual(seen[field], value))) as ViewChange
}

function given(change: { [F in keyof ViewChange]: ViewChange[F] | undefined }): ViewChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as ViewChange
}

function refuseBuiltIn(viewId: string): void {
  if (store.isBuiltIn(viewId)) throw refuse('refused', 'A system view cannot be changed or deleted.')
}

/** A name is unique among the views of the list that the person sees, built-in ones included. */
async function refuseName(
  tx: TenantTx,
  actor: Actor,
  label: string,
  of: { root: string; viewId?: string },
  shape: Shape,
): Promise<void> {
  const others = (await store.listViews(tx, actor)).filter(
    ({ root, viewId }) => root === of.root && viewId !== of.viewId,
  )
  const names = others.map((view) => view.label)
  if (viewNameFault(label, names)) throw nameInUse(label, shape)
}

function nameInUse(label: string, shape: Shape) {
  const message = viewNameFault(label, [label])
  return refuse('invalid', message, [{ field: shape.label, message: message! }])
}

async function refuseStrangers(tx: TenantTx, authors: readonly string[]): Promise<void> {
  const users = await store.holdUsers(tx, authors)
  const message = 'This user does not exist.'
  const errors = authors.flatMap((id, at) => (users.includes(id) ? [] : [{ field: `view.authors.${at}`, message }]))
  if (errors.length) throw refuse('invalid', message, errors)
}
