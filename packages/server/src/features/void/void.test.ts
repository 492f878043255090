import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { sql } from 'kysely'
import { createAlertDefinition } from '@caretaker/contract/alerts.ts'
import { updateChSetPoint } from '@caretaker/contract/boilers.ts'
import { getDeviceCommands, takeBackCommand } from '@caretaker/contract/lighting.ts'
import { getPropertyAudit } from '@caretaker/contract/property-audit.ts'
import { putPropertyDetails } from '@caretaker/contract/properties.ts'
import { askVoidAgain, getPropertyVoid } from '@caretaker/contract/void-mode.ts'
import type { VoidFlag } from '@caretaker/rules/properties/dwelling.ts'
import { changed } from '../../changes/changed.ts'
import { openFeed } from '../../changes/feed.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { watchTenant } from '../alerts/watch.ts'
import { ingestReplies } from '../commands/ingest.ts'
import { expireCommands, takeDueCommands } from '../commands/store.ts'
import { ingestStates } from '../devices/ingest.ts'
import { setTimeZone } from '../tenants/service.ts'
import { keepVoid } from './keep.ts'
import { applyVoidFlags } from './apply-flags.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const limited = 'limited@north.test'

let app: TestApp
let tag: string
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south'])
    await app.addTenant(id, { features: ['PropertyCentric', 'VoidFlag'], capabilities: ['ViewProperties'] })
  tag = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  await app.addMember(tenant, limited, 'Manager', [tag])
  await app.addMember('south', 'manager@south.test', 'Manager')
})
afterAll(() => app.close())

let number = 0
const within = <T>(work: Parameters<typeof inTenant<T>>[2]) => inTenant(app.database.db, tenant, work)

/** A property with a boiler that heats its radiators to 60 °C, and a PowerSense F. */
async function addHome(given: { devices?: boolean } = {}) {
  const id = randomUUID()
  await within((tx) =>
    tx
      .insertInto('property')
      .values({ tenant_id: tenant, id, reference: `V-${++number}`, latitude: null, longitude: null })
      .execute(),
  )
  if (given.devices === false) return { id, bcm: '', meter: '' }
  const bcm = await addDevice(app, tenant, { product: 'BX' })
  const meter = await addDevice(app, tenant, { product: 'PM', serial: `PMF${String(++number).padStart(6, '0')}X` })
  await bring(id, bcm, { monitoring: 'Boiler' })
  await bring(id, meter, { model: 'F' })
  await reportState(bcm, { chMax: 60, chMaxSupported: true })
  await reportState(meter, { supplyHeld: false, supply: true })
  return { id, bcm, meter }
}
const bring = (property_id: string | null, device: string, more: { monitoring?: string; model?: string } = {}) =>
  within((tx) =>
    tx
      .updateTable('device')
      .set({ property_id, ...more })
      .where('tenant_id', '=', tenant)
      .where('id', '=', device)
      .execute(),
  )
const reportState = (deviceId: string, payload: object) =>
  within((tx) => ingestStates(tx, [{ deviceId, tenant, payload: payload as never, receivedAt: new Date() }]))
const turn = async (propertyId: string, voidStatus: VoidFlag) => {
  const sent = { params: { tenant, propertyId }, body: { voidStatus } }
  assert.equal((await app.send(putPropertyDetails, sent, manager)).status, 200)
}
/** The same at a given time. */
const turnAt = (id: string, flag: VoidFlag, now: Date) =>
  within(async (tx) => {
    await tx
      .updateTable('property')
      .set({ void_flag: flag })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute()
    await applyVoidFlags(tx, { propertyIds: [id], askedBy: null, now })
  })
const voidOf = async (propertyId: string, email = manager) =>
  (await app.send(getPropertyVoid, { params: { tenant, propertyId } }, email)).body
const commandsOf = async (deviceId: string) =>
  (await app.send(getDeviceCommands, { body: { tenant, deviceId } }, manager)).body.data!
