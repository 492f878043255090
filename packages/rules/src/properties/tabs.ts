import type { Actor } from '../identity/actor.ts'
import { hasFeature, seesEverything } from '../identity/actor.ts'

/** The tabs of a property page, in order (estate specification, section 2.3). */
export const propertyTabs = [
  'info',
  'services',
  'devices',
  'telemetry',
  'thermoScheduler',
  'propertyRecords',
  'propertyAudit',
] as const
export type PropertyTab = (typeof propertyTabs)[number]

export const propertyTabLabels: Record<PropertyTab, string> = {
  info: 'Info',
  services: 'Services',
  devices: 'Devices',
  telemetry: 'Telemetry',
  thermoScheduler: 'Thermo-Scheduler',
  propertyRecords: 'Property Records',
  propertyAudit: 'Audit',
}

/** The rights of tabs that are not open to all; a developer with access to all areas sees every tab (core-2.4-9). */
const opens: Partial<Record<PropertyTab, (actor: Actor) => boolean>> = {
  services: (actor) => hasFeature(actor, 'ManagedService'),
  devices: (actor) => seesEverything(actor) || !actor.features.includes('HideDeviceTab'),
  propertyRecords: (actor) => hasFeature(actor, 'PropertyRecords'),
  propertyAudit: (actor) => hasFeature(actor, 'AuditTab'),
}

/** Whether the actor sees a tab of the property page. */
export const seesPropertyTab = (actor: Actor, tab: PropertyTab): boolean => opens[tab]?.(actor) ?? true

/** The tabs that the actor sees, in order. */
export const propertyTabsOf = (actor: Actor): PropertyTab[] => propertyTabs.filter((tab) => seesPropertyTab(actor, tab))
