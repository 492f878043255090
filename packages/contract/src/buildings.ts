import { z } from 'zod'
import {
  largestFloorPlan,
  longestBuildingName,
  longestFloorName,
  mostFloors,
  mostPlanPages,
  mostRotation,
  newFloorShape,
  planSize,
  wholeTurn,
} from '@caretaker/rules/buildings/building.ts'
import { leftOutKinds } from '@caretaker/rules/drawings/left-out.ts'
import { listingNames } from '@caretaker/rules/devices/list.ts'
import { Id, inTenant, line, nameLine, TenantId, text, Version } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import { planShapes } from '@caretaker/rules/buildings/geometry.ts'
import * as calls from './calls/buildings.ts'

/** Degrees of WGS 84. */
const Latitude = z.number().min(-90).max(90)
const Longitude = z.number().min(-180).max(180)
/** Metres. */
const Size = z.number().min(planSize.least).max(planSize.most)
/** Degrees clockwise, returned from 0 up to 360. */
const Rotation = z.number().min(-mostRotation).max(mostRotation).transform(wholeTurn)

export const Floor = z
  .object({
    /** The id of the floor. */
    floor: z.string(),
    /** The level; floors are sorted from the lowest up. */
    number: z.number().int(),
    name: z.string(),
    /** The centre of the plan. */
    lat: z.number().nullable(),
    lng: z.number().nullable(),
    /** Metres. */
    width: z.number(),
    height: z.number(),
    /** The file name of the plan, '{name}.svg'; empty without a plan. */
    image: z.string(),
    /** Degrees clockwise about the centre. */
    rotation: z.number(),
    hasFloorPlan: z.boolean(),
    /** Changes with each uploaded plan; null without a plan. */
    planId: z.string().nullable(),
    /** Send it with UpdateFloorPosition, so that a change by someone else is detected. */
    version: z.number().int(),
  })
  .meta({ id: 'Floor' })
export type Floor = z.infer<typeof Floor>

export const Building = z
  .object({
    /** The id of the building. */
    building: z.string(),
    name: z.string(),
    lat: z.number().nullable(),
    lng: z.number().nullable(),
    /** Lowest floor first. */
    floors: z.array(Floor),
    /** The id of the floor shown first: the chosen one, otherwise the ground floor, otherwise the lowest floor above it. */
    defaultFloor: z.string().nullable(),
    /** The address on one line; null when hidden as personal data, empty when unknown. */
    address: z.string().nullable(),
    /** Send it with a change, so that a change by someone else is detected. */
    version: z.number().int(),
  })
  .meta({ id: 'Building' })
export type Building = z.infer<typeof Building>

const Count = z.number().int().min(0)
const InListing = z.enum(listingNames).nullable()
export const BuildingSummary = z
  .object({
    building: z.object({ building: z.string(), name: z.string() }),
    address: z.string().nullable(),
    /** For each count, the listing that contains all of its devices; null when they are in several listings or in none. */
    listings: z.object({ all: InListing, failed: InListing, warning: InListing, offline: InListing }),
    deviceCount: Count,
    failedDeviceCount: Count,
    warningDeviceCount: Count,
    offlineDeviceCount: Count,
    /** Devices in stock, in transit or disposed of. Their condition is unknown. */
    notInstalledDeviceCount: Count,
  })
  .meta({ id: 'BuildingSummary' })
export type BuildingSummary = z.infer<typeof BuildingSummary>

export const getTenantBuildings = route({
  ...calls.getTenantBuildings,
  summary: 'The buildings of the client with their floors, by name.',
  body: inTenant,
  reply: envelope(z.array(Building)),
})

export const getTenantBuildingSummary = route({
  ...calls.getTenantBuildingSummary,
  summary: 'The number of devices in each building, and how many are failed, in warning or offline.',
  body: inTenant,
  reply: envelope(z.array(BuildingSummary)),
})

/** Counts of the devices on a floor that the caller may see. */
export const FloorCounts = z.object({
  floor: z.string(),
  devices: Count,
  failed: Count,
  warning: Count,
  offline: Count,
  /** Devices without a position on the map, and how many of these have failed. */
  notPlaced: Count,
  notPlacedFailed: Count,
  /** The listing that contains all of them; null when they are in several listings or in none. */
  listing: InListing,
})

export const getBuilding = route({
  ...calls.getBuilding,
  hasVersion: true,
  summary: 'One building, found by its id or name, with its floors and the device counts of each floor.',
  body: z.object({ tenant: TenantId, building: text(200) }),
  reply: envelope(Building.extend({ counts: z.array(FloorCounts) })),
})

/** An empty name is rejected with the message of the specification. */
const BuildingName = nameLine(longestBuildingName).default('')
const FloorName = nameLine(longestFloorName)
const Placed = { lat: Latitude.nullable(), lng: Longitude.nullable() }

/** The name or id of one of the floors in the body; null for the default choice. */
const DefaultFloor = text(longestFloorName + 40)
  .nullable()
  .default(null)