/** The commands of a device, oldest first, each of which it confirms. */
async function obey(deviceId: string) {
  const taken = await takeDueCommands(app.database.db, [deviceId], 10)
  for (const { commandId } of taken)
    await within((tx) =>
      ingestReplies(tx, [{ deviceId, tenant, payload: { commandId, status: 'confirmed' }, receivedAt: new Date() }]),
    )
  return taken.map(({ name, args }) => ({ name, args }))
}
const firings = async (deviceId: string) =>
  within(async (tx) =>
    (
      await sql<{ monday: string; state: string }>`select monday::text as monday, state from void_firing
        where tenant_id = ${tenant} and device_id = ${deviceId} order by monday`.execute(tx)
    ).rows.map(({ monday, state }) => `${monday} ${state}`),
  )

test('void holds the heating at 10 °C and cuts the electricity, and releasing restores the former values [est-4-41 est-4-43 est-4-45 est-4-46]', async () => {
  const home = await addHome()
  assert.equal(
    (await voidOf(home.id)).plan[0]!.text,
    'Heating maximum set point, now 60 °C. The old value is stored and will be restored.',
  )
  await turn(home.id, 'Void')
  const standings = async () =>
    (await voidOf(home.id)).effects.map(({ effect, isHeld, standing }) => [effect, isHeld, standing])
  assert.deepEqual(await standings(), [
    ['heating', true, 'asked'],
    ['electricity', true, 'asked'],
  ])
  assert.deepEqual(await obey(home.bcm), [{ name: 'setChMax', args: { chSetPoint: 10 } }])
  assert.deepEqual(await obey(home.meter), [{ name: 'setSupplyHold', args: { isHeld: true } }])
  // A value is proven only by the device's report.
  assert.deepEqual(
    (await standings()).map(([, , standing]) => standing),
    ['asked', 'asked'],
  )
  await reportState(home.bcm, { chMax: 10 })
  await reportState(home.meter, { supplyHeld: true, supply: false })
  assert.deepEqual(
    (await standings()).map(([, , standing]) => standing),
    ['confirmed', 'confirmed'],
  )
  const refused = await app.send(updateChSetPoint, { body: { tenant, deviceId: home.bcm, chSetPoint: 70 } }, manager)
  assert.equal(refused.body.isSuccessful, false)
  const [hold] = await commandsOf(home.meter)
  const body = { tenant, deviceId: home.meter, commandId: hold!.commandId }
  assert.equal((await app.send(takeBackCommand, { body }, manager)).body.isSuccessful, false)

  await turn(home.id, 'NotVoid')
  assert.deepEqual(await obey(home.bcm), [{ name: 'setChMax', args: { chSetPoint: 60 } }])
  assert.deepEqual(await obey(home.meter), [{ name: 'setSupplyHold', args: { isHeld: false } }])
  await reportState(home.bcm, { chMax: 60 })
  await reportState(home.meter, { supplyHeld: false, supply: false })
  assert.deepEqual(await standings(), [
    ['heating', false, 'confirmed'],
    ['electricity', false, 'confirmed'],
  ])
})

test('a boiler in lockout is named with its property, is not promised a firing, and fires again after the lockout', async () => {
  const home = await addHome()
  const fault = (faultCode: string) =>
    reportState(home.bcm, { faultCode, fault: faultCode === 'None' ? null : { faultSource: 'boiler' } })
  await fault('EA')
  const firing = async () => (await voidOf(home.id)).plan.find(({ effect }) => effect === 'firing')!
  assert.deepEqual(
    [(await firing()).applies, (await firing()).title],
    [false, 'Boiler locked out: no firing, frost risk'],
  )
  await turn(home.id, 'Void')
  const now = await voidOf(home.id)
  assert.deepEqual(
    now.lockedOut.map(({ deviceId }) => deviceId),
    [home.bcm],
  )
  assert.deepEqual(
    now.firings.map(({ standing }) => standing),
    ['blocked'],
  )
  await fault('None')
  const later = await voidOf(home.id)
  assert.deepEqual([later.lockedOut, later.firings.map(({ standing }) => standing)], [[], ['planned']])
})

test('of two boilers the one in lockout is not planned', async () => {
  const home = await addHome()
  const second = await addDevice(app, tenant, { product: 'BC' })
  await bring(home.id, second, { monitoring: 'Boiler' })
  const [first, other] = [home.bcm, second].toSorted()
  for (const locked of [first, other]) {
    for (const one of [first, other])
      await reportState(one!, {
        faultCode: one === locked ? 'EA' : 'None',
        fault: one === locked ? { faultSource: 'boiler' } : null,
      })
    await turn(home.id, 'Void')
    assert.deepEqual(
      (await voidOf(home.id)).firings.map(({ deviceId, standing }) => [deviceId, standing]),
      [[locked === first ? other : first, 'planned']],
    )
    await turn(home.id, 'NotVoid')
  }
})

