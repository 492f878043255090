import { expect, test } from 'vitest'
import type { Locator } from 'vitest/browser'
import { page } from 'vitest/browser'
import { autofillReset, boilerReset, emeredLeaveNetwork, repeaterJoinNetwork } from '@caretaker/contract/actions.ts'
import type { Boiler, ConnectedDevice, PowerSwitch } from '@caretaker/contract/boilers.ts'
import {
  patchBcmSettings,
  patchPowerSwitchSettings,
  toggleBoilerBuzzer,
  toggleCHAccess,
  updateChSetPoint,
} from '@caretaker/contract/boilers.ts'
import { getBoilerFaults } from '@caretaker/contract/faults.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands, runT0Test, takeBackCommand } from '@caretaker/contract/lighting.ts'
import type { Route } from '@caretaker/contract/route.ts'
import { queryClient } from '../api/query-client.ts'
import { act, card, dialog, headMenu, loading } from '../testing/device-screen.ts'
import { aBoiler, aGateway, aLight, boilerPage, gatewayPage, idOf, lightPage } from '../testing/examples/devices.ts'
import { expectCount } from '../testing/expect.ts'
import type { ServerAnswer } from '../testing/network.ts'
import { answer, exampleOf, hold } from '../testing/network.ts'
import type { Portal } from '../testing/portal.tsx'
import { openPortal } from '../testing/portal.tsx'

// packages/server/src/features/commands/rehearsed.test.ts uses the same commands to test what devices answer and what
// the server stores.

/** The reaction of a device to a command; if a device answers twice, the server stores the first answer. */
type Way = 'sent' | 'refuse' | 'silent' | 'other' | 'confirm' | 'late'
type Failure = 'refuse' | 'silent' | 'other'
type Done = 'confirm' | 'late'

const person = 'Ada Marsh'
const asked = `Requested by ${person} at \\d`
const waiting = 'Waiting for device confirmation'
const expired = 'Expired at .+: it was sent at .+ and not answered\\.'

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()

/** A command sent two minutes ago, as stored after the device's reaction. */
function commandAfter(way: Way, command: Pick<Command, 'name' | 'args'>): Command {
  const lives: Record<Way, Partial<Command>> = {
    sent: {},
    refuse: { status: 'failed', answeredAt: secondsAgo(90), message: 'Told to refuse' },
    silent: { status: 'expired', expiresAt: secondsAgo(60) },
    other: { status: 'confirmed', answeredAt: secondsAgo(90) },
    confirm: { status: 'confirmed', answeredAt: secondsAgo(90) },
    late: { status: 'expired', expiresAt: secondsAgo(60), answeredAt: secondsAgo(30), lateAnswer: 'confirmed' },
  }
  return {
    ...{ commandId: idOf(80), status: 'sent', message: null, requestedBy: person },
    ...{ createdAt: secondsAgo(120), sentAt: secondsAgo(120), answeredAt: null, expiresAt: secondsAgo(-600) },
    ...{ withdrawnAt: null, withdrawnBy: null, lateAnswer: null, reportedTest: null },
    ...command,
    ...lives[way],
  }
}

const isDone = (way: Way): way is Done => way === 'confirm' || way === 'late'

/** A command as requested on a page, and what the page shows. */
interface Case {
  address: string
  command: Pick<Command, 'name' | 'args'>
  route: Route
  sent: object
  /** The page without the command, or after the device's reaction; `takenBack` if the user has withdrawn it. */
  answers: (way?: Way, takenBack?: boolean) => ServerAnswer[]
  /** Where the page shows the state. */
  at: Locator
  ask: (portal: Portal) => Promise<void>
  /** The button that retries. */
  again?: string
  /** Confirms the retry. */
  confirmAgain?: () => Promise<void>
  isSent: RegExp
  fails: Record<Failure, RegExp>
  isDone: (way: Done, portal: Portal) => Promise<void>
  /** The content of the page once a refused command is withdrawn; undefined if that is not possible. */
  takenBack?: RegExp
}

