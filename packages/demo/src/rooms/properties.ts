import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import type { LawContext } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { deadlinesOf, lateFrom, openDeadlines, runningDeadlines } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { casesOf, defaultAwaabsLaw } from '@caretaker/rules/properties/awaabs-law.ts'
import { caseColumns, columnsOf } from '@caretaker/server/features/properties/law-cases.ts'
import { chanceOf, demoId } from '../chance.ts'
import type { DemoDevice } from '../plan/device.ts'
import { dwellingOf } from '../plan/dwelling.ts'
import { accessRightsTagId } from '../plan/tenants.ts'
import type { Seeder } from '../seeding.ts'
import { recordsOf } from './compliance.ts'

const zone = 'Europe/London'

const columns = [
  ...['id', 'reference', 'address1', 'town', 'county', 'postcode', 'latitude', 'longitude'],
  ...['void_flag', 'access_rights_tag_id', 'epc_rating', 'architype', 'orientation', 'number_of_rooms'],
  ...['number_of_inhabitants', 'number_of_floors', 'apartment_level', 'last_gas_safety_check_on'],
  ...['last_chemical_test_on', 'awaabs_law_status', 'awaabs_law_since'],
  ...['awaabs_law_due_at', 'awaabs_law_late_at'],
]

export const seedProperties: Seeder = async ({ write, now, world: { plan, properties, devices } }) => {
  const tagId = accessRightsTagId(plan.id)
  const today = dayAt(now, zone)
  const withBoiler = new Set<string | null>()
  const recorded = new Map<string, Checks>()
  for (const device of devices()) {
    if (device.monitoring === 'Boiler') withBoiler.add(device.propertyId)
    if (device.propertyId) recorded.set(device.propertyId, laterOf(recorded.get(device.propertyId), device, now))
  }
  const at = (day: string) => new Date(startOfDay(day, zone))
  const homes = properties.map((home) => {
    const dwelling = dwellingOf({ ...home, hasBoiler: withBoiler.has(home.id) }, today)
    const { gas, water } = recorded.get(home.id) ?? {}
    // Some properties without a record have a date that a user entered; the others were never checked.
    const isStated = chanceOf(`stated check ${home.reference}`)() < 0.5
    const statedGas = gas || !isStated ? null : dwelling.gasCheckedOn
    const statedWater = water || !isStated ? null : dwelling.chemicalTestedOn
    const entries = dwelling.steps.map((step) => ({
      ...{ ...step, id: demoId(`${home.id} ${step.status}`), enteredAt: +at(step.on) },
    }))
    return { ...home, ...dwelling, entries, gasCheckedOn: statedGas, chemicalTestedOn: statedWater }
  })
  await write(
    'property',
    columns,
    homes.map((home) => [
      ...[home.id, home.reference, home.line, home.town, home.county, home.postcode, home.latitude, home.longitude],
      ...[home.isVoid ? 'Void' : 'NotVoid', home.patch && tagId(home.patch), home.epcRating, home.architype],
      ...[home.orientation, home.rooms, home.inhabitants, home.floors, home.apartmentLevel, home.gasCheckedOn],
      ...[home.chemicalTestedOn, home.steps.at(-1)?.status ?? 'None'],
      home.steps.at(-1) ? at(home.steps.at(-1)!.on) : null,
      ...dueOf(home.entries),
    ]),
  )
  await write(
    'awaabs_law_step',
    ['id', 'property_id', 'status', 'happened_on', 'entered_at', 'entered_by_name', 'due_on', 'hazard'],
    homes.flatMap(({ id, entries }) =>
      entries.map((entry, step) => [
        ...[entry.id, id, entry.status, entry.on, at(entry.on), 'Priya Nair'],
        ...[nextOf(entries.slice(0, step + 1))?.due.on ?? null, entry.hazard ?? null],
      ]),
    ),
  )
  // The same audit entry as when a user saves the step.
  await write(
    'audit_entry',
    ['id', 'at', 'person_name', 'action', 'subject_type', 'subject_id', 'subject_name', 'before', 'after'],
    homes.flatMap(({ id, reference, steps }) =>
      steps.map(({ status, on }, step) => [
        ...[demoId(`${id} ${status} audit`), at(on), 'Priya Nair'],
        ...[step === 0 ? "Awaab's Law case opened" : "Awaab's Law step entered", 'property', id, reference],
        ...[
          { awaabsLawStatus: steps[step - 1]?.status ?? 'None' },
          { awaabsLawStatus: status, awaabsLawHappenedOn: on },
        ],
      ]),
    ),
  )
  const cases = homes
    .flatMap(({ id, entries }) => casesOf(entries).map((one) => ({ home: id, one })))
    .toSorted((a, b) => (a.one.entries[0]!.on < b.one.entries[0]!.on ? -1 : 1))
  if (!cases.length) return
  const [{ one: first }] = cases as [(typeof cases)[number]]
  await write(
    'awaabs_law_case',
    ['id', 'property_id', 'number', ...Object.keys(caseColumns(first))],
    cases.map(({ home, one }, at) => [one.id, home, at + 1, ...Object.values(caseColumns(one))]),
  )
  const deadlines = cases.flatMap(({ home, one }) =>
    deadlinesOf(one, law).map((deadline, place) => ({
      ...{ case_id: one.id, place, property_id: home },
      ...columnsOf(deadline),
    })),
  )
  await write(
    'awaabs_law_deadline',
    Object.keys(deadlines[0]!),
    deadlines.map((row) => Object.values(row)),
  )
}

/** The legal figures. The demo's cases are about damp and mould, which the law has covered since phase 1. */
const law: LawContext = {
  figures: [{ until: null, figures: defaultAwaabsLaw }],
  coverage: { 'Damp and mould': { from: '2025-10-27', source: 'SI 2025/1042' } },
  zone,
}

type Entries = Parameters<typeof openDeadlines>[0]
const nextOf = (entries: Entries) => runningDeadlines(openDeadlines(entries, law), zone)[0]

/** When a property's next deadline is due, and from when it is overdue. */
function dueOf(entries: Entries): (Date | null)[] {
  const next = nextOf(entries)
  if (!next) return [null, null]
  const due = next.due.at ?? startOfDay(next.due.on, zone)
  return [new Date(due), new Date(lateFrom(next.due, zone))]
}

/** The last checks of a property according to its boilers' records. */
interface Checks {
  gas?: Day
  water?: Day
}

function laterOf(known: Checks = {}, device: DemoDevice, now: number): Checks {
  const records = recordsOf(device, now)
  const last = (type: RecordType) => records.findLast((one) => one.type === type)?.day
  const [gas, water] = [last('GasSafety'), last('WaterTreatment')]
  return {
    ...known,
    ...(gas && gas > (known.gas ?? '') && { gas }),
    ...(water && water > (known.water ?? '') && { water }),
  }
}