test('changed back and forth before the device receives anything, it ends with the last choice and keeps the first value', async () => {
  const home = await addHome()
  for (const flag of ['Void', 'NotVoid', 'Void'] as const) await turn(home.id, flag)
  assert.deepEqual(await obey(home.bcm), [{ name: 'setChMax', args: { chSetPoint: 10 } }])
  await reportState(home.bcm, { chMax: 10 })
  await turn(home.id, 'NotVoid')
  assert.deepEqual(await obey(home.bcm), [{ name: 'setChMax', args: { chSetPoint: 60 } }])
})

test('two simultaneous changes send each device one command, and the later one decides', async () => {
  const home = await addHome()
  await Promise.all([turn(home.id, 'Void'), turn(home.id, 'Void'), turn(home.id, 'Void')])
  assert.equal((await commandsOf(home.bcm)).length, 1)
  await Promise.all([turn(home.id, 'NotVoid'), turn(home.id, 'Void'), turn(home.id, 'NotVoid')])
  const { isVoid, effects } = await voidOf(home.id)
  assert.deepEqual(
    effects.map(({ isHeld }) => isHeld),
    [isVoid, isVoid],
  )
  assert.equal((await firings(home.bcm)).length, isVoid ? 1 : 0)
})

test('a device added to a void property gets the effects, and one that leaves gets its value back', async () => {
  const home = await addHome({ devices: false })
  await turn(home.id, 'Void')
  const bcm = await addDevice(app, tenant, { product: 'BX' })
  await reportState(bcm, { chMax: 55 })
  await bring(home.id, bcm, { monitoring: 'Boiler' })
  const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000)
  await keepVoid(app.database.db, soon(1.1))
  assert.deepEqual(await obey(bcm), [{ name: 'setChMax', args: { chSetPoint: 10 } }])
  assert.equal((await firings(bcm)).length, 1)
  await reportState(bcm, { chMax: 10 })
  await keepVoid(app.database.db, soon(2.2))
  assert.deepEqual(await obey(bcm), [])
  await bring(null, bcm)
  await keepVoid(app.database.db, soon(3.3))
  assert.deepEqual(await obey(bcm), [{ name: 'setChMax', args: { chSetPoint: 55 } }])
  assert.deepEqual(await firings(bcm), [])
})

test('a device without effects or firings is checked once, and never locked again', async () => {
  const { id } = await addHome({ devices: false })
  const [cube, controller] = [
    await addDevice(app, tenant, { product: 'BX' }),
    await addDevice(app, tenant, { product: 'BX' }),
  ]
  await bring(id, cube, { monitoring: 'None' })
  await bring(id, controller, { monitoring: 'HeatPump' })
  await reportState(controller, { chMaxSupported: false })
  await turn(id, 'Void')
  const versions = () =>
    within((tx) =>
      sql<{ version: string }>`select xmax::text as version from device where tenant_id = ${tenant}
      and id in (${cube}, ${controller}) order by id`
        .execute(tx)
        .then(({ rows }) => rows),
    )
  const before = await versions()
  await keepVoid(app.database.db, new Date(Date.now() + 70_000))
  await keepVoid(app.database.db, new Date(Date.now() + 140_000))
  // A row locked by a transaction has its id as version.
  assert.deepEqual(await versions(), before)
  // A command that becomes possible later is sent then.
  await bring(id, cube, { monitoring: 'Boiler' })
  await reportState(cube, { chMax: 55, chMaxSupported: true })
  await keepVoid(app.database.db, new Date(Date.now() + 210_000))
  const { rows } = await within((tx) =>
    sql<{
      former: number
    }>`select former from void_effect where tenant_id = ${tenant} and device_id = ${cube} and is_held`.execute(tx),
  )
  assert.deepEqual(rows, [{ former: 55 }])
})

