import assert from 'node:assert/strict'
import { test } from 'vitest'
import { localTime } from '../calendar/days.ts'
import type { CommandLife } from '../commands/life.ts'
import type { HomeDevice } from './void.ts'
import {
  commandFor,
  effectStanding,
  firingStanding,
  fitFor,
  formerMax,
  isPowerSenseF,
  lockedOutIn,
  nextFiring,
  voidPlan,
} from './void.ts'

const device = (bend: Partial<HomeDevice> = {}): HomeDevice => ({
  deviceId: bend.serialNumber ?? 'bcm',
  serialNumber: 'BX1000001A',
  product: 'BX',
  model: '1',
  status: 'Ok',
  monitoring: 'Boiler',
  reported: { chMax: 60 },
  lockedOutSince: null,
  ...bend,
})
const meter = device({ deviceId: 'f', serialNumber: 'PMF000001B', product: 'PM', model: 'F', monitoring: null })
const plan = (isVoid: boolean, devices: HomeDevice[], former: [string, number | null][] = [['bcm', 60]]) =>
  voidPlan(isVoid, devices, new Map(former)).map(({ effect, applies, title }) => [effect, applies, title])

test('void mode limits heating, fires the boiler, cuts electricity and mutes alerts, and release reverses each', () => {
  assert.deepEqual(plan(true, [device(), meter]), [
    ['heating', true, 'Heating limited to 10 °C'],
    ['firing', true, 'Boiler fires every Monday at 9am for 5 minutes'],
    ['electricity', true, 'Electricity is switched off'],
    ['alerts', true, 'Device alerts muted, except frost, leak and carbon monoxide'],
  ])
  assert.deepEqual(plan(false, [device(), meter]), [
    ['heating', true, 'Heating maximum back to 60 °C'],
    ['firing', true, 'Boiler no longer fires on Mondays'],
    ['electricity', true, 'Electricity stays off until an engineer comes'],
    ['alerts', true, 'Device alerts active again'],
  ])
})

test('a property with all boilers locked out is promised no firing and warned of frost', () => {
  const locked = device({ lockedOutSince: 5 })
  const other = device({ deviceId: 'other', serialNumber: 'BX1000002B' })
  const firing = (devices: HomeDevice[], isVoid = true) =>
    voidPlan(isVoid, devices, new Map()).find(({ effect }) => effect === 'firing')!
  assert.deepEqual(
    [firing([locked]).applies, firing([locked]).title],
    [false, 'Boiler locked out: no firing, frost risk'],
  )
  assert.match(firing([locked]).text, /^BX1000001A\. Until the lockout ends, the property is not heated/)
  assert.equal(firing([locked, other]).title, 'Boiler fires every Monday at 9am for 5 minutes')
  assert.equal(firing([locked], false).title, 'Boiler no longer fires on Mondays')
  const ids = (devices: HomeDevice[]) => lockedOutIn(devices).map(({ deviceId }) => deviceId)
  assert.deepEqual(ids([locked, other]), ['bcm'])
  assert.deepEqual(ids([{ ...locked, status: 'Inventory' }]), [])
  assert.deepEqual(ids([{ ...locked, monitoring: 'None' }]), [])
})

test('a planned firing is blocked while its boiler is locked out', () => {
  assert.deepEqual(firingStanding('due', undefined, 0, false), { standing: 'planned', reason: null })
  assert.deepEqual(firingStanding('due', undefined, 0, true), {
    standing: 'blocked',
    reason: 'The boiler is locked out. It fires only if the lockout ends before then.',
  })
  assert.equal(firingStanding('missed', undefined, 0, true).standing, 'missed')
})

test('an effect that does not apply to a property states the reason', () => {
  const planTexts = (devices: HomeDevice[], isVoid = true) =>
    voidPlan(isVoid, devices, new Map()).map(({ title, text }) => `${title}: ${text}`)
  assert.deepEqual(planTexts([]), [
    'Heating stays as it is: This property has no boiler.',
    'No boiler to fire: This property has no boiler that can be fired.',
    'Electricity stays on: This property has no PowerSense F.',
    'No alerts to mute: This property has no devices.',
  ])
  const pump = device({ monitoring: 'HeatPump', reported: { chMaxSupported: false } })
  assert.deepEqual(planTexts([pump]).slice(0, 2), [
    'Heating stays as it is: BX1000001A has no heating maximum setting.',
    'No boiler to fire: BX1000001A belongs to a heat pump, which is not fired.',
  ])
  assert.match(planTexts([device({ status: 'Inventory' })])[0]!, /is not installed/)
  assert.match(planTexts([device({ monitoring: 'None' })])[1]!, /surveyor cube/)
  assert.equal(
    planTexts([device()], true)[0],
    'Heating limited to 10 °C: Heating maximum set point. Its current value is unknown, so it cannot be restored automatically.',
  )
  assert.equal(
    planTexts([device()], false)[0],
    'Heating maximum must be set by hand: The previous value of BX1000001A is unknown.',
  )
})

