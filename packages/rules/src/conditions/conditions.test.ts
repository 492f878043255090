import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { deviceStatuses, displayGroup, isInService } from '../devices/status.ts'
import type { ComponentStates, TestType } from '../lighting/tests.ts'
import { components, componentStates, minutesOf, testResults, testTypes } from '../lighting/tests.ts'
import type { Condition, ConditionKind, Occurrence } from './conditions.ts'
import {
  conditionsAfter,
  conditionsAfterAll,
  conditionKinds,
  conditionRules,
  defectKinds,
  endings,
  inOrder,
  isOpen,
  rankOf,
  reportedKinds,
  settableKinds,
  silentAfter,
  stages,
  standingOf,
  statusOf,
  worstFirst,
} from './conditions.ts'

const hour = 3_600_000
const testMessage = (
  testType: TestType,
  result: 'Passed' | 'Failed' | 'Degraded',
  at: number,
  states: ComponentStates = {},
) => ({ what: 'test', at, testType, result, states }) as const satisfies Occurrence
const live = (...occurrences: Occurrence[]) => occurrences.reduce<Condition[]>(conditionsAfter, [])
const open = (conditions: readonly Condition[]) =>
  conditions.filter(isOpen).map(({ kind, key }) => `${kind} ${key}`.trim())
const status = (conditions: readonly Condition[]) => statusOf(conditions.filter(isOpen))

test('every status but Ok comes from a kind of condition and occurs once in the order of severity', () => {
  const given = new Set<string>(conditionKinds.map((kind) => conditionRules[kind].status))
  assert.deepEqual(
    deviceStatuses.filter((one) => !given.has(one)),
    ['Ok'],
  )
  assert.deepEqual([...worstFirst].sort(), [...deviceStatuses].sort())
  assert.equal(statusOf([]), 'Ok')
})

test('each kind gives its status and has its endings', () => {
  const table = Object.fromEntries(
    conditionKinds.map((kind) => [kind, [conditionRules[kind].status, ...conditionRules[kind].endsBy]]),
  )
  assert.deepEqual(table, {
    disposed: ['DISPOSED', 'moved on'],
    removed: ['REMOVED', 'moved on'],
    awaitingRecycling: ['AwaitingRecycling', 'moved on'],
    inFactory: ['Factory', 'moved on'],
    inStock: ['Inventory', 'moved on'],
    unaccounted: ['Unknown', 'moved on'],
    allocated: ['Allocated', 'moved on'],
    disabledNonPayment: ['DisabledNonPayment', 'ended by a person', 'time over', 'moved on'],
    disabledOther: ['DisabledOther', 'ended by a person', 'time over', 'moved on'],
    fault: ['FailedEquipment', 'fault gone', 'moved on'],
    gasCheckFailed: ['FailedEquipment', 'check recorded', 'moved on'],
    gasCheckOverdue: ['PreventativeMaintenance', 'check recorded', 'moved on'],
    gasNeverChecked: ['PreventativeMaintenance', 'check recorded', 'moved on'],
    waterTreatmentFailed: ['PreventativeMaintenance', 'check recorded', 'moved on'],
    waterTreatmentOverdue: ['PreventativeMaintenance', 'check recorded', 'moved on'],
    testFailed: ['FailedEquipment', 'test passed', 'repair recorded', 'result changed', 'moved on'],
    highEvent: ['FailedEquipment', 'event over', 'repair recorded', 'ended by a person', 'moved on'],
    batteryLow: ['FailedEquipment', 'no longer reported', 'repair recorded', 'moved on'],
    equipmentBroken: ['FailedEquipment', 'ended by a person', 'repair recorded', 'moved on'],
    deviceFault: ['FailedDevice', 'fault gone', 'moved on'],
    deviceTestFailed: ['FailedDevice', 'test passed', 'repair recorded', 'result changed', 'moved on'],
    deviceBroken: ['FailedDevice', 'ended by a person', 'repair recorded', 'moved on'],
    notHeard: ['FailedDevice', 'heard', 'moved on'],
    equipmentRepaired: ['RepairedEquipment', 'test passed', 'ended by a person', 'moved on'],
    deviceRepaired: ['RepairedDevice', 'test passed', 'ended by a person', 'moved on'],
    testDegraded: ['PreventativeMaintenance', 'test passed', 'repair recorded', 'result changed', 'moved on'],
    unstable: ['PreventativeMaintenance', 'ended by a person', 'moved on'],
    inhibited: ['PreventativeMaintenance', 'no longer reported', 'moved on'],
    noMains: ['PreventativeMaintenance', 'no longer reported', 'moved on'],
    testNotProven: ['PreventativeMaintenance', 'tested', 'result changed', 'moved on'],
    testMissed: ['PreventativeMaintenance', 'tested', 'moved on'],
    testOverdue: ['PreventativeMaintenance', 'tested', 'moved on'],
    batteryNotFull: ['PreventativeMaintenance', 'battery full', 'moved on'],
    maintenance: ['PreventativeMaintenance', 'ended by a person', 'time over', 'moved on'],
    neverTested: ['Installed', 'first test', 'moved on'],
    neverHeard: ['Installed', 'heard', 'moved on'],
    noContact: ['Installed', 'heard', 'moved on'],
  })
})

