import { z } from 'zod'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { EmergencyTest, TestSort } from '@caretaker/contract/lighting.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { testColumns, testsFile } from '@caretaker/rules/lighting/tests-file.ts'
import { dayAt, isDay } from '@caretaker/rules/calendar/days.ts'
import { datedName } from '@caretaker/rules/files/csv.ts'
import type { Row } from '../../spreadsheets/table.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { TestPlace, TestsWanted } from './all-tests.ts'
import { lightsWanted, testsInOrder } from './all-tests.ts'
import { testsById } from './store.ts'

export const testsFileName = (now: number, zone: string) => datedName(dayAt(now, zone), testsFile)

export const cursorOf = (place: TestPlace | string) => Buffer.from(JSON.stringify(place)).toString('base64url')

/** The place that a cursor names; only what was handed out for the same order is one. */
export const placeOf = (cursor: string | undefined, sort: TestSort): TestPlace | undefined =>
  read(cursor, (value) => {
    const place = Place.parse(value)
    if (sort === 'deviceName') NameAndSerial.parse(JSON.parse(place[0]))
    return place
  })

/** The light that a cursor of a grid of months names, by name and serial. */
export const lightOf = (cursor: string | undefined): string | undefined =>
  read(cursor, (value) => JSON.stringify(NameAndSerial.parse(JSON.parse(z.string().parse(value)))))

function read<Place>(cursor: string | undefined, parse: (value: unknown) => Place): Place | undefined {
  if (cursor === undefined) return undefined
  try {
    return parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    const message = 'This is no place in the tests'
    throw refuse('invalid', message, [{ field: 'after', message }])
  }
}

/** As the database writes an instant. */
const written = /^(\d{4}-\d\d-\d\d) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?[+-][01]\d(:[0-5]\d)?$/
/** No text of the database holds it. */
const known = z.string().refine((value) => !value.includes('\u0000') && value.isWellFormed())
const Place = z.tuple([known, z.string().refine((at) => isDay(written.exec(at)?.[1])), z.guid()])
const NameAndSerial = z.tuple([known, known])

const rowsAtOnce = 500

/** The heading and all tests that meet a filter, some at a time. */
export async function* exportedTests(
  tx: TenantTx,
  actor: Actor,
  wanted: Omit<TestsWanted, 'after' | 'limit'>,
  zone: string,
): AsyncGenerator<Row[]> {
  yield [testColumns.map(({ label }) => label)]
  const of = await lightsWanted(tx, actor, wanted.filter)
  for (let after: TestPlace | undefined; ;) {
    const { places } = await testsInOrder(tx, actor, of, { ...wanted, after, limit: rowsAtOnce })
    const tests = await testsById(
      tx,
      actor,
      places.map(([, , id]) => id),
      false,
    )
    yield tests.map((test: EmergencyTest) => testColumns.map(({ text }) => text(test, zone)))
    if (places.length < rowsAtOnce) return
    after = places.at(-1)!
  }
}
