import { sql } from 'kysely'
import type { PropertyDamp } from '@caretaker/contract/damp.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { DampHour } from '@caretaker/rules/properties/damp.ts'
import { dampLevels, dampRisk, isHeatingSeason, worstOf } from '@caretaker/rules/properties/damp.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { dampFiguresOf } from './figures.ts'

/** How far back readings count, in ms: mould grows over weeks. */
const back = 42 * 86_400_000

interface Row {
  id: string
  serial: string
  product: Product
  status: DeviceStatus
  in_wholesale: boolean
  access_rights_tag_id: string | null
  place: string | null
  metric: 'temperature' | 'humidity' | 'outsideTemperature'
  hour: Date
  value: number
}

/** The risk of each room of a home that the actor sees, by the sensors of air in it that the actor may see. */
export async function dampOfHome(tx: TenantTx, actor: Actor, propertyId: string, now: Date): Promise<PropertyDamp> {
  const { rows } = await sql<Row>`
    select device.id, device.serial, device.product, device.status, device.in_wholesale, device.access_rights_tag_id,
      coalesce(device.room, device.location) as place, series.metric, hourly.hour, hourly.total / hourly.n as value
    from device
    join series on series.tenant_id = ${tx.tenant} and series.device_id = device.id
      and series.metric = any(${['temperature', 'humidity', 'outsideTemperature']}::text[])
    join hourly on hourly.tenant_id = ${tx.tenant} and hourly.series_id = series.id
    where device.tenant_id = ${tx.tenant} and device.property_id = ${propertyId}
      and hourly.hour >= ${new Date(+now - back)} and hourly.hour <= ${now} and hourly.n > 0`.execute(tx)
  // The weather is that of the home, whoever asks.
  const outside = new Map(
    rows.filter(({ metric }) => metric === 'outsideTemperature').map(({ hour, value }) => [+hour, value]),
  )
  const sensors = Map.groupBy(
    rows.filter((row) => row.metric !== 'outsideTemperature' && sees(actor, row)),
    ({ id }) => id,
  )
  const isSeason = isHeatingSeason(dayAt(+now, await zoneOf(tx)))
  const figures = await dampFiguresOf(tx)
  let assumes = false
  const rooms = [...sensors.values()].map((some) => {
    const humidity = new Map(some.filter(({ metric }) => metric === 'humidity').map((row) => [+row.hour, row.value]))
    const hours = some.flatMap(({ metric, hour, value: temperature }): DampHour[] => {
      const moist = humidity.get(+hour)
      if (metric !== 'temperature' || moist === undefined) return []
      assumes ||= !outside.has(+hour)
      return [{ at: +hour, temperature, humidity: moist, outside: outside.get(+hour) ?? figures.outside }]
    })
    const { humidDays: _, ...risk } = dampRisk(hours, { now: +now, isSeason, figures })
    const { id, serial, place } = some[0]!
    return { deviceId: id, serialNumber: serial, room: place, ...risk }
  })
  const rank = ({ level }: { level: (typeof dampLevels)[number] }) => dampLevels.indexOf(level)
  return {
    level: worstOf(rooms.map(({ level }) => level)),
    rooms: rooms.toSorted((a, b) => rank(b) - rank(a) || (a.room ?? '').localeCompare(b.room ?? '')),
    assumed: assumes
      ? `${figures.outside} °C outside is assumed ${outside.size ? 'for hours in which' : 'because'} no device of the home measured it.`
      : null,
  }
}

const sees = (actor: Actor, { product, status, in_wholesale: inWholesale, access_rights_tag_id: tag }: Row) =>
  can(actor, 'see device', { product, status, inWholesale, accessRightsTags: tag ? [tag] : [] })
