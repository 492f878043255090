import { z } from 'zod'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import { displayGroupNames } from '@caretaker/rules/devices/status.ts'
import { listed, mostBuildingsNamed } from '@caretaker/rules/maps/listed.ts'
import { sketchKinds } from '@caretaker/rules/maps/sketch.ts'
import { mapStatusFilters } from '@caretaker/rules/maps/status.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { Building, Floor, FloorCounts } from './buildings.ts'
import { MapPoint } from './devices.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import { Id, TenantId, text } from './scalars.ts'
import * as calls from './calls/maps.ts'

const Count = z.number().int().min(0)
const Latitude = z.number().min(-90).max(90)
const Longitude = z.number().min(-180).max(180)

/** Degrees. West is greater than east where the date line is between them. */
export const Frame = z.object({ west: Longitude, south: Latitude, east: Longitude, north: Latitude })

const Group = z.enum(displayGroupNames)
const State = z.enum(connectionStatuses)

/** How many there are of each: of devices each counts by itself, of buildings each by its worst device. */
const Counts = z.object({ device: z.record(Group, Count), connection: z.record(State, Count) })

/** Several that lie too close together to be told apart. */
export const MapCluster = z
  .object({
    id: z.string(),
    /** The middle of its members. */
    lat: z.number(),
    lng: z.number(),
    count: Count,
    counts: Counts,
    /** Where its members are: to zoom in on. */
    extent: z.object({ west: z.number(), south: z.number(), east: z.number(), north: z.number() }),
  })
  .meta({ id: 'MapCluster' })
export type MapCluster = z.infer<typeof MapCluster>

/** A building on a map, with how the devices in it fare that one may see. */
export const MapBuilding = z
  .object({
    building: z.string(),
    name: z.string(),
    /** Null where personal data is hidden. */
    address: z.string().nullable(),
    lat: z.number(),
    lng: z.number(),
    devices: Count,
    counts: Counts,
    /** The worst of its devices; null where it has none. */
    deviceStatus: Group.nullable(),
    connectionStatus: State.nullable(),
  })
  .meta({ id: 'MapBuilding' })
export type MapBuilding = z.infer<typeof MapBuilding>

const asked = {
  tenant: TenantId,
  frame: Frame.refine(({ south, north }) => south <= north, { message: 'south must not be above north' }),
  zoom: z.number().min(0).max(mapZooms.most),
  /** By what the list is in order, the worst first. */
  by: z.enum(mapStatusFilters).default('device'),
  /** What the list names then is everything on the map that bears this, in the frame or not. */
  find: text(100).pipe(z.string().trim().min(1)).optional(),
  /** Rows of the list. */
  most: z.number().int().min(1).max(listed.most).default(listed.first),
}

const answered = <T extends z.ZodType>(one: T) =>
  envelope(
    z.object({
      clusters: z.array(MapCluster),
      /** Those that stand alone. */
      points: z.array(one),
      /** The worst in the frame, or of what was looked for; as many as were asked for. */
      list: z.array(one),
      /** All in the frame, and how they fare. */
      inFrame: Count,
      counts: Counts,
    }),
  )

/** All that there is on a map, and where it is; null where there is nothing. */
const MapExtent = z
  .object({
    total: Count,
    extent: z.object({ west: z.number(), south: z.number(), east: z.number(), north: z.number() }).nullable(),
  })
  .meta({ id: 'MapExtent' })

const part = { building: Id.optional(), floor: Id.optional() }

export const getMapDevices = route({
  ...calls.getMapDevices,
  internal: true,
  summary:
    'The devices with coordinates in a frame that one may see: those close together at a zoom as clusters, and the worst as a list. Of all, or of a building or a floor.',
  body: z.object({ ...asked, ...part }),
  reply: answered(MapPoint),
})

/** Ids of the buildings that the map shows; all unless given. */
const only = z.array(Id).max(mostBuildingsNamed).optional()

export const getMapBuildings = route({
  ...calls.getMapBuildings,
  internal: true,
  summary:
    'The buildings with coordinates in a frame, of all or of those that are named: those close together at a zoom as clusters, and the worst as a list.',
  body: z.object({ ...asked, only }),
  reply: answered(MapBuilding),
})

export const getMapDevicesExtent = route({
  ...calls.getMapDevicesExtent,
  summary: 'How many devices with coordinates one may see, of all, of a building or of a floor, and where they are.',
  body: z.object({ tenant: TenantId, ...part }),
  reply: envelope(MapExtent),
})

export const getMapBuildingsExtent = route({
  ...calls.getMapBuildingsExtent,
  summary: 'How many buildings with coordinates there are, of all or of those that are named, and where they are.',
  body: z.object({ tenant: TenantId, only }),
  reply: envelope(MapExtent),
})

/** A floor with how the devices on it fare that one may see; `index` is its place among all floors of its building. */
const MapFloor = Floor.extend({ ...FloorCounts.omit({ floor: true }).shape, index: Count })

/** A building that is opened on a map, with the floors of which one may see the plan. */
export const MapOpened = Building.extend({ floors: z.array(MapFloor) }).meta({ id: 'MapOpened' })
export type MapOpened = z.infer<typeof MapOpened>

export const getMapBuilding = route({
  ...calls.getMapBuilding,
  internal: true,
  summary:
    'One building with its floors as a map shows them, found by its id or its name. Limited people are told of the floors on which they see a device alone, and of a building without any nothing.',
  body: z.object({ tenant: TenantId, building: text(200) }),
  reply: envelope(MapOpened),
})

/** Streets and houses about the buildings of a demo, or its towns and roads, which are made up; nothing outside a demo. */
export const getMapSketch = route({
  ...calls.getMapSketch,
  internal: true,
  summary:
    'In a demo, made-up streets and houses about the buildings in a frame, as GeoJSON, or without a frame the towns in which buildings are; otherwise nothing.',
  body: z.object({ tenant: TenantId, frame: asked.frame.optional() }),
  reply: envelope(
    z.object({
      type: z.literal('FeatureCollection'),
      features: z.array(
        z.object({
          type: z.literal('Feature'),
          properties: z.object({ kind: z.enum(sketchKinds), name: z.string().optional() }),
          geometry: z.union([
            z.object({ type: z.literal('Point'), coordinates: z.array(z.number()) }),
            z.object({ type: z.literal('LineString'), coordinates: z.array(z.array(z.number())) }),
            z.object({ type: z.literal('Polygon'), coordinates: z.array(z.array(z.array(z.number()))) }),
          ]),
        }),
      ),
    }),
  ),
})
