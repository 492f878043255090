import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import {
  autofillReset,
  boilerReset,
  emeredJoinNetwork,
  emeredLeaveNetwork,
  removeDevice,
  repeaterJoinNetwork,
  repeaterLeaveNetwork,
} from '@caretaker/contract/actions.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import {
  getBoiler,
  patchBcmSettings,
  patchPowerSwitchSettings,
  putBcmSettings,
  putPowerSwitchSettings,
  toggleBoilerBuzzer,
  toggleCHAccess,
  updateChSetPoint,
  updateOccupierAddress,
  updateOccupierId,
} from '@caretaker/contract/boilers.ts'
import { getBcm, getPowerSwitch } from '@caretaker/contract/dashboard.ts'
import { updateDeviceBuildingLocation } from '@caretaker/contract/devices.ts'
import { getDeviceCommands, runT0Test, takeBackCommand } from '@caretaker/contract/lighting.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import type { NewDevice } from '../../testing/furnish/devices.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { ingestReplies } from '../commands/ingest.ts'
import { expireCommands, takeDueCommands } from '../commands/store.ts'
import { ingestStates } from '../devices/ingest.ts'
import { seriesCache, ingestTelemetry } from '../telemetry/ingest.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const engineer = 'boilers@north.test'
const lighting = 'lighting@north.test'
const guest = 'guest@north.test'
const limited = 'limited@north.test'
const south = 'manager@south.test'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south', 'plain', 'private'])
    await app.addTenant(id, {
      features:
        id === 'plain' ? ['HideEditPropertyAndResidentFields'] : id === 'private' ? ['HideCustomerPersonalData'] : [],
    })
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, 'admin@north.test', 'Admin')
  await app.addMember(tenant, engineer, 'BoilerEngineer')
  await app.addMember(tenant, lighting, 'LightingEngineer')
  await app.addMember(tenant, guest, 'Guest')
  await app.addMember(tenant, limited, 'Manager', [await addAccessRightsTag(app, tenant, 'East')])
  await app.addMember('south', south, 'Manager')
  await app.addMember('plain', 'manager@plain.test', 'Manager')
  await app.addMember('private', 'manager@private.test', 'Manager')
})
afterAll(() => app.close())

interface Home {
  reference?: string
  isVoid?: boolean
  accessRightsTagId?: string
}

async function addHome(
  at: string,
  { reference = `N-${randomUUID().slice(0, 8)}`, isVoid = false, accessRightsTagId }: Home = {},
) {
  const id = randomUUID()
  await inTenant(app.database.db, at, (tx) =>
    tx
      .insertInto('property')
      .values({
        tenant_id: at,
        id,
        reference,
        address1: '14 Calder Rise',
        town: 'Sowerby Bridge',
        county: 'West Yorkshire',
        postcode: 'HX6 3AL',
        latitude: null,
        longitude: null,
        void_flag: isVoid ? 'Void' : 'NotVoid',
        access_rights_tag_id: accessRightsTagId ?? null,
      })
      .execute(),
  )
  return { id, reference }
}

/** A boiler in a property of its own that has reported these values. */
async function addBoiler(given: NewDevice & { home?: Home; monitoring?: string; reported?: object } = {}, at = tenant) {
  const { home, monitoring = 'Boiler', reported, ...device } = given
  const property = await addHome(at, home)
  const id = await addDevice(app, at, { product: 'BX', ...device })
  await inTenant(app.database.db, at, (tx) =>
    tx
      .updateTable('device')
      .set({ monitoring, property_id: property.id })
      .where('tenant_id', '=', at)
      .where('id', '=', id)
      .execute(),
  )
  if (reported) await reportState(id, reported, at)
  return { id, property }
}
const reportState = (deviceId: string, payload: object, at = tenant) =>
  inTenant(app.database.db, at, (tx) =>
    ingestStates(tx, [{ deviceId, tenant: at, payload: payload as never, receivedAt: new Date() }]),
  )
