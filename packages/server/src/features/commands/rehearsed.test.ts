import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { MqttClient } from 'mqtt'
import { connectAsync } from 'mqtt'
import { autofillReset, boilerReset, emeredJoinNetwork, emeredLeaveNetwork } from '@caretaker/contract/actions.ts'
import {
  patchBcmSettings,
  patchPowerSwitchSettings,
  toggleBoilerBuzzer,
  toggleCHAccess,
  updateChSetPoint,
} from '@caretaker/contract/boilers.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getAllDeviceTests, getDeviceCommands, runT0Test } from '@caretaker/contract/lighting.ts'
import type { FleetDevice } from '@caretaker/contract/mqtt/fleet.ts'
import { Fleet } from '@caretaker/contract/mqtt/fleet.ts'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { getDeviceMetrics } from '@caretaker/contract/telemetry.ts'
import { awaitsConfirmation, mayTryAgain, outcomeText } from '@caretaker/rules/commands/life.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { startDeviceLink } from '../../mqtt/device-link.ts'
import type { DeviceLink } from '../../mqtt/link.ts'
import { ensurePartitions } from '../../postgres/partitions.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { eventually } from '../../testing/device-link.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { expireCommands } from './store.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const simulator = fileURLToPath(new URL('../../../../simulator/src/main.ts', import.meta.url))

/** The ways in which simulated devices can answer their next commands over MQTT (docs/device-link.md). */
const ways = ['confirm', 'refuse', 'silent', 'late', 'twice', 'other'] as const
type Way = (typeof ways)[number]
/** Longer than it takes to send all commands. */
const lateBy = 15

type Reported = Record<string, unknown>
const relays = ({ relays: reported }: Reported) => reported as Record<string, boolean>

/** A property of each kind of device. */
const kinds = {
  boiler: {
    ...{ product: 'BX', model: 'boiler', story: 'boiler lockout' },
    // It calls for hot water at any hour, and burns as soon as no lockout prevents it.
    traits: { chMax: 60, dhwSetPoint: 52, callsFor: 'hot water', flowTemperature: 30 },
  },
  autofill: { product: 'AF', model: 'autofill', story: 'failed autofill' },
  heatPump: { product: 'ASHP', model: 'airSourceHeatPump' },
  powerSwitch: { product: 'PS', model: 'powerSwitch', traits: { relay2: false } },
  light: { product: 'EM', model: 'emered' },
  leaving: { product: 'EM', model: 'emered' },
  joining: { product: 'EM', model: 'emered', traits: { networkJoined: false } },
} as const satisfies Record<string, Partial<FleetDevice> & Pick<FleetDevice, 'product' | 'model'>>
type Kind = keyof typeof kinds

interface Asked {
  of: Kind
  name: string
  relay?: string
  ask: (deviceId: string) => Promise<{ status: number }>
  /** Whether the device reports the desired state; for a test, whether one arrived. */
  isDone: (reported: Reported, tests: number) => boolean
  /** Whether the device reports the state. */
  hasState: boolean
}