test('a device moved between void properties gets no new command, and its new property shows its effect', async () => {
  const [old, next] = [await addHome(), await addHome({ devices: false })]
  await turn(old.id, 'Void')
  await turn(next.id, 'Void')
  assert.deepEqual(await obey(old.bcm), [{ name: 'setChMax', args: { chSetPoint: 10 } }])
  await reportState(old.bcm, { chMax: 10 })
  await bring(next.id, old.bcm)
  await keepVoid(app.database.db, new Date(Date.now() + 70_000))
  assert.deepEqual(await obey(old.bcm), [])
  const heating = async (id: string) => {
    const { effects, firings: fires } = await voidOf(id)
    return [effects.filter(({ effect }) => effect === 'heating').map(({ standing }) => standing), fires.length]
  }
  assert.deepEqual(
    [await heating(old.id), await heating(next.id)],
    [
      [[], 0],
      [['confirmed'], 1],
    ],
  )
  await turn(next.id, 'NotVoid')
  assert.deepEqual(await obey(old.bcm), [{ name: 'setChMax', args: { chSetPoint: 60 } }])
})

test('a command that expired while the device was away is sent again when it returns', async () => {
  const home = await addHome()
  await turn(home.id, 'Void')
  await app.database.owner.query(
    `with old as (update command set expires_at = now() - interval '1 minute' where device_id = $1 returning id)
     update command_outbox set expires_at = now() - interval '1 minute' where command_id in (select id from old)`,
    [home.bcm],
  )
  await expireCommands(app.database.db)
  const standing = async () => (await voidOf(home.id)).effects.find(({ effect }) => effect === 'heating')!.standing
  assert.equal(await standing(), 'not delivered')
  await keepVoid(app.database.db, new Date(Date.now() + 70_000))
  assert.equal(await standing(), 'not delivered')
  await app.database.owner.query('update device set connection_at = now() where id = $1', [home.bcm])
  await keepVoid(app.database.db, new Date(Date.now() + 140_000))
  assert.equal(await standing(), 'asked')
  assert.deepEqual(await obey(home.bcm), [{ name: 'setChMax', args: { chSetPoint: 10 } }])
})

test('the boiler fires once each Monday at nine, across clock changes and worker restarts; a missed firing is shown and never made up', async () => {
  const home = await addHome()
  // The clocks of London go forward on Sunday 28 March 2027.
  await turnAt(home.id, 'Void', new Date('2027-03-21T12:00:00Z'))
  await obey(home.bcm)
  const at = async (time: string) => {
    await app.database.owner.query(`update due set due_at = 'epoch' where work = 'void mode'`)
    await Promise.all([1, 2, 3].map(() => keepVoid(app.database.db, new Date(time))))
    return (await takeDueCommands(app.database.db, [home.bcm], 10)).map(({ name, args }) => ({ name, args }))
  }
  const fire = { name: 'fireBoiler', args: { minutes: 5 } }
  assert.deepEqual(await at('2027-03-22T08:59:30Z'), [])
  assert.deepEqual(await at('2027-03-22T09:00:20Z'), [fire])
  assert.deepEqual(await at('2027-03-22T09:01:20Z'), [])
  assert.deepEqual(await at('2027-03-29T07:59:00Z'), [])
  assert.deepEqual(await at('2027-03-29T08:00:10Z'), [fire])
  // The worker was away for two Mondays and returns on a Wednesday.
  assert.deepEqual(await at('2027-04-14T10:00:00Z'), [])
  assert.deepEqual(await firings(home.bcm), [
    ...['2027-03-22 asked', '2027-03-29 asked', '2027-04-05 missed', '2027-04-12 missed', '2027-04-19 due'],
  ])
  const missed = 'The portal was not running at that time. This firing is skipped.'
  const { firings: row } = await voidOf(home.id)
  assert.deepEqual(
    row.map(({ standing, reason }) => [standing, reason]),
    [
      ['planned', null],
      ['missed', missed],
      ['missed', missed],
      ['asked', null],
      ['asked', null],
    ],
  )
  // Both commands went to a device that never answered.
  await app.database.owner.query(`update command set expires_at = now() where device_id = $1`, [home.bcm])
  const silent = (await voidOf(home.id)).firings.at(-1)!
  assert.deepEqual([silent.standing, silent.reason], ['missed', 'The device did not answer. This firing is skipped.'])
  await turnAt(home.id, 'NotVoid', new Date('2027-04-15T10:00:00Z'))
  assert.equal((await at('2027-04-19T08:00:10Z')).filter(({ name }) => name === 'fireBoiler').length, 0)
})

