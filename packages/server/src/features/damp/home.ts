import type { PropertyDamp, PropertyDampCells } from '@caretaker/contract/damp.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { AssumedWeather } from '@caretaker/rules/properties/damp.ts'
import { dampCellHours, dampCells, dampMemory, dampRank, worstOf } from '@caretaker/rules/properties/damp.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { readHours } from './assess.ts'
import { dampFiguresOf } from './figures.ts'

/** The last assessed risk of a property, as in its list, and of each room whose sensor the actor sees. */
export async function dampOfHome(tx: TenantTx, actor: Actor, propertyId: string): Promise<PropertyDamp> {
  const rows = await roomsOfHome(tx, propertyId)
    .select(['level', 'reason', 'since', 'cold', 'cold_reason', 'mean_temperature', 'mean_humidity', 'mould_index'])
    .select(['assumed', 'until'])
    .execute()
  const seen = rows.filter(isSeenBy(actor))
  const rooms = seen.map((one) => ({
    deviceId: one.id,
    serialNumber: one.serial,
    room: one.room ?? one.location,
    level: one.level,
    reason: one.reason,
    since: one.since.toISOString(),
    cold: one.cold,
    coldReason: one.cold_reason,
    meanTemperature: one.mean_temperature,
    meanHumidity: one.mean_humidity,
    index: one.mould_index,
  }))
  const assumed = seen.filter((one) => one.assumed !== 'none')
  const isNeverMeasured = assumed.every((one) => one.assumed === 'all') && assumed.length === seen.length
  const level = worstOf(rows.map((one) => one.level))
  return {
    level,
    isOfHiddenRoom: rows.length > 0 && dampRank(level) > dampRank(worstOf(rooms.map((room) => room.level))),
    assessedAt: seen.length ? new Date(Math.max(...seen.map(({ until }) => +until))).toISOString() : null,
    // The first room decides the level in the list, and since when.
    rooms: rooms.toSorted(
      (a, b) =>
        dampRank(b.level) - dampRank(a.level) ||
        Date.parse(a.since) - Date.parse(b.since) ||
        (a.room ?? '').localeCompare(b.room ?? ''),
    ),
    assumed: assumed.length ? weatherWords((await dampFiguresOf(tx)).outside, isNeverMeasured) : null,
  }
}

/** The assumption about the weather; the assumed temperature is in the reason for each room. */
function weatherWords(assumed: AssumedWeather, isNeverMeasured: boolean): string {
  const what =
    typeof assumed === 'number' ? `${assumed} °C outside is assumed` : 'The monthly mean outdoor temperature is assumed'
  const when = `${isNeverMeasured ? 'because' : 'for hours in which'} no device of the home measured it.`
  return assumed === 'unknown'
    ? 'The outdoor temperature is known only if a device in the property measures it.'
    : `${what} ${when}`
}

/** The assessed rooms of a property, each with its sensor. */
const roomsOfHome = (tx: TenantTx, propertyId: string) =>
  tx
    .selectFrom('damp_room')
    .innerJoin('device', (join) =>
      join.on('device.tenant_id', '=', tx.tenant).onRef('device.id', '=', 'damp_room.device_id'),
    )
    .where('damp_room.tenant_id', '=', tx.tenant)
    .where('device.property_id', '=', propertyId)
    .select(['device.id', 'device.serial', 'device.product', 'device.status', 'device.in_wholesale'])
    .select(['device.access_rights_tag_id', 'device.room', 'device.location'])

interface Sensor {
  product: Product
  status: DeviceStatus
  in_wholesale: boolean
  access_rights_tag_id: string | null
}

const isSeenBy =
  (actor: Actor) =>
  ({ product, status, in_wholesale: inWholesale, access_rights_tag_id: tag }: Sensor): boolean =>
    can(actor, 'see device', { product, status, inWholesale, accessRightsTags: tag ? [tag] : [] })

/** The level of each room whose sensor the actor sees over a range, as assessed. */
export async function dampCellsOfHome(
  tx: TenantTx,
  actor: Actor,
  propertyId: string,
  range: { from: number; to: number },
): Promise<PropertyDampCells> {
  const rows = await roomsOfHome(tx, propertyId).select('level').execute()
  const seen = rows
    .filter(isSeenBy(actor))
    .map((one) => ({ ...one, device_id: one.id, property_id: propertyId, name: one.room ?? one.location }))
  const figures = await dampFiguresOf(tx)
  const until = Math.min(range.to, Date.now())
  // Mould that grew in the weeks before is included.
  const hoursOf = await readHours(tx, { until, figures }, seen, range.from - dampMemory)
  return {
    hours: dampCellHours(range),
    humidity: figures.surfaceHumidity,
    watchDays: figures.watchDays,
    highDays: figures.highDays,
    rooms: seen
      .toSorted((a, b) => dampRank(b.level) - dampRank(a.level) || (a.name ?? '').localeCompare(b.name ?? ''))
      .map((one) => ({
        deviceId: one.id,
        serialNumber: one.serial,
        room: one.name,
        cells: dampCells(hoursOf(one), range, figures),
      })),
  }
}
