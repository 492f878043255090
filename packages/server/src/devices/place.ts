import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import { deviceTextsFault } from '@caretaker/rules/devices/texts.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { noPlace } from '../projections/copied-places.ts'
import type { Recorded } from '../projections/events/audit.ts'
import type { NamedDevice, Place } from '../projections/events/devices.ts'
import { record } from '../projections/record.ts'

/** The new place of a device; undefined fields stay unchanged, and null clears them. */
export interface NewPlace {
  buildingId?: string | null | undefined
  floorId?: string | null | undefined
  propertyId?: string | null | undefined
  room?: string | null | undefined
  location?: string | null | undefined
  locationDetails?: string | null | undefined
  /** In degrees. */
  latitude?: number | null | undefined
  longitude?: number | null | undefined
  /** Whether the place was set by automatic layout; a place set by a person is exact. */
  isRough?: boolean | undefined
}

/**
 * Moves a locked device and records it, if anything changes. A change of building clears the floor, unless a new one is
 * given; a device in a property gets the property's place, unless its own is given. Rejects a building, floor or
 * property that the tenant does not have, and a floor of another building.
 */
export async function placeDevice(tx: TenantTx, person: Recorded, device: NamedDevice, place: NewPlace): Promise<void> {
  const before = await placeOf(tx, device.deviceId)
  const columns = {
    building_id: place.buildingId,
    floor_id: place.floorId,
    property_id: place.propertyId,
    room: emptied(place.room),
    location: emptied(place.location),
    location_details: emptied(place.locationDetails),
    latitude: place.latitude,
    longitude: place.longitude,
    is_roughly_placed: isRough(place),
  }
  const given = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
  const next = { ...before, ...given } as typeof before
  if (next.building_id !== before.building_id && place.floorId === undefined) next.floor_id = null
  const { property } = await expectPlace(tx, next)
  if (place.buildingId === undefined && next.property_id !== before.property_id && property?.building_id)
    Object.assign(next, { building_id: property.building_id, floor_id: property.floor_id })
  const difference = differences(before, next)
  if (!difference) return
  const tooLong = deviceTextsFault([device.serial, next.name, next.room, next.location, next.location_details])
  if (tooLong) throw refuse('invalid', tooLong, [{ field: 'locationDetails', message: tooLong }])
  const isRenamed = (['room', 'location', 'location_details'] as const).some((text) => next[text] !== before[text])
  await tx
    .updateTable('device')
    // The copies of the former place may be too long next to the new texts.
    .set({ ...difference.after, ...(isRenamed && noPlace) })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', device.deviceId)
    .execute()
  const shown = differences(await inWords(tx, before), await inWords(tx, next))
  record(tx, [
    {
      ...{ type: 'DeviceMoved', deviceId: device.deviceId, serial: device.serial, by: person },
      ...{ before: shown?.before ?? null, after: shown?.after ?? null, from: placeIn(before), to: placeIn(next) },
    },
  ])
}

const placeIn = ({ building_id, floor_id, property_id }: Standing): Place => ({
  buildingId: building_id,
  floorId: floor_id,
  propertyId: property_id,
})

/** A device that stays on its floor, with its old and new position on the map, in degrees. */
export interface Shift {
  device: NamedDevice
  from: MapPlace
  to: MapPlace
}
interface MapPlace {
  lat: number
  lng: number
}

/** Moves locked devices on the plan of their common floor. */
export async function shiftDevices(tx: TenantTx, person: Recorded, shifts: readonly Shift[]): Promise<void> {
  if (!shifts.length) return
  await sql`
    update device set latitude = moved.latitude, longitude = moved.longitude
    from unnest(
      ${shifts.map(({ device }) => device.deviceId)}::uuid[], ${shifts.map(({ to }) => to.lat)}::float8[],
      ${shifts.map(({ to }) => to.lng)}::float8[]
    ) as moved (id, latitude, longitude)
    where device.tenant_id = ${tx.tenant} and device.id = moved.id`.execute(tx)
  record(
    tx,
    shifts.map(({ device: { deviceId, serial }, from, to }) => ({
      ...{ type: 'DeviceShifted', deviceId, serial, by: person },
      ...{ before: { latitude: from.lat, longitude: from.lng }, after: { latitude: to.lat, longitude: to.lng } },
    })),
  )
}

