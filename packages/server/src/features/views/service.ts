import { refuse } from '@caretaker/contract/refusal.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { fieldsOf } from '@caretaker/rules/devices/fields.ts'
import { listings } from '@caretaker/rules/devices/listings.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { mayManageView, maySaveView, viewNameFault } from '@caretaker/rules/views/view.ts'
import { audit } from '../../audit/audit.ts'
import type { Person } from '../../identity/person.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { hidesPersonalData } from '../devices/visible.ts'
import { refuseUnsound, toldFilters } from './content.ts'
import type { NamedView, NewView, ViewChange } from './store.ts'
import * as store from './store.ts'

/** Who asks, where. */
interface Asking {
  tx: TenantTx
  actor: Actor
  person: Person
}

/** Keeps a view of a listing as the person's own. */
export async function createView({ tx, actor, person }: Asking, view: NewView): Promise<NamedView> {
  if (!can(actor, listings[view.listing].may)) throw refuse('forbidden')
  refuseUnsound(view, fieldsOf(view.listing, hidesPersonalData(actor)))
  await refuseName(tx, actor, view.label, { root: listings[view.listing].root })
  const id = await store.insertView(tx, actor, view)
  if (!id) throw nameInUse(view.label)
  const made = await store.findView(tx, actor, id)
  await audit(tx, { person, action: 'view created', subject: subjectOf(made), after: told(made) })
  return made
}

/**
 * Changes what is given of a view. Its content is for whoever may save it; its name, whom it is for and its authors for
 * whoever may manage it. Who did not see the version as it is now is told so, and changes nothing.
 */
export async function changeView(
  { tx, actor, person }: Asking,
  viewId: string,
  version: number,
  change: { [F in keyof ViewChange]: ViewChange[F] | undefined },
): Promise<NamedView> {
  refuseBuiltIn(viewId)
  const view = await store.holdView(tx, actor, viewId)
  const { columns, filters, sorts, label, authors } = change
  const saves = columns !== undefined || filters !== undefined || sorts !== undefined
  const manages = label !== undefined || authors !== undefined || change.private !== undefined
  if (saves && !maySaveView(actor, view)) throw refuse('forbidden')
  if (manages && !mayManageView(actor, view)) throw refuse('forbidden')
  if (version !== view.version)
    throw refuse('conflict', 'Somebody else saved this view meanwhile. Load it again before you save.')

  refuseUnsound(change as Partial<View>, fieldsOf(store.listingOf(view), hidesPersonalData(actor)))
  if (authors) await refuseStrangers(tx, authors)
  if (change.private && view.owner === null) throw refuse('refused', 'A view whose owner has left stays public.')
  const after = { ...view, ...given(change), ...(authors && { authors: [...new Set(authors)] }) }
  if (after.label !== view.label || after.private !== view.private) await refuseName(tx, actor, after.label, view)
  const changed = differences(told(view), told(after))
  if (!changed) return view
  if (!(await store.updateView(tx, viewId, given({ ...change, authors: authors && after.authors }))))
    throw nameInUse(after.label)
  await audit(tx, { person, action: 'view changed', subject: subjectOf(view), ...changed })
  return { ...after, version: version + 1 }
}

export async function removeView({ tx, actor, person }: Asking, viewId: string): Promise<void> {
  refuseBuiltIn(viewId)
  const view = await store.holdView(tx, actor, viewId)
  if (!mayManageView(actor, view)) throw refuse('forbidden')
  await store.deleteView(tx, viewId)
  await audit(tx, { person, action: 'view deleted', subject: subjectOf(view), before: told(view) })
}

/** Takes a user's private views away with the user; public ones stay, and are managed by managers. */
export async function leaveViews({ tx, person }: Omit<Asking, 'actor'>, memberId: string): Promise<void> {
  for (const { id, label } of await store.forgetOwner(tx, memberId))
    await audit(tx, { person, action: 'view deleted', subject: { type: 'view', id, name: label } })
}

const subjectOf = ({ viewId, label }: View) => ({ type: 'view', id: viewId, name: label }) as const

/** A view as the record of changes tells of it. */
function told({ label, private: isPrivate, authors, columns, filters, sorts }: View) {
  return {
    label,
    private: isPrivate,
    authors,
    columns,
    filters: toldFilters(filters),
    sorts,
  }
}

/** A change without what it leaves out. */
function given(change: { [F in keyof ViewChange]: ViewChange[F] | undefined }): ViewChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as ViewChange
}

function refuseBuiltIn(viewId: string): void {
  if (store.isBuiltIn(viewId)) throw refuse('refused', 'A system view cannot be changed or deleted.')
}

/** A name is unique among the views of the listing that the person sees, built-in ones included. */
async function refuseName(tx: TenantTx, actor: Actor, label: string, of: { root: string; viewId?: string }) {
  const others = (await store.listViews(tx, actor)).filter(
    ({ root, viewId }) => root === of.root && viewId !== of.viewId,
  )
  const names = others.map((view) => view.label)
  if (viewNameFault(label, names)) throw nameInUse(label)
}

function nameInUse(label: string) {
  const message = viewNameFault(label, [label])
  return refuse('invalid', message, [{ field: 'label', message: message! }])
}

async function refuseStrangers(tx: TenantTx, authors: readonly string[]): Promise<void> {
  const users = await store.holdUsers(tx, authors)
  const message = 'There is no such user.'
  const errors = authors.flatMap((id, at) => (users.includes(id) ? [] : [{ field: `authors.${at}`, message }]))
  if (errors.length) throw refuse('invalid', message, errors)
}
