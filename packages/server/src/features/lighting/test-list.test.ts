import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import {
  exportAllTests,
  getAllDeviceTests,
  getAllTests,
  getTestMonths,
  getTestOverview,
  testSorts,
  updateTestResult,
} from '@caretaker/contract/lighting.ts'
import { getDeviceConditions } from '@caretaker/contract/conditions.ts'
import type { Sent } from '@caretaker/contract/route.ts'
import type { TestPoint, TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import {
  components,
  mostTestsCounted,
  testResults,
  testTypes,
  tooManyTestsToSort,
  worstResults,
} from '@caretaker/rules/lighting/tests.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { chanceOf, pick } from '../../testing/chance.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { ingestTests } from './ingest.ts'

let it: TestApp
const tenant = 'north'
const [admin, developer, manager, guest, limited, boilers] = [
  ...['admin', 'developer', 'manager', 'guest', 'limited', 'boilers'].map((name) => `${name}@north.test`),
] as [string, string, string, string, string, string]
const lights: string[] = []
let mine: string
let building: string
let group: string
const inGroup = () => [...lights.slice(2, 5), mine]
beforeAll(async () => {
  it = await testApp()
  for (const id of ['north', 'south']) await it.addTenant(id)
  await it.addMember(tenant, admin, 'Admin')
  await it.addMember(tenant, developer, 'Developer')
  await it.addMember(tenant, manager, 'Manager')
  await it.addMember(tenant, guest, 'Guest')
  await it.addMember(tenant, boilers, 'BoilerEngineer')
  const tag = await addAccessRightsTag(it, tenant, 'Mine')
  await it.addMember(tenant, limited, 'LightingEngineer', [tag])
  building = randomUUID()
  for (let n = 0; n < 12; n++) lights.push(await addDevice(it, tenant, { name: `Light ${'ABCDEFG'[n % 7]}` }))
  mine = await addDevice(it, tenant, { name: 'Mine', accessRightsTagId: tag })
  lights.push(mine)
  await addDevice(it, 'south')
  const chance = chanceOf('all tests')
  await work(async (tx) => {
    const place = { address: 'x', name: 'Court' }
    await tx
      .insertInto('building')
      .values({ tenant_id: tenant, id: building, ...place })
      .execute()
    for (const [place, some] of [
      [{ building_id: building, building_name: 'Court' }, lights.slice(0, 3)],
      [{ building_name: 'Annex' }, lights.slice(5, 7)],
      [{ building_name: 'Yard' }, lights.slice(7, 8)],
    ] as const)
      await tx.updateTable('device').set(place).where('tenant_id', '=', tenant).where('id', 'in', some).execute()
    group = randomUUID()
    await tx
      .insertInto('light_group')
      .values({
        ...{ tenant_id: tenant, id: group, name: 'Court', name_key: 'court', building_id: building },
        ...{ t180_start: '2026-11-30 22:00:00', created_at: new Date() },
      })
      .execute()
    await tx
      .insertInto('light_group_member')
      .values(inGroup().map((device_id) => ({ tenant_id: tenant, device_id, group_id: group, added_at: new Date() })))
      .execute()
    for (let n = 0; n < 180; n++)
      await tx
        .insertInto('emergency_test')
        .values({
          ...{
            tenant_id: tenant,
            event_id: randomUUID(),
            device_id: pick(chance, lights),
            reason: `=reason, "${n % 60}"`,
          },
          // Many at the same instant.
          ...{ test_type: pick(chance, testTypes), started_at: new Date(Date.UTC(2026, 0, 1 + (n % 40))) },
          ...{
            result: pick(chance, testResults),
            component_states: '{}',
            series: '[{"seconds":60,"batteryVoltage":4}]',
          },
        })
        .execute()
  })
})
afterAll(() => it.close())

const work = <T>(run: (tx: TenantTx) => Promise<T>) => inTenant(it.database.db, tenant, run)
type Asked = Partial<Sent<typeof getAllTests>['body']>
const page = (asked: Asked = {}, email = manager) => it.send(getAllTests, { body: { tenant, ...asked } }, email)
async function all(asked: Asked = {}, email = manager): Promise<EmergencyTest[]> {
  const tests: EmergencyTest[] = []
  let next: string | null | undefined
  do {
    const { status, body } = await page({ limit: 17, ...asked, ...(next && { after: next }) }, email)
    assert.equal(status, 200)
    tests.push(...body.data!.tests)
    next = body.data!.next
  } while (next)
  return tests
}
const correct = (deviceId: string, form: object, email = admin) =>
  it.send(updateTestResult, { form: { tenant, deviceId, ...form } } as never, email)

test('all tests of all lights of the client, each once and complete, newest first [dev-7actions-35 dev-3ent-34 dev-3ent-36]', async () => {
  const tests = await all()
  assert.equal(tests.length, 180)
  assert.equal(new Set(tests.map((one) => one.eventId)).size, 180)
  assert.equal((await page()).body.data!.total, 180)
  const times = tests.map((one) => one.testDate)
  assert.deepEqual(times, times.toSorted().toReversed())
  const light = await addDevice(it, tenant, { name: 'Whole' })
  const componentStates = { Battery: 'Ok', Inverter: 'Ok', Lamp: 'Degraded', Emered: 'Ok' } as const
  const eventId = randomUUID()
  await report(light, { eventId, result: 'Degraded', componentStates, series: [{ seconds: 3, batteryVoltage: 4 }] })
  const [one] = (await page({ eventId })).body.data!.tests
  assert.deepEqual(one, {
    ...{ eventId, deviceId: light, deviceName: 'Whole', deviceBatteryVoltage: null },
    ...{ deviceCurrentStatus: 'PreventativeMaintenance', buildingName: null, testType: 'T0', result: 'Degraded' },
    ...{ testDate: new Date(start).toISOString(), reason: 'Predicted degraded Components: Lamp.', componentStates },
    ...{ lasted: 3, evidenceEnd: null, reportedStart: null, reportedResult: 'Degraded', corrected: null },
    ...{ disputed: null, changes: [], ruledOut: { passed: null, parts: {} } },
    series: [
      {
        ...{ dataSeriesId: 'batteryVoltage', label: 'Battery', unit: 'V', secondary: true },
        series: [{ seconds: 3, value: 4 }],
      },
    ],
  })
  assert.deepEqual(Object.keys(one!.componentStates), [...components])
  await it.database.owner.query('delete from emergency_test where event_id = $1', [eventId])
})

test('every sort order returns all of them once in both directions, newest first among equals', async () => {
  const { rows: reasons } = await it.database.owner.query<{ reason: string }>(
    'select distinct reason from emergency_test order by reason',
  )
  const rank = {
    testDate: (one: EmergencyTest) => one.testDate,
    testType: (one: EmergencyTest) => testTypes.indexOf(one.testType),
    result: (one: EmergencyTest) => -worstResults.indexOf(one.result),
    deviceName: (one: EmergencyTest) => one.deviceName,
    buildingName: (one: EmergencyTest) => one.buildingName,
    reason: (one: EmergencyTest) => reasons.findIndex(({ reason }) => reason === one.reason),
  }
  const ids = (tests: EmergencyTest[]) => tests.map((one) => one.eventId)
  for (const sort of testSorts)
    for (const descending of [true, false]) {
      const tests = await all({ sort, descending })
      assert.equal(new Set(ids(tests)).size, 180, `${sort} ${descending}`)
      // With a filter, they are sorted even by date instead of read from the index; the result is the same.
      assert.deepEqual(ids(await all({ sort, descending, from: '2000-01-01' })), ids(tests), `${sort} ${descending}`)
      assert.deepEqual(ids(await all({ sort, descending, limit: 7 })), ids(tests), `${sort} ${descending}`)
      for (const [at, one] of tests.slice(1).entries()) {
        const [a, b] = [rank[sort](tests[at]!), rank[sort](one)]
        // Lights without a building come last in both directions.
        assert.ok(b === null || (a !== null && (descending ? a >= b : a <= b)), `${sort} ${descending} ${at}`)
        if (a === b && sort !== 'testDate' && (sort !== 'deviceName' || one.deviceId === tests[at]!.deviceId))
          assert.ok(tests[at]!.testDate >= one.testDate)
      }
    }
  const inCourt = ids(await all({ buildingId: building, limit: 3 }))
  assert.ok(inCourt.length > 3)
  for (const descending of [true, false])
    assert.equal(
      (await all({ buildingId: building, sort: 'buildingName', descending, limit: 3 })).length,
      inCourt.length,
    )
})

/** Adds tests of one type and result to a light, one a minute. */
const addMany = (deviceId: string, from: number, count: number) =>
  it.database.owner.query(
    `insert into emergency_test (tenant_id, event_id, device_id, test_type, started_at, result, reason, component_states, series)
     select $1, gen_random_uuid(), $2, 'T0', to_timestamp($3::float8 / 1000) + n * interval '1 minute', 'Passed', '', '{}', '[]'
     from generate_series(1, $4::int) n`,
    [tenant, deviceId, from, count],
  )

test('more than 10,000 tests are read by date alone; another order is refused until the filter leaves fewer', async () => {
  const busy = await addDevice(it, tenant, { name: 'Busy' })
  onTestFinished(async () => void (await it.database.owner.query('delete from device where id = $1', [busy])))
  const others = testSorts.filter((sort) => sort !== 'testDate')
  await addMany(busy, Date.UTC(2026, 3, 1), mostTestsCounted)
  for (const sort of testSorts) {
    const { status, body } = await page({ text: 'busy', sort, limit: 3 })
    assert.deepEqual([status, body.data?.total, body.data?.tests.length], [200, mostTestsCounted, 3], sort)
  }
  await addMany(busy, Date.UTC(2026, 4, 1), 1)
  for (const asked of [{ text: 'busy' }, { result: 'Passed' as const }, {}])
    for (const sort of others) {
      const { status, body } = await page({ ...asked, sort })
      assert.deepEqual([status, body.validationErrors], [400, [{ field: 'sort', message: tooManyTestsToSort }]], sort)
    }
  assert.equal(tooManyTestsToSort, 'Sort by test date, or narrow the filter to at most 10,000 tests.')
  for (const descending of [true, false]) {
    const first = await page({ text: 'busy', descending, limit: 3 })
    assert.deepEqual([first.status, first.body.data!.total], [200, mostTestsCounted + 1])
    const second = await page({ text: 'busy', descending, limit: 3, after: first.body.data!.next! })
    const found = [...first.body.data!.tests, ...second.body.data!.tests]
    const times = found.map(({ testDate }) => testDate)
    assert.equal(new Set(times).size, 6)
    assert.deepEqual(times, descending ? times.toSorted().toReversed() : times.toSorted())
    assert.ok(found.every(({ deviceName }) => deviceName === 'Busy'))
  }
  // With a filter, the order is allowed again; users who see a single light need no filter.
  for (const sort of others) {
    assert.equal((await page({ text: 'busy', from: '2026-05-01', sort })).body.data!.total, 1, sort)
    assert.equal((await page({ sort }, limited)).status, 200, sort)
  }
})

test('a page of a few tests is found behind many others', async () => {
  const [busy, quiet] = [await addDevice(it, tenant, { name: 'Busy' }), await addDevice(it, tenant, { name: 'Quiet' })]
  onTestFinished(
    async () => void (await it.database.owner.query('delete from device where id = any($1)', [[busy, quiet]])),
  )
  await addMany(busy, Date.UTC(2026, 3, 1), 2000)
  await addMany(quiet, Date.UTC(2026, 2, 1), 3)
  await addMany(quiet, Date.UTC(2026, 4, 1), 2)
  for (const descending of [true, false]) {
    const times = (await all({ text: 'quiet', limit: 2, descending })).map(({ testDate }) => testDate)
    assert.equal(times.length, 5)
    assert.deepEqual(times, descending ? times.toSorted().toReversed() : times.toSorted())
  }
})

test('by building, type, words and one of seven results, singly and combined [est-3-47]', async () => {
  const everything = await all()
  const expect = async (asked: Asked, fits: (one: EmergencyTest) => boolean) => {
    const ids = (tests: EmergencyTest[]) => tests.map((one) => one.eventId).sort()
    assert.deepEqual(ids(await all(asked)), ids(everything.filter(fits)), JSON.stringify(asked))
    // The order decides how they are counted.
    for (const sort of testSorts)
      assert.equal((await page({ ...asked, sort })).body.data!.total, everything.filter(fits).length, sort)
  }
  const inCourt = (one: EmergencyTest) => lights.slice(0, 3).includes(one.deviceId)
  await expect({ buildingId: building }, inCourt)
  await expect({ text: 'court' }, inCourt)
  await expect({ text: 'LIGHT B' }, (one) => one.deviceName === 'Light B')
  await expect({ text: '100%' }, () => false)
  for (const testType of testTypes) await expect({ testType }, (one) => one.testType === testType)
  for (const result of testResults) await expect({ result, sort: 'result' }, (one) => one.result === result)
  assert.equal((await page({ result: 'Marginal' as never })).status, 400)
  for (const sort of testSorts) await expect({ groupId: group, sort }, (one) => inGroup().includes(one.deviceId))
  assert.ok((await all({}, limited)).length > 0)
  assert.deepEqual(await all({ groupId: group }, limited), [], 'of groups they know nothing')
  await expect({ groupId: group, buildingId: building }, (one) => one.deviceId === lights[2])
  await expect({ groupId: randomUUID() }, () => false)
  assert.deepEqual(new Set(everything.map((one) => one.result)), new Set(testResults))
  await expect(
    { buildingId: building, testType: 'T0', sort: 'deviceName' },
    (one) => inCourt(one) && one.testType === 'T0',
  )
})

test("by days of the client's time zone, both inclusive", async () => {
  const everything = await all()
  const count = async (asked: Asked) => {
    const tests = await all(asked)
    assert.equal((await page(asked)).body.data!.total, tests.length)
    return tests.length
  }
  const within = (from: string, to: string) =>
    everything.filter(({ testDate }) => testDate.slice(0, 10) >= from && testDate.slice(0, 10) <= to).length
  assert.equal(await count({ from: '2026-01-05', to: '2026-01-09' }), within('2026-01-05', '2026-01-09'))
  assert.equal(await count({ to: '2026-01-01', sort: 'reason' }), within('2026-01-01', '2026-01-01'))
  assert.equal(await count({ from: '2026-01-30', sort: 'deviceName' }), within('2026-01-30', '2026-12-31'))
  assert.equal(await count({ from: '2026-01-09', to: '2026-01-05' }), 0)
  for (const from of ['2026-02-30', '1 May', '2026-1-1']) assert.equal((await page({ from })).status, 400, from)
  // Half past midnight in summer is the day before in UTC.
  const eventId = randomUUID()
  await report(lights[0]!, { eventId, start: Date.UTC(2026, 6, 9, 23, 30) })
  assert.equal(await count({ from: '2026-07-10', to: '2026-07-10' }), 1)
  assert.equal(await count({ from: '2026-07-09', to: '2026-07-09' }), 0)
  await it.database.owner.query('delete from emergency_test where event_id = $1', [eventId])
})

test('a grid of months has every visible light, by name, with its tests of the year', async () => {
  const months = (asked: object, email = manager) =>
    it.send(getTestMonths, { body: { tenant, year: 2026, ...asked } }, email)
  const pages = async (asked: object, email = manager) => {
    const found = []
    for (let next: string | null | undefined; next !== null;) {
      const { status, body } = await months({ limit: 5, ...asked, ...(next && { after: next }) }, email)
      assert.equal(status, 200)
      found.push(...body.data!.lights)
      next = body.data!.next
    }
    return found
  }
  const found = await pages({})
  const everything = await all()
  assert.equal((await months({})).body.data!.total, found.length)
  assert.deepEqual(
    found.map(({ deviceName }) => deviceName),
    found.map(({ deviceName }) => deviceName).toSorted(),
  )
  assert.deepEqual(new Set(found.map(({ deviceId }) => deviceId)).size, found.length)
  for (const { deviceId, tests } of found)
    assert.deepEqual(
      tests.map(({ eventId }) => eventId).sort(),
      everything
        .filter((one) => one.deviceId === deviceId)
        .map(({ eventId }) => eventId)
        .sort(),
    )
  assert.ok((await pages({ year: 2025 })).every(({ tests }) => tests.length === 0))
  assert.ok((await pages({ testType: 'T5' })).every(({ tests }) => tests.every(({ testType }) => testType === 'T5')))
  assert.deepEqual((await pages({ groupId: group })).map(({ deviceId }) => deviceId).sort(), inGroup().toSorted())
  assert.equal((await pages({ text: 'court' })).length, 3)
  // A limited user has the lights of their tags; another tenant, another area and an invented place have none.
  assert.deepEqual(
    (await pages({}, limited)).map(({ deviceId }) => deviceId),
    [mine],
  )
  assert.equal((await months({}, boilers)).status, 403)
  assert.equal((await it.send(getTestMonths, { body: { tenant: 'south', year: 2026 } }, manager)).status, 404)
  for (const after of ['x', Buffer.from('["a"]').toString('base64url'), Buffer.from('"[1,2]"').toString('base64url')])
    assert.equal((await months({ after })).status, 400, after)
})

test('the overview counts lights per month and type by worst result, with corrected and disputed ones', async () => {
  const sent = (asked: object = {}, email = manager) =>
    it.send(getTestOverview, { body: { tenant, until: '2026-02', ...asked } as never }, email)
  const tests = await all()
  const expected = (some: readonly EmergencyTest[]) =>
    [...Map.groupBy(some, ({ testDate, testType }) => `${testDate.slice(0, 7)} ${testType}`)]
      .map(([key, of]) => {
        const [month, testType] = key.split(' ')
        const worstOf = [...Map.groupBy(of, ({ deviceId }) => deviceId).values()].map((ofLight) =>
          Math.min(...ofLight.map(({ result }) => worstResults.indexOf(result))),
        )
        const worst = Math.min(...worstOf)
        return {
          ...{ month, testType, lights: worstOf.length, worst: worstResults[worst] },
          ...{
            worstLights: worstOf.filter((one) => one === worst).length,
            corrected: of.filter((one) => one.corrected).length,
          },
          disputed: of.filter(({ disputed }) => disputed).length,
        }
      })
      .toSorted((a, b) =>
        `${a.month}${testTypes.indexOf(a.testType as TestType)}`.localeCompare(
          `${b.month}${testTypes.indexOf(b.testType as TestType)}`,
        ),
      )
  const { status, body } = await sent()
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    [body.data!.months[0], body.data!.months.at(-1), body.data!.months.length],
    ['2025-03', '2026-02', 12],
  )
  assert.deepEqual(body.data!.cells, expected(tests))
  assert.deepEqual(
    (await sent({}, limited)).body.data!.cells,
    expected(tests.filter(({ deviceId }) => deviceId === mine)),
  )
  assert.deepEqual(
    (await sent({ buildingId: building })).body.data!.cells,
    expected(tests.filter(({ buildingName }) => buildingName === 'Court')),
  )
  assert.deepEqual((await sent({ until: '2024-12' })).body.data!.cells, [])
  assert.equal((await sent({}, boilers)).status, 403)
  assert.equal((await sent({ tenant: 'south' })).status, 404)
})