test('after a release the boiler is not fired again, and a received command stays', async () => {
  const monday = new Date('2027-05-10T08:00:20Z')
  const fires = async (home: { bcm: string }) =>
    (await takeDueCommands(app.database.db, [home.bcm], 10)).filter(({ name }) => name === 'fireBoiler').length
  const begin = async () => {
    const home = await addHome()
    await turnAt(home.id, 'Void', new Date('2027-05-05T10:00:00Z'))
    await obey(home.bcm)
    return home
  }
  const run = async (now: Date) => {
    await app.database.owner.query(`update due set due_at = 'epoch' where work = 'void mode'`)
    await keepVoid(app.database.db, now)
  }
  const [due, undelivered, delivered] = [await begin(), await begin(), await begin()]
  await turnAt(due.id, 'NotVoid', new Date('2027-05-10T07:59:59Z'))
  await run(monday)
  assert.deepEqual([await fires(due), await firings(due.bcm)], [0, []])

  assert.equal(await fires(delivered), 1)
  for (const home of [undelivered, delivered]) await turnAt(home.id, 'NotVoid', new Date(+monday + 1000))
  await run(new Date(+monday + 2000))
  assert.equal(await fires(undelivered), 0)
  const { firings: taken } = await voidOf(undelivered.id)
  assert.deepEqual(
    taken.map(({ standing, reason }) => [standing, reason]),
    [['missed', 'It was withdrawn before the device received it.']],
  )
  assert.deepEqual(
    (await voidOf(delivered.id)).firings.map(({ standing }) => standing),
    ['asked'],
  )
  // Void again in the same minute: this Monday has had its firing.
  await turnAt(undelivered.id, 'Void', new Date(+monday + 3000))
  await run(new Date(+monday + 4000))
  assert.equal(await fires(undelivered), 0)
  assert.deepEqual(await firings(undelivered.bcm), ['2027-05-10 asked', '2027-05-17 due'])
  await turnAt(undelivered.id, 'NotVoid', new Date(+monday + 5000))
})

test('without the feature nobody can make a property void, and a void one is released', async () => {
  const home = await addHome()
  const feature = (isOn: boolean) =>
    app.database.owner.query(
      isOn
        ? `insert into tenant_feature (tenant_id, feature) values ($1, 'VoidFlag')`
        : `delete from tenant_feature where tenant_id = $1 and feature = 'VoidFlag'`,
      [tenant],
    )
  const put = (voidStatus: VoidFlag) =>
    app.send(
      putPropertyDetails,
      { params: { tenant, propertyId: home.id }, body: { voidStatus, numberOfRoom: 3 } },
      manager,
    )
  await feature(false)
  const refused = await put('Void')
  assert.deepEqual([refused.status, refused.body.message], [403, "You don't have permission."])
  assert.deepEqual(
    [(await voidOf(home.id)).isVoid, await commandsOf(home.bcm), await firings(home.bcm)],
    [false, [], []],
  )
  await feature(true)
  assert.equal((await put('Void')).status, 200)
  await feature(false)
  assert.equal((await put('Void')).status, 200, 'it is so already')
  assert.equal((await put('NotVoid')).status, 200)
  assert.deepEqual([(await voidOf(home.id)).isVoid, await firings(home.bcm)], [false, []])
  await feature(true)
})

test('after a change of the time zone a firing stays on its Monday, at nine local time', async () => {
  const home = await addHome()
  await turnAt(home.id, 'Void', new Date('2027-06-02T10:00:00Z'))
  const due = () =>
    within(async (tx) => {
      const { rows } = await sql<{
        monday: string
        due_at: Date
      }>`select monday::text as monday, due_at from void_firing
        where tenant_id = ${tenant} and device_id = ${home.bcm} and state = 'due'`.execute(tx)
      return rows.map(({ monday, due_at }) => `${monday} ${due_at.toISOString()}`)
    })
  assert.deepEqual(await due(), ['2027-06-07 2027-06-07T08:00:00.000Z'])
  const move = (timeZone: string) => within((tx) => setTimeZone({ tx, person: { id: null, name: 'Vendor' } }, timeZone))
  await move('America/New_York')
  assert.deepEqual(await due(), ['2027-06-07 2027-06-07T13:00:00.000Z'])
  await move('Europe/London')
  assert.deepEqual(await due(), ['2027-06-07 2027-06-07T08:00:00.000Z'])
  await turnAt(home.id, 'NotVoid', new Date('2027-06-03T10:00:00Z'))
})

