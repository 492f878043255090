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
import { DeviceId, Id, TenantId, Timestamp, Version, nameLine, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import { PropertySelection } from './property-selection.ts'
import { route } from './route.ts'
import { Tag } from './tags.ts'
import * as calls from './calls/devices.ts'

/** The fault that a boiler or autofill reports. */
export const DeviceFault = z.object({
  code: z.string(),
  /** The description that the device sends. */
  description: z.string().nullable(),
  source: z.enum(faultSources),
  isResettable: z.boolean(),
})

/** The state of a boiler's checks of one type. */
export const Compliance = z.object({
  /** The start of the day on which the next check is due; null until a check has passed. */
  dueAt: Timestamp.nullable(),
  state: z.enum(complianceStates),
})

/** How many messages of a device were rejected for one reason. */
export const RejectedMessages = z
  .object({
    reason: z.enum(badMessageReasons),
    count: z.number().int(),
    since: Timestamp,
    last: Timestamp,
    /** The invalid field of the newest rejected message, as a path into its payload; null when the whole message was invalid. */
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
    /** Whether its messages come through a connection of the client. */
    deviceIsOfConnection: z.boolean(),
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
    /** The serial number of the gateway that it is connected through; null when there is none. */
    deviceGateway: z.string().nullable(),
    /** Its test group; null when it is in none, or when the caller may not see groups. */
    deviceTestGroup: z.string().nullable(),
    /** The equipment of an emergency light; null for other devices, and when it was not entered. */
    deviceEquipment: LightEquipment.nullable(),
    /**
     * Whether it controls a BCM in a property that also has a hub. It can then be uninstalled only with BcmAndGatewayDualInstall.
     */
    deviceIsThermostatWithHomeHub: z.boolean(),
    deviceTags: z.array(Tag),
    deviceAccessRightsTag: z.object({ id: z.string(), displayName: z.string() }).nullable(),
    deviceLastTest: Timestamp.nullable(),
    /** Its last 3-hour test with a result. */
    deviceLastFullTest: Timestamp.nullable(),
    /** The running test of an emergency light; null when none is running. */
    deviceRunningTest: RunningTest.nullable(),
    deviceStatusSince: Timestamp,
    /** The cause of the status in a word or two; null when the status needs no explanation. */
    deviceStatusReason: z.string().nullable(),
    /** The start of its connection status; null when unknown. */
    deviceConnectionSince: Timestamp.nullable(),
    /** Null for devices without such records. */
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
  looksAt: { of: 'home', as: 'list', name: 'Device list' },
  summary: 'One page of a device listing: filtered, searched, and sorted by severity unless another order is given.',
  ...shapes.page,
})

export const getFieldChoices = route({
  ...calls.getFieldChoices,
  summary: 'Up to 100 values of a text field of a device listing, in order, as choices for a filter.',
  ...shapes.choices,
})

export const exportListing = route({
  ...calls.exportListing,
  looksAt: { of: 'home', as: 'file', name: 'Device list' },
  summary: 'All rows of a device listing as a file, with the columns given.',
  ...shapes.file,
})

/** The devices that a bulk action applies to. */
export const DeviceSelection = z.union([
  selection(listingNames, 'deviceIds'),
  /** The devices in these properties. */
  z.strictObject({ properties: PropertySelection }),
])
export type DeviceSelection = z.infer<typeof DeviceSelection>

export const shouldUpdateView = route({
  ...calls.shouldUpdateView,
  summary:
    'Whether devices with these product codes have changed since a date, and which ones. A date may also return devices that changed shortly before it; a position is exact.',
  body: z.object({
    tenant: TenantId,
    deviceTypes: z.array(z.enum(productCodes)).max(50),
    date: Since,
    position: Position.optional(),
  }),
  reply: envelope(z.object({ shouldUpdate: z.boolean(), deviceIds: z.array(z.string()) })),
})

/** A device with all details. */
export const Device = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    deviceType: z.string(),
    productId: z.enum(productCodes),
    serialNumber: z.string(),
    deviceStatus: z.enum(deviceStatuses),
    statusSince: Timestamp,
    /** The cause of the status in a word or two; null when the status needs no explanation. */
    statusReason: z.string().nullable(),
    connectionStatus: z.enum(connectionStatuses),
    lastHeard: Timestamp.nullable(),
    inWholesale: z.boolean(),
    /** Whether its messages come through a connection of the client. */
    isOfConnection: z.boolean(),
    lat: z.number().nullable(),
    long: z.number().nullable(),
    buildingId: z.string().nullable(),
    buildingName: z.string().nullable(),
    building: z.string().nullable(),
    floorName: z.string().nullable(),
    floor: z.number().int().nullable(),
    room: z.string().nullable(),
    group: z.string().nullable(),
    /** Ids of the tags; both specifications' names for the field are returned. */
    tags: z.array(z.string()),
    tagIds: z.array(z.string()),
    /** Names of the same tags, in the same order. */
    tagNames: z.array(z.string()),
    accessRightsTag: z.object({ id: z.string(), displayName: z.string() }).nullable(),
    propertyId: z.string().nullable(),
    /** Null under HideCustomerPersonalData. */
    address: z.string().nullable(),
    location: z.string().nullable(),
    locationDetails: z.string().nullable(),
    powerClamps: z.record(z.string(), z.string()).nullable(),
    /** The state that the device last reported: firmware, relays, set points, fault, signal. */
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
    /** Messages rejected in the last day, latest reason first. */
    messagesNotTaken: z.array(RejectedMessages),
    /** When the device was uninstalled; its messages are rejected from then on. Null once it is installed again. */
    uninstalledAt: Timestamp.nullable(),
    remoteResetSupported: z.boolean(),
    /** The state of its checks; null for devices without such records. */
    gasSafety: Compliance.nullable(),
    waterTreatment: Compliance.nullable(),
    isThermostatWithHomeHub: z.boolean(),
    userHasReadOnlyAccess: z.boolean(),
    userCanUpdateAccessRightsTag: z.boolean(),
    tenant: z.string(),
    /** Changes with each edit of its name, place, tags, requested settings or equipment; a change can name it. */
    version: z.number().int(),
  })
  .meta({ id: 'Device' })
