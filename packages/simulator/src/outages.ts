import { fraction } from './random.ts'

export interface Outage {
  out: boolean
  /** When that changes (ms). */
  until: number
}

const day = 86_400_000

/**
 * When a device that drops out is offline: once in each of the `dropsPerDay` equal parts of the day, at a time that
 * depends on the device, for between half and one and a half times `dropMinutes`.
 */
export function outageAt(deviceId: string, now: number, dropsPerDay: number, dropMinutes: number): Outage {
  const part = day / dropsPerDay
  const outageOf = (index: number) => {
    const length = Math.min(dropMinutes * 60_000 * (0.5 + fraction(`${deviceId} length ${index}`)), part * 0.8)
    const start = index * part + fraction(`${deviceId} start ${index}`) * (part - length)
    return { start, end: start + length }
  }
  const index = Math.floor(now / part)
  const current = outageOf(index)
  if (now < current.start) return { out: false, until: current.start }
  if (now < current.end) return { out: true, until: current.end }
  return { out: false, until: outageOf(index + 1).start }
}
