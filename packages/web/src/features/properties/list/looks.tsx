import type { ReactNode } from 'react'
import type { PropertyRow } from '@caretaker/contract/properties.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { stateOfDeadline } from '@caretaker/rules/compliance/due.ts'
import type { propertyFields } from '@caretaker/rules/properties/list.ts'
import { voidWords } from '@caretaker/rules/properties/dwelling.ts'
import type { Looks } from '../../../lists/list-source.ts'
import { useClock, useToday } from '../../../ui/age-view.tsx'
import { ComplianceChip } from '../../../ui/compliance-chip.tsx'
import { StatusChip } from '../../../ui/status-chip.tsx'
import { StatusIcon } from '../../../ui/status-icon.tsx'
import { DateOf, TimeOf, useZone } from '../../../ui/zone.tsx'
import { DampLevelView } from '../damp-level.tsx'
import { HeatingStateView } from '../heating-state.tsx'
import { EpcBadge } from '../epc-badge.tsx'
import classes from './property-list.module.css'

const none = <span className={classes.quiet}>–</span>
const quiet = (value: string | null) =>
  value ? (
    <span className={classes.quiet} title={value}>
      {value}
    </span>
  ) : (
    none
  )

/** The table cell of each field: only due or failed values are coloured, and ratings have their usual colours. */
export const propertyLooks: Looks<typeof propertyFields, PropertyRow> = {
  propertyReference: {
    width: 122,
    link: true,
    cell: (row) => row.propertyReference || <span className={classes.quiet}>No reference</span>,
  },
  address: { width: 148, upTo: 320, cell: (row) => quiet(row.address) },
  postcode: { width: 98, cell: (row) => quiet(row.postcode) },
  voidStatus: {
    width: 108,
    cell: ({ voidStatus }) =>
      voidStatus === 'Void' ? <b>{voidWords.Void}</b> : <span className={classes.quiet}>{voidWords.NotVoid}</span>,
  },
  epcRating: { width: 72, cell: (row) => <EpcBadge rating={row.epcRating} /> },
  awaabsLawStatus: { width: 214, cell: (row) => <AwaabsLaw row={row} /> },
  awaabsLawDue: {
    width: 150,
    align: 'end',
    cell: (row) => <LawDue row={row} />,
  },
  awaabsLawMissed: { width: 240, upTo: 400, cell: (row) => quiet(row.awaabsLawMissed) },
  damp: {
    width: 150,
    cell: ({ damp, dampReason }) => (
      <span title={dampReason ?? undefined}>
        <DampLevelView level={damp} />
      </span>
    ),
  },
  dampReason: { width: 260, upTo: 420, cell: (row) => quiet(row.dampReason) },
  dampSince: { width: 176, align: 'end', cell: ({ dampSince }) => (dampSince ? <DateOf at={dampSince} /> : none) },
  status: {
    width: 182,
    cell: ({ deviceStatus, deviceStatusReason }) =>
      deviceStatus ? <StatusChip status={deviceStatus} reason={deviceStatusReason} /> : none,
  },
  statusReason: { width: 150, cell: (row) => quiet(row.deviceStatusReason) },
  gasSafetyDue: {
    width: 150,
    align: 'end',
    cell: (row) => (row.gasSafetyDue ? <DateOf at={row.gasSafetyDue} /> : none),
  },
  gasSafety: {
    width: 196,
    cell: ({ gasSafety, gasSafetyDue, gasSafetyFailed }) =>
      gasSafety ? (
        <ComplianceChip state={gasSafety} dueAt={gasSafetyDue}>
          {gasSafetyFailed && `Failed ${dayText(gasSafetyFailed)}`}
        </ComplianceChip>
      ) : (
        none
      ),
  },
  gasSafetyCertificate: { width: 160, cell: (row) => quiet(row.gasSafetyCertificate) },
  waterTreatmentDue: {
    width: 150,
    align: 'end',
    cell: (row) => (row.waterTreatmentDue ? <DateOf at={row.waterTreatmentDue} /> : none),
  },
  waterTreatment: {
    width: 196,
    cell: ({ waterTreatment, waterTreatmentDue }) =>
      waterTreatment ? <ComplianceChip state={waterTreatment} dueAt={waterTreatmentDue} /> : none,
  },
  heating: { width: 150, cell: ({ heating }) => (heating ? <HeatingStateView state={heating} /> : none) },
  tags: { width: 200, cell: (row) => quiet(row.deviceTags.map(({ name }) => name).join(', ')) },
  accessRightsTag: { width: 140, cell: (row) => quiet(row.accessRightsTag?.displayName ?? null) },
  devices: { width: 92, align: 'end', cell: (row) => row.deviceCount },
  propertyId: { width: 270, cell: (row) => quiet(row.propertyId) },
}

