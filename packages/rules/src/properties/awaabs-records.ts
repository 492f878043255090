/** What a case under Awaab's Law keeps besides its steps: notes, photographs, files, and what sensors measured. */
export const caseRecordKinds = ['note', 'photograph', 'file', 'readings'] as const
export type CaseRecordKind = (typeof caseRecordKinds)[number]

export const caseRecordLimits = {
  /** Characters of a note, or of what is written about a file. */
  text: 4000,
  /** Bytes of a file. */
  bytes: 20_000_000,
  /** Records of one case. */
  records: 500,
  /** Days of readings that one record keeps. */
  days: 92,
} as const

/** What a room was like over a period: temperatures in °C, humidity in %. */
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
 * °C: below 18 a home is cold and below 16 severely so (UKHSA, as the damp assessment takes it); above 26 it is too hot to sleep in
 * (CIBSE TM59, bedrooms).
 */
export const roomBounds = { cold: 18, severelyCold: 16, hot: 26 } as const

/** The readings of a room in one record: hourly means, where unknown hours are not numbers. */
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
