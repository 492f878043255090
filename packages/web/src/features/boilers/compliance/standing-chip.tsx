import { dayText, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { ComplianceChip } from '../../../ui/compliance-chip.tsx'
import { useZone } from '../../../ui/zone.tsx'
import type { KnownStanding } from './standing.ts'

/** The compliance state, with the day of a failed check. */
export function StandingChip({ standing: { state, dueOn, failedOn } }: { standing: KnownStanding }) {
  const zone = useZone()
  return (
    <ComplianceChip state={state} dueAt={dueOn && startOfDay(dueOn, zone)}>
      {failedOn && `Failed ${dayText(failedOn)}`}
    </ComplianceChip>
  )
}