export const addBuilding = route({
  ...calls.addBuilding,
  summary:
    'Adds a building at a position, with its floors from the lowest up. The response contains its id as `buildingId`. A name that matches the normalised name of another building is rejected with 409.',
  body: z.object({
    tenant: TenantId,
    building: z.object({
      name: BuildingName,
      /** The normalised name. The server ignores it and computes its own. */
      building: text(200).optional(),
      lat: Latitude,
      lng: Longitude,
      /** The address on one line, ending with the postcode. */
      address: line(200).default(''),
      floors: z
        .array(
          z.object({
            name: FloorName,
            ...z.object(Placed).partial().shape,
            width: Size.default(newFloorShape.width),
            height: Size.default(newFloorShape.height),
            rotation: Rotation.default(newFloorShape.rotation),
          }),
        )
        .max(mostFloors),
      defaultFloor: DefaultFloor,
    }),
  }),
  reply: envelope(Building.extend({ buildingId: z.string() })),
})

export const updateBuilding = route({
  ...calls.updateBuilding,
  hasVersion: true,
  summary:
    'Updates a building with its floors and default floor. A floor with an id is kept, a floor that is left out is removed, and a floor without an id is added at the top. The position of a plan changes only if it is sent.',
  body: z.object({
    tenant: TenantId,
    building: z.object({
      /** The id of the building. */
      building: Id,
      name: nameLine(longestBuildingName).optional(),
      lat: Latitude.optional(),
      lng: Longitude.optional(),
      floors: z
        .array(
          z.object({
            floor: Id.optional(),
            name: FloorName,
            ...z.object({ ...Placed, width: Size, height: Size, rotation: Rotation }).partial().shape,
          }),
        )
        .max(mostFloors),
      defaultFloor: DefaultFloor,
      /**
       * The version that the change is based on: if someone else has changed the building since, the call is rejected
       * with 409.
       */
      version: Version.optional(),
    }),
  }),
  reply: envelope(Building),
})

export const updateFloorPosition = route({
  ...calls.updateFloorPosition,
  hasVersion: true,
  summary:
    'Sets the position, size and rotation of a floor plan. With `takesDevices`, the devices on the plan that the caller may place move with it; otherwise no device moves.',
  body: z.object({
    tenant: TenantId,
    /** Ids of the building and the floor. */
    building: Id,
    floor: Id,
    width: Size,
    height: Size,
    rotation: Rotation,
    lat: Latitude,
    long: Longitude,
    takesDevices: z.boolean().default(false),
    /**
     * The version that the change is based on: if someone else has changed the floor since, the call is rejected with
     * 409.
     */
    version: Version.optional(),
  }),
  reply: envelope(Floor),
})

/** Parts of a drawing that were removed. */
const LeftOut = z.object({
  kind: z.enum(leftOutKinds),
  count: Count,
  /** Up to three of their names, when they have names. */
  examples: z.array(z.string()),
})

const planForm = {
  ...{ tenant: TenantId, building: Id, floor: Id, file: z.instanceof(File) },
  /** Page of a PDF, starting at 1. */
  page: z.coerce.number().int().min(1).max(mostPlanPages).default(1),
}

export const uploadFloorPlan = route({
  ...calls.uploadFloorPlan,
  summary:
    'Stores a file of up to 20 MB as the plan of a floor, converted to SVG: an SVG (also compressed as .svgz), a page of a PDF, a PNG, JPEG or WebP. Scripts, HTML and references to other files are removed and listed in `leftOut`; a drawing with no content left is rejected. A floor without a size takes the shape of its first plan; a plan of another shape is rejected with 409 until `shape` is sent.',
  form: z.object({
    ...planForm,
    /** Required when the shape of the plan differs from the floor: `fit` changes the floor, `keep` stretches the plan. */
    shape: z.enum(planShapes).optional(),
  }),
  reply: envelope(Floor.extend({ leftOut: z.array(LeftOut) })),
  limit: largestFloorPlan + 100_000,
})

export const FloorPlanPreview = z.object({
  /** An SVG, a page of a PDF, or a picture. */
  source: z.enum(['drawing', 'pdf', 'picture']),
  /** The page count of a PDF; otherwise 1. */
  pages: z.number().int().min(1),
  /** The converted plan as SVG; null for a picture, which is stored unchanged, and for a page that cannot be used. */
  drawing: z.string().nullable(),
  leftOut: z.array(LeftOut),
  /** Why this page cannot be used; other pages may be usable. */
  fault: z.string().nullable(),
  /** The question that `shape` of UploadFloorPlan answers; null when it is not needed. */
  shape: z.string().nullable(),
})
export type FloorPlanPreview = z.infer<typeof FloorPlanPreview>

export const previewFloorPlan = route({
  ...calls.previewFloorPlan,
  summary: 'Converts a file as UploadFloorPlan does, without storing it.',
  form: z.object(planForm),
  reply: envelope(FloorPlanPreview),
  limit: largestFloorPlan + 100_000,
})

export const getFloorPlan = route({
  ...calls.getFloorPlan,
  summary: 'The plan of a floor.',
  query: z.object({ tenant: TenantId, building: Id, floor: Id }),
})

export const getLatLong = route({
  ...calls.getLatLong,
  summary:
    'The position of a postcode; null if there is no such postcode. `isApproximate` means that it is the centre of the outward code, such as HX1, a few miles across. Show `credit` with the position. 503 if the lookup service does not respond.',
  body: z.object({ tenant: TenantId, postCode: text(20) }),
  reply: envelope(
    z.object({ lat: Latitude, lng: Longitude, isApproximate: z.boolean(), credit: z.string().nullable() }),
  ),
})
