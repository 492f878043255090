import assert from 'node:assert/strict'
import { test } from 'vitest'
import { commandNames, commandStatuses } from './commands.ts'
import type { CommandLife } from './life.ts'
import {
  awaitsConfirmation,
  contradictionText,
  hasJustConfirmed,
  kindOf,
  lastOfEachKind,
  mayWithdraw,
  mayTryAgain,
  outcomeText,
  standing,
  statusAt,
} from './life.ts'

const noon = Date.parse('2026-11-20T12:00:00Z')
const later = noon + 30 * 60_000
const at = (minutes: number) => new Date(noon + minutes * 60_000).toISOString()
const command = (bend: Partial<CommandLife> = {}): CommandLife => ({
  name: 'joinNetwork',
  status: 'queued',
  message: null,
  sentAt: null,
  answeredAt: null,
  expiresAt: at(15),
  withdrawnAt: null,
  withdrawnBy: null,
  lateAnswer: null,
  ...bend,
})
const time = (iso: string) => iso.slice(11, 16)
const outcome = (bend: Partial<CommandLife>, connected?: boolean, now = noon) =>
  outcomeText(command(bend), { connected, now, time })
const sent = { status: 'sent', sentAt: at(0) } as const
const expired = { ...sent, status: 'expired' } as const
const failed = { ...sent, status: 'failed', answeredAt: at(1), message: 'No network in reach' } as const
const back = { withdrawnAt: at(20), withdrawnBy: 'Priya Nair' }

test('the outcome of every command is stated with its time', () => {
  assert.equal(outcome({}, true), 'Not sent yet. It is sent as soon as the device can receive it, until 12:15.')
  assert.equal(
    outcome({}, false),
    'Not sent yet: the device is not connected. It is sent when the device connects, until 12:15.',
  )
  assert.equal(
    outcome(sent),
    'Sent at 12:00, not answered yet. A sent command cannot be withdrawn; it expires at 12:15.',
  )
  assert.equal(outcome({ ...sent, status: 'confirmed', answeredAt: at(1) }), 'Confirmed at 12:01.')
  assert.equal(outcome(failed), 'Refused at 12:01: No network in reach.')
  assert.equal(outcome({ ...failed, message: null }), 'Refused at 12:01.')
  assert.equal(outcome({ status: 'expired' }), 'Not delivered: until 12:15 the device could not be reached.')
  assert.equal(outcome(expired), 'Expired at 12:15: it was sent at 12:00 and not answered.')
  assert.equal(outcome({ status: 'withdrawn', ...back }), 'Taken back at 12:20 by Priya Nair, before it was sent.')
  assert.equal(
    outcome({ ...failed, ...back }),
    'Refused at 12:01: No network in reach. Taken back at 12:20 by Priya Nair.',
  )
})

test('an undelivered command shows when the device was last heard', () => {
  const heard = (bend: Partial<CommandLife>, last: string | null) =>
    outcomeText(command(bend), { connected: true, heard: last, now: noon, time })
  assert.equal(
    heard({}, at(-13)),
    'Not sent yet. It is sent as soon as the device can receive it, until 12:15. It last reported at 11:47.',
  )
  assert.equal(
    heard({ status: 'expired' }, at(-13)),
    'Not delivered: until 12:15 the device could not be reached. It last reported at 11:47.',
  )
  assert.match(heard({ status: 'expired' }, null), / It has never reported\.$/)
  assert.equal(heard(expired, at(-13)), outcome(expired), 'one that was sent went somewhere')
})

test('a test command is confirmed only when the light reports a test', () => {
  const yes = { ...sent, name: 'runTest', status: 'confirmed', answeredAt: at(1), args: { testType: 'T0' } } as const
  assert.equal(
    outcome({ ...yes, reportedTest: false }),
    'The light accepted the command at 12:01, but has reported no test since.',
  )
  assert.equal(standing(command({ ...yes, reportedTest: false }), {}), 'Waiting for device confirmation')
  assert.equal(mayTryAgain(command({ ...yes, reportedTest: false }), {}, later), true)
  assert.equal(mayWithdraw(command({ ...yes, reportedTest: false }), {}), true)
  assert.equal(outcome({ ...yes, reportedTest: true }), 'Confirmed at 12:01.')
  assert.equal(standing(command({ ...yes, reportedTest: true }), {}), 'Confirmed by the device')
  const late = {
    ...expired,
    name: 'runTest',
    answeredAt: at(16),
    lateAnswer: 'confirmed',
    reportedTest: false,
  } as const
  assert.match(outcome(late), /anyway: it accepted the command, but has reported no test since\.$/)
})

test('connected and waiting to connect are never shown together', () => {
  for (const status of commandStatuses)
    assert.doesNotMatch(outcome({ status, sentAt: status === 'queued' ? null : at(0) }, true), /connect/, status)
})

test('a late answer is shown as such', () => {
  const late = { answeredAt: at(16), lateAnswer: 'confirmed' } as const
  assert.equal(
    outcome({ ...expired, ...late }),
    'Expired at 12:15: it was sent at 12:00 and not answered. At 12:16 the device answered anyway: it confirmed the command.',
  )
  assert.equal(awaitsConfirmation(command({ ...expired, ...late }), {}), false)
  assert.equal(mayTryAgain(command({ ...expired, ...late }), {}, noon), false)
  assert.match(outcome({ ...expired, ...late, lateAnswer: 'failed', message: 'Busy' }), /anyway: it refused: Busy\.$/)
})

