import type { ComplianceState } from '../compliance/due.ts'
import type { Filter, Sort } from '../lists/filters.ts'
import { heatingOffStates } from './heating.ts'

/** What homes need attention for besides damp and cases under Awaab's Law, the worst first. */
export const homeCases = ['gas failed', 'gas overdue', 'heating off', 'gas due', 'water treatments'] as const
export type HomeCaseName = (typeof homeCases)[number]

/** What the list of homes shows of a case: the server counts by these filters, and the link beside the count opens them. */
export interface HomeCaseView {
  filters: Filter[]
  sorts: Sort[]
}

const gas = (...states: ComplianceState[]): Filter => ({ fieldId: 'gasSafety', filterOp: 'anyof', value: states })
const worstFirst = (state: string, due: string): Sort[] => [
  { fieldId: state, descending: false },
  { fieldId: due, descending: false },
]

export function homeCaseView(name: HomeCaseName): HomeCaseView {
  switch (name) {
    case 'gas failed':
      return { filters: [gas('Failed')], sorts: worstFirst('gasSafety', 'gasSafetyDue') }
    case 'gas overdue':
      return { filters: [gas('Overdue', 'NeverChecked')], sorts: worstFirst('gasSafety', 'gasSafetyDue') }
    case 'gas due':
      return { filters: [gas('Due')], sorts: [{ fieldId: 'gasSafetyDue', descending: false }] }
    case 'water treatments':
      return {
        filters: [{ fieldId: 'waterTreatment', filterOp: 'anyof', value: ['Failed', 'Overdue', 'Due'] }],
        sorts: worstFirst('waterTreatment', 'waterTreatmentDue'),
      }
    // A void home has nobody in it who needs the heating.
    case 'heating off':
      return {
        filters: [
          { fieldId: 'heating', filterOp: 'anyof', value: heatingOffStates },
          { fieldId: 'voidStatus', filterOp: 'noneof', value: ['Void'] },
        ],
        sorts: [{ fieldId: 'propertyReference', descending: false }],
      }
  }
}