const reply = (deviceId: string, commandId: string, status: 'confirmed' | 'failed' = 'confirmed', message?: string) =>
  inTenant(app.database.db, tenant, (tx) =>
    ingestReplies(tx, [
      { deviceId, tenant, payload: { commandId, status, ...(message && { message }) }, receivedAt: new Date() },
    ]),
  )
const page = async (deviceId: string, email = manager, at = tenant) =>
  (await app.send(getBoiler, { body: { tenant: at, deviceId } }, email)).body.data!
const commandsOf = async (deviceId: string) =>
  (await app.send(getDeviceCommands, { body: { tenant, deviceId } }, manager)).body.data!
const taken = async (deviceId: string) =>
  (await takeDueCommands(app.database.db, [deviceId], 10)).map(({ name, args }) => ({ name, args }))

test('a boiler is returned in full: identity, settings, property and connected devices [dev-3ent-16 dev-7actions-18]', async () => {
  const reported = {
    boilerGc: '47-406-13',
    boilerManufacturer: 'Worcester Bosch',
    boilerModel: 'Greenstar 30i',
    thermostatKind: 'ownBrandOpenTherm',
    chMax: 60,
    dhwSetPoint: 52,
    chLimit: false,
    buzzer: true,
    chMaxSupported: true,
    supportsDhwSetPoint: true,
    hasBuzzer: true,
    remoteResetSupported: true,
  }
  const { id, property } = await addBoiler({ reported })
  const dot = await addDevice(app, tenant, { product: 'MD', parentId: id })
  const meter = await addDevice(app, tenant, { product: 'PM', parentId: dot })
  await reportState(dot, { eui64: '00124b0029f1a2c3' })
  await inTenant(app.database.db, tenant, (tx) =>
    ingestTelemetry(
      tx,
      [
        {
          deviceId: id,
          tenant,
          payload: [{ ts: Date.now(), values: { flowTemperature: 31.2, dhwTemperature: 48 } }],
          receivedAt: new Date(),
        },
      ],
      seriesCache(),
    ),
  )
  const boiler = await page(id)
  const { connectedDevices, installedAt, ...shown } = boiler
  assert.ok(Date.parse(installedAt) <= Date.now())
  const asked = {
    gcNumber: '47-406-13',
    manufacturer: 'Worcester Bosch',
    model: 'Greenstar 30i',
    heatingUnit: 'boiler',
    hotWaterTemp: 48,
    flowTemp: 31.2,
    thermostatKind: 'ownBrandOpenTherm',
    heatingMax: 60,
    occupierId: property.reference,
    occupancy: 'Occupied',
    chPropertyAccess: false,
    buzzerPropertyAccess: true,
    chMaxSupported: true,
    remoteResetSupported: true,
  }
  assert.deepEqual(Object.fromEntries(Object.keys(asked).map((key) => [key, shown[key as keyof typeof shown]])), asked)
  assert.deepEqual(new Set(connectedDevices.map(({ deviceId }) => deviceId)), new Set([dot, meter]))
  assert.equal(connectedDevices.find(({ deviceId }) => deviceId === dot)!.eui64, '00124b0029f1a2c3')
  // Nothing has been set yet, and unreported fields are empty.
  assert.deepEqual(shown.settings.chMax, { desired: null, reported: 60 })
  const silent = await page((await addBoiler()).id)
  assert.deepEqual(
    [silent.gcNumber, silent.thermostatKind, silent.heatingMax, silent.flowTemp, silent.connectedDevices],
    [null, null, null, null, []],
  )
})

