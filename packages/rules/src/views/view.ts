import type { Actor } from '../identity/actor.ts'
import { isManager } from '../identity/actor.ts'
import type { FieldDefinition } from '../lists/fields.ts'
import type { Filter, Sort } from '../lists/filters.ts'
import { filterFault, sameFilters } from '../lists/filters.ts'
import type { List, Preset, ViewCategory } from '../lists/list.ts'

/** A view of a listing: columns, filters and order (core specification, section 3). */
export interface View {
  viewId: string
  label: string
  root: string
  category: ViewCategory
  builtIn: boolean
  private: boolean
  /** Ids of the users who may save it, apart from its owner. */
  authors: readonly string[]
  /** The user who created it; null for a built-in one, and after they have left the tenant. */
  owner: string | null
  /** Their name, if disclosed. */
  ownerName?: string | null
  columns: readonly string[]
  filters: readonly Filter[]
  sorts: readonly Sort[]
  /** Increases with every save, so that saving an outdated version is detected. */
  version: number
}

export type ViewGroup = 'system' | 'public' | 'private'

/** The three groups in which views are listed. */
export function viewGroup(view: Pick<View, 'builtIn' | 'private'>): ViewGroup {
  if (view.builtIn) return 'system'
  return view.private ? 'private' : 'public'
}

/**
 * The id of a built-in view, main or preset; it never changes (devices gaps B24) and, like all URL parts, is lower
 * case.
 */
export function presetViewId<L extends List>(list: L, preset: 'main' | L['presets'][number]['id']): string {
  return `${list.root}-${preset}`.toLowerCase()
}

/** The built-in views of a list, main one first. */
export function builtInViews(list: List): View[] {
  const main: Preset = { id: 'main', label: list.label, filters: [] }
  return [main, ...list.presets].map(({ id, label, filters, columns = (all) => all }) => ({
    viewId: presetViewId(list, id),
    label,
    root: list.root,
    category: list.category,
    builtIn: true,
    private: false,
    authors: [],
    owner: null,
    columns: columns(list.columns),
    filters,
    sorts: [],
    version: 0,
  }))
}

const isMiscManager = (actor: Actor) => isManager(actor, 'misc')
const isOwner = (actor: Actor, view: View) => view.owner === actor.memberId
const isAuthor = (actor: Actor, view: View) => view.authors.includes(actor.memberId)

/** Private views are visible to their owner and authors, all others to everyone (devices gaps B31). */
export function seesView(actor: Actor, view: View): boolean {
  return !view.private || isOwner(actor, view) || isAuthor(actor, view)
}

/** Whether all fields of a view's filters are available: without its filters a built-in view would be misleading. */
export const isOfKnown = (view: Pick<View, 'filters'>, known: readonly FieldDefinition[]): boolean =>
  view.filters.every((filter) => filterFault(filter, known) === undefined)

/**
 * Whether the actor may save over a view: owner and authors; for public views also managers of misc; never for built-in
 * ones.
 */
export function maySaveView(actor: Actor, view: View): boolean {
  if (view.builtIn) return false
  return isOwner(actor, view) || isAuthor(actor, view) || (!view.private && isMiscManager(actor))
}

/**
 * Whether the actor may rename, share or delete a view or set its authors: its owner; for public views also managers of
 * misc.
 */
export function mayManageView(actor: Actor, view: View): boolean {
  if (view.builtIn) return false
  return isOwner(actor, view) || (!view.private && isMiscManager(actor))
}

/** The validation error of a view's name among the others, or undefined (devices specification, section 5). */
export function viewNameFault(name: string, others: readonly string[]): string | undefined {
  const wanted = name.trim().toLowerCase()
  if (!wanted) return 'Please enter view name'
  return others.some((other) => other.trim().toLowerCase() === wanted) ? 'View name already in use' : undefined
}

/** Whether columns or filters differ from the view, which enables Save. The order alone does not count. */
export function isChanged(
  view: Pick<View, 'columns' | 'filters'>,
  now: { columns: readonly string[]; filters: readonly Filter[] },
): boolean {
  const sameColumns =
    view.columns.length === now.columns.length && view.columns.every((id, at) => id === now.columns[at])
  return !sameColumns || !sameFilters(view.filters, now.filters)
}
