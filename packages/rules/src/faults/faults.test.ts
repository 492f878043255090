import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { KnownFault, Reset } from './faults.ts'
import {
  alarmFault,
  boilerFaultSources,
  cameFirst,
  endedBy,
  faultMeaning,
  faultTitle,
  lanesOf,
  lastHeld,
  noResetText,
  openFaults,
  resetStanding,
  timeInFault,
  timesLately,
  timesText,
} from './faults.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = Date.UTC(2026, 10, 21, 12)
const iso = (at: number) => new Date(at).toISOString()

/** A boiler lockout that began `ago` days ago; if it has no length, it is still active. */
const fault = (ago: number, lasted?: number, more: Partial<KnownFault> = {}): KnownFault => ({
  faultCode: 'EA',
  description: 'Flame not detected',
  timestamp: iso(now - ago),
  faultSource: 'boiler',
  isResettable: true,
  deviceId: 'boiler',
  endedAt: lasted === undefined ? null : iso(now - ago + lasted),
  ...more,
})
const autofill = { faultCode: 'AF1', faultSource: 'autofill', deviceId: 'autofill' } as const
const reset = (ago: number, more: Partial<Reset> = {}): Reset => ({
  name: 'resetBoiler',
  status: 'confirmed',
  message: null,
  createdAt: iso(now - ago),
  requestedBy: 'Tom Ashworth',
  sentAt: iso(now - ago),
  answeredAt: iso(now - ago + 4000),
  expiresAt: iso(now - ago + 5 * minute),
  withdrawnAt: null,
  withdrawnBy: null,
  lateAnswer: null,
  ...more,
})

test('a fault belongs to the boiler or the autofill [dev-3ent-24]', () => {
  assert.deepEqual(boilerFaultSources, ['boiler', 'autofill'])
})

test('boiler faults come before autofill faults, then the longest; a cleared fault is no alarm', () => {
  const [old, fresh, filling] = [
    fault(2 * hour),
    fault(hour, undefined, { faultCode: 'F9' }),
    fault(day, undefined, autofill),
  ]
  assert.deepEqual(openFaults([fresh, filling, fault(day, hour), old]), [old, fresh, filling])
  assert.equal(alarmFault(openFaults([fault(day, hour)])), undefined)
  assert.equal(alarmFault([old, fresh]), old)
  assert.equal(alarmFault([fault(hour, undefined, { faultCode: 'None' }), old]), undefined)
})

test('a fault title states lockout, source, code and description', () => {
  for (const [more, title] of [
    [{}, 'Lockout EA – flame not detected'],
    [{ isResettable: false, faultCode: 'F9', description: 'Fan speed.' }, 'Fault F9 – fan speed'],
    [
      { ...autofill, description: 'Autofill lockout: the pressure was not reached' },
      'Autofill lockout AF1 – the pressure was not reached',
    ],
    [{ description: 'Ignition lockout: no flame' }, 'Lockout EA – no flame'],
    [{ description: 'DHW sensor' }, 'Lockout EA – DHW sensor'],
    [{ description: null }, 'Lockout EA'],
  ] as const)
    assert.equal(faultTitle(fault(0, undefined, more)), title)
  const meanings = [
    faultMeaning(fault(0)),
    faultMeaning(fault(0, undefined, { isResettable: false })),
    faultMeaning(fault(0, undefined, autofill)),
  ]
  assert.equal(new Set(meanings).size, 3)
})

test('the last 30 days count all lockouts including this one, and for other faults those with the same code', () => {
  const lasting = fault(hour)
  const before = [fault(3 * day, hour), fault(19 * day, hour, { faultCode: 'F28' }), fault(31 * day, hour)]
  const others = [fault(2 * day, hour, autofill), fault(5 * day, hour, { isResettable: false, faultCode: 'E119' })]
  assert.equal(timesLately(lasting, [lasting, ...before, ...others], now), 3)
  const pressure = fault(hour, undefined, { isResettable: false, faultCode: 'E119' })
  assert.equal(timesLately(pressure, [pressure, ...before, ...others], now), 2)
  assert.deepEqual(
    [1, 3, 10, 11].map((times) => timesText(times, lasting)),
    ['First lockout', 'Third lockout', 'Tenth lockout', '11 lockouts'],
  )
  assert.equal(timesText(2, pressure), 'Second fault')
})

