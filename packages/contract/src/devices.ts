import { z } from 'zod'
import { complianceStates } from '@caretaker/rules/compliance/due.ts'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import { badMessageReasons } from '@caretaker/rules/devices/messages.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { faultSources } from '@caretaker/rules/devices/fault.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { fieldIds, listingNames, listings } from '@caretaker/rules/devices/list.ts'
import { monitorings } from '@caretaker/rules/devices/monitoring.ts'
import { listShapes, selection, viewData } from './lists.ts'
import { Position, Since } from './changes.ts'
import { Equipment, LatestTest, LightEquipment, RunningTest } from './equipment.ts'
import { DeviceId, Id, TenantId, Timestamp, nameLine, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import { PropertySelection } from './property-selection.ts'
import { route } from './route.ts'
import { Tag } from './tags.ts'
import * as calls from './calls/devices.ts'

/** The fault that a boiler or autofill reports. */
export const DeviceFault = z.object({
  code: z.string(),
  /** What it means, in the words of the device. */
  description: z.string().nullable(),
  source: z.enum(faultSources),
  isResettable: z.boolean(),
})

/** How it stands with the checks of a boiler of one type. */
export const Compliance = z.object({
  /** The first instant of the day on which the next one is due; null as long as none has passed. */
  dueAt: Timestamp.nullable(),
  state: z.enum(complianceStates),
})

/** How many messages of a device were rejected for a reason. */
export const RejectedMessages = z
  .object({
    reason: z.enum(badMessageReasons),
    count: z.number().int(),
    since: Timestamp,
    last: Timestamp,
    /** The field that was wrong in the newest of them, as a path into its payload; null where it was the message as a whole. */
    field: z.string().nullable(),
  })
  .meta({ id: 'RejectedMessages' })

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
    /** Null under HideCustomerPersonalData. */
    devicePostcode: z.string().nullable(),
    deviceRoom: z.string().nullable(),
    deviceLocation: z.string().nullable(),
    deviceLocationDetails: z.string().nullable(),
    devicePropertyId: z.string().nullable(),
    devicePropertyReference: z.string().nullable(),
    deviceMonitoring: z.enum(monitorings).nullable(),
    deviceFirmware: z.string().nullable(),
    deviceFault: DeviceFault.nullable(),
    deviceRemoteResetSupported: z.boolean(),
    deviceParentId: z.string().nullable(),
    deviceParentProductId: z.enum(productCodes).nullable(),
    /** The serial number of the gateway that it speaks through; null where it speaks through none. */
    deviceGateway: z.string().nullable(),
    /** The group with which it is tested; null where it is in none, or the caller may not see groups. */
    deviceTestGroup: z.string().nullable(),
    /** The equipment of an emergency light; null for other devices, and where it has not been entered. */
    deviceEquipment: LightEquipment.nullable(),
    /** It regulates a BCM in a home that also has a hub: not uninstalled without BcmAndGatewayDualInstall. */
    deviceIsThermostatWithHomeHub: z.boolean(),
    deviceTags: z.array(Tag),
    deviceAccessRightsTag: z.object({ id: z.string(), displayName: z.string() }).nullable(),
    deviceLastTest: Timestamp.nullable(),
    /** Its last 3-hour test that has a result. */
    deviceLastFullTest: Timestamp.nullable(),
    /** The test that an emergency light is running; null where none runs. */
    deviceRunningTest: RunningTest.nullable(),
    deviceStatusSince: Timestamp,
    /** Why it has its status, in a word or two; null where the status says it all. */
    deviceStatusReason: z.string().nullable(),
    /** Since when its connection is as it is; null where that is not known. */
    deviceConnectionSince: Timestamp.nullable(),
    /** Null for what has no such records. */
    deviceGasSafety: Compliance.nullable(),
    deviceWaterTreatment: Compliance.nullable(),
    deviceLastHeard: Timestamp.nullable(),
    userHasReadOnlyAccess: z.boolean(),
    userCanUpdateAccessRightsTag: z.boolean(),
  })
  .meta({ id: 'DeviceRow' })
export type DeviceRow = z.infer<typeof DeviceRow>

export const ViewData = viewData(DeviceRow).meta({ id: 'ViewData' })
export type ViewData = z.infer<typeof ViewData>

const shapes = listShapes({ lists: listings, fields: fieldIds, data: ViewData })

export const fetchViewData = route({
  ...calls.fetchViewData,
  summary: 'One page of a device listing: filtered, searched, and sorted by severity unless another order is named.',
  ...shapes.page,
})

export const getFieldChoices = route({
  ...calls.getFieldChoices,
  summary: 'Values that a text field of a device listing has, at most 100 in their order, for choosing a filter.',
  ...shapes.choices,
})

