import type { Condition, Evidence, InterimMeasure, Occurrence } from '@caretaker/rules/conditions/conditions.ts'
import {
  conditionsAfter,
  conditionsAfterAll,
  conditionRules,
  isOfTests,
  isOpen,
  noContactAfter,
  silentAfter,
  stages,
} from '@caretaker/rules/conditions/conditions.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { isInService } from '@caretaker/rules/devices/status.ts'
import { chanceOf, demoId, pick } from '../chance.ts'
import { map } from '../copy.ts'
import { demoDevices } from '../fixtures.ts'
import type { DemoDevice } from '../plan/device.ts'
import { day, hour, statusOfLink } from '../plan/device.ts'
import { isTested, testsOf } from './light-tests.ts'
import type { DeviceSeeder } from '../seeding.ts'

/** The users who set conditions in the demo. */
const people = ['Pat Doyle', 'Sam Okafor', 'Jo Whitfield'] as const

/**
 * A device's conditions, derived from its tests, its fault, its offline time and users' entries. They determine its
 * status.
 */
export function conditionsOf(device: DemoDevice, now: number): Condition[] {
  const { status, link, createdAt, updatedAt, fault } = device
  const chance = chanceOf(`${device.serial} conditions`)
  const by = { id: null, name: pick(chance, people) }
  if (!isInService(status)) {
    const to = stages.find((stage) => conditionRules[stage].status === status)
    return to ? conditionsAfter([], { what: 'moved', at: updatedAt, to, evidence: { by } }) : []
  }
  const isLight = familyOf(device.product) === 'emered'
  const tests = isTested(device) ? testsOf(device, now, false) : []
  const testOccurrences: Occurrence[] = tests.map((test) => ({
    what: 'test',
    at: test.startedAt,
    testType: test.testType,
    result: test.result,
    states: test.componentStates,
    evidence: { eventId: test.eventId },
  }))
  const installed: Occurrence = { what: 'installed', at: createdAt, tests: isLight, heard: link.heardAt !== null }
  const lastTest = Math.max(0, ...tests.map((test) => test.startedAt))
  const setAt = Math.min(now - hour, Math.max(updatedAt, lastTest + day, createdAt))
  const found = conditionsAfterAll([installed, ...testOccurrences])
  const rest = [...setByUser(device, found, setAt, { by })]
  for (const past of device.pastFaults ?? [])
    rest.push(
      {
        what: 'fault',
        at: past.since,
        source: past.source,
        code: past.code,
        evidence: { description: past.description, isResettable: past.isResettable },
      },
      { what: 'fault gone', at: past.until },
    )
  if (fault)
    rest.push({
      what: 'fault',
      at: fault.since,
      source: fault.source,
      code: fault.code,
      evidence: { description: fault.description, isResettable: fault.isResettable },
    })
  const { heardAt } = link
  const away = heardAt !== null && statusOfLink(link, now) === 'NotConnected'
  const isGateway = familyOf(device.product) === 'gateway'
  if (away && (isLight || isGateway) && now - heardAt >= noContactAfter(link.interval))
    rest.push({ what: 'no contact', at: heardAt })
  if (away && !isLight && now - heardAt >= silentAfter(link.interval)) rest.push({ what: 'silent', at: heardAt })
  return rest.toSorted((a, b) => a.at - b.at).reduce(conditionsAfter, found)
}

/** The conditions that a user must have set if nothing else explains the planned status. */
function setByUser({ status, fault }: DemoDevice, found: Condition[], at: number, evidence: Evidence): Occurrence[] {
  const explained = found.some(({ kind, ended }) => ended === null && conditionRules[kind].status === status)
  if (explained || fault) return []
  switch (status) {
    case 'DisabledNonPayment':
      return [{ what: 'set', at, kind: 'disabledNonPayment', evidence }]
    case 'DisabledOther':
      return [{ what: 'set', at, kind: 'disabledOther', evidence: { ...evidence, note: 'Home is being refurbished' } }]
    case 'PreventativeMaintenance':
      return [{ what: 'set', at, kind: 'maintenance', evidence: { ...evidence, note: 'Due at the next visit' } }]
    case 'FailedEquipment':
      return [{ what: 'set', at, kind: 'equipmentBroken', evidence: { ...evidence, note: 'Found at a visit' } }]
    case 'FailedDevice':
      return [
        {
          what: 'set',
          at,
          kind: 'deviceBroken',
          evidence: { ...evidence, note: 'Display dark, no light on the board' },
        },
      ]
    case 'RepairedEquipment':
    case 'RepairedDevice': {
      const part = status === 'RepairedDevice' ? 'device' : 'equipment'
      const repaired: Evidence = {
        ...evidence,
        repairedBy: evidence.by!.name,
        repairedOn: new Date(at).toISOString().slice(0, 10),
      }
      return [{ what: 'repair', at, part, evidence: repaired }]
    }
    default:
      return []
  }
}

/** Interim measures for failed lights. */
const interimMeasures: Record<string, string> = {
  [demoDevices.failedT180.deviceId]: 'Battery lantern on the landing, checked every evening',
}

function measureOf({ id }: DemoDevice, one: Condition): InterimMeasure | null {
  const text = interimMeasures[id]
  if (!text || !isOpen(one) || !isOfTests(one.kind)) return null
  return { text, by: people[0], at: new Date(one.began + day).toISOString() }
}

const columns = [
  'id',
  'device_id',
  'kind',
  'key',
  'began_at',
  'last_seen_at',
  'states',
  'evidence',
  'ended_at',
  'ending',
  'end_evidence',
  'interim_measure',
]

/** Creates the conditions of all devices, with their history. */
export const seedConditions: DeviceSeeder = async ({ write, now }, devices) => {
  const instant = (at: number | null | undefined) => (at === null || at === undefined ? null : new Date(at))
  await write(
    'condition',
    columns,
    map(
      devices.flatMap((device) =>
        conditionsOf(device, now).map((one) => ({ ...one, device, measure: measureOf(device, one) })),
      ),
      ({ device, kind, key, began, lastSeen, states, evidence, ended, ending, endEvidence, measure }) => [
        demoId(`${device.serial} ${kind} ${key} ${Math.round((now - began) / hour)}`),
        device.id,
        kind,
        key,
        instant(began),
        instant(lastSeen),
        states ?? null,
        evidence ?? {},
        instant(ended),
        ending,
        endEvidence ?? null,
        measure,
      ],
    ),
  )
}