const own = (deviceId: string) => ({ body: { tenant, deviceId } })
const commands: Record<string, Asked> = {
  'heat saviour': {
    of: 'powerSwitch',
    name: 'setRelay',
    relay: '1',
    ask: (id) =>
      app.send(patchPowerSwitchSettings, { params: { tenant, id }, body: { relayPower: { 1: false } } }, manager),
    isDone: (reported) => !relays(reported)['1'],
    hasState: true,
  },
  relay: {
    of: 'powerSwitch',
    name: 'setRelay',
    relay: '2',
    ask: (id) =>
      app.send(patchPowerSwitchSettings, { params: { tenant, id }, body: { relayPower: { 2: true } } }, manager),
    isDone: (reported) => relays(reported)['2']!,
    hasState: true,
  },
  buzzer: {
    of: 'boiler',
    name: 'setBuzzer',
    ask: (deviceId) => app.send(toggleBoilerBuzzer, { body: { tenant, deviceId, isLimited: true } }, manager),
    isDone: ({ buzzer }) => buzzer === true,
    hasState: true,
  },
  'CH limit': {
    of: 'boiler',
    name: 'setChLimit',
    ask: (deviceId) => app.send(toggleCHAccess, { body: { tenant, deviceId, isLimited: true } }, manager),
    isDone: ({ chLimit }) => chLimit === true,
    hasState: true,
  },
  'CH set point': {
    of: 'boiler',
    name: 'setChMax',
    ask: (deviceId) => app.send(updateChSetPoint, { body: { tenant, deviceId, chSetPoint: 55 } }, manager),
    isDone: ({ chMax }) => chMax === 55,
    hasState: true,
  },
  'DHW set point': {
    of: 'boiler',
    name: 'setDhwSetPoint',
    ask: (id) => app.send(patchBcmSettings, { params: { tenant, id }, body: { dhwSetPoint: 48 } }, manager),
    isDone: ({ dhwSetPoint }) => dhwSetPoint === 48,
    hasState: true,
  },
  'boiler reset': {
    of: 'boiler',
    name: 'resetBoiler',
    ask: (deviceId) => app.send(boilerReset, own(deviceId), manager),
    isDone: ({ faultCode }) => faultCode === 'None',
    hasState: false,
  },
  'autofill reset': {
    of: 'autofill',
    name: 'resetAutofill',
    ask: (deviceId) => app.send(autofillReset, own(deviceId), manager),
    isDone: ({ faultCode }) => faultCode === 'None',
    hasState: false,
  },
  join: {
    of: 'joining',
    name: 'joinNetwork',
    ask: (deviceId) => app.send(emeredJoinNetwork, own(deviceId), manager),
    isDone: ({ networkJoined }) => networkJoined === true,
    hasState: true,
  },
  leave: {
    of: 'leaving',
    name: 'leaveNetwork',
    ask: (deviceId) => app.send(emeredLeaveNetwork, own(deviceId), manager),
    isDone: ({ networkJoined }) => networkJoined === false,
    hasState: true,
  },
  'flick test': {
    of: 'light',
    name: 'runTest',
    ask: (deviceId) => app.send(runT0Test, { form: { tenant, deviceId } }, manager),
    isDone: (_, tests) => tests > 0,
    hasState: false,
  },
}

let app: TestApp
let link: DeviceLink
let gateway: MqttClient
let simulated: ReturnType<typeof spawn>
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-rehearsed-'))
const homes = {} as Record<Way, Record<Kind, string>>

const reportedBy = async (deviceId: string): Promise<Reported> =>
  (await app.database.owner.query<{ reported: Reported }>('select reported from device where id = $1', [deviceId]))
    .rows[0]!.reported
const commandIn = async (way: Way, { of, name, relay }: Asked): Promise<Command> =>
  (await app.send(getDeviceCommands, own(homes[way][of]), manager)).body.data!.find(
    (one) => one.name === name && (relay === undefined || one.args['relay'] === relay),
  )!
const statuses = (way: Way) =>
  Promise.all(Object.values(commands).map(async (asked) => (await commandIn(way, asked)).status))
const testsOf = async (deviceId: string) =>
  (await app.send(getAllDeviceTests, own(deviceId), manager)).body.data!.length

