import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import {
  addEmeredGroup,
  deleteEmeredGroup,
  getConflictingTestSchedules,
  getDeviceTestSchedule,
  getEmeredGroup,
  getEmeredGroups,
  getTenantEmereds,
  getTenantEmeredTestShedules,
  updateEmeredGroup,
} from '@caretaker/contract/groups.ts'
import { fetchViewData, getFieldChoices } from '@caretaker/contract/devices.ts'
import { lightsInNoGroup } from '@caretaker/rules/devices/list.ts'
import { removeDevice } from '@caretaker/contract/actions.ts'
import { setTimeZone } from '@caretaker/contract/tenant-administration.ts'
import { localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { makeDue } from '../../postgres/due.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { ingestReplies } from '../commands/ingest.ts'
import { takeDueCommands } from '../commands/store.ts'
import { runTests } from '../lighting/engine.ts'
import { ingestTests } from '../lighting/ingest.ts'
import { planTests } from './plan.ts'

let app: TestApp
const tenant = 'north'
const [manager, admin, engineer] = ['manager@north.test', 'admin@north.test', 'engineer@north.test']
const [boilers, guest, limited] = ['boilers@north.test', 'guest@north.test', 'limited@north.test']
const building = '11111111-1111-4111-8111-111111111111'
const otherBuilding = '22222222-2222-4222-8222-222222222222'
const floor = '33333333-3333-4333-8333-333333333333'
const zone = 'Europe/London'
const day = 86_400_000
/** This many days ahead, at 03:30 local time: the clocks never change shortly after the hour of a test. */
const night = (days: number) => `${localTimeAt(Date.now() + days * day, zone).slice(0, 10)}T03:30`

beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) await app.addTenant(id)
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', admin, 'Admin')
  await app.addMember('north', 'developer@north.test', 'Developer')
  await app.addMember('north', engineer, 'LightingEngineer')
  await app.addMember('north', boilers, 'BoilerEngineer')
  await app.addMember('north', guest, 'Guest')
  await app.addMember('north', limited, 'Manager', [await addAccessRightsTag(app, 'north', 'East')])
  await app.addMember('south', 'manager@south.test', 'Manager')
  await inTenant(app.database.db, tenant, async (tx) => {
    const none = { tenant_id: tenant, latitude: null, longitude: null }
    await tx
      .insertInto('building')
      .values([
        { ...none, id: building, name: 'Calder Wharf' },
        { ...none, id: otherBuilding, name: 'Alder House' },
      ])
      .execute()
    await tx
      .insertInto('floor')
      .values({ tenant_id: tenant, id: floor, building_id: building, number: 1, name: 'Floor 1' })
      .execute()
  })
})
afterAll(() => app.close())

async function place(deviceId: string, where: { building: string | null; floor: string | null }): Promise<string> {
  await inTenant(app.database.db, tenant, (tx) =>
    tx
      .updateTable('device')
      .set({ building_id: where.building, floor_id: where.floor })
      .where('tenant_id', '=', tenant)
      .where('id', '=', deviceId)
      .execute(),
  )
  return deviceId
}
const light = async (name: string) => place(await addDevice(app, tenant, { name }), { building, floor })
const lights = (...names: string[]) => Promise.all(names.map(light))

const add = (groupName: string, deviceIds: string[], more: object = {}, email = engineer) =>
  app.send(
    addEmeredGroup,
    { body: { tenant, groupName, building, t180StartDate: night(30), deviceIds, ...more } } as never,
    email,
  )
/** Sent with a start by day or within the next hours. */
const confirmation = { reason: 'The building is empty', agreed: true }
const update = (groupName: string, deviceIds: string[], more: object = {}, email = engineer) =>
  app.send(
    updateEmeredGroup,
    { body: { tenant, groupName, t180StartDate: night(30), deviceIds, ...more } } as never,
    email,
  )
const remove = (groupName: string, email = engineer) =>
  app.send(deleteEmeredGroup, { body: { tenant, groupName } }, email)
const groups = async (email = guest) => (await app.send(getEmeredGroups, { body: { tenant } }, email)).body.data!
const rowOf = async (name: string) => (await groups()).groups.find(({ groupName }) => groupName === name)
const full = async (groupName: string) =>
  (await app.send(getEmeredGroup, { body: { tenant, groupName } }, guest)).body.data!
const schedule = async (groupName: string) =>
  (await app.send(getTenantEmeredTestShedules, { body: { tenant, groupName } }, guest)).body.data!
const entries = async (action: string, name: string) =>
  (
    (await app.send(getAudit, { params: { tenant }, query: { action } as never }, admin)).body.results as unknown as {
      subject: string
      before: Record<string, unknown> | null
      after: Record<string, unknown> | null
    }[]
  ).filter((entry) => entry.subject === name)

test('a group is added with its lights, and is planned for a year at once [dev-7groups-2 dev-3ent-44 est-3-13]', async () => {
  const [a, b] = await lights('add a', 'add b')
  const { status, body } = await add('  Stair   A ', [a!, b!], { alsoTypes: ['T60'] })
  assert.equal(status, 200)
  const group = body.data!
  assert.deepEqual(
    [group.groupName, group.building, group.t180StartDate, group.deviceIds.toSorted()],
    ['Stair A', building, night(30), [a!, b!].sort()],
  )
  const row = (await rowOf('Stair A'))!
  assert.deepEqual([row.lights, row.buildingName, row.version], [2, 'Calder Wharf', 1])
  assert.deepEqual(row.next.map(({ testType }) => testType).sort(), ['T0', 'T180', 'T60'])
  const runs = await schedule('stair a')
  assert.ok(runs.filter(({ testType }) => testType === 'T0').length >= 12)
  assert.equal(runs.filter(({ testType }) => testType === 'T180').length, 1)
  assert.equal(localTimeAt(Date.parse(runs.find(({ testType }) => testType === 'T180')!.testDate), zone), night(30))
  assert.equal((await entries('group added', 'Stair A')).length, 1)
  // The job that starts tests is due at the first of them.
  const { rows } = await app.database.owner.query<{ at: Date }>(
    "select due_at as at from due where tenant_id = $1 and work = 'run tests'",
    [tenant],
  )
  assert.deepEqual(
    rows.map(({ at }) => at.toISOString()),
    [runs.map(({ testDate }) => testDate).toSorted()[0]],
  )
})

test('schedules can be read up to the end of the year 9999', async () => {
  const ask = (from: number) => app.send(getTenantEmeredTestShedules, { body: { tenant, from } }, guest)
  const last = await ask(Date.UTC(9999, 11, 31, 23, 59, 59, 999))
  assert.deepEqual([last.status, last.body.data], [200, []])
  assert.equal((await ask(Date.UTC(10_000, 0, 1))).status, 400)
})

