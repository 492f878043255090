import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import type { z } from 'zod'
import { sql } from 'kysely'
import { getEmeredGroups, getTenantEmeredTestShedules } from '@caretaker/contract/groups.ts'
import { getDeviceTestRuns } from '@caretaker/contract/lighting.ts'
import type { Test } from '@caretaker/contract/mqtt/payloads.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { chanceOf } from '../../testing/chance.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { ingestReplies } from '../commands/ingest.ts'
import { expireCommands } from '../commands/store.ts'
import { runTests } from './engine.ts'
import { proofOf } from '../../testing/evidence.ts'
import { ingestTests } from './ingest.ts'

let it: TestApp
const tenant = 'north'
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]
beforeAll(async () => {
  it = await testApp()
  await it.addTenant(tenant)
  await it.addTenant('south')
  await it.addMember(tenant, 'guest@north.test', 'Guest')
})
afterAll(() => it.close())

const work = <T>(run: (tx: TenantTx) => Promise<T>) => inTenant(it.database.db, tenant, run)

/** A group with these lights, and a planned run. */
async function plan(deviceIds: string[], { testType = 'T0' as TestType, at = new Date() } = {}) {
  const [groupId, runId, building] = [randomUUID(), randomUUID(), randomUUID()]
  const ours = { tenant_id: tenant }
  const address = { address: '1 Mill Lane', postcode: 'LS6 1AA', latitude: 53.8, longitude: -1.5 }
  await work(async (tx) => {
    await tx
      .insertInto('building')
      .values({ ...ours, id: building, name: `Court ${building}`, ...address })
      .execute()
    const name = `Group ${groupId}`
    await tx
      .insertInto('light_group')
      .values({
        ...{ ...ours, id: groupId, name, name_key: name.toLowerCase(), building_id: building },
        ...{ t180_start: '2026-01-01 02:00:00', created_at: new Date() },
      })
      .execute()
    if (deviceIds.length)
      await sql`
        insert into light_group_member (tenant_id, device_id, group_id, added_at)
        select ${tenant}, id, ${groupId}::uuid, ${new Date()}::timestamptz from unnest(${deviceIds}::uuid[]) as id
        on conflict (tenant_id, device_id) do update set group_id = excluded.group_id`.execute(tx)
    await tx
      .insertInto('test_run')
      .values({
        ...{ ...ours, id: runId, group_id: groupId, group_name: name, building_id: building },
        ...{ test_type: testType, starts_at: at, ended_at: null },
      })
      .execute()
    await makeDue(tx, 'run tests', at)
  })
  return runId
}

const run = (now = new Date()) => runTests(it.database.db, now)
const lightsOf = (runId: string) =>
  work((tx) =>
    tx
      .selectFrom('test_run_light')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where('run_id', '=', runId)
      .orderBy('due_at')
      .orderBy('device_id')
      .execute(),
  )
const lightOf = async (runId: string, deviceId: string) =>
  (await lightsOf(runId)).find((light) => light.device_id === deviceId)!
const stateOf = async (runId: string) =>
  work(async (tx) => {
    const found = tx.selectFrom('test_run').select('state').where('tenant_id', '=', tenant).where('id', '=', runId)
    return (await found.executeTakeFirstOrThrow()).state
  })
const commandsOf = (runId: string) =>
  work((tx) =>
    tx
      .selectFrom('command')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where(sql<boolean>`args ->> 'runId' = ${runId}`)
      .execute(),
  )
const reply = (deviceId: string, commandId: string, status: 'confirmed' | 'failed', message?: string) =>
  work((tx) =>
    ingestReplies(tx, [
      { deviceId, tenant, payload: { commandId, status, ...(message && { message }) }, receivedAt: new Date() },
    ]),
  )
const report = (deviceId: string, reported: Partial<z.infer<typeof Test>>) =>
  work((tx) =>
    ingestTests(tx, [
      {
        ...{ deviceId, tenant },
        // A result arrives when the test has ended.
        receivedAt: new Date(
          (reported.start ?? Date.now()) + (reported.result && reported.testType === 'T180' ? 190 * minute : 0),
        ),
        payload: {
          ...{ eventId: randomUUID(), testType: 'T0', start: Date.now(), componentStates: {}, series: [] },
          ...(reported.result === 'Passed' && reported.testType && { statusBits: proofOf(reported.testType) }),
          ...reported,
        },
      },
    ]),
  )
