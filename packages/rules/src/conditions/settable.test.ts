import assert from 'node:assert/strict'
import { test } from 'vitest'
import { productCodes } from '../devices/products.ts'
import { settableKinds } from './conditions.ts'
import { missingDetails, settableKindsOf } from './settable.ts'

test('non-payment can be set only on devices that heat or power a property, never on lights or gateways', () => {
  const with_ = productCodes.filter((product) => settableKindsOf(product).includes('disabledNonPayment'))
  for (const product of ['BX', 'BC', 'ASHP', 'HIU', 'PS'] as const) assert.ok(with_.includes(product), product)
  for (const product of ['EM', 'EL', 'MG', 'ZG', 'ZR', 'LM', 'PC'] as const)
    assert.ok(!with_.includes(product), product)
  for (const product of productCodes)
    assert.deepEqual(
      settableKindsOf(product).filter((kind) => kind !== 'disabledNonPayment'),
      settableKinds.filter((kind) => kind !== 'disabledNonPayment'),
      product,
    )
})

test('an isolation needs a reason and an end, for a light also an interim measure; other conditions need nothing', () => {
  const all = { note: 'Works', until: '2026-12-01', interimMeasure: 'Torches' }
  assert.deepEqual(missingDetails('disabledOther', 'EM', {}), ['note', 'until', 'interimMeasure'])
  assert.deepEqual(missingDetails('disabledOther', 'EM', { ...all, note: '  ' }), ['note'])
  assert.deepEqual(missingDetails('disabledOther', 'BX', {}), ['note', 'until'])
  assert.deepEqual(missingDetails('disabledOther', 'EM', all), [])
  for (const kind of settableKinds) if (kind !== 'disabledOther') assert.deepEqual(missingDetails(kind, 'EM', {}), [])
})