export type Device = z.infer<typeof Device>

/** An emergency light, with its equipment and its latest test of each type. */
export const Emered = Device.extend({
  equipment: Equipment,
  latestTests: z.array(LatestTest),
  runningTest: RunningTest.nullable(),
  /** The highest battery voltage in V since the battery was fitted, and the time of the first reading; null without readings. */
  highestVoltage: z.object({ voltage: z.number(), since: Timestamp }).nullable(),
}).meta({ id: 'Emered' })
export type Emered = z.infer<typeof Emered>

/** A device that is connected through another one. */
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

/** A gateway or extender with the connected devices that the caller may see, by floor and name, at most 500. */
export const NetworkingDevice = Device.extend({
  children: z.array(ChildDevice),
  childCount: z.number().int(),
}).meta({ id: 'NetworkingDevice' })
export type NetworkingDevice = z.infer<typeof NetworkingDevice>

const oneDevice = z.object({ tenant: TenantId, deviceId: DeviceId })

export const getEmered = route({
  ...calls.getEmered,
  hasVersion: true,
  looksAt: { of: 'home', as: 'page', name: 'Emergency light' },
  summary: 'One emergency light, with its equipment.',
  body: oneDevice,
  reply: envelope(Emered),
})
export const getNetworkingDevice = route({
  ...calls.getNetworkingDevice,
  hasVersion: true,
  looksAt: { of: 'home', as: 'page', name: 'Networking device' },
  summary: 'One networking device, with the devices that are connected through it.',
  body: oneDevice,
  reply: envelope(NetworkingDevice),
})

export const getThirdPartyDevice = route({
  ...calls.getThirdPartyDevice,
  hasVersion: true,
  looksAt: { of: 'home', as: 'page', name: 'Third-party device' },
  summary: 'One device of another manufacturer, which is connected through a connection or an API.',
  body: oneDevice,
  reply: envelope(Device),
})

const Placed = z.object({ deviceId: z.string(), version: z.number().int() })
const placeText = (max: number) => nameLine(max).nullable().optional()

export const updateDeviceBuildingLocation = route({
  ...calls.updateDeviceBuildingLocation,
  hasVersion: true,
  summary:
    'Moves a device within its building or property, or to another one. Only the fields sent are changed; null clears a field. A device that leaves its building also leaves its floor.',
  body: z.strictObject({
    tenant: TenantId,
    deviceId: DeviceId,
    room: placeText(100),
    buildingId: Id.nullable().optional(),
    /** A floor of the device's current building, or of the building that it moves to. */
    floorId: Id.nullable().optional(),
    propertyId: Id.nullable().optional(),
    location: placeText(100),
    locationDetails: placeText(200),
    version: Version.optional(),
  }),
  reply: envelope(Placed),
})