test('of any two conditions the worse one gives the status, in a single order', () => {
  for (const a of conditionKinds)
    for (const b of conditionKinds) {
      const [worse] = [conditionRules[a].status, conditionRules[b].status].sort((x, y) => rankOf(x) - rankOf(y))
      assert.equal(statusOf([{ kind: a }, { kind: b }]), worse, `${a} and ${b}`)
      assert.equal(statusOf([{ kind: b }, { kind: a }]), worse, `${b} and ${a}`)
    }
})

test('a failure overrides warnings and everything that users set, and a stage overrides all', () => {
  const groups = worstFirst.map((one) => displayGroup(one))
  assert.ok(groups.lastIndexOf('NotInstalled') < groups.indexOf('Warning'))
  for (const kind of settableKinds)
    for (const failure of ['testFailed', 'deviceTestFailed', 'fault', 'deviceFault', 'notHeard'] as const)
      assert.match(statusOf([{ kind }, { kind: failure }]), /^Failed/, `${kind} and ${failure}`)
  assert.ok(worstFirst.indexOf('DisabledOther') < worstFirst.indexOf('RepairedEquipment'))
  assert.ok(worstFirst.indexOf('FailedDevice') < worstFirst.indexOf('RepairedEquipment'))
  for (const kind of stages) assert.equal(statusOf([{ kind }, { kind: 'testFailed' }]), conditionRules[kind].status)
})

test('a passed flick test does not end a failed 3-hour test', () => {
  const failed = live(testMessage('T180', 'Failed', 1, { Battery: 'Failed' }))
  assert.equal(status(failed), 'FailedEquipment')
  for (const shorter of ['T0', 'T5', 'T60'] as const) {
    const later = conditionsAfter(failed, testMessage(shorter, 'Passed', 2))
    assert.equal(status(later), 'FailedEquipment', shorter)
    assert.deepEqual(standingOf(later), { status: 'FailedEquipment', since: 1 })
  }
  const passed = conditionsAfter(failed, testMessage('T180', 'Passed', 3))
  assert.deepEqual(standingOf(passed), { status: 'Ok', since: 3 })
  assert.equal(passed[0]!.ending, 'test passed')
})

test('a battery counts as full only when the light reports it', () => {
  const light = live({ what: 'battery not full', at: 1 }, testMessage('T180', 'Passed', 2), { what: 'heard', at: 3 })
  assert.deepEqual(standingOf(conditionsAfter(light, { what: 'battery not full', at: 4 })), {
    status: 'PreventativeMaintenance',
    since: 1,
  })
  const full = conditionsAfter(light, { what: 'battery full', at: 5 })
  assert.deepEqual([status(full), full[0]!.ending], ['Ok', 'battery full'])
})

test('a failed test is ended by one of the same or a longer duration', () => {
  for (const failed of testTypes)
    for (const passed of testTypes) {
      const conditions = live(testMessage(failed, 'Failed', 1), testMessage(passed, 'Passed', 2))
      assert.equal(status(conditions) === 'Ok', minutesOf[passed] >= minutesOf[failed], `${failed}, then ${passed}`)
    }
})

