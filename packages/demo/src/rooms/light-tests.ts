import { familyOf } from '@caretaker/rules/devices/products.ts'
import type { ComponentStates, TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { minutesOf, reasonOf, resultOf } from '@caretaker/rules/lighting/tests.ts'
import type { LitTime } from '@caretaker/rules/lighting/verdict.ts'
import { litOf } from '@caretaker/rules/lighting/verdict.ts'
import type { Chance } from '../chance.ts'
import { chanceOf, demoId, whole } from '../chance.ts'
import type { DemoDevice } from '../plan/device.ts'
import { day, hour, isInstalled, minute } from '../plan/device.ts'

export interface LightTest {
  eventId: string
  deviceId: string
  testType: TestType
  startedAt: number
  componentStates: ComponentStates
  result: TestResult
  reason: string
  series: { seconds: number; batteryVoltage: number }[]
  /** The duration that the light reports, in steps of two minutes (DALI part 202); null with a curve, and for a function test. */
  bits: { durationResult: number } | null
  /** How long the lamp was lit; null for a function test. */
  lit: LitTime | null
}

/** The defects of a light, which its tests reveal. */
interface Wear {
  battery: number
  /** The capacity that a worn battery has lost in the last year. */
  lossInYear: number
  lamp: number
  inverterFailed: boolean
}

/**
 * The tests of an emergency light, at night: T0 every month, T5 in most months, T60 twice a year and T180 once a year.
 * Covers two years, or only the latest test of each kind for a light without a history. The newest results match the
 * light's status.
 */
export function testsOf(light: DemoDevice, now: number, withCurves: boolean): LightTest[] {
  const { heardAt } = light.link
  if (heardAt === null || light.status === 'Installed') return []
  const chance = chanceOf(`${light.serial} tests`)
  const wear = wearOf(light)
  const planned = light.detail === 'none' ? latest(light, now, chance) : twoYears(light, now, chance)
  const tests = weakestLast(light, wear, planned, Math.min(now, heardAt), chance)
    .filter(({ at }) => at > light.createdAt && at < heardAt)
    .sort((a, b) => b.at - a.at)
  const seen = new Map<TestType, number>()
  // The longest duration, in minutes, that a newer test has proven. An older failure is over only if a test at least as
  // long has since passed.
  let shown = -1
  return tests.map(({ type, at }) => {
    const before = seen.get(type) ?? 0
    seen.set(type, before + 1)
    const age = now - at
    const states = statesOf(type, age, wear, chance, shown >= minutesOf[type])
    const result = resultOf(states)
    if (result === 'Passed') shown = Math.max(shown, minutesOf[type])
    const curve = withCurves && before < 2 && minutesOf[type] >= 60
    const lasts = newBattery * batteryAt(wear, age)
    const isShort = states.Battery === 'Failed'
    const series = curve ? discharge(minutesOf[type], lasts, isShort) : []
    const bits = curve || minutesOf[type] === 0 ? null : { durationResult: steps(minutesOf[type], lasts, isShort) }
    const { seconds, end } = litOf({ testType: type, componentStates: states, series, ...bits })
    return {
      // Numbered from the newest, so that the ids are the same whenever the demo is created.
      eventId: demoId(`${light.serial} ${type} ${before}`),
      deviceId: light.id,
      testType: type,
      startedAt: at,
      componentStates: states,
      result,
      reason: reasonOf(states),
      ...{ series, bits },
      lit: seconds === undefined ? null : { seconds, end },
    }
  })
}

/** The duration of a test in whole steps of two minutes, or of its lit part if the battery ended early. */
const steps = (asked: number, lasts: number, isShort: boolean) =>
  isShort ? Math.floor(Math.min(asked - 1, lasts) / 2) : Math.ceil(asked / 2)

function wearOf({ traits, story }: DemoDevice): Wear {
  const trait = (name: string, usual: number) => (typeof traits[name] === 'number' ? traits[name] : usual)
  return {
    battery: trait('batteryHealth', 1),
    lossInYear: story === 'failed T180' ? 0.29 : 0.5,
    lamp: trait('lampHealth', 1),
    inverterFailed: traits['inverterFailed'] === true,
  }
}

interface Planned {
  type: TestType
  at: number
}

/** Midnight of a day of the month, a number of months ago. */
function monthBefore(now: number, months: number, dayOfMonth: number): number {
  const today = new Date(now)
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - months, dayOfMonth)
}

/** The lights of a property or building are tested in the same nights. */
function nightOf(light: DemoDevice): { first: number; month: number; clock: number } {
  const chance = chanceOf(`${light.home} test nights`)
  return { first: whole(chance, 1, 7), month: whole(chance, 0, 11), clock: whole(chance, 0, 3) * hour + 30 * minute }
}