const update = (deviceId: string, set: object) =>
  work((tx) => tx.updateTable('device').set(set).where('tenant_id', '=', tenant).where('id', '=', deviceId).execute())
const runsOf = async (deviceId: string) =>
  (await it.send(getDeviceTestRuns, { body: { tenant, deviceId } }, 'guest@north.test')).body.data!
const lights = async (count: number, parentId?: string) => {
  const made: string[] = []
  for (let n = 0; n < count; n++) made.push(await addDevice(it, tenant, parentId ? { parentId } : {}))
  return made
}

test('a run begins at its time, sends its commands, and ends when all lights have reported', async () => {
  const [one, two] = (await lights(2)) as [string, string]
  const runId = await plan([one, two], { at: new Date(Date.now() + minute) })
  await run()
  assert.deepEqual([await stateOf(runId), await lightsOf(runId)], ['planned', []])
  const begun = new Date(Date.now() + minute)
  await run(begun)
  assert.equal(await stateOf(runId), 'running')
  const commands = await commandsOf(runId)
  assert.deepEqual(
    commands.map((command) => command.args),
    [1, 2].map(() => ({ testType: 'T0', runId })),
  )
  assert.deepEqual(new Set(commands.map((command) => command.device_id)), new Set([one, two]))
  assert.ok(commands.every((command) => command.created_by === null && command.name === 'runTest'))

  for (const command of commands) await reply(command.device_id, command.id, 'confirmed')
  await run(begun)
  assert.ok((await lightsOf(runId)).every((light) => light.state === 'running' && light.synced_at))
  const eventId = randomUUID()
  await report(one, { eventId, runId })
  assert.deepEqual([(await lightOf(runId, one)).state, (await lightOf(runId, one)).event_id], ['running', eventId])
  await report(one, { eventId, runId, result: 'Passed', componentStates: { Lamp: 'Ok' } })
  const done = await lightOf(runId, one)
  assert.deepEqual([done.state, done.event_id, done.reason, done.ended_at !== null], ['finished', eventId, null, true])
  await run(begun)
  assert.equal(await stateOf(runId), 'running')
  // A light that does not name the run: its test is the one that was commanded.
  await report(two, { start: +begun, result: 'Failed', componentStates: { Lamp: 'Failed' } })
  await run(begun)
  assert.deepEqual([(await lightOf(runId, two)).state, await stateOf(runId)], ['finished', 'over'])
  assert.equal((await commandsOf(runId)).length, 2)
})

test('lights behind one gateway take turns two seconds apart, queued at most a minute ahead', async () => {
  const gateway = await addDevice(it, tenant, { product: 'MG' })
  const behind = await lights(40, gateway)
  const alone = await lights(3)
  const runId = await plan([...behind, ...alone])
  const now = new Date()
  await run(now)
  const turns = (await lightsOf(runId)).map((light) => +light.due_at - +now)
  assert.deepEqual(turns, [0, 0, 0, ...Array.from({ length: 40 }, (_, n) => n * 2 * second)])
  const { rows } = await it.database.owner.query<{ due: Date }>(
    'select due_at as due from command_outbox where device_id = any($1) order by due_at',
    [behind],
  )
  assert.deepEqual(
    rows.map(({ due }) => +due - +now),
    Array.from({ length: 31 }, (_, n) => n * 2 * second),
  )
  await run(new Date(+now + 30 * second))
  assert.equal((await commandsOf(runId)).length, 43)
})

