import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import type { AwaabsLawStep } from '@caretaker/rules/properties/awaabs-law.ts'
import { awaabsLawDue, defaultAwaabsLaw } from '@caretaker/rules/properties/awaabs-law.ts'
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
  ...['last_chemical_test_on', 'awaabs_law_status', 'awaabs_law_since', 'awaabs_law_due_at'],
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
    // Of homes without a record some have a date that was only stated, and the others were never checked.
    const isStated = chanceOf(`stated check ${home.reference}`)() < 0.5
    const statedGas = gas || !isStated ? null : dwelling.gasCheckedOn
    const statedWater = water || !isStated ? null : dwelling.chemicalTestedOn
    return { ...home, ...dwelling, gasCheckedOn: statedGas, chemicalTestedOn: statedWater }
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
      dueOf(home.steps) && at(dueOf(home.steps)!),
    ]),
  )
  await write(
    'awaabs_law_step',
    ['id', 'property_id', 'status', 'happened_on', 'entered_at', 'entered_by_name', 'due_on'],
    homes.flatMap(({ id, steps }) =>
      steps.map(({ status, on }, step) => [
        ...[demoId(`${id} ${status}`), id, status, on, at(on), 'Priya Nair', dueOf(steps.slice(0, step + 1))],
      ]),
    ),
  )
  // As saving each step records it.
  await write(
    'audit_entry',
    ['id', 'at', 'person_name', 'action', 'subject_type', 'subject_id', 'subject_name', 'before', 'after'],
    homes.flatMap(({ id, reference, steps }) =>
      steps.map(({ status, on }, step) => [
        ...[
          demoId(`${id} ${status} audit`),
          at(on),
          'Priya Nair',
          'property details changed',
          'property',
          id,
          reference,
        ],
        ...[
          { awaabsLawStatus: steps[step - 1]?.status ?? 'None' },
          { awaabsLawStatus: status, awaabsLawHappenedOn: on },
        ],
      ]),
    ),
  )
}

/** The last checks of a home that the records of its boilers tell. */
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

const dueOf = (steps: readonly AwaabsLawStep[]) => awaabsLawDue(steps, defaultAwaabsLaw)
