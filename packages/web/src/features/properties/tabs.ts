import type { ComponentType } from 'react'
import { lazy } from 'react'
import type { Property } from '@caretaker/contract/properties.ts'
import type { PropertyTab } from '@caretaker/rules/properties/tabs.ts'

/** The tabs of a home's page, each fetched when it is opened first. */
export const propertyTabContents: Partial<Record<PropertyTab, ComponentType<{ property: Property }>>> = {
  info: lazy(async () => ({ default: (await import('./info/property-info.tsx')).PropertyInfo })),
  services: lazy(async () => ({ default: (await import('./services/property-services.tsx')).PropertyServices })),
  devices: lazy(async () => ({ default: (await import('./devices/property-devices.tsx')).PropertyDevices })),
  telemetry: lazy(async () => ({ default: (await import('./telemetry/property-telemetry.tsx')).PropertyTelemetry })),
  thermoScheduler: lazy(async () => ({
    default: (await import('./thermo-scheduler/thermo-scheduler.tsx')).ThermoScheduler,
  })),
  propertyRecords: lazy(async () => ({
    default: (await import('./property-records/property-records.tsx')).PropertyRecords,
  })),
  propertyAudit: lazy(async () => ({ default: (await import('./property-audit/property-audit.tsx')).PropertyAudit })),
}