test('a grid of months is narrowed to lights with a result; corrected results are found among all', async () => {
  const failed = (await all({ result: 'Failed' })).filter(({ testDate }) => testDate.startsWith('2026'))
  const { body } = await it.send(getTestMonths, { body: { tenant, year: 2026, result: 'Failed', limit: 100 } }, manager)
  const { lights: some, total } = body.data!
  assert.deepEqual(new Set(some.map(({ deviceId }) => deviceId)), new Set(failed.map(({ deviceId }) => deviceId)))
  assert.equal(total, some.length)
  assert.ok(total! < lights.length + 1 && some.every(({ tests }) => tests.every(({ result }) => result === 'Failed')))
  const [one] = await all({ result: 'Degraded' })
  await it.database.owner.query(
    `update emergency_test set corrected_at = now(), corrected_by = 'Sam', judged = $3 where tenant_id = $1 and event_id = $2`,
    [tenant, one!.eventId, JSON.stringify({ result: 'Failed', reason: '-', componentStates: {} })],
  )
  for (const sort of testSorts)
    assert.deepEqual(
      (await all({ decision: 'corrected', sort })).map(({ eventId }) => eventId),
      [one!.eventId],
    )
  await it.database.owner.query(
    `update emergency_test set corrected_at = null, corrected_by = null, judged = null where tenant_id = $1 and event_id = $2`,
    [tenant, one!.eventId],
  )
})