test('a schedule has date, duration and whether the lights have confirmed [dev-7groups-5 core-7.1-13 dev-3ent-38]', async () => {
  const [a, b] = await lights('schedule a', 'schedule b')
  const { groupId } = (await add('Schedule', [a!, b!])).body.data!
  const [first] = await schedule('Schedule')
  assert.deepEqual([first!.duration, first!.isSynced, first!.outcome, first!.lights], [0, false, 'planned', 2])
  assert.ok(Date.parse(first!.testDate) > Date.now())
  // The run begins: one light has confirmed it, then both.
  const run = '44444444-4444-4444-8444-444444444444'
  const at = new Date(Date.now() - day)
  await inTenant(app.database.db, tenant, async (tx) => {
    await tx
      .insertInto('test_run')
      .values({
        ...{ tenant_id: tenant, id: run, group_id: groupId, group_name: 'Schedule', building_id: building },
        ...{ test_type: 'T0', starts_at: at, state: 'running', ended_at: null },
      })
      .execute()
    await tx
      .insertInto('test_run_light')
      .values(
        [a!, b!].map((device_id, index) => ({
          ...{ tenant_id: tenant, run_id: run, device_id, state: 'running' as const, reason: null, due_at: at },
          ...{ command_id: null, synced_at: index ? null : at, event_id: null, ended_at: null },
        })),
      )
      .execute()
  })
  const past = async () => {
    const body = { tenant, deviceTypes: ['EM' as const], from: at.toISOString(), to: new Date().toISOString() }
    return (await app.send(getTenantEmeredTestShedules, { body }, guest)).body.data!
  }
  assert.deepEqual(
    (await past()).map(({ isSynced, outcome }) => [isSynced, outcome]),
    [[false, 'running']],
  )
  await app.database.owner.query(
    `update test_run_light set synced_at = due_at, state = 'missed', reason = 'offline' where run_id = $1`,
    [run],
  )
  assert.deepEqual(
    (await past()).map(({ isSynced, outcome, missed }) => [isSynced, outcome, missed]),
    [[true, 'missed', 2]],
  )
  const ofLight = (await app.send(getDeviceTestSchedule, { body: { tenant, deviceId: a! } }, guest)).body.data!
  assert.deepEqual([ofLight.group, ofLight.past[0]!.reason], [{ groupName: 'Schedule', lights: 2 }, 'offline'])
  // Twelve of them, and the next of each type, however many others come first.
  const { rows: coming } = await app.database.owner.query<{ id: string; test_type: string; starts_at: Date }>(
    `select id, test_type, starts_at from test_run where tenant_id = $2 and group_id = $1 and state = 'planned'`,
    [groupId, tenant],
  )
  assert.ok(new Set(coming.map((row) => row.test_type)).size > 1)
  for (const { id, test_type: type, starts_at: at } of coming)
    if (type === 'T180')
      await app.database.owner.query('update test_run set starts_at = $3 where tenant_id = $2 and id = $1', [
        ...[id, tenant, new Date(+at + 2 * 366 * 86_400_000)],
      ])
  const later = (await app.send(getDeviceTestSchedule, { body: { tenant, deviceId: a! } }, guest)).body.data!
  assert.equal(later.next.length, 13)
  assert.deepEqual(new Set(later.next.map(({ testType }) => testType)), new Set(coming.map((row) => row.test_type)))
  // A gateway shows the lights connected through it, also behind an extender.
  const gateway = await addDevice(app, tenant, { product: 'MG' })
  const extender = await addDevice(app, tenant, { product: 'ZR', parentId: gateway })
  const through = async (deviceId: string) =>
    (await app.send(getDeviceTestSchedule, { body: { tenant, deviceId } }, guest)).body.data!
  assert.deepEqual(await through(gateway), { group: null, next: [], past: [] })
  for (const [id, parent] of [
    [a!, gateway],
    [b!, extender],
  ] as const)
    await app.database.owner.query('update device set parent_id = $2 where id = $1', [id, parent])
  const [all, half] = [await through(gateway), await through(extender)]
  assert.deepEqual(
    [all, half].map(({ past: [run] }) => [run!.testType, run!.lights, run!.missed, run!.outcome, run!.reason]),
    [
      ['T0', 2, 2, 'missed', 'offline'],
      ['T0', 1, 1, 'missed', 'offline'],
    ],
  )
  assert.deepEqual([all.next[0]!.lights, half.next[0]!.lights, all.group], [2, 1, null])
  await app.database.owner.query(`update test_run_light set reason = 'no mains' where run_id = $1 and device_id = $2`, [
    run,
    b!,
  ])
  assert.equal((await through(gateway)).past[0]!.reason, null)
  const gateways = { tenant, deviceTypes: ['MG' as const] }
  assert.deepEqual((await app.send(getTenantEmeredTestShedules, { body: gateways }, guest)).body.data, [])
})

test('an update replaces what has not begun, and nothing that has run [dev-7groups-3]', async () => {
  const [a, b] = await lights('update a', 'update b')
  const { groupId } = (await add('Update', [a!])).body.data!
  await inTenant(app.database.db, tenant, async (tx) => {
    const ran = {
      tenant_id: tenant,
      group_id: groupId,
      group_name: 'Update',
      building_id: building,
      test_type: 'T0' as const,
    }
    await tx
      .insertInto('test_run')
      .values([
        {
          ...ran,
          id: '55555555-5555-4555-8555-555555555555',
          starts_at: new Date(Date.now() - day),
          state: 'over',
          ended_at: null,
        },
        {
          ...ran,
          id: '66666666-6666-4666-8666-666666666666',
          starts_at: new Date(Date.now() - 1000),
          state: 'running',
          ended_at: null,
        },
      ])
      .execute()
  })
  const statesOf = async () => {
    const { rows } = await app.database.owner.query<{ state: string; test_type: string; starts_at: Date }>(
      'select state, test_type, starts_at from test_run where group_id = $1 order by starts_at',
      [groupId],
    )
    return rows
  }
  const { body } = await update('Update', [b!], { t180StartDate: night(40) })
  assert.deepEqual([body.data!.deviceIds, body.data!.version, body.data!.t180StartDate], [[b!], 2, night(40)])
  const after = await statesOf()
  assert.deepEqual(
    after.slice(0, 2).map(({ state }) => state),
    ['over', 'running'],
  )
  const t180 = after.filter(({ test_type }) => test_type === 'T180')
  assert.deepEqual(t180.map(({ starts_at }) => localTimeAt(+starts_at, zone))[0], night(40))
  // Changing only the lights leaves the plan unchanged.
  await update('Update', [a!, b!], { t180StartDate: night(40) })
  assert.deepEqual(await statesOf(), after)
  const [entry] = await entries('group changed', 'Update')
  assert.deepEqual(Object.keys(entry!.after!), ['lights'])
})

