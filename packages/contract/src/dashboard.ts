import { z } from 'zod'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import { productCodes, summaryFamilies } from '@caretaker/rules/devices/products.ts'
import type { SummaryFamily } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { complianceStates } from '@caretaker/rules/compliance/due.ts'
import { workCases } from '@caretaker/rules/dashboard/worklist.ts'
import { monitorings } from '@caretaker/rules/devices/monitoring.ts'
import { listingNames } from '@caretaker/rules/devices/list.ts'
import { dampLevels } from '@caretaker/rules/properties/damp.ts'
import { heatingStates } from '@caretaker/rules/properties/heating.ts'
import { propertyListNames } from '@caretaker/rules/properties/list.ts'
import { DeviceId, Id, TenantId, Timestamp, inTenant, text } from './scalars.ts'
import { Filter, Sort } from './lists.ts'
import { PropertyRecord } from './properties.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import { Tag } from './tags.ts'
import * as calls from './calls/dashboard.ts'

const Count = z.number().int().min(0)
export const DeviceSummary = z
  .object({ total: Count, pass: Count, fail: Count, warn: Count, inventory: Count, installed: Count })
  .meta({ id: 'DeviceSummary' })

const families = Object.fromEntries(summaryFamilies.map((family) => [family, DeviceSummary])) as Record<
  SummaryFamily,
  typeof DeviceSummary
>
export const DashboardData = z
  .object({
    ...families,
    /** The same six counts for each listing and its preset views. */
    listings: z.record(z.enum(listingNames), DeviceSummary),
    /** Rows of the Bcms listing, by monitored heating. */
    monitoring: z.record(z.enum(monitorings), DeviceSummary),
    homeHubs: z.object({ online: Count, offline: Count }),
    /** Emergency lights with a lost or intermittent connection. */
    lights: z.object({ notConnected: Count, intermittent: Count }),
    /** Properties that need attention according to the cases of the worklist, each counted once. */
    homesNeedingAttention: Count,
  })
  .meta({ id: 'DashboardData' })
export type DashboardData = z.infer<typeof DashboardData>

export const getTenantDashboardData = route({
  ...calls.getTenantDashboardData,
  summary: 'The six counts of each device family, listing and kind of monitoring that the user may see.',
  body: inTenant,
  reply: envelope(DashboardData),
})

/** A device that needs attention, with its location and the start of the problem. */
export const WorkDevice = z.object({
  kind: z.literal('device'),
  deviceId: z.string(),
  product: z.enum(productCodes),
  name: z.string(),
  building: z.string().nullable(),
  room: z.string().nullable(),
  /** Null under HideCustomerPersonalData. */
  address: z.string().nullable(),
  propertyReference: z.string().nullable(),
  faultCode: z.string().nullable(),
  /** The cause of the status in a word or two. */
  reason: z.string().nullable(),
  since: Timestamp,
})
export type WorkDevice = z.infer<typeof WorkDevice>

/** A property that needs attention. Fields that do not apply to the case are null. */
export const WorkHome = z.object({
  kind: z.literal('home'),
  propertyId: Id,
  propertyReference: z.string(),
  /** Null under HideCustomerPersonalData. */
  address: z.string().nullable(),
  /** The state of the checks that the case concerns. */
  check: z.enum(complianceStates).nullable(),
  /** The day of the failed check, or the due date; null when there was never a check. */
  day: z.iso.date().nullable(),
  heating: z.enum(heatingStates).nullable(),
  damp: z.enum(dampLevels).nullable(),
  /** The next Awaab's Law deadline: its step, when it is due, and from when it is late. */
  deadline: z.object({ step: z.string(), isEmergency: z.boolean(), dueAt: Timestamp, lateAt: Timestamp }).nullable(),
  /** When the heating went off, or the damp risk became high. */
  since: Timestamp.nullable(),
  /** The number of residents; null when unknown. */
  people: Count.nullable(),
})
export type WorkHome = z.infer<typeof WorkHome>

export const WorkCase = z.object({
  case: z.enum(workCases),
  /** The number of rows in the listing with these filters. */
  count: Count,
  /** How many are past an Awaab's Law deadline; null for other cases. */
  late: Count.nullable(),
  listing: z.enum([...listingNames, ...propertyListNames]),
  /** The view with these filters; null when there is none. */
  viewId: z.string().nullable(),
  filters: z.array(Filter),
  sorts: z.array(Sort),
  /** The columns to show when the view's columns do not include the start time; otherwise null. */
  columns: z.array(z.string()).nullable(),
  /** The two worst, or the two that have waited longest. */
  worst: z.array(z.discriminatedUnion('kind', [WorkDevice, WorkHome])).max(2),
})
export type WorkCase = z.infer<typeof WorkCase>

export const Worklist = z
  .object({
    cases: z.array(WorkCase),
    /** How many of each kind need attention. Each is counted once, even if it is in several cases. */
    needing: z.object({ homes: Count, lights: Count, gateways: Count, boilers: Count }),
  })
  .meta({ id: 'Worklist' })
export type Worklist = z.infer<typeof Worklist>

export const getWorklist = route({
  ...calls.getWorklist,
  looksAt: { of: 'home', as: 'list', name: 'Work list' },
  summary:
    'The items that need attention among those the user may see: each case with its count, its two worst items and the filters that list its rows.',
  body: inTenant,
  reply: envelope(Worklist),
})

const ThirdPartySummary = z.object({ adeyDeviceSummary: DeviceSummary })

export const getThirdPartySummary = route({
  ...calls.getThirdPartySummary,
  summary: 'The six counts of the third-party devices.',
  params: z.object({ tenant: TenantId }),
  reply: ThirdPartySummary,
})