test('with devices in between and groups starting together, a gateway still sends one light every two seconds', async () => {
  const gateway = await addDevice(it, tenant, { product: 'MG' })
  const extenders = await Promise.all([1, 2].map(() => addDevice(it, tenant, { product: 'ZR', parentId: gateway })))
  const [first, other] = await Promise.all(
    [8, 4].map(async (n) => [...(await lights(n, extenders[0])), ...(await lights(n, extenders[1]))]),
  )
  const now = new Date()
  const runIds = [await plan(first!, { at: new Date(+now - minute) }), await plan(other!, { at: now })]
  // By two workers at once, as after a restart.
  await Promise.all([run(now), run(now)])
  const turns = async (runId: string) => (await lightsOf(runId)).map((light) => (+light.due_at - +now) / (2 * second))
  const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n)
  assert.deepEqual([await turns(runIds[0]!), await turns(runIds[1]!)], [range(0, 16), range(16, 8)])
  // A third run comes when the gateway has sent half of them.
  const later = await plan(await lights(2, gateway), { at: new Date(+now + 24 * second) })
  await run(new Date(+now + 24 * second))
  assert.deepEqual(await turns(later), range(24, 2))
})

test('the reason of a missing result is known: refused, offline, no answer, no mains, discharged, not installed', async () => {
  const [refused, offline, silent, dark, drained, stock, fine] = (await lights(7)) as [string, ...string[]]
  const since = new Date(Date.UTC(2026, 10, 12, 2, 11))
  await update(offline!, { connection_status: 'NotConnected', connection_at: since })
  await update(silent!, { connection_status: 'Connected' })
  await update(dark!, { reported: { mains: false, mainsSince: +since } })
  await update(stock!, { status: 'Inventory' })
  const now = new Date()
  await report(drained!, {
    testType: 'T60',
    start: +now - 5 * hour,
    result: 'Passed',
    componentStates: { Battery: 'Ok' },
  })
  const runId = await plan([refused, offline!, silent!, dark!, drained!, stock!, fine!], { testType: 'T180', at: now })
  await run(now)
  const commands = new Map((await commandsOf(runId)).map((command) => [command.device_id, command.id]))
  assert.deepEqual(new Set(commands.keys()), new Set([refused, offline, silent, fine]))
  await reply(refused, commands.get(refused)!, 'failed', 'T5 is still running')
  await reply(fine!, commands.get(fine!)!, 'confirmed')
  await it.database.owner.query('update command set expires_at = $2 where id = any($1)', [
    [commands.get(offline!), commands.get(silent!)],
    new Date(+now - 1),
  ])
  await expireCommands(it.database.db)
  await run(now)
  const outcome = async (deviceId: string) => {
    const { state, reason, ended_at, command_id } = await lightOf(runId, deviceId)
    assert.equal(ended_at !== null, state !== 'running')
    assert.equal(command_id !== null, commands.has(deviceId))
    return [state, reason]
  }
  assert.deepEqual(await outcome(refused), ['notStarted', 'T5 is still running'])
  assert.deepEqual(await outcome(offline!), ['missed', 'Offline since 12/11/2026 02:11.'])
  assert.deepEqual(await outcome(silent!), ['missed', 'The light did not answer.'])
  assert.deepEqual(await outcome(dark!), ['notStarted', 'No mains since 12/11/2026 02:11.'])
  assert.match((await outcome(drained!))[1]!, /^Less than 24 h of charge: the battery was used by a test /)
  assert.deepEqual(await outcome(stock!), ['notStarted', 'The light is not installed.'])
  assert.deepEqual(await outcome(fine!), ['running', null])
  // It began, and its end was never reported.
  await run(new Date(+now + 3 * hour))
  assert.equal((await outcome(fine!))[0], 'running')
  await run(new Date(+now + 4 * hour))
  assert.deepEqual(await outcome(fine!), [
    'interrupted',
    'The light did not report the end of the test within 210 min.',
  ])
  assert.equal(await stateOf(runId), 'over')
  const missed = await it.send(getDeviceTestRuns, { body: { tenant, deviceId: offline! } }, 'guest@north.test')
  assert.deepEqual(
    missed.body.data!.map(({ testType, state, reason }) => [testType, state, reason]),
    [
      // The planned night.
      ['T180', 'planned', null],
      ['T180', 'missed', 'Offline since 12/11/2026 02:11.'],
    ],
  )
  const unseen = { body: { tenant: 'south', deviceId: offline! } }
  assert.equal((await it.send(getDeviceTestRuns, unseen, 'guest@north.test')).status, 404)
  // A late report still counts.
  const states = { Battery: 'Ok' } as const
  await report(fine!, { testType: 'T180', runId, start: +now, result: 'Passed', componentStates: states })
  assert.deepEqual(await outcome(fine!), ['finished', null])
})