test('a deleted group is no longer planned, and keeps its past tests [dev-7groups-4]', async () => {
  const [a] = await lights('delete a')
  const { groupId } = (await add('Gone', [a!])).body.data!
  await app.database.owner.query(
    `update test_run set state = 'over' where id = (select id from test_run where group_id = $1 order by starts_at limit 1)`,
    [groupId],
  )
  const { body } = await remove('gone')
  assert.deepEqual(
    [body.isSuccessful, body.message, body.data],
    [true, 'Group deleted successfully', { groupName: 'Gone', withdrawn: 0, stopped: 0 }],
  )
  assert.equal(await rowOf('Gone'), undefined)
  const { rows } = await app.database.owner.query<{ state: string; group_name: string }>(
    'select state, group_name from test_run where group_id = $1',
    [groupId],
  )
  assert.deepEqual(rows, [{ state: 'over', group_name: 'Gone' }])
  assert.equal((await remove('gone')).status, 404)
  assert.equal((await entries('group deleted', 'Gone')).length, 1)
})

test('lights that have received a command finish their test and keep the results when their group is deleted or loses them [dev-7groups-4]', async () => {
  for (const how of ['deleted', 'moved'] as const) {
    const [sent, running] = await lights(`${how} sent`, `${how} running`)
    const { groupId } = (await add(`Under way, ${how}`, [sent!, running!])).body.data!
    const { rows: begun } = await app.database.owner.query<{ id: string }>(
      `update test_run set starts_at = now() where id = (
         select id from test_run where group_id = $1 and test_type = 'T0' order by starts_at limit 1) returning id`,
      [groupId],
    )
    const runId = begun[0]!.id
    await inTenant(app.database.db, tenant, (tx) => makeDue(tx, 'run tests'))
    await runTests(app.database.db)
    const { rows: commands } = await app.database.owner.query<{ id: string }>(
      `select id from command where device_id = $1 and args ->> 'runId' = $2`,
      [running, runId],
    )
    const confirmed = { commandId: commands[0]!.id, status: 'confirmed' as const }
    await inTenant(app.database.db, tenant, (tx) =>
      ingestReplies(tx, [{ tenant, deviceId: running!, payload: confirmed, receivedAt: new Date() }]),
    )
    await runTests(app.database.db)
    assert.equal((await takeDueCommands(app.database.db, [sent!], 10)).length, 1)
    const states = async () => {
      const { rows } = await app.database.owner.query<{ device_id: string; state: string; result: string | null }>(
        `select light.device_id, light.state, test.result from test_run_light as light
         left join emergency_test as test on test.tenant_id = light.tenant_id and test.event_id = light.event_id
         where light.tenant_id = $2 and light.run_id = $1`,
        [runId, tenant],
      )
      return Object.fromEntries(rows.map(({ device_id: id, state, result }) => [id, [state, result]]))
    }
    assert.deepEqual(await states(), { [sent!]: ['sent', null], [running!]: ['running', null] })
    if (how === 'deleted') assert.equal((await remove(`Under way, ${how}`)).status, 200)
    else assert.equal((await add('Under way elsewhere', [sent!, running!])).status, 200)
    await inTenant(app.database.db, tenant, (tx) =>
      ingestTests(
        tx,
        [sent!, running!].map((deviceId, n) => ({
          ...{ tenant, deviceId, receivedAt: new Date() },
          payload: {
            ...{ eventId: crypto.randomUUID(), testType: 'T0' as const, start: Date.now(), runId, series: [] },
            ...(n ? { result: 'Passed' as const } : { result: 'Failed' as const }),
            componentStates: { Lamp: n ? ('Ok' as const) : ('Failed' as const) },
          },
        })),
      ),
    )
    await runTests(app.database.db)
    assert.deepEqual(await states(), { [sent!]: ['finished', 'Failed'], [running!]: ['finished', 'Passed'] }, how)
    const { rows } = await app.database.owner.query('select state, group_name from test_run where id = $1', [runId])
    assert.deepEqual(rows, [{ state: 'over', group_name: `Under way, ${how}` }])
  }
})

test('a light that joins another group leaves the first, and the audit of both shows it', async () => {
  const [a, b, c] = await lights('move a', 'move b', 'move c')
  await add('From', [a!, b!])
  await add('To', [c!])
  await update('To', [b!, c!])
  assert.deepEqual([(await full('From')).deviceIds, (await full('To')).deviceIds], [[a!], [b!, c!]])
  assert.equal((await rowOf('From'))!.version, 2)
  const [lost] = await entries('group changed', 'From')
  const [won] = await entries('group changed', 'To')
  assert.deepEqual(lost!.after, { movedTo: 'To' })
  assert.deepEqual([lost!.before!.lights, won!.after!.movedFrom], [won!.after!.lights, ['From']])
})

test('of two users who change a group the second is refused, and nothing is lost', async () => {
  const [a, b] = await lights('two a', 'two b')
  const { version } = (await add('Two', [a!])).body.data!
  assert.equal((await update('Two', [a!, b!], { version })).status, 200)
  const { status, body } = await update('Two', [], { version }, manager)
  assert.equal(status, 409)
  assert.match(body.message!, /Someone else has changed this group/)
  assert.equal((await full('Two')).deviceIds.length, 2)
})

test('two users who move each other’s lights at once both succeed, and each light is in one group', async () => {
  const [a, b] = await lights('cross a', 'cross b')
  await add('Cross 1', [a!])
  await add('Cross 2', [b!])
  const both = await Promise.all([update('Cross 1', [a!, b!]), update('Cross 2', [a!, b!], {}, manager)])
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  )
  const sizes = [(await full('Cross 1')).deviceIds.length, (await full('Cross 2')).deviceIds.length]
  assert.deepEqual(
    sizes.toSorted((one, other) => one - other),
    [0, 2],
  )
})

test('a group without a name, with a used name or without a known building is refused with a message', async () => {
  const [a] = await lights('words a')
  await add('Words', [a!])
  const faults = async (sent: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await sent
    assert.equal(status, 400)
    return (body as { validationErrors?: { field: string; message: string }[]; message: string }).message
  }
  assert.equal(await faults(add('', [])), 'Group Name is required')
  assert.equal(await faults(add('WORDS', [])), 'Group Name already being used')
  assert.equal(await faults(add('Words 2', [], { building: '' })), 'Building is required')
  assert.equal(await faults(add('Words 2', [], { building: 'nowhere' })), 'Building is not in list')
  assert.equal(await faults(add('Words 2', [], { t180StartDate: '2020-01-01T01:30' })), 'T180 start is in the past')
  assert.equal(await rowOf('Words 2'), undefined)
  // An existing group cannot be moved to such a start either, and its plan stays.
  const before = [(await rowOf('Words'))!.version, await schedule('Words')]
  for (const [t180StartDate, fault] of [
    ['2020-01-01T01:30', /is in the past/],
    [new Date(Date.now() - day).toISOString(), /is in the past/],
    ['2027-02-29T01:30', /./],
  ] as const)
    assert.match(await faults(update('Words', [], { t180StartDate })), fault, t180StartDate)
  assert.deepEqual([(await rowOf('Words'))!.version, await schedule('Words')], before)
  assert.deepEqual((await full('Words')).deviceIds, [a!])
})

