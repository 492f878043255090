import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import type { KyselyPlugin } from 'kysely'
import {
  addTagToDevice,
  bulkAddTags,
  bulkJoinNetwork,
  bulkLeaveNetwork,
  bulkRemoveTags,
  bulkUninstall,
  getBulkAction,
  getBulkActionAnswers,
  getBulkActions,
  getDeviceTags,
  removeTagFromDevice,
  retryBulkAction,
  setDeviceAccessRightsTags,
  startBulkAction,
  undoBulkAction,
} from '@caretaker/contract/actions.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getEmered, shouldUpdateView } from '@caretaker/contract/devices.ts'
import { getDeviceCommands, runT0Test } from '@caretaker/contract/lighting.ts'
import { tenantCreateTag, tenantDeleteTag } from '@caretaker/contract/tags.ts'
import type { SameShapes } from '@caretaker/contract/route.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'

import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { ingestReplies } from '../commands/ingest.ts'
import { queueCommands } from '../commands/store.ts'
import { doBulkActions } from './job.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const admin = 'admin@north.test'
const lighting = 'lighting@north.test'
const limited = 'limited@north.test'
const guest = 'guest@north.test'

let app: TestApp
let east: string
let west: string
let foreign: string
let tags: string[]
let counter = 0
const newTag = async () =>
  (await app.send(tenantCreateTag, { body: { tenant, name: `Tag${++counter}` } }, manager)).body.data!.id
beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) {
    await app.addTenant(id)
    await app.addMember(id, `manager@${id}.test`, 'Manager')
  }
  await app.addMember(tenant, admin, 'Admin')
  await app.addMember(tenant, lighting, 'LightingEngineer')
  await app.addMember(tenant, guest, 'Guest')
  east = await addAccessRightsTag(app, tenant, 'East Patch')
  west = await addAccessRightsTag(app, tenant, 'West Patch')
  await app.addMember(tenant, limited, 'Manager', [east])
  foreign = await addDevice(app, 'south')
})
afterAll(() => app.close())
beforeEach(async () => {
  tags = [await newTag(), await newTag()]
})

const work = () => doBulkActions(app.context)
const devices = (n: number, given: Parameters<typeof addDevice>[2] = {}) =>
  Promise.all(Array.from({ length: n }, () => addDevice(app, tenant, given)))
const tagsOf = async (deviceId: string) => {
  const { data } = (await app.send(getDeviceTags, { body: { tenant, deviceId } }, manager)).body
  return { ids: data!.tags.map((tag) => tag.id).sort(), patch: data!.accessRightsTag?.id ?? null }
}
const statusOf = async (deviceId: string) =>
  (await app.send(getEmered, { body: { tenant, deviceId } }, manager)).body.data!.deviceStatus
const commandsOf = async (deviceId: string) =>
  (await app.send(getDeviceCommands, { body: { tenant, deviceId } }, manager)).body.data!.map(({ name }) => name)
const tagged = (route: SameShapes<typeof bulkAddTags>, deviceIds: string[], ids = tags, email = manager) =>
  app.send(route, { body: { tenant, deviceIds, tags: ids } }, email)
const start = (action: BulkAction, deviceIds: string[], ids: string[] = [], email = manager) =>
  app.send(startBulkAction, { body: { tenant, action, selection: { deviceIds }, tags: ids } }, email)
const look = async (bulkActionId: string, email = manager) =>
  (await app.send(getBulkAction, { body: { tenant, bulkActionId } }, email)).body
const undo = (bulkActionId: string, email = manager) =>
  app.send(undoBulkAction, { body: { tenant, bulkActionId } }, email)
const retry = (bulkActionId: string, email = manager) =>
  app.send(retryBulkAction, { body: { tenant, bulkActionId } }, email)
const entries = async (action: AuditAction) =>
  (await app.send(getAudit, { params: { tenant }, query: { action } }, admin)).body.results
/** Starts a job and runs the worker. */
async function ran(action: BulkAction, deviceIds: string[], ids: string[] = []) {
  const { body } = await start(action, deviceIds, ids)
  await work()
  return (await look(body.data!.bulkActionId)).data!
}

