import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { BulkAction } from './actions.ts'
import type { LightSettings } from './light-settings.ts'
import { settingsFault } from './light-settings.ts'

const today = '2026-11-28'
for (const [action, settings, fault] of [
  ['move lights', { buildingId: 'b' }, undefined],
  ['move lights', { buildingId: 'b', floorId: 'f' }, undefined],
  ['move lights', { floorId: 'f' }, ['buildingId', 'Choose a building.']],
  ['move lights', { buildingId: 'b', groupId: 'g' }, ['groupId', 'This action does not use this field.']],
  ['set luminaire', {}, ['luminaireId', 'Choose a standard luminaire.']],
  ['set luminaire', { luminaireId: 'l' }, undefined],
  ['set battery day', { batteryDay: today }, undefined],
  ['set battery day', { batteryDay: '2026-11-29' }, ['batteryDay', 'The date cannot be in the future.']],
  ['set battery day', { batteryDay: '31/02/2026' }, ['batteryDay', 'Enter a date as DD/MM/YYYY']],
  ['set status', { condition: 'maintenance', reason: 'Worn' }, undefined],
  ['set status', { condition: 'maintenance' }, ['reason', 'Choose a status and enter a reason.']],
  [
    'set status',
    { condition: 'maintenance', reason: 'x', until: '2026-11-27' },
    ['until', 'The date cannot be in the past.'],
  ],
  [
    'set status',
    { condition: 'disabledOther', reason: 'Works' },
    ['until', 'Enter the last day on which the lights are disabled.'],
  ],
  ['set status', { condition: 'disabledOther', reason: 'Works', until: today }, undefined],
  [
    'set status',
    { condition: 'disabledNonPayment', reason: 'x', until: today },
    ['condition', 'Lights cannot have this status.'],
  ],
  ['add to group', { groupId: 'g' }, undefined],
  ['add to group', {}, ['groupId', 'Choose a group.']],
  ['add tags', {}, undefined],
  ['add tags', { groupId: 'g' }, ['groupId', 'This action does not use this field.']],
] as const)
  test(`${action} with ${JSON.stringify(settings)}: ${fault?.[1] ?? 'valid'}`, () => {
    const found = settingsFault(action as BulkAction, settings as LightSettings, today)
    assert.deepEqual(found && [found.field, found.message], fault)
  })
