import type { ComponentStates, TestType } from '@caretaker/rules/lighting/tests.ts'
import { resultOf, testTypes } from '@caretaker/rules/lighting/tests.ts'
import { emergencyBits, failureBits } from '@caretaker/rules/lighting/verdict.ts'
import { fraction, uuid, wander } from '../random.ts'
import type { Answer, Context, Model, Nature, Outcome, Readings, TestMessage } from './model.ts'
import { clamp, flag, measured, number } from './model.ts'
import { joinedAtFirst, joinNetwork, leaveNetwork } from './network.ts'
import { firmware } from './signal.ts'

interface RunningTest {
  eventId: string
  testType: TestType
  /** ms since the epoch */
  start: number
  /** How long the lamp has run from the battery, in seconds of test time. */
  seconds: number
  series: TestMessage['series']
  /** The group test run that its command belongs to. */
  runId?: string
}

export interface EmeredState {
  /** The charge as a share of what its battery can hold, 0 to 1. */
  charge: number
  test: RunningTest | undefined
  joined: boolean
}

/** Length of a test and sampling interval, in seconds. The short test only shows that the lamp lights. */
const plans: Record<TestType, { seconds: number; sample: number }> = {
  T0: { seconds: 10, sample: 1 },
  T5: { seconds: 300, sample: 5 },
  T60: { seconds: 3600, sample: 30 },
  T180: { seconds: 10_800, sample: 60 },
}

/** Minutes that a new battery lights the lamp: the required three hours plus a third for ageing. */
const newBattery = 240
/** The voltage of an empty pack under load, and the voltage below which a finished test left little reserve. */
const empty = 3
const weak = 3.4
const chargeHours = 12

/** The resting voltage of the pack (three nickel cells) at each charge. */
const restingCurve = [
  [0, 3],
  [0.05, 3.4],
  [0.2, 3.62],
  [0.5, 3.76],
  [0.8, 3.88],
  [0.95, 4],
  [1, 4.12],
] as const

function restingVoltage(charge: number): number {
  const above = restingCurve.findIndex(([at]) => at >= charge)
  if (above <= 0) return restingCurve[0][1]
  const [fromCharge, from] = restingCurve[above - 1]!
  const [toCharge, to] = restingCurve[above]!
  return from + ((charge - fromCharge) / (toCharge - fromCharge)) * (to - from)
}

function health(device: Nature): number {
  const usual = device.story === 'failed T180' ? 0.6 : 0.92 + fraction(`${device.deviceId} battery`) * 0.08
  return clamp(number(device, 'batteryHealth', usual), 0.02, 1)
}

function loadedVoltage(charge: number, device: Nature): number {
  return restingVoltage(charge) - 0.12 - 0.25 * (1 - health(device))
}

const lampHealth = (device: Nature) => clamp(number(device, 'lampHealth', 1), 0, 1)
const inverterFailed = (device: Nature) => flag(device, 'inverterFailed')

/** The power in W that the lamp draws from the battery, which is less than from the mains. */
function emergencyPower(charge: number, device: Nature): number {
  if (inverterFailed(device)) return 0
  return number(device, 'lampPower', 4) * 0.45 * lampHealth(device) * (loadedVoltage(charge, device) / 3.6)
}

function chargedFor(charge: number, seconds: number): number {
  // Charging is fast up to 90 %, then slower.
  const hours = seconds / 3600
  const fast = Math.min(hours, Math.max(0, 0.9 - charge) * chargeHours)
  return Math.min(1, charge + fast / chargeHours + (hours - fast) / (chargeHours * 3))
}

function componentsAfter(charge: number, complete: boolean, device: Nature): ComponentStates {
  if (inverterFailed(device)) return { Battery: 'Ok', Inverter: 'Failed', Emered: 'Ok' }
  const voltage = loadedVoltage(charge, device)
  return {
    Battery: !complete ? 'Failed' : voltage < weak ? 'Degraded' : 'Ok',
    Inverter: 'Ok',
    Lamp: lampHealth(device) < 0.3 ? 'Failed' : lampHealth(device) < 0.7 ? 'Degraded' : 'Ok',
    Emered: 'Ok',
  }
}

