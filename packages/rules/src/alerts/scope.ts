import type { Family } from '../devices/products.ts'
import { products } from '../devices/products.ts'

/**
 * The devices that a rule covers: those that match every dimension. An empty dimension matches everything. A rule about
 * properties covers them by building and by the tags of their devices; families then restrict only devices without a
 * property.
 */
export interface Scope {
  families: readonly Family[]
  buildingIds: readonly string[]
  tagIds: readonly string[]
}

export const wholeClient: Scope = { families: [], buildingIds: [], tagIds: [] }

/** The scope of a rule; earlier versions stored a single tag. */
export const scopeOf = ({ tagId, scope }: { tagId: string; scope?: Scope | undefined }): Scope =>
  scope ?? { ...wholeClient, tagIds: tagId ? [tagId] : [] }

const sameSet = (a: readonly string[], b: readonly string[]) => a.toSorted().join() === b.toSorted().join()
export const isSameScope = (a: Scope, b: Scope) =>
  sameSet(a.families, b.families) && sameSet(a.buildingIds, b.buildingIds) && sameSet(a.tagIds, b.tagIds)

/** The plural name of each family, in the order of the choices. */
export const familyNames: Record<Family, string> = {
  emered: 'Emergency lights',
  boiler: 'Boilers',
  airSourceHeatPump: 'Air source heat pumps',
  heatInterfaceUnit: 'Heat interface units',
  gateway: 'Gateways',
  autofill: 'Autofills',
  enviroDot: 'Enviro-dots',
  multiDot: 'Multi-dots',
  vStat: 'V-Stats',
  homeHub: 'Home hubs',
  powerMeter: 'Power meters',
  powerSwitch: 'Power switches',
  liftMonitor: 'Lift monitors',
  peopleCounter: 'People counters',
  thirdParty: 'Third-party devices',
}
export const families = Object.keys(familyNames) as Family[]
export const isFamily = (name: string): name is Family => Object.values(products).some(({ family }) => family === name)

/** A scope with the current names of its buildings and tags. */
export interface ScopeNames {
  families: readonly Family[]
  buildings: readonly string[]
  tags: readonly string[]
}

const anyOf = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)!}`

/**
 * A scope in words: 'NightTest', 'Emergency lights in Oak House', 'All devices'. For a rule about properties, which
 * families do not restrict: 'All properties in Oak House'.
 */
export function scopeWords({ families, buildings, tags }: ScopeNames, isOfHomes = false): string {
  // A rule that covers tags alone is named after them, as in earlier versions.
  if (tags.length && (isOfHomes || !families.length) && !buildings.length) return anyOf(tags)
  const what = isOfHomes ? 'All properties' : familyWords(families)
  return [what, buildings.length && `in ${anyOf(buildings)}`, tags.length && `tagged ${anyOf(tags)}`]
    .filter(Boolean)
    .join(' ')
}

function familyWords(families: readonly Family[]): string {
  const [first, ...others] = families.map((family) => familyNames[family])
  // Names that keep their capital inside a sentence: V-Stats.
  const kinds = first ? [first, ...others.map((name) => (name.startsWith('V-') ? name : lowered(name)))] : []
  return kinds.length < 2 ? (kinds[0] ?? 'All devices') : `${kinds.slice(0, -1).join(', ')} and ${kinds.at(-1)!}`
}

const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