test('a group may keep its own name, and an unchanged start in the past is no error [dev-5val-56]', async () => {
  const [a] = await lights('own a')
  await add('Own', [a!])
  await app.database.owner.query(`update light_group set t180_start = '2020-02-29T01:30' where name = 'Own'`)
  const { status, body } = await update('own', [], { t180StartDate: '2020-02-29T01:30' })
  assert.deepEqual([status, body.data!.groupName, body.data!.deviceIds], [200, 'Own', []])
})

test('a device that is not a light on a floor of the building is named, and nothing is saved', async () => {
  const [fine] = await lights('fine')
  const boiler = await place(await addDevice(app, tenant, { product: 'BX', name: 'The boiler' }), { building, floor })
  const stock = await place(await addDevice(app, tenant, { status: 'Inventory', name: 'In stock' }), {
    building,
    floor,
  })
  const elsewhere = await place(await addDevice(app, tenant, { name: 'Elsewhere' }), {
    building: otherBuilding,
    floor: null,
  })
  const nowhere = await place(await addDevice(app, tenant, { name: 'On no floor' }), { building, floor: null })
  const theirs = await addDevice(app, 'south', { name: 'Theirs' })
  for (const [device, text] of [
    [boiler, 'The boiler is not an emergency light.'],
    [stock, 'In stock is no longer installed.'],
    [elsewhere, 'Elsewhere is not in this building.'],
    [nowhere, 'On no floor is not on a floor.'],
  ]) {
    const { status, body } = await add('Odd', [fine!, device!], {}, manager)
    assert.deepEqual([status, body.message], [400, text])
  }
  assert.equal((await add('Odd', [fine!, theirs])).status, 404)
  assert.equal(await rowOf('Odd'), undefined)
  // They cannot join an existing group either, whose lights stay as they were.
  await add('Even', [fine!])
  for (const device of [boiler, stock, elsewhere, nowhere])
    assert.equal((await update('Even', [device], {}, manager)).status, 400)
  assert.equal((await update('Even', [theirs])).status, 404)
  assert.deepEqual([(await full('Even')).deviceIds, (await rowOf('Even'))!.version], [[fine!], 1])
})

test('a light that is uninstalled leaves its group; a user who has the group open is refused with its name', async () => {
  const [a, b] = await lights('leaving', 'staying')
  const { version } = (await add('Leaves', [a!, b!])).body.data!
  await app.send(removeDevice, { body: { tenant, deviceId: a! } }, manager)
  assert.deepEqual((await full('Leaves')).deviceIds, [b!])
  assert.equal((await update('Leaves', [a!, b!], { version })).status, 409)
  const { status, body } = await update('Leaves', [a!, b!])
  assert.deepEqual([status, body.message], [400, 'leaving is no longer installed.'])
})

test('a start is local time or an instant; in the repeated hour it is the first', async () => {
  const [a] = await lights('clock a')
  // Both are 01:30 of the night in which British clocks go back.
  const first = await add('Clock', [a!], { t180StartDate: '2027-10-31T00:30:00Z' })
  assert.equal(first.body.data!.t180StartDate, '2027-10-31T01:30')
  const second = await update('Clock', [a!], { t180StartDate: '2027-10-31T01:30:00Z' })
  assert.deepEqual([second.body.data!.t180StartDate, second.body.data!.version], ['2027-10-31T01:30', 1])
  const [t180] = (await schedule('Clock')).filter(({ testType }) => testType === 'T180')
  assert.equal(t180!.testDate, '2027-10-31T00:30:00.000Z')
})

test('lights tested within 180 minutes of a start are reported, with free starts [dev-7groups-1]', async () => {
  const [a, b, c] = await lights('conflict a', 'conflict b', 'conflict c')
  await add('East', [a!, b!], { t180StartDate: night(50) })
  const ask = async (t180StartDate: string, deviceIds: string[], more: object = {}) => {
    const body = { tenant, groupName: 'West', building, t180StartDate, deviceIds, ...more }
    return (await app.send(getConflictingTestSchedules, { body }, guest)).body.data!
  }
  const met = await ask(night(50), [a!, c!])
  assert.deepEqual(
    met.conflicts.map(({ deviceId, groupName, testType }) => [deviceId, groupName, testType]),
    [[a!, 'East', 'T180']],
  )
  assert.equal(localTimeAt(Date.parse(met.conflicts[0]!.testDate), zone), night(50))
  assert.equal(met.freeStarts[0], night(50).replace('T03:30', 'T06:30'))
  assert.equal((await ask(night(50), [c!], { ofBuilding: true })).conflicts.length, 2)
  const free = await ask(night(52), [a!, c!])
  assert.deepEqual([free.conflicts, free.freeStarts, free.fault, free.night], [[], [], null, null])
  assert.ok(free.runs.length >= 13)
  assert.equal(Date.parse(free.t180!.to) - Date.parse(free.t180!.from), 3 * 3_600_000)
  assert.equal((await ask('2020-01-01T01:00', [])).fault, 'T180 start is in the past')
})

test('the conflicts of a start are exactly what is planned in its 180 minutes [dev-7groups-1]', async () => {
  let state = 11
  const draw = (n: number) => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) % n
  const two = (n: number) => String(n).padStart(2, '0')
  const start = () => `${night(80 + draw(3)).slice(0, 10)}T${two(2 + draw(6))}:${two(draw(4) * 15)}`
  const members = new Map<string, string>()
  for (let n = 0; n < 8; n++) {
    const [one] = await lights(`drawn ${n}`)
    const alsoTypes = ['T5', 'T60'].filter(() => draw(2))
    assert.equal((await add(`Drawn ${n}`, [one!], { t180StartDate: start(), alsoTypes, confirmation })).status, 200)
    members.set(`Drawn ${n}`, one!)
  }
  const minute = 60_000
  let met = 0
  for (let n = 0; n < 25; n++) {
    // The nights of the long tests, and those of the short ones a week and two later.
    const asked = {
      ...{ tenant, groupName: 'Asked', building, deviceIds: [...members.values()] },
      t180StartDate: start(),
    }
    if (n % 3) asked.t180StartDate = `${night(80 + 7 * (n % 3) + draw(3)).slice(0, 10)}${asked.t180StartDate.slice(10)}`
    const found = (await app.send(getConflictingTestSchedules, { body: asked }, guest)).body.data!
    const [from, to] = [Date.parse(found.t180!.from), Date.parse(found.t180!.to)]
    const span = { from: from - 180 * minute, to }
    const planned = (await app.send(getTenantEmeredTestShedules, { body: { tenant, ...span } }, guest)).body.data!
    const expected = planned
      .filter(({ groupName }) => members.has(groupName))
      .filter(({ testDate, duration }) => Date.parse(testDate) + Math.max(1, duration) * minute > from)
      .map(({ groupName, testDate, testType }) => [members.get(groupName)!, groupName, testDate, testType].join())
    met += expected.length
    const conflicts = found.conflicts.map((one) => [one.deviceId, one.groupName, one.testDate, one.testType].join())
    assert.deepEqual(new Set(conflicts), new Set(expected), asked.t180StartDate)
    assert.equal(conflicts.length, expected.length)
  }
  assert.ok(met > 20, `${met} met`)
})

