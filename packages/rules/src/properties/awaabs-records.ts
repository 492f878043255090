/** Records of an Awaab's Law case other than its steps: notes, photographs, files, and sensor readings. */
export const caseRecordKinds = ['note', 'photograph', 'file', 'readings'] as const
export type CaseRecordKind = (typeof caseRecordKinds)[number]

export const caseRecordLimits = {
  /** Characters of a note or of a file's description. */
  text: 4000,
  /** Bytes of a file. */
  bytes: 20_000_000,
  /** Records of one case. */
  records: 500,
  /** Days of readings in one record. */
  days: 92,
} as const

/** The conditions of a room over a period: temperatures in °C, humidity in %. */
export interface RoomReadings {
  room: string
  hours: number
  meanTemperature: number
  leastTemperature: number
  mostTemperature: number
  /** Hours below 18 °C and below 16 °C, and above 26 °C. */
  hoursCold: number
  hoursSeverelyCold: number
  hoursHot: number
  meanHumidity: number | null
}

/**
 * °C: a property is cold below 18 and severely cold below 16 (UKHSA, as in the damp assessment); above 26 it is too hot
 * to sleep in (CIBSE TM59, bedrooms).
 */
export const roomBounds = { cold: 18, severelyCold: 16, hot: 26 } as const

/** The readings of a room in one record, from hourly means; unknown hours are NaN. */
export function roomReadings(
  room: string,
  temperatures: ArrayLike<number>,
  humidities: ArrayLike<number> = [],
): RoomReadings | undefined {
  const known = Array.from(temperatures).filter((value) => !Number.isNaN(value))
  if (!known.length) return undefined
  const moist = Array.from(humidities).filter((value) => !Number.isNaN(value))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const rounded = (value: number) => Math.round(value * 10) / 10
  const hours = (is: (value: number) => boolean) => known.filter(is).length
  return {
    room,
    hours: known.length,
    meanTemperature: rounded(mean(known)),
    leastTemperature: rounded(known.reduce((a, b) => Math.min(a, b))),
    mostTemperature: rounded(known.reduce((a, b) => Math.max(a, b))),
    hoursCold: hours((value) => value < roomBounds.cold),
    hoursSeverelyCold: hours((value) => value < roomBounds.severelyCold),
    hoursHot: hours((value) => value > roomBounds.hot),
    meanHumidity: moist.length ? Math.round(mean(moist)) : null,
  }
}
