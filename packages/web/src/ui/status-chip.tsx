import type { ReactNode } from 'react'
import { displayGroup, displayGroupWords, furtherWord, statusWords } from '@caretaker/rules/devices/status.ts'
import { StatusIcon, toneOfGroup } from './status-icon.tsx'
import classes from './status-chip.module.css'

interface StatusChipProps {
  /** The exact status, for example 'RepairedDevice'. An unknown one is shown unchanged in neutral colours. */
  status: string
  /** The reason in a word or two, for example 'Battery T180'; shown after the chip instead of the exact status. */
  reason?: string | null
  /** A running test: after the reason, and not a status itself. */
  running?: ReactNode
  /** Puts the exact status into the chip, as in page headers, and nothing after it. */
  exact?: boolean
  /** Only the chip, for little space. */
  brief?: boolean
}

/** The status: colour, icon and text of the status group, with the exact status dimmed after it. */
export function StatusChip({ status, reason, running, exact, brief }: StatusChipProps) {
  const group = displayGroup(status)
  const tone = group ? toneOfGroup[group] : 'not-installed'
  const full = statusWords(status)
  const groupWord = group ? displayGroupWords[group] : full
  const word = exact && group !== 'Passed' ? full : groupWord
  // A narrow column has room for only one of the two, and the reason is more informative.
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