test('a degraded test warns until a test as long passes; a later failure is worse, and both stay open', () => {
  const degraded = live(testMessage('T60', 'Degraded', 1, { Battery: 'Degraded' }))
  assert.equal(status(degraded), 'PreventativeMaintenance')
  const failed = conditionsAfter(degraded, testMessage('T60', 'Failed', 2, { Battery: 'Failed' }))
  assert.deepEqual(open(failed), ['testDegraded T60', 'testFailed T60'])
  assert.equal(status(failed), 'FailedEquipment')
  assert.equal(status(conditionsAfter(failed, testMessage('T180', 'Passed', 3))), 'Ok')
})

test('a light that fails the same test again has failed since the first time, with the parts of the last', () => {
  const twice = live(
    testMessage('T0', 'Failed', 1, { Lamp: 'Failed' }),
    testMessage('T0', 'Failed', 5, { Battery: 'Failed' }),
  )
  assert.equal(twice.length, 1)
  assert.deepEqual(standingOf(twice), { status: 'FailedEquipment', since: 1 })
  assert.deepEqual(twice[0]!.states, { Battery: 'Failed' })
})

test('if only the device itself failed, the status is a failed device and not failed equipment', () => {
  assert.equal(status(live(testMessage('T0', 'Failed', 1, { Emered: 'Failed', Lamp: 'Ok' }))), 'FailedDevice')
  assert.equal(status(live(testMessage('T0', 'Failed', 1, { Emered: 'Failed', Lamp: 'Failed' }))), 'FailedEquipment')
})

test('a pending or suppressed result changes nothing', () => {
  for (const result of ['AwaitingAnalysis', 'AwaitingReview', 'Suppressed'] as const) {
    const waiting: Occurrence = { what: 'test', at: 2, testType: 'T180', result, states: { Battery: 'Failed' } }
    assert.deepEqual(live(waiting), [])
    const failed = live(testMessage('T0', 'Failed', 1))
    assert.deepEqual(conditionsAfter(failed, waiting), failed)
    assert.equal(status(live({ what: 'installed', at: 0, tests: true, heard: true }, waiting)), 'Installed')
  }
})

/** A test with an inconclusive result. */
const unproven = (
  testType: TestType,
  at: number,
  how: 'Indeterminate' | 'wrong clock' = 'Indeterminate',
): Occurrence =>
  how === 'Indeterminate'
    ? { what: 'test', at, testType, result: how, states: {} }
    : { what: 'test', at, testType, result: 'Passed', states: {}, isClockWrong: true }

test('an inconclusive required test warns until a test as long gives a result; other tests are not required', () => {
  for (const how of ['Indeterminate', 'wrong clock'] as const) {
    for (const testType of ['T5', 'T60'] as const) assert.deepEqual(live(unproven(testType, 1, how)), [])
    for (const testType of ['T0', 'T180'] as const) {
      const light = live(testMessage(testType, 'Passed', 1), unproven(testType, 2, how))
      assert.deepEqual([open(light), status(light)], [[`testNotProven ${testType}`], 'PreventativeMaintenance'], how)
      assert.deepEqual(open(conditionsAfter(light, unproven(testType, 3, 'wrong clock'))), [
        `testNotProven ${testType}`,
      ])
      assert.deepEqual(open(conditionsAfter(light, testMessage(testType, 'Passed', 3))), [])
      assert.deepEqual(open(conditionsAfter(light, testMessage(testType, 'Failed', 3))), [`testFailed ${testType}`])
    }
    assert.deepEqual(open(live(unproven('T180', 2, how), testMessage('T0', 'Passed', 3))), ['testNotProven T180'])
    assert.deepEqual(open(live(unproven('T0', 2, how), testMessage('T180', 'Passed', 3))), [])
  }
})

test('a pass with a wrong clock ends no failure and is no first test; a failure with one counts', () => {
  const failed = live(testMessage('T180', 'Failed', 1), unproven('T180', 5, 'wrong clock'))
  assert.deepEqual(open(failed), ['testFailed T180', 'testNotProven T180'])
  const untested = live({ what: 'installed', at: 0, tests: true, heard: true }, unproven('T180', 5, 'wrong clock'))
  assert.ok(open(untested).includes('neverTested'))
  const wrong: Occurrence = { ...testMessage('T180', 'Failed', 9), isClockWrong: true }
  assert.deepEqual(open(live(testMessage('T180', 'Passed', 5), wrong)), ['testFailed T180'])
})

