import assert from 'node:assert/strict'
import { test } from 'vitest'
import { defaultRules, missingDefaults } from './defaults.ts'
import { definitionFaults } from './definition.ts'
import { conditionWords } from './triggers.ts'

test('the default rules of a new client cover every unreliable emergency light, in the portal only', () => {
  assert.deepEqual(
    defaultRules.map(({ triggerType, triggerCondition }) => conditionWords(triggerType, triggerCondition)),
    ['Light failed', 'Test overdue', 'Test missed', 'Light inhibited', 'No contact', 'Light unstable'],
  )
  for (const rule of defaultRules) {
    assert.deepEqual(definitionFaults(rule), [])
    assert.deepEqual(rule.scope, { families: ['emered'], buildingIds: [], tagIds: [] })
    assert.deepEqual([rule.notificationType, rule.notificationTarget], ['NONE', ''])
  }
})

test('a default rule that a client has, even if edited, is not offered again', () => {
  assert.deepEqual(missingDefaults([]), defaultRules)
  const all = defaultRules.map((rule) => ({ ...rule, definedByTenant: false }))
  assert.deepEqual(missingDefaults(all), [])
  assert.deepEqual(missingDefaults(all.slice(1)), [defaultRules[0]])
  const own = all.map((rule) => ({ ...rule, definedByTenant: true }))
  assert.deepEqual(missingDefaults(own), defaultRules, 'a rule of its own may go at any time')
})
