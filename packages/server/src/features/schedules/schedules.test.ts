import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getDeviceCommands, takeBackCommand } from '@caretaker/contract/lighting.ts'
import { getThermostatSchedules, sendThermostatSchedule } from '@caretaker/contract/schedules.ts'
import type { ScheduleWeek } from '@caretaker/rules/properties/schedule.ts'
import { emptyWeek, scheduleOf } from '@caretaker/rules/properties/schedule.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { takeDueCommands } from '../commands/store.ts'
import { ingestReplies } from '../commands/ingest.ts'
import { ingestStates } from '../devices/ingest.ts'

const tenant = 'north'
const manager = 'manager@north.test'
let app: TestApp
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) {
    await app.addTenant(id)
    await app.addMember(id, `manager@${id}.test`, 'Manager')
  }
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  const tag = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [tag])
})
afterAll(() => app.close())

const report = (deviceId: string, payload: object) =>
  inTenant(app.database.db, tenant, (tx) =>
    ingestStates(tx, [{ deviceId, tenant, payload: payload as never, receivedAt: new Date() }]),
  )
async function addThermostat(takesSchedules = true) {
  const id = await addDevice(app, tenant, { product: 'TH' })
  await report(id, { takesSchedules })
  return id
}
const weekOf = (temperature: number): ScheduleWeek => ({
  ...scheduleOf(emptyWeek()),
  Monday: [
    [390, temperature],
    [1320, 16],
  ],
})
const send = (deviceId: string, body: object, as = manager, of = tenant) =>
  app.send(sendThermostatSchedule, { params: { tenant: of, deviceId }, body: body as never }, as)
const shown = async (deviceId: string, as = manager) =>
  (await app.send(getThermostatSchedules, { params: { tenant, deviceId } }, as)).body
const commandsOf = async (deviceId: string) =>
  (await app.send(getDeviceCommands, { body: { tenant, deviceId } }, manager)).body.data!

test('a schedule is stored and sent, and confirmed once the V-Stat reports it', async () => {
  const id = await addThermostat()
  const week = weekOf(19.5)
  const { status, body } = await send(id, { part: 'heating', week })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(await shown(id), {
    takesSchedules: true,
    desired: { heating: week, hotWater: null },
    reported: { heating: null, hotWater: null },
  })
  const [command] = await takeDueCommands(app.database.db, [id], 10)
  assert.deepEqual([command!.name, command!.args], ['schedule', { part: 'heating', week }])
  const payload = { commandId: command!.commandId, status: 'confirmed' as const }
  await inTenant(app.database.db, tenant, (tx) =>
    ingestReplies(tx, [{ deviceId: id, tenant, payload, receivedAt: new Date() }]),
  )
  await report(id, { schedules: { heating: week } })
  assert.deepEqual((await shown(id)).reported, { heating: week, hotWater: null })
  assert.equal((await commandsOf(id))[0]!.status, 'confirmed')
})

test('the same week is sent once, a newer one replaces it, and hot water is a schedule of its own', async () => {
  const id = await addThermostat()
  const first = (await send(id, { part: 'heating', week: weekOf(19) })).body
  assert.deepEqual((await send(id, { part: 'heating', week: weekOf(19) })).body, first)
  await send(id, { part: 'hotWater', week: weekOf(35) })
  await send(id, { part: 'heating', week: weekOf(20) })
  const commands = (await commandsOf(id)).map(({ args, status }) => [args!['part'], status])
  assert.deepEqual(commands, [
    ['heating', 'queued'],
    ['hotWater', 'queued'],
    ['heating', 'withdrawn'],
  ])
  assert.deepEqual((await shown(id)).desired, { heating: weekOf(20), hotWater: weekOf(35) })
  const [newest] = await commandsOf(id)
  const back = { tenant, deviceId: id, commandId: newest!.commandId }
  assert.equal((await app.send(takeBackCommand, { body: back }, manager)).body.isSuccessful, true)
  assert.equal((await shown(id)).desired.heating, null)
})

test('temperatures are from 5 to 35 °C, with at most four times a day in ascending order', async () => {
  const id = await addThermostat()
  const day = (points: unknown) => send(id, { part: 'heating', week: { ...weekOf(19), Monday: points } })
  const refused = [
    [[390, 4.9]],
    [[390, 35.1]],
    [[390, 0]],
    [[1440, 20]],
    [[-1, 20]],
    [[390.5, 20]],
    [
      [390, 20],
      [390, 21],
    ],
    [
      [400, 20],
      [390, 21],
    ],
    [1, 2, 3, 4, 5].map((at) => [at, 20]),
  ]
  for (const points of refused) assert.equal((await day(points)).status, 400, JSON.stringify(points))
  for (const points of [[], [[0, 5]], [[1439, 35]]]) assert.equal((await day(points)).status, 200)
})

test('a V-Stat whose firmware has no schedules, and a device of another kind, are refused with the reason', async () => {
  const old = await addThermostat(false)
  const { body } = await send(old, { part: 'heating', week: weekOf(19) })
  assert.match(JSON.stringify(body), /The firmware of this V-Stat does not support schedules\./)
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  assert.match(JSON.stringify((await send(boiler, { part: 'heating', week: weekOf(19) })).body), /Only V-Stats/)
  assert.deepEqual([await commandsOf(old), await commandsOf(boiler)], [[], []])
})

test('read-only users send nothing, and nobody sends to a V-Stat that they do not see', async () => {
  const id = await addThermostat()
  const body = { part: 'heating', week: weekOf(19) }
  assert.equal((await send(id, body, 'guest@north.test')).status, 403)
  assert.equal((await send(id, body, 'limited@north.test')).status, 404)
  assert.equal((await send(id, body, 'manager@south.test', 'south')).status, 404)
  assert.deepEqual(await commandsOf(id), [])
  assert.equal((await shown(id, 'guest@north.test')).takesSchedules, true)
})
