import type { ReactNode } from 'react'
import { displayGroup, displayGroupWords, furtherWord, statusWords } from '@caretaker/rules/devices/status.ts'
import { StatusIcon, toneOfGroup } from './status-icon.tsx'
import classes from './status-chip.module.css'

interface StatusChipProps {
  /** The exact status, e.g. 'RepairedDevice'. One that no group knows is shown as it is, in neutral colours. */
  status: string
  /** Why it is so, in a word or two, e.g. 'Battery T180'; stands after the chip in place of the exact status. */
  reason?: string | null
  /** A test under way: stands after the reason and is no status itself. */
  running?: ReactNode
  /** Puts the exact status into the chip, as page headers do, and nothing after it. */
  exact?: boolean
  /** The chip alone, where there is little room. */
  brief?: boolean
}

/** Whether it is safe: colour, icon and word of the status group, the exact status dimmed after it. */
export function StatusChip({ status, reason, running, exact, brief }: StatusChipProps) {
  const group = displayGroup(status)
  const tone = group ? toneOfGroup[group] : 'not-installed'
  const full = statusWords(status)
  const groupWord = group ? displayGroupWords[group] : full
  const word = exact && group !== 'Passed' ? full : groupWord
  // In a narrow column there is room for one of them, and the reason says more.
  const detail = exact || brief ? undefined : reason || furtherWord(status)
  return (
    <span className={classes.status}>
      <span className={classes.chip} data-tone={tone} title={full === word ? undefined : full}>
        <StatusIcon tone={tone} size={14} />
        {word}
      </span>
      {detail && (
        <span className={classes.detail} title={reason ? `${full}: ${reason}` : full}>
          {detail}
        </span>
      )}
      {running && <span className={classes.detail}>{running}</span>}
    </span>
  )
}
