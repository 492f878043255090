import { randomUUID } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { fieldsSeen } from '@caretaker/rules/lists/list.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { builtInViews, isOfKnown, seesView } from '@caretaker/rules/views/view.ts'
import type { AnyList } from '@caretaker/rules/views/lists.ts'
import { allLists, listNames, listOfRoot } from '@caretaker/rules/views/lists.ts'
import { asSeen } from '../../lists/validate.ts'
import { changed } from '../../changes/changed.ts'
import * as members from '../../people/members.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** A view with the name of its creator, and when it was last saved. */
export type NamedView = View & { ownerName: string | null; updatedAt: Date }

const never = { ownerName: null, updatedAt: new Date(0) }
const builtInOf = (list: AnyList): NamedView[] => builtInViews(list).map((view) => ({ ...view, ...never }))
const builtIn = new Map(listNames.flatMap((name) => builtInOf(allLists[name])).map((view) => [view.viewId, view]))

export function isBuiltIn(viewId: string): boolean {
  return builtIn.has(viewId)
}

/** The view with an id, as the actor may see it; another tenant's or another user's private one is not found. */
export async function findView(tx: TenantTx, actor: Actor, viewId: string): Promise<NamedView> {
  const found = builtIn.get(viewId) ?? (await savedView(tx, viewId))
  const view = found && isThere(found, actor) ? found : undefined
  if (!view || !seesView(actor, view)) throw refuse('not found')
  return asSeen(view, listOf(view), actor)
}

/** A visible view with its listing, locked until the transaction ends, so that a second save waits. */
export async function holdView(tx: TenantTx, actor: Actor, viewId: string): Promise<NamedView> {
  const view = await savedView(tx, viewId, 'hold')
  if (!view || !seesView(actor, view) || !can(actor, listOf(view).may)) throw refuse('not found')
  return view
}

/**
 * The id of the view that the actor's next sign-in opens; null for the Dashboard, also if the view is deleted or not
 * visible.
 */
export async function findStartView(tx: TenantTx, actor: Actor): Promise<string | null> {
  const row = await tx
    .selectFrom('membership')
    .select('start_view_id')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', actor.memberId)
    .executeTakeFirst()
  const viewId = row?.start_view_id ?? null
  return viewId !== null && (await isOpenTo(tx, actor, viewId)) ? viewId : null
}

async function isOpenTo(tx: TenantTx, actor: Actor, viewId: string): Promise<boolean> {
  const view = builtIn.get(viewId) ?? (await savedView(tx, viewId))
  return view !== undefined && isThere(view, actor) && seesView(actor, view) && can(actor, listOf(view).may)
}

export async function setStartView(tx: TenantTx, actor: Actor, viewId: string | null): Promise<void> {
  if (viewId !== null && !(await isOpenTo(tx, actor, viewId))) throw refuse('not found')
  await members.setStartView(tx, actor.memberId, viewId)
}

/** The ids of the users whose start page is a view. */
export async function peopleStartingAt(tx: TenantTx, viewId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('membership')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('start_view_id', '=', viewId)
    .execute()
  return rows.map(({ id }) => id)
}

/** A built-in view about a feature that the tenant does not have is left out. */
const isThere = (view: View, actor: Actor) => !view.builtIn || isOfKnown(view, fieldsSeen(listOf(view), actor))

const listsSeen = (actor: Actor) =>
  listNames.map((name): AnyList => allLists[name]).filter((list) => can(actor, list.may))

/** The SQL form of `seesView`. */
const isSeenBy = ({ memberId }: Actor) =>
  sql<boolean>`(not private or owner_id = ${memberId} or ${memberId}::uuid = any(author_ids))`

/** Maximum number of saved views that a search reads. */
const mostSearched = 10_000

export type ViewName = Pick<View, 'viewId' | 'label' | 'root' | 'private' | 'builtIn'>

