import type { Property } from '@caretaker/contract/properties.ts'
import type { PropertyTab } from '@caretaker/rules/properties/tabs.ts'
import type { Lazily } from '../../ui/lazily.tsx'
import { lazily } from '../../ui/lazily.tsx'

/** The tabs of a property page, each loaded on first use. */
export const propertyTabContents: Partial<Record<PropertyTab, Lazily<{ property: Property }>>> = {
  info: lazily(async () => (await import('./info/property-info.tsx')).PropertyInfo),
  services: lazily(async () => (await import('./services/property-services.tsx')).PropertyServices),
  devices: lazily(async () => (await import('./devices/property-devices.tsx')).PropertyDevices),
  telemetry: lazily(async () => (await import('./telemetry/property-telemetry.tsx')).PropertyTelemetry),
  thermoScheduler: lazily(async () => (await import('./thermo-scheduler/thermo-scheduler.tsx')).ThermoScheduler),
  propertyRecords: lazily(async () => (await import('./property-records/property-records.tsx')).PropertyRecords),
  propertyAudit: lazily(async () => (await import('./property-audit/property-audit.tsx')).PropertyAudit),
}
// The default tab, prefetched when a link to the page is hovered.
propertyTabContents.info?.fetch()