test('a battery fitted yesterday, by its record or a repair, is charged before a long test', async () => {
  const [recorded, repaired, lamp, old] = (await lights(4)) as [string, string, string, string]
  const day = (ago: number) => new Date(Date.now() - ago * 24 * hour).toISOString().slice(0, 10)
  await work(async (tx) => {
    await tx
      .insertInto('emergency_equipment')
      .values([
        { tenant_id: tenant, device_id: recorded, battery_installed: day(1) },
        { tenant_id: tenant, device_id: old, battery_installed: day(3) },
      ])
      .execute()
    await tx
      .insertInto('repair_form')
      .values(
        [repaired, lamp].map((device_id) => ({
          ...{ tenant_id: tenant, id: randomUUID(), device_id, at: new Date(), part: 'equipment' as const },
          parts: JSON.stringify({ battery: device_id === repaired, inverter: false, lamp: device_id === lamp }),
          ...{ description: '', repaired_by: 'Ann', repaired_on: day(1), person_id: null, person_name: 'Ann' },
        })),
      )
      .execute()
  })
  const runId = await plan([recorded, repaired, lamp, old], { testType: 'T180' })
  await run()
  const states = async (id: string) => (await lightOf(runId, id)).state
  assert.deepEqual(
    [await states(recorded), await states(repaired), await states(lamp), await states(old)],
    ['notStarted', 'notStarted', 'sent', 'sent'],
  )
  assert.match((await lightOf(runId, repaired)).reason!, /^Less than 24 h of charge: the battery was fitted by /)
})

test('a test that the light could not begin is missed and has no result; one that it ended is interrupted', async () => {
  const [delayed, gaveUp] = (await lights(2)) as [string, string]
  const runId = await plan([delayed, gaveUp])
  await run()
  const eventId = randomUUID()
  await report(delayed, { eventId, runId })
  await report(delayed, { eventId, runId, statusBits: { failure: 16 } })
  await report(gaveUp, { runId, result: 'Indeterminate' })
  const states = async (id: string) => [(await lightOf(runId, id)).state, (await lightOf(runId, id)).reason]
  assert.deepEqual(await states(delayed), ['missed', 'The light could not start the test in time.'])
  assert.deepEqual(await states(gaveUp), ['interrupted', 'The light ended the test without a result.'])
  const { rows } = await it.database.owner.query('select from emergency_test where event_id = $1', [eventId])
  assert.equal(rows.length, 0)
})

