import type { AssumedWeather, DampHour } from '@caretaker/rules/properties/damp.ts'
import { hoursOfWeek, outsideOf } from '@caretaker/rules/properties/damp.ts'

const hour = 3_600_000
/** °C, % and °C outside, in hundredths as 16-bit numbers; unknown or assumed values are the smallest number. */
const bytesOfHour = 6
const unknown = -0x8000

/** The hours of the week before `until` in stored form: every hour has a place, known or not. */
export function packHours(hours: readonly DampHour[], until: number): Buffer {
  const packed = Buffer.alloc(hoursOfWeek * bytesOfHour)
  for (let place = 0; place < hoursOfWeek; place++) packed.writeInt16LE(unknown, place * bytesOfHour)
  for (const { at, temperature, humidity, outside, isAssumed } of hours) {
    const start = (hoursOfWeek - (until - at) / hour) * bytesOfHour
    packed.writeInt16LE(hundredths(temperature), start)
    packed.writeInt16LE(hundredths(humidity), start + 2)
    packed.writeInt16LE(isAssumed || outside === null ? unknown : hundredths(outside), start + 4)
  }
  return packed
}

/** The known hours, earliest first; `assumed` is the weather where none was measured. */
export function unpackHours(packed: Buffer, until: number, assumed: AssumedWeather): DampHour[] {
  const hours: DampHour[] = []
  for (let place = 0; place < hoursOfWeek; place++) {
    const start = place * bytesOfHour
    const temperature = packed.readInt16LE(start)
    if (temperature === unknown) continue
    const outside = packed.readInt16LE(start + 4)
    const one = { at: until - (hoursOfWeek - place) * hour, temperature: temperature / 100 }
    const air = { ...one, humidity: packed.readInt16LE(start + 2) / 100 }
    hours.push({ ...air, ...outsideOf(one.at, outside === unknown ? undefined : outside / 100, assumed) })
  }
  return hours
}

const hundredths = (value: number) => Math.max(unknown + 1, Math.min(0x7fff, Math.round(value * 100)))
