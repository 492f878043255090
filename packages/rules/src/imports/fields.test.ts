import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Field, Reading } from './fields.ts'
import { fields } from './fields.ts'
import { lookalikesAmong, referenceIn } from './keys.ts'

const reading: Reading = {
  header: '',
  words: {},
  asks: false,
  today: '2026-11-30',
  zone: 'Europe/London',
  dayOrder: null,
}
const cell = (text: string) => ({ kind: 'text', text }) as const

test('names and addresses shown in e-mails must not contain web addresses', () => {
  for (const id of ['address1', 'town', 'county', 'buildingName', 'floorName', 'room'] as const) {
    assert.deepEqual((fields[id] as Field).read(cell('http://evil.example/win'), reading), {
      reason: 'web-address',
      message: `${fields[id].label} must not contain a web address`,
    })
    assert.deepEqual((fields[id] as Field).read(cell('Mill House'), reading), { value: 'Mill House' })
  }
  const known = { stored: () => false, lookalikes: lookalikesAmong([]), allNumbers: false }
  assert.deepEqual(referenceIn(cell('evil.example/win'), known), {
    reason: 'web-address',
    message: 'Property reference must not contain a web address',
  })
})