export const exportListing = route({
  ...calls.exportListing,
  summary: 'All rows of a device listing as a file, in the columns that are named.',
  ...shapes.file,
})

/** Devices that a bulk action is for. */
export const DeviceSelection = z.union([
  selection(listingNames, 'deviceIds'),
  /** The devices in homes. */
  z.strictObject({ properties: PropertySelection }),
])
export type DeviceSelection = z.infer<typeof DeviceSelection>

export const shouldUpdateView = route({
  ...calls.shouldUpdateView,
  summary:
    'Whether devices of these product codes changed since the date, and which. Some may be named that changed shortly before it; a position is exact.',
  body: z.object({
    tenant: TenantId,
    deviceTypes: z.array(z.enum(productCodes)).max(50),
    date: Since,
    position: Position.optional(),
  }),
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
    statusSince: Timestamp,
    /** Why it has its status, in a word or two; null where the status says it all. */
    statusReason: z.string().nullable(),
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
    /** Ids, as both documents name them. */
    tags: z.array(z.string()),
    tagIds: z.array(z.string()),
    /** Names of the same tags in the same order. */
    tagNames: z.array(z.string()),
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
    fault: DeviceFault.nullable(),
    /** Messages that were rejected in the last day, the latest reason first. */
    messagesNotTaken: z.array(RejectedMessages),
    /** Since when its messages are refused because it was uninstalled; null once it is installed again. */
    uninstalledAt: Timestamp.nullable(),
    remoteResetSupported: z.boolean(),
    /** How it stands with its checks; null for what has no such records. */
    gasSafety: Compliance.nullable(),
    waterTreatment: Compliance.nullable(),
    isThermostatWithHomeHub: z.boolean(),
    userHasReadOnlyAccess: z.boolean(),
    userCanUpdateAccessRightsTag: z.boolean(),
    tenant: z.string(),
  })
  .meta({ id: 'Device' })
export type Device = z.infer<typeof Device>

/** An emergency light: besides what every device has, its equipment, and how it did in the newest test of each type. */
export const Emered = Device.extend({
  equipment: Equipment,
  latestTests: z.array(LatestTest),
  runningTest: RunningTest.nullable(),
  /** The highest battery voltage since its battery was put in, V, and since when there are readings; null where there are none. */
  highestVoltage: z.object({ voltage: z.number(), since: Timestamp }).nullable(),
}).meta({ id: 'Emered' })
export type Emered = z.infer<typeof Emered>

/** A device that speaks through another one. */
export const ChildDevice = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    serialNumber: z.string(),
    productId: z.enum(productCodes),
    deviceStatus: z.enum(deviceStatuses),
    connectionStatus: z.enum(connectionStatuses),
    lastHeard: Timestamp.nullable(),
    floor: z.number().int().nullable(),
    floorName: z.string().nullable(),
    room: z.string().nullable(),
  })
  .meta({ id: 'ChildDevice' })
export type ChildDevice = z.infer<typeof ChildDevice>

/** A gateway or extender, with the devices that speak through it as far as one may see them: by floor and name, 500 at most. */
export const NetworkingDevice = Device.extend({
  children: z.array(ChildDevice),
  childCount: z.number().int(),
}).meta({ id: 'NetworkingDevice' })
export type NetworkingDevice = z.infer<typeof NetworkingDevice>

const oneDevice = z.object({ tenant: TenantId, deviceId: DeviceId })

export const getEmered = route({
  ...calls.getEmered,
  summary: 'One emergency light, with its equipment.',
  body: oneDevice,
  reply: envelope(Emered),
})
export const getNetworkingDevice = route({
  ...calls.getNetworkingDevice,
  summary: 'One networking device, with those that speak through it.',
  body: oneDevice,
  reply: envelope(NetworkingDevice),
})

/** Where a device is, as the two calls answer that change it. */
const Placed = z.object({ deviceId: z.string() })
const placeText = (max: number) => nameLine(max).nullable().optional()

export const updateDeviceBuildingLocation = route({
  ...calls.updateDeviceBuildingLocation,
  summary:
    'Moves a device within its building or home, or to another one. Only what is sent changes, and null takes it away; with its building a device leaves its floor.',
  body: z.strictObject({
    tenant: TenantId,
    deviceId: DeviceId,
    room: placeText(100),
    buildingId: Id.nullable().optional(),
    /** A floor of the building that the device is in, or goes to. */
    floorId: Id.nullable().optional(),
    propertyId: Id.nullable().optional(),
    location: placeText(100),
    locationDetails: placeText(200),
  }),
  reply: envelope(Placed),
})