/** Views that the actor may see by name: built-in ones, and the first saved ones in an order; `total` counts both. */
export async function findViewsNamed(
  tx: TenantTx,
  actor: Actor,
  wanted: {
    isNamed: (label: string) => boolean
    named: RawBuilder<boolean>
    order: RawBuilder<unknown>
    most: number
  },
): Promise<{ builtIn: ViewName[]; saved: ViewName[]; total: number }> {
  const seen = listsSeen(actor)
  const builtIn = seen
    .flatMap(builtInOf)
    .filter((view) => isThere(view, actor) && wanted.isNamed(view.label))
    .map(({ viewId, label, root, private: isPrivate }) => ({ viewId, label, root, private: isPrivate, builtIn: true }))
  if (!seen.length) return { builtIn, saved: [], total: builtIn.length }
  const some = tx
    .selectFrom('view_definition')
    .select(['id', 'label', 'root', 'private'])
    .where('tenant_id', '=', tx.tenant)
    .where(
      'root',
      'in',
      seen.map((list) => list.root),
    )
    .where(isSeenBy(actor))
    .limit(mostSearched)
  const rows = await tx
    .selectFrom(some.as('view'))
    .select(['id', 'label', 'root', 'private'])
    .select(sql<number>`count(*) over ()`.as('total'))
    .where(wanted.named)
    .orderBy(wanted.order)
    .orderBy('private')
    .orderBy(naturally(sql`label`))
    .orderBy('id')
    .limit(wanted.most)
    .execute()
  const saved = rows.map(({ id, total: _, ...row }) => ({ ...row, viewId: id, builtIn: false }))
  return { builtIn, saved, total: builtIn.length + (rows[0]?.total ?? 0) }
}

/** Every view of the listings that the actor may see: built-in ones, then public, then private ones, by name. */
export async function listViews(tx: TenantTx, actor: Actor): Promise<NamedView[]> {
  const seen = listsSeen(actor)
  const roots = seen.map((list) => list.root)
  const rows = roots.length
    ? await saved(tx)
        .where('root', 'in', roots)
        .where(isSeenBy(actor))
        .orderBy('private')
        .orderBy(naturally(sql`label`))
        .orderBy('view.id')
        .execute()
    : []
  const known = seen.flatMap(builtInOf).filter((view) => isThere(view, actor))
  return [...known, ...rows.map(asView)].map((view) => asSeen(view, listOf(view), actor))
}

/** The actor's own views that nobody else sees, of any list, by name; `viewId` narrows them to one. */
export async function ownViews(
  tx: TenantTx,
  { memberId }: Actor,
  one: { viewId?: string; hold?: true } = {},
): Promise<NamedView[]> {
  const query = saved(tx)
    .where('owner_id', '=', memberId)
    .where('private', '=', true)
    .$if(one.viewId !== undefined, (some) => some.where('view.id', '=', one.viewId!))
    .orderBy(naturally(sql`label`))
    .orderBy('view.id')
  const rows = await (one.hold ? query.forUpdate('view') : query).execute()
  return rows.filter((row) => listOfRoot(row.root)).map(asView)
}

/** The list that a view belongs to. */
export function listOf(view: Pick<View, 'root'>): AnyList {
  return listOfRoot(view.root)!
}

function saved(tx: TenantTx) {
  return (
    tx
      .selectFrom('view_definition as view')
      .leftJoin('membership as owner', (join) =>
        join.on('owner.tenant_id', '=', tx.tenant).onRef('owner.id', '=', 'view.owner_id'),
      )
      // API keys have views of their own as well.
      .leftJoin('api_key as key', (join) =>
        join.on('key.tenant_id', '=', tx.tenant).onRef('key.id', '=', 'view.owner_id').on('key.revoked_at', 'is', null),
      )
      .where('view.tenant_id', '=', tx.tenant)
      .selectAll('view')
      .select(sql<string | null>`coalesce(owner.id, key.id)`.as('present_owner_id'))
      .select(sql<string | null>`coalesce(owner.name, key.name)`.as('owner_name'))
  )
}

const savedId = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/

async function savedView(tx: TenantTx, viewId: string, hold?: 'hold'): Promise<NamedView | undefined> {
  if (!savedId.test(viewId)) return undefined
  const query = saved(tx).where('view.id', '=', viewId)
  const row = await (hold ? query.forUpdate('view') : query).executeTakeFirst()
  return row && listOfRoot(row.root) ? asView(row) : undefined
}

type Row = Awaited<ReturnType<ReturnType<typeof saved>['execute']>>[number]

function asView(row: Row): NamedView {
  return {
    viewId: row.id,
    label: row.label,
    root: row.root,
    category: listOf(row).category,
    builtIn: false,
    private: row.private,
    authors: row.author_ids,
    owner: row.present_owner_id,
    ownerName: row.owner_name,
    columns: row.columns,
    filters: row.filters,
    sorts: row.sorts,
    version: row.version,
    updatedAt: row.updated_at,
  }
}