beforeAll(async () => {
  app = await testApp({ MQTT_PORT: '0' })
  await ensurePartitions(app.database.owner, new Date())
  await app.addTenant(tenant)
  await app.addMember(tenant, manager, 'Manager')
  link = await startDeviceLink(app.context)
  const key = randomUUID()
  const parentId = await addDevice(app, tenant, { product: 'MG', key })
  const devices: FleetDevice[] = []
  for (const way of ways) {
    homes[way] = {} as Record<Kind, string>
    for (const [kind, given] of Object.entries(kinds) as [Kind, (typeof kinds)[Kind]][]) {
      const deviceId = await addDevice(app, tenant, { product: given.product, parentId, key })
      homes[way][kind] = deviceId
      const traits = { ...('traits' in given && given.traits), home: way }
      const credentials = { username: deviceId, password: key, parentId: null, reportingInterval: 2 }
      devices.push({ ...given, ...credentials, deviceId, serial: `${kind} ${way}`, traits })
    }
  }
  gateway = await connectAsync(link.url, { clientId: parentId, username: parentId, password: key, reconnectPeriod: 0 })
  const file = path.join(folder, 'fleet.json')
  writeFileSync(file, JSON.stringify(Fleet.parse({ devices })), { mode: 0o600 })
  simulated = spawn(process.execPath, [simulator, '--fleet', file, '--url', link.url], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  for (const { deviceId } of devices)
    await eventually(
      () => reportedBy(deviceId),
      (reported) => 'firmware' in reported,
      60_000,
    )
})
afterAll(async () => {
  const ended = once(simulated, 'exit')
  simulated.kill('SIGTERM')
  await ended
  await gateway.endAsync()
  await link.stop()
  await app.close()
  rmSync(folder, { recursive: true })
})

describe('each command to a device that confirms, refuses, does not answer, answers late, twice, or does something else', () => {
  beforeAll(async () => {
    for (const way of ways)
      for (const deviceId of Object.values(homes[way])) {
        const answers = Array.from({ length: 10 }, () => (way === 'late' ? { way, seconds: lateBy } : way))
        const sent = { commandId: randomUUID(), name: 'rehearse', args: { answers }, expiresAt: Date.now() + 60_000 }
        await gateway.publishAsync(topic(deviceId, 'commands'), JSON.stringify(sent), { qos: 1 })
      }
    for (const way of ways)
      for (const [what, { of, ask }] of Object.entries(commands))
        assert.equal((await ask(homes[way][of])).status, 200, `${what} ${way}`)
    // Unanswered commands expire before a late answer arrives.
    for (const way of ['silent', 'late'] as const) {
      await eventually(
        () => statuses(way),
        (all) => all.every((status) => status === 'sent'),
      )
      await app.database.owner.query('update command_outbox set expires_at = now() where device_id = any($1)', [
        Object.values(homes[way]),
      ])
    }
    await expireCommands(app.database.db)
    for (const way of ['confirm', 'refuse', 'twice', 'other'] as const)
      await eventually(
        () => statuses(way),
        (all) => all.every((status) => status === (way === 'refuse' ? 'failed' : 'confirmed')),
      )
    await eventually(
      () => Promise.all(Object.values(commands).map((asked) => commandIn('late', asked))),
      (all) => all.every(({ lateAnswer }) => lateAnswer !== null),
      2 * lateBy * 1000,
    )
  })

  const outcomes = {
    confirm: { status: 'confirmed', isDone: true, shown: /^Confirmed at/ },
    refuse: { status: 'failed', isDone: false, shown: /^Refused at .+: Told to refuse\.$/ },
    silent: { status: 'expired', isDone: false, shown: /^Expired at .+: it was sent at .+ and not answered\.$/ },
    late: { status: 'expired', isDone: true, shown: /the device answered anyway: it confirmed the command/ },
    twice: { status: 'confirmed', isDone: true, shown: /^Confirmed at/ },
    other: { status: 'confirmed', isDone: false, shown: /^Confirmed at/ },
  } as const

  for (const [what, asked] of Object.entries(commands))
    for (const way of ways)
      test(`${what}: ${way}`, async () => {
        const { status, isDone, shown } = outcomes[way]
        const deviceId = homes[way][asked.of]
        assert.equal((await commandIn(way, asked)).status, status)
        const tests = asked.of === 'light' ? () => testsOf(deviceId) : async () => 0
        const look = async () => [await reportedBy(deviceId), await tests()] as const
        // The result is reported a moment after the answer.
        const [reported] = await eventually(look, (found) => asked.isDone(...found) === isDone)
        const command = await commandIn(way, asked)
        // A device that confirms has a moment to report its new state.
        const now = Date.now() + 60_000
        const words =
          asked.of === 'light' && way === 'other'
            ? /^The light accepted the command at .+, but has reported no test since\.$/
            : shown
        assert.match(outcomeText(command, { now, connected: true, time: (at) => at }), words)
        // A device that confirms but does something else has not confirmed a reported state, nor a test.
        const isReported = asked.hasState || asked.of === 'light'
        const isOpen = way === 'refuse' || way === 'silent' || (way === 'other' && isReported)
        assert.equal(awaitsConfirmation(command, reported), isOpen, 'still to be confirmed')
        assert.equal(mayTryAgain(command, reported, now), isOpen, 'can be asked for again')
      })

  const measured: Record<string, [Kind, MetricKey, (value: number) => boolean]> = {
    'what a heat saviour has switched off takes no electricity': [
      'heatPump',
      'electricityConsumption',
      (value) => value === 0,
    ],
    'an immersion heater that a relay has switched on takes much electricity': [
      'heatPump',
      'immersionPower',
      (value) => value > 1,
    ],
    'a boiler that was reset burns': ['boiler', 'modulation', (value) => value > 0],
    'an autofill that was reset fills the heating': ['autofill', 'systemPressure', (value) => value > 1],
  }
  for (const [what, [kind, metric, isMeasured]] of Object.entries(measured))
    test(`${what} by the next reading, and only that`, async () => {
      for (const way of ways) {
        const body = { tenant, deviceId: homes[way][kind], from: Date.now() - 600_000, to: Date.now() + 1000 }
        const latest = async () =>
          (await app.send(getDeviceMetrics, { body: { ...body, metrics: [metric] } }, manager)).body.data![0]!.latest
        await eventually(latest, (reading) => isMeasured(reading?.value ?? 0) === outcomes[way].isDone)
      }
    })
})