export const updateDeviceGeoLocation = route({
  ...calls.updateDeviceGeoLocation,
  summary: 'Sets where on the map a device is, in degrees; null for both takes it off the map.',
  body: z
    .strictObject({
      tenant: TenantId,
      deviceId: DeviceId,
      latitude: z.number().min(-90).max(90).nullable(),
      longitude: z.number().min(-180).max(180).nullable(),
      /** Its place was only laid out on the plan; otherwise it is confirmed by this. */
      isRough: z.boolean().optional(),
      /** Where one has seen it before: a device that was moved meanwhile is refused with 409. */
      seen: z
        .strictObject({ floor: Id.nullable(), latitude: z.number().nullable(), longitude: z.number().nullable() })
        .optional(),
    })
    .refine(({ latitude, longitude }) => (latitude === null) === (longitude === null), {
      path: ['longitude'],
      message: 'must be there with the latitude, and not without',
    }),
  reply: envelope(Placed),
})

export const shouldUpdateDevice = route({
  ...calls.shouldUpdateDevice,
  summary: 'Whether the device or what it said changed since the date.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId, date: Since, position: Position.optional() }),
  /** `updatedAt` is the date, and `position` the position, to ask with next time. */
  reply: envelope(z.object({ shouldUpdate: z.boolean(), updatedAt: Timestamp, position: Position })),
})

/** A device that has a place on the map. */
export const MapPoint = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    serialNumber: z.string(),
    deviceType: z.string(),
    productId: z.enum(productCodes),
    deviceStatus: z.enum(deviceStatuses),
    /** Why it has its status, in a word or two; null where the status says it all. */
    deviceStatusReason: z.string().nullable(),
    deviceRunningTest: RunningTest.nullable(),
    connectionStatus: z.enum(connectionStatuses),
    building: z.string().nullable(),
    floor: z.string().nullable(),
    /** Their ids. */
    buildingId: z.string().nullable(),
    floorId: z.string().nullable(),
    lat: z.number(),
    lng: z.number(),
    /** The same as `lng`: the documents call it by both names. */
    long: z.number(),
    /** Its place was laid out on the plan automatically and is not confirmed yet. */
    isRoughlyPlaced: z.boolean(),
  })
  .meta({ id: 'MapPoint' })
export type MapPoint = z.infer<typeof MapPoint>

export const getMapPoints = route({
  ...calls.getMapPoints,
  summary:
    'The devices with coordinates that one may see, 50 at most: those nearest to a device that is named, itself first, or else by building and floor.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId.optional() }),
  /** `total` counts all of them. */
  reply: envelope(z.object({ points: z.array(MapPoint), total: z.number().int() })),
})

/** A device of a floor, as one may see it. */
export const FloorDevice = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    serialNumber: z.string(),
    deviceType: z.string(),
    productId: z.enum(productCodes),
    deviceStatus: z.enum(deviceStatuses),
    connectionStatus: z.enum(connectionStatuses),
    room: z.string().nullable(),
    /** Degrees; null as long as it has no place on the map. */
    lat: z.number().nullable(),
    long: z.number().nullable(),
    /** Its place was laid out on the plan automatically and is not confirmed yet. */
    isRoughlyPlaced: z.boolean(),
    /** Whether the caller may say where it is. */
    mayPlace: z.boolean(),
  })
  .meta({ id: 'FloorDevice' })
export type FloorDevice = z.infer<typeof FloorDevice>

export const getFloorDevices = route({
  ...calls.getFloorDevices,
  summary: 'The devices of one floor that one may see, with and without coordinates, by name; 2,000 at most.',
  body: z.object({ tenant: TenantId, building: Id, floor: Id }),
  reply: envelope(z.array(FloorDevice)),
})

/** A device that could be put on a floor; `buildingId` is the floor's own building, or none. */
const OfferedDevice = FloorDevice.extend({ buildingId: z.string().nullable() })
export type OfferedDevice = z.infer<typeof OfferedDevice>

export const getDevicesWithoutFloor = route({
  ...calls.getDevicesWithoutFloor,
  internal: true,
  summary:
    'The devices that one may place and that are on no floor: of a building, or of neither a building nor a home; by name, `most` of them, and whether there are more. `find`: those that bear this alone.',
  body: z.object({
    tenant: TenantId,
    building: Id,
    find: text(100).pipe(z.string().trim().min(1)).optional(),
    most: z.number().int().min(1).max(1000).default(100),
  }),
  reply: envelope(
    z.object({
      devices: z.array(OfferedDevice),
      hasMore: z.boolean(),
    }),
  ),
})
