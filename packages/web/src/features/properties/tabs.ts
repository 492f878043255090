import type { ComponentType } from 'react'
import { lazy } from 'react'
import type { Property } from '@caretaker/contract/properties.ts'
import type { PropertyTab } from '@caretaker/rules/properties/tabs.ts'

type Content = ComponentType<{ property: Property }>

const contents: Partial<Record<PropertyTab, () => Promise<{ default: Content }>>> = {
  info: async () => ({ default: (await import('./info/property-info.tsx')).PropertyInfo }),
  services: async () => ({ default: (await import('./services/property-services.tsx')).PropertyServices }),
  devices: async () => ({ default: (await import('./devices/property-devices.tsx')).PropertyDevices }),
  telemetry: async () => ({ default: (await import('./telemetry/property-telemetry.tsx')).PropertyTelemetry }),
  thermoScheduler: async () => ({ default: (await import('./thermo-scheduler/thermo-scheduler.tsx')).ThermoScheduler }),
  propertyRecords: async () => ({ default: (await import('./property-records/property-records.tsx')).PropertyRecords }),
  propertyAudit: async () => ({ default: (await import('./property-audit/property-audit.tsx')).PropertyAudit }),
}

/** The tabs of a home's page, each fetched when it is opened first. */
export const propertyTabContents: Partial<Record<PropertyTab, Content>> = Object.fromEntries(
  Object.entries(contents).map(([tab, fetched]) => [tab, lazy(fetched)]),
)

/** Begins to fetch a tab before it is shown; where that fails, the tab itself says so. */
export function fetchTab(tab: PropertyTab): void {
  contents[tab]?.().catch(() => {})
}
