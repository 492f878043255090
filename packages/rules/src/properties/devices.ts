import type { Family, Product } from '../devices/products.ts'
import { familyOf } from '../devices/products.ts'
import type { DisplayGroup } from '../devices/status.ts'
import { displayGroup } from '../devices/status.ts'
import { inNaturalOrder } from '../texts/natural-order.ts'

/** Devices connected to a boiler control module or home hub, in the order of a property page: hub first. */
const connected: readonly Family[] = [
  'homeHub',
  'powerSwitch',
  'vStat',
  'multiDot',
  'enviroDot',
  'powerMeter',
  'autofill',
]

const groupsWorstFirst: readonly (DisplayGroup | undefined)[] = ['Failed', 'FailedDevice', 'Warning']

/**
 * The devices of a property in page order: worst status first, so that failures are visible without scrolling; then
 * connected devices, each kind by serial number.
 */
export function devicesOfHomeInOrder<D extends { product: Product; serialNumber: string; status: string }>(
  devices: readonly D[],
): D[] {
  const badness = ({ status }: D) => {
    const at = groupsWorstFirst.indexOf(displayGroup(status))
    return at < 0 ? groupsWorstFirst.length : at
  }
  const place = ({ product }: D) => {
    const at = connected.indexOf(familyOf(product))
    return at < 0 ? connected.length : at
  }
  return devices.toSorted(
    (a, b) => badness(a) - badness(b) || place(a) - place(b) || inNaturalOrder(a.serialNumber, b.serialNumber),
  )
}

/** The device that opens a property in the mobile app: its hub, or else its boiler's module. */
export function opensInApp<D extends { product: Product }>(devices: readonly D[]): D | undefined {
  return (
    devices.find(({ product }) => familyOf(product) === 'homeHub') ??
    devices.find(({ product }) => familyOf(product) === 'boiler')
  )
}

/** The clamps of a power meter: the circuit of each, and whether it is reported separately. */
export interface Meter {
  powerClamps: Readonly<Record<string, string>> | null
  series: readonly unknown[]
}

/** The location lines of a power meter: one per clamp, and a note if several are reported as one. */
export function meterLines({ powerClamps, series }: Meter): string[] {
  const lines = Object.entries(powerClamps ?? {}).map(([circuit, what]) => `Clamp ${circuit}: ${what}`)
  return lines.length > 1 && series.length === 1 ? [...lines, 'Measured together'] : lines
}

/** The location lines of a device; for a power meter one per clamp. */
export function locationLines({
  product,
  location,
  clamps,
}: {
  product: Product
  location: string | null
  clamps: readonly { circuit: string; location: string }[]
}): string[] {
  if (familyOf(product) === 'powerMeter' && clamps.length > 0)
    return clamps.map(({ circuit, location: what }) => `Clamp ${circuit}: ${what}`)
  return location ? [location] : []
}

/** Rows of device packages: devices that begin with 'B' first, otherwise in the given order. */
export function boilersFirst<R extends { device: string }>(rows: readonly R[]): R[] {
  const later = ({ device }: R) => (device.startsWith('B') ? 0 : 1)
  return rows.toSorted((a, b) => later(a) - later(b))
}