test('a missed or overdue test warns until a test as long takes place, whatever its result', () => {
  for (const what of ['test missed', 'test overdue'] as const)
    for (const result of ['Passed', 'Degraded', 'Failed'] as const) {
      const kind = what === 'test missed' ? 'testMissed' : 'testOverdue'
      const light = live({ what, at: 5, testType: 'T180' })
      assert.deepEqual([open(light), status(light)], [[`${kind} T180`], 'PreventativeMaintenance'])
      assert.ok(open(conditionsAfter(light, testMessage('T60', result, 6))).includes(`${kind} T180`))
      assert.ok(!open(conditionsAfter(light, testMessage('T180', result, 6))).includes(`${kind} T180`), result)
      // An older test that arrives late.
      assert.ok(open(conditionsAfter(light, testMessage('T180', result, 4))).includes(`${kind} T180`))
    }
})

test('a reported condition lasts as long as the light reports it', () => {
  for (const kind of reportedKinds) {
    const light = live({ what: 'reported', kind, holds: true, at: 1 }, { what: 'reported', kind, holds: true, at: 4 })
    assert.deepEqual(standingOf(light), { status: conditionRules[kind].status, since: 1 })
    assert.notEqual(displayGroup(status(light)), 'Passed')
    assert.deepEqual(open(conditionsAfter(light, { what: 'reported', kind, holds: false, at: 5 })), [])
  }
})

test('an event of high severity is a failure until it is over or a user ends it', () => {
  const began: Occurrence = { what: 'event', at: 1, category: 'Battery failure', isOver: false }
  const light = live(began, { ...began, at: 3 })
  assert.deepEqual(
    [open(light), standingOf(light)],
    [['highEvent Battery failure'], { status: 'FailedEquipment', since: 1 }],
  )
  assert.deepEqual(open(conditionsAfter(light, { ...began, category: 'Lamp', isOver: true })), [
    'highEvent Battery failure',
  ])
  assert.deepEqual(open(conditionsAfter(light, { ...began, at: 4, isOver: true })), [])
  const looked = conditionsAfter(light, { what: 'ended', at: 4, kind: 'highEvent', cause: 'ended by a person' })
  assert.deepEqual(open(looked), [])
})

test('no contact is neither healthy nor failed, and ends when the light is heard', () => {
  const light = live({ what: 'no contact', at: 1 })
  assert.deepEqual([status(light), displayGroup(status(light))], ['Installed', 'Warning'])
  assert.deepEqual(open(conditionsAfter(light, { what: 'heard', at: 2 })), [])
})

test('five failures within an hour with passes in between make a light unstable until a user ends it', () => {
  const minute = 60_000
  const turns = (count: number, apart: number) =>
    live(
      ...Array.from({ length: count }, (_, n) => [
        testMessage('T0', 'Failed', n * apart),
        testMessage('T0', 'Passed', n * apart + minute),
      ]).flat(),
    )
  assert.deepEqual(open(turns(4, 10 * minute)), [])
  assert.deepEqual(open(turns(5, 10 * minute)), ['unstable'])
  assert.deepEqual(open(turns(9, 20 * minute)), [])
  // Repeated reports of the same failure are one failure.
  assert.deepEqual(open(live(...Array.from({ length: 9 }, (_, n) => testMessage('T0', 'Failed', n)))), [
    'testFailed T0',
  ])
  const unstable = conditionsAfter(turns(5, 10 * minute), testMessage('T180', 'Passed', hour))
  assert.deepEqual(open(unstable), ['unstable'])
  assert.deepEqual(
    open(conditionsAfter(unstable, { what: 'ended', at: hour, kind: 'unstable', cause: 'ended by a person' })),
    [],
  )
})

test('a light without tests is installed, not Ok; its first test decides', () => {
  const installed = live({ what: 'installed', at: 0, tests: true, heard: true })
  assert.equal(status(installed), 'Installed')
  assert.equal(status(conditionsAfter(installed, testMessage('T0', 'Passed', 1))), 'Ok')
  assert.equal(status(conditionsAfter(installed, testMessage('T0', 'Failed', 1))), 'FailedEquipment')
})

