import { useState } from 'react'
import { ActionIcon, Button, Menu, SegmentedControl } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  IconArrowDown,
  IconArrowUp,
  IconCertificateOff,
  IconDots,
  IconFileText,
  IconInfoCircle,
  IconPlus,
} from '../../../icons/index.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { recordTypeWords } from '@caretaker/rules/compliance/records.ts'
import { Card } from '../../../ui/card.tsx'
import { Empty } from '../../../ui/states.tsx'
import { DateOf } from '../../../ui/zone.tsx'
import { CertificateLink } from './certificate-dialog.tsx'
import type { KnownRecord, KnownStanding } from './standing.ts'
import { recordIcons, Result } from './standing-card.tsx'
import classes from './compliance.module.css'

interface RecordsTableProps {
  deviceId: string
  standings: readonly KnownStanding[]
  onAdd?: ((type: RecordType) => void) | undefined
  /** Asks why a record is wrong; absent if the user may not withdraw records. */
  onWithdraw?: ((record: KnownRecord) => void) | undefined
}

/** All records of a boiler with their certificates. */
export function RecordsTable({ deviceId, standings, onAdd, onWithdraw }: RecordsTableProps) {
  const [shown, setShown] = useState<RecordType | 'all'>('all')
  const [isOldestFirst, setOldestFirst] = useState(false)
  const isPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  const all = standings.flatMap(({ records }) => records)
  const newestFirst = all
    .filter(({ recordType }) => shown === 'all' || recordType === shown)
    .toSorted((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp))
  const records = isOldestFirst ? newestFirst.toReversed() : newestFirst
  const choices = [
    { value: 'all', label: `All ${all.length}` },
    ...standings.map((one) => ({ value: one.type, label: `${recordTypeWords[one.type]} ${one.records.length}` })),
  ]
  return (
    <Card
      title="Records"
      actions={
        all.length > 0 &&
        standings.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label="Records shown"
            data={choices}
            value={shown}
            onChange={(value) => setShown(value as typeof shown)}
          />
        )
      }
    >
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
      <div className={classes.table} data-compliance-table tabIndex={0} role="region" aria-label="Records">
        {records.length === 0 ? (
          <Empty
            icon={<IconCertificateOff size={18} aria-hidden />}
            text="No records"
            action={
              onAdd &&
              standings[0] && (
                <Button
                  variant="default"
                  leftSection={<IconPlus size={16} aria-hidden />}
                  onClick={() => onAdd(shown === 'all' ? standings[0]!.type : shown)}
                >
                  Add {recordTypeWords[shown === 'all' ? standings[0].type : shown].toLowerCase()} record
                </Button>
              )
            }
          />
        ) : isPhone ? (
          <ul className={classes.phone}>
            {records.map((record) => (
              <PhoneRecord key={record.recordId} deviceId={deviceId} record={record} onWithdraw={onWithdraw} />
            ))}
          </ul>
        ) : (
          <table>
            <thead>
              <tr>
                <th aria-sort={isOldestFirst ? 'ascending' : 'descending'}>
                  <button type="button" onClick={() => setOldestFirst(!isOldestFirst)}>
                    Date
                    {isOldestFirst ? <IconArrowUp size={14} aria-hidden /> : <IconArrowDown size={14} aria-hidden />}
                  </button>
                </th>
                <th>Record</th>
                <th>Certificate number</th>
                <th>Result</th>
                <th>Test kit</th>
                <th>Certificate</th>
                <th data-end>Next due</th>
                <th data-end>Actions</th>
              </tr>
            </thead>
            <tbody>
              {records.map((record) => (
                <Row key={record.recordId} deviceId={deviceId} record={record} onWithdraw={onWithdraw} />
              ))}
            </tbody>
          </table>
        )}
      </div>
    </Card>
  )
}

interface RowProps {
  deviceId: string
  record: KnownRecord
  onWithdraw: RecordsTableProps['onWithdraw']
}

function Row({ deviceId, record, onWithdraw }: RowProps) {
  const Icon = recordIcons[record.recordType]
  const [attachment] = record.attachments
  const { withdrawn, coversAlso } = record
  return (
    <>
      <tr data-withdrawn={withdrawn ? true : undefined}>
        <td>{withdrawn ? <s>{dayText(record.day)}</s> : dayText(record.day)}</td>
        <td>
          <span className={classes.kind}>
            <Icon size={16} stroke={1.7} aria-hidden />
            {recordTypeWords[record.recordType]}
          </span>
        </td>
        <td>
          {withdrawn ? <s>{record.serialNumber}</s> : <b>{record.serialNumber}</b>}
          {coversAlso && <span className={classes.quiet}> covers {coversAlso.propertyReference} as well</span>}
        </td>
        <td>{withdrawn ? <Withdrawn /> : <Result status={record.status} />}</td>
        <td>{record.properties.testKitUsed ?? <span className={classes.quiet}>–</span>}</td>
        <td>
          {attachment ? (
            <CertificateLink deviceId={deviceId} recordId={record.recordId} attachment={attachment} />
          ) : (
            <span className={classes.quiet}>None</span>
          )}
        </td>
        <td data-end>{withdrawn ? <span className={classes.quiet}>–</span> : <NextDue record={record} />}</td>
        <td data-end>{!withdrawn && onWithdraw && <RecordMenu record={record} onWithdraw={onWithdraw} />}</td>
      </tr>
      {withdrawn && (
        <tr>
          <td colSpan={8}>
            <WithdrawnNote withdrawn={withdrawn} />
          </td>
        </tr>
      )}
    </>
  )
}

function RecordMenu({ record, onWithdraw }: { record: KnownRecord; onWithdraw: (record: KnownRecord) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size={28} aria-label={`Actions for ${record.serialNumber}`} title="Actions">
          <IconDots size={16} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onWithdraw(record)}>Withdraw</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const Withdrawn = () => (
  <span className={classes.withdrawn}>
    <IconFileText size={14} stroke={1.7} aria-hidden />
    Withdrawn
  </span>
)

function WithdrawnNote({ withdrawn: { at, by, reason } }: { withdrawn: NonNullable<KnownRecord['withdrawn']> }) {
  return (
    <p className={classes.note}>
      <IconInfoCircle size={16} stroke={1.7} aria-hidden />
      <span>
        Withdrawn on <DateOf at={at} /> by {by}. Reason: <b>{reason}</b>. The record no longer counts towards any date.
      </span>
    </p>
  )
}

/** The due date after this check; for a failed check, when it was passed again. */
function NextDue({ record: { status, dueOn, passedOn } }: { record: KnownRecord }) {
  if (status === 'Fail')
    return <span className={classes.quiet}>{passedOn ? `passed again ${dayText(passedOn)}` : 'no pass since'}</span>
  return dueOn && dayText(dueOn)
}

function PhoneRecord({ deviceId, record, onWithdraw }: RowProps) {
  const [attachment] = record.attachments
  const { withdrawn } = record
  return (
    <li>
      {withdrawn ? <s>{record.serialNumber}</s> : <b>{record.serialNumber}</b>}
      {withdrawn ? <Withdrawn /> : <Result status={record.status} />}
      <span className={classes.quiet}>
        {recordTypeWords[record.recordType]}, {dayText(record.day)}
      </span>
      {attachment && <CertificateLink deviceId={deviceId} recordId={record.recordId} attachment={attachment} />}
      {withdrawn && <WithdrawnNote withdrawn={withdrawn} />}
      {!withdrawn && onWithdraw && <RecordMenu record={record} onWithdraw={onWithdraw} />}
    </li>
  )
}
