import assert from 'node:assert/strict'
import { test } from 'vitest'
import { labelDoubt } from './label.ts'

const now = Date.parse('2026-11-28T12:00:00Z')
const day = 86_400_000
const low = 'The label says 12 V, but the light has never reported more than 3.7 V. Check the label.'
const high = 'The label says 3.6 V, but the light has reported 13.2 V. Check the label.'

test.each([
  ['12 V over a pack of three cells', 12, 3.71, 30, low],
  ['3.6 V over a pack of ten cells', 3.6, 13.2, 30, high],
  ['a pack that fits its label', 3.6, 4.2, 30, undefined],
  ['a pack at the end of its charge', 12, 14.6, 30, undefined],
  ['a weak pack', 12, 9, 30, undefined],
  ['a dead pack, which says nothing of its label', 3.6, 0.3, 30, undefined],
  ['a light that has reported for hours only', 12, 3.71, 0.5, undefined],
  ['no label', undefined, 3.71, 30, undefined],
] as const)('whether the label of a battery is doubtful: %s', (_, nominal, highest, days, expected) =>
  assert.equal(labelDoubt(nominal, { highest, since: now - days * day }, now), expected),
)

test('there is no doubt without reports', () => assert.equal(labelDoubt(12, null, now), undefined))
