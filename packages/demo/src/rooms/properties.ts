import { dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { defaultFigures, monthsAfter } from '@caretaker/rules/compliance/due.ts'
import type { AwaabsLawStep } from '@caretaker/rules/properties/awaabs-law.ts'
import { awaabsLawDue, defaultAwaabsLaw } from '@caretaker/rules/properties/awaabs-law.ts'
import { demoId } from '../chance.ts'
import { dwellingOf } from '../plan/dwelling.ts'
import { accessRightsTagId } from '../plan/tenants.ts'
import type { Seeder } from '../seeding.ts'

const zone = 'Europe/London'

const columns = [
  ...['id', 'reference', 'address1', 'town', 'county', 'postcode', 'latitude', 'longitude'],
  ...['void_flag', 'access_rights_tag_id', 'epc_rating', 'architype', 'orientation', 'number_of_rooms'],
  ...['number_of_inhabitants', 'number_of_floors', 'apartment_level', 'last_gas_safety_check_on', 'gas_check_due_at'],
  ...['last_chemical_test_on', 'awaabs_law_status', 'awaabs_law_since', 'awaabs_law_due_at'],
]

export const seedProperties: Seeder = async ({ write, now, world: { plan, properties, devices } }) => {
  const tagId = accessRightsTagId(plan.id)
  const today = dayAt(now, zone)
  const withBoiler = new Set<string | null>()
  for (const { monitoring, propertyId } of devices()) if (monitoring === 'Boiler') withBoiler.add(propertyId)
  const homes = properties.map((home) => ({
    ...home,
    ...dwellingOf({ ...home, hasBoiler: withBoiler.has(home.id) }, today),
  }))
  const at = (day: string) => new Date(startOfDay(day, zone))
  await write(
    'property',
    columns,
    homes.map((home) => [
      ...[home.id, home.reference, home.line, home.town, home.county, home.postcode, home.latitude, home.longitude],
      ...[home.isVoid ? 'Void' : 'NotVoid', home.patch && tagId(home.patch), home.epcRating, home.architype],
      ...[home.orientation, home.rooms, home.inhabitants, home.floors, home.apartmentLevel, home.gasCheckedOn],
      home.gasCheckedOn && at(monthsAfter(home.gasCheckedOn, defaultFigures.GasSafety.months)),
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
}

const dueOf = (steps: readonly AwaabsLawStep[]) => awaabsLawDue(steps, defaultAwaabsLaw)
