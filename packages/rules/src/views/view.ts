import type { Actor } from '../identity/actor.ts'
import { isManager } from '../identity/actor.ts'
import type { DeviceStatus } from '../devices/status.ts'
import { displayGroups, statusCategories } from '../devices/status.ts'
import type { Monitoring } from '../devices/fields.ts'
import { builtInColumns } from '../devices/fields.ts'
import type { Filter, Sort } from '../lists/filters.ts'
import { sameFilters } from '../lists/filters.ts'
import type { ListingName, ViewCategory } from '../devices/listings.ts'
import { listingNames, listings } from '../devices/listings.ts'

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

/** The preset views of a listing; their ids never change (devices gaps B24), and like all of an address bear no capitals. */
export const presets = ['main', 'inventory', 'installed', 'failed', 'warning'] as const
export type Preset = (typeof presets)[number]

export function presetViewId(listing: ListingName, preset: Preset): string {
  return `${listings[listing].root}-${preset}`.toLowerCase()
}

/** What each preset shows, exactly as the dashboard counts it (decisions, 6). */
export const presetStatuses: Record<Exclude<Preset, 'main'>, readonly DeviceStatus[]> = {
  inventory: ['Inventory'],
  installed: [
    ...displayGroups.Passed,
    ...displayGroups.Warning,
    ...displayGroups.Failed,
    ...displayGroups.FailedDevice,
  ],
  failed: [...displayGroups.Failed, ...displayGroups.FailedDevice],
  warning: displayGroups.Warning,
}

const presetLabels: Record<Exclude<Preset, 'main'>, string> = {
  inventory: 'Inventory',
  installed: 'Installed',
  failed: 'Failed',
  warning: 'Warning',
}

/** The system views of a listing, the main one first. */
export function builtInViews(listing: ListingName): View[] {
  const { root, category, label } = listings[listing]
  return presets.map((preset) => ({
    viewId: presetViewId(listing, preset),
    label: preset === 'main' ? label : presetLabels[preset],
    root,
    category,
    builtIn: true,
    private: false,
    authors: [],
    owner: null,
    columns: builtInColumns[listing],
    filters: preset === 'main' ? [] : [{ fieldId: 'status', filterOp: 'anyof', value: presetStatuses[preset] }],
    sorts: [],
    version: 0,
  }))
}

/** The listing whose views have this root. */
export function listingOfRoot(root: string): ListingName | undefined {
  return listingNames.find((name) => listings[name].root === root)
}

const isMiscManager = (actor: Actor) => isManager(actor, 'misc')
const isOwner = (actor: Actor, view: View) => view.owner === actor.memberId
const isAuthor = (actor: Actor, view: View) => view.authors.includes(actor.memberId)

/** Private views are seen by their owner and authors, all others by everybody (devices gaps B31). */
export function seesView(actor: Actor, view: View): boolean {
  return !view.private || isOwner(actor, view) || isAuthor(actor, view)
}

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

/** The kinds of heating that the Bcms page can be narrowed to (devices gaps B25). */
export const bcmTypes = ['BCM', 'ASHP', 'SurveyorCube', 'Boiler'] as const
export type BcmType = (typeof bcmTypes)[number]
/** As the heating-type menu calls them. */
export const bcmTypeLabels: Record<BcmType, string> = {
  BCM: 'BCMs',
  ASHP: 'Air Source Heat Pumps',
  Boiler: 'Boilers',
  SurveyorCube: 'Surveyor Cubes',
}

/** The filter in the address of the Bcms page. */
export interface BcmFilter {
  type: BcmType
  options?: { statuses?: readonly string[]; statusCategory?: keyof typeof statusCategories }
}

const monitoringOf: Record<Exclude<BcmType, 'BCM'>, Monitoring> = {
  ASHP: 'HeatPump',
  SurveyorCube: 'None',
  Boiler: 'Boiler',
}

/** The filter that a query parameter holds as JSON; what cannot be read falls back to all BCMs. */
export function bcmFilterIn(text: unknown): BcmFilter {
  const given = parsed(text)
  const wanted = typeof given['type'] === 'string' ? given['type'].replaceAll(/\s/g, '').toLowerCase() : ''
  const type = bcmTypes.find((one) => one.toLowerCase() === wanted)
  if (!type) return { type: 'BCM' }
  const options = (given['options'] ?? {}) as Record<string, unknown>
  const statuses = Array.isArray(options['statuses'])
    ? options['statuses'].filter((one): one is string => typeof one === 'string').slice(0, 50)
    : []
  const category = (Object.keys(statusCategories) as (keyof typeof statusCategories)[]).find(
    (one) => one === options['statusCategory'],
  )
  return {
    type,
    ...(statuses.length || category
      ? { options: { ...(statuses.length ? { statuses } : {}), ...(category ? { statusCategory: category } : {}) } }
      : {}),
  }
}

function parsed(text: unknown): Record<string, unknown> {
  if (typeof text === 'object' && text !== null && !Array.isArray(text)) return text as Record<string, unknown>
  if (typeof text !== 'string') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

/** The same filter as conditions on the rows. */
export function conditionsOf({ type, options }: BcmFilter): Filter[] {
  const conditions: Filter[] = []
  if (type !== 'BCM') conditions.push({ fieldId: 'monitoring', filterOp: 'equals', value: monitoringOf[type] })
  if (options?.statuses?.length) conditions.push({ fieldId: 'status', filterOp: 'anyof', value: [...options.statuses] })
  if (options?.statusCategory)
    conditions.push({ fieldId: 'status', filterOp: 'anyof', value: [...statusCategories[options.statusCategory]] })
  return conditions
}
