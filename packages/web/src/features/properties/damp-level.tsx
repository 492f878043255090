import type { DampLevel } from '@caretaker/rules/properties/damp.ts'
import { dampLevelWords } from '@caretaker/rules/properties/damp.ts'
import { StatusIcon } from '../../ui/status-icon.tsx'
import classes from './damp-level.module.css'

const tones = {
  'not assessed': 'not-installed',
  low: 'passed',
  watch: 'warning',
  high: 'failed',
  severe: 'failed',
} as const

/** The damp and mould risk; an unknown level is shown in grey, not as good. */
export function DampLevelView({ level }: { level: DampLevel }) {
  return (
    <span className={classes.level} data-quiet={level === 'not assessed' || undefined}>
      <StatusIcon tone={tones[level]} size={14} />
      {dampLevelWords[level]}
    </span>
  )
}