test('a missed yearly test is planned again within 30 days, only for the lights that missed it, and never twice', async () => {
  const [well, dark] = (await lights(2)) as [string, string]
  const at = new Date(Date.now() - 5 * minute)
  const runId = await plan([well, dark], { testType: 'T180', at })
  await update(dark, { reported: JSON.stringify({ mains: false }) })
  await run()
  const [command] = await commandsOf(runId)
  await reply(well, command!.id, 'confirmed')
  await report(well, { testType: 'T180', runId, result: 'Passed', start: +at, componentStates: { Battery: 'Ok' } })
  await run(new Date(Date.now() + minute))
  assert.equal(await stateOf(runId), 'over')

  const repeats = () =>
    work((tx) =>
      tx
        .selectFrom('test_run')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .where('repeats', '=', runId)
        .orderBy('starts_at')
        .execute(),
    )
  const [first] = await repeats()
  const group = first!.group_id
  const days = (each: { starts_at: Date }) => (+each.starts_at - +at) / (24 * hour)
  assert.ok(days(first!) > 6 && days(first!) <= 8, String(days(first!)))
  const runs = await runsOf(dark)
  assert.deepEqual(
    runs.map(({ state, startsAt, again }) => [state, startsAt, again]),
    [
      ['planned', first!.starts_at.toISOString(), null],
      ['notStarted', at.toISOString(), first!.starts_at.toISOString()],
    ],
  )
  assert.deepEqual(await runsOf(well), [])
  const span = { from: new Date(+at - day).toISOString(), to: new Date(+at + 40 * day).toISOString() }
  const asked = { body: { tenant, groupName: `Group ${group}`, ...span } }
  const plan180 = (await it.send(getTenantEmeredTestShedules, asked, 'guest@north.test')).body
  assert.deepEqual(
    plan180.data?.map(({ state, lights: count, again, repeats: of }) => [state, count, again, of]),
    [
      ['over', 2, first!.starts_at.toISOString(), null],
      ['planned', 1, null, at.toISOString()],
    ],
  )

  // The row of its group shows it as well.
  const rows = (await it.send(getEmeredGroups, { body: { tenant } }, 'guest@north.test')).body.data!.groups
  assert.deepEqual(rows.find(({ groupId }) => groupId === group)?.missed, { testDate: at.toISOString(), lights: 1 })

  // However often and by however many workers it runs.
  await Promise.all([run(), run(), run(new Date(Date.now() + hour))])
  assert.equal((await repeats()).length, 1)
  // A test missed repeatedly is retried until it is too late.
  let now = first!.starts_at
  for (let tries = 1; ; tries++) {
    await run(new Date(+now + minute))
    const last = (await repeats()).findLast(({ state }) => state !== 'planned')!
    assert.deepEqual(
      (await lightsOf(last.id)).map(({ device_id, state }) => [device_id, state]),
      [[dark, 'notStarted']],
    )
    const next = (await repeats()).find(({ state }) => state === 'planned')
    if (!next) {
      assert.equal(tries, 4)
      assert.ok(days(last) <= 30)
      break
    }
    assert.ok(days(next) - days(last) > 6.8)
    now = next.starts_at
  }
  const ofDark = await runsOf(dark)
  assert.deepEqual([...new Set(ofDark.map(({ again }) => again))], [null])
})

test('a light tested meanwhile, or no longer in the group, is left out of the repeated test', async () => {
  const [tested, gone] = (await lights(2)) as [string, string]
  const at = new Date(Date.now() - 3 * hour)
  const runId = await plan([tested, gone], { testType: 'T180', at })
  await run()
  assert.equal(await stateOf(runId), 'over')
  const repeat = await work((tx) =>
    tx
      .selectFrom('test_run')
      .select(['id', 'starts_at'])
      .where('tenant_id', '=', tenant)
      .where('repeats', '=', runId)
      .executeTakeFirstOrThrow(),
  )
  await report(tested, { testType: 'T180', result: 'Passed', start: Date.now(), componentStates: { Battery: 'Ok' } })
  await work((tx) =>
    tx.deleteFrom('light_group_member').where('tenant_id', '=', tenant).where('device_id', '=', gone).execute(),
  )
  for (const deviceId of [tested, gone]) {
    assert.deepEqual(
      (await runsOf(deviceId)).filter(({ state, again }) => state === 'planned' || again),
      [],
    )
  }
  await run(new Date(+repeat.starts_at + minute))
  assert.deepEqual([await stateOf(repeat.id), await lightsOf(repeat.id)], ['cancelled', []])
})

test('runs due while nothing was running start within two hours; later they are missed: a monthly test repeats within days', async () => {
  const [soon, late, slow, asked] = (await lights(4)) as [string, string, string, string]
  const now = new Date()
  const caughtUp = await plan([soon], { at: new Date(+now - 2 * hour) })
  const missed = await plan([late], { at: new Date(+now - 2 * hour - 1) })
  const begun = await plan([slow], { at: new Date(+now - 3 * hour) })
  await plan([asked], { testType: 'T5', at: new Date(+now - 3 * hour) })
  // It began at its time, and then no worker ran for hours.
  await it.database.owner.query("update test_run set state = 'running' where id = $1", [begun])
  await it.database.owner.query(
    'insert into test_run_light (tenant_id, run_id, device_id, due_at) values ($1, $2, $3, $4)',
    [...[tenant, begun, slow], new Date(+now - 3 * hour)],
  )
  await run(now)
  assert.deepEqual([await stateOf(caughtUp), (await lightOf(caughtUp, soon)).state], ['running', 'sent'])
  for (const [runId, light] of [
    [missed, late],
    [begun, slow],
  ] as const) {
    const { state, reason, ended_at } = await lightOf(runId, light)
    assert.deepEqual([state, reason, ended_at !== null], ['missed', 'The server was not running.', true])
    assert.deepEqual([await stateOf(runId), await commandsOf(runId)], ['over', []])
    const [next, first] = await runsOf(light)
    assert.deepEqual([next!.state, next!.testType, first!.again], ['planned', 'T0', next!.startsAt])
    const days = (Date.parse(next!.startsAt) - +now) / day
    assert.ok(days > 2 && days <= 7, String(days))
  }
  // Only the group requires a T5, which waits for its next date.
  assert.deepEqual(
    (await runsOf(asked)).map(({ state, again }) => [state, again]),
    [['missed', null]],
  )
})

