import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { TenantEmered } from '@caretaker/contract/groups.ts'
import { chosenLights, summary } from './choice.ts'

const light = (deviceId: string, groupName: string | null, more: Partial<TenantEmered> = {}): TenantEmered => ({
  ...{ deviceId, deviceName: deviceId, deviceProductId: 'EM', serialNumber: '', deviceStatus: 'Ok', groupName },
  ...{ connectionStatus: 'Connected', building: 'b', buildingName: 'B', floor: 'f', floorName: 'F', floorNumber: 1 },
  ...{ room: null, lat: null, lng: null },
  ...more,
})
const lights = [
  light('mine', 'A'),
  light('gone', 'A'),
  light('free', null),
  light('other', 'B'),
  light('east', 'C'),
  light('moved', 'B'),
  light('stock', null, { deviceStatus: 'Inventory' }),
  light('lost', null, { floor: null }),
]
const conflicts = [{ deviceId: 'east', groupName: 'C', testDate: '2026-11-28T01:30:00.000Z', duration: 180 }]
const chosen = new Set(['mine', 'moved'])

test('each light of a building has the state given by its group, the choice and the start', () => {
  const shown = chosenLights({ lights, groupName: 'A', chosen, conflicts })
  assert.deepEqual(Object.fromEntries(shown.map((one) => [one.deviceId, one.membership])), {
    mine: 'inGroup',
    gone: 'removedFromGroup',
    free: 'noGroup',
    other: 'anotherGroup',
    east: 'conflictingGroup',
    moved: 'addedToGroup',
  })
})

test('the footer counts changes, and names groups that lose lights and lights that become untested', () => {
  const summaryOf = (ids: string[], groupName: string | undefined = 'A') =>
    summary(chosenLights({ lights, groupName, chosen: new Set(ids), conflicts }))
  assert.deepEqual(summaryOf(['mine', 'moved']), {
    ...{ changes: '1 added, 1 removed: 2 lights', leaving: 'moved leaves B' },
    untested: 'gone is then no longer tested by any group',
  })
  assert.equal(summaryOf([]).untested, 'mine and gone are then no longer tested by any group')
  assert.deepEqual(summaryOf([], 'New'), {
    ...{ changes: '0 lights', leaving: '', untested: 'A group without lights runs no tests' },
  })
  assert.deepEqual(summaryOf(['mine', 'gone']), { changes: '2 lights', leaving: '', untested: '' })
  assert.deepEqual(summaryOf(['mine', 'gone', 'moved', 'other', 'east']), {
    changes: '3 added: 5 lights',
    leaving: 'other and moved leave B. east leaves C',
    untested: '',
  })
})
