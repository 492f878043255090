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
    /** The same six counts of what a listing and its preset views show. */
    listings: z.record(z.enum(listingNames), DeviceSummary),
    /** The rows of the Bcms listing by the heating that they monitor. */
    monitoring: z.record(z.enum(monitorings), DeviceSummary),
    homeHubs: z.object({ online: Count, offline: Count }),
    /** Emergency lights whose connection is lost, or comes and goes. */
    lights: z.object({ notConnected: Count, intermittent: Count }),
    /** Homes that need attention, each once, as the worklist counts them. */
    homesNeedingAttention: Count,
  })
  .meta({ id: 'DashboardData' })
export type DashboardData = z.infer<typeof DashboardData>

export const getTenantDashboardData = route({
  ...calls.getTenantDashboardData,
  summary:
    'The six counts of each device family, of each listing and of each kind of monitoring that the person may see.',
  body: inTenant,
  reply: envelope(DashboardData),
})

/** A device that needs attention: which it is, where it is, and since when. */
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
  /** Why it has its status, in a word or two. */
  reason: z.string().nullable(),
  since: Timestamp,
})
export type WorkDevice = z.infer<typeof WorkDevice>

/** A home that needs attention. What the case is not about is null. */
export const WorkHome = z.object({
  kind: z.literal('home'),
  propertyId: Id,
  propertyReference: z.string(),
  /** Null under HideCustomerPersonalData. */
  address: z.string().nullable(),
  /** The state of the checks that the case is about. */
  check: z.enum(complianceStates).nullable(),
  /** The day of the failed check, or by which the check is or was due; null where none was ever made. */
  day: z.iso.date().nullable(),
  heating: z.enum(heatingStates).nullable(),
  damp: z.enum(dampLevels).nullable(),
  /** The deadline of Awaab's Law that is next: its step, when it is due, and from when it is late. */
  deadline: z.object({ step: z.string(), isEmergency: z.boolean(), dueAt: Timestamp, lateAt: Timestamp }).nullable(),
  /** Since when the heating is off, or the risk of damp is high. */
  since: Timestamp.nullable(),
  /** How many people live there; null where that is not known. */
  people: Count.nullable(),
})
export type WorkHome = z.infer<typeof WorkHome>

export const WorkCase = z.object({
  case: z.enum(workCases),
  /** As many as the list has rows with these filters. */
  count: Count,
  /** How many of them are past a deadline of Awaab's Law; null for all other cases. */
  late: Count.nullable(),
  listing: z.enum([...listingNames, ...propertyListNames]),
  /** The view whose filters they are, where there is one. */
  viewId: z.string().nullable(),
  filters: z.array(Filter),
  sorts: z.array(Sort),
  /** The columns to see them by, where those of the view do not show since when. */
  columns: z.array(z.string()).nullable(),
  /** The two worst, or those that have waited longest. */
  worst: z.array(z.discriminatedUnion('kind', [WorkDevice, WorkHome])).max(2),
})
export type WorkCase = z.infer<typeof WorkCase>

export const Worklist = z
  .object({
    cases: z.array(WorkCase),
    /** How many of each kind need attention; each counts once, however many cases it is in. */
    needing: z.object({ homes: Count, lights: Count, gateways: Count, boilers: Count }),
  })
  .meta({ id: 'Worklist' })
export type Worklist = z.infer<typeof Worklist>

export const getWorklist = route({
  ...calls.getWorklist,
  summary:
    'What needs attention, of everything that the person may see: each case with its count, the two worst, and the filters that give its rows.',
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

/** What can stand after '/api/dashboard/'. */
export const dashboardPaths = ['adey'] as const
export const getDashboardSummary = route({
  ...calls.getDashboardSummary,
  summary: 'The summary that the path names: adey for the third-party devices. The same figures as summary/adey.',
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
    /** None is a surveyor cube. */
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
  summary: 'What monitors the heating of homes, narrowed by the JSON filter that the page of boilers takes.',
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

/** A device as the short lists give it. */
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
  summary: 'The home hubs and gateways, each where the person may see its kind.',
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

/** A thermostat, with what its listing shows of it (estate specification, section 2.4). */
export const VStat = ListedDevice.omit({ product: true })
  .extend({
    productId: z.enum(productCodes),
    /** The product in words. */
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
  summary: 'The thermostats.',
  params: tenantOnly,
  query: paged,
  reply: results(VStat),
})

export const getPowerSwitch = route({
  ...calls.getPowerSwitch,
  summary: 'One power switch: for each relay what is wanted and what it said last, null where either is not known.',
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
  summary: 'The homes that the person may see, by their reference.',
  params: tenantOnly,
  query: paged,
  reply: results(
    PropertyRecord.extend({
      /** The same as propertyId and propertyReference, and the lines of the address in one. */
      id: Id,
      reference: z.string(),
      address: z.string().nullable(),
    }),
  ),
})

const Day = z.iso.date()
/** A service that was bought on one day for so many homes. */
export const LicenceSummary = z
  .object({ type: z.string(), assigned: Count, total: Count, start: Day, period: Count, end: Day })
  .meta({ id: 'LicenceSummary' })
export const getLicenceSummary = route({
  ...calls.getLicenceSummary,
  summary: 'Licences of the managed service that have not ended: given to a home, free, ending within 12 months.',
  params: tenantOnly,
  reply: z.object({
    assigned: Count,
    available: Count,
    expiringInUnder12Months: Count,
    total: Count,
    licences: z.array(LicenceSummary),
  }),
})
