import { refuse } from '@caretaker/contract/refusal.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import { deviceTextsFault } from '@caretaker/rules/devices/texts.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { noPlace, refreshPlaces } from '../../postgres/places.ts'
import { retagged } from '../../postgres/retagged.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { HeldDevice } from './held.ts'
import { deviceSubject } from './held.ts'

/** Where a device is to be; what is undefined stays as it is, and null takes it away. */
export interface NewPlace {
  buildingId?: string | null | undefined
  floorId?: string | null | undefined
  propertyId?: string | null | undefined
  room?: string | null | undefined
  location?: string | null | undefined
  locationDetails?: string | null | undefined
  /** Degrees. */
  latitude?: number | null | undefined
  longitude?: number | null | undefined
  /** Its place was only laid out; one that a person says is not rough. */
  isRough?: boolean | undefined
}

/**
 * Moves a held device, and records it when that changes anything. With its building it leaves its floor, unless it is given
 * another one; put into a home it stands where that stands, unless its own place is said. Refuses a building, floor or home that the tenant does not have, and a floor of another building.
 */
export async function placeDevice(tx: TenantTx, person: Recorded, device: HeldDevice, place: NewPlace): Promise<void> {
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
  const rehoused = next.property_id !== before.property_id
  if (rehoused) await retagged(tx, [device.deviceId])
  await tx
    .updateTable('device')
    // The copies of the former place may be too long beside the new texts.
    .set({ ...difference.after, ...(isRenamed && noPlace) })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', device.deviceId)
    .execute()
  if (rehoused) await retagged(tx, [device.deviceId])
  await refreshPlaces(tx, tx.tenant, [device.deviceId])
  const told = differences(await inWords(tx, before), await inWords(tx, next))
  await audit(tx, { person, action: 'device moved', subject: deviceSubject(device), ...told })
  await changed(tx, 'device', [device.deviceId])
}

/** Where somebody has seen a device. */
export interface SeenPlace {
  floor: string | null
  /** Degrees. */
  latitude: number | null
  longitude: number | null
}

/** Refuses with 409 when a held device is no longer where it was seen: somebody else has moved it, or taken it down. */
export async function expectSeen(tx: TenantTx, deviceId: string, seen: SeenPlace): Promise<void> {
  const { floor_id: floor, latitude, longitude } = await placeOf(tx, deviceId)
  if (floor !== seen.floor || latitude !== seen.latitude || longitude !== seen.longitude)
    throw refuse('conflict', 'Somebody else has moved this device meanwhile.')
}

/** Undefined where nothing is said of its place on the map. */
function isRough({ latitude, isRough: rough }: NewPlace): boolean | undefined {
  return latitude === undefined ? undefined : latitude !== null && rough === true
}

const emptied = (text: string | null | undefined) => (text === '' ? null : text)

type Place = Awaited<ReturnType<typeof placeOf>>

function placeOf(tx: TenantTx, deviceId: string) {
  return tx
    .selectFrom('device')
    .select(['building_id', 'floor_id', 'property_id', 'room', 'location', 'location_details', 'latitude', 'longitude'])
    .select(['is_roughly_placed', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
}

type Standing = Pick<Place, 'building_id' | 'floor_id' | 'property_id'>

/** What stands at these ids; refuses a building, floor or home that the tenant does not have, and a floor of another building. */
export async function expectPlace(tx: TenantTx, place: Standing) {
  const missing = (field: string, message: string) => refuse('invalid', message, [{ field, message }])
  const found = await named(tx, place)
  const { building, floor, property } = found
  if (place.building_id && !building) throw missing('buildingId', 'There is no such building.')
  if (place.property_id && !property) throw missing('propertyId', 'There is no such property.')
  if (place.floor_id && floor?.building_id !== place.building_id)
    throw missing('floorId', 'The building has no such floor.')
  return found
}

/** Held until the transaction ends, so that nobody deletes them meanwhile. */
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

/** As the record tells it: names, not ids. */
async function inWords(tx: TenantTx, place: Place): Promise<Record<string, unknown>> {
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