test('pages with fewer rows than lights leave nothing out in either direction', async () => {
  const named = (await all()).filter((one) => one.deviceName.startsWith('Light'))
  for (const descending of [true, false])
    for (const limit of [1, 3, 5]) {
      const tests = await all({ text: 'light', limit, descending })
      const times = tests.map((one) => one.testDate)
      assert.deepEqual(tests.map((one) => one.eventId).sort(), named.map((one) => one.eventId).sort())
      assert.deepEqual(times, descending ? times.toSorted().toReversed() : times.toSorted())
    }
})

test('limited users see the tests of their lights; other tenants, areas and invented places give none', async () => {
  const seen = await all({}, limited)
  assert.ok(seen.length > 0 && seen.every((one) => one.deviceId === mine))
  assert.deepEqual((await all({}, guest)).length, 180)
  assert.equal((await page({}, boilers)).status, 403)
  assert.equal((await it.send(getAllTests, { body: { tenant: 'south' } }, manager)).status, 404)
  const [first, byName] = [await page({ limit: 1 }), await page({ limit: 1, sort: 'deviceName' })]
  const madeUp = (...keys: (string | null)[]) => {
    const [number, size, question] = JSON.parse(
      Buffer.from(first.body.data!.next!, 'base64url').toString(),
    ) as unknown[]
    return Buffer.from(JSON.stringify([number, size, question, keys])).toString('base64url')
  }
  const after = ['x', 'W10', byName.body.data!.next!, madeUp('2026-02-31 02:00:00+00', randomUUID()), madeUp('x', 'x')]
  for (const one of after) assert.equal((await page({ limit: 1, after: one })).status, 400, one)
  // A cursor of another query.
  assert.equal((await page({ limit: 1, testType: 'T0', after: first.body.data!.next! })).status, 400)
  assert.equal((await page({ limit: 1, after: madeUp('2026-01-01 02:00:00+00', randomUUID()) })).status, 200)
})

