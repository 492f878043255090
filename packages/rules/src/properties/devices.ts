import type { Family, Product } from '../devices/products.ts'
import { familyOf } from '../devices/products.ts'
import type { DisplayGroup } from '../devices/status.ts'
import { displayGroup } from '../devices/status.ts'
import { inNaturalOrder } from '../texts/natural-order.ts'

/** What connects to a boiler control module or a home hub, in the order in which a home's page lists it: the hub leads. */
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
 * The devices of a home in the order of its page: the worst first, so that nothing that has failed is below the fold. Among those that are
 * equally well, connected ones come first, each kind by its serial numbers.
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

/** The device by which a home is opened in the mobile app: its hub, or else the module of its boiler. */
export function opensInApp<D extends { product: Product }>(devices: readonly D[]): D | undefined {
  return (
    devices.find(({ product }) => familyOf(product) === 'homeHub') ??
    devices.find(({ product }) => familyOf(product) === 'boiler')
  )
}

/** What a power meter says of its clamps: what each is around, and whether it tells of each by itself. */
export interface Meter {
  powerClamps: Readonly<Record<string, string>> | null
  series: readonly unknown[]
}

/** The lines of a power meter's location: one for each of its clamps, and that it tells of several of them as one. */
export function meterLines({ powerClamps, series }: Meter): string[] {
  const lines = Object.entries(powerClamps ?? {}).map(([circuit, what]) => `Clamp ${circuit}: ${what}`)
  return lines.length > 1 && series.length === 1 ? [...lines, 'Measured together'] : lines
}

/** The lines of a device's location: of a power meter one for each of its clamps. */
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

/** The rows of device packages: those whose device begins with 'B' before all others, otherwise as they come. */
export function boilersFirst<R extends { device: string }>(rows: readonly R[]): R[] {
  const later = ({ device }: R) => (device.startsWith('B') ? 0 : 1)
  return rows.toSorted((a, b) => later(a) - later(b))
}
