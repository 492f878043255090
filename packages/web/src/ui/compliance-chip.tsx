import type { ReactNode } from 'react'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { complianceGroups, dueText, stateWords } from '@caretaker/rules/compliance/due.ts'
import type { Instant } from './age.ts'
import { useToday } from './age-view.tsx'
import { StatusIcon } from './status-icon.tsx'
import type { StatusTone } from './tokens.ts'
import { useZone } from './zone.tsx'
import classes from './status-chip.module.css'

const tonesOfGroups = { None: 'not-installed', Passed: 'passed', Warning: 'warning', Failed: 'failed' } as const
/** The colour and icon of a state. */
export const complianceTone = (state: ComplianceState): StatusTone => tonesOfGroups[complianceGroups[state]]

interface ComplianceChipProps {
  state: ComplianceState
  /** The due date of the next check. */
  dueAt: Instant | null
  /** Replaces the text. */
  children?: ReactNode
}

/** The state of a recurring check: colour, icon, and number of days. */
export function ComplianceChip({ state, dueAt, children }: ComplianceChipProps) {
  const zone = useZone()
  const today = useToday()
  const counts = dueAt !== null && (state === 'Due' || state === 'Overdue')
  const words = counts ? dueText(dayAt(new Date(dueAt).getTime(), zone), today) : stateWords[state]
  return (
    <span className={classes.chip} data-tone={complianceTone(state)}>
      <StatusIcon tone={complianceTone(state)} size={14} />
      {children ?? words}
    </span>
  )
}
