import { Button, Checkbox } from '@mantine/core'
import { IconFileImport } from '../../icons/index.ts'
import type { Import, ImportItem } from '@caretaker/contract/imports.ts'
import { kindsOf, makesHomes } from '@caretaker/rules/imports/columns.ts'
import { countedKinds } from '@caretaker/rules/imports/fields.ts'
import { Card } from '../../ui/card.tsx'
import { StatusIcon } from '../../ui/status-icon.tsx'
import type { Acts } from './use-import.ts'
import { counted, fieldsOfItem, placeText } from './words.ts'
import classes from './imports.module.css'

interface ListProps {
  list: Import
  acts: Acts
}

/** What the import will do, in figures, and the button to start it. */
export function PreviewCard({ list, acts }: ListProps) {
  const { total, faults } = list
  const { wishes } = acts
  const { totals, sheets } = list.found!
  const open = Object.values(totals.emptyUntilMapped).reduce((sum, count) => sum + (count ?? 0), 0)
  const hidden = sheets.reduce((sum, { hiddenRows }) => sum + hiddenRows, 0)
  // The most common problem with a first list.
  const needsAddress =
    faults.some(({ reason }) => reason === 'not-found') &&
    sheets.some(
      ({ mapping }) => mapping && kindsOf(mapping.columns).includes('property') && !makesHomes(mapping.columns),
    )
  const { questions, moreQuestions } = list.found!
  const areAllAnswered = questions.every(({ isAddressStored }) =>
    isAddressStored ? wishes.storedAddressesAsNew : wishes.takeOffers || wishes.asWritten,
  )
  const unanswered = questions.filter(({ answer }) => answer === null).length + (areAllAnswered ? 0 : moreQuestions)
  const lines = [
    { label: 'New', text: countedKinds(totals.create) },
    { label: 'Changed', text: countedKinds(totals.change) },
    { label: 'Unchanged', text: countedKinds(totals.unchanged) },
    { label: 'Repeated, skipped', text: totals.left > 0 ? counted(totals.left, 'row') : undefined },
    {
      label: 'Rejected',
      text:
        totals.refusedCells === 0
          ? undefined
          : [
              totals.refusedRows > 0 && counted(totals.refusedRows, 'row'),
              totals.refusedCells > totals.refusedRows && counted(totals.refusedCells - totals.refusedRows, 'cell'),
            ]
              .filter(Boolean)
              .join(' and '),
    },
  ]
  return (
    <Card
      title="What the import will do"
      footer={
        <>
          <span className={classes.hint}>
            {total > 0
              ? 'The accepted values of a row are written together. You can undo the import afterwards.'
              : totals.refusedCells > 0
                ? 'Nothing to import. Rejected rows are listed below.'
                : 'Nothing to import. Everything in this list is unchanged.'}
          </span>
          <Button
            leftSection={<IconFileImport size={16} aria-hidden />}
            disabled={total === 0}
            loading={acts.busy}
            onClick={() => void acts.commit()}
          >
            Import
          </Button>
        </>
      }
    >
      <dl className={classes.lines}>
        {lines.map(({ label, text }) => (
          <div key={label} data-zero={text === undefined || undefined}>
            <dt>{label}</dt>
            <dd>{text ?? 'Nothing'}</dd>
          </div>
        ))}
      </dl>
      {totals.becomeVoid > 0 && (
        <p className={classes.warning}>
          <StatusIcon tone="warning" />
          <span>
            <b>{counted(totals.becomeVoid, 'property becomes void', 'properties become void')}.</b> {voidText(totals)}
          </span>
        </p>
      )}
      {open > 0 && (
        <p className={classes.warning}>
          <StatusIcon tone="warning" />
          <span>
            {counted(open, 'row has', 'rows have')} unmapped values: those fields stay unchanged. Map the values below,
            under Values.
          </span>
        </p>
      )}
      {needsAddress && (
        <p className={classes.warning}>
          <StatusIcon tone="warning" />
          <span>
            <b>New properties need an address.</b> Map the columns for Address line 1 and Postcode below; an address in
            a single column can be line 1.
          </span>
        </p>
      )}
      {unanswered > 0 && (
        <p className={classes.warning}>
          <StatusIcon tone="warning" />
          <span>
            {counted(unanswered, 'row has a reference', 'rows have references')} that may belong to an existing
            property. Choose the property below: rows without an answer are not imported.
          </span>
        </p>
      )}
      {(totals.refusedCells > totals.refusedRows || wishes.wholeRows) && (
        <Checkbox
          className={classes.option}
          label="Skip the whole row when one of its cells is rejected"
          checked={wishes.wholeRows}
          onChange={(event) => void acts.wish({ wholeRows: event.currentTarget.checked })}
        />
      )}
      {hidden > 0 && (
        <Checkbox
          className={classes.option}
          label={`Skip ${counted(hidden, 'row that is', 'rows that are')} hidden in the file, for example by a filter`}
          checked={wishes.leaveHidden}
          onChange={(event) => void acts.wish({ leaveHidden: event.currentTarget.checked })}
        />
      )}
    </Card>
  )
}

/** The effect on devices, if there are any. */
function voidText({ becomeVoid: homes, becomeVoidWithDevices: furnished }: NonNullable<Import['found']>['totals']) {
  if (furnished === 0) return `No devices are in ${homes === 1 ? 'it' : 'them'}: nothing is turned down or muted.`
  const some = furnished < homes ? `${counted(furnished, 'of them has', 'of them have')} devices. ` : ''
  return `${some}Heating that devices control is turned down to 10 °C, boilers fire on Mondays, and alerts are muted except for frost, leaks, autofill lockouts and carbon monoxide, as with the Void Property Flag.`
}

/** Records to create or update, with the old value beside the new. */
export function ItemsCard({ list: { items, total } }: { list: Import }) {
  if (items.length === 0) return undefined
  const all = total === items.length
  return (
    <Card title="Records to create or update" total={total}>
      {!all && <p className={classes.hint}>The first {items.length.toLocaleString('en-GB')} are shown.</p>}
      <div className={classes.scroll} role="region" aria-label="Records to create or update" tabIndex={0}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Location</th>
              <th scope="col">New or changed</th>
              <th scope="col">Values</th>
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr key={`${item.sheet} ${item.row} ${item.kind}`}>
                <th scope="row">{item.name}</th>
                <td data-label="Location" className={classes.quiet}>
                  {placeText(item)}
                </td>
                <td data-label="New or changed">{item.action === 'create' ? `New ${nouns[item.kind]}` : 'Changed'}</td>
                <td data-label="Values">
                  <Values item={item} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

const nouns: Record<ImportItem['kind'], string> = {
  property: 'home',
  building: 'building',
  floor: 'floor',
  device: 'device',
}

function Values({ item }: { item: ImportItem }) {
  return (
    <ul className={classes.values}>
      {fieldsOfItem(item).map(({ id, label, next, before }) => (
        <li key={id}>
          <span className={classes.quiet}>{label}</span>{' '}
          {item.action === 'change' && (
            <>
              <span className="visually-hidden">from</span>
              <s>{before ?? 'empty'}</s> <span aria-hidden>→</span> <span className="visually-hidden">to</span>
            </>
          )}
          <b>{next ?? 'empty'}</b>
        </li>
      ))}
    </ul>
  )
}
