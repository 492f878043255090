import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { queueFlickTest } from '../../testing/device-link.ts'
import { ingestReplies } from './ingest.ts'
import type { DueCommand } from './store.ts'
import { mayWithdraw } from '@caretaker/rules/commands/life.ts'
import {
  commandQueued,
  expireCommands,
  findOpenCommands,
  holdCommand,
  listCommands,
  queueCommands,
  takeBack,
  takeDueCommands,
} from './store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North'), ('south', 'South')`)
})
afterAll(() => database.drop())
beforeEach(() => database.owner.query('delete from command_outbox'))

async function newLight(tenant: string): Promise<string> {
  const id = crypto.randomUUID()
  await inTenant(database.db, tenant, (tx) =>
    tx
      .insertInto('device')
      .values({ tenant_id: tenant, id, serial: `EM${id}`, product: 'EM', name: 'Light', status: 'Ok', severity: 2 })
      .execute(),
  )
  return id
}

const queue = (tenant: string, id: string) => queueFlickTest(database, { tenant, id })
const take = (...devices: string[]) => takeDueCommands(database.db, devices, 100)
const list = (tenant: string, deviceId: string) => inTenant(database.db, tenant, (tx) => listCommands(tx, deviceId))
const only = async (tenant: string, deviceId: string) => (await list(tenant, deviceId))[0]!
const outbox = async () => (await database.owner.query<{ command_id: string }>('select * from command_outbox')).rows
const reply = (
  tenant: string,
  deviceId: string,
  commandId: string,
  status: 'confirmed' | 'failed' = 'confirmed',
  message?: string,
) =>
  inTenant(database.db, tenant, (tx) =>
    ingestReplies(tx, [{ deviceId, tenant, payload: { commandId, status, message }, receivedAt: new Date() }]),
  )

/** Moves the instants of the rows, so that nothing has to wait. */
const pass = (column: 'due_at' | 'expires_at') =>
  database.owner.query(`update command_outbox set ${column} = now() - interval '1 second'`)

test('a command goes from queued to sent to confirmed, and only the device confirms it', async () => {
  const light = await newLight('north')
  const commandId = await queue('north', light)
  const queued = await only('north', light)
  assert.equal(queued.status, 'queued')
  assert.equal(queued.sentAt, null)
  assert.equal(Date.parse(queued.expiresAt) - Date.parse(queued.createdAt), 15 * 60_000)

  const due = await take(light)
  const expected: DueCommand = {
    tenant: 'north',
    deviceId: light,
    commandId,
    name: 'runTest',
    args: { testType: 'T0' },
    expiresAt: new Date(queued.expiresAt),
  }
  assert.deepEqual(due, [expected])
  const sent = await only('north', light)
  assert.equal(sent.status, 'sent')
  assert.ok(sent.sentAt)

  assert.deepEqual(await reply('north', light, commandId.toUpperCase(), 'confirmed', 'Test started'), [])
  const confirmed = await only('north', light)
  assert.equal(confirmed.status, 'confirmed')
  assert.equal(confirmed.message, 'Test started')
  assert.ok(confirmed.answeredAt)
  assert.deepEqual(await outbox(), [])
})

test('a command that the device refuses fails with its message', async () => {
  const light = await newLight('north')
  const commandId = await queue('north', light)
  await take(light)
  await reply('north', light, commandId, 'failed', 'Battery is charging')
  const failed = await only('north', light)
  assert.deepEqual([failed.status, failed.message], ['failed', 'Battery is charging'])
})

test('an unanswered command is sent again when its claim ends, and not before', async () => {
  const light = await newLight('north')
  const commandId = await queue('north', light)
  assert.equal((await take(light)).length, 1)
  assert.equal((await take(light)).length, 0)
  const first = await only('north', light)
  await pass('due_at')
  assert.deepEqual(
    (await take(light)).map((command) => command.commandId),
    [commandId],
  )
  assert.equal((await only('north', light)).sentAt, first.sentAt)
  const { rows } = await database.owner.query(`select attempts from command where id = $1`, [commandId])
  assert.deepEqual(rows, [{ attempts: 2 }])
})

test('of several workers at once each command goes to one', async () => {
  const lights = await Promise.all(Array.from({ length: 40 }, (_, n) => newLight(n % 2 ? 'north' : 'south')))
  await Promise.all(lights.map((light, n) => queue(n % 2 ? 'north' : 'south', light)))
  const taken = await Promise.all(Array.from({ length: 6 }, () => takeDueCommands(database.db, lights, 15)))
  const ids = taken.flat().map((command) => command.commandId)
  assert.equal(new Set(ids).size, ids.length)
  assert.equal(ids.length + (await takeDueCommands(database.db, lights, 100)).length, 40)
  assert.ok(
    taken.flat().every((command) => command.tenant === (lights.indexOf(command.deviceId) % 2 ? 'north' : 'south')),
  )
})

test('concurrent replies and claims of the same commands never deadlock', async () => {
  const light = await newLight('north')
  const ids = await Promise.all(Array.from({ length: 20 }, () => queue('north', light)))
  const answers = [ids, [...ids].reverse()].map((order) =>
    inTenant(database.db, 'north', (tx) =>
      ingestReplies(
        tx,
        order.map((commandId) => ({
          deviceId: light,
          tenant: 'north',
          payload: { commandId, status: 'confirmed' as const },
          receivedAt: new Date(),
        })),
      ),
    ),
  )
  const results = await Promise.all([...answers, take(light), take(light), expireCommands(database.db)])
  assert.deepEqual(results.slice(0, 2), [[], []])
  assert.ok((await list('north', light)).every((command) => command.status === 'confirmed'))
  await pass('due_at')
  assert.deepEqual(await take(light), [])
})

test('an overdue command expires, is not sent again, and a late reply does not revive it', async () => {
  const light = await newLight('north')
  const commandId = await queue('north', light)
  await take(light)
  await pass('due_at')
  await pass('expires_at')
  assert.deepEqual(await take(light), [])
  const expired = await Promise.all([expireCommands(database.db), expireCommands(database.db)])
  assert.equal(expired[0] + expired[1], 1)
  assert.equal((await only('north', light)).status, 'expired')
  assert.deepEqual(await outbox(), [])
  assert.deepEqual(await reply('north', light, commandId), [])
  const late = await only('north', light)
  assert.deepEqual([late.status, late.lateAnswer], ['expired', 'confirmed'])
  // Its reply is kept to be shown, once.
  assert.ok(late.answeredAt)
  assert.deepEqual(await reply('north', light, commandId, 'failed', 'No'), [])
  assert.deepEqual(await only('north', light), late)
})

test('an answer after the expiry time is late, even if the command was not expired yet', async () => {
  const light = await newLight('north')
  for (const answer of ['confirmed', 'failed'] as const) {
    const commandId = await queue('north', light)
    await take(light)
    await database.owner.query("update command set expires_at = now() - interval '1 second' where id = $1", [commandId])
    assert.deepEqual(await reply('north', light, commandId, answer), [])
    const { status, lateAnswer } = await only('north', light)
    assert.deepEqual([status, lateAnswer], ['expired', answer])
    assert.deepEqual(await outbox(), [])
  }
})

const byPerson = async (name: string) => {
  const id = crypto.randomUUID()
  await database.owner.query(`insert into person (id, issuer, subject, email, name) values ($2, 'test', $1, $1, $1)`, [
    name,
    id,
  ])
  return id
}
const withdraw = (light: string, commandId: string, person: string) =>
  inTenant(database.db, 'north', async (tx) => {
    const command = await holdCommand(tx, light, commandId)
    if (command && mayWithdraw(command, {})) await takeBack(tx, { ...command, deviceId: light }, person)
    return command?.status
  })

test('a withdrawn command is never sent, and an answer to it is only shown', async () => {
  const light = await newLight('north')
  const person = await byPerson('Priya Nair')
  const commandId = await queue('north', light)
  assert.equal(await withdraw(light, commandId, person), 'queued')
  const withdrawn = await only('north', light)
  assert.deepEqual([withdrawn.status, withdrawn.withdrawnBy], ['withdrawn', 'Priya Nair'])
  assert.ok(withdrawn.withdrawnAt)
  assert.deepEqual(await outbox(), [])
  assert.deepEqual(await take(light), [])
  assert.equal(await expireCommands(database.db), 0)
  assert.deepEqual(await reply('north', light, commandId, 'confirmed'), [], 'no bad message')
  const answered = await only('north', light)
  assert.deepEqual([answered.status, answered.lateAnswer], ['withdrawn', 'confirmed'])
})

test('in a race between sending and withdrawing, a withdrawn command was not sent', async () => {
  const person = await byPerson('Quick')
  for (let round = 0; round < 12; round++) {
    const light = await newLight('north')
    const commandId = await queue('north', light)
    const [sent] = await Promise.all([take(light), withdraw(light, commandId, person)])
    const { status, sentAt } = await only('north', light)
    assert.equal(status, sent.length ? 'sent' : 'withdrawn')
    assert.equal(sentAt === null, !sent.length)
    assert.equal((await outbox()).length, sent.length)
    await database.owner.query('delete from command_outbox')
  }
})

test('the last command of each name is listed, however many others followed', async () => {
  const light = await newLight('north')
  const person = await byPerson('Callum')
  await inTenant(database.db, 'north', (tx) =>
    queueCommands(tx, { deviceIds: [light], name: 'joinNetwork', args: {}, createdBy: person }),
  )
  for (let n = 0; n < 55; n++) await queue('north', light)
  const commands = await list('north', light)
  assert.equal(commands.length, 51)
  assert.deepEqual([commands.at(-1)!.name, commands.at(-1)!.requestedBy], ['joinNetwork', 'Callum'])
})

test('commands beyond one batch expire too, in all tenants', async () => {
  const [north, south] = [await newLight('north'), await newLight('south')]
  for (let n = 0; n < 3; n++) await Promise.all([queue('north', north), queue('south', south)])
  await pass('expires_at')
  assert.equal(await expireCommands(database.db, 2), 6)
})

test('only the first reply counts, and repeating it is harmless', async () => {
  const light = await newLight('north')
  const commandId = await queue('north', light)
  await reply('north', light, commandId, 'failed', 'No')
  const first = await only('north', light)
  assert.deepEqual(await reply('north', light, commandId, 'failed', 'No'), [])
  assert.deepEqual(await reply('north', light, commandId, 'confirmed'), [])
  assert.deepEqual(await only('north', light), first)
})

test("a reply to an unknown command, another device's or another tenant's is returned and changes nothing", async () => {
  const [light, other, foreign] = [await newLight('north'), await newLight('north'), await newLight('south')]
  const commandId = await queue('north', light)
  const returned = [
    ...(await reply('north', light, crypto.randomUUID())),
    ...(await reply('north', other, commandId)),
    ...(await reply('south', foreign, commandId)),
  ]
  assert.deepEqual(
    returned.map((message) => message.deviceId),
    [light, other, foreign],
  )
  assert.equal((await only('north', light)).status, 'queued')
  assert.equal((await outbox()).length, 1)
})

test('an uncommitted command is neither queued nor announced; a committed one is both', async () => {
  const light = await newLight('north')
  const client = await database.owner.connect()
  const heard: string[] = []
  client.on('notification', (message) => heard.push(`${message.channel} ${message.payload}`))
  await client.query(`listen ${commandQueued}`)
  const undone = inTenant(database.db, 'north', async (tx) => {
    await queueCommands(tx, { deviceIds: [light], name: 'runTest', args: {}, createdBy: null })
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.deepEqual(await outbox(), [])
  await queue('north', light)
  while (!heard.length) await client.query('select')
  client.release(true)
  assert.deepEqual(heard, [`${commandQueued} ${light}`])
  assert.equal((await outbox()).length, 1)
})

test('the open command of a device is found until it is answered', async () => {
  const light = await newLight('north')
  const find = async () =>
    (
      await inTenant(database.db, 'north', (tx) =>
        findOpenCommands(tx, [light], { name: 'runTest', args: { testType: 'T0' } }),
      )
    ).get(light)
  assert.equal(await find(), undefined)
  const commandId = await queue('north', light)
  assert.equal(await find(), commandId)
  await take(light)
  assert.equal(await find(), commandId)
  await reply('north', light, commandId)
  assert.equal(await find(), undefined)
})

test('the queue drops a command whose device is deleted', async () => {
  const light = await newLight('north')
  await queue('north', light)
  await inTenant(database.db, 'north', (tx) =>
    tx.deleteFrom('device').where('tenant_id', '=', 'north').where('id', '=', light).execute(),
  )
  assert.deepEqual(await take(light), [])
  assert.deepEqual(await outbox(), [])
})