test('a heat pump is one by its product or by what its module monitors; only it has a heat saviour [dev-3ent-17]', async () => {
  for (const [product, monitoring, unit] of [
    ['BX', 'HeatPump', 'air source heat pump'],
    ['ASHP', 'Unknown', 'air source heat pump'],
    ['BC', 'Boiler', 'boiler'],
  ] as const) {
    const { id } = await addBoiler({ product, monitoring })
    const power = await addDevice(app, tenant, { product: 'PS', parentId: id })
    await reportState(power, { relays: { 1: true, 2: false } })
    const { heatingUnit, powerSwitch } = await page(id)
    assert.equal(heatingUnit, unit)
    assert.deepEqual(
      powerSwitch?.relays,
      unit === 'boiler'
        ? undefined
        : [
            { relayId: '1', name: 'Air source heat pump', desiredPoweredOn: true, reportedPoweredOn: true },
            { relayId: '2', name: 'Immersion heater', desiredPoweredOn: false, reportedPoweredOn: false },
          ],
    )
  }
})

test('a boiler shows what it monitors, and whether its fault can be reset [est-3-25] [est-3-26]', async () => {
  for (const monitoring of ['None', 'Boiler', 'HeatPump'] as const)
    for (const isResettable of [true, false]) {
      const fault = { faultCode: 'F28', faultSource: 'boiler', isResettable }
      const { id } = await addBoiler({ monitoring, reported: { faultCode: 'F28', fault } })
      const shown = await page(id)
      assert.deepEqual([shown.monitoring, shown.fault!.isResettable], [monitoring, isResettable])
    }
})

test('a void property holds the heating at 10 °C, whatever the setting [est-4-49]', async () => {
  const { id } = await addBoiler({ reported: { chMax: 60 }, home: { isVoid: true } })
  const { heatingMax, occupancy, settings } = await page(id)
  assert.deepEqual([heatingMax, occupancy, settings.chMax.reported], [10, 'Void', 60])
})

/** Every setting: the call, its body, the resulting command, and the device's report afterwards. */
const settings = [
  {
    title: 'UpdateChSetPoint asks for another CH max [dev-7actions-19]',
    ask: (deviceId: string, email: string) =>
      app.send(updateChSetPoint, { body: { tenant, deviceId, chSetPoint: 68 } }, email),
    command: { name: 'setChMax', args: { chSetPoint: 68 } },
    before: { chMax: 60 },
    after: { chMax: 68 },
    key: 'chMax',
  },
  {
    title: 'ToggleCHAccess limits the heating [dev-7actions-22]',
    ask: (deviceId: string, email: string) =>
      app.send(toggleCHAccess, { body: { tenant, deviceId, isLimited: true } }, email),
    command: { name: 'setChLimit', args: { isLimited: true } },
    before: { chLimit: false },
    after: { chLimit: true },
    key: 'chLimit',
  },
  {
    title: 'ToggleBoilerBuzzer sounds the buzzer [dev-7actions-23]',
    ask: (deviceId: string, email: string) =>
      app.send(toggleBoilerBuzzer, { body: { tenant, deviceId, isLimited: true } }, email),
    command: { name: 'setBuzzer', args: { isLimited: true } },
    before: { buzzer: false },
    after: { buzzer: true },
    key: 'buzzer',
  },
  ...([putBcmSettings, patchBcmSettings] as const).map((route) => ({
    title: `${route.method} …/bcms/{id}/settings asks for another DHW set point [dev-7actions-42] [est-7.2-19]`,
    ask: (deviceId: string, email: string) =>
      app.send(route, { params: { tenant, id: deviceId }, body: { dhwSetPoint: 55 } }, email),
    command: { name: 'setDhwSetPoint', args: { dhwSetPoint: 55 } },
    before: { dhwSetPoint: 52 },
    after: { dhwSetPoint: 55 },
    key: 'dhwSetPoint',
  })),
] as const

