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
/** Degrees clockwise, given out as 0 up to 360. */
const Rotation = z.number().min(-mostRotation).max(mostRotation).transform(wholeTurn)

export const Floor = z
  .object({
    /** Its id. */
    floor: z.string(),
    /** Its level: floors stand from the lowest up. */
    number: z.number().int(),
    name: z.string(),
    /** The centre of its plan. */
    lat: z.number().nullable(),
    lng: z.number().nullable(),
    /** Metres. */
    width: z.number(),
    height: z.number(),
    /** The file name of its plan, '{name}.svg'; empty where it has none. */
    image: z.string(),
    /** Degrees clockwise about the centre. */
    rotation: z.number(),
    hasFloorPlan: z.boolean(),
    /** Another one with each plan that is uploaded; null where there is none. */
    planId: z.string().nullable(),
    /** Sent back with UpdateFloorPosition, it says which position one has seen. */
    version: z.number().int(),
  })
  .meta({ id: 'Floor' })
export type Floor = z.infer<typeof Floor>

export const Building = z
  .object({
    /** Its id. */
    building: z.string(),
    name: z.string(),
    lat: z.number().nullable(),
    lng: z.number().nullable(),
    /** From the lowest up. */
    floors: z.array(Floor),
    /** The id of the floor that is shown first: the one that was chosen, else the ground floor, else the lowest above it. */
    defaultFloor: z.string().nullable(),
    /** Where it stands, on one line; null where that is personal data that is hidden, and empty where nobody knows. */
    address: z.string().nullable(),
    /** Sent back with a change, it says which building one has seen. */
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
    /** For each count the one listing that has all of its devices; null where they stand in several, or in none. */
    listings: z.object({ all: InListing, failed: InListing, warning: InListing, offline: InListing }),
    deviceCount: Count,
    failedDeviceCount: Count,
    warningDeviceCount: Count,
    offlineDeviceCount: Count,
    /** Those in stock, on their way or gone: of these nothing is known to be well. */
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
  summary: 'How many devices each building has, and how many of them failed, warn or are offline.',
  body: inTenant,
  reply: envelope(z.array(BuildingSummary)),
})

/** Devices of a floor that the caller may see. */
export const FloorCounts = z.object({
  floor: z.string(),
  devices: Count,
  failed: Count,
  warning: Count,
  offline: Count,
  /** Devices without a place on the map, and how many of them have failed; the others have one. */
  notPlaced: Count,
  notPlacedFailed: Count,
  /** The one listing that has all of them; null where they stand in several, or in none. */
  listing: InListing,
})

export const getBuilding = route({
  ...calls.getBuilding,
  summary: 'One building with its floors, and how the devices of each floor fare. It is found by its id or its name.',
  body: z.object({ tenant: TenantId, building: text(200) }),
  reply: envelope(Building.extend({ counts: z.array(FloorCounts) })),
})

/** One that is empty is refused in the words of the specification. */
const BuildingName = nameLine(longestBuildingName).default('')
const FloorName = nameLine(longestFloorName)
const Placed = { lat: Latitude.nullable(), lng: Longitude.nullable() }

/** The name, or the id, of one of the floors that are sent; null leaves the choice to the rule. */
const DefaultFloor = text(longestFloorName + 40)
  .nullable()
  .default(null)

export const addBuilding = route({
  ...calls.addBuilding,
  summary:
    'Registers a building at a position with its floors from the lowest up. The answer has its id as `buildingId`; a name that comes to that of another building is refused with 409.',
  body: z.object({
    tenant: TenantId,
    building: z.object({
      name: BuildingName,
      /** The name as it is compared. The server makes its own. */
      building: text(200).optional(),
      lat: Latitude,
      lng: Longitude,
      /** Where it stands, on one line that ends with its post code. */
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
  summary:
    'Stores a building with its floors and default floor. Floors are kept by their id: one that is left out is removed, one without an id is added above the others. Where a plan lies stays as it is unless it is sent.',
  body: z.object({
    tenant: TenantId,
    building: z.object({
      /** Its id. */
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
      /** The version that was seen: somebody else's change meanwhile is refused with 409. */
      version: Version.optional(),
    }),
  }),
  reply: envelope(Building),
})

export const updateFloorPosition = route({
  ...calls.updateFloorPosition,
  summary:
    'Stores where the plan of a floor lies, how large it is and how it is turned. No device is moved by it, unless `takesDevices` says so: those that lie on the plan then keep their spot on its drawing, as far as one may place them.',
  body: z.object({
    tenant: TenantId,
    /** Their ids. */
    building: Id,
    floor: Id,
    width: Size,
    height: Size,
    rotation: Rotation,
    lat: Latitude,
    long: Longitude,
    takesDevices: z.boolean().default(false),
    /** The version that was seen: somebody else's change meanwhile is refused with 409. */
    version: Version.optional(),
  }),
  reply: envelope(Floor),
})

/** Parts of a drawing that are not kept. */
const LeftOut = z.object({
  kind: z.enum(leftOutKinds),
  count: Count,
  /** Names of up to three of them, where they have names. */
  examples: z.array(z.string()),
})

const planForm = {
  ...{ tenant: TenantId, building: Id, floor: Id, file: z.instanceof(File) },
  /** Page of a PDF, from 1 on. */
  page: z.coerce.number().int().min(1).max(mostPlanPages).default(1),
}

export const uploadFloorPlan = route({
  ...calls.uploadFloorPlan,
  summary:
    'Stores an SVG (also packed as .svgz), a page of a PDF, a PNG, JPEG or WebP of at most 20 MB as the plan of a floor, always as an SVG. Scripts, HTML and everything that lies outside of the file are removed and listed in `leftOut`; a drawing of which nothing remains is refused. A floor without a size of its own takes the shape of its first plan; a plan of another shape is refused with 409 until `shape` is sent.',
  form: z.object({
    ...planForm,
    /** Required where the plan has another shape than the floor: `fit` gives the floor its shape, `keep` stretches the plan. */
    shape: z.enum(planShapes).optional(),
  }),
  reply: envelope(Floor.extend({ leftOut: z.array(LeftOut) })),
  limit: largestFloorPlan + 100_000,
})

export const FloorPlanPreview = z.object({
  /** An SVG, a page of a PDF, or a picture. */
  source: z.enum(['drawing', 'pdf', 'picture']),
  /** Of a PDF; 1 of all others. */
  pages: z.number().int().min(1),
  /** The plan as it would be stored, in SVG; null for a picture, which stays as it is, and for a page that cannot be used. */
  drawing: z.string().nullable(),
  leftOut: z.array(LeftOut),
  /** Why this page cannot be used, while others may. */
  fault: z.string().nullable(),
  /** The question to which `shape` of UploadFloorPlan is the answer; null where it is not asked. */
  shape: z.string().nullable(),
})
export type FloorPlanPreview = z.infer<typeof FloorPlanPreview>

export const previewFloorPlan = route({
  ...calls.previewFloorPlan,
  summary: 'Converts a file as UploadFloorPlan does, and stores nothing.',
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
    'Where a post code is: null where there is none such. `isApproximate` says that it is the middle of the outward code, as HX1, a few miles across; `credit` is to be shown with it. 503 while the service that is asked does not answer.',
  body: z.object({ tenant: TenantId, postCode: text(20) }),
  reply: envelope(
    z.object({ lat: Latitude, lng: Longitude, isApproximate: z.boolean(), credit: z.string().nullable() }),
  ),
})