test('a repeated test is a conflict for the lights that missed it only [dev-7groups-1]', async () => {
  // The third light keeps its charge, so that no night of the other two leaves the building dark.
  const [missed, well] = await lights('again missed', 'again well', 'again beside')
  const { body } = await add('Again', [missed!, well!], { t180StartDate: night(40) })
  const [group, root] = [body.data!.groupId, crypto.randomUUID()]
  const run = {
    tenant_id: tenant,
    group_id: group,
    group_name: 'Again',
    building_id: building,
    test_type: 'T180',
  } as const
  const at = Date.now() - 3 * day
  await inTenant(app.database.db, tenant, async (tx) => {
    await tx
      .insertInto('test_run')
      .values([
        { ...run, id: root, starts_at: new Date(at), state: 'over', ended_at: new Date(at) },
        { ...run, id: crypto.randomUUID(), starts_at: new Date(at + 8 * day), repeats: root, ended_at: null },
      ])
      .execute()
    const light = { tenant_id: tenant, run_id: root, due_at: new Date(at) }
    await tx
      .insertInto('test_run_light')
      .values([
        { ...light, device_id: missed!, state: 'missed' },
        { ...light, device_id: well!, state: 'finished' },
      ])
      .execute()
  })
  const start = (hours: number) => localTimeAt(at + 8 * day + hours * 3_600_000, zone)
  const ask = async (t180StartDate: string, deviceIds = [missed!, well!]) => {
    const asked = { tenant, groupName: 'Beside', building, t180StartDate, deviceIds }
    const { conflicts, freeStarts } = (await app.send(getConflictingTestSchedules, { body: asked }, guest)).body.data!
    const lights = conflicts.map(({ deviceId, groupName, testType }) => [deviceId, groupName, testType])
    return { lights, isFree: freeStarts.length === 0 }
  }
  const held = { lights: [[missed, 'Again', 'T180']], isFree: false }
  assert.deepEqual(await ask(start(1)), held)
  assert.deepEqual(await ask(start(1), [missed!]), held)
  assert.deepEqual(await ask(start(1), [well!]), { lights: [], isFree: true })
  assert.deepEqual(await ask(start(4)), { lights: [], isFree: true })
  await remove('Again')
})

test('a night in which groups test all lights of a building is reported before and after planning, with another night', async () => {
  const whole = '77777777-7777-4777-8777-777777777777'
  const level = '88888888-8888-4888-8888-888888888888'
  await inTenant(app.database.db, tenant, async (tx) => {
    await tx
      .insertInto('building')
      .values({ tenant_id: tenant, id: whole, name: 'Whole', latitude: null, longitude: null })
      .execute()
    await tx
      .insertInto('floor')
      .values({ tenant_id: tenant, id: level, building_id: whole, number: 0, name: 'Ground' })
      .execute()
  })
  const [a, b] = await lights('whole a', 'whole b')
  for (const id of [a!, b!]) await place(id, { building: whole, floor: level })
  await add('Whole east', [a!], { building: whole, t180StartDate: night(60) })
  const asked = { tenant, groupName: 'Whole west', building: whole, t180StartDate: night(60), deviceIds: [b!] }
  const conflicts = (await app.send(getConflictingTestSchedules, { body: asked }, guest)).body.data!
  assert.deepEqual([conflicts.conflicts, conflicts.night!.lights, conflicts.night!.buildingName], [[], 2, 'Whole'])
  assert.deepEqual(conflicts.freeStarts, [night(62)])
  await add('Whole west', [b!], { building: whole, t180StartDate: night(60) })
  const { collisions } = await groups()
  assert.deepEqual(
    collisions.map((one) => [one.buildingName, one.runs.map(({ groupName }) => groupName), one.move?.t180StartDate]),
    [['Whole', ['Whole east', 'Whole west'], night(62)]],
  )
  await update('Whole west', [b!], { t180StartDate: night(62) })
  assert.deepEqual((await groups()).collisions, [])
})

test('one group with all lights of a building always leaves it dark; a second group solves it', async () => {
  const [one, level] = ['99999999-9999-4999-8999-999999999999', '99999999-9999-4999-8999-999999999998']
  await inTenant(app.database.db, tenant, async (tx) => {
    await tx
      .insertInto('building')
      .values({ tenant_id: tenant, id: one, name: 'In one', latitude: null, longitude: null })
      .execute()
    await tx
      .insertInto('floor')
      .values({ tenant_id: tenant, id: level, building_id: one, number: 0, name: 'Ground' })
      .execute()
  })
  const [a, b] = await lights('in one a', 'in one b')
  for (const id of [a!, b!]) await place(id, { building: one, floor: level })
  const ask = async (deviceIds: string[]) => {
    const body = { tenant, groupName: 'In one', building: one, t180StartDate: night(70), deviceIds }
    return (await app.send(getConflictingTestSchedules, { body }, guest)).body.data!
  }
  assert.equal((await ask([a!])).night, null)
  const { night: dark, freeStarts } = await ask([a!, b!])
  assert.deepEqual([dark!.lights, dark!.runs.length, dark!.move, freeStarts], [2, 1, null, []])
  await add('In one', [a!, b!], { building: one, t180StartDate: night(70) })
  const { collisions } = await groups()
  assert.deepEqual(
    collisions.map(({ buildingName, lights: n, runs, move }) => [buildingName, n, runs[0]!.groupName, move]),
    [['In one', 2, 'In one', null]],
  )
  await update('In one', [a!], { t180StartDate: night(70) })
  await add('In one as well', [b!], { building: one, t180StartDate: night(72) })
  assert.deepEqual((await groups()).collisions, [])
})

test('groups are readable with lighting rights and edited by its engineers; limited users get nothing', async () => {
  const [a] = await lights('rights a')
  await add('Rights', [a!])
  for (const email of [guest, boilers, limited]) {
    assert.equal((await add('Rights 2', [], {}, email)).status, 403, email)
    assert.equal((await update('Rights', [], {}, email)).status, 403, email)
    assert.equal((await remove('Rights', email)).status, 403, email)
  }
  for (const email of [boilers, limited])
    for (const route of [getEmeredGroups, getTenantEmeredTestShedules])
      assert.equal((await app.send(route, { body: { tenant } }, email)).status, 403, email)
  assert.equal((await app.send(getEmeredGroups, { body: { tenant } }, 'manager@south.test')).status, 404)
})

test('the emergency lights of the client are listed, for limited users their own without groups [core-7.1-12]', async () => {
  const [a] = await lights('told a')
  await add('Told', [a!])
  const list = async (email: string, more: object = {}) =>
    (await app.send(getTenantEmereds, { body: { tenant, ...more } }, email)).body.data!
  const one = (await list(guest)).find(({ deviceId }) => deviceId === a)!
  assert.deepEqual([one.deviceName, one.building, one.floor, one.groupName], ['told a', building, floor, 'Told'])
  assert.ok((await list(guest)).every(({ deviceProductId }) => deviceProductId === 'EM'))
  assert.ok((await list(guest, { building: otherBuilding })).every((light) => light.building === otherBuilding))
  assert.deepEqual(await list(guest, { building: 'nowhere' }), [])
  assert.deepEqual(await list(limited), [])
})