for (const { title, ask, command, before: first, after: next, key } of settings)
  test(title, async () => {
    const { id } = await addBoiler({ reported: first })
    const shownSetting = async () => (await page(id)).settings[key as 'chMax']
    // A read-only user, one who sees no boilers, and one of another patch.
    assert.equal((await ask(id, guest)).status, 403)
    for (const email of [lighting, limited, south]) assert.ok([403, 404].includes((await ask(id, email)).status), email)
    assert.deepEqual(await shownSetting(), { desired: null, reported: Object.values(first)[0] })
    assert.equal((await ask(id, engineer)).status, 200)
    assert.deepEqual(await shownSetting(), { desired: Object.values(next)[0], reported: Object.values(first)[0] })
    assert.deepEqual(await taken(id), [command])
    await reply(id, (await commandsOf(id))[0]!.commandId)
    await reportState(id, next)
    assert.deepEqual(await shownSetting(), { desired: Object.values(next)[0], reported: Object.values(next)[0] })
    const { results } = (
      await app.send(
        getAudit,
        { params: { tenant }, query: { action: 'boiler setting requested' } },
        'admin@north.test',
      )
    ).body as unknown as { results: { userName: string; after: object }[] }
    assert.deepEqual({ ...results[0]!.after, commandId: '' }, { ...command.args, command: command.name, commandId: '' })
  })

test('PUT and PATCH …/powerswitches/{id}/settings switch relays, each by its own command [dev-7actions-43] [est-7.2-20]', async () => {
  for (const route of [putPowerSwitchSettings, patchPowerSwitchSettings]) {
    const power = await addDevice(app, tenant, { product: 'PS' })
    await reportState(power, { relays: { 1: true, 2: false } })
    const ask = (relayPower: Record<string, boolean>, email = manager) =>
      app.send(route, { params: { tenant, id: power }, body: { relayPower } }, email)
    for (const email of [guest, engineer, lighting]) assert.equal((await ask({ 1: false }, email)).status, 403, email)
    for (const email of [limited, south]) assert.equal((await ask({ 1: false }, email)).status, 404, email)
    assert.equal((await ask({})).status, 400)
    assert.equal((await ask({ relay: true } as never)).status, 400)
    assert.equal((await ask({ 3: true })).status, 422)
    const { commands } = (await ask({ 1: false, 2: true })).body
    assert.deepEqual(
      commands.map(({ relayId }) => relayId),
      ['1', '2'],
    )
    const relays = async () =>
      (await app.send(getPowerSwitch, { params: { tenant, id: power } }, manager)).body.relays.map(
        ({ desiredPoweredOn, reportedPoweredOn }) => [desiredPoweredOn, reportedPoweredOn],
      )
    assert.deepEqual(await relays(), [
      [false, true],
      [true, false],
    ])
    await reportState(power, { relays: { 1: false, 2: true } })
    assert.deepEqual(await relays(), [
      [false, false],
      [true, true],
    ])
  }
})

test("a value out of range is refused with the form's message, and nothing is sent to the device", async () => {
  const { id } = await addBoiler()
  for (const chSetPoint of [29, 81, 29.9, -1])
    assert.match(
      JSON.stringify((await app.send(updateChSetPoint, { body: { tenant, deviceId: id, chSetPoint } }, engineer)).body),
      /CH max should be greater than 30/,
    )
  for (const dhwSetPoint of [39, 66]) {
    const { status, body } = await app.send(
      patchBcmSettings,
      { params: { tenant, id }, body: { dhwSetPoint } },
      engineer,
    )
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /DHW should range from 40°C to 65°C/)
  }
  assert.deepEqual(await commandsOf(id), [])
})

test('a newer value replaces an older one, sent or not, and the same value is not sent twice', async () => {
  const { id } = await addBoiler({ reported: { chMax: 60 } })
  const ask = async (chSetPoint: number) =>
    (await app.send(updateChSetPoint, { body: { tenant, deviceId: id, chSetPoint } }, engineer)).body.data!.commandId
  const first = await ask(65)
  assert.equal(await ask(65), first)
  await ask(70)
  assert.deepEqual(
    (await commandsOf(id)).map(({ status }) => status),
    ['queued', 'withdrawn'],
  )
  assert.deepEqual(await taken(id), [{ name: 'setChMax', args: { chSetPoint: 70 } }])
  const last = await ask(75)
  await app.database.owner.query('update command_outbox set due_at = now() - interval $$1 s$$ where command_id = $1', [
    last,
  ])
  // A sent command is not repeated after its replacement.
  assert.deepEqual(await taken(id), [{ name: 'setChMax', args: { chSetPoint: 75 } }])
  assert.equal((await page(id)).settings.chMax.desired, 75)
})

