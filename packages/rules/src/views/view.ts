import type { Actor } from '../identity/actor.ts'
import { isManager } from '../identity/actor.ts'
import type { FieldDefinition } from '../lists/fields.ts'
import type { Filter, Sort } from '../lists/filters.ts'
import { filterFault, sameFilters } from '../lists/filters.ts'
import type { List, Preset, ViewCategory } from '../lists/list.ts'

/** A way to look at a listing: which columns, which rows, in which order (core specification, section 3). */
export interface View {
  viewId: string
  label: string
  root: string
  category: ViewCategory
  builtIn: boolean
  private: boolean
  /** Ids of the users who may save it besides its owner. */
  authors: readonly string[]
  /** The user who made it; null for a built-in one, and when they have left the tenant. */
  owner: string | null
  /** Their name, where it is told. */
  ownerName?: string | null
  columns: readonly string[]
  filters: readonly Filter[]
  sorts: readonly Sort[]
  /** Rises with every save: who saves an older one learns that somebody else was faster. */
  version: number
}

export type ViewGroup = 'system' | 'public' | 'private'

/** The three kinds in which views are presented. */
export function viewGroup(view: Pick<View, 'builtIn' | 'private'>): ViewGroup {
  if (view.builtIn) return 'system'
  return view.private ? 'private' : 'public'
}

/** The id of a built-in view, the main one or a preset; it never changes (devices gaps B24), and like all of an address bears no capitals. */
export function presetViewId<L extends List>(list: L, preset: 'main' | L['presets'][number]['id']): string {
  return `${list.root}-${preset}`.toLowerCase()
}

/** The system views of a list, the main one first. */
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

/** Private views are seen by their owner and authors, all others by everybody (devices gaps B31). */
export function seesView(actor: Actor, view: View): boolean {
  return !view.private || isOwner(actor, view) || isAuthor(actor, view)
}

/** Whether a view is only about fields that are known: without its filters a built-in one would be another under its name. */
export const isOfKnown = (view: Pick<View, 'filters'>, known: readonly FieldDefinition[]): boolean =>
  view.filters.every((filter) => filterFault(filter, known) === undefined)

/** Who may save over a view: owner and authors, for a public one also managers of misc; nobody over a built-in one. */
export function maySaveView(actor: Actor, view: View): boolean {
  if (view.builtIn) return false
  return isOwner(actor, view) || isAuthor(actor, view) || (!view.private && isMiscManager(actor))
}

/** Who may rename, share, delete a view or set its authors: its owner, for a public one also managers of misc. */
export function mayManageView(actor: Actor, view: View): boolean {
  if (view.builtIn) return false
  return isOwner(actor, view) || (!view.private && isMiscManager(actor))
}

/** What is wrong with the name of a view among the names of the others, or undefined (devices specification, section 5). */
export function viewNameFault(name: string, others: readonly string[]): string | undefined {
  const wanted = name.trim().toLowerCase()
  if (!wanted) return 'Please enter view name'
  return others.some((other) => other.trim().toLowerCase() === wanted) ? 'View name already in use' : undefined
}

/** Whether columns or filters differ from a view's: what Save looks at. An order alone is no change. */
export function isChanged(
  view: Pick<View, 'columns' | 'filters'>,
  now: { columns: readonly string[]; filters: readonly Filter[] },
): boolean {
  const sameColumns =
    view.columns.length === now.columns.length && view.columns.every((id, at) => id === now.columns[at])
  return !sameColumns || !sameFilters(view.filters, now.filters)
}