/** A device's commands: the command of the case, if requested. */
const commandsOf = (deviceId: string, command: Pick<Command, 'name' | 'args'>, way?: Way, takenBack = false) =>
  answer(getDeviceCommands, ({ body }) => {
    if (way === undefined || body.deviceId !== deviceId) return []
    const life = commandAfter(way, command)
    return [takenBack ? { ...life, withdrawnAt: secondsAgo(10), withdrawnBy: person } : life]
  })

const settings = {
  chMax: { desired: null, reported: 60 },
  dhwSetPoint: { desired: null, reported: 48 },
  chLimit: { desired: null, reported: false },
  buzzer: { desired: null, reported: false },
}
const boiler = aBoiler({
  deviceId: idOf(2),
  ...{ chMaxSupported: true, supportsDhwSetPoint: true, hasBuzzer: true, thermostatKind: null, occupancy: null },
  ...{ settings, reported: { chMax: 60, dhwSetPoint: 48, chLimit: false, buzzer: false } },
})
const atBoiler = `/northgate/Boilers/${boiler.deviceId}`

interface Setting {
  setting: keyof typeof settings
  label: string
  command: Pick<Command, 'name' | 'args'>
  route: Route
  sent: object
  from: number | boolean
  to: number | boolean
  /** The value that the device applies instead. */
  other: number | boolean
  ask: (at: Locator, portal: Portal, asked: ServerAnswer[]) => Promise<void>
  /** Checks that the control shows what the device reports. */
  shows?: (at: Locator, isOn: boolean) => Promise<void>
}

const textOf = (value: number | boolean) => (typeof value === 'number' ? `${value} °C` : value ? 'on' : 'off')

function settingCase({ setting, label, command, route, sent, from, to, other, ask, shows }: Setting): Case {
  const at = card('Heating settings')
    .getByCss('dl > div')
    .filter({ hasText: new RegExp(`^${label}`) })
  const answers: Case['answers'] = (way, takenBack = false) => {
    const value = way !== undefined && isDone(way) ? to : way === 'other' ? other : from
    const desired = way === undefined || takenBack ? null : to
    return [
      ...boilerPage({
        ...boiler,
        settings: { ...settings, [setting]: { desired, reported: value } },
        reported: { ...boiler.reported, [setting]: value },
      }),
      commandsOf(boiler.deviceId, command, way, takenBack),
    ]
  }
  const still = `The device still reports ${textOf(from)}\\. `
  const confirmed = typeof to === 'number' ? textOf(to) : to ? 'On' : 'Off'
  return {
    ...{ address: atBoiler, command, route, sent, answers, at },
    ask: (portal) => ask(at, portal, answers('sent')),
    isSent: new RegExp(`${waiting}Sent .+ by ${person}\\. The device still reports ${textOf(from)}\\.`),
    fails: {
      refuse: new RegExp(`${waiting}Refused at .+: Told to refuse\\. ${still}${asked}`),
      silent: new RegExp(`${waiting}${expired} ${still}${asked}`),
      other: new RegExp(`${waiting}Confirmed at .+, but the device reports ${textOf(other)}\\. ${asked}`),
    },
    isDone: async () => {
      await expectCount(at.getByText(waiting), 0)
      await shows?.(at, to === true)
      await expect
        .element(at)
        .toMatchTextContent(new RegExp(`State confirmed${confirmed} since \\d.+, requested by ${person}`))
      await expect.element(at).not.toMatchTextContent('The device')
      await expectCount(at.getByRole('button', { name: 'Try again' }), 0)
    },
    takenBack: typeof from === 'number' ? new RegExp(`${label}${from} °C`) : new RegExp(label),
  }
}