function twoYears(light: DemoDevice, now: number, chance: Chance): Planned[] {
  const { first, month, clock } = nightOf(light)
  const planned: Planned[] = []
  const thisMonth = new Date(now).getUTCMonth()
  for (let back = 24; back >= 0; back--) {
    const calendar = (thisMonth - (back % 12) + 12) % 12
    const long: TestType | undefined =
      calendar === month ? 'T180' : calendar === (month + 6) % 12 ? 'T60' : chance() < 0.9 ? 'T5' : undefined
    planned.push({ type: 'T0', at: monthBefore(now, back, first) + clock })
    if (long) planned.push({ type: long, at: monthBefore(now, back, first + 8) + clock })
  }
  return planned.filter(({ at }) => at < now - 12 * hour)
}

/** If the battery is worn, the light's last long test found it, and no test has passed since then. */
function weakestLast(light: DemoDevice, wear: Wear, tests: Planned[], end: number, chance: Chance): Planned[] {
  if (wear.battery >= worn) return tests
  const days = light.story === 'failed T180' ? 6 : whole(chance, 1, 20)
  const found = Math.floor(end / day - days) * day + 2 * hour
  const before = tests.filter(({ type, at }) => at < found - (type === 'T180' ? 200 : 0) * day)
  const yearBefore: Planned[] = light.story === 'failed T180' ? [{ type: 'T180', at: found - 364 * day }] : []
  const others = yearBefore.length ? before.filter(({ type }) => type !== 'T180') : before
  return [...others, ...yearBefore, { type: 'T180', at: found }]
}

function latest(light: DemoDevice, now: number, chance: Chance): Planned[] {
  const { first, clock } = nightOf(light)
  const back = new Date(now).getUTCDate() > first + 1 ? 0 : 1
  return [
    { type: 'T180', at: monthBefore(now, whole(chance, back + 1, 11), first + 8) + clock },
    { type: 'T0', at: monthBefore(now, back, first) + clock },
  ]
}

/** Minutes that a new battery lights the lamp; three hours are required. */
const newBattery = 240

/** A battery below this share of its original capacity is worn. */
const worn = 0.9

function batteryAt(wear: Wear, age: number): number {
  return wear.battery >= worn ? wear.battery : Math.min(0.96, wear.battery + (age / (365 * day)) * wear.lossInYear)
}

/** Lamps and inverters failed in the last month. Earlier, an intact light only had minor signs. */
function statesOf(type: TestType, age: number, wear: Wear, chance: Chance, isOver: boolean): ComponentStates {
  const states: ComponentStates = { Battery: 'Ok', Inverter: 'Ok', Lamp: 'Ok', Emered: 'Ok' }
  const minutes = minutesOf[type]
  const lasts = newBattery * batteryAt(wear, age)
  const drawn = age > 70 * day ? chance() : 1
  const sign = isOver ? drawn : 1
  if (wear.battery < worn) {
    if (lasts < minutes) states.Battery = 'Failed'
    else if (lasts < minutes * 1.08) states.Battery = 'Degraded'
  } else if (minutes > 0) {
    if (sign < 0.006) states.Battery = 'Failed'
    else if (sign < 0.025) states.Battery = 'Degraded'
  }
  const recent = age < 32 * day
  if ((recent && wear.lamp < 0.3) || (sign > 0.03 && sign < 0.034)) states.Lamp = 'Failed'
  if (recent && wear.inverterFailed) states.Inverter = 'Failed'
  return states
}

const cutOff = 3
/** The voltage of the pack while it lights the lamp, until the light goes out. */
function discharge(planned: number, battery: number, failed: boolean): LightTest['series'] {
  const lasts = failed ? Math.min(planned - 1, battery) : Math.max(planned + 2, battery)
  const points: LightTest['series'] = []
  for (let at = 0; at <= planned; at += planned / 60) {
    const used = Math.min(1, at / lasts)
    const knee = used > 0.86 ? ((used - 0.86) / 0.14) ** 2 * 0.52 : 0
    const voltage = 4.1 - 0.28 * (1 - Math.exp(-used * 14)) - 0.3 * used - knee
    points.push({ seconds: Math.round(at * 60), batteryVoltage: Math.round(Math.max(cutOff, voltage) * 1000) / 1000 })
    if (used >= 1) break
  }
  return points
}

/** Whether the device is a light with tests: not one in stock, or one that was just installed. */
export const isTested = (device: DemoDevice) => familyOf(device.product) === 'emered' && isInstalled(device.status)

/** When the newest of the tests started; undefined for other devices and untested lights. */
export function lastTestOf(device: DemoDevice, now: number, type?: TestType): Date | undefined {
  if (!isTested(device)) return undefined
  const times = testsOf(device, now, false)
    .filter((test) => type === undefined || (test.testType === type && test.result !== 'Indeterminate'))
    .map((test) => test.startedAt)
  return times.length ? new Date(Math.max(...times)) : undefined
}