export const updateDeviceGeoLocation = route({
  ...calls.updateDeviceGeoLocation,
  hasVersion: true,
  summary: 'Sets the map coordinates of a device, in degrees. Null for both removes it from the map.',
  body: z
    .strictObject({
      tenant: TenantId,
      deviceId: DeviceId,
      latitude: z.number().min(-90).max(90).nullable(),
      longitude: z.number().min(-180).max(180).nullable(),
      /** Whether the position is only estimated; otherwise the call confirms it. */
      isRough: z.boolean().optional(),
      /** The position that the caller saw. If the device has been moved since, the call is rejected with 409. */
      seen: z
        .strictObject({ floor: Id.nullable(), latitude: z.number().nullable(), longitude: z.number().nullable() })
        .optional(),
      version: Version.optional(),
    })
    .refine(({ latitude, longitude }) => (latitude === null) === (longitude === null), {
      path: ['longitude'],
      message: 'must be sent together with latitude',
    }),
  reply: envelope(Placed),
})

export const shouldUpdateDevice = route({
  ...calls.shouldUpdateDevice,
  summary: 'Whether a device or its reported state changed since a date.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId, date: Since, position: Position.optional() }),
  /** Send `updatedAt` as the date, or `position`, with the next call. */
  reply: envelope(z.object({ shouldUpdate: z.boolean(), updatedAt: Timestamp, position: Position })),
})

/** A device with map coordinates. */
export const MapPoint = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    serialNumber: z.string(),
    deviceType: z.string(),
    productId: z.enum(productCodes),
    deviceStatus: z.enum(deviceStatuses),
    /** The cause of the status in a word or two; null when the status needs no explanation. */
    deviceStatusReason: z.string().nullable(),
    deviceRunningTest: RunningTest.nullable(),
    connectionStatus: z.enum(connectionStatuses),
    building: z.string().nullable(),
    floor: z.string().nullable(),
    /** Ids of the building and the floor. */
    buildingId: z.string().nullable(),
    floorId: z.string().nullable(),
    lat: z.number(),
    lng: z.number(),
    /** Equal to `lng`: the specifications use both names. */
    long: z.number(),
    /** Whether the position was set automatically and is not confirmed yet. */
    isRoughlyPlaced: z.boolean(),
  })
  .meta({ id: 'MapPoint' })
export type MapPoint = z.infer<typeof MapPoint>

export const getMapPoints = route({
  ...calls.getMapPoints,
  summary:
    'Up to 50 devices with coordinates that the caller may see: those nearest to the given device, starting with the device itself, or else by building and floor.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId.optional() }),
  /** `total` counts all devices with coordinates. */
  reply: envelope(z.object({ points: z.array(MapPoint), total: z.number().int() })),
})

/** A device on a floor, with the caller's rights. */
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
    /** Degrees; null without a position on the map. */
    lat: z.number().nullable(),
    long: z.number().nullable(),
    /** Whether the position was set automatically and is not confirmed yet. */
    isRoughlyPlaced: z.boolean(),
    /** Whether the caller may set its position. */
    mayPlace: z.boolean(),
  })
  .meta({ id: 'FloorDevice' })
export type FloorDevice = z.infer<typeof FloorDevice>

export const getFloorDevices = route({
  ...calls.getFloorDevices,
  summary:
    'Up to 2,000 of the devices on a floor that the caller may see, sorted by name, with or without coordinates.',
  body: z.object({ tenant: TenantId, building: Id, floor: Id }),
  reply: envelope(z.array(FloorDevice)),
})

/** A device that can be placed on a floor. `buildingId` is the building of the floor, or null. */
const OfferedDevice = FloorDevice.extend({ buildingId: z.string().nullable() })
export type OfferedDevice = z.infer<typeof OfferedDevice>

export const getDevicesWithoutFloor = route({
  ...calls.getDevicesWithoutFloor,
  internal: true,
  summary:
    'The devices without a floor that the caller may place, by name: those in the building, and those in no building and no property. Returns at most `most` devices, and whether there are more. `find` filters by text.',
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
