import assert from 'node:assert/strict'
import { test } from 'vitest'
import { faultSince, repairedAt, repairTimeFault, replacedText } from './repairs.ts'

const zone = 'Europe/London'
const at = (text: string) => Date.parse(`${text}Z`)
const now = at('2026-11-28T15:32')
const failed = at('2026-11-22T04:10')

test.each([
  ['later than now', { repairedOn: '2026-11-28', repairedTime: '16:00' }, 'The date cannot be in the future'],
  ['tomorrow', { repairedOn: '2026-11-29' }, 'The date cannot be in the future'],
  ['the day before the fault', { repairedOn: '2026-11-21' }, 'The repair cannot be before the fault on 22/11/2026'],
  [
    'an hour before the fault',
    { repairedOn: '2026-11-22', repairedTime: '03:10' },
    'The repair cannot be before the fault on 22/11/2026',
  ],
  ['the day of the fault', { repairedOn: '2026-11-22' }, undefined],
  ['the minute of the fault', { repairedOn: '2026-11-22', repairedTime: '04:10' }, undefined],
  ['today', { repairedOn: '2026-11-28' }, undefined],
] as const)('a repair %s', (_, time, fault) => {
  assert.equal(repairTimeFault(time, failed + 30_000, { now, zone }), fault)
})

test('without a fault a repair may be any time in the past', () => {
  assert.equal(repairTimeFault({ repairedOn: '2020-01-01' }, undefined, { now, zone }), undefined)
  assert.equal(
    faultSince([
      { kind: 'neverHeard', began: 1 },
      { kind: 'equipmentRepaired', began: 2 },
    ]),
    undefined,
  )
  assert.equal(
    faultSince([
      { kind: 'testFailed', began: 9 },
      { kind: 'deviceFault', began: 4 },
    ]),
    4,
  )
})

test('a repair with only a day was done by the end of it, and by now at the latest', () => {
  assert.equal(repairedAt({ repairedOn: '2026-11-27' }, { now, zone }), at('2026-11-28T00:00') - 1)
  assert.equal(repairedAt({ repairedOn: '2026-11-28' }, { now, zone }), now)
  assert.equal(
    repairedAt({ repairedOn: '2026-07-01', repairedTime: '12:00' }, { now, zone }),
    at('2026-07-01T11:00') + 59_999,
  )
})

test('replaced parts are listed with model and quantity', () => {
  const battery = { part: 'battery', model: 'NiCd stick, 3.6 V', quantity: 1 }
  assert.equal(replacedText([battery, { part: 'lamp', quantity: 2 }]), 'Battery (NiCd stick, 3.6 V), lamp ×2')
  assert.equal(replacedText([]), '')
})