test('a file has all matching tests, newest first, with readable times, everything quoted and no formula', async () => {
  const file = async (asked: object, email = manager) => {
    const reply = await it.app.inject({
      ...{ method: 'POST', url: exportAllTests.path, payload: { tenant, ...asked } },
      headers: { authorization: `Bearer ${await it.token(email)}` },
    })
    return {
      name: reply.headers['content-disposition'],
      lines: reply.body.trimEnd().split('\r\n'),
      status: reply.statusCode,
    }
  }
  const { name, lines } = await file({})
  assert.match(String(name), /filename="\d\d-[A-Z][a-z][a-z]-\d{4}-test-results\.csv"/)
  assert.ok(lines[0]!.startsWith('\uFEFF"Light","Building","Test date","Test","Result","Reason","Battery"'))
  assert.equal(lines.length, 181)
  assert.match(
    lines[1]!,
    /^"(Light [A-G]|Mine)","(Court|Annex|Yard)?","09\/02\/2026 00:00:00","T\d+","\w+","'=reason, ""\d+"""/,
  )
  assert.equal(
    (await file({ buildingId: building, testType: 'T180' })).lines.length - 1,
    (await all({ buildingId: building, testType: 'T180' })).length,
  )
  // In any order of the page.
  assert.deepEqual((await file({ sort: 'reason', descending: false })).lines, lines)
  assert.equal((await file({}, limited)).lines.length - 1, (await all({}, limited)).length)
  assert.equal((await file({}, boilers)).status, 403)
  // Refused before the first line, because a truncated file shows no reason.
  assert.equal((await file({ text: 'a\u0000b' })).status, 400)
})