test('a device that was never heard is installed, not Ok, until it is heard', () => {
  const installed = live({ what: 'installed', at: 0, tests: false, heard: false })
  assert.equal(status(installed), 'Installed')
  assert.equal(status(conditionsAfter(installed, { what: 'heard', at: 1 })), 'Ok')
})

test('a recorded repair ends a failure and warns until a test as long passes', () => {
  const broken = live(testMessage('T0', 'Failed', 1), testMessage('T180', 'Failed', 2))
  const repaired = conditionsAfter(broken, { what: 'repair', at: 3, part: 'equipment' })
  assert.deepEqual(open(repaired), ['equipmentRepaired T180'])
  assert.equal(status(repaired), 'RepairedEquipment')
  assert.equal(status(conditionsAfter(repaired, testMessage('T60', 'Passed', 4))), 'RepairedEquipment')
  assert.equal(status(conditionsAfter(repaired, testMessage('T180', 'Passed', 4))), 'Ok')
  assert.equal(status(conditionsAfter(repaired, testMessage('T180', 'Failed', 4))), 'FailedEquipment')
  assert.equal(status(live({ what: 'repair', at: 3, part: 'device' })), 'RepairedDevice')
})

test('a repair after a failed test cannot be ended by a user', () => {
  const repaired = live(testMessage('T180', 'Failed', 1), { what: 'repair', at: 2, part: 'equipment' })
  const ended = { what: 'ended', at: 3, kind: 'equipmentRepaired', cause: 'ended by a person' } as const
  assert.equal(status(conditionsAfter(repaired, ended)), 'RepairedEquipment')
  // A boiler has no tests.
  assert.equal(status(conditionsAfter(live({ what: 'repair', at: 2, part: 'equipment' }), ended)), 'Ok')
})

test('a repair does not end a later failure', () => {
  const failedLater = live(testMessage('T180', 'Failed', 5))
  assert.deepEqual(open(conditionsAfter(failedLater, { what: 'repair', at: 3, part: 'equipment' })), [
    'testFailed T180',
    'equipmentRepaired T180',
  ])
})

test('a fault ends when it clears, and another one replaces it; tests and repairs do not affect it', () => {
  const fault: Occurrence = { what: 'fault', at: 1, source: 'boiler', code: 'EA' }
  const lockout = live(fault)
  assert.deepEqual(standingOf(lockout), { status: 'FailedEquipment', since: 1 })
  assert.deepEqual(standingOf(conditionsAfter(lockout, { ...fault, at: 2 })), { status: 'FailedEquipment', since: 1 })
  assert.deepEqual(standingOf(conditionsAfter(lockout, { ...fault, at: 3, code: 'F28' })), {
    status: 'FailedEquipment',
    since: 3,
  })
  assert.equal(status(conditionsAfter(lockout, { what: 'repair', at: 2, part: 'equipment' })), 'FailedEquipment')
  assert.equal(status(conditionsAfter(lockout, testMessage('T180', 'Passed', 2))), 'FailedEquipment')
  assert.deepEqual(standingOf(conditionsAfter(lockout, { what: 'fault gone', at: 4 })), { status: 'Ok', since: 4 })
  assert.equal(status(live({ what: 'fault', at: 1, source: 'device', code: 'E1' })), 'FailedDevice')
})

test('a device silent for a day and a half is failed until it is heard', () => {
  const silent = live({ what: 'silent', at: 1 })
  assert.equal(status(silent), 'FailedDevice')
  assert.equal(status(conditionsAfter(silent, { what: 'heard', at: 2 })), 'Ok')
  assert.equal(silentAfter(900), 36 * hour)
  assert.equal(silentAfter(24 * 3600), 72 * hour)
})

test('a condition set by a user ends by a user or after its last day only', () => {
  for (const kind of settableKinds) {
    const set = live({ what: 'set', at: 1, kind })
    assert.equal(status(set), conditionRules[kind].status)
    assert.equal(status(conditionsAfter(set, testMessage('T180', 'Passed', 2))), conditionRules[kind].status)
    assert.equal(status(conditionsAfter(set, { what: 'heard', at: 2 })), conditionRules[kind].status)
    assert.equal(status(conditionsAfter(set, { what: 'ended', at: 2, kind, cause: 'ended by a person' })), 'Ok')
  }
})