function message(test: RunningTest, rest: Partial<TestMessage>): TestMessage {
  const { eventId, testType, start, runId } = test
  return { eventId, testType, start, componentStates: {}, series: [], ...(runId && { runId }), ...rest }
}

/** Status bits of DALI part 202 after a test. */
function bitsAfter(testType: TestType, states: ComponentStates, charge: number): TestMessage['statusBits'] {
  const bit = (isSet: boolean, at: number) => (isSet ? 1 << at : 0)
  const isLong = testType === 'T180'
  const failed = Object.values(states).includes('Failed')
  const failure =
    bit(states.Inverter === 'Failed', failureBits.circuit) |
    bit(states.Battery === 'Failed', isLong ? failureBits.batteryDuration : failureBits.battery) |
    bit(states.Lamp === 'Failed', failureBits.lamp) |
    bit(failed && testType === 'T0', failureBits.functionTestFailed) |
    bit(failed && isLong, failureBits.durationTestFailed)
  const emergency =
    bit(testType === 'T0', emergencyBits.functionResultValid) |
    bit(isLong, emergencyBits.durationResultValid) |
    bit(isFull(charge), emergencyBits.batteryFull)
  return { failure, emergency }
}

const isFull = (charge: number) => charge >= 0.999

const thousandths = (value: number) => Math.round(value * 1000) / 1000

/** The driver keeps the lamp at this voltage. */
const lampVolts = 9
/** Lamp measurements while it runs from the battery; nothing is drawn from the mains. */
function lampAt(charge: number, device: Nature) {
  const power = emergencyPower(charge, device)
  const lit = power > 0 ? lampVolts : 0
  return {
    lampPower: thousandths(power),
    lampCurrent: thousandths(power / lampVolts),
    lampVoltage: lit,
    pLive: 0,
  }
}

/**
 * Runs the lamp from the battery for some seconds of the test and records the voltage, until the time is over or the
 * battery is empty.
 */
function discharged(state: EmeredState, test: RunningTest, seconds: number, device: Nature) {
  const plan = plans[test.testType]
  const end = Math.min(plan.seconds, test.seconds + seconds)
  const series = [...test.series]
  const drain = inverterFailed(device) ? 0 : 1 / (newBattery * 60 * health(device))
  let { charge } = state
  let at = test.seconds
  while (at < end) {
    const next = Math.min(end, (Math.floor(at / plan.sample) + 1) * plan.sample)
    charge = Math.max(0, charge - (next - at) * drain)
    at = next
    const voltage = loadedVoltage(charge, device)
    if (at % plan.sample === 0 || voltage <= empty)
      series.push({ seconds: Math.round(at), batteryVoltage: thousandths(voltage), ...lampAt(charge, device) })
    if (voltage <= empty && drain > 0) return { charge, test: { ...test, seconds: at, series }, over: true }
  }
  return { charge, test: { ...test, seconds: at, series }, over: at >= plan.seconds }
}

function readings(state: EmeredState, { device, now, random }: Context): Readings {
  const noise = (random() - 0.5) * 0.01
  if (state.test)
    return measured({
      batteryVoltage: loadedVoltage(state.charge, device) + noise,
      batteryLevel: state.charge * 100,
      chargeCurrent: inverterFailed(device) ? 0 : -420 + noise * 200,
      lampPower: emergencyPower(state.charge, device),
    })
  const maintained = flag(device, 'maintained')
  const full = isFull(state.charge)
  return measured({
    batteryVoltage: restingVoltage(state.charge) + (full ? 0.03 : 0.1) * wanderUp(device, now) + noise,
    batteryLevel: state.charge * 100,
    chargeCurrent: full ? 14 + noise * 100 : state.charge > 0.9 ? 60 : 180,
    lampPower: maintained ? number(device, 'lampPower', 4) * lampHealth(device) + noise * 4 : 0,
  })
}

/** The charger's voltage follows the ceiling temperature over the day. */
function wanderUp(device: Nature, now: number): number {
  return (1 + wander(`${device.deviceId} charger`, now, 6 * 3_600_000)) / 2
}