test('a withdrawn value is no longer desired: desired is what the device reports', async () => {
  const { id } = await addBoiler({ reported: { chMax: 60 } })
  const ask = async (chSetPoint: number) =>
    (await app.send(updateChSetPoint, { body: { tenant, deviceId: id, chSetPoint } }, engineer)).body.data!.commandId
  const back = (commandId: string, email = engineer) =>
    app.send(takeBackCommand, { body: { tenant, deviceId: id, commandId } }, email)
  const desired = async () => (await page(id)).settings.chMax.desired
  // Refused by the device.
  const refused = await ask(70)
  await reply(id, refused, 'failed', 'The installer has locked it')
  assert.equal(await desired(), 70)
  assert.equal((await back(refused, guest)).status, 403)
  assert.equal((await back(refused)).body.isSuccessful, true)
  assert.equal(await desired(), null)
  // Never answered.
  const expired = await ask(71)
  await app.database.owner.query('update command_outbox set expires_at = now() where command_id = $1', [expired])
  await expireCommands(app.database.db)
  assert.equal((await back(expired)).body.isSuccessful, true)
  // Confirmed, but another value is reported: the command can be withdrawn as long as the device reports that value.
  const other = await ask(72)
  await reply(id, other)
  await reportState(id, { chMax: 65 })
  assert.deepEqual((await page(id)).settings.chMax, { desired: 72, reported: 65 })
  assert.equal((await back(other)).body.isSuccessful, true)
  assert.equal(await desired(), null)
  const done = await ask(73)
  await reply(id, done)
  await reportState(id, { chMax: 73 })
  assert.equal((await back(done)).body.message, 'The device has already confirmed the command.')
})

test('unsupported settings are refused with the reason, and an uninstalled boiler is sent nothing', async () => {
  const ask = (deviceId: string) => app.send(updateChSetPoint, { body: { tenant, deviceId, chSetPoint: 60 } }, manager)
  const refusal = async (deviceId: string) => (await ask(deviceId)).body.message
  const { id } = await addBoiler()
  await ask(id)
  await app.send(removeDevice, { body: { tenant, deviceId: id } }, manager)
  assert.deepEqual(await taken(id), [])
  assert.equal(await refusal(id), 'A device that is not installed cannot be changed.')
  const { id: simple } = await addBoiler({ reported: { chMaxSupported: false } })
  assert.equal(await refusal(simple), 'The boiler does not support a CH max.')
  assert.equal(await refusal((await addBoiler({ inWholesale: true })).id), 'A device in wholesale cannot be changed.')
  assert.match((await refusal(await addDevice(app, tenant, { product: 'PS' })))!, /Only boilers and heat pumps/)
})

const lockedOut = (faultSource: 'boiler' | 'autofill') => ({
  remoteResetSupported: true,
  faultCode: 'F28',
  fault: { faultCode: 'F28', faultSource, isResettable: true },
})
const named = (deviceId: string) => ({ body: { tenant, deviceId } })
const toSet = (bcm: { dhwSetPoint: number }) => (deviceId: string) =>
  app.send(patchBcmSettings, { params: { tenant, id: deviceId }, body: bcm }, manager)

