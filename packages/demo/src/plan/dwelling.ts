import type { Day } from '@caretaker/rules/calendar/days.ts'
import { workingDaysBefore } from '@caretaker/rules/calendar/bank-holidays.ts'
import { dayAfter } from '@caretaker/rules/calendar/days.ts'
import { monthsAfter } from '@caretaker/rules/compliance/due.ts'
import type { AwaabsLawStep } from '@caretaker/rules/properties/awaabs-law.ts'
import type { Architype, AwaabsLawStatus } from '@caretaker/rules/properties/details.ts'
import { architypes } from '@caretaker/rules/properties/details.ts'
import type { CompassPoint, EnergyRating } from '@caretaker/rules/properties/dwelling.ts'
import { compassPoints } from '@caretaker/rules/properties/dwelling.ts'
import { demoHomes } from '../fixtures.ts'
import { chanceOf, pick, weighted, whole } from '../chance.ts'

/** The demo's data about a property, apart from its location and devices. */
export interface Dwelling {
  epcRating: Exclude<EnergyRating, 'NoRating'> | null
  architype: Architype
  orientation: CompassPoint
  rooms: number
  inhabitants: number | null
  floors: number
  apartmentLevel: number | null
  gasCheckedOn: Day | null
  chemicalTestedOn: Day | null
  /** The steps of its open Awaab's Law case. */
  steps: AwaabsLawStep[]
}

/** Properties with an Awaab's Law case: how many working days ago each step started. */
const cases: Readonly<Record<string, readonly (readonly [AwaabsLawStatus, number])[]>> = {
  [demoHomes.damp]: [
    ['Investigation', 12],
    ['Summary', 4],
    ['Repairs', 3],
  ],
  [demoHomes.underHeated]: [['Investigation', 2]],
  [demoHomes.dropsOut]: [
    ['Investigation', 40],
    ['Summary', 33],
    ['Repairs', 31],
    ['Audit', 26],
    ['Feedback', 14],
  ],
  [demoHomes.lively]: [
    ['Investigation', 21],
    ['Summary', 14],
    ['Repairs', 12],
    ['Audit', 6],
  ],
}

/**
 * The data for a property reference, which are the same whenever the demo is created.
 * @param today the day of creation, from which dates are counted back
 */
export function dwellingOf(
  { reference, isVoid, hasBoiler }: { reference: string; isVoid: boolean; hasBoiler: boolean },
  today: Day,
): Dwelling {
  const chance = chanceOf(`dwelling ${reference}`)
  const architype = pick(chance, architypes)
  const isApartment = architype.startsWith('Apartment')
  const gasCheckedOn = dayAfter(today, -whole(chance, 2, 340))
  return {
    epcRating: weighted(chance, [
      ['B', 12],
      ['C', 44],
      ['D', 30],
      ['E', 8],
      ['F', 1],
      [null, 5],
    ]),
    architype,
    orientation: pick(chance, compassPoints),
    rooms: whole(chance, 2, 7),
    inhabitants: isVoid ? null : whole(chance, 1, 5),
    floors: isApartment ? 1 : 2,
    apartmentLevel: isApartment ? whole(chance, 0, 11) : null,
    gasCheckedOn: hasBoiler
      ? reference === demoHomes.gasCheckDue
        ? dayAfter(monthsAfter(today, -12), 8)
        : gasCheckedOn
      : null,
    chemicalTestedOn: hasBoiler ? dayAfter(today, -whole(chance, 20, 340)) : null,
    steps: (cases[reference] ?? []).map(([status, ago], at) => ({
      ...{ status, on: workingDaysBefore(today, ago) },
      ...(at === 0 && { hazard: 'Damp and mould' as const }),
    })),
  }
}
