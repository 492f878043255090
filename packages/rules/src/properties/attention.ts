import { workingDaysAfter } from '../calendar/bank-holidays.ts'
import type { Day } from '../calendar/days.ts'
import type { ComplianceState } from '../compliance/due.ts'
import type { Filter, Sort } from '../lists/filters.ts'
import { pressingDampLevels } from './damp.ts'
import { heatingOffStates } from './heating.ts'
import type { PropertyFieldId } from './list.ts'

/** What homes need attention for, the worst first. */
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

/** What the list of homes shows of a case: the server counts by these filters, and the link beside the count opens them. */
export interface HomeCaseView {
  filters: Filter[]
  sorts: Sort[]
  columns: PropertyFieldId[]
}

/** Working days ahead in which a deadline of Awaab's Law counts among what needs attention. */
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

/** `today` is the client's day, by which deadlines count. */
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
    // A void home has nobody in it who needs the heating; its pipes may freeze all the same.
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
