import type { Kysely } from 'kysely'
import { CompiledQuery } from 'kysely'
import type { TenantTx } from '../postgres/tenant.ts'
import type { DomainEvent } from './event.ts'
import { isOf } from './event.ts'

/** A copy shortened to this many bytes; a letter has four at most. */
const cut = (text: string, bytes: number) =>
  `case when fits or octet_length(${text}) <= ${bytes} then ${text} else left(${text}, ${Math.floor(bytes / 4)}) end as ${text}`

/**
 * Copies are limited to the length that fits an index of devices (`device_texts_fit_the_index`); longer texts are cut
 * off, and shortened further if multi-byte letters would not fit together. `rules/devices/texts.ts` has the limit of
 * the other texts. `$1` is the tenant, `$2` the ids of the devices, or null for all of the tenant.
 */
export const refreshPlacesText = `
  with whole as (
    select device.id, octet_length(concat(serial, device.name, room, location, location_details)) as own, left(building.name, 80) as building_name, floor.number as floor_number,
      left(floor.name, 40) as floor_name, left(property.reference, 40) as property_reference,
      left(coalesce(
        nullif(concat_ws(', ', nullif(property.address1, ''), nullif(property.address2, ''), nullif(property.address3, ''),
          nullif(property.town, ''), nullif(property.county, '')), ''),
        nullif(building.address, '')), 200) as address,
      left(coalesce(nullif(property.postcode, ''), nullif(building.postcode, '')), 12) as postcode
    from device
    left join building on building.tenant_id = $1 and building.id = device.building_id
    left join floor on floor.tenant_id = $1 and floor.id = device.floor_id
    left join property on property.tenant_id = $1 and property.id = device.property_id
    where device.tenant_id = $1 and ($2::uuid[] is null or device.id = any($2::uuid[]))
  ), fitted as (
    select *, own + octet_length(concat(building_name, floor_name, property_reference, address, postcode)) <= 1200 as fits from whole
  ), place as (
    select id, floor_number, ${cut('building_name', 160)}, ${cut('floor_name', 80)}, ${cut('property_reference', 80)},
      ${cut('address', 260)}, ${cut('postcode', 24)}
    from fitted
  )
  update device set building_name = place.building_name, floor_number = place.floor_number,
    floor_name = place.floor_name, property_reference = place.property_reference, address = place.address,
    postcode = place.postcode
  from place
  where device.tenant_id = $1 and device.id = place.id
    and (device.building_name, device.floor_number, device.floor_name, device.property_reference, device.address,
        device.postcode)
      is distinct from (place.building_name, place.floor_number, place.floor_name, place.property_reference,
        place.address, place.postcode)`

/** The copied columns of a device without a place, so that one statement can clear the place and its copies. */
export const noPlace = {
  building_name: null,
  floor_number: null,
  floor_name: null,
  property_reference: null,
  address: null,
  postcode: null,
} as const

/** Events that may change a device's place or the name of its place. */
const concernsPlace = isOf('DeviceCreated', 'DeviceMoved', 'DeviceImported', 'DeviceAddressChanged')

export const movedDevicesOf = (events: readonly DomainEvent[]): string[] => [
  ...new Set(events.filter(concernsPlace).map(({ deviceId }) => deviceId)),
]

/**
 * Copies the place of devices from their building, floor and property to the columns that lists read. Only rows that
 * differ are written.
 */
export async function copyPlaces(tx: TenantTx, events: readonly DomainEvent[]): Promise<void> {
  const ids = movedDevicesOf(events)
  if (ids.length) await refreshPlaces(tx, tx.tenant, ids)
}

/** Like `copyPlaces` for devices written without events; without ids, for all devices of the tenant. */
export async function refreshPlaces(
  tx: Pick<Kysely<unknown>, 'executeQuery'>,
  tenant: string,
  deviceIds?: readonly string[],
): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(refreshPlacesText, [tenant, deviceIds ?? null]))
}
