import type { Property } from '@caretaker/contract/properties.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import { TimeOf } from '../../../ui/zone.tsx'
import classes from './awaabs-law.module.css'

type Entry = Property['awaabsLawHistory'][number]

/** Everything that was ever entered of a home's cases, the last first: repeats, hazards, corrections and cases that are closed. */
export function LawHistory({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) return undefined
  return (
    <details className={classes.history}>
      <summary>History</summary>
      <ol className={classes.entries} aria-label="History of cases">
        {entries.toReversed().map((entry) => (
          <li key={entry.id}>
            <b>{wordsOf(entry, entries)}</b>
            <span className={classes.quiet}>
              {`on ${dayText(entry.happenedOn)}${entry.dueOn ? `, due ${dayText(entry.dueOn)}` : ''}. Entered `}
              <TimeOf at={entry.enteredAt} />
              {` by ${entry.enteredBy}`}
            </span>
          </li>
        ))}
      </ol>
    </details>
  )
}

function wordsOf({ status, hazard, emergency, corrects }: Entry, entries: readonly Entry[]): string {
  const corrected = entries.find(({ id }) => id === corrects)
  if (corrected) return `${status}: date corrected from ${dayText(corrected.happenedOn)}`
  if (status === 'None') return 'Case closed'
  const said = [hazard, emergency === null ? undefined : emergency ? 'emergency' : 'no emergency'].filter(Boolean)
  return said.length ? `${status}: ${said.join(', ')}` : status
}
