import { StatusChip } from '../../ui/status-chip.tsx'
import { isPlainClick } from '../../ui/link.tsx'
import type { Entry, Group } from './entries.ts'
import { partsFound } from '@caretaker/rules/texts/search-form.ts'
import classes from './palette.module.css'

interface ResultsProps {
  id: string
  groups: readonly Group[]
  /** The typed text, highlighted in the results. */
  text: string
  active: Entry | undefined
  optionId: (entry: Entry) => string
  onPoint: (entry: Entry) => void
  onChoose: (entry: Entry, inNewTab: boolean) => void
}

/** The results in groups; the field above keeps the focus. */
export function Results({ id, groups, text, active, optionId, onPoint, onChoose }: ResultsProps) {
  return (
    <div id={id} role="listbox" aria-label="Results">
      {groups.map(({ name, found, entries }, at) => (
        <div key={entries[0]?.id} role="group" aria-labelledby={`${id}-group-${at}`}>
          <div className={classes.group} role="presentation">
            <span id={`${id}-group-${at}`}>{name}</span>
            {found !== undefined && found > 1 && <span>{found.toLocaleString('en-GB')} found</span>}
          </div>
          {entries.map((entry) => (
            <div
              key={entry.id}
              id={optionId(entry)}
              className={classes.entry}
              role="option"
              data-beneath={entry.beneath}
              aria-selected={entry === active}
              onMouseMove={() => entry !== active && onPoint(entry)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={(event) => onChoose(entry, !isPlainClick(event))}
              onAuxClick={(event) => event.button === 1 && onChoose(entry, true)}
            >
              {entry.icon}
              <span className={classes.words}>
                <span className={classes.label}>
                  <Marked label={entry.label} text={text} />
                </span>
                {entry.detail && (
                  <span className={classes.detail}>
                    <Marked label={entry.detail} text={text} />
                  </span>
                )}
              </span>
              {entry.status && <StatusChip status={entry.status} brief />}
              {entry.shortcut && <kbd className={classes.key}>{entry.shortcut}</kbd>}
              {entry === active && !entry.shortcut && (
                <kbd className={classes.key} aria-hidden>
                  ↵
                </kbd>
              )}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

function Marked({ label, text }: { label: string; text: string }) {
  return partsFound(text, label).map(({ part, isFound }, at) =>
    // oxlint-disable-next-line react/no-array-index-key -- parts of one text have no other key
    isFound ? <mark key={at}>{part}</mark> : <span key={at}>{part}</span>,
  )
}
