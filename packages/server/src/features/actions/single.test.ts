import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  autofillReset,
  boilerReset,
  emeredJoinNetwork,
  emeredLeaveNetwork,
  installDevice,
  removeDevice,
  repeaterJoinNetwork,
  repeaterLeaveNetwork,
  resetDevice,
} from '@caretaker/contract/actions.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { getEmered } from '@caretaker/contract/devices.ts'
import { getAllDeviceTests, getDeviceCommands, runT0Test } from '@caretaker/contract/lighting.ts'
import { getDeviceEvents, getDeviceMetrics } from '@caretaker/contract/telemetry.ts'
import type { SameShapes } from '@caretaker/contract/route.ts'
import type { CommandName } from '@caretaker/rules/commands/commands.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { eraseReadings } from '../telemetry/erase.ts'
import { ingestReplies } from '../commands/ingest.ts'
import { ingestStates } from '../devices/ingest.ts'
import { ingestTelemetry, seriesCache } from '../telemetry/ingest.ts'
import { openRoutes } from '../../mqtt/routes.ts'
import { ensurePartitions } from '../../postgres/partitions.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import type { NewDevice } from '../../testing/furnish/devices.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const admin = 'admin@north.test'
const lighting = 'lighting@north.test'
const boilers = 'boilers@north.test'
const guest = 'guest@north.test'
const limited = 'limited@north.test'

let app: TestApp
let patch: string
beforeAll(async () => {
  app = await testApp()
  await ensurePartitions(app.database.owner, new Date())
  for (const id of ['north', 'south']) {
    await app.addTenant(id)
    await app.addMember(id, `manager@${id}.test`, 'Manager')
  }
  await app.addMember(tenant, admin, 'Admin')
  await app.addMember(tenant, lighting, 'LightingEngineer')
  await app.addMember(tenant, boilers, 'BoilerEngineer')
  await app.addMember(tenant, guest, 'Guest')
  patch = await addAccessRightsTag(app, tenant, 'East Patch')
  await app.addMember(tenant, limited, 'Manager', [patch])
})
afterAll(() => app.close())

const add = async (given: NewDevice, reported: object = {}) => {
  const id = await addDevice(app, tenant, given)
  if (Object.keys(reported).length)
    await app.database.owner.query('update device set reported = $1 where id = $2', [JSON.stringify(reported), id])
  return id
}
const commandsOf = async (deviceId: string) =>
  (await app.send(getDeviceCommands, { body: { tenant, deviceId } }, manager)).body.data!
const recorded = async (action: AuditAction, subjectId: string) => {
  const { rows } = await app.database.owner.query<{ person_name: string; after: unknown }>(
    'select person_name, after from audit_entry where action = $1 and subject_id = $2',
    [action, subjectId],
  )
  return rows
}
const fault = (faultSource: 'boiler' | 'autofill', isResettable = true) => ({
  faultCode: 'F28',
  fault: { faultCode: 'F28', faultSource, isResettable },
})

