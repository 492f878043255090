import { workingDaysAfter } from '../calendar/bank-holidays.ts'
import type { Day } from '../calendar/days.ts'
import type { Filter, Sort } from '../lists/filters.ts'
import { pressingDampLevels } from './damp.ts'

/** Working days ahead in which a deadline of Awaab's Law counts among what needs attention. */
export const legalDeadlineDays = 10

/** Which rows of the list of Properties a count is: what the server counts, and what the link beside the count opens. */
export interface AttentionList {
  filters: Filter[]
  sorts: Sort[]
  columns: string[]
}

/** Homes with a deadline of Awaab's Law that is overdue, or due within 10 working days. */
export const legalDeadlineList = (today: Day): AttentionList => ({
  filters: [{ fieldId: 'awaabsLawDue', filterOp: 'to', value: workingDaysAfter(today, legalDeadlineDays) }],
  sorts: [{ fieldId: 'awaabsLawDue', descending: false }],
  columns: ['propertyReference', 'address', 'awaabsLawStatus', 'awaabsLawDue', 'awaabsLawMissed', 'damp', 'status'],
})

/** Homes at high or severe risk of damp and mould, the worst first. */
export const dampRiskList = (): AttentionList => ({
  filters: [{ fieldId: 'damp', filterOp: 'anyof', value: [...pressingDampLevels] }],
  sorts: [{ fieldId: 'damp', descending: true }],
  columns: ['propertyReference', 'address', 'damp', 'dampSince', 'dampReason', 'awaabsLawStatus', 'status'],
})