describe('within the call', () => {
  test('tags are added to all devices, each has a result, and listings show it [dev-7actions-3]', async () => {
    const ids = await devices(3)
    const { status, body } = await tagged(bulkAddTags, ids)
    assert.equal(status, 200)
    assert.deepEqual(
      body.data!.results,
      ids.map((deviceId) => ({ deviceId, state: 'done', message: null })),
    )
    for (const id of ids) assert.deepEqual((await tagsOf(id)).ids, tags.toSorted())
    const { updatedAt } = { updatedAt: (await entries('bulk action started'))[0]!.at }
    const poll = await app.send(
      shouldUpdateView,
      { body: { tenant, deviceTypes: ['EM'], date: new Date(Date.parse(updatedAt) - 1000).toISOString() } },
      manager,
    )
    assert.ok(ids.every((id) => poll.body.data!.deviceIds.includes(id)))
    const run = (await look(body.data!.bulkActionId)).data!.run
    assert.deepEqual([run.total, run.done, run.failed, run.canUndo, run.undone], [3, 3, 0, true, false])
    assert.ok(run.finishedAt)
    assert.equal((await entries('device tags changed')).length >= 3, true)
  })

  test('tags are removed from all devices, with isSuccessful and message in the answer [dev-7actions-4]', async () => {
    const ids = await devices(2)
    await tagged(bulkAddTags, ids)
    const { body } = await tagged(bulkRemoveTags, [...ids, crypto.randomUUID()], [tags[0]!])
    assert.deepEqual([body.isSuccessful, body.message], [true, '1 device failed.'])
    for (const id of ids) assert.deepEqual((await tagsOf(id)).ids, [tags[1]])
    assert.equal((await tagged(bulkRemoveTags, ids, [tags[0]!])).body.message, null)
  })

  test('the answers of devices to its command are shown singly and counted, whatever commands follow', async () => {
    const ids = (await devices(4)).toSorted()
    // Another user has already commanded the second device, so its command is already waiting.
    await app.send(runT0Test, { form: { tenant, deviceId: ids[1]! } }, lighting)
    const { data } = (await start('flick test', ids)).body
    await work()
    const answers = async (email = manager) =>
      (await app.send(getBulkActionAnswers, { body: { tenant, bulkActionId: data!.bulkActionId } }, email)).body.data
    const shownAnswers = async () => (await answers())!.devices.map(({ answer, message }) => [answer, message])
    assert.deepEqual(
      await shownAnswers(),
      Array.from({ length: 4 }, () => ['queued', null]),
    )
    const reply = async (deviceId: string, status: 'confirmed' | 'failed', message?: string) => {
      const [{ commandId } = { commandId: '' }] = (
        await app.send(getDeviceCommands, { body: { tenant, deviceId } }, manager)
      ).body.data!
      const payload = { commandId, status, ...(message && { message }) }
      await inTenant(app.database.db, tenant, (tx) =>
        ingestReplies(tx, [{ deviceId, tenant, payload, receivedAt: new Date() }]),
      )
    }
    await reply(ids[0]!, 'confirmed')
    await reply(ids[1]!, 'confirmed')
    await reply(ids[2]!, 'failed', 'Battery is charging')
    await app.send(runT0Test, { form: { tenant, deviceId: ids[0]! } }, lighting)
    assert.deepEqual(await shownAnswers(), [
      ['confirmed', null],
      ['confirmed', null],
      ['refused', 'Battery is charging'],
      ['queued', null],
    ])
    const { counts } = (await answers())!
    assert.deepEqual(counts, { confirmed: 2, refused: 1, queued: 1, sent: 0, unanswered: 0, withdrawn: 0 })
    assert.equal(await answers(admin), null)
    const tagging = (await tagged(bulkAddTags, ids)).body.data!
    const ofTags = await app.send(
      getBulkActionAnswers,
      { body: { tenant, bulkActionId: tagging.bulkActionId } },
      manager,
    )
    assert.deepEqual(ofTags.body.data!.devices, [])
  })

  test('a flick test is distinguished from a planned test that the light has still to answer', async () => {
    const [light] = (await devices(1)) as [string]
    const planned = { deviceIds: [light], name: 'runTest' as const, args: { testType: 'T180' }, createdBy: null }
    const queue = () => inTenant(app.database.db, tenant, (tx) => queueCommands(tx, planned))
    await queue()
    const { bulkActionId } = (await start('flick test', [light])).body.data!
    await queue()
    await work()
    const { body } = await app.send(getDeviceCommands, { body: { tenant, deviceId: light } }, manager)
    assert.deepEqual(
      body.data!.map(({ args }) => args['testType']),
      ['T0', 'T180', 'T180'],
    )
    await app.database.owner.query(
      `update command set status = 'failed' where tenant_id = $1 and device_id = $2 and args ->> 'testType' = 'T180'`,
      [tenant, light],
    )
    const answers = await app.send(getBulkActionAnswers, { body: { tenant, bulkActionId } }, manager)
    assert.deepEqual(
      answers.body.data!.devices.map(({ answer }) => answer),
      ['queued'],
    )
  })

  const networks = [
    ['dev-7actions-5', bulkJoinNetwork, 'joinNetwork', 'join'],
    ['dev-7actions-6', bulkLeaveNetwork, 'leaveNetwork', 'leave'],
  ] as const
  for (const [id, route, command, verb] of networks)
    test(`${route.path}: each suitable device is sent the command once, the others give the reason [${id}]`, async () => {
      const [light, repeater] = [...(await devices(1)), ...(await devices(1, { product: 'ZR' }))]
      const [gateway, stock] = [
        ...(await devices(1, { product: 'MG' })),
        ...(await devices(1, { status: 'Inventory' })),
      ]
      const all = [light!, repeater!, gateway!, stock!, light!]
      const send = () => app.send(route, { body: { tenant, deviceIds: all } }, manager)
      const { body } = await send()
      assert.deepEqual(body.data!.results, [
        { deviceId: light, state: 'done', message: null },
        { deviceId: repeater, state: 'done', message: null },
        {
          deviceId: gateway,
          state: 'failed',
          message: 'Only emergency lights and repeaters can join or leave the network.',
        },
        { deviceId: stock, state: 'failed', message: `A device that is not installed cannot ${verb} the network.` },
      ])
      for (const one of [light!, repeater!]) assert.deepEqual(await commandsOf(one), [command])
      for (const one of [gateway!, stock!]) assert.deepEqual(await commandsOf(one), [])
      assert.equal((await send()).body.data!.results[0]!.message, 'The command is already waiting for the device.')
      assert.deepEqual(await commandsOf(light!), [command])
    })

  test('all installed devices are uninstalled, and each is recorded [dev-7actions-7]', async () => {
    const ids = [...(await devices(2)), ...(await devices(1, { status: 'Allocated' }))]
    const { body } = await app.send(bulkUninstall, { body: { tenant, deviceIds: ids } }, manager)
    assert.deepEqual(
      body.data!.results.map(({ state, message }) => [state, message]),
      [
        ['done', null],
        ['done', null],
        ['failed', 'The device is not installed.'],
      ],
    )
    assert.deepEqual(await Promise.all(ids.map(statusOf)), ['Inventory', 'Inventory', 'Allocated'])
    const audited = (await entries('device uninstalled')).length
    assert.ok(audited >= 2)
  })

  test('devices of other tenants, hidden and missing ones are all not found, and unchanged', async () => {
    const [seen] = await devices(1, { accessRightsTagId: east })
    const [hidden] = await devices(1)
    const ids = [seen!, hidden!, foreign, crypto.randomUUID()]
    const { body } = await tagged(bulkAddTags, ids, tags, limited)
    assert.deepEqual(
      body.data!.results.map(({ state, message }) => [state, message]),
      [['done', null], ...Array.from({ length: 3 }, () => ['failed', 'Not found.'])],
    )
    assert.deepEqual((await tagsOf(hidden!)).ids, [])
    const { failures } = (await look(body.data!.bulkActionId, limited)).data!
    assert.deepEqual(new Set(failures.map((one) => `${one.serial}${one.name}${one.message}`)), new Set(['Not found.']))
    const out = await app.send(bulkUninstall, { body: { tenant, deviceIds: [foreign] } }, manager)
    assert.equal(out.body.data!.results[0]!.message, 'Not found.')
  })

  test('roles without the right are refused altogether, and an engineer on devices of another area', async () => {
    const ids = await devices(1)
    for (const email of [guest, lighting]) assert.equal((await tagged(bulkAddTags, ids, tags, email)).status, 403)
    for (const route of [bulkJoinNetwork, bulkLeaveNetwork, bulkUninstall])
      assert.equal((await app.send(route, { body: { tenant, deviceIds: ids } }, guest)).status, 403)
    const [boiler] = await devices(1, { product: 'BX' })
    const { body } = await app.send(bulkUninstall, { body: { tenant, deviceIds: [boiler!] } }, lighting)
    assert.notEqual(body.data!.results[0]!.state, 'done')
    assert.deepEqual((await tagsOf(ids[0]!)).ids, [])
    assert.equal(await statusOf(ids[0]!), 'Ok')
  })

  test('unknown tags, no devices and too many devices are invalid calls', async () => {
    const ids = await devices(1)
    const unknown = await tagged(bulkAddTags, ids, [crypto.randomUUID()])
    assert.deepEqual([unknown.status, unknown.body['validationErrors'][0].field], [400, 'tags'])
    assert.equal((await tagged(bulkAddTags, [])).status, 400)
    const many = Array.from({ length: 5001 }, () => crypto.randomUUID())
    assert.equal((await tagged(bulkAddTags, many)).status, 400)
    assert.equal((await start('add tags', ids)).status, 400)
    assert.equal((await start('add access rights tags', ids, [east, west])).status, 400)
    assert.equal((await start('uninstall', ids, tags)).status, 400)
  })

  test('tagging 5,000 devices takes as many statements as tagging one', async () => {
    const { rows } = await app.database.owner.query<{ id: string }>(
      `insert into device (tenant_id, id, serial, product, name, listing, status, severity)
       select 'north', gen_random_uuid(), 'EM9' || n, 'EM', 'Light ' || n, 'EmergencyLights', 'Ok', 2
       from generate_series(1, 5000) n returning id`,
    )
    const ids = rows.map((row) => row.id)
    let statements = 0
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => (statements++, node),
      transformResult: async ({ result }) => result,
    }
    const uncounted = app.context.db
    app.context.db = uncounted.withPlugin(counting)
    // The first call on a database also reads its due work.
    await tagged(bulkAddTags, await devices(1))
    const [one] = await devices(1)
    statements = 0
    const { body: alone } = await tagged(bulkAddTags, [one!])
    const forOne = statements
    const { body } = await tagged(bulkAddTags, ids)
    assert.equal(statements, 2 * forOne)
    app.context.db = uncounted
    assert.equal(alone.data!.results[0]!.state, 'done')
    assert.deepEqual(
      body.data!.results.map(({ deviceId, state }) => [deviceId, state]),
      ids.map((id) => [id, 'done']),
    )
    assert.deepEqual((await undo(body.data!.bulkActionId)).body.data, { restored: 5000, skipped: 0 })
    await app.database.owner.query(`delete from device where serial like 'EM9%'`)
  })
})

