import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { monthsAfter } from '@caretaker/rules/properties/licences.ts'
import { chanceOf, demoId, whole } from '../chance.ts'
import type { Row } from '../copy.ts'
import type { DemoProperty } from '../plan/storied.ts'
import { isInstalled } from '../plan/device.ts'
import type { DeviceSeeder, Seeder } from '../seeding.ts'

const columns = ['id', 'type', 'property_id', 'start_on', 'period_months']

/** Purchases: the licences per hundred properties, how long ago they were bought, and their duration in months. */
const purchases = [
  { type: 'Managed Service', homes: 47.9, age: 14, period: 60 },
  { type: 'Managed Service', homes: 5.6, age: 30, period: 36 },
  { type: 'Damp and Mould', homes: 20.5, age: 5, period: 36 },
] as const
/** Unassigned licences from the newest purchase, per hundred properties. */
const free = 8.2

/** The licences of a tenant's properties: nine in ten properties have one, and some end within a year. */
function* licencesOf(tenant: string, homes: readonly DemoProperty[], today: Day): Iterable<Row> {
  const share = (ofHundred: number) => Math.round((homes.length * ofHundred) / 100)
  let next = 0
  for (const { type, homes: ofHundred, age, period } of purchases) {
    const start = monthsAfter(today, -age)
    for (let count = share(ofHundred); count > 0; count--, next++)
      yield [demoId(`${tenant} licence ${next}`), type, homes[next]!.id, start, period]
  }
  const { type, age, period } = purchases[2]
  for (let count = share(free); count > 0; count--, next++)
    yield [demoId(`${tenant} licence ${next}`), type, null, monthsAfter(today, -age), period]
}

/** Creates the managed service licences of clients that have bought it. */
export const seedLicences: Seeder = async ({ write, world: { plan, properties }, now }) => {
  if (!plan.features.includes('ManagedService')) return
  await write('licence', columns, licencesOf(plan.id, properties, dayAt(now, 'Europe/London')))
}

const packageColumns = ['id', 'device_id', 'type', 'start_on', 'period_months', 'renewed_on']

/** Creates the device licences of properties: two years from installation, some of them renewed. */
export const seedDeviceLicences: DeviceSeeder = async ({ write, world: { plan }, now }, devices) => {
  if (!plan.features.includes('ManagedService')) return
  const today = dayAt(now, 'Europe/London')
  const rows = devices
    .filter((device) => device.propertyId && isInstalled(device.status))
    .map(({ id, serial }): Row => {
      const chance = chanceOf(`${serial} package`)
      const renewed = chance() < 0.15
      const start = monthsAfter(today, -(renewed ? whole(chance, 25, 30) : whole(chance, 2, 23)))
      return [demoId(`${serial} package`), id, 'SaaS Standard', start, 24, renewed ? monthsAfter(start, 24) : null]
    })
  await write('device_licence', packageColumns, rows)
}
