import { Button } from '@mantine/core'
import { IconDownload, IconTableExport } from '@tabler/icons-react'
import type { Import } from '@caretaker/contract/imports.ts'
import { Card } from '../../ui/card.tsx'
import type { Acts } from './use-import.ts'
import { counted, placeText } from './words.ts'
import classes from './imports.module.css'

/** Every cell that is not taken: where it stands, what it says, what happens instead and why. */
export function FaultsCard({ list, acts }: { list: Import; acts: Acts }) {
  const { cells, found } = list
  if (cells.length === 0) return undefined
  const all = found?.totals.refusedCells ?? cells.length
  return (
    <Card
      title="What is not taken"
      total={all}
      actions={
        <>
          {list.state === 'planned' && (
            <Button
              variant="default"
              leftSection={<IconTableExport size={16} aria-hidden />}
              disabled={acts.busy}
              onClick={() => void acts.saveMarked()}
            >
              Download rows to mend
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
      {all > cells.length && <p className={classes.hint}>The first {cells.length} are shown.</p>}
      <div className={classes.scroll} role="region" aria-label="Rows that are not taken" tabIndex={0}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Where it stands</th>
              <th scope="col">It says</th>
              <th scope="col">Why it is not taken</th>
              <th scope="col">What happens</th>
            </tr>
          </thead>
          <tbody>
            {cells.map((cell) => (
              <tr key={`${cell.sheet} ${cell.row} ${cell.column} ${cell.message}`}>
                <th scope="row">
                  {placeText(cell)}
                  <span className={classes.quiet}>
                    {' '}
                    {cell.column} {cell.header}
                  </span>
                </th>
                <td data-label="It says">
                  {cell.value ? <q>{cell.value}</q> : <span className={classes.quiet}>nothing</span>}
                </td>
                <td data-label="Why it is not taken">{cell.message}</td>
                <td data-label="What happens">
                  {cell.effect === 'row' ? 'The whole row is left' : 'This field stays as it is'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

/** What was planned and not written, or kept when the rest was undone. */
export function LeftCard({ list: { left, state, refused, kept } }: { list: Import }) {
  if (left.length === 0) return undefined
  const undone = state === 'undone'
  return (
    <Card
      title={undone ? 'What was kept, or had not been written' : 'What was not written'}
      total={undone ? kept + refused : refused}
    >
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

/** What was read otherwise than it is written, and is no fault. */
export function NotesCard({ list }: { list: Import }) {
  const { notes, moreNotes } = list.found!
  if (notes.length === 0) return undefined
  return (
    <Card title="Good to know" total={notes.length + moreNotes}>
      <details className={classes.details}>
        <summary>{counted(notes.length + moreNotes, 'row was', 'rows were')} read with a remark</summary>
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
