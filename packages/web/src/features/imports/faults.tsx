import { Fragment } from 'react'
import { Button } from '@mantine/core'
import { IconDownload, IconTableExport } from '../../icons/index.ts'
import type { Import, ImportFault } from '@caretaker/contract/imports.ts'
import { Card } from '../../ui/card.tsx'
import type { Acts } from './use-import.ts'
import { counted, placesText, placeText } from './words.ts'
import classes from './imports.module.css'

/** Rejected values: equal faults of a column in one row, with location, value, effect and reason. */
export function FaultsCard({ list, acts }: { list: Import; acts: Acts }) {
  const { found } = list
  // Values of open questions are listed above and not repeated here.
  const asked = new Set(list.state === 'planned' ? found?.questions.map(({ message }) => message) : [])
  const faults = list.faults.filter(({ message }) => !asked.has(message))
  const answerable = list.faults.filter(({ message }) => asked.has(message)).reduce((sum, { rows }) => sum + rows, 0)
  const shown = faults.reduce((sum, { rows }) => sum + rows, 0)
  if (shown === 0) return undefined
  const all = (found?.totals.refusedCells ?? shown + answerable) - answerable
  return (
    <Card
      title="Rejected values"
      total={all}
      actions={
        <>
          {list.hasRejectedRows && (
            <Button
              variant="default"
              leftSection={<IconTableExport size={16} aria-hidden />}
              disabled={acts.busy}
              onClick={() => void acts.saveMarked()}
            >
              Download rejected rows
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            disabled={acts.busy}
            onClick={() => void acts.saveFaults()}
          >
            Download all
          </Button>
        </>
      }
    >
      {all > shown && <p className={classes.hint}>The first {shown.toLocaleString('en-GB')} are shown.</p>}
      <div className={classes.scroll} role="region" aria-label="Table of rejected values" tabIndex={0}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Location</th>
              <th scope="col">Value</th>
              <th scope="col">Reason</th>
              <th scope="col">Effect</th>
            </tr>
          </thead>
          <tbody>
            {faults.map((fault) => (
              <tr key={`${fault.sheet} ${fault.column} ${fault.effect} ${fault.message}`}>
                <th scope="row">
                  {placesText(fault)}
                  <span className={classes.quiet}>
                    {' '}
                    {fault.column} {fault.header}
                  </span>
                </th>
                <td data-label="Value">
                  <Texts fault={fault} />
                </td>
                <td data-label="Reason">{fault.message}</td>
                <td data-label="Effect">{happens(fault)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

function Texts({ fault: { texts, someTexts } }: { fault: ImportFault }) {
  const more = texts - someTexts.length
  return (
    <>
      {someTexts.map((text, at) => (
        <Fragment key={text}>
          {at > 0 && ', '}
          {text ? <q>{text}</q> : <span className={classes.quiet}>empty</span>}
        </Fragment>
      ))}
      {more > 0 && <span className={classes.quiet}> and {more.toLocaleString('en-GB')} more</span>}
    </>
  )
}

const happens = ({ effect, rows }: ImportFault) =>
  effect === 'row'
    ? rows > 1
      ? 'These rows are skipped'
      : 'This row is skipped'
    : rows > 1
      ? 'These fields are unchanged'
      : 'This field is unchanged'

/** Records that were planned but not written, or kept during an undo. */
export function LeftCard({ list: { left, state, refused, kept } }: { list: Import }) {
  if (left.length === 0) return undefined
  const undone = state === 'undone'
  return (
    <Card title={undone ? 'Kept or not written' : 'Not written'} total={undone ? kept + refused : refused}>
      <ul className={classes.reasons}>
        {left.map((item) => (
          <li key={`${item.sheet} ${item.row} ${item.kind}`}>
            <b>{item.name}</b> <span className={classes.quiet}>{placeText(item)}</span>
            <span>{item.reason}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Values that were converted without being faults. */
export function NotesCard({ list }: { list: Import }) {
  const { notes, moreNotes } = list.found!
  if (notes.length === 0) return undefined
  return (
    <Card title="Remarks" total={notes.length + moreNotes}>
      <details className={classes.details}>
        <summary>{counted(notes.length + moreNotes, 'row', 'rows')} with a remark</summary>
        <ul className={classes.reasons}>
          {notes.map((note) => (
            <li key={`${note.sheet} ${note.row} ${note.code}`}>
              <b>{placeText(note)}</b>
              <span>{note.message}</span>
            </li>
          ))}
        </ul>
      </details>
    </Card>
  )
}