export interface NewView {
  list: AnyList
  label: string
  private: boolean
  columns: readonly string[]
  filters: readonly Filter[]
  sorts: readonly Sort[]
}

/** The id of the new view; undefined if someone else used the name at the same moment. */
export async function insertView(tx: TenantTx, actor: Actor, view: NewView): Promise<string | undefined> {
  const made = await tx
    .insertInto('view_definition')
    .values({
      tenant_id: tx.tenant,
      id: randomUUID(),
      root: view.list.root,
      label: view.label,
      private: view.private,
      owner_id: actor.memberId,
      columns: JSON.stringify(view.columns),
      filters: JSON.stringify(view.filters),
      sorts: JSON.stringify(view.sorts),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made) await viewChanged(tx, made.id, view.private ? [actor.memberId] : null)
  return made?.id
}

export type ViewChange = Partial<Pick<View, 'root' | 'label' | 'private' | 'authors' | 'columns' | 'filters' | 'sorts'>>

const uniqueViolation = '23505'

/** Updates a locked view; false if someone else used the name at the same moment. */
export async function updateView(tx: TenantTx, view: NamedView, change: ViewChange): Promise<boolean> {
  const { columns, filters, sorts, authors, ...plain } = change
  try {
    await tx
      .updateTable('view_definition')
      .set({
        ...plain,
        ...(authors && { author_ids: [...authors] }),
        ...(columns && { columns: JSON.stringify(columns) }),
        ...(filters && { filters: JSON.stringify(filters) }),
        ...(sorts && { sorts: JSON.stringify(sorts) }),
        version: sql<number>`version + 1`,
        // Instants are returned in milliseconds: two saves within one must still differ.
        updated_at: new Date(Math.max(Date.now(), +view.updatedAt + 1)),
      })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', view.viewId)
      .execute()
    await viewChanged(tx, view.viewId, concerned(view, { ...view, ...plain, authors: authors ?? view.authors }))
    return true
  } catch (error) {
    if ((error as { code?: string }).code === uniqueViolation) return false
    throw error
  }
}

export async function deleteView(tx: TenantTx, view: View): Promise<void> {
  await tx.deleteFrom('view_definition').where('tenant_id', '=', tx.tenant).where('id', '=', view.viewId).execute()
  await viewChanged(tx, view.viewId, concerned(view))
}

const viewChanged = (tx: TenantTx, viewId: string, audience: readonly string[] | null) =>
  changed(tx, 'view', [viewId], audience)

/**
 * The people a view concerns, before and after a change: everyone if it was or becomes public, otherwise its owner and
 * authors.
 */
function concerned(...views: Pick<View, 'private' | 'owner' | 'authors'>[]): string[] | null {
  if (views.some((view) => !view.private)) return null
  return views.flatMap(({ owner, authors }) => [...(owner ? [owner] : []), ...authors])
}

/** The ids that belong to users of the tenant, locked as such until the transaction ends. */
export async function holdUsers(tx: TenantTx, ids: readonly string[]): Promise<string[]> {
  if (!ids.length) return []
  const rows = await tx
    .selectFrom('membership')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', [...ids])
    .forKeyShare()
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Cleans up after a user: public views stay without an owner, private ones are deleted, and so is the right to save
 * those of others. Returns the deleted views.
 */
export async function forgetOwner(tx: TenantTx, memberId: string): Promise<{ id: string; label: string }[]> {
  await sql`
    update view_definition set author_ids = array_remove(author_ids, ${memberId}::uuid)
    where tenant_id = ${tx.tenant} and ${memberId}::uuid = any(author_ids)`.execute(tx)
  await changed(tx, 'view', null)
  return tx
    .deleteFrom('view_definition')
    .where('tenant_id', '=', tx.tenant)
    .where('owner_id', '=', memberId)
    .where('private', '=', true)
    .returning(['id', 'label'])
    .execute()
}

/** Whether the id is a user of the tenant, or the person of one. */
export async function isUser(tx: TenantTx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('membership')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(({ eb, or }) => or([eb('id', '=', id), eb('person_id', '=', id)]))
    .executeTakeFirst()
  return row !== undefined
}
