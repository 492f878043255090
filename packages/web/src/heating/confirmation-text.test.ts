import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Command } from '@caretaker/contract/lighting.ts'
import { confirmedText, waitingText, needsAttention } from './confirmation-text.ts'

const noon = Date.parse('2026-11-20T12:00:00Z')
const at = (seconds: number) => new Date(noon + seconds * 1000).toISOString()
const command = (bend: Partial<Command> = {}): Command => ({
  ...{ commandId: 'c', name: 'setChMax', args: { chSetPoint: 68 }, status: 'sent', message: null },
  ...{ requestedBy: 'Tom Ashworth', createdAt: at(0), sentAt: at(1), answeredAt: null, expiresAt: at(900) },
  ...{ withdrawnAt: null, withdrawnBy: null, lateAnswer: null, reportedTest: null },
  ...bend,
})
const waitingFor = (bend: Partial<Command>, now: number, connected = true) =>
  waitingText(command(bend), {
    ...{ connected, now: noon + now * 1000, zone: 'Europe/London', reported: '60 °C' },
    time: (iso) => iso.slice(11, 16),
  })

test('a waiting command shows its age and, after five minutes, possible causes', () => {
  assert.equal(waitingFor({}, 15), 'Sent 14 s ago by Tom Ashworth. The device still reports 60 °C.')
  assert.equal(
    waitingFor({ status: 'queued', sentAt: null }, 15, false),
    'Not sent yet. The device is not connected. The device still reports 60 °C. Requested by Tom Ashworth at 12:00.',
  )
  assert.equal(
    waitingFor({}, 360, false),
    'No answer for 6 min. The device is not connected. The device still reports 60 °C. Requested by Tom Ashworth at 12:00.',
  )
  assert.equal(
    waitingFor({ status: 'failed', answeredAt: at(2), message: 'Busy' }, 15),
    'Refused at 12:00: Busy. The device still reports 60 °C. Requested by Tom Ashworth at 12:00.',
  )
  assert.equal(
    waitingFor({ status: 'confirmed', answeredAt: at(2) }, 15),
    'Confirmed at 12:00, but the device reports 60 °C. Requested by Tom Ashworth at 12:00.',
  )
  // The device reports its state after confirming, so a short difference is normal.
  assert.equal(
    waitingFor({ status: 'confirmed', answeredAt: at(12) }, 15),
    'Confirmed 3 s ago. The device still reports 60 °C. Requested by Tom Ashworth at 12:00.',
  )
  const worried = (bend: Partial<Command>, now: number) => needsAttention(command(bend), noon + now * 1000)
  assert.deepEqual(
    [
      ...[worried({}, 299), worried({}, 301), worried({ status: 'failed' }, 1), worried({}, 900)],
      ...[3, 12].map((seconds) => worried({ status: 'confirmed', answeredAt: at(2) }, seconds)),
    ],
    [false, true, true, true, false, true],
  )
})

test('a confirmed value shows since when and who requested it, if known', () => {
  const confirmedFor = (bend: Partial<Command>, chMax = 68) =>
    confirmedText(command(bend), { state: { chMax }, value: `${chMax} °C`, time: (iso) => iso.slice(11, 19) })
  const done = { status: 'confirmed', answeredAt: at(4) } as const
  assert.equal(confirmedFor(done), '68 °C since 12:00:04, requested by Tom Ashworth')
  assert.equal(confirmedFor({ ...done, requestedBy: null }), '68 °C since 12:00:04')
  assert.equal(
    confirmedFor({ ...done, status: 'expired', lateAnswer: 'confirmed' }),
    '68 °C since 12:00:04, requested by Tom Ashworth',
  )
  // Changed without an answer, so the time is unknown.
  assert.equal(confirmedFor({ status: 'expired' }), 'Requested by Tom Ashworth at 12:00:00')
  // The report is about something other than the command.
  assert.equal(confirmedFor(done, 60), undefined)
  assert.equal(confirmedFor({ ...done, withdrawnAt: at(9) }), undefined)
})