/** The step of its case, with the deadline or the time since it was missed. */
function AwaabsLaw({ row }: { row: PropertyRow }) {
  const { awaabsLawStatus, awaabsLawSince, awaabsLawDue } = row
  if (awaabsLawStatus === 'None') return <span className={classes.quiet}>None</span>
  return (
    <span className={classes.due}>
      <b>{awaabsLawStatus}</b>
      {awaabsLawDue ? (
        <LawDue row={row} before="Due " />
      ) : (
        awaabsLawSince && (
          <span className={classes.quiet}>
            Since <DateOf at={awaabsLawSince} />
          </span>
        )
      )}
    </span>
  )
}

/** The next deadline of a case: a day, or an hour for an emergency. */
function LawDue({
  row: { awaabsLawDue, awaabsLawLate, awaabsLawNear },
  before = '',
}: {
  row: PropertyRow
  before?: string
}) {
  const now = useClock()
  if (!awaabsLawDue || awaabsLawDue !== awaabsLawLate)
    return <Due at={awaabsLawDue} near={awaabsLawNear} before={before} />
  return (
    <Pressing tone={Date.parse(awaabsLawDue) <= now ? 'failed' : 'warning'}>
      {before}
      <TimeOf at={awaabsLawDue} />
    </Pressing>
  )
}

interface DueProps {
  at: string | null
  /** The time from which it is shown as due soon. */
  near: string | null
  before?: string
}

/** A due date, with an icon if it is near or past. */
function Due({ at, near, before = '' }: DueProps) {
  const zone = useZone()
  const today = useToday()
  if (!at) return none
  const dayOf = (instant: string) => dayAt(Date.parse(instant), zone)
  const state = stateOfDeadline(dayOf(at), near && dayOf(near), today)
  if (state === 'InDate')
    return (
      <span>
        {before}
        <DateOf at={at} />
      </span>
    )
  return (
    <Pressing tone={state === 'Overdue' ? 'failed' : 'warning'}>
      {before}
      <DateOf at={at} />
    </Pressing>
  )
}

const Pressing = ({ tone, children }: { tone: 'failed' | 'warning'; children: ReactNode }) => (
  <span className={classes.pressing} data-tone={tone}>
    <StatusIcon tone={tone} size={14} />
    {children}
  </span>
)

/** Two lines: reference and status, address and due dates. */
export function PhoneRow({ row }: { row: PropertyRow }) {
  return (
    <span className={classes.phoneRow}>
      <b className={classes.phoneName}>{row.propertyReference || 'No reference'}</b>
      {row.deviceStatus ? <StatusChip status={row.deviceStatus} brief /> : <span />}
      <span className={classes.phonePlace}>
        {[row.address, row.postcode].filter(Boolean).join(', ') || voidWords[row.voidStatus]}
      </span>
      {row.awaabsLawStatus === 'None' ? row.voidStatus === 'Void' && <b>{voidWords.Void}</b> : <AwaabsLaw row={row} />}
    </span>
  )
}
