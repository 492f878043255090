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

export const cursorOf = (place: TestPlace) => Buffer.from(JSON.stringify(place)).toString('base64url')

/** The place that a cursor names; only what was handed out for the same order is one. */
export function placeOf(cursor: string | undefined, sort: TestSort): TestPlace | undefined {
  if (cursor === undefined) return undefined
  try {
    const place = Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    if (sort === 'deviceName') NameAndSerial.parse(JSON.parse(place[0]))
    return place
  } catch {
    const message = 'This is no place in the tests'
    throw refuse('invalid', message, [{ field: 'after', message }])
  }
}

/** As the database writes an instant. */
const written = /^(\d{4}-\d\d-\d\d) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?[+-][01]\d(:[0-5]\d)?$/
const Place = z.tuple([z.string(), z.string().refine((at) => isDay(written.exec(at)?.[1])), z.guid()])
const NameAndSerial = z.tuple([z.string(), z.string()])

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
    const places = await testsInOrder(tx, actor, of, { ...wanted, after, limit: rowsAtOnce })
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