describe('as a job', () => {
  test('flick tests are sent once to each light, and the progress can be read', async () => {
    const ids = [...(await devices(3)), ...(await devices(1, { product: 'BX' }))]
    const { body } = await start('flick test', ids)
    const begun = body.data!
    assert.deepEqual([begun.total, begun.done, begun.failed, begun.finishedAt], [4, 0, 0, null])
    assert.deepEqual(await commandsOf(ids[0]!), [], 'nothing is done within the call')
    assert.equal(await work(), 4)
    const { run, failures } = (await look(begun.bulkActionId)).data!
    assert.deepEqual([run.done, run.failed], [3, 1])
    assert.ok(run.finishedAt)
    assert.equal(failures[0]!.message, 'Only emergency lights can be tested.')
    assert.ok(failures[0]!.serial.startsWith('BX'))
    assert.deepEqual(await commandsOf(ids[0]!), ['runTest'])
    assert.equal(await work(), 0)
    const [entry] = await entries('bulk action started')
    assert.deepEqual([entry!.subject, entry!.after], ['Flick Test', { devices: 4 }])
  })

  test('access rights tags are given to installed and allocated devices, and removed', async () => {
    const ids = [...(await devices(1)), ...(await devices(1, { status: 'Allocated' }))]
    const [stock] = await devices(1, { status: 'Inventory' })
    const { run, failures } = await ran('add access rights tags', [...ids, stock!], [east])
    assert.deepEqual([run.done, run.failed, run.names], [2, 1, ['East Patch']])
    assert.equal(failures[0]!.message, 'The device is not installed or allocated.')
    for (const id of ids) assert.equal((await tagsOf(id)).patch, east)
    assert.equal((await ran('remove access rights tags', ids)).run.done, 2)
    for (const id of ids) assert.equal((await tagsOf(id)).patch, null)
    assert.equal((await start('remove access rights tags', ids, [], limited)).status, 403)
    assert.equal((await start('add access rights tags', ids, [east], lighting)).status, 403)
    assert.equal((await start('flick test', ids, [], guest)).status, 403)
  })

  test('a user sees their own bulk actions, newest first, and no others', async () => {
    const ids = await devices(1)
    const first = (await start('add tags', ids, tags)).body.data!
    const second = (await start('remove tags', ids, tags)).body.data!
    await work()
    const mine = (await app.send(getBulkActions, { body: { tenant } }, manager)).body.data!
    assert.deepEqual(
      mine.slice(0, 2).map((run) => run.bulkActionId),
      [second.bulkActionId, first.bulkActionId],
    )
    assert.equal(mine[0]!.startedBy, 'manager')
    assert.ok(mine.length <= 50)
    const theirs = (await app.send(getBulkActions, { body: { tenant } }, admin)).body.data!
    assert.ok(!theirs.some((run) => run.bulkActionId === first.bulkActionId))
    for (const call of [getBulkAction, retryBulkAction, undoBulkAction])
      for (const [email, of] of [
        [admin, tenant],
        ['manager@south.test', 'south'],
      ] as const)
        assert.equal(
          (await app.send(call, { body: { tenant: of, bulkActionId: first.bulkActionId } }, email)).status,
          404,
        )
  })

  test('only the failed items are retried', async () => {
    const [good, later] = [...(await devices(1)), ...(await devices(1, { status: 'Inventory' }))]
    const { run } = await ran('flick test', [good!, later!])
    assert.deepEqual([run.done, run.failed], [1, 1])
    await app.database.owner.query(`update device set status = 'Ok' where id = $1`, [later])
    const again = (await retry(run.bulkActionId)).body.data!
    assert.deepEqual([again.done, again.failed, again.finishedAt], [1, 0, null])
    assert.equal(await work(), 1)
    assert.deepEqual((await look(run.bulkActionId)).data!.run.done, 2)
    assert.deepEqual([await commandsOf(good!), await commandsOf(later!)], [['runTest'], ['runTest']])
    const nothing = await retry(run.bulkActionId)
    assert.deepEqual([nothing.body.isSuccessful, nothing.body.message], [false, 'No device has failed.'])
  })

  test('rights are checked again at work time: a user who lost them, or left, changes nothing more', async () => {
    const email = 'leaver@north.test'
    const membership = await app.addMember(tenant, email, 'Manager')
    const ids = await devices(2)
    const first = (await start('add tags', ids, tags, email)).body.data!
    await app.database.owner.query(`update membership set role = 'Guest' where id = $1`, [membership])
    await work()
    const run = (await look(first.bulkActionId, email)).data!
    assert.deepEqual([run.run.done, run.run.failed], [0, 2])
    assert.equal(run.failures[0]!.message, "You don't have permission.")
    await app.database.owner.query(`update membership set role = 'Manager', tag_ids = $2 where id = $1`, [
      membership,
      [east],
    ])
    await retry(first.bulkActionId, email)
    await work()
    assert.deepEqual((await look(first.bulkActionId, email)).data!.failures[0]!.message, 'Not found.')
    await app.database.owner.query(`update membership set tag_ids = '{}' where id = $1`, [membership])
    await retry(first.bulkActionId, email)
    await app.database.owner.query(`update membership set person_id = null where id = $1`, [membership])
    await work()
    for (const id of ids) assert.deepEqual((await tagsOf(id)).ids, [])
    const { rows } = await app.database.owner.query(
      `select distinct message from bulk_item where bulk_action_id = $1`,
      [first.bulkActionId],
    )
    assert.deepEqual(rows, [{ message: 'The person who started this is no longer a user of this client.' }])
  })

  test('a tag deleted before its turn is reported', async () => {
    const ids = await devices(1)
    const { body } = await start('add tags', ids, tags)
    await app.send(tenantDeleteTag, { body: { tenant, id: tags[0]! } }, manager)
    await work()
    assert.equal((await look(body.data!.bulkActionId)).data!.failures[0]!.message, 'The tag was deleted.')
    assert.deepEqual((await tagsOf(ids[0]!)).ids, [])
  })
})