/** Each command to a device with its call: the device, its reports, and the request. */
const asked: [
  what: string,
  NewDevice,
  reported: object,
  (deviceId: string) => Promise<{ status: number; body: unknown }>,
][] = [
  [
    'CH max',
    { product: 'BX' },
    {},
    (id) => app.send(updateChSetPoint, { body: { ...named(id).body, chSetPoint: 60 } }, manager),
  ],
  ['DHW set point', { product: 'BX' }, {}, toSet({ dhwSetPoint: 50 })],
  [
    'CH limit',
    { product: 'BX' },
    {},
    (id) => app.send(toggleCHAccess, { body: { ...named(id).body, isLimited: true } }, manager),
  ],
  [
    'buzzer',
    { product: 'BX' },
    {},
    (id) => app.send(toggleBoilerBuzzer, { body: { ...named(id).body, isLimited: true } }, manager),
  ],
  [
    'relay',
    { product: 'PS' },
    { relays: { 1: true } },
    (id) => app.send(patchPowerSwitchSettings, { params: { tenant, id }, body: { relayPower: { 1: false } } }, manager),
  ],
  ['boiler reset', { product: 'BX' }, lockedOut('boiler'), (id) => app.send(boilerReset, named(id), manager)],
  [
    'autofill reset',
    { product: 'AF', status: 'FailedEquipment' },
    lockedOut('autofill'),
    (id) => app.send(autofillReset, named(id), manager),
  ],
  ['flick test', { product: 'EM' }, {}, (id) => app.send(runT0Test, { form: named(id).body }, manager)],
  ['join, a light', { product: 'EM' }, {}, (id) => app.send(emeredJoinNetwork, named(id), manager)],
  ['leave, a light', { product: 'EM' }, {}, (id) => app.send(emeredLeaveNetwork, named(id), manager)],
  ['join, a repeater', { product: 'ZR' }, {}, (id) => app.send(repeaterJoinNetwork, named(id), manager)],
  ['leave, a repeater', { product: 'ZR' }, {}, (id) => app.send(repeaterLeaveNetwork, named(id), manager)],
]
for (const [what, given, reported, ask] of asked)
  test(`a device that was uninstalled meanwhile: ${what} is not sent, messages under way change nothing, and it is refused from then on`, async () => {
    const supports = { chMaxSupported: true, supportsDhwSetPoint: true, hasBuzzer: true }
    const add = async () => {
      const id = await addDevice(app, tenant, given)
      await reportState(id, { ...(given.product === 'BX' && supports), ...reported })
      return id
    }
    const uninstall = async (deviceId: string) =>
      assert.equal((await app.send(removeDevice, named(deviceId), manager)).body.isSuccessful, true)
    const [waiting, sent] = [await add(), await add()]
    for (const id of [waiting, sent]) {
      const { status, body } = await ask(id)
      assert.equal(status, 200, JSON.stringify(body))
    }
    const [command] = await commandsOf(sent)
    assert.equal((await taken(sent)).length, 1)
    for (const id of [waiting, sent]) await uninstall(id)
    assert.deepEqual(await taken(waiting), [])
    // The device, unaware of that, answers.
    await reply(sent, command!.commandId)
    for (const id of [waiting, sent]) {
      assert.deepEqual(await commandsOf(id), [])
      const { rows } = await app.database.owner.query('select status, desired from device where id = $1', [id])
      assert.deepEqual(rows, [{ status: 'Inventory', desired: {} }])
      const { body } = await ask(id)
      assert.match(JSON.stringify(body), /not installed|no fault|has no relay|is not locked/, 'asked again')
      assert.deepEqual(await commandsOf(id), [])
    }
  })

