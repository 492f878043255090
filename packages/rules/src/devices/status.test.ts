import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  countsAsInstalled,
  deviceStatuses,
  displayGroup,
  displayGroups,
  severityOf,
  statusCategories,
  statusCategory,
  statusText,
  statusWords,
  summarise,
} from './status.ts'

test('the status values [core-4.1-1]', () => {
  assert.deepEqual([...deviceStatuses].sort(), [
    'Allocated',
    'AwaitingRecycling',
    'DISPOSED',
    'DisabledNonPayment',
    'DisabledOther',
    'Factory',
    'FailedDevice',
    'FailedEquipment',
    'Installed',
    'Inventory',
    'Ok',
    'PreventativeMaintenance',
    'REMOVED',
    'RepairedDevice',
    'RepairedEquipment',
    'Unknown',
  ])
})

test('display group Passed [core-4.1-2]', () => assert.deepEqual(displayGroups.Passed, ['Ok']))
test('display group Warning [core-4.1-3]', () =>
  assert.deepEqual([...displayGroups.Warning].sort(), [
    'Allocated',
    'DisabledNonPayment',
    'DisabledOther',
    'Installed',
    'PreventativeMaintenance',
    'RepairedDevice',
    'RepairedEquipment',
  ]))
test('display group NotInstalled [core-4.1-4]', () =>
  assert.deepEqual([...displayGroups.NotInstalled].sort(), [
    'AwaitingRecycling',
    'Disposed',
    'Factory',
    'Inventory',
    'REMOVED',
    'Repair',
    'Unknown',
  ]))
test('display group Failed [core-4.1-5]', () => assert.deepEqual(displayGroups.Failed, ['FailedEquipment']))
test('display group FailedDevice [core-4.1-6]', () => assert.deepEqual(displayGroups.FailedDevice, ['FailedDevice']))

test('every status is in a group, ignoring case', () => {
  for (const status of deviceStatuses) assert.ok(displayGroup(status), status)
  assert.equal(displayGroup('DISPOSED'), 'NotInstalled')
  assert.equal(displayGroup('repair'), 'NotInstalled')
})

test('severity of FailedEquipment [core-4.1-7]', () => assert.equal(severityOf('FailedEquipment'), 5))
test('severity of the Warning group [core-4.1-8]', () => {
  for (const status of displayGroups.Warning) assert.equal(severityOf(status), 4, status)
})
test('severity of FailedDevice [core-4.1-9]', () => assert.equal(severityOf('FailedDevice'), 3))
test('severity of Ok [core-4.1-10]', () => assert.equal(severityOf('Ok'), 2))
test('severity of the NotInstalled group [core-4.1-11]', () => {
  for (const status of displayGroups.NotInstalled) assert.equal(severityOf(status), 1, status)
})
test('severity of any other value [core-4.1-12]', () => {
  for (const status of ['', 'Broken', 'toString', '__proto__']) assert.equal(severityOf(status), 0, status)
})

test('status category installed [core-4.1-16 dev-2dash-33]', () =>
  assert.deepEqual([...statusCategories.installed].sort(), ['Installed', 'Ok']))
test('status category inventory [core-4.1-17 dev-2dash-34]', () =>
  assert.deepEqual(statusCategories.inventory, ['Inventory']))
test('status category failed [core-4.1-18 dev-2dash-35]', () =>
  assert.deepEqual([...statusCategories.failed].sort(), ['FailedDevice', 'FailedEquipment']))
test('status category warning [core-4.1-19 dev-2dash-36]', () =>
  assert.deepEqual([...statusCategories.warning].sort(), [
    'Allocated',
    'DisabledNonPayment',
    'DisabledOther',
    'PreventativeMaintenance',
    'RepairedDevice',
    'RepairedEquipment',
  ]))
test('a status has a category or none', () => {
  assert.equal(statusCategory('Installed'), 'installed')
  assert.equal(statusCategory('Factory'), undefined)
})

test('seven statuses count as installed, the disabled ones and Allocated do not', () => {
  assert.deepEqual(deviceStatuses.filter(countsAsInstalled).sort(), [
    'FailedDevice',
    'FailedEquipment',
    'Installed',
    'Ok',
    'PreventativeMaintenance',
    'RepairedDevice',
    'RepairedEquipment',
  ])
})

test('statuses in words', () => {
  assert.equal(statusWords('RepairedDevice'), 'Repaired device')
  assert.equal(statusWords('DISPOSED'), 'Disposed')
  assert.equal(statusWords('Ok'), 'Ok')
})

test('the six counts: installed is passed, warning and failed together', () => {
  const counts = deviceStatuses.map((status) => [status, 1] as const)
  assert.deepEqual(summarise(counts), { total: 16, pass: 1, warn: 7, fail: 2, inventory: 1, installed: 10 })
})

test("chips and the order of listings agree: a chip's group always matches its severity [core-4.1-14]", () => {
  const scale = { Failed: 5, Warning: 4, FailedDevice: 3, Passed: 2, NotInstalled: 1 }
  for (const status of [...deviceStatuses, 'Repair', 'repairedDEVICE'])
    assert.equal(severityOf(status), scale[displayGroup(status)!], status)
  assert.equal(displayGroup('Nonsense'), undefined)
  assert.equal(severityOf('Nonsense'), 0)
})

test('a status as text has its group, and the exact status if that adds to it', () => {
  assert.equal(statusText('Ok'), 'Passed')
  assert.equal(statusText('FailedEquipment'), 'Failed')
  assert.equal(statusText('FailedDevice'), 'Device failed')
  assert.equal(statusText('RepairedDevice'), 'Warning: Repaired device')
  assert.equal(statusText('Inventory'), 'Not installed: Inventory')
  assert.equal(statusText('SomethingNew'), 'Something new')
})