describe('undone', () => {
  test('added tags are removed where they were really added, and stay where they existed before', async () => {
    const ids = await devices(3)
    await app.send(addTagToDevice, { body: { tenant, deviceId: ids[0]!, tagId: tags[0]! } }, manager)
    const { body } = await tagged(bulkAddTags, ids)
    const { bulkActionId } = body.data!
    // One tag was removed meanwhile, so that device has changed.
    await app.send(removeTagFromDevice, { body: { tenant, deviceId: ids[2]!, tagId: tags[1]! } }, manager)
    assert.deepEqual((await undo(bulkActionId)).body.data, { restored: 2, skipped: 1 })
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await tagsOf(id)).ids)), [[tags[0]], [], [tags[0]]])
    const { run } = (await look(bulkActionId)).data!
    assert.deepEqual([run.canUndo, run.undone], [false, true])
    assert.equal((await undo(bulkActionId)).body.message, 'The action was already undone.')
    assert.equal((await retry(bulkActionId)).body.isSuccessful, false)
    const [entry] = await entries('bulk action undone')
    assert.deepEqual([entry!.subject, entry!.after], ['Add tags', { restored: 2, skipped: 1 }])
  })

  test('removed tags are restored, unless deleted or the device was uninstalled since', async () => {
    const ids = await devices(3)
    await tagged(bulkAddTags, ids.slice(0, 2), [tags[0]!])
    await tagged(bulkAddTags, ids.slice(2), [tags[1]!])
    const { run } = await ran('remove tags', ids, tags)
    await app.send(bulkUninstall, { body: { tenant, deviceIds: [ids[1]!] } }, manager)
    await app.send(tenantDeleteTag, { body: { tenant, id: tags[1]! } }, manager)
    assert.deepEqual((await undo(run.bulkActionId)).body.data, { restored: 1, skipped: 2 })
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await tagsOf(id)).ids)), [[tags[0]], [], []])
  })

  test('a device that was uninstalled since, even if installed again, is left out', async () => {
    const again = async (id: string) => {
      await app.send(bulkUninstall, { body: { tenant, deviceIds: [id] } }, manager)
      await app.database.owner.query(`update device set status = 'Ok', status_at = now() where id = $1`, [id])
    }
    const ids = await devices(2, { accessRightsTagId: west })
    await again(ids[0]!)
    await app.send(
      setDeviceAccessRightsTags,
      { params: { tenant, deviceId: ids[0]! }, body: { accessRightsTags: [{ id: west }] } },
      manager,
    )
    await tagged(bulkAddTags, ids)
    const removal = await ran('remove tags', ids, tags)
    const patches = await ran('remove access rights tags', ids)
    await again(ids[1]!)
    for (const { run } of [removal, patches])
      assert.deepEqual((await undo(run.bulkActionId)).body.data, { restored: 1, skipped: 1 })
    assert.deepEqual(await tagsOf(ids[0]!), { ids: tags.toSorted(), patch: west })
    assert.deepEqual(await tagsOf(ids[1]!), { ids: [], patch: null })
  })

  test('each device gets its former access rights tag back if it still has the new one', async () => {
    const ids = [...(await devices(1, { accessRightsTagId: west })), ...(await devices(2))]
    const { run } = await ran('add access rights tags', ids, [east])
    await app.send(
      setDeviceAccessRightsTags,
      { params: { tenant, deviceId: ids[2]! }, body: { accessRightsTags: [{ id: west }] } },
      manager,
    )
    assert.deepEqual((await undo(run.bulkActionId)).body.data, { restored: 2, skipped: 1 })
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await tagsOf(id)).patch)), [west, null, west])
    const taken = await ran('remove access rights tags', ids)
    assert.deepEqual((await undo(taken.run.bulkActionId)).body.data, { restored: 2, skipped: 0 })
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await tagsOf(id)).patch)), [west, null, west])
  })

  test('two simultaneous undos undo once; other actions and running ones cannot be undone', async () => {
    const ids = await devices(2)
    const { bulkActionId } = (await tagged(bulkAddTags, ids)).body.data!
    const answers = await Promise.all([undo(bulkActionId), undo(bulkActionId)])
    assert.equal(answers.filter(({ body }) => body.isSuccessful).length, 1)
    const running = (await start('add tags', ids, tags)).body.data!
    assert.equal((await undo(running.bulkActionId)).body.message, 'The action is still running.')
    await work()
    const flick = await ran('flick test', ids)
    assert.equal(flick.run.canUndo, false)
    assert.equal((await undo(flick.run.bulkActionId)).body.message, 'This action cannot be undone.')
  })

  test('a user who lost the right meanwhile cannot undo', async () => {
    const email = 'demoted@north.test'
    const membership = await app.addMember(tenant, email, 'Manager')
    const ids = await devices(1)
    const { bulkActionId } = (await tagged(bulkAddTags, ids, tags, email)).body.data!
    await app.database.owner.query(`update membership set role = 'LightingEngineer' where id = $1`, [membership])
    assert.deepEqual((await undo(bulkActionId, email)).body.data, { restored: 0, skipped: 1 })
    assert.deepEqual((await tagsOf(ids[0]!)).ids, tags.toSorted())
  })
})