describe('commands', () => {
  const networks = [
    ['dev-7actions-10', emeredJoinNetwork, 'EM', 'joinNetwork', 'network join requested'],
    ['dev-7actions-11', emeredLeaveNetwork, 'EL', 'leaveNetwork', 'network leave requested'],
    ['dev-7actions-12', repeaterJoinNetwork, 'ZR', 'joinNetwork', 'network join requested'],
    ['dev-7actions-13', repeaterLeaveNetwork, 'ZR', 'leaveNetwork', 'network leave requested'],
  ] as const
  for (const [id, route, product, name, action] of networks)
    test(`${route.path}: the command is queued for the device, once, and is recorded [${id}]`, async () => {
      const deviceId = await add({ product })
      const send = (email = manager) => app.send(route, { body: { tenant, deviceId } }, email)
      const answers = await Promise.all([send(), send(), send(admin)])
      const ids = new Set(answers.map(({ body }) => body.data!.commandId))
      assert.equal(ids.size, 1, 'who presses as well gets the same command')
      assert.ok(answers.every(({ status, body }) => status === 200 && body.isSuccessful))
      const [command, ...others] = await commandsOf(deviceId)
      assert.deepEqual([command!.name, command!.status, others.length], [name, 'queued', 0])
      assert.equal((await recorded(action, deviceId)).length, 1)
      // Only after the device answers can it be commanded again.
      await inTenant(app.database.db, tenant, (tx) =>
        ingestReplies(tx, [
          {
            deviceId,
            tenant,
            payload: { commandId: command!.commandId, status: 'confirmed', message: 'Already joined to the network' },
            receivedAt: new Date(),
          },
        ]),
      )
      assert.equal((await commandsOf(deviceId))[0]!.message, 'Already joined to the network')
      assert.notEqual((await send()).body.data!.commandId, command!.commandId)
    })

  test('devices that are not installed or of another kind are refused with the reason and sent nothing', async () => {
    const wrong: [SameShapes<typeof emeredJoinNetwork>, NewDevice, string][] = [
      [emeredJoinNetwork, { product: 'ZR' }, 'The device is not an emergency light.'],
      [emeredLeaveNetwork, { product: 'BX' }, 'The device is not an emergency light.'],
      [repeaterJoinNetwork, { product: 'ZG' }, 'The device is not a repeater.'],
      [repeaterLeaveNetwork, { product: 'EM' }, 'The device is not a repeater.'],
      [emeredJoinNetwork, { status: 'Allocated' }, 'A device that is not installed cannot join the network.'],
      [
        repeaterLeaveNetwork,
        { product: 'ZR', status: 'Inventory' },
        'A device that is not installed cannot leave the network.',
      ],
    ]
    for (const [route, given, text] of wrong) {
      const deviceId = await add(given)
      const { status, body } = await app.send(route, { body: { tenant, deviceId } }, manager)
      assert.deepEqual([status, body.isSuccessful, body.message], [200, false, text])
      assert.deepEqual(await commandsOf(deviceId), [])
    }
  })

  test('engineers of the area change the network; other engineers, guests and limited users elsewhere do not', async () => {
    const [light, repeater] = [await add({}), await add({ product: 'ZR' })]
    const status = async (route: SameShapes<typeof emeredJoinNetwork>, deviceId: string, email: string) =>
      (await app.send(route, { body: { tenant, deviceId } }, email)).status
    assert.equal(await status(emeredJoinNetwork, light, lighting), 200)
    assert.equal(await status(repeaterJoinNetwork, repeater, lighting), 200)
    assert.equal(await status(emeredLeaveNetwork, light, boilers), 404)
    for (const [route, deviceId] of [
      [emeredLeaveNetwork, light],
      [repeaterLeaveNetwork, repeater],
    ] as const)
      assert.equal(await status(route, deviceId, guest), 403)
    assert.equal(await status(emeredLeaveNetwork, light, limited), 404)
    assert.equal(await status(emeredLeaveNetwork, await addDevice(app, 'south'), manager), 404)
    assert.equal((await commandsOf(light)).length, 1)
  })

  const resets = [
    ['dev-7actions-28] [est-7.4-2', boilerReset, 'BX', 'boiler', 'resetBoiler'],
    ['dev-7actions-29] [est-7.4-1', autofillReset, 'AF', 'autofill', 'resetAutofill'],
  ] as const
  for (const [id, route, product, source, name] of resets) {
    test(`${route.path}: a resettable fault is reset by a command, which reports the result [${id}]`, async () => {
      const serialNumber = `${product}1000776Q`
      const deviceId = await add({ product, serial: serialNumber, status: 'FailedEquipment' }, fault(source))
      const { status, body } = await app.send(route, { body: { tenant, deviceId, serialNumber } }, manager)
      assert.deepEqual([status, body.isSuccessful, 'message' in body], [200, true, true])
      assert.equal((await commandsOf(deviceId))[0]!.name, name)
      // A reset does not stay queued for hours: the boiler would start unexpectedly.
      const { createdAt, expiresAt } = (await commandsOf(deviceId))[0]!
      assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 5 * 60_000)
      const whole = await add({ product })
      const refused = await app.send(route, { body: { tenant, deviceId: whole } }, manager)
      assert.equal(refused.body.isSuccessful, false)
      assert.match(refused.body.message!, /fault/)
      assert.deepEqual(await commandsOf(whole), [])
    })

    test(`${route.path}: a serial number may be sent too, and must match [dev-7actions-30]`, async () => {
      const serial = `${product}1000777Q`
      const deviceId = await add({ product, serial, status: 'FailedEquipment' }, fault(source))
      const send = (serialNumber: string) => app.send(route, { body: { tenant, deviceId, serialNumber } }, manager)
      const wrong = await send('BX1999999Z')
      assert.equal(wrong.status, 400)
      assert.equal(wrong.body['validationErrors'][0].field, 'serialNumber')
      assert.deepEqual(await commandsOf(deviceId), [])
      assert.equal((await send(serial)).body.isSuccessful, true)
      assert.equal((await commandsOf(deviceId)).length, 1)
    })
  }

  test('resetting a device chooses the command that its fault needs', async () => {
    const reset = (deviceId: string, email = manager) => app.send(resetDevice, { body: { tenant, deviceId } }, email)
    assert.equal(`${resetDevice.method} ${resetDevice.path}`, 'POST /api/ResetDevice')
    const names: [NewDevice, 'boiler' | 'autofill', CommandName][] = [
      [{ product: 'BC' }, 'boiler', 'resetBoiler'],
      [{ product: 'AZ' }, 'autofill', 'resetAutofill'],
    ]
    for (const [given, source, name] of names) {
      const deviceId = await add({ ...given, status: 'FailedEquipment' }, fault(source))
      assert.equal((await reset(deviceId)).body.isSuccessful, true)
      assert.equal((await commandsOf(deviceId))[0]!.name, name)
    }
    const none = await reset(await add({ product: 'BX' }))
    assert.deepEqual([none.body.isSuccessful, none.body.message], [false, 'The device has no fault.'])
    const visit = await reset(await add({ product: 'BX' }, fault('boiler', false)))
    assert.deepEqual(
      [visit.body.isSuccessful, visit.body.message],
      [false, 'The boiler has no fault that can be reset remotely.'],
    )
    const far = await reset(await add({ product: 'BX' }, { ...fault('boiler'), remoteResetSupported: false }))
    assert.equal(far.body.isSuccessful, false)
    const hub = await add({ product: 'ZH' })
    const below = await reset(await add({ product: 'AF', parentId: hub, status: 'FailedEquipment' }, fault('autofill')))
    assert.match(below.body.message!, /connected to a home hub/)
    const stock = await reset(await add({ product: 'BX', inWholesale: true }, fault('boiler')))
    assert.match(stock.body.message!, /wholesale/)
  })

  test('boilers are reset by their engineers, not by lighting engineers, guests or users who do not see them', async () => {
    const deviceId = await add({ product: 'BX' }, fault('boiler'))
    for (const route of [boilerReset, resetDevice]) {
      for (const email of [lighting, guest]) {
        const { status } = await app.send(route, { body: { tenant, deviceId } }, email)
        assert.ok([403, 404].includes(status), `${email} ${status}`)
      }
      assert.equal((await app.send(route, { body: { tenant, deviceId } }, limited)).status, 404)
      assert.equal((await app.send(route, { body: { tenant: 'south', deviceId } }, 'manager@south.test')).status, 404)
    }
    assert.deepEqual(await commandsOf(deviceId), [])
    assert.equal((await app.send(boilerReset, { body: { tenant, deviceId } }, boilers)).body.isSuccessful, true)
  })

  test('a flick test takes a form with the device and answers with its status [dev-7actions-8]', async () => {
    const deviceId = await add({})
    const { body } = await app.send(runT0Test, { form: { tenant, deviceId } }, manager)
    assert.deepEqual([body.isSuccessful, body.data!.status, body.message], [true, 'queued', 'Flick test queued'])
    const stock = await add({ status: 'Inventory' })
    const refused = await app.send(runT0Test, { form: { tenant, deviceId: stock } }, manager)
    assert.equal(refused.body.message, 'A device that is not installed cannot be tested.')
  })
})

