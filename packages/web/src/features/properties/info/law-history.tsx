import type { Property } from '@caretaker/contract/properties.ts'
import { changeOf } from '@caretaker/rules/properties/awaabs-history.ts'
import { TimeOf, useZone } from '../../../ui/zone.tsx'
import { entriesIn } from './law-entries.ts'
import classes from './awaabs-law.module.css'

/** Every entry of a property's cases, newest first, with old and new values. */
export function LawHistory({ entries }: { entries: Property['awaabsLawHistory'] }) {
  const zone = useZone()
  if (entries.length === 0) return undefined
  const all = entriesIn(entries)
  return (
    <details className={classes.history}>
      <summary>History</summary>
      <ol className={classes.entries} aria-label="History of cases">
        {all.toReversed().map((entry) => (
          <li key={entry.id}>
            <b>{changeOf(entry, all.slice(0, all.indexOf(entry) + 1), zone).text}</b>
            <span className={classes.quiet}>
              {entry.reason && `${entry.reason}. `}
              {'Entered '}
              <TimeOf at={entry.enteredAt} />
              {` by ${entry.enteredBy}`}
            </span>
          </li>
        ))}
      </ol>
    </details>
  )
}