test('undoing added tags ends the alerts that they opened at once, and no others', async () => {
  const [light, other, kept] = await devices(3)
  const [given, own] = tags
  await tagged(bulkAddTags, [kept!], [own!])
  const { run } = await ran('add tags', [light!, other!, kept!], [given!])
  const rule = crypto.randomUUID()
  const alertOf = (deviceId: string, notifiedAt: Date | null, minute: number) => ({
    ...{ tenant_id: tenant, id: crypto.randomUUID(), definition_id: rule, device_id: deviceId, place: '' },
    ...{ began_at: new Date(minute * 60_000), seen_at: new Date(minute * 60_000), told_at: notifiedAt, held: null },
    rule: JSON.stringify({ tagName: '', triggerType: 'DEVICESTATUS', triggerCondition: 'FailedEquipment' }),
  })
  const untold = alertOf(light!, null, 1)
  const mailed = alertOf(other!, new Date(), 2)
  const covered = alertOf(kept!, null, 3)
  await inTenant(app.database.db, tenant, async (tx) => {
    await tx
      .insertInto('alert_definition')
      .values({
        tenant_id: tenant,
        id: rule,
        tag_id: null,
        scope_tags: [given!, own!],
        changed_at: new Date(0),
      } as never)
      .execute()
    await tx
      .insertInto('alert')
      .values([untold, mailed, covered] as never)
      .execute()
  })
  const undone = await undo(run.bulkActionId)
  assert.deepEqual(undone.body.data, { restored: 3, skipped: 0 })
  const { rows } = await app.database.owner.query<{ id: string; ending: string | null; closed: boolean }>(
    'select id, ending, closed_at is not null as closed from alert where definition_id = $1 order by seen_at',
    [rule],
  )
  assert.deepEqual(rows, [
    { id: mailed.id, ending: 'tag taken off', closed: true },
    { id: covered.id, ending: null, closed: false },
  ])
})