describe('uninstalling', () => {
  const remove = (deviceId: string, email = manager, of = tenant) =>
    app.send(removeDevice, { body: { tenant: of, deviceId } }, email)
  const range = { from: Date.now() - 86_400_000, to: Date.now() + 86_400_000 }

  /** A boiler module with everything that a device can have. */
  async function furnished() {
    const parent = await add({ product: 'MG' })
    const deviceId = await add({ product: 'BX', parentId: parent, accessRightsTagId: patch }, fault('boiler'))
    const { db, owner } = app.database
    const cache = seriesCache()
    const hear = (ts: number) =>
      inTenant(db, tenant, (tx) =>
        ingestTelemetry(
          tx,
          [{ deviceId, tenant, payload: [{ ts, values: { flowTemperature: 55 } }], receivedAt: new Date() }],
          cache,
        ),
      )
    await hear(Date.now() - 3_600_000)
    await inTenant(db, tenant, async (tx) => {
      const [building, property, tagId] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
      await tx
        .insertInto('building')
        .values({ tenant_id: tenant, id: building, name: `House ${building}` })
        .execute()
      await tx
        .insertInto('property')
        .values({ tenant_id: tenant, id: property, reference: property, access_rights_tag_id: null } as never)
        .execute()
      await tx
        .insertInto('tag')
        .values({ tenant_id: tenant, id: tagId, name: `T${tagId}` })
        .execute()
      await tx.insertInto('device_tag').values({ tenant_id: tenant, device_id: deviceId, tag_id: tagId }).execute()
      await tx
        .updateTable('device')
        .set({
          building_id: building,
          property_id: property,
          building_name: 'House',
          address: '1 Mill Lane',
          room: 'Kitchen',
          location: 'Kitchen',
          location_details: 'Wall cupboard',
          latitude: 53,
          longitude: -1,
          power_clamps: '{"1":"Sockets"}',
        })
        .where('tenant_id', '=', 'north')
        .where('id', '=', deviceId)
        .execute()
      await tx
        .insertInto('event')
        .values({
          tenant_id: tenant,
          id: crypto.randomUUID(),
          device_id: deviceId,
          start_at: new Date(),
          end_at: null,
          severity: 'High',
          category: 'Boiler',
          description: 'Lockout',
        })
        .execute()
    })
    await owner.query(
      `insert into bad_message (tenant_id, device_id, channel, reason, detail, payload) values ($1, $2, 'state', 'not JSON', '', '')`,
      [tenant, deviceId],
    )
    await app.send(boilerReset, { body: { tenant, deviceId } }, manager)
    return { deviceId, hear, cache, parent }
  }

  test('the device returns to inventory and shows nothing of its former place [dev-4status-6 dev-7actions-1]', async () => {
    const { deviceId } = await furnished()
    const { status, body } = await remove(deviceId)
    assert.deepEqual([status, body.isSuccessful, body.message], [200, true, 'Uninstalled successfully!'])
    const device = (await app.send(getBoiler, { body: { tenant, deviceId } }, manager)).body.data!
    assert.deepEqual(
      {
        status: device.deviceStatus,
        place: [device.buildingId, device.buildingName, device.propertyId, device.address, device.room],
        more: [device.location, device.locationDetails, device.lat, device.long, device.powerClamps, device.parent],
        tags: [device.tags, device.accessRightsTag],
        fault: device.fault,
      },
      {
        status: 'Inventory',
        place: [null, null, null, null, null],
        more: [null, null, null, null, null, null],
        tags: [[], null],
        fault: null,
      },
    )
    assert.ok(device.deviceName.startsWith('Device'), 'it keeps its name')
    const [entry] = await recorded('device uninstalled', deviceId)
    assert.equal(entry!.person_name, 'manager')
    assert.partialDeepStrictEqual(entry!.after, { status: 'Inventory' })
  })

  test('its data is permanently deleted: tests, events, commands, readings and their sums [dev-4status-7]', async () => {
    const light = await add({})
    await inTenant(app.database.db, tenant, (tx) =>
      tx
        .insertInto('emergency_test')
        .values({
          tenant_id: tenant,
          event_id: crypto.randomUUID(),
          device_id: light,
          test_type: 'T0',
          started_at: new Date(),
          result: 'Passed',
          reason: '',
          component_states: '{}',
          series: '[]',
        })
        .execute(),
    )
    await remove(light)
    assert.deepEqual((await app.send(getAllDeviceTests, { body: { tenant, deviceId: light } }, manager)).body.data, [])
    assert.equal((await app.send(getEmered, { body: { tenant, deviceId: light } }, manager)).status, 200)

    const { deviceId } = await furnished()
    const readings = async () =>
      (
        await app.send(
          getDeviceMetrics,
          { body: { tenant, deviceId, metrics: ['flowTemperature'], ...range } },
          manager,
        )
      ).body.data![0]!
    assert.equal((await readings()).series.length, 1)
    const { rows } = await app.database.owner.query<{ id: number }>('select id from series where device_id = $1', [
      deviceId,
    ])
    await remove(deviceId)
    assert.deepEqual([(await readings()).series, (await readings()).latest], [[], null])
    assert.deepEqual((await app.send(getDeviceEvents, { body: { tenant, deviceId, ...range } }, manager)).body.data, [])
    assert.deepEqual(await commandsOf(deviceId), [])
    await eraseReadings(app.database.db)
    const left = await app.database.owner.query(
      `select (select count(*) from point where series_id = $1) + (select count(*) from hourly where series_id = $1)
        + (select count(*) from daily where series_id = $1) + (select count(*) from command_outbox where device_id = $2)
        + (select count(*) from bad_message where device_id = $2) as n`,
      [rows[0]!.id, deviceId],
    )
    assert.deepEqual(left.rows, [{ n: 0 }])
  })

  test('its messages are refused until it is installed again, and messages under way meanwhile are erased', async () => {
    const { deviceId, hear, cache, parent } = await furnished()
    const routes = openRoutes(app.database.db, { onChange: cache.forget })
    assert.equal((await routes.find(deviceId))!.parentId, parent)
    await hear(Date.now() - 1_800_000)
    assert.ok(cache.of(tenant, deviceId).size, 'its series are known to whoever stores readings')
    await remove(deviceId)
    // A process that stores readings may not know it yet: what it writes to the old series is erased later.
    await hear(Date.now() - 120_000)
    await routes.refresh([deviceId])
    assert.equal((await routes.find(deviceId))!.refusal, 'not installed')
    assert.equal((await app.send(installDevice, { body: { tenant, deviceId } }, manager)).body.isSuccessful, true)
    await routes.refresh([deviceId])
    const route = (await routes.find(deviceId))!
    assert.deepEqual([route.parentId, route.refusal], [parent, undefined], 'its gateway reports for it again')
    await hear(Date.now() - 60_000)
    await inTenant(app.database.db, tenant, (tx) =>
      ingestStates(tx, [{ deviceId, tenant, payload: { firmware: '9.9' }, receivedAt: new Date() }]),
    )
    const sent = { body: { tenant, deviceId, metrics: ['flowTemperature' as const], ...range } }
    assert.equal((await app.send(getDeviceMetrics, sent, manager)).body.data![0]!.series.length, 1)
    await eraseReadings(app.database.db)
    assert.equal((await app.send(getDeviceMetrics, sent, manager)).body.data![0]!.series.length, 1)
    await eraseReadings(app.database.db, new Date(Date.now() + 660_000))
    const orphans = await app.database.owner.query(
      `select series_id from point where tenant_id = 'north' and series_id not in (select id from series where tenant_id = 'north')
       union all select series_id from erasure where tenant_id = 'north'`,
    )
    assert.equal(orphans.rowCount, 0)
  })

  test('it is installed again by users who may uninstall it, with its key and gateway, once', async () => {
    const [gateway, lightOfNorth] = [await add({ product: 'MG' }), await add({})]
    const deviceId = await add({ product: 'EM', key: 'the key', parentId: gateway })
    const install = (email = manager, id = deviceId) =>
      app.send(installDevice, { body: { tenant, deviceId: id } }, email)
    const refusalOf = async (email?: string, id?: string) => (await install(email, id)).body.message
    assert.equal(await refusalOf(), 'The device is already installed.')
    await remove(deviceId)
    for (const email of [guest, boilers, 'manager@south.test'])
      assert.ok([403, 404].includes((await install(email)).status), email)
    const answers = await Promise.all([install(), install(lighting), install(admin)])
    assert.equal(answers.filter(({ body }) => body.isSuccessful).length, 1)
    const device = (await app.send(getEmered, { body: { tenant, deviceId } }, manager)).body.data!
    assert.deepEqual(
      [device.deviceStatus, device.statusReason, device.uninstalledAt, device.parent?.deviceId],
      ['Installed', device.statusReason, null, gateway],
    )
    const { rows } = await app.database.owner.query(
      `select encode(key_hash, 'hex') as hash, uninstalled_at from device_route where device_id = $1`,
      [deviceId],
    )
    assert.deepEqual(rows, [{ hash: createHash('sha256').update('the key').digest('hex'), uninstalled_at: null }])
    assert.equal((await recorded('device installed', deviceId)).length, 1)
    const wholesale = await add({ status: 'Inventory', inWholesale: true })
    assert.match((await refusalOf(manager, wholesale))!, /wholesale/)
    assert.equal(await refusalOf(manager, lightOfNorth), 'The device is already installed.')
  })

  test('the second user is refused, because the device is no longer installed', async () => {
    const deviceId = await add({})
    const answers = await Promise.all([remove(deviceId), remove(deviceId), remove(deviceId, admin)])
    assert.equal(answers.filter(({ body }) => body.isSuccessful).length, 1)
    for (const { status, body } of answers.filter((answer) => !answer.body.isSuccessful))
      assert.deepEqual([status, body.message], [200, 'The device is not installed.'])
    assert.equal((await recorded('device uninstalled', deviceId)).length, 1)
  })

  test('only engineers of the area uninstall, and only devices that they see', async () => {
    const [light, boiler] = [await add({}), await add({ product: 'BX' })]
    assert.equal((await remove(light, guest)).status, 403)
    assert.ok([403, 404].includes((await remove(light, boilers)).status))
    assert.ok([403, 404].includes((await remove(boiler, lighting)).status))
    assert.equal((await remove(light, limited)).status, 404)
    assert.equal((await remove(light, 'manager@south.test', 'south')).status, 404)
    assert.equal((await remove('00000000-0000-0000-0000-000000000000')).status, 404)
    for (const [id, route] of [
      [light, getEmered],
      [boiler, getBoiler],
    ] as const)
      assert.equal((await app.send(route, { body: { tenant, deviceId: id } }, manager)).body.data!.deviceStatus, 'Ok')
    assert.equal((await remove(light, lighting)).body.isSuccessful, true)
  })

  test('the thermostat of a BCM in a property with a home hub stays, unless the client has both', async () => {
    for (const [id, features, expected] of [
      ['single', [], false],
      ['dual', ['BcmAndGatewayDualInstall'], true],
    ] as const) {
      await app.addTenant(id, { features: [...features] })
      await app.addMember(id, `manager@${id}.test`, 'Manager')
      const home = crypto.randomUUID()
      await app.database.owner.query(`insert into property (tenant_id, id, reference) values ($1, $2, 'H')`, [id, home])
      const bcm = await addDevice(app, id, { product: 'BX' })
      await addDevice(app, id, { product: 'ZH' })
      const dot = await addDevice(app, id, { product: 'MD', parentId: bcm })
      await app.database.owner.query(`update device set property_id = $1 where tenant_id = $2`, [home, id])
      await app.database.owner.query(`update device set reported = '{"installedAs":"thermostat"}' where id = $1`, [dot])
      const { body } = await remove(dot, `manager@${id}.test`, id)
      assert.equal(body.isSuccessful, expected, id)
      if (!expected) assert.match(body.message!, /home hub/)
    }
  })

  test('every single action is in the audit', async () => {
    const { body } = await app.send(getAudit, { params: { tenant }, query: {} }, admin)
    const recorded = new Set(body.results.map((entry) => entry.action))
    for (const action of ['device uninstalled', 'boiler reset requested'] as const)
      assert.ok(recorded.has(action), action)
  })
})
