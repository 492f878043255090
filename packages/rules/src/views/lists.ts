import { deviceFields, listings } from '../devices/list.ts'
import type { List } from '../lists/list.ts'
import type { GeneralAction } from '../rights/can.ts'

/** A list of whatever subject, which a right of the tenant's opens. */
export type AnyList = List<GeneralAction>

/** Every list that views can be kept of. */
export const allLists = { ...listings } satisfies Record<string, AnyList>
export type ListName = keyof typeof allLists
export const listNames = Object.keys(allLists) as ListName[]

/** The fields that views can name. */
export const viewFieldIds = Object.keys({ ...deviceFields }) as (keyof typeof deviceFields)[]

/** The list whose views have this root. */
export function listOfRoot(root: string): (AnyList & { name: ListName }) | undefined {
  return listNames.map((name) => allLists[name]).find((list) => list.root === root)
}