test('the job extends plans of less than a year, and duplicates nothing', async () => {
  const [a] = await lights('job a')
  const { groupId } = (await add('Job', [a!])).body.data!
  const count = async () => {
    const { rows } = await app.database.owner.query<{ n: string; last: Date }>(
      'select count(*) as n, max(starts_at) as last from test_run where group_id = $1',
      [groupId],
    )
    return { n: Number(rows[0]!.n), last: +rows[0]!.last }
  }
  const before = await count()
  assert.equal(await planTests(app.database.db), 0)
  const later = new Date(Date.now() + 100 * day)
  assert.ok((await planTests(app.database.db, later)) > 0)
  const after = await count()
  assert.ok(after.n > before.n && after.last > before.last)
  assert.ok(after.last > +later + 366 * day - 32 * day)
  assert.equal(await planTests(app.database.db, later), 0)
  const { rows } = await app.database.owner.query(
    `select from test_run where group_id = $1 group by test_type, date_trunc('month', starts_at) having count(*) > 1`,
    [groupId],
  )
  assert.equal(rows.length, 0)
})

test('changing the time zone moves the plan, without losing or duplicating a test', async () => {
  const [a] = await lights('zone a')
  const { groupId } = (await add('Zone', [a!], { t180StartDate: night(2) })).body.data!
  const runs = async () => {
    const { rows } = await app.database.owner.query<{ test_type: string; starts_at: Date }>(
      'select test_type, starts_at from test_run where group_id = $1 order by starts_at',
      [groupId],
    )
    return rows
  }
  const before = await runs()
  const move = (timeZone: string) =>
    app.send(setTimeZone, { params: { tenant }, body: { timeZone } } as never, 'developer@north.test')
  assert.equal((await move('Pacific/Auckland')).status, 204)
  assert.ok((await planTests(app.database.db)) > 0)
  const moved = await runs()
  // In the new zone, a test at the end of the plan may enter or leave the window.
  assert.ok(Math.abs(moved.length - before.length) <= 1)
  const clocks = (all: typeof moved, there: string) =>
    new Set(all.map(({ starts_at }) => localTimeAt(+starts_at, there).slice(11)))
  assert.deepEqual(clocks(moved, 'Pacific/Auckland'), new Set(['03:30']))
  assert.notDeepEqual(clocks(moved, zone), new Set(['03:30']))
  assert.equal(
    moved.filter(({ test_type }) => test_type === 'T180').length,
    before.filter(({ test_type }) => test_type === 'T180').length,
  )
  assert.equal((await move(zone)).status, 204)
  await planTests(app.database.db)
  assert.deepEqual(clocks(await runs(), zone), new Set(['03:30']))
  // The same zone again is no change.
  assert.equal((await move(zone)).status, 204)
  assert.equal(await planTests(app.database.db), 0)
})

test('a T180 far ahead is among the runs of its group, and a night at the end of the year is complete', async () => {
  const [whole, level] = ['aaaaaaaa-7777-4777-8777-777777777777', 'aaaaaaaa-8888-4888-8888-888888888888']
  await inTenant(app.database.db, tenant, async (tx) => {
    const none = { tenant_id: tenant, latitude: null, longitude: null }
    await tx
      .insertInto('building')
      .values({ ...none, id: whole, name: 'Far' })
      .execute()
    await tx
      .insertInto('floor')
      .values({ tenant_id: tenant, id: level, building_id: whole, number: 0, name: 'Ground' })
      .execute()
  })
  const [a, b] = await lights('far a', 'far b')
  for (const id of [a!, b!]) await place(id, { building: whole, floor: level })
  const asked = { tenant, groupName: 'Far east', building: whole, deviceIds: [a!], t180StartDate: night(380) }
  const { runs, t180 } = (await app.send(getConflictingTestSchedules, { body: asked }, guest)).body.data!
  assert.deepEqual(
    runs.filter(({ testType }) => testType === 'T180').map(({ testDate }) => testDate),
    [t180!.from],
  )
  // The second begins after the year has ended.
  await add('Far east', [a!], { building: whole, t180StartDate: night(365) })
  await add('Far west', [b!], { building: whole, t180StartDate: night(366) })
  const { collisions } = await groups()
  assert.deepEqual(
    collisions.map((one) => one.runs.map(({ groupName }) => groupName)),
    [['Far east', 'Far west']],
  )
})

test('lights in no group are counted, and the listing finds exactly those by its group column', async () => {
  const listed = async (filters: readonly object[], email = manager) => {
    const body = { tenant, listing: 'EmergencyLights', filters, pageSize: 100 }
    const { status, body: reply } = await app.send(fetchViewData, { body } as never, email)
    assert.equal(status, 200, JSON.stringify(reply))
    return reply.data as { total: number; rows: { deviceDisplayName: string; deviceTestGroup: string | null }[] }
  }
  const counts = async () => [(await groups()).ungrouped, (await listed(lightsInNoGroup)).total] as const
  const [before] = await counts()
  const [, placed] = await lights('lone light', 'placed light')
  // A light that is not installed is in no group either, and needs no tests.
  await addDevice(app, tenant, { name: 'in store', status: 'Inventory' })
  assert.deepEqual(await counts(), [before + 2, before + 2])
  await add('Counted', [placed!])
  assert.deepEqual(await counts(), [before + 1, before + 1])
  const named = (filterOp: string, value: unknown) => [{ fieldId: 'testGroup', filterOp, value }]
  const names = async (filters: readonly object[], email?: string) =>
    (await listed(filters, email)).rows.map((row) => [row.deviceDisplayName, row.deviceTestGroup])
  for (const filters of [named('equals', 'counted'), named('contains', 'COUNT'), named('anyof', ['Counted', 'x'])])
    assert.deepEqual(await names(filters), [['placed light', 'Counted']])
  assert.ok((await names(named('noneof', ['Counted']))).every(([name]) => name !== 'placed light'))
  assert.ok((await names(lightsInNoGroup)).every(([, group]) => group === null))
  const asked = { tenant, listing: 'EmergencyLights', fieldId: 'testGroup', search: 'count' } as const
  const choices = async (email: string) => (await app.send(getFieldChoices, { body: asked }, email)).body.data
  assert.deepEqual(await choices(manager), ['Counted'])
  // Groups are hidden from limited users.
  assert.deepEqual(await choices(limited), [])
  assert.deepEqual(await names(named('equals', 'Counted'), limited), [])
  await remove('Counted')
  assert.deepEqual(await counts(), [before + 2, before + 2])
})

