import { StatusIcon } from '../../ui/status-icon.tsx'
import classes from './test-schedules.module.css'

export interface ResultCounts {
  passed: number
  warning: number
  failed: number
}

const parts = [
  ['failed', 'failed'],
  ['warning', 'with a warning'],
  ['passed', 'passed'],
] as const

/** The number of lights by health with icons, worst first; zeros are left out. */
export function HealthFigures(fared: ResultCounts) {
  return (
    <span className={classes.figures}>
      {parts.map(
        ([tone, word]) =>
          fared[tone] > 0 && (
            <span key={tone} className={classes.figure} data-tone={tone}>
              <StatusIcon tone={tone} size={14} />
              {fared[tone].toLocaleString('en-GB')}
              <span className="visually-hidden"> {word}</span>
            </span>
          ),
      )}
    </span>
  )
}

/** The same as a bar: healthy is thin, and a single failure is visible. */
export function HealthBar(fared: ResultCounts) {
  return (
    <span className={classes.bar} aria-hidden>
      {(['passed', 'warning', 'failed'] as const).map(
        (tone) => fared[tone] > 0 && <i key={tone} data-tone={tone} style={{ flexGrow: fared[tone] }} />,
      )}
    </span>
  )
}
