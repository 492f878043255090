import type { z } from 'zod'
import type { PropertySeries } from '@caretaker/contract/telemetry.ts'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'

/** Milliseconds after which a reading is no longer current: sensors report every ten minutes and may miss some. */
const currentFor = 2 * 3_600_000

type RoomSeries = Pick<
  z.output<typeof PropertySeries>,
  'deviceId' | 'propertyLocationId' | 'label' | 'series' | 'latest'
>

interface Now {
  value: number
  at: number
}

export interface RoomNow {
  deviceId: string
  name: string
  /** Null without a recent reading, or if the sensor does not measure it. */
  temperature: number | null
  humidity: number | null
  /** The sensor's humidity over time, or its temperature if it does not measure humidity. */
  points: RoomSeries['series']
}

/** The current air of a property from the newest sensor readings, overall and per room; undefined if none is recent. */
export function homeNow(temperatures: readonly RoomSeries[], humidities: readonly RoomSeries[], now: number) {
  const newest = (of: RoomSeries | undefined): Now | null =>
    of?.latest && now - of.latest.date <= currentFor ? { value: of.latest.value, at: of.latest.date } : null
  const rooms = temperatures.map((one) => {
    const moist = humidities.find(({ deviceId }) => deviceId === one.deviceId)
    return { one, moist, warmNow: newest(one), moistNow: newest(moist) }
  })
  const current = rooms.flatMap(({ warmNow, moistNow }) => [warmNow, moistNow].filter((value) => value !== null))
  if (!current.length) return undefined
  return {
    at: Math.max(...current.map(({ at }) => at)),
    temperature: mean(rooms.map(({ warmNow }) => warmNow)),
    humidity: mean(rooms.map(({ moistNow }) => moistNow)),
    rooms: rooms
      .map(({ one, moist, warmNow, moistNow }): RoomNow => ({
        deviceId: one.deviceId,
        name: one.propertyLocationId ?? one.label,
        temperature: warmNow?.value ?? null,
        humidity: moistNow?.value ?? null,
        points: (moist ?? one).series,
      }))
      .toSorted((a, b) => (b.humidity ?? 0) - (a.humidity ?? 0) || inNaturalOrder(a.name, b.name)),
  }
}

function mean(values: readonly (Now | null)[]): number | null {
  const known = values.flatMap((one) => one?.value ?? [])
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null
}