const temperature = (setting: 'chMax' | 'dhwSetPoint', label: string, from: number, to: number) => {
  const isMax = setting === 'chMax'
  const args = isMax ? { chSetPoint: to } : { dhwSetPoint: to }
  return settingCase({
    ...{ setting, label, from, to, other: to - 3, command: { name: isMax ? 'setChMax' : 'setDhwSetPoint', args } },
    ...(isMax
      ? { route: updateChSetPoint, sent: { body: { tenant: 'northgate', deviceId: boiler.deviceId, ...args } } }
      : { route: patchBcmSettings, sent: { params: { tenant: 'northgate', id: boiler.deviceId }, body: args } }),
    ask: async (at, portal, answers) => {
      await at.getByRole('button', { name: `Edit ${label}` }).click()
      await at.getByRole('textbox', { name: label }).fill(String(to))
      portal.use(...answers)
      await at.getByRole('button', { name: 'Save', exact: true }).click()
      await expect.element(at).toMatchTextContent(`${to} °C`)
    },
  })
}

interface Toggle {
  label: string
  route: typeof toggleBoilerBuzzer | typeof toggleCHAccess
  command: string
  inactive: string
  active: string
}
const toggles = {
  buzzer: {
    label: 'Buzzer',
    route: toggleBoilerBuzzer,
    command: 'setBuzzer',
    inactive: 'Turn buzzer on',
    active: 'Buzzer is on',
  },
  chLimit: {
    label: 'CH limit',
    route: toggleCHAccess,
    command: 'setChLimit',
    inactive: 'Limit CH Max',
    active: 'CH Max Limited',
  },
} satisfies Record<string, Toggle>

function toggle(setting: keyof typeof toggles): Case {
  const { label, route, command, inactive, active } = toggles[setting]
  const look = (button: Locator) => getComputedStyle(button.element()).backgroundColor
  let inactiveLook: string
  return settingCase({
    ...{ setting, label, route, from: false, to: true, other: false },
    command: { name: command, args: { isLimited: true } },
    sent: { body: { tenant: 'northgate', deviceId: boiler.deviceId, isLimited: true } },
    ask: async (at, portal, answers) => {
      const button = at.getByCss('button[aria-pressed]')
      await expect.element(button).toHaveTextContent(inactive)
      await expect.element(button).toHaveAttribute('aria-pressed', 'false')
      inactiveLook = look(button)
      const pending = hold(route)
      portal.use(pending)
      await button.click()
      await expect.element(button).toHaveTextContent('Sending ...')
      portal.use(...answers)
      pending.release()
      // Sent, and not confirmed yet.
      await expect.element(at).toMatchTextContent(waiting)
      await expect.element(button).toHaveTextContent(inactive)
      await expect.element(button).toHaveAttribute('aria-pressed', 'false')
    },
    shows: async (at, isOn) => {
      const button = at.getByCss('button[aria-pressed]')
      await expect.element(button).toHaveTextContent(isOn ? active : inactive)
      await expect.element(button).toHaveAttribute('aria-pressed', String(isOn))
      if (isOn) expect(look(button)).not.toBe(inactiveLook)
    },
  })
}

const relays = (relay2?: { desired: boolean | null; reported: boolean }): PowerSwitch['relays'] => [
  { relayId: '1', name: 'Air source heat pump', desiredPoweredOn: null, reportedPoweredOn: true },
  {
    relayId: '2',
    name: 'Immersion heater',
    desiredPoweredOn: relay2?.desired ?? null,
    reportedPoweredOn: relay2?.reported ?? false,
  },
]
const powerSwitch: PowerSwitch = {
  ...{ deviceId: idOf(5), deviceName: 'Power switch', serialNumber: 'PS000005', location: 'Cupboard', status: 'Ok' },
  ...{ connectionStatus: 'Connected', inWholesale: false, accessRightsTags: [], relays: relays() },
  ...{ reported: { relays: { 1: true, 2: false } }, userHasReadOnlyAccess: false },
}
const autofill: ConnectedDevice = {
  ...aBoiler().connectedDevices[0]!,
  ...{ deviceId: idOf(6), deviceName: 'Autofill', productId: 'AF', deviceType: 'Autofill', serialNumber: 'AF000006' },
  ...{ status: 'FailedDevice', statusReason: null, connectionStatus: 'Connected', parentId: idOf(4) },
  ...{ parentProductId: 'ZR', accessRightsTag: null, inWholesale: false, userHasReadOnlyAccess: false, reported: {} },
  fault: { code: 'F1', description: 'No water', source: 'autofill', isResettable: true },
}
const heatPump = aBoiler({
  ...{ deviceId: idOf(4), deviceName: 'Flat 9 heat pump', productId: 'ASHP', serialNumber: 'AS000004', powerSwitch },
  ...{ connectedDevices: [], occupancy: null, settings, reported: {} },
})
const atHeatPump = `/northgate/Boilers/${heatPump.deviceId}`

