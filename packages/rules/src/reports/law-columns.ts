import type { Day } from '../calendar/days.ts'
import type { BreachState } from '../properties/breach-states.ts'
import type { Due, LawDeadline } from '../properties/awaabs-deadlines.ts'
import { lateForTable } from '../properties/awaabs-deadlines.ts'
import type { DeadlineStateWord } from '../properties/awaabs-words.ts'
import { deadlineName } from '../properties/awaabs-words.ts'
import type { ColumnOf, ReportCell } from './columns.ts'

/** An Awaab's Law case with one of its deadlines. */
export interface LawRow {
  propertyReference: string
  address: string
  postcode: string
  patch: string | null
  number: string
  hazard: string | null
  isEmergency: boolean
  aware: Due
  status: string
  closedOn: Day | null
  closeReason: string | null
  /** Null if the law sets no deadline. */
  deadline: (LawDeadline & { state: BreachState | undefined }) | null
  word: DeadlineStateWord | null
  late: { ms: number } | { days: number } | undefined
}

const regulations = 'SI 2025/1042, with the figures of the client and working days of England.'
const entered = 'The entries of the case.'
const none = 'Empty if the law sets no deadline for the case.'
const ofHome = "The client's record of the property."
const due = (one: Due | null | undefined): ReportCell =>
  one ? (one.at === null ? { day: one.on } : { at: one.at }) : null

export const lawColumns: readonly ColumnOf<LawRow>[] = [
  {
    label: 'Property REF',
    formula: 'Its current reference.',
    source: ofHome,
    tooFew: 'Empty if it has none.',
    cell: (row) => row.propertyReference,
  },
  {
    label: 'Address',
    formula: 'Its current address.',
    isPersonal: true,
    source: ofHome,
    tooFew: 'Empty if unknown.',
    cell: (row) => row.address,
  },
  {
    label: 'Postcode',
    formula: 'Its current postcode.',
    isPersonal: true,
    source: ofHome,
    tooFew: 'Empty if unknown.',
    cell: (row) => row.postcode,
  },
  {
    label: 'Patch',
    formula: 'Its current access rights tag.',
    source: ofHome,
    tooFew: 'Empty if it has none.',
    cell: (row) => row.patch,
  },
  {
    label: 'Case',
    formula: 'The number of the case.',
    source: entered,
    tooFew: 'Never empty.',
    cell: (row) => row.number,
  },
  {
    label: 'Hazard',
    formula: 'The current hazard.',
    source: entered,
    tooFew: 'Empty if it was not set.',
    cell: (row) => row.hazard,
  },
  {
    label: 'Emergency',
    formula: 'Whether the case is currently an emergency.',
    source: entered,
    tooFew: 'Never empty.',
    cell: (row) => (row.isEmergency ? 'Yes' : 'No'),
  },
  {
    label: 'Aware since',
    formula: 'When the landlord became aware.',
    source: entered,
    tooFew: 'Never empty.',
    cell: (row) => due(row.aware),
  },
  {
    label: 'Current step',
    formula: 'The current step of the case.',
    source: entered,
    tooFew: 'Never empty: Closed if the case is closed.',
    cell: (row) => (row.status === 'None' ? 'Closed' : row.status),
  },
  {
    label: 'Deadline',
    formula: 'The step of the deadline.',
    source: regulations,
    tooFew: none,
    cell: (row) => row.deadline && deadlineName(row.deadline),
  },
  {
    label: 'Due',
    formula: 'The earlier of the usual deadline and that of an emergency.',
    source: regulations,
    tooFew: none,
    cell: (row) => due(row.deadline?.due),
  },
  {
    label: 'Due by law',
    formula: 'The deadline according to the time limits of the law.',
    source: 'SI 2025/1042.',
    tooFew: none,
    cell: (row) => due(row.deadline && (row.deadline.lawDue ?? row.deadline.due)),
  },
  {
    label: 'Done',
    formula: 'When the step was completed.',
    source: entered,
    tooFew: 'Empty if it is not completed.',
    cell: (row) => due(row.deadline?.done),
  },
  {
    label: 'State',
    formula: 'The current state of the deadline.',
    source: regulations,
    tooFew: none,
    cell: (row) => row.word,
  },
  {
    label: 'Late',
    formula: 'Working days late; for an emergency, hours and minutes.',
    source: regulations,
    tooFew: 'Empty if it was met.',
    cell: (row) => (row.late ? lateForTable(row.late) : null),
  },
  {
    label: 'Closed',
    formula: 'When the case was closed.',
    source: entered,
    tooFew: 'Empty if it is open.',
    cell: (row) => row.closedOn && { day: row.closedOn },
  },
  {
    label: 'Reason',
    formula: 'Why it was closed.',
    source: entered,
    tooFew: 'Empty if it is open.',
    cell: (row) => row.closeReason,
  },
]