test("UpdateOccupierAddress changes the address of the boiler's property, for every device in it [dev-7actions-20]", async () => {
  const { id, property } = await addBoiler()
  const ask = (occupierAddress: string, email = engineer) =>
    app.send(updateOccupierAddress, { body: { tenant, deviceId: id, occupierAddress } }, email)
  assert.equal((await ask('1 Elsewhere', guest)).status, 403)
  for (const email of [lighting, limited, south])
    assert.ok([403, 404].includes((await ask('1 Elsewhere', email)).status))
  assert.match(JSON.stringify((await ask('  ')).body), /Address can not be empty/)
  const address = 'Flat 2, 16 Calder Rise, Sowerby Bridge, West Yorkshire, HX6 3AN'
  assert.equal((await ask(address)).body.isSuccessful, true)
  assert.equal((await page(id)).address, address)
  const { rows } = await app.database.owner.query(
    'select address1, address2, town, county, postcode from property where id = $1',
    [property.id],
  )
  assert.deepEqual(rows[0], {
    address1: 'Flat 2',
    address2: '16 Calder Rise',
    town: 'Sowerby Bridge',
    county: 'West Yorkshire',
    postcode: 'HX6 3AN',
  })
  const unplaced = await addDevice(app, tenant, { product: 'BX' })
  const { body } = await app.send(
    updateOccupierAddress,
    { body: { tenant, deviceId: unplaced, occupierAddress: 'X' } },
    engineer,
  )
  assert.equal(body.message, 'The boiler is not in a property.')
})

test("UpdateOccupierId changes the reference of the boiler's property, which must be unique [dev-7actions-21]", async () => {
  const { id } = await addBoiler()
  const { property } = await addBoiler()
  const ask = (occupierId: string, email = engineer) =>
    app.send(updateOccupierId, { body: { tenant, deviceId: id, occupierId } }, email)
  assert.equal((await ask('N-99', guest)).status, 403)
  for (const email of [lighting, limited, south]) assert.ok([403, 404].includes((await ask('N-99', email)).status))
  assert.match(JSON.stringify((await ask(' ')).body), /Property Reference can not be empty/)
  assert.equal(
    (await ask(property.reference)).body.message,
    `The property reference ${property.reference} is already in use.`,
  )
  assert.equal((await ask('N-99')).body.isSuccessful, true)
  assert.equal((await page(id)).occupierId, 'N-99')
})

test('a limited user cannot edit a hidden property, even if they see its boiler', async () => {
  const tag = await addAccessRightsTag(app, tenant, 'North')
  await app.addMember(tenant, 'north@north.test', 'Manager', [tag])
  const { id } = await addBoiler({ accessRightsTagId: tag })
  const seen = await addBoiler({ accessRightsTagId: tag, home: { accessRightsTagId: tag } })
  const ask = (deviceId: string) =>
    app.send(updateOccupierId, { body: { tenant, deviceId, occupierId: `N-${deviceId}` } }, 'north@north.test')
  assert.equal((await ask(id)).status, 403)
  assert.equal((await ask(seen.id)).status, 200)
})

test('where fields are read-only or personal data is hidden, the server refuses what the page does not offer', async () => {
  const { id } = await addBoiler({}, 'plain')
  const who = 'manager@plain.test'
  const body = { tenant: 'plain', deviceId: id }
  assert.equal((await app.send(updateChSetPoint, { body: { ...body, chSetPoint: 60 } }, who)).status, 403)
  assert.equal((await app.send(updateOccupierId, { body: { ...body, occupierId: 'N-1' } }, who)).status, 403)
  assert.equal((await app.send(updateDeviceBuildingLocation, { body: { ...body, location: 'Loft' } }, who)).status, 403)
  const hidden = await addBoiler({}, 'private')
  const personal = { tenant: 'private', deviceId: hidden.id }
  assert.equal((await page(hidden.id, 'manager@private.test', 'private')).address, null)
  assert.equal(
    (await app.send(updateOccupierAddress, { body: { ...personal, occupierAddress: 'X' } }, 'manager@private.test'))
      .status,
    403,
  )
})

test('a BCM returns the requested DHW set point [est-7.2-6]', async () => {
  const { id } = await addBoiler()
  await app.send(patchBcmSettings, { params: { tenant, id }, body: { dhwSetPoint: 50 } }, engineer)
  const { body } = await app.send(getBcm, { params: { tenant, id } }, manager)
  assert.equal(body.bcmSettings.desiredDhwSetPoint, 50)
})