test('a void property fires one boiler each Monday: several take turns, and one that leaves passes its turn on', async () => {
  const home = await addHome()
  const second = await addDevice(app, tenant, { product: 'BC' })
  await bring(home.id, second, { monitoring: 'Boiler' })
  const boilers = [home.bcm, second]
  const fired = async (time: string) => {
    await app.database.owner.query(`update due set due_at = 'epoch' where work = 'void mode'`)
    await Promise.all([1, 2, 3].map(() => keepVoid(app.database.db, new Date(time))))
    const taken = await takeDueCommands(app.database.db, boilers, 10)
    return taken.filter(({ name }) => name === 'fireBoiler').map(({ deviceId }) => deviceId)
  }
  const { plan } = await voidOf(home.id)
  assert.match(plan[1]!.text, /One of them each Monday: \S+, \S+ take turns\.$/)
  // Changed twice at once, as by two users, it is planned once.
  await turnAt(home.id, 'Void', new Date('2027-05-02T12:00:00Z'))
  await turnAt(home.id, 'Void', new Date('2027-05-02T12:00:01Z'))
  const planned = async () =>
    (await voidOf(home.id)).firings.filter(({ standing }) => standing === 'planned').map(({ deviceId }) => deviceId)
  assert.equal((await planned()).length, 1)
  const [first] = await fired('2027-05-03T08:00:10Z')
  const other = boilers.find((one) => one !== first)!
  assert.ok(first)
  assert.deepEqual(await planned(), [other])
  assert.deepEqual(await fired('2027-05-03T08:01:10Z'), [])
  assert.deepEqual(await fired('2027-05-10T08:00:10Z'), [other])
  assert.deepEqual(await fired('2027-05-17T08:00:10Z'), [first])
  // The boiler whose turn it is leaves the property before Monday: the other fires, once.
  assert.deepEqual(await planned(), [other])
  await bring(null, other)
  assert.deepEqual(await fired('2027-05-18T08:00:10Z'), [])
  assert.deepEqual(await fired('2027-05-24T08:00:10Z'), [first])
  await turnAt(home.id, 'NotVoid', new Date('2027-05-25T10:00:00Z'))
  assert.deepEqual(await planned(), [])
})

test('all alerts of a void property are muted, and notified after its release only if still active [est-4-44 est-4-48]', async () => {
  const home = await addHome()
  const tagId = randomUUID()
  await within(async (tx) => {
    await tx
      .insertInto('tag')
      .values({ tenant_id: tenant, id: tagId, name: `Void ${tagId}` })
      .execute()
    await tx
      .insertInto('device_tag')
      .values([home.bcm, home.meter].map((device_id) => ({ tenant_id: tenant, device_id, tag_id: tagId })))
      .execute()
  })
  const rule = {
    tagTenant: tenant,
    tagId,
    delay: 0,
    delayUnit: 'mins' as const,
    notificationType: 'NONE' as const,
    notificationTarget: '',
    triggerType: 'CONNECTIONSTATUS' as const,
    triggerCondition: 'NotConnected',
  }
  const watch = (minutes: number) => watchTenant(app.context, openFeed(), tenant, Date.now() + minutes * 60_000)
  await watch(0)
  assert.equal((await app.send(createAlertDefinition, { body: rule }, manager)).body.isSuccessful, true)
  await turn(home.id, 'Void')
  const connects = (device: string, connection: string) =>
    within(async (tx) => {
      await sql`update device set connection_status = ${connection}, connection_at = ${new Date()}
        where tenant_id = ${tenant} and id = ${device}`.execute(tx)
      await changed(tx, 'device', [device])
    })
  for (const device of [home.bcm, home.meter]) await connects(device, 'NotConnected')
  await watch(1)
  await watch(60)
  const alerts = async () =>
    (
      await app.database.owner.query<{ device_id: string; notified: boolean; held: string | null }>(
        `select device_id, told_at is not null as notified, held from alert where device_id = any($1) order by device_id = $2`,
        [[home.bcm, home.meter], home.meter],
      )
    ).rows.map(({ notified, held }) => [notified, held])
  assert.deepEqual(await alerts(), [
    [false, 'muted'],
    [false, 'muted'],
  ])
  assert.equal((await voidOf(home.id)).mutedAlerts, 2)
  await connects(home.meter, 'Connected')
  await watch(70)
  await turn(home.id, 'NotVoid')
  await watch(80)
  await watch(90)
  assert.deepEqual(
    (await alerts()).map(([isNotified]) => isNotified),
    [true, false],
  )
})

