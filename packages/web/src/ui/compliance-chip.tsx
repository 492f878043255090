import type { ReactNode } from 'react'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { dueText, stateWords } from '@caretaker/rules/compliance/due.ts'
import type { Instant } from './age.ts'
import { useToday } from './age-view.tsx'
import { StatusIcon } from './status-icon.tsx'
import type { StatusTone } from './theme.ts'
import { useZone } from './zone.tsx'
import classes from './status-chip.module.css'

const tones: Record<ComplianceState, StatusTone> = {
  NoRecord: 'not-installed',
  InDate: 'passed',
  Due: 'warning',
  Overdue: 'failed',
  Failed: 'failed',
}

interface ComplianceChipProps {
  state: ComplianceState
  /** On which day the next check is due. */
  dueAt: Instant | null
  /** In place of the words. */
  children?: ReactNode
}

/** How it stands with a check that comes round: colour, icon, and by how many days. */
export function ComplianceChip({ state, dueAt, children }: ComplianceChipProps) {
  const zone = useZone()
  const today = useToday()
  const counts = dueAt !== null && (state === 'Due' || state === 'Overdue')
  const words = counts ? dueText(dayAt(new Date(dueAt).getTime(), zone), today) : stateWords[state]
  return (
    <span className={classes.chip} data-tone={tones[state]}>
      <StatusIcon tone={tones[state]} size={14} />
      {children ?? words}
    </span>
  )
}
