import { listings } from '../devices/list.ts'
import type { PlaceArea } from '../links/places.ts'
import type { List } from '../lists/list.ts'
import { propertyLists } from '../properties/list.ts'
import type { GeneralAction } from '../rights/can.ts'

/** A list of any subject, opened by a right on the tenant. */
export type AnyList = List<GeneralAction>

/** Every list with stored views; each has a place with its name. */
export const allLists = { ...listings, ...propertyLists } satisfies Record<string, AnyList & { name: PlaceArea }>
type Lists = typeof allLists
export type ListName = keyof Lists
export const listNames = Object.keys(allLists) as ListName[]

/** The lists whose views are view definitions. */
type DefinitionListName = { [N in ListName]: Lists[N]['views'] extends 'definitions' ? N : never }[ListName]
export const definitionListNames = listNames.filter(
  (name): name is DefinitionListName => allLists[name].views === 'definitions',
)
/** The root of each of these lists. */
export const definitionRoots = definitionListNames.map(
  (name) => allLists[name].root,
) as Lists[DefinitionListName]['root'][]

/** The fields that views can contain. */
type ViewFieldId = { [N in ListName]: keyof Lists[N]['fields'] }[ListName]
export const viewFieldIds = [
  ...new Set(listNames.flatMap((name) => Object.keys(allLists[name].fields))),
] as ViewFieldId[]

/** The list whose views have this root. */
export function listOfRoot(root: string): (AnyList & { name: ListName }) | undefined {
  return listNames.map((name) => allLists[name]).find((list) => list.root === root)
}