function reported(state: EmeredState, device: Nature) {
  return {
    firmware: firmware(device),
    runningTest: state.test?.testType ?? null,
    networkJoined: state.joined,
    ...supplied(state, device),
  }
}

const supplied = ({ charge, test }: EmeredState, device: Nature) => ({
  mains: !flag(device, 'mainsLost'),
  inhibited: flag(device, 'inhibited'),
  batteryFull: test === undefined && isFull(charge),
})

/** Real seconds between two steps of a running test: often enough to watch, without flooding the server. */
function pace(testType: TestType, speed: number): number {
  return testType === 'T0' ? 2 : clamp(plans[testType].sample / speed, 1, 60)
}

function step(state: EmeredState, context: Context): Outcome<EmeredState> {
  const { device, elapsed, speed } = context
  if (!state.test) {
    const idle = { ...state, charge: chargedFor(state.charge, elapsed * speed) }
    return { state: idle, readings: readings(idle, context), events: [], reported: reported(idle, device) }
  }
  const pass = state.test.testType === 'T0' ? elapsed : elapsed * speed
  const { charge, test, over } = discharged(state, state.test, pass, device)
  const running = { ...state, charge, test }
  if (!over)
    return {
      state: running,
      readings: readings(running, context),
      events: [],
      reported: reported(running, device),
      next: pace(test.testType, speed),
    }
  const componentStates = componentsAfter(charge, test.seconds >= plans[test.testType].seconds, device)
  const after = { ...state, charge, test: undefined }
  return {
    state: after,
    readings: readings(running, context),
    events: [],
    reported: reported(after, device),
    tests: [
      message(test, {
        // In accelerated time, the start is moved back by the duration of the test, so that the test does not end in the future.
        start: Math.min(test.start, context.now - Math.ceil(test.seconds) * 1000),
        componentStates,
        result: resultOf(componentStates),
        series: test.series,
        statusBits: bitsAfter(test.testType, componentStates, charge),
      }),
    ],
  }
}

function runTest(state: EmeredState, context: Context, args: Record<string, unknown>): Answer<EmeredState> {
  const testType = testTypes.find((type) => type === args['testType'])
  if (!testType) return { state, status: 'failed', message: `testType must be one of ${testTypes.join(', ')}` }
  if (state.test) return { state, status: 'failed', message: `${state.test.testType} is still running` }
  if (testType === 'T180' && !isFull(state.charge))
    return { state, status: 'failed', message: 'The battery is not full' }
  const runId = typeof args['runId'] === 'string' ? { runId: args['runId'] } : {}
  const test: RunningTest = {
    eventId: uuid(context.random),
    testType,
    start: context.now,
    seconds: 0,
    series: [],
    ...runId,
  }
  if (context.device.story === 'missed test' && (testType === 'T0' || testType === 'T180')) {
    // It accepts the command but never starts the test.
    const late = testType === 'T0' ? failureBits.functionTestDelayed : failureBits.durationTestDelayed
    return { state, status: 'confirmed', tests: [message(test, { statusBits: { failure: 1 << late, emergency: 0 } })] }
  }
  return {
    state: { ...state, test },
    status: 'confirmed',
    tests: [message(test, {})],
    next: pace(testType, context.speed),
  }
}

/** Stops the running test and returns the readings so far. */
function stopTest(state: EmeredState): Answer<EmeredState> {
  const { test } = state
  if (!test) return { state, status: 'failed', message: 'No test is running' }
  const stopped = message(test, { result: 'Indeterminate', series: test.series, endedBy: 'person' })
  return { state: { ...state, test: undefined }, status: 'confirmed', tests: [stopped] }
}

/** An emergency light with battery, charger, lamp and tests. */
export const emered: Model<EmeredState> = {
  start: ({ device }) => ({ charge: 1, test: undefined, joined: joinedAtFirst(device) }),
  step,
  commands: { runTest, stopTest, joinNetwork, leaveNetwork },
  interrupt: ({ test }) => (test ? [message(test, { result: 'Indeterminate', series: test.series })] : []),
}
