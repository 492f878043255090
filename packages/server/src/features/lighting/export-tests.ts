import { refuse } from '@caretaker/contract/refusal.ts'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { testColumns, testsFile } from '@caretaker/rules/lighting/tests-file.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { datedName } from '@caretaker/rules/files/csv.ts'
import type { Row } from '../../spreadsheets/table.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { TestPlace, TestsWanted } from './all-tests.ts'
import { lightsWanted, testsInOrder } from './all-tests.ts'
import { testsById } from './store.ts'

export const testsFileName = (now: number, zone: string) => datedName(dayAt(now, zone), testsFile)

export const cursorOf = (place: TestPlace) => Buffer.from(JSON.stringify(place)).toString('base64url')

/** The place that a cursor names; only what was handed out is one. */
export function placeOf(cursor: string | undefined): TestPlace | undefined {
  if (cursor === undefined) return undefined
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(place) && place.length === 3 && place.every((part) => typeof part === 'string') && isPlace(place))
      return place as TestPlace
  } catch {
    // Refused below.
  }
  const message = 'This is no place in the tests'
  throw refuse('invalid', message, [{ field: 'after', message }])
}

const isPlace = ([, at, id]: string[]) => /^\d{4,6}-[\d :.+-]+$/.test(at!) && /^[\da-f-]{36}$/.test(id!)

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