test('only a power meter of model F is a PowerSense F', () => {
  const is = [
    meter,
    { product: 'PM', model: 'A' },
    { product: 'PS', model: 'F' },
    { product: 'BX', model: 'F' },
  ] as const
  assert.deepEqual(is.map(isPowerSenseF), [true, false, false, false])
  assert.deepEqual(fitFor('electricity', device()), { applies: false, why: null })
})

test('the previous maximum is the desired value, else the reported one, never the ten degrees of void mode', () => {
  const cases: [object, object, number | null, number | null][] = [
    [{ chMax: 60 }, { chMax: 55 }, null, 60],
    [{}, { chMax: 55 }, null, 55],
    [{}, {}, null, null],
    [{ chMax: 10 }, { chMax: 10 }, 60, 60],
    [{ chMax: 10 }, { chMax: 55 }, 60, 60],
    [{}, { chMax: 10 }, 60, 60],
  ]
  for (const [desired, reported, kept, former] of cases)
    assert.equal(formerMax({ desired: { ...desired }, reported: { ...reported } }, kept), former)
  assert.deepEqual(commandFor('heating', true, 60), { name: 'setChMax', args: { chSetPoint: 10 } })
  assert.deepEqual(commandFor('heating', false, 60), { name: 'setChMax', args: { chSetPoint: 60 } })
  assert.equal(commandFor('heating', false, null), undefined)
  assert.deepEqual(commandFor('electricity', false, null), { name: 'setSupplyHold', args: { isHeld: false } })
})

test("an effect is confirmed by the device's report, whatever it answered", () => {
  const now = Date.parse('2026-11-23T12:00:00Z')
  const command = (status: CommandLife['status'], expiresAt = '2026-11-23T12:10:00Z'): CommandLife => ({
    ...{ name: 'setChMax', args: { chSetPoint: 10 }, status, message: null, sentAt: null, answeredAt: null },
    ...{ expiresAt, withdrawnAt: null, withdrawnBy: null, lateAnswer: null },
  })
  const standings = [
    ['queued', 60, 'asked'],
    ['sent', 60, 'asked'],
    ['confirmed', 60, 'asked'],
    ['confirmed', 10, 'confirmed'],
    ['sent', 10, 'confirmed'],
    ['failed', 60, 'refused'],
    ['expired', 60, 'not delivered'],
    ['withdrawn', 60, 'not delivered'],
  ] as const
  for (const [status, chMax, standing] of standings)
    assert.equal(effectStanding(command(status), { chMax }, now), standing, status)
  assert.equal(effectStanding(command('sent', '2026-11-23T11:59:00Z'), { chMax: 60 }, now), 'not delivered')
})

test("the next firing is the following Monday 9am in the client's zone, also in weeks of clock changes", () => {
  const cases = [
    // Sunday, and Monday before, at and after nine.
    ['2026-11-22T12:00:00Z', '2026-11-23T09:00:00.000Z'],
    ['2026-11-23T08:59:59Z', '2026-11-23T09:00:00.000Z'],
    ['2026-11-23T09:00:00Z', '2026-11-30T09:00:00.000Z'],
    ['2026-11-24T00:00:00Z', '2026-11-30T09:00:00.000Z'],
    // Clocks go forward on 29 March and back on 25 October.
    ['2026-03-28T12:00:00Z', '2026-03-30T08:00:00.000Z'],
    ['2026-10-19T12:00:00Z', '2026-10-26T09:00:00.000Z'],
  ] as const
  for (const [after, at] of cases)
    assert.equal(new Date(nextFiring(Date.parse(after), 'Europe/London').at).toISOString(), at)
})

test('in every zone, for twenty years, each Monday has one firing, at nine local time [est-4-42]', () => {
  const zones = Intl.supportedValuesOf('timeZone')
  const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2046, 0, 1)]
  for (const zone of zones)
    for (let { monday, at } = nextFiring(from, zone); at < to;) {
      const clock = new Date(localTime(at, zone))
      assert.equal(clock.getUTCDay(), 1, `${zone} ${monday}`)
      assert.equal(clock.toISOString().slice(0, 19), `${monday}T09:00:00`, zone)
      const next = nextFiring(at, zone)
      assert.equal(Date.parse(next.monday) - Date.parse(monday), 7 * 86_400_000, `${zone} ${monday}`)
      ;({ monday, at } = next)
    }
})
