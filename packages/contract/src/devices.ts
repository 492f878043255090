import { z } from 'zod'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import { productCodes, summaryFamilies } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { listingNames } from '@caretaker/rules/views/listings.ts'
import { DeviceId, Instant, TenantId, Timestamp, inTenant } from './fields.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'

const Count = z.number().int().min(0)
export const DeviceSummary = z
  .object({ total: Count, pass: Count, fail: Count, warn: Count, inventory: Count, installed: Count })
  .meta({ id: 'DeviceSummary' })
export const DashboardData = z.record(z.enum(summaryFamilies), DeviceSummary).meta({ id: 'DashboardData' })
export type DashboardData = z.infer<typeof DashboardData>

export const getTenantDashboardData = route({
  method: 'POST',
  path: '/api/GetTenantDashboardData',
  may: 'enter tenant',
  summary: 'The six counts of each device family that the person may see.',
  body: inTenant,
  reply: envelope(DashboardData),
})

/** A row of a device listing. */
export const DeviceRow = z
  .object({
    deviceId: z.string(),
    deviceProductId: z.enum(productCodes),
    deviceStatus: z.enum(deviceStatuses),
    deviceSerial: z.string(),
    deviceDisplayName: z.string(),
    deviceConnectionState: z.enum(connectionStatuses),
    deviceInWholesale: z.boolean(),
    deviceBuildingId: z.string().nullable(),
    deviceBuildingName: z.string().nullable(),
    deviceBuildingFloor: z.string().nullable(),
    /** Null under HideCustomerPersonalData. */
    deviceBuildingAddress: z.string().nullable(),
    deviceGeoLatitude: z.number().nullable(),
    deviceGeoLongitude: z.number().nullable(),
    deviceLastHeard: Timestamp.nullable(),
    userHasReadOnlyAccess: z.boolean(),
    userCanUpdateAccessRightsTag: z.boolean(),
  })
  .meta({ id: 'DeviceRow' })
export type DeviceRow = z.infer<typeof DeviceRow>

/** Columns a listing can be sorted by; the default is status severity, highest first, then serial. */
export const listingSorts = ['severity', 'serial', 'name', 'connection', 'building', 'floor'] as const

export const ViewData = z
  .object({ rows: z.array(DeviceRow), total: Count, page: z.number().int().min(1), updatedAt: Timestamp })
  .meta({ id: 'ViewData' })
export type ViewData = z.infer<typeof ViewData>

export const fetchViewData = route({
  method: 'POST',
  path: '/api/FetchViewData',
  may: 'enter tenant',
  summary: 'One page of 100 rows of a device listing, sorted by severity unless another sort is named.',
  body: z.object({
    tenant: TenantId,
    listing: z.enum(listingNames),
    page: z.number().int().min(1).max(100_000).default(1),
    sort: z.enum(listingSorts).default('severity'),
    descending: z.boolean().default(false),
  }),
  reply: envelope(ViewData),
})

export const shouldUpdateView = route({
  method: 'POST',
  path: '/api/ShouldUpdateView',
  may: 'enter tenant',
  summary: 'Whether devices of these product codes changed since the date, and which.',
  body: z.object({ tenant: TenantId, deviceTypes: z.array(z.enum(productCodes)).max(50), date: Instant }),
  reply: envelope(z.object({ shouldUpdate: z.boolean(), deviceIds: z.array(z.string()) })),
})

/** A device in full, as its page shows it. */
export const Device = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    deviceType: z.string(),
    productId: z.enum(productCodes),
    serialNumber: z.string(),
    deviceStatus: z.enum(deviceStatuses),
    connectionStatus: z.enum(connectionStatuses),
    lastHeard: Timestamp.nullable(),
    inWholesale: z.boolean(),
    lat: z.number().nullable(),
    long: z.number().nullable(),
    buildingId: z.string().nullable(),
    buildingName: z.string().nullable(),
    building: z.string().nullable(),
    floorName: z.string().nullable(),
    floor: z.number().int().nullable(),
    room: z.string().nullable(),
    group: z.string().nullable(),
    tags: z.array(z.string()),
    tagIds: z.array(z.string()),
    accessRightsTag: z.object({ id: z.string(), displayName: z.string() }).nullable(),
    propertyId: z.string().nullable(),
    /** Null under HideCustomerPersonalData. */
    address: z.string().nullable(),
    location: z.string().nullable(),
    locationDetails: z.string().nullable(),
    powerClamps: z.record(z.string(), z.string()).nullable(),
    /** What the device last reported of itself: firmware, relays, set points, fault, signal. */
    reported: z.record(z.string(), z.unknown()),
    parent: z
      .object({
        deviceId: z.string(),
        deviceName: z.string(),
        serialNumber: z.string(),
        productId: z.enum(productCodes),
      })
      .nullable(),
    userHasReadOnlyAccess: z.boolean(),
    userCanUpdateAccessRightsTag: z.boolean(),
    tenant: z.string(),
  })
  .meta({ id: 'Device' })
export type Device = z.infer<typeof Device>

const oneDevice = z.object({ tenant: TenantId, deviceId: DeviceId })

export const getEmered = route({
  method: 'POST',
  path: '/api/GetEmered',
  may: 'see lighting',
  summary: 'One emergency light.',
  body: oneDevice,
  reply: envelope(Device),
})
export const getBoiler = route({
  method: 'POST',
  path: '/api/GetBoiler',
  may: 'see boilers',
  summary: 'One device of the boiler listing.',
  body: oneDevice,
  reply: envelope(Device),
})
export const getNetworkingDevice = route({
  method: 'POST',
  path: '/api/GetNetworkingDevice',
  may: 'see networking',
  summary: 'One networking device.',
  body: oneDevice,
  reply: envelope(Device),
})

export const shouldUpdateDevice = route({
  method: 'POST',
  path: '/api/ShouldUpdateDevice',
  may: 'see device',
  summary: 'Whether the device or what it said changed since the date.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId, date: Instant }),
  reply: envelope(z.object({ shouldUpdate: z.boolean(), updatedAt: Timestamp })),
})