/** A relay of the heat saviour, which asks before it switches. */
function relay(relayId: '1' | '2', name: string, from: boolean): Case {
  const to = !from
  const command = { name: 'setRelay', args: { relay: relayId, on: to } }
  const at = card('Heat saviour').getByRole('group', { name })
  const still = `The device still reports ${textOf(from)}\\. `
  return {
    ...{ address: atHeatPump, command, route: patchPowerSwitchSettings, at },
    sent: {
      params: { tenant: 'northgate', id: powerSwitch.deviceId },
      body: { relayPower: { [relayId]: to } },
    },
    answers: (way, takenBack = false) => {
      const reported = way !== undefined && isDone(way) ? to : from
      const desired = way === undefined || takenBack ? null : to
      const states = relays().map((one) =>
        one.relayId === relayId ? { ...one, desiredPoweredOn: desired, reportedPoweredOn: reported } : one,
      )
      const reportedStates = Object.fromEntries(states.map((one) => [one.relayId, one.reportedPoweredOn]))
      return [
        ...boilerPage({
          ...heatPump,
          powerSwitch: { ...powerSwitch, relays: states, reported: { relays: reportedStates } },
        }),
        commandsOf(powerSwitch.deviceId, command, way, takenBack),
      ]
    },
    ask: async () => {
      await at.getByCss('label').first().click()
      const question = dialog(`Turn ${textOf(to)} the ${name.toLowerCase()}?`)
      await question.getByRole('button', { name: `Turn ${textOf(to)}` }).click()
      await expectCount(question, 0)
    },
    isSent: new RegExp(`${waiting}Sent .+ by ${person}\\. The device still reports ${textOf(from)}\\.`),
    fails: {
      refuse: new RegExp(`${waiting}Refused at .+: Told to refuse\\. ${still}${asked}`),
      silent: new RegExp(`${waiting}${expired} ${still}${asked}`),
      other: new RegExp(`${waiting}Confirmed at .+, but the device reports ${textOf(from)}\\. ${asked}`),
    },
    isDone: async () => {
      const state = `State confirmed${to ? 'On' : 'Off'}`
      await expect.element(at).toMatchTextContent(new RegExp(`${state} since \\d.+, requested by ${person}`))
      if (to) await expect.element(at.getByRole('switch')).toBeChecked()
      else await expect.element(at.getByRole('switch')).not.toBeChecked()
    },
    takenBack: new RegExp(`State confirmed`),
  }
}

const fault = {
  ...exampleOf(getBoilerFaults)[0]!,
  ...{ faultCode: 'EA', description: 'Flame not detected', isResettable: true, serialNumber: 'BX000002' },
  ...{ endedAt: null, endedByReset: false, resetBy: null, resets: 0 },
}

