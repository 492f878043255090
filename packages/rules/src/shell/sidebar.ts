import type { Action } from '../rights/can.ts'
import type { Actor } from '../identity/actor.ts'
import { can } from '../rights/can.ts'
import type { PlaceArea } from '../links/places.ts'
import { areaNamed, segmentsOf } from '../links/places.ts'

/** A link of the sidebar. */
export interface SidebarItem {
  name: string
  area: PlaceArea
}
/** A named group of links, expanded while one of them is current. */
export interface SidebarGroup {
  name: string
  items: readonly SidebarItem[]
}
export type SidebarEntry = SidebarItem | SidebarGroup

type Gated<T> = T & { may: Action }

const entries: readonly (Gated<SidebarItem> | { name: string; items: readonly Gated<SidebarItem>[] })[] = [
  { name: 'Dashboard', area: 'Dashboard', may: 'enter tenant' },
  { name: 'Properties', area: 'Properties', may: 'see properties' },
  { name: 'Managed Service', area: 'ManagedService', may: 'see managed service' },
  {
    name: 'Lighting',
    items: [
      { name: 'Emergency Lights', area: 'EmergencyLights', may: 'see lighting' },
      { name: 'Networking Devices', area: 'NetworkingDevices', may: 'see networking' },
      { name: 'Buildings', area: 'Buildings', may: 'see buildings' },
      { name: 'Test Schedules', area: 'EmergencyLightSchedules', may: 'see test schedules' },
      { name: 'Test Results', area: 'EmergencyTestResults', may: 'be led to test results' },
    ],
  },
  { name: 'Boilers', area: 'Boilers', may: 'see boilers' },
  { name: 'Home hubs', area: 'HomeHubs', may: 'see home hubs' },
  { name: 'V-Stats', area: 'VStats', may: 'see sensors' },
  { name: 'Multi-dots', area: 'MultiDots', may: 'see sensors' },
  { name: 'API Integration', area: 'ThirdParty', may: 'see third party' },
  { name: 'Reporting', area: 'Reporting', may: 'see reports' },
  { name: 'Users', area: 'Users', may: 'administer users' },
  { name: 'Settings', area: 'Settings', may: 'see settings' },
  { name: 'Audit', area: 'Audit', may: 'see audit' },
  { name: 'Mailbox', area: 'Mailbox', may: 'see mailbox' },
  { name: 'Support', area: 'Support', may: 'enter tenant' },
]

/** The sidebar entries for the actor, in order; empty groups are left out. */
export function sidebarFor(actor: Actor): SidebarEntry[] {
  const allowed = (items: readonly Gated<SidebarItem>[]) =>
    items.filter((item) => can(actor, item.may)).map(({ name, area }): SidebarItem => ({ name, area }))
  return entries.flatMap((entry): SidebarEntry[] => {
    if (!('items' in entry)) return allowed([entry])
    const items = allowed(entry.items)
    return items.length > 0 ? [{ name: entry.name, items }] : []
  })
}

/** Areas that belong to the sidebar item of another: Bcms is the newer view of boilers. */
const within: Partial<Record<PlaceArea, PlaceArea>> = { Bcms: 'Boilers', BuildingMap: 'Buildings' }

/** Whether the current path belongs to the item: the segment after the tenant is the item's area or within it. */
export function isAt(path: string, item: SidebarItem): boolean {
  const area = areaNamed(segmentsOf(path)[1])
  return area !== undefined && (within[area] ?? area) === item.area
}
