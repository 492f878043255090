import type { Property } from '@caretaker/contract/properties.ts'
import type { PropertyTab } from '@caretaker/rules/properties/tabs.ts'
import type { Lazily } from '../../ui/lazily.tsx'
import { lazily } from '../../ui/lazily.tsx'

/** The tabs of a home's page, each fetched when it is opened first. */
export const propertyTabContents: Partial<Record<PropertyTab, Lazily<{ property: Property }>>> = {
  info: lazily(async () => (await import('./info/property-info.tsx')).PropertyInfo),
  services: lazily(async () => (await import('./services/property-services.tsx')).PropertyServices),
  devices: lazily(async () => (await import('./devices/property-devices.tsx')).PropertyDevices),
  telemetry: lazily(async () => (await import('./telemetry/property-telemetry.tsx')).PropertyTelemetry),
  thermoScheduler: lazily(async () => (await import('./thermo-scheduler/thermo-scheduler.tsx')).ThermoScheduler),
  propertyRecords: lazily(async () => (await import('./property-records/property-records.tsx')).PropertyRecords),
  propertyAudit: lazily(async () => (await import('./property-audit/property-audit.tsx')).PropertyAudit),
}
// Most come for it, and it comes with the page when somebody points at a link to it.
propertyTabContents.info?.fetch()