/** A lockout is reset in the alarm panel, which asks first. */
function reset(what: 'boiler' | 'autofill'): Case {
  const isBoiler = what === 'boiler'
  const locked = isBoiler ? boiler.deviceId : autofill.deviceId
  const serial = isBoiler ? boiler.serialNumber : autofill.serialNumber
  const command = { name: isBoiler ? 'resetBoiler' : 'resetAutofill', args: {} }
  const at = card('Alarm')
  const pageOf = (isLocked: boolean): Boiler =>
    isBoiler
      ? {
          ...boiler,
          ...{ remoteResetSupported: true, deviceStatus: isLocked ? 'FailedEquipment' : 'Ok' },
          fault: isLocked
            ? { code: 'EA', description: 'Flame not detected', source: 'boiler', isResettable: true }
            : null,
        }
      : {
          ...heatPump,
          connectedDevices: [isLocked ? autofill : { ...autofill, status: 'Ok', fault: null }],
        }
  const confirm = async () => {
    const question = dialog(`Reset ${what} ${serial}`)
    await question.getByRole('button', { name: `Reset ${what}` }).click()
    await expectCount(question, 0)
  }
  return {
    ...{ address: isBoiler ? atBoiler : atHeatPump, command, at },
    ...{ route: isBoiler ? boilerReset : autofillReset, sent: { body: { tenant: 'northgate', deviceId: locked } } },
    answers: (way) => {
      const isLocked = way === undefined || !isDone(way)
      const lasting = { ...fault, deviceId: locked, faultSource: what, timestamp: secondsAgo(3600) }
      return [
        ...boilerPage(pageOf(isLocked)),
        answer(getBoilerFaults, isLocked ? [lasting] : []),
        commandsOf(locked, command, way),
      ]
    },
    ask: async () => {
      await at.getByRole('button', { name: `Reset ${what}` }).click()
      await confirm()
    },
    again: 'Reset again',
    confirmAgain: confirm,
    isSent: new RegExp(`Reset sent at .+ by ${person}\\. It stays locked out until the ${what} reports otherwise\\.`),
    fails: {
      refuse: new RegExp(`The ${what} refused the reset by ${person} at .+: Told to refuse\\.`),
      silent: new RegExp(`The ${what} did not answer the reset by ${person}, which expired at`),
      other: new RegExp(`The reset by ${person} at .+ did not help\\.`),
    },
    isDone: async (way, portal) => {
      await expectCount(at, 0)
      if (!isBoiler) await portal.go(`${atHeatPump}/connectedDevices?device=${autofill.deviceId}`)
      const last = card(`Reset ${what}`)
      await expect.element(last, loading).toMatchTextContent('Confirmed by the device')
      if (way === 'late') await expect.element(last).toMatchTextContent(answeredLate)
      await expect.element(last).toMatchTextContent(new RegExp(asked))
      if (!isBoiler) await portal.go(atHeatPump)
    },
  }
}

const answeredLate = /Expired at .+ At .+ the device answered anyway: it confirmed the command\./

interface Order {
  name: string
  address: string
  deviceId: string
  command: Pick<Command, 'name' | 'args'>
  route: Route
  sent: object
  page: (reported: Record<string, unknown>) => ServerAnswer[]
  before: Record<string, unknown>
  after: Record<string, unknown>
  ask: () => Promise<void>
  /** The text if a device confirms but does nothing. */
  other: RegExp
  takenBack: RegExp
}

/** A command to a light or repeater, shown below the page header. */
function order({
  name,
  address,
  deviceId,
  command,
  route,
  sent,
  page: show,
  before,
  after,
  ask,
  ...texts
}: Order): Case {
  const at = card(name)
  const isTest = command.name === 'runTest'
  return {
    ...{ address, command, route, sent, at, ask, takenBack: texts.takenBack },
    answers: (way, takenBack) => [
      ...show(way !== undefined && isDone(way) ? after : before),
      answer(getDeviceCommands, () => {
        if (way === undefined) return []
        const life = commandAfter(way, command)
        const withdrawnBy = takenBack ? { withdrawnAt: secondsAgo(10), withdrawnBy: person } : {}
        return [{ ...life, reportedTest: isTest ? isDone(way) : null, ...withdrawnBy }]
      }),
    ],
    isSent: new RegExp(
      `${isTest ? '' : waiting}.*Sent at .+, not answered yet\\. A sent command cannot be withdrawn.+${asked}`,
    ),
    fails: { refuse: /Refused at .+: Told to refuse\./, silent: new RegExp(expired), other: texts.other },
    isDone: async (way) => {
      await expect.element(at).toMatchTextContent(way === 'late' ? answeredLate : /Confirmed at/)
      await expect.element(at).toMatchTextContent(/State confirmed|Confirmed by the device/)
      await expectCount(at.getByRole('button'), 0)
      await expect.element(at).toMatchTextContent(new RegExp(asked))
    },
  }
}

