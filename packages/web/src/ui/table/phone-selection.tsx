import { Button } from '@mantine/core'
import type { RowSelection } from './props.ts'
import type { RangeStep } from './row-events.ts'
import { SelectPage } from './select-page.tsx'
import classes from '../data-table.module.css'

interface PhoneSelectionProps<Row> {
  rows: Row[]
  rowId(row: Row): string
  selection: RowSelection<Row>
  step: RangeStep | undefined
  onStep(step: RangeStep | undefined): void
}

const asks: Record<RangeStep, string> = { first: 'Select the first row', last: 'Select the last row' }

/** The phone replacement for header checkbox and Shift: selects the page, or a range of rows. */
export function PhoneSelection<Row>({ rows, rowId, selection, step, onStep }: PhoneSelectionProps<Row>) {
  return (
    <div className={classes.phoneSelection}>
      <SelectPage rows={rows} rowId={rowId} selection={selection} label="Select page" />
      <span className={classes.asks} role="status">
        {step && asks[step]}
      </span>
      <Button variant="default" aria-pressed={step !== undefined} onClick={() => onStep(step ? undefined : 'first')}>
        {step ? 'Cancel' : 'Select range'}
      </Button>
    </div>
  )
}