/** Begins the next T180 of a group now, and queues its commands. */
async function begin(groupName: string, type = 'T180'): Promise<void> {
  const { rowCount } = await app.database.owner.query(
    `update test_run set starts_at = now() where id = (
       select run.id from test_run as run join light_group on light_group.id = run.group_id
       where light_group.name = $1 and run.test_type = $2 order by run.starts_at limit 1)`,
    [groupName, type],
  )
  assert.equal(rowCount, 1)
  await inTenant(app.database.db, tenant, (tx) => makeDue(tx, 'run tests'))
  await runTests(app.database.db)
}
const commandsOf = async (deviceId: string) => {
  const { rows } = await app.database.owner.query<{ id: string; name: string; status: string; args: object }>(
    'select id, name, status, args from command where device_id = $1 order by created_at',
    [deviceId],
  )
  return rows
}
const lightOf = async (deviceId: string) => {
  const { rows } = await app.database.owner.query<{ state: string; reason: string | null }>(
    'select state, reason from test_run_light where device_id = $1',
    [deviceId],
  )
  return rows
}

test('no command is sent for a deleted group: commands for an offline gateway are withdrawn', async () => {
  const [offline, received] = await lights('deleted offline', 'deleted received')
  await add('Deleted', [offline!, received!])
  await begin('Deleted')
  // One gateway has subscribed, the other has not.
  assert.equal((await takeDueCommands(app.database.db, [received!], 10)).length, 1)
  assert.deepEqual(
    (await commandsOf(offline!)).map(({ status }) => status),
    ['queued'],
  )
  const [running] = (await full('Deleted')).running
  assert.deepEqual([running!.testType, running!.lights], ['T180', 2])
  assert.equal(Date.parse(running!.endsAt) - Date.parse(running!.startedAt), 3 * 3_600_000)
  const { body } = await remove('Deleted')
  assert.deepEqual(body.data, { groupName: 'Deleted', withdrawn: 1, stopped: 0 })
  // The gateway reconnects. The light that has its command gets no second one either.
  await app.database.owner.query(
    `update command_outbox set due_at = now() - interval '1 minute' where due_at < expires_at`,
  )
  assert.deepEqual(await takeDueCommands(app.database.db, [offline!, received!], 10), [])
  assert.deepEqual(
    (await commandsOf(offline!)).map(({ status }) => status),
    ['withdrawn'],
  )
  const reason = 'The group was deleted before the test was sent.'
  assert.deepEqual(await lightOf(offline!), [{ state: 'notStarted', reason }])
  await runTests(app.database.db)
  assert.deepEqual(await lightOf(offline!), [{ state: 'notStarted', reason }])
  assert.deepEqual(await lightOf(received!), [{ state: 'sent', reason: null }])
  assert.deepEqual((await entries('group deleted', 'Deleted'))[0]!.after, { testTakenBack: 1 })
})

test('lights whose turn has not come are not started after their group is deleted', async () => {
  const some = await lights(...Array.from({ length: 3 }, (_, n) => `turn ${n}`))
  await add('Turns', some)
  await begin('Turns', 'T0')
  // As with many lights behind one gateway: their commands are due later.
  await app.database.owner.query(
    `update test_run_light set state = 'waiting', command_id = null where device_id = any($1::uuid[])`,
    [some],
  )
  await app.database.owner.query('delete from command where device_id = any($1::uuid[])', [some])
  assert.equal((await remove('Turns')).body.data!.withdrawn, 3)
  await runTests(app.database.db)
  for (const one of some) assert.deepEqual(await commandsOf(one), [])
})

test('a running test is stopped when its group is deleted or changed and the user asks for it', async () => {
  for (const how of ['deleted', 'changed'] as const) {
    const [waits, runs] = await lights(`stop ${how} waits`, `stop ${how} runs`)
    await add(`Stop ${how}`, [waits!, runs!])
    await begin(`Stop ${how}`)
    assert.equal((await takeDueCommands(app.database.db, [runs!], 10)).length, 1)
    const [run] = await commandsOf(runs!)
    await inTenant(app.database.db, tenant, (tx) =>
      ingestReplies(tx, [
        { tenant, deviceId: runs!, payload: { commandId: run!.id, status: 'confirmed' }, receivedAt: new Date() },
      ]),
    )
    await runTests(app.database.db)
    const body = { tenant, groupName: `Stop ${how}`, stopTest: true }
    const answer =
      how === 'deleted'
        ? await app.send(deleteEmeredGroup, { body }, engineer)
        : await update(`Stop ${how}`, [waits!, runs!], { stopTest: true })
    assert.equal(answer.status, 200)
    assert.deepEqual(
      (await commandsOf(waits!)).map(({ name, status }) => [name, status]),
      [['runTest', 'withdrawn']],
    )
    const sent = await takeDueCommands(app.database.db, [waits!, runs!], 10)
    assert.deepEqual(
      sent.map(({ deviceId, name, args }) => [deviceId, name, args]),
      [[runs!, 'stopTest', { runId: (run!.args as { runId: string }).runId }]],
      how,
    )
    assert.match((await lightOf(waits!))[0]!.reason!, /stopped the test before it was sent\.$/)
    const [entry] = await entries(`group ${how}`, `Stop ${how}`)
    assert.deepEqual(entry!.after, { testTakenBack: 1, testStopped: 1 })
  }
})

test('a light that leaves its group, or whose group moves to another night, is not sent the former test', async () => {
  const [left, moved, stays] = await lights('leaves', 'moves', 'stays')
  await add('Leaving', [left!, moved!, stays!])
  await begin('Leaving')
  assert.equal((await update('Leaving', [moved!, stays!], { t180StartDate: night(30) })).status, 200)
  assert.equal((await add('Leaving to', [moved!])).status, 200)
  assert.deepEqual(
    (await commandsOf(left!)).map(({ status }) => status),
    ['withdrawn'],
  )
  assert.deepEqual(
    (await commandsOf(moved!)).map(({ status }) => status),
    ['withdrawn'],
  )
  assert.deepEqual(
    (await commandsOf(stays!)).map(({ status }) => status),
    ['queued'],
  )
  assert.match((await lightOf(moved!))[0]!.reason!, /^The light moved to Leaving to before/)
  assert.equal((await update('Leaving', [stays!], { t180StartDate: night(33) })).status, 200)
  assert.deepEqual(
    (await commandsOf(stays!)).map(({ status }) => status),
    ['withdrawn'],
  )
  assert.equal((await lightOf(stays!))[0]!.reason, 'The start was changed before the test was sent.')
})