const network = (of: 'light' | 'repeater', joins: boolean): Case => {
  const name = joins ? 'Join Network' : 'Leave Network'
  const deviceId = of === 'light' ? idOf(1) : idOf(3)
  return order({
    ...{
      name,
      deviceId,
      address: `/northgate/${of === 'light' ? 'EmergencyLights' : 'NetworkingDevices'}/${deviceId}`,
    },
    command: { name: joins ? 'joinNetwork' : 'leaveNetwork', args: {} },
    route: joins ? repeaterJoinNetwork : emeredLeaveNetwork,
    sent: { body: { tenant: 'northgate', deviceId } },
    page: (reported) =>
      of === 'light'
        ? lightPage(aLight({ deviceId, reported }))
        : gatewayPage(aGateway({ deviceId, productId: 'ZR', reported })),
    before: { networkJoined: !joins },
    after: { networkJoined: joins },
    ask: () => act(headMenu, name),
    other: new RegExp(`Confirmed at .+The device reports that it is ${joins ? 'not in' : 'in'} the network\\.`),
    takenBack: new RegExp(`Refused at .+ Taken back at .+ by ${person}\\.`),
  })
}

const flickTest = order({
  ...{ name: 'Flick test', deviceId: idOf(1), address: `/northgate/EmergencyLights/${idOf(1)}` },
  command: { name: 'runTest', args: { testType: 'T0' } },
  route: runT0Test,
  sent: { form: { tenant: 'northgate', deviceId: idOf(1) } },
  page: (reported) => lightPage(aLight({ reported })),
  ...{ before: {}, after: {} },
  ask: () => page.getByRole('button', { name: 'Flick test' }).click(),
  other: /The light accepted the command at .+, but has reported no test since\./,
  takenBack: new RegExp(`Refused at .+ Taken back at .+ by ${person}\\.`),
})

const cases: Record<string, [Case, string?]> = {
  'CH max': [temperature('chMax', 'CH max', 60, 52)],
  'DHW set point': [temperature('dhwSetPoint', 'DHW set point', 48, 60)],
  buzzer: [toggle('buzzer'), ' [dev-4heat-7 dev-4heat-8 dev-4heat-9 dev-4heat-10]'],
  'CH limit': [toggle('chLimit'), ' [dev-4heat-7 dev-4heat-8 dev-4heat-11 dev-4heat-12]'],
  'boiler reset': [reset('boiler')],
  'heat saviour': [relay('1', 'Air source heat pump', true)],
  'immersion heater': [relay('2', 'Immersion heater', false)],
  'autofill reset': [reset('autofill')],
  'leaving the network': [network('light', false)],
  'joining the network': [network('repeater', true)],
  'flick test': [flickTest],
}