const start = Date.UTC(2026, 5, 5)
const report = (
  deviceId: string,
  content: {
    eventId?: string
    testType?: TestType
    result?: TestResult
    componentStates?: object
    series?: TestPoint[]
    start?: number
  },
) =>
  work((tx) =>
    ingestTests(tx, [
      {
        ...{ deviceId, tenant, receivedAt: new Date() },
        payload: { eventId: randomUUID(), testType: 'T0', start, componentStates: {}, series: [], ...content } as never,
      },
    ]),
  )
const testsOf = async (deviceId: string, email = admin) =>
  (await it.send(getAllDeviceTests, { body: { tenant, deviceId } }, email)).body.data!

test('an administrator corrects a result; the verdict is kept and the light follows [dev-7actions-40 dev-7actions-41]', async () => {
  const light = await addDevice(it, tenant)
  const eventId = randomUUID()
  await report(light, { eventId, result: 'Failed', componentStates: { Battery: 'Ok', Lamp: 'Failed' } })
  const open = async () =>
    (await it.send(getDeviceConditions, { body: { tenant, deviceId: light } }, admin)).body.data!.open.map(
      ({ kind }) => kind,
    )
  assert.deepEqual(await open(), ['testFailed'])
  // The form's fields plus the device.
  const { status, body } = await correct(light, { eventId, Lamp: 'Ok', reason: 'Looked at it: lit' })
  assert.equal(status, 200)
  assert.partialDeepStrictEqual(body.data, {
    ...{ result: 'Passed', reason: 'Looked at it: lit', componentStates: { Battery: 'Ok', Lamp: 'Ok' } },
    reportedResult: 'Failed',
    corrected: { reason: 'Looked at it: lit', was: { result: 'Failed', reason: 'Predicted Failed Components: Lamp.' } },
  })
  assert.deepEqual(await open(), [])
  // Corrected again, the verdict of the rule stays; another state replaces the one that follows from the parts.
  await correct(light, { eventId, Battery: 'Degraded', otherState: 'Suppressed', reason: 'Not in use' })
  const [again] = await testsOf(light)
  assert.deepEqual(
    [again!.result, again!.corrected!.was.result, again!.componentStates.Battery],
    ['Suppressed', 'Failed', 'Degraded'],
  )
  // With reason and device only, the reason of the newest test changes.
  await correct(light, { reason: 'Not ours' })
  assert.deepEqual([(await testsOf(light))[0]!.result, (await testsOf(light))[0]!.reason], ['Suppressed', 'Not ours'])
  // The light reports it again, which changes nothing.
  await report(light, { eventId, result: 'Failed', componentStates: { Lamp: 'Failed' } })
  assert.equal((await testsOf(light))[0]!.result, 'Suppressed')
  const { rows } = await it.database.owner.query(
    "select person_name, before, after from audit_entry where action = 'test result corrected' and subject_id = $1 order by at limit 1",
    [light],
  )
  assert.partialDeepStrictEqual(rows[0], {
    before: { eventId, testType: 'T0', result: 'Failed', Lamp: 'Failed' },
    after: { result: 'Passed', reason: 'Looked at it: lit', Lamp: 'Ok' },
  })
})