test('defects are failed, reported, broken, warning, isolated and unproven repaired devices, not those in stock or untested', () => {
  assert.deepEqual(defectKinds.toSorted(), [
    ...['batteryLow', 'batteryNotFull', 'deviceBroken', 'deviceFault', 'deviceRepaired', 'deviceTestFailed'],
    ...['disabledOther', 'equipmentBroken', 'equipmentRepaired', 'fault', 'highEvent', 'inhibited', 'maintenance'],
    ...['noMains', 'notHeard', 'testDegraded', 'testFailed', 'unstable'],
  ])
})

test('a device that leaves service has only its stage; an installed one leaves its stage', () => {
  const broken = live(testMessage('T180', 'Failed', 1), { what: 'set', at: 1, kind: 'maintenance' })
  for (const to of stages) {
    const moved = conditionsAfter(broken, { what: 'moved', at: 2, to })
    assert.deepEqual(open(moved), [to])
    assert.equal(moved[0]!.ending, 'moved on')
    assert.equal(isInService(status(moved)), false)
    assert.equal(status(conditionsAfter(moved, { what: 'installed', at: 3, tests: false, heard: true })), 'Ok')
  }
  for (const kind of conditionKinds)
    assert.equal(isInService(conditionRules[kind].status), !conditionRules[kind].stage, kind)
})

test('reasons are ordered by precedence: worst first, then oldest', () => {
  const some = (kind: ConditionKind, began: number, key = '') => ({ kind, key, began })
  assert.deepEqual(
    inOrder([some('neverHeard', 1), some('testFailed', 5), some('maintenance', 2), some('fault', 3)]).map(
      (one) => one.kind,
    ),
    ['fault', 'testFailed', 'maintenance', 'neverHeard'],
  )
  // The order of conditions that began together does not depend on the order in which they were read.
  const together = [some('inhibited', 1), some('testOverdue', 1, 'T0'), some('testOverdue', 1, 'T180')]
  assert.deepEqual(inOrder(together.toReversed()), together)
})

const testOccurrence = fc
  .record({
    testType: fc.constantFrom(...testTypes),
    result: fc.constantFrom(...testResults),
    states: fc.dictionary(
      fc.constantFrom(...components),
      fc.constantFrom(...componentStates),
    ) as fc.Arbitrary<ComponentStates>,
    isClockWrong: fc.boolean(),
  })
  .map((one) => ({ what: 'test' as const, ...one }))
const repairOccurrence = fc.record({
  what: fc.constant('repair' as const),
  part: fc.constantFrom('equipment', 'device'),
})
const otherOccurrence = fc.oneof(
  fc.record({ what: fc.constant('moved' as const), to: fc.constantFrom(...stages) }),
  fc.record({ what: fc.constant('installed' as const), tests: fc.boolean(), heard: fc.boolean() }),
  fc.record({
    what: fc.constant('fault' as const),
    source: fc.constantFrom('boiler' as const, 'autofill' as const, 'device' as const),
    code: fc.constantFrom('EA', 'F28'),
  }),
  fc.record({ what: fc.constantFrom('fault gone' as const, 'heard' as const, 'silent' as const) }),
  fc.record({ what: fc.constant('set' as const), kind: fc.constantFrom(...settableKinds) }),
  fc.record({
    what: fc.constant('ended' as const),
    kind: fc.constantFrom(...settableKinds, 'equipmentRepaired' as const, 'deviceRepaired' as const),
    cause: fc.constantFrom('ended by a person' as const, 'time over' as const),
  }),
)
/** A chronological history, one event per hour. */
const history = fc
  .array(fc.oneof(testOccurrence, repairOccurrence, otherOccurrence), { maxLength: 40 })
  .map((things) => things.map((one, index) => ({ ...one, at: index * hour }) as Occurrence))