test('a fault is ended by the reset that the device confirmed shortly before it reported the end', () => {
  const over = fault(day, 5 * hour)
  const end = day - 5 * hour
  const early = reset(end + hour)
  const last = reset(end + 2 * minute)
  assert.equal(endedBy(over, [reset(hour), last, early]), last)
  assert.equal(endedBy(over, [early]), undefined, 'it held on for an hour more')
  assert.equal(endedBy(over, [reset(end + 2 * minute, { status: 'failed' })]), undefined)
  assert.equal(endedBy(fault(day), [last]), undefined, 'it lasts')
  const late = reset(end + 10 * minute, {
    status: 'expired',
    lateAnswer: 'confirmed',
    answeredAt: iso(now - end - minute),
  })
  assert.equal(endedBy(over, [late]), late)
})

test('the state of a lockout follows its last reset until the device reports', () => {
  const lasting = fault(4 * hour)
  const unanswered = { status: 'sent', answeredAt: null } as const
  for (const [what, resets, state] of [
    ['nobody has tried', [], 'untried'],
    ['it held for days', [reset(3 * day)], 'untried'],
    ['on its way', [reset(minute, unanswered)], 'sending'],
    ['not sent yet', [reset(minute, { status: 'queued', sentAt: null, answeredAt: null })], 'sending'],
    ['done, and the device has still to report it', [reset(10_000)], 'sending'],
    ['done, and nothing has changed', [reset(5 * minute)], 'no help'],
    ['refused', [reset(minute, { status: 'failed', message: 'Not now' })], 'refused'],
    ['its time is over though nobody wrote it down', [reset(6 * minute, unanswered)], 'unanswered'],
    ['expired', [reset(hour, { status: 'expired', answeredAt: null })], 'unanswered'],
    ['an earlier lockout was refused', [reset(day, { status: 'failed' })], 'untried'],
    ['taken back', [reset(minute, { status: 'withdrawn', answeredAt: null, withdrawnAt: iso(now) })], 'untried'],
  ] as const) {
    const standing = resetStanding(lasting, resets, now)
    assert.equal(standing.state, state, what)
    // The result of a reset always names the requester.
    if (standing.state !== 'untried') assert.equal(standing.by, 'Tom Ashworth', what)
  }
  assert.deepEqual(resetStanding(lasting, [reset(4 * hour + 44_000)], now), {
    state: 'no help',
    at: iso(now - 4 * hour - 40_000),
    by: 'Tom Ashworth',
    again: 40_000,
  })
})

test('the previous reset shows how long it worked', () => {
  const before = reset(3 * day)
  assert.deepEqual(lastHeld(fault(hour), [reset(minute), reset(2 * day, { status: 'failed' }), before]), {
    reset: before,
    held: 3 * day - hour - 4000,
  })
  assert.equal(lastHeld(fault(hour), [reset(minute)]), undefined)
})

test('a reset that cannot work is not offered, and the reason is shown', () => {
  const can = { remoteReset: true, belowHomeHub: false, isFound: true }
  assert.equal(noResetText(fault(0), can), undefined)
  assert.match(noResetText(fault(0, undefined, { isResettable: false }), can)!, /at the boiler\.$/)
  assert.match(noResetText(fault(0), { ...can, remoteReset: false })!, /cannot be reset remotely/)
  assert.equal(noResetText(fault(0, undefined, autofill), { ...can, remoteReset: false }), undefined)
  assert.match(noResetText(fault(0, undefined, autofill), { ...can, belowHomeHub: true })!, /connected to a home hub/)
  assert.match(noResetText(fault(0, undefined, autofill), { ...can, isFound: false })!, /at the autofill\.$/)
})

test('lanes by code show active faults first, then the most recent', () => {
  const faults = [
    fault(hour),
    fault(2 * day, hour, autofill),
    fault(3 * day, hour),
    fault(day, hour, { faultCode: 'E119' }),
  ]
  assert.deepEqual(
    lanesOf(faults).map((lane) => [lane.faultCode, lane.faults.length]),
    [
      ['EA', 2],
      ['E119', 1],
      ['AF1', 1],
    ],
  )
})

test('another fault that began before the first occurrence of the active one may be its cause', () => {
  const pressure = fault(20 * day, hour, { faultCode: 'E119' })
  assert.equal(cameFirst([fault(hour), fault(3 * day, hour), pressure]), pressure)
  assert.equal(cameFirst([fault(hour), pressure, fault(25 * day, hour)]), undefined)
  assert.equal(cameFirst([pressure]), undefined, 'nothing lasts')
  assert.equal(cameFirst([fault(hour)]), undefined)
})

test('time in fault counts each moment once, within the range', () => {
  const faults = [
    fault(2 * hour),
    fault(3 * hour, 2 * hour, autofill),
    fault(40 * day, 11 * day),
    fault(10 * hour, hour),
  ]
  assert.equal(timeInFault(faults, now - 30 * day, now), 3 * hour + hour + day)
  assert.equal(timeInFault([], now - day, now), 0)
})