test('killed at any point and restarted by two workers, it sends each light one command and leaves none out', async () => {
  const chance = chanceOf('killed engines')
  const gateway = await addDevice(it, tenant, { product: 'MG' })
  const members = [...(await lights(6, gateway)), ...(await lights(6))]
  let kills = 0
  for (let round = 0; round < 12; round++) {
    const runId = await plan(members)
    const now = new Date()
    const killed = async () => {
      let left = 1 + Math.floor(chance() * 25)
      const dying = it.database.db.withPlugin({
        transformQuery: ({ node }) => {
          if (left-- === 0) throw new Error('killed')
          return node
        },
        transformResult: async ({ result }) => result,
      })
      await runTests(dying, now).catch(() => kills++)
    }
    for (let n = 0; n < 6; n++) await (chance() < 0.5 ? killed() : Promise.all([killed(), killed()]))
    await Promise.all([run(now), run(now)])
    const commands = await commandsOf(runId)
    assert.deepEqual(commands.map((command) => command.device_id).sort(), members.toSorted(), `round ${round}`)
    const states = await lightsOf(runId)
    assert.ok(states.every((light) => light.state === 'sent' && light.command_id))
    for (const command of commands) await reply(command.device_id, command.id, 'failed', 'no')
    await Promise.all([killed(), killed(), run(now)])
    await run(now)
    assert.ok((await lightsOf(runId)).every((light) => light.state === 'notStarted' && light.reason === 'no'))
    assert.equal(await stateOf(runId), 'over')
  }
  assert.ok(kills > 24, `${kills} died in the middle`)
})

test('a night of 20,000 lights is commanded and reported in batches', async () => {
  const count = 20_000
  const { rows } = await it.database.owner.query<{ id: string }>(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity)
     select $1, gen_random_uuid(), 'EMN' || n || 'X', 'EM', 'Light ' || n, 'EmergencyLights', 'Ok', 2
     from generate_series(1, $2) as n returning id`,
    [tenant, count],
  )
  // As autovacuum eventually does, so that no plan made for a few devices remains.
  await it.database.owner.query('analyze device')
  const ids = rows.map((row) => row.id)
  const runId = await plan(ids)
  let statements = 0
  const counting = it.database.db.withPlugin({
    transformQuery: ({ node }) => (statements++, node),
    transformResult: async ({ result }) => result,
  })
  await runTests(counting)
  assert.equal((await commandsOf(runId)).length, count)
  assert.ok(statements < count / 50, `${statements} statements to tell ${count} lights`)
  statements = 0
  for (let from = 0; from < count; from += 5000)
    await inTenant(counting, tenant, (tx) =>
      ingestTests(
        tx,
        ids.slice(from, from + 5000).map((deviceId) => ({
          ...{ deviceId, tenant, receivedAt: new Date() },
          payload: {
            ...{ eventId: randomUUID(), testType: 'T0' as const, start: Date.now(), runId, result: 'Passed' as const },
            ...{ componentStates: { Lamp: 'Ok' as const }, series: [{ seconds: 1, batteryVoltage: 4 }] },
          },
        })),
      ),
    )
  assert.ok(statements < 100, `${statements} statements to store ${count} tests`)
  await run()
  const states = await lightsOf(runId)
  assert.deepEqual([states.length, new Set(states.map((light) => light.state))], [count, new Set(['finished'])])
  assert.equal(await stateOf(runId), 'over')
})