for (const [name, [one, ids = '']] of Object.entries(cases))
  test(`${name}: the page shows that it was sent, refused, not answered, done differently, done and done late, and asks again only where it came to nothing${ids}`, async () => {
    const { address, command, route, sent, answers, at, ask, again = 'Try again', fails } = one
    const { commandId } = commandAfter('sent', command)
    const asked = { status: 'queued', commandId, version: 2 } as const
    const isRelay = route === patchPowerSwitchSettings
    const portal = await openPortal(address, {
      answers: [
        ...answers(),
        isRelay ? answer(patchPowerSwitchSettings, { commands: [] }) : answer(route as typeof boilerReset, asked),
      ],
    })
    /** Shows the page after the device's reaction. */
    const turnTo = async (way: Way, takenBack?: boolean) => {
      portal.use(...answers(way, takenBack))
      await queryClient.invalidateQueries()
    }
    const askAgain = async () => {
      const before = portal.sentTo(route).length
      await at.getByRole('button', { name: again }).click()
      await one.confirmAgain?.()
      await expect.poll(() => portal.sentTo(route).length).toBe(before + 1)
    }
    await expect.element(page.getByRole('heading', { level: 1 }), loading).toBeVisible()
    await expect.element(card('Location'), loading).toBeVisible()
    await ask(portal)
    await expect.poll(() => portal.sentTo(route)).toMatchObject([sent])
    await turnTo('sent')
    await expect.element(at, loading).toMatchTextContent(one.isSent)
    await expectCount(at.getByRole('button', { name: again }), 0)
    for (const failure of ['refuse', 'silent', 'other'] as const) {
      await turnTo(failure)
      await expect.element(at, loading).toMatchTextContent(fails[failure])
      if (one.takenBack && failure === 'refuse') {
        const takeBack = answer(takeBackCommand, () => {
          portal.use(...answers('refuse', true))
          return commandAfter('refuse', command)
        })
        portal.use(takeBack)
        await at.getByRole('button', { name: 'Take back' }).click()
        await expect.element(at).toMatchTextContent(one.takenBack)
        await expectCount(at.getByText(waiting), 0)
        await expect.poll(() => portal.sentTo(takeBackCommand)).toMatchObject([{ body: { commandId } }])
        await turnTo('refuse')
        await expect.element(at).toMatchTextContent(fails.refuse)
      }
      await askAgain()
    }
    for (const way of ['confirm', 'late'] as const) {
      await turnTo(way)
      await one.isDone(way, portal)
      await turnTo('sent')
      await expect.element(at, loading).toMatchTextContent(one.isSent)
    }
  })

test('a reset that the boiler confirmed has a minute to show that it helped', async () => {
  const { address, command, answers, at } = cases['boiler reset']![0]
  const justNow = { ...commandAfter('other', command), answeredAt: secondsAgo(20) }
  await openPortal(address, { answers: [...answers('other'), answer(getDeviceCommands, [justNow])] })
  await expect.element(at, loading).toMatchTextContent(cases['boiler reset']![0].isSent)
  await expect.element(at.getByRole('button', { name: 'Sending ...' })).toBeDisabled()
})

test.each(Object.entries(toggles))(
  'the toggle of %s is turned off by the same button [dev-4heat-7 dev-4heat-8 dev-4heat-9 dev-4heat-10 dev-4heat-11 dev-4heat-12]',
  async (setting, { label, route, inactive, active }) => {
    const isOn = (desired: boolean | null, reported: boolean) =>
      boilerPage({
        ...boiler,
        settings: { ...settings, [setting]: { desired, reported } },
        reported: { ...boiler.reported, [setting]: reported },
      })
    const portal = await openPortal(atBoiler, { answers: isOn(true, true) })
    const row = card('Heating settings')
      .getByCss('dl > div')
      .filter({ hasText: new RegExp(`^${label}`) })
    const button = row.getByCss('button[aria-pressed]')
    await expect.element(button, loading).toHaveTextContent(active)
    await expect.element(button).toHaveAttribute('aria-pressed', 'true')
    const pending = hold(route)
    portal.use(pending)
    await button.click()
    await expect.element(button).toHaveTextContent('Sending ...')
    portal.use(...isOn(false, true))
    pending.release()
    // The switch stays on until the device reports off.
    await expect.element(row).toMatchTextContent(waiting)
    await expect.element(button).toHaveTextContent(active)
    await expect.element(button).toHaveAttribute('aria-pressed', 'true')
    portal.use(...isOn(false, false))
    await queryClient.invalidateQueries()
    await expect.element(button).toHaveTextContent(inactive)
    await expect.element(button).toHaveAttribute('aria-pressed', 'false')
    await expect.poll(() => portal.sentTo(route)).toMatchObject([{ body: { isLimited: false } }])
  },
)