test('a command past its lifetime is expired even if not stored as such', () => {
  assert.equal(statusAt(command(), noon + 14 * 60_000), 'queued')
  assert.equal(statusAt(command(), noon + 15 * 60_000), 'expired')
  assert.equal(statusAt(command({ status: 'withdrawn' }), noon + 15 * 60_000), 'withdrawn')
  assert.equal(outcome({}, true, noon + 16 * 60_000), 'Not delivered: until 12:15 the device could not be reached.')
})

test('the documented text stays until the device confirms or reports the state, or the command is withdrawn', () => {
  const waiting = 'Waiting for device confirmation'
  for (const bend of [{}, sent, expired, failed]) {
    assert.equal(standing(command(bend), {}), waiting)
    assert.equal(standing(command(bend), { networkJoined: false }), waiting)
    assert.equal(standing(command(bend), { networkJoined: true }), 'State confirmed')
    assert.equal(standing(command({ ...bend, ...back }), { networkJoined: false }), 'State confirmed')
  }
  assert.equal(standing(command({ ...sent, name: 'runTest' }), { networkJoined: true }), waiting)
  assert.equal(standing(command({ ...failed, name: 'runTest' }), {}), 'Refused by the device')
  assert.equal(standing(command({ ...expired, name: 'runTest' }), {}), 'Not confirmed')
  assert.equal(standing(command({ ...sent, name: 'leaveNetwork' }), { networkJoined: true }), waiting)
  assert.equal(standing(command({ ...sent, name: 'leaveNetwork' }), { networkJoined: false }), 'State confirmed')
  assert.equal(standing(command({ ...sent, status: 'confirmed' }), {}), 'State confirmed')
  assert.equal(standing(command({ status: 'confirmed', name: 'runTest' }), {}), 'Confirmed by the device')
  assert.equal(standing(command({ status: 'withdrawn', ...back, name: 'runTest' }), {}), 'Taken back')
})

test('a device that confirms but reports its old state has not confirmed', () => {
  for (const yes of [
    { status: 'confirmed', answeredAt: at(1) },
    { ...expired, answeredAt: at(16), lateAnswer: 'confirmed' },
  ] as const) {
    const join = command({ ...sent, ...yes })
    assert.equal(standing(join, { networkJoined: false }), 'Waiting for device confirmation')
    assert.deepEqual(
      [mayWithdraw(join, { networkJoined: false }), mayTryAgain(join, { networkJoined: false }, later)],
      [true, true],
    )
    assert.equal(
      contradictionText(join, { networkJoined: false }, later),
      'The device reports that it is not in the network.',
    )
    for (const reported of [{}, { networkJoined: true }]) {
      assert.equal(standing(join, reported), 'State confirmed')
      assert.equal(mayTryAgain(join, reported, later), false)
      assert.equal(contradictionText(join, reported, later), '')
    }
  }
  const leave = command({ ...sent, name: 'leaveNetwork', status: 'confirmed' })
  // A device reports its new state after the answer, so for a moment nothing contradicts it.
  const yes = command({ ...sent, status: 'confirmed', answeredAt: at(1) })
  for (const [seconds, just] of [
    [3, true],
    [12, false],
  ] as const) {
    const now = noon + (60 + seconds) * 1000
    assert.equal(hasJustConfirmed(yes, now), just)
    assert.equal(mayTryAgain(yes, { networkJoined: false }, now), !just)
    assert.equal(contradictionText(yes, { networkJoined: false }, now) === '', just)
  }
  assert.equal(
    contradictionText(leave, { networkJoined: true }, later),
    'The device reports that it is in the network.',
  )
  assert.equal(contradictionText(command(failed), { networkJoined: false }, later), '')
})

test('unsent and failed commands can be withdrawn once; sent and completed ones cannot', () => {
  const may = (bend: Partial<CommandLife>) => mayWithdraw(command(bend), {})
  assert.deepEqual(
    commandStatuses.filter((status) => may({ status })),
    ['queued', 'failed', 'expired'],
  )
  for (const status of commandStatuses) assert.equal(may({ status, ...back }), false)
  assert.deepEqual(
    commandStatuses.filter((status) => mayTryAgain(command({ status }), {}, noon)),
    ['failed', 'expired', 'withdrawn'],
  )
  assert.equal(mayTryAgain(command(failed), { networkJoined: true }, noon), false, 'it is what was asked for')
})

test('the last command of each kind determines the state', () => {
  const names = ['leaveNetwork', 'resetAutofill', 'joinNetwork', 'runTest', 'resetBoiler', 'runTest', 'later']
  const commands = names.map((name, index) => ({ name, index }))
  assert.deepEqual(
    lastOfEachKind(commands).map(({ index }) => index),
    [3, 0, 1],
  )
  assert.ok(commandNames.every((name) => kindOf(name)))
  assert.equal(kindOf('later'), undefined)
})