test("an empty reason of the rule is stored as '-', and is not a user's reason [dev-4tests-11]", async () => {
  const light = await addDevice(it, tenant)
  await report(light, { result: 'Suppressed', componentStates: { Lamp: 'Ok' } })
  assert.equal((await testsOf(light))[0]!.reason, '-')
  const generated = 'Device successfully completed test.'
  for (const form of [{}, { reason: '' }, { reason: '   ' }, { reason: '-' }, { Lamp: 'Ok', reason: generated }]) {
    const { status, body } = await correct(light, form)
    assert.deepEqual([status, body.message], [400, 'Give the reason in your own words.'], JSON.stringify(form))
  }
  const [kept] = await testsOf(light)
  assert.deepEqual([kept!.result, kept!.reason, kept!.corrected], ['Suppressed', '-', null])
  assert.equal((await correct(light, { Lamp: 'Ok', reason: `${generated} Seen lit` })).status, 200)
})

test('nobody else can correct tests, and only tests of that light are found', async () => {
  const [light, other] = [await addDevice(it, tenant), await addDevice(it, tenant)]
  const eventId = randomUUID()
  await report(light, { eventId, result: 'Passed', componentStates: { Lamp: 'Ok' } })
  for (const email of [manager, guest, limited, boilers])
    assert.equal((await correct(light, { eventId, Lamp: 'Failed' }, email)).status, 403, email)
  assert.equal((await correct(other, { eventId, Lamp: 'Failed' })).status, 404)
  assert.equal((await correct(other, { reason: 'x' })).status, 404)
  assert.equal((await correct(randomUUID(), { eventId, Lamp: 'Failed' })).status, 404)
  const south = { form: { tenant: 'south', deviceId: light, eventId, Lamp: 'Failed' as const } }
  assert.equal((await it.send(updateTestResult, south, admin)).status, 404)
  assert.equal((await correct(light, { eventId, Lamp: 'Broken' })).status, 400)
  assert.equal((await testsOf(light))[0]!.result, 'Passed')
  assert.equal((await correct(light, { eventId, Lamp: 'Failed', reason: 'Seen dark' }, developer)).status, 200)
})

test('administrators get all series, others the first three', async () => {
  const light = await addDevice(it, tenant)
  const point = { seconds: 1, batteryVoltage: 4, lampPower: 2, lampCurrent: 0.3, lampVoltage: 9, pLive: 0 }
  await report(light, { result: 'Passed', series: [point] })
  const names = async (email: string) =>
    (await testsOf(light, email))[0]!.series.map(({ dataSeriesId }) => dataSeriesId)
  const first = ['batteryVoltage', 'lampPower', 'lampCurrent']
  assert.deepEqual(await names(admin), [...first, 'lampVoltage', 'pLive'])
  for (const email of [manager, guest]) assert.deepEqual(await names(email), first)
})
