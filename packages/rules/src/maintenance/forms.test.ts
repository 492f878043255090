import assert from 'node:assert/strict'
import { test } from 'vitest'
import { formFamilies, isCompleted, partsText, productsOfForms } from './forms.ts'

test('a form is complete with one tick or one word; blanks do not count', () => {
  assert.equal(isCompleted({ battery: false, lamp: false, description: '' }), false)
  assert.equal(isCompleted({ description: ' \n ' }), false)
  assert.equal(isCompleted({}), false)
  assert.equal(isCompleted({ battery: true, description: '' }), true)
  assert.equal(isCompleted({ battery: false, description: 'New lamp' }), true)
})

test('repaired parts are listed in a fixed order', () => {
  assert.equal(partsText({ lamp: true, battery: true }), 'Battery, lamp')
  assert.equal(partsText({ inverter: true }), 'Inverter')
  assert.equal(partsText({}), '')
})

test('each device family has its own products', () => {
  const all = formFamilies.flatMap((family) => productsOfForms(family))
  assert.equal(new Set(all).size, all.length)
  assert.deepEqual(productsOfForms('network'), ['MG', 'ZG', 'ZR'])
  assert.deepEqual(productsOfForms('liftMonitor'), ['LM'])
})
