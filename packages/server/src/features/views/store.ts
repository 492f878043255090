import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import type { ListingName } from '@caretaker/rules/devices/listings.ts'
import { listingNames, listings } from '@caretaker/rules/devices/listings.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { builtInViews, listingOfRoot, seesView } from '@caretaker/rules/views/view.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { asSeen } from './content.ts'

/** A view with the name of whoever made it. */
export type NamedView = View & { ownerName: string | null }

const builtIn = new Map(listingNames.flatMap(builtInViews).map((view) => [view.viewId, view]))

export function isBuiltIn(viewId: string): boolean {
  return builtIn.has(viewId)
}

/** The view with an id, as the actor may see it; another tenant's or somebody else's private one is not found. */
export async function findView(tx: TenantTx, actor: Actor, viewId: string): Promise<NamedView> {
  const preset = builtIn.get(viewId)
  const view = preset ? { ...preset, ownerName: null } : await savedView(tx, viewId)
  if (!view || !seesView(actor, view)) throw refuse('not found')
  return asSeen(view, listingOf(view), actor)
}

/** A view that the actor may see with its listing, held until the transaction ends: who saves next waits. */
export async function holdView(tx: TenantTx, actor: Actor, viewId: string): Promise<NamedView> {
  const view = await savedView(tx, viewId, 'hold')
  if (!view || !seesView(actor, view) || !can(actor, listings[listingOf(view)].may)) throw refuse('not found')
  return view
}

/** Every view of the listings that the actor may see: built-in ones, then public, then private ones, by name. */
export async function listViews(tx: TenantTx, actor: Actor): Promise<NamedView[]> {
  const seen = listingNames.filter((name) => can(actor, listings[name].may))
  const presets = seen.flatMap(builtInViews).map((view) => ({ ...view, ownerName: null }))
  const roots = seen.map((name) => listings[name].root)
  const rows = roots.length
    ? await saved(tx)
        .where('root', 'in', roots)
        // As `seesView` says.
        .where(sql<boolean>`(not private or owner_id = ${actor.memberId} or ${actor.memberId}::uuid = any(author_ids))`)
        .orderBy('private')
        .orderBy(sql`lower(label)`)
        .orderBy('view.id')
        .execute()
    : []
  return [...presets, ...rows.map(asView)].map((view) => asSeen(view, listingOf(view), actor))
}

/** The listing that a view belongs to. */
export function listingOf(view: Pick<View, 'root'>): ListingName {
  return listingOfRoot(view.root)!
}

function saved(tx: TenantTx) {
  return tx
    .selectFrom('view_definition as view')
    .leftJoin('membership as owner', (join) =>
      join.onRef('owner.tenant_id', '=', 'view.tenant_id').onRef('owner.id', '=', 'view.owner_id'),
    )
    .where('view.tenant_id', '=', tx.tenant)
    .selectAll('view')
    .select(['owner.id as present_owner_id', 'owner.name as owner_name'])
}

const savedId = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/

async function savedView(tx: TenantTx, viewId: string, hold?: 'hold'): Promise<NamedView | undefined> {
  if (!savedId.test(viewId)) return undefined
  const query = saved(tx).where('view.id', '=', viewId)
  const row = await (hold ? query.forUpdate('view') : query).executeTakeFirst()
  return row && listingOfRoot(row.root) ? asView(row) : undefined
}

type Row = Awaited<ReturnType<ReturnType<typeof saved>['execute']>>[number]

function asView(row: Row): NamedView {
  return {
    viewId: row.id,
    label: row.label,
    root: row.root,
    category: listings[listingOf(row)].category,
    builtIn: false,
    private: row.private,
    authors: row.author_ids,
    owner: row.present_owner_id,
    ownerName: row.owner_name,
    columns: row.columns,
    filters: row.filters,
    sorts: row.sorts,
    version: row.version,
  }
}

export interface NewView {
  listing: ListingName
  label: string
  private: boolean
  columns: readonly string[]
  filters: readonly Filter[]
  sorts: readonly Sort[]
}

/** The id of a view of the actor's own; undefined when somebody gave the name to another at the same moment. */
export async function insertView(tx: TenantTx, actor: Actor, view: NewView): Promise<string | undefined> {
  const row = await tx
    .insertInto('view_definition')
    .values({
      tenant_id: tx.tenant,
      id: randomUUID(),
      root: listings[view.listing].root,
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
  return row?.id
}

export type ViewChange = Partial<Pick<View, 'label' | 'private' | 'authors' | 'columns' | 'filters' | 'sorts'>>

const uniqueViolation = '23505'

/** Whether the change was made; not when somebody gave the name to another at the same moment. */
export async function updateView(tx: TenantTx, viewId: string, change: ViewChange): Promise<boolean> {
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
        updated_at: sql<Date>`now()`,
      })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', viewId)
      .execute()
    return true
  } catch (error) {
    if ((error as { code?: string }).code === uniqueViolation) return false
    throw error
  }
}

export async function deleteView(tx: TenantTx, viewId: string): Promise<void> {
  await tx.deleteFrom('view_definition').where('tenant_id', '=', tx.tenant).where('id', '=', viewId).execute()
}

/** Which of these are users of the tenant, who stay so until the transaction ends. */
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
 * What a user leaves behind: public views stay, without an owner; private ones go, and so does the right to save those of
 * others. Gives the views that went.
 */
export async function forgetOwner(tx: TenantTx, memberId: string): Promise<{ id: string; label: string }[]> {
  await sql`
    update view_definition set author_ids = array_remove(author_ids, ${memberId}::uuid)
    where tenant_id = ${tx.tenant} and ${memberId}::uuid = any(author_ids)`.execute(tx)
  return tx
    .deleteFrom('view_definition')
    .where('tenant_id', '=', tx.tenant)
    .where('owner_id', '=', memberId)
    .where('private', '=', true)
    .returning(['id', 'label'])
    .execute()
}
