import {
  IconAlertTriangle,
  IconCheck,
  IconClockExclamation,
  IconLoader2,
  IconQuestionMark,
  IconX,
} from '../../icons/index.ts'
import type { RunOutcome } from '@caretaker/rules/lighting/run-outcome.ts'
import { outcomeWords } from '@caretaker/rules/lighting/run-outcome.ts'
import classes from './outcome.module.css'

const icons: Partial<Record<RunOutcome, typeof IconCheck>> = {
  passed: IconCheck,
  degraded: IconAlertTriangle,
  failed: IconX,
  missed: IconClockExclamation,
  running: IconLoader2,
  unknown: IconQuestionMark,
}

export function OutcomeIcon({ outcome, size = 14 }: { outcome: RunOutcome; size?: number }) {
  const Icon = icons[outcome]
  return Icon && <Icon size={size} stroke={2.2} aria-hidden />
}

/** The legend of run colours and icons. */
export function OutcomeLegend({ more = [] }: { more?: readonly ('next' | 'collides')[] }) {
  const shown = ['passed', 'degraded', 'failed', 'missed', 'planned'] as const
  return (
    <ul className={classes.legend} aria-label="Legend">
      {shown.map((outcome) => (
        <li key={outcome}>
          <span className={classes.sample} data-outcome={outcome}>
            <OutcomeIcon outcome={outcome} size={12} />
          </span>
          {outcomeWords[outcome]}
        </li>
      ))}
      {more.map((one) => (
        <li key={one}>
          <span
            className={classes.sample}
            data-outcome="planned"
            data-next={one === 'next' || undefined}
            data-collides={one === 'collides' || undefined}
          />
          {one === 'next' ? 'Next' : 'Collides'}
        </li>
      ))}
    </ul>
  )
}
