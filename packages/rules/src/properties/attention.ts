import { workingDaysAfter } from '../calendar/bank-holidays.ts'
import type { Day } from '../calendar/days.ts'
import type { ComplianceState } from '../compliance/due.ts'
import type { Filter, Sort } from '../lists/filters.ts'
import { pressingDampLevels } from './damp.ts'
import { heatingOffStates } from './heating.ts'
import type { PropertyFieldId } from './list.ts'

/** Why properties need attention, worst first. */
export const homeCases = [
  'legal deadlines',
  'gas failed',
  'gas overdue',
  'damp risk',
  'heating off',
  'gas due',
  'void at risk',
  'water treatments',
] as const
export type HomeCaseName = (typeof homeCases)[number]

/** The filters of a case in the property list: the server counts these rows, and the link opens them. */
export interface HomeCaseView {
  filters: Filter[]
  sorts: Sort[]
  columns: PropertyFieldId[]
}

/** Working days ahead in which an Awaab's Law deadline needs attention. */
export const legalDeadlineDays = 10

const ofHome: PropertyFieldId[] = ['propertyReference', 'address']
const oneOf = (fieldId: PropertyFieldId, value: readonly string[]): Filter => ({
  fieldId,
  filterOp: 'anyof',
  value: [...value],
})
const ascending = (...fields: PropertyFieldId[]): Sort[] => fields.map((fieldId) => ({ fieldId, descending: false }))

const gasView = (states: ComplianceState[]): HomeCaseView => ({
  filters: [oneOf('gasSafety', states)],
  sorts: ascending(...(states.length > 1 ? (['gasSafety'] as const) : []), 'gasSafetyDue'),
  columns: [...ofHome, 'gasSafety', 'gasSafetyDue', 'gasSafetyCertificate', 'voidStatus', 'status'],
})

/** `today` is the date in the client's time zone. */
export function homeCaseView(name: HomeCaseName, today: Day): HomeCaseView {
  switch (name) {
    case 'legal deadlines':
      return {
        filters: [{ fieldId: 'awaabsLawDue', filterOp: 'to', value: workingDaysAfter(today, legalDeadlineDays) }],
        sorts: ascending('awaabsLawDue'),
        columns: [...ofHome, 'awaabsLawStatus', 'awaabsLawDue', 'awaabsLawMissed', 'damp', 'status'],
      }
    case 'gas failed':
      return gasView(['Failed'])
    case 'gas overdue':
      return gasView(['Overdue', 'NeverChecked'])
    case 'gas due':
      return gasView(['Due'])
    case 'water treatments':
      return {
        filters: [oneOf('waterTreatment', ['Failed', 'Overdue', 'Due'])],
        sorts: ascending('waterTreatment', 'waterTreatmentDue'),
        columns: [...ofHome, 'waterTreatment', 'waterTreatmentDue', 'voidStatus', 'status'],
      }
    case 'damp risk':
      return {
        filters: [oneOf('damp', pressingDampLevels)],
        sorts: [{ fieldId: 'damp', descending: true }],
        columns: [...ofHome, 'damp', 'dampSince', 'dampReason', 'awaabsLawStatus', 'status'],
      }
    // No one in a void property needs heating, but its pipes can freeze.
    case 'heating off':
      return heatingView({ fieldId: 'voidStatus', filterOp: 'noneof', value: ['Void'] })
    case 'void at risk':
      return heatingView(oneOf('voidStatus', ['Void']))
  }
}

const heatingView = (voidStatus: Filter): HomeCaseView => ({
  filters: [oneOf('heating', heatingOffStates), voidStatus],
  sorts: ascending('propertyReference'),
  columns: [...ofHome, 'heating', 'status', 'statusReason', 'voidStatus'],
})
