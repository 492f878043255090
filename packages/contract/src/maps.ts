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

/** Degrees. West is greater than east when the frame crosses the date line. */
export const Frame = z.object({ west: Longitude, south: Latitude, east: Longitude, north: Latitude })

const Group = z.enum(displayGroupNames)
const State = z.enum(connectionStatuses)

/** Counts by status group and by connection. Devices count individually, buildings by their worst device. */
const Counts = z.object({ device: z.record(Group, Count), connection: z.record(State, Count) })

/** Several points that are too close together to be shown separately. */
export const MapCluster = z
  .object({
    id: z.string(),
    /** The centre of its members. */
    lat: z.number(),
    lng: z.number(),
    count: Count,
    counts: Counts,
    /** The bounds of its members, to zoom to. */
    extent: z.object({ west: z.number(), south: z.number(), east: z.number(), north: z.number() }),
  })
  .meta({ id: 'MapCluster' })
export type MapCluster = z.infer<typeof MapCluster>

/** A building on a map, with the state of its devices that the caller may see. */
export const MapBuilding = z
  .object({
    building: z.string(),
    name: z.string(),
    /** Null when personal data is hidden. */
    address: z.string().nullable(),
    lat: z.number(),
    lng: z.number(),
    devices: Count,
    counts: Counts,
    /** The status of its worst device; null without devices. */
    deviceStatus: Group.nullable(),
    connectionStatus: State.nullable(),
  })
  .meta({ id: 'MapBuilding' })
export type MapBuilding = z.infer<typeof MapBuilding>

const mapQuery = {
  tenant: TenantId,
  frame: Frame.refine(({ south, north }) => south <= north, { message: 'south must not be above north' }),
  zoom: z.number().min(0).max(mapZooms.most),
  /** The order of the list, worst first. */
  by: z.enum(mapStatusFilters).default('device'),
  /** A search text. The list then contains all matches on the map, inside the frame or not. */
  find: text(100).pipe(z.string().trim().min(1)).optional(),
  most: z.number().int().min(1).max(listed.most).default(listed.first),
}

const mapReply = <T extends z.ZodType>(one: T) =>
  envelope(
    z.object({
      clusters: z.array(MapCluster),
      /** Points that are not part of a cluster. */
      points: z.array(one),
      /** The worst in the frame, or the search matches; at most `most`. */
      list: z.array(one),
      /** The number in the frame, and their states. */
      inFrame: Count,
      counts: Counts,
    }),
  )

/** The number of points on a map and their bounds; null without points. */
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
    'The devices in a frame of the map that the caller may see: clusters at the given zoom, single points, and a list with the worst status first. Optionally only those of a building or floor.',
  body: z.object({ ...mapQuery, ...part }),
  reply: mapReply(MapPoint),
})

/** Ids of the buildings to show; all by default. */
const only = z.array(Id).max(mostBuildingsNamed).optional()

export const getMapBuildings = route({
  ...calls.getMapBuildings,
  internal: true,
  summary:
    'The buildings in a frame of the map: clusters at the given zoom, single points, and a list with the worst status first. Optionally only the given buildings.',
  body: z.object({ ...mapQuery, only }),
  reply: mapReply(MapBuilding),
})

export const getMapDevicesExtent = route({
  ...calls.getMapDevicesExtent,
  summary:
    'The number and bounds of the devices with coordinates that the caller may see: all devices, or those of a building or floor.',
  body: z.object({ tenant: TenantId, ...part }),
  reply: envelope(MapExtent),
})

export const getMapBuildingsExtent = route({
  ...calls.getMapBuildingsExtent,
  summary: 'The number and bounds of the buildings with coordinates: all buildings, or the given ones.',
  body: z.object({ tenant: TenantId, only }),
  reply: envelope(MapExtent),
})

/** A floor with the state of its devices that the caller may see; `index` is its position among all floors of the building. */
const MapFloor = Floor.extend({ ...FloorCounts.omit({ floor: true }).shape, index: Count })

/** An opened building on a map, with the floors whose plan the caller may see. */
export const OpenedMapBuilding = Building.extend({ floors: z.array(MapFloor) }).meta({ id: 'OpenedMapBuilding' })
export type OpenedMapBuilding = z.infer<typeof OpenedMapBuilding>

export const getMapBuilding = route({
  ...calls.getMapBuilding,
  internal: true,
  summary:
    'One building, found by its id or name, with its floors as a map shows them. A user with restricted access sees only the floors with a device that they may see, and no building without one.',
  body: z.object({ tenant: TenantId, building: text(200) }),
  reply: envelope(OpenedMapBuilding),
})

/** Made-up streets and houses around the buildings of a demo, or its towns and roads; empty outside a demo. */
export const getMapSketch = route({
  ...calls.getMapSketch,
  internal: true,
  summary:
    'For a demo only: made-up streets and houses around the buildings in a frame, as GeoJSON, or, without a frame, the towns of the buildings. Otherwise empty.',
  body: z.object({ tenant: TenantId, frame: mapQuery.frame.optional() }),
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