test('a start by day or within the next hours needs a confirmation, and its reason is recorded', async () => {
  const [a, b] = await lights('confirm a', 'confirm b')
  const hour = (await groups()).hour
  const noon = `${night(9).slice(0, 10)}T12:00`
  for (const t180StartDate of [hour, noon]) {
    const refused = await add('Confirm', [a!, b!], { t180StartDate })
    assert.equal(refused.status, 400)
    const { message, validationErrors } = refused.body as unknown as {
      message: string
      validationErrors: { field: string }[]
    }
    assert.match(
      message,
      /^If the power fails, 2 lights on 1 floor go dark\. The test drains the batteries from \d\d:\d\d.* They then need 24 h to recharge, until /,
    )
    assert.deepEqual(
      validationErrors.map(({ field }) => field),
      ['confirmation'],
    )
    assert.equal(await rowOf('Confirm'), undefined)
    for (const wrong of [{ reason: 'Empty' }, { reason: ' ', agreed: true }, { reason: 'Empty', agreed: false }])
      assert.equal((await add('Confirm', [a!], { t180StartDate, confirmation: wrong })).status, 400)
  }
  const saved = await add('Confirm', [a!], { t180StartDate: noon, confirmation })
  assert.equal(saved.status, 200)
  assert.equal((await entries('group added', 'Confirm'))[0]!.after!['reason'], 'The building is empty')
  // Changing the lights without the start is not a new start; moving the start is.
  assert.equal((await update('Confirm', [a!, b!], { t180StartDate: noon })).status, 200)
  assert.equal((await update('Confirm', [a!, b!], { t180StartDate: noon.replace('12:', '13:') })).status, 400)
  // Lights that join a group whose T180 begins within hours lose their charge with it.
  await add('Confirm soon', [], { t180StartDate: hour })
  await app.database.owner.query(`update light_group set t180_start = $1 where name = 'Confirm soon'`, [
    localTimeAt(Date.now() + 3_600_000, zone),
  ])
  const soon = { t180StartDate: localTimeAt(Date.now() + 3_600_000, zone) }
  const start = (await rowOf('Confirm soon'))!.t180StartDate
  assert.equal((await update('Confirm soon', [b!], { ...soon, t180StartDate: start })).status, 400)
  assert.equal((await update('Confirm soon', [b!], { t180StartDate: start, confirmation })).status, 200)
  assert.equal((await add('Confirm empty', [], { t180StartDate: hour })).status, 200)
})

test('a start in the skipped hour is moved, with a message', async () => {
  const [a] = await lights('skip a')
  const skipped = '2027-03-28T01:30'
  const body = { tenant, groupName: 'Skip', building, t180StartDate: skipped, deviceIds: [a!] }
  const conflicts = (await app.send(getConflictingTestSchedules, { body }, guest)).body.data!
  assert.equal(conflicts.moved, '28/03/2027 has no 01:30. The test starts at 02:30 BST.')
  assert.equal(conflicts.fault, null)
  assert.equal(conflicts.t180!.from, '2027-03-28T01:30:00.000Z')
  const { body: added } = await add('Skip', [a!], { t180StartDate: skipped })
  assert.equal(added.data!.t180StartDate, '2027-03-28T02:30')
  const [t180] = (await schedule('Skip')).filter(({ testType }) => testType === 'T180')
  assert.equal(t180!.testDate, conflicts.t180!.from)
  const { body: moved } = await update('Skip', [a!], { t180StartDate: '2028-03-26T01:00' })
  assert.equal(moved.data!.t180StartDate, '2028-03-26T02:00')
})

test('the next free night has no test or charging of the lights, and a question names the lights without charge', async () => {
  const [a, b] = await lights('free a', 'free b')
  const ask = async (t180StartDate: string, deviceIds: string[], groupName = 'Free') =>
    (
      await app.send(
        getConflictingTestSchedules,
        { body: { tenant, groupName, building, t180StartDate, deviceIds } },
        guest,
      )
    ).body.data!
  const nothing = await ask((await groups()).hour, [])
  assert.deepEqual([nothing.nights.length, nothing.question], [14, null])
  const first = nothing.freeNight!
  assert.match(first, /T02:00$/)
  assert.equal(nothing.nights.find(({ isFree }) => isFree)!.t180StartDate, first)
  // One light's test takes that night, and its charging the next.
  assert.equal((await add('Free taken', [a!], { t180StartDate: first })).status, 200)
  const taken = await ask(first, [a!, b!])
  const at = taken.nights.findIndex(({ t180StartDate }) => t180StartDate === first)
  assert.deepEqual(
    taken.nights.slice(at, at + 2).map((night) => [night.isFree, night.taken]),
    [
      [false, [{ groupName: 'Free taken', testType: 'T180', lights: 1 }]],
      [false, [{ groupName: 'Free taken', testType: 'T180', lights: 1 }]],
    ],
  )
  assert.ok(taken.freeNight! > taken.nights[at + 1]!.t180StartDate)
  assert.equal(taken.question, null)
  // Its own plan gives way to the requested start.
  assert.equal((await ask(first, [a!], 'Free taken')).nights[at]!.isFree, true)
  // A battery used an hour ago charges until tomorrow.
  await app.database.owner.query(
    `insert into emergency_test (tenant_id, event_id, device_id, test_type, started_at, result, reason, component_states, series)
     values ($1, $2, $3, 'T180', now() - interval '4 hours', 'Passed', '-', '{}', '[]')`,
    [tenant, crypto.randomUUID(), b],
  )
  await app.database.owner.query(`update device set floor_name = 'Floor 1', floor_number = 1 where id = $1`, [b])
  const { question } = await ask((await groups()).hour, [b!])
  assert.deepEqual(question!.floors, [{ floorName: 'Floor 1', lights: 1 }])
  assert.deepEqual(
    question!.charging.map(({ deviceName }) => deviceName),
    ['free b'],
  )
  assert.match(question!.title, /1 light on 1 floor goes dark$/)
  assert.equal(Date.parse(question!.to) - Date.parse(question!.from), 3 * 3_600_000)
  assert.equal(Date.parse(question!.chargedBy) - Date.parse(question!.to), day)
})

test('a limited user reads the schedule of their own light, and nothing of the other lights of its group [dev-2detail-11]', async () => {
  const [own, other] = await lights('own of limited', 'other of limited')
  await app.database.owner.query(
    `update device set access_rights_tag_id = (
      select id from access_rights_tag where tenant_id = $1 and display_name = 'East') where tenant_id = $1 and id = $2`,
    [tenant, own],
  )
  const gateway = await addDevice(app, tenant, { product: 'MG' })
  await app.database.owner.query(`update device set parent_id = $3 where tenant_id = $1 and id = any($2::uuid[])`, [
    tenant,
    [own, other],
    gateway,
  ])
  await add('Partly seen', [own!, other!])
  const read = (deviceId: string, email: string, at = tenant) =>
    app.send(getDeviceTestSchedule, { body: { tenant: at, deviceId } }, email)
  const { status, body } = await read(own!, limited)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(body.data!.group, { groupName: 'Partly seen', lights: 1 })
  assert.ok(body.data!.next.length > 0 && body.data!.next.every((run) => run.lights === 1))
  assert.deepEqual((await read(own!, guest)).body.data!.group, { groupName: 'Partly seen', lights: 2 })
  assert.equal((await read(gateway, guest)).body.data!.next[0]!.lights, 2)
  // The counter-examples: a light of another area, a role without lighting, another client.
  assert.equal((await read(other!, limited)).status, 404)
  assert.equal((await read(gateway, limited)).status, 404)
  assert.equal((await read(own!, boilers)).status, 403)
  assert.equal((await read(own!, 'manager@south.test', 'south')).status, 404)
  await remove('Partly seen')
})
