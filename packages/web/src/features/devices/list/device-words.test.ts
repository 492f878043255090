import assert from 'node:assert/strict'
import { test } from 'vitest'
import { listings, presetStatuses } from '@caretaker/rules/devices/list.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { chipsOf } from '../../../lists/filters/words.ts'
import { listFields } from '../../../lists/list-source.ts'
import { statusGroups } from '../../../ui/status-groups.ts'
import { deviceWords } from './device-words.ts'

const fields = listFields(listings.EmergencyLights, { role: 'Manager', features: [] })

test('Chips state field, relation and value in words; whole status groups and ranges are one chip', () => {
  const words = (filters: Filter[]) =>
    chipsOf(filters, fields, deviceWords).map(({ field: of, relation, value }) => `${of.label} ${relation} ${value}`)
  const status = (value: readonly string[]): Filter => ({ fieldId: 'status', filterOp: 'anyof', value })
  assert.deepEqual(words([status(presetStatuses.failed)]), ['Status is any of Failed, Device failed'])
  assert.deepEqual(words([status(presetStatuses.warning)]), ['Status is Warning'])
  assert.deepEqual(words([status(presetStatuses.installed)]), ['Status is any of 4 groups'])
  assert.deepEqual(words([status(['Allocated'])]), ['Status is Allocated'])
  assert.deepEqual(words([{ fieldId: 'building', filterOp: 'noneof', value: ['Foundry Yard'] }]), [
    'Building is not Foundry Yard',
  ])
  assert.deepEqual(
    words([
      { fieldId: 'lastTest', filterOp: 'from', value: '2026-01-01' },
      { fieldId: 'inWholesale', filterOp: 'equals', value: true },
      { fieldId: 'lastTest', filterOp: 'to', value: '2026-01-31' },
    ]),
    ['Last test between 01/01/2026 – 31/01/2026', 'In wholesale is Yes'],
  )
  assert.deepEqual(words([{ fieldId: 'unknown', filterOp: 'equals', value: 'x' }]), [])
})

test('Every device status belongs to one group', () => {
  const all = statusGroups.flatMap(({ values }) => values)
  assert.equal(new Set(all).size, 16)
  assert.equal(all.length, 16)
})

test('Products with the same name also show their code', () => {
  for (const code of productCodes) {
    const shownWord = deviceWords.choiceWord!('product', code) ?? deviceWords.word!('product', code)
    const others = productCodes.filter((one) => one !== code)
    assert.ok(
      !others.some(
        (one) => (deviceWords.choiceWord!('product', one) ?? deviceWords.word!('product', one)) === shownWord,
      ),
    )
  }
})