/** The values allowed after '/api/dashboard/'. */
export const dashboardPaths = ['adey'] as const
export const getDashboardSummary = route({
  ...calls.getDashboardSummary,
  summary: 'The summary named in the path: adey for third-party devices. Returns the same figures as summary/adey.',
  params: z.object({ path: text(40) }),
  query: z.strictObject({ tenant: TenantId }),
  reply: ThirdPartySummary,
})

const Paging = {
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(1000).default(100),
}
const paged = z.strictObject(Paging)
const results = <T extends z.ZodType>(shape: T) =>
  z.object({ results: z.array(shape), total: Count, page: z.number().int(), pageSize: z.number().int() })

const tenantOnly = z.object({ tenant: TenantId })

/** A boiler control module, heat pump or surveyor cube (devices specification, section 3). */
export const Bcm = z
  .object({
    deviceId: z.string(),
    serialNumber: z.string(),
    product: z.enum(productCodes),
    status: z.enum(deviceStatuses),
    connectionStatus: z.enum(connectionStatuses),
    /** Never a surveyor cube. */
    monitoring: z.enum(monitorings),
    boilerManufacturer: z.string().nullable(),
    boilerModel: z.string().nullable(),
    boilerGc: z.string().nullable(),
    firmwareVersion: z.string().nullable(),
    faultCode: z.string().nullable(),
    propertyId: z.string().nullable(),
    propertyLocationId: z.string().nullable(),
    accessRightsTagId: z.string().nullable(),
    tagIds: z.array(z.string()),
    supportsDhwSetPoint: z.boolean(),
    hasBuzzer: z.boolean(),
    bcmSettings: z.object({ desiredDhwSetPoint: z.number().nullable() }),
  })
  .meta({ id: 'Bcm' })
export type Bcm = z.infer<typeof Bcm>

export const getBcms = route({
  ...calls.getBcms,
  summary: 'The devices that monitor the heating of properties, filtered by the JSON filter of the boilers page.',
  params: tenantOnly,
  query: paged.extend({ filter: text(4000).optional() }),
  reply: results(Bcm),
})

export const getBcm = route({
  ...calls.getBcm,
  summary: 'One BCM.',
  params: z.object({ tenant: TenantId, id: DeviceId }),
  reply: Bcm,
})

/** A device as the short listings return it. */
export const ListedDevice = z
  .object({
    deviceId: z.string(),
    name: z.string(),
    product: z.enum(productCodes),
    serialNumber: z.string(),
    deviceStatus: z.enum(deviceStatuses),
    connectionStatus: z.enum(connectionStatuses),
    propertyId: z.string().nullable(),
    propertyLocationId: z.string().nullable(),
    accessRightsTagId: z.string().nullable(),
  })
  .meta({ id: 'ListedDevice' })
export type ListedDevice = z.infer<typeof ListedDevice>

export const getGateways = route({
  ...calls.getGateways,
  summary: 'The home hubs and gateways, limited to the kinds that the user may see.',
  params: tenantOnly,
  query: paged,
  reply: results(ListedDevice),
})
export const getMultidots = route({
  ...calls.getMultidots,
  summary: 'The multi-dot sensors.',
  params: tenantOnly,
  query: paged,
  reply: results(ListedDevice),
})

/** A thermostat with the columns of its listing (estate specification, section 2.4). */
export const VStat = ListedDevice.omit({ product: true })
  .extend({
    productId: z.enum(productCodes),
    /** The name of the product. */
    product: z.string(),
    propertyReference: z.string().nullable(),
    /** Both null under HideCustomerPersonalData. */
    postcode: z.string().nullable(),
    address: z.string().nullable(),
    location: z.string().nullable(),
    locationDetails: z.string().nullable(),
    tags: z.array(Tag),
    firmwareVersion: z.string().nullable(),
    accessRightTag: z.string().nullable(),
  })
  .meta({ id: 'VStat' })
export type VStat = z.infer<typeof VStat>

export const getVstats = route({
  ...calls.getVstats,
  looksAt: { of: 'home', as: 'list', name: 'Thermostats' },
  summary: 'The thermostats.',
  params: tenantOnly,
  query: paged,
  reply: results(VStat),
})

export const getPowerSwitch = route({
  ...calls.getPowerSwitch,
  summary: 'One power switch with the requested and the last reported state of each relay; null when unknown.',
  params: z.object({ tenant: TenantId, id: DeviceId }),
  reply: ListedDevice.extend({
    relays: z.array(
      z.object({
        relayId: z.string(),
        desiredPoweredOn: z.boolean().nullable(),
        reportedPoweredOn: z.boolean().nullable(),
      }),
    ),
  }),
})

export const getProperties = route({
  ...calls.getProperties,
  looksAt: { of: 'home', as: 'list', name: 'All properties' },
  summary: 'The properties that the user may see, by reference.',
  params: tenantOnly,
  query: paged,
  reply: results(
    PropertyRecord.extend({
      /** Copies of propertyId and propertyReference, and the address on one line. */
      id: Id,
      reference: z.string(),
      address: z.string().nullable(),
    }),
  ),
})

const Day = z.iso.date()
/** Licences of a service bought on one day. */
export const LicenceSummary = z
  .object({ type: z.string(), assigned: Count, total: Count, start: Day, period: Count, end: Day })
  .meta({ id: 'LicenceSummary' })
export const getLicenceSummary = route({
  ...calls.getLicenceSummary,
  summary: 'Active licences of the managed service: assigned to a property, available, and expiring within 12 months.',
  params: tenantOnly,
  reply: z.object({
    assigned: Count,
    available: Count,
    expiringInUnder12Months: Count,
    total: Count,
    licences: z.array(LicenceSummary),
  }),
})