test('in random histories a failed test is open exactly until a test as long, a repair or a move', () => {
  fc.assert(
    fc.property(history, (things) => {
      const conditions = live(...things)
      const failing = new Set<string>()
      for (const [index, one] of things.entries()) {
        if (one.what !== 'test' || one.result !== 'Failed') continue
        const since = things.slice(index + 1)
        const over = since.some(
          (later) =>
            later.what === 'repair' ||
            later.what === 'moved' ||
            (later.what === 'test' &&
              later.result === 'Passed' &&
              !later.isClockWrong &&
              minutesOf[later.testType] >= minutesOf[one.testType]),
        )
        if (!over) failing.add(one.testType)
      }
      const open = conditions.filter((one) => isOpen(one) && ['testFailed', 'deviceTestFailed'].includes(one.kind))
      assert.deepEqual(new Set(open.map(({ key }) => key)), failing)
      if (failing.size) assert.notEqual(status(conditions), 'Ok')
    }),
    { numRuns: 400 },
  )
})

/** Test messages at any time, in any order and repeated. */
const anyMessages = fc
  .array(fc.tuple(testOccurrence, fc.integer({ min: 0, max: 50 })), { maxLength: 20 })
  .map((some) => some.map(([one, at]) => ({ ...one, at: at * hour })))

test('for any order, clocks and duplicates of messages, a failed required test is ended only by a later proven one', () => {
  fc.assert(
    fc.property(anyMessages, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (messages, chances) => {
      const delivered = [...messages, ...messages.slice(0, 5)]
        .map((one) => ({ one, place: chances.next().value as number }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ one }) => one)
      const conditions = conditionsAfterAll(delivered)
      for (const required of ['T0', 'T180'] as const) {
        const last = Math.max(
          ...messages.filter((one) => one.testType === required && one.result === 'Failed').map(({ at }) => at),
        )
        if (last === -Infinity) continue
        const isProven = messages.some(
          (one) =>
            one.result === 'Passed' &&
            !one.isClockWrong &&
            // Of two tests that began at the same time the failed one counts.
            one.at > last &&
            minutesOf[one.testType] >= minutesOf[required],
        )
        const isOpenStill = conditions.some(
          (one) => isOpen(one) && one.key === required && /testFailed|deviceTestFailed/i.test(one.kind),
        )
        assert.equal(isOpenStill, !isProven, required)
        if (!isProven) assert.ok(['Failed', 'FailedDevice'].includes(displayGroup(status(conditions))!))
      }
    }),
    { numRuns: 500 },
  )
})

test('in random histories every end has an allowed cause, nothing ends before it began, and nothing is open twice', () => {
  fc.assert(
    fc.property(history, (things) => {
      const conditions = live(...things)
      for (const { kind, began, ended, ending } of conditions) {
        assert.equal(ended === null, ending === null)
        if (ended === null) continue
        assert.ok(ended >= began)
        assert.ok((conditionRules[kind].endsBy as readonly unknown[]).includes(ending), `${kind} ended by ${ending}`)
      }
      const names = open(conditions)
      assert.equal(new Set(names).size, names.length)
      assert.equal(status(conditions) === 'Ok', names.length === 0)
    }),
    { numRuns: 400 },
  )
})

test('in random histories another condition never improves a status, and the record keeps all conditions', () => {
  fc.assert(
    fc.property(history, fc.constantFrom(...conditionKinds), (things, kind) => {
      const conditions = live(...things)
      const before = conditions.filter(isOpen)
      assert.ok(rankOf(statusOf([...before, { kind }])) <= rankOf(statusOf(before)))
      let known = 0
      things.reduce<Condition[]>((list, one) => {
        const next = conditionsAfter(list, one)
        assert.ok(next.length >= known)
        known = next.length
        return next
      }, [])
    }),
  )
})

test('the order in which random tests and repairs are reported makes no difference', () => {
  const testMessage = fc
    .array(fc.oneof(testOccurrence, repairOccurrence), { maxLength: 15 })
    .map((things) => things.map((one, index) => ({ ...one, at: index * hour }) as Occurrence))
    .chain((things) => fc.tuple(fc.constant(things), fc.shuffledSubarray(things, { minLength: things.length })))
  fc.assert(
    fc.property(testMessage, ([inTime, shuffled]) => {
      assert.deepEqual(conditionsAfterAll(shuffled), live(...inTime))
    }),
  )
})

test('every ending is used by some kind', () => {
  const used = new Set(conditionKinds.flatMap((kind) => conditionRules[kind].endsBy as readonly string[]))
  assert.deepEqual([...used].sort(), [...endings].sort())
})