test('users without the right to edit change nothing, hidden properties are not found, and no hidden device is disclosed', async () => {
  const home = await addHome()
  const params = { tenant, propertyId: home.id }
  const details = (email: string) => app.send(putPropertyDetails, { params, body: { voidStatus: 'Void' } }, email)
  const statuses = [
    (await details('guest@north.test')).status,
    (await details(limited)).status,
    (await app.send(getPropertyVoid, { params }, limited)).status,
    (await app.send(getPropertyVoid, { params }, 'manager@south.test')).status,
    (await app.send(getPropertyVoid, { params: { tenant: 'south', propertyId: home.id } }, 'manager@south.test'))
      .status,
  ]
  assert.deepEqual(statuses, [403, 404, 404, 404, 404])
  assert.deepEqual(await commandsOf(home.bcm), [])
  await turn(home.id, 'Void')
  await within((tx) =>
    tx
      .updateTable('property')
      .set({ access_rights_tag_id: tag })
      .where('tenant_id', '=', tenant)
      .where('id', '=', home.id)
      .execute(),
  )
  const { effects, firings: planned, plan } = await voidOf(home.id, limited)
  assert.equal(effects.length, 2)
  for (const { deviceId, serialNumber, command } of effects)
    assert.deepEqual([deviceId, serialNumber, command], [null, null, null])
  assert.equal(planned[0]!.serialNumber, null)
  assert.doesNotMatch(JSON.stringify(plan), /BX1|PMF/)
})

test('a refused command is repeated by users who may change the void flag, with their name in the audit', async () => {
  const home = await addHome()
  await turn(home.id, 'Void')
  const again = (email: string, deviceId = home.bcm, at = tenant) =>
    app.send(
      askVoidAgain,
      { params: { tenant: at, propertyId: home.id }, body: { deviceId, effect: 'heating' as const } },
      email,
    )
  assert.equal((await again(manager)).status, 409, 'while it was only asked')
  const [first] = await takeDueCommands(app.database.db, [home.bcm], 10)
  const payload = { commandId: first!.commandId, status: 'failed' as const, message: 'Not now' }
  await within((tx) => ingestReplies(tx, [{ deviceId: home.bcm, tenant, payload, receivedAt: new Date() }]))
  const heating = async () => (await voidOf(home.id)).effects.find(({ effect }) => effect === 'heating')!
  assert.equal((await heating()).standing, 'refused')
  assert.deepEqual(
    [
      (await again('guest@north.test')).status,
      (await again(limited)).status,
      (await again('manager@south.test')).status,
      (await again('manager@south.test', home.bcm, 'south')).status,
      (await again(manager, (await addHome()).bcm)).status,
    ],
    [403, 404, 404, 404, 404],
  )
  const { status, body } = await again(manager)
  assert.equal(status, 200)
  assert.equal(body.effects.find(({ effect }) => effect === 'heating')!.standing, 'asked')
  assert.equal((await again(manager)).status, 409, 'two people at once')
  await obey(home.bcm)
  await reportState(home.bcm, { chMax: 10 })
  assert.equal((await heating()).standing, 'confirmed')
  await app.database.owner.query(`insert into tenant_feature values ($1, 'AuditTab') on conflict do nothing`, [tenant])
  const query = { propertyId: home.id, page: 1, pageSize: 25 }
  const { results } = (await app.send(getPropertyAudit, { params: { tenant }, query } as never, manager)).body
  assert.ok(results.some((entry) => JSON.stringify(entry).toLowerCase().includes('void asked again')))
})