/** Announces that the building, floor or property of devices has a new name or address; lists show copies of them. */
export function refreshAddresses(tx: TenantTx, deviceIds: readonly string[]): void {
  record(
    tx,
    deviceIds.map((deviceId) => ({ type: 'DeviceAddressChanged', deviceId })),
  )
}

/** The place of a device as the caller last saw it. */
export interface SeenPlace {
  floor: string | null
  /** In degrees. */
  latitude: number | null
  longitude: number | null
}

/** Rejects with 409 if a locked device is no longer where the caller saw it: someone else has moved or removed it. */
export async function expectSeen(tx: TenantTx, deviceId: string, seen: SeenPlace): Promise<void> {
  const { floor_id: floor, latitude, longitude } = await placeOf(tx, deviceId)
  if (floor !== seen.floor || latitude !== seen.latitude || longitude !== seen.longitude)
    throw refuse('conflict', 'Someone else has moved this device in the meantime.')
}

/** Undefined if the position on the map is not given. */
function isRough({ latitude, isRough: rough }: NewPlace): boolean | undefined {
  return latitude === undefined ? undefined : latitude !== null && rough === true
}

const emptied = (text: string | null | undefined) => (text === '' ? null : text)

type PlaceRow = Awaited<ReturnType<typeof placeOf>>

function placeOf(tx: TenantTx, deviceId: string) {
  return tx
    .selectFrom('device')
    .select(['building_id', 'floor_id', 'property_id', 'room', 'location', 'location_details', 'latitude', 'longitude'])
    .select(['is_roughly_placed', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
}

type Standing = Pick<PlaceRow, 'building_id' | 'floor_id' | 'property_id'>

/**
 * The building, floor and property of these ids; rejects ones that the tenant does not have, and a floor of another
 * building.
 */
export async function expectPlace(tx: TenantTx, place: Standing) {
  const missing = (field: string, message: string) => refuse('invalid', message, [{ field, message }])
  const found = await named(tx, place)
  const { building, floor, property } = found
  if (place.building_id && !building) throw missing('buildingId', 'This building does not exist.')
  if (place.property_id && !property) throw missing('propertyId', 'There is no such property.')
  if (place.floor_id && floor?.building_id !== place.building_id)
    throw missing('floorId', 'The building has no such floor.')
  return found
}

/** Locked until the transaction ends, so that they are not deleted meanwhile. */
async function named(tx: TenantTx, place: Standing) {
  const { building_id: buildingId, floor_id: floorId, property_id: propertyId } = place
  const building =
    buildingId &&
    (await tx
      .selectFrom('building')
      .select('name')
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', buildingId)
      .forKeyShare()
      .executeTakeFirst())
  const floor =
    floorId &&
    (await tx
      .selectFrom('floor')
      .select(['name', 'building_id'])
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', floorId)
      .forKeyShare()
      .executeTakeFirst())
  const property =
    propertyId &&
    (await tx
      .selectFrom('property')
      .select(['reference', 'building_id', 'floor_id'])
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', propertyId)
      .where('archived_at', 'is', null)
      .forKeyShare()
      .executeTakeFirst())
  return { building: building || undefined, floor: floor || undefined, property: property || undefined }
}

/** For the audit log: names instead of ids. */
async function inWords(tx: TenantTx, place: PlaceRow): Promise<Record<string, unknown>> {
  const { building, floor, property } = await named(tx, place)
  return {
    building: building?.name ?? null,
    floor: floor?.name ?? null,
    property: property?.reference ?? null,
    room: place.room,
    location: place.location,
    locationDetails: place.location_details,
    latitude: place.latitude,
    longitude: place.longitude,
    isRoughlyPlaced: place.is_roughly_placed,
  }
}
