import { useCallback, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { ActionIcon, Button, Loader, SegmentedControl } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { IconCircleCheckFilled, IconClock, IconEye, IconPencil, IconPlus } from '../../../icons/index.ts'
import type { Resident } from '@caretaker/contract/residents.ts'
import { approveResidence, revokeResidence } from '@caretaker/contract/calls/residents.ts'
import { statusText } from '@caretaker/contract/error-texts.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { isShown, residentFilters, residentRefetchDelay, waitingFirst } from '@caretaker/rules/residents/residents.ts'
import type { ResidentFilter } from '@caretaker/rules/residents/residents.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { lazily } from '../../../ui/lazily.tsx'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { useFailureToast } from '../../../api/failure-toast.ts'
import { dateText } from '../../../ui/age.ts'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import type { GenericColumn } from '../../../ui/generic-table.tsx'
import { GenericTable } from '../../../ui/generic-table.tsx'
import { AppLink } from '../../../ui/link.tsx'
import { Empty } from '../../../ui/states.tsx'
import { showError } from '../../../ui/toasts.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { residentsQuery } from './queries.ts'
import classes from './residents.module.css'

// Opened rarely.
const DataViews = lazily(async () => (await import('../../../reads/data-views.tsx')).DataViews)
/** Loaded with its editor on demand. */
const TipsDialog = lazily(async () => (await import('./tips-dialog.tsx')).default)

/** One row: a residence of a resident. */
interface AccessRow {
  id: string
  resident: Resident
  residenceId: string
  propertyReference: string
  address: string | null
  approved: boolean
  name: string | null
  email: string | null
  tipsAt: string | null
}

const rowsOf = (residents: readonly Resident[]): AccessRow[] =>
  residents
    .flatMap((resident) =>
      resident.residences.map((residence) => ({
        ...residence,
        ...{ resident, name: resident.name, email: resident.email, tipsAt: resident.savingsAndTipsAt },
        id: `${resident.auth0UserId} ${residence.residenceId}`,
      })),
    )
    .sort(waitingFirst)

const nameOf = (row: AccessRow) => row.name ?? row.resident.auth0UserId
const homeOf = (row: AccessRow) => row.address ?? row.propertyReference

/** Residents with their requested properties and access; pending ones first. */
export function Residents() {
  const actor = useActor()
  const zone = useZone()
  const residents = useQuery(residentsQuery(actor.tenant))
  useFailureToast(residents, statusText(0))
  const [filter, show] = useResidentFilter()
  const [asked, ask] = useState<AccessRow>()
  const [writing, write] = useState<Resident>()
  const [looked, showLooked] = useState<AccessRow>()
  const { updating, decide } = useDecisions(actor.tenant)
  const all = useMemo(() => rowsOf(residents.data ?? []), [residents.data])
  const rows = useMemo(() => all.filter((row) => isShown(filter, row)), [all, filter])
  const mayManage = can(actor, 'manage residents')
  const mayWrite = can(actor, 'write savings and tips')
  const maySeeReads = can(actor, 'see reads of personal data')
  const parts = useMemo(
    () =>
      partsOf({
        isUpdating: (row) => updating.has(row.id),
        zone,
        onTips: mayWrite ? (row) => write(row.resident) : undefined,
        onDecide: mayManage ? ask : undefined,
        onLooked: maySeeReads ? showLooked : undefined,
      }),
    [updating, mayManage, mayWrite, maySeeReads, zone],
  )
  const columns = useMemo(() => columnsFor(actor.tenant, parts), [actor.tenant, parts])
  const phoneRow = useCallback((row: AccessRow) => <PhoneRow row={row} parts={parts} />, [parts])
  const count = (choice: ResidentFilter) => all.filter((row) => isShown(choice, row)).length
  return (
    <>
      <h2 className={classes.title}>
        Residents{' '}
        {residents.data && <span className={classes.count}>{residents.data.length.toLocaleString('en-GB')}</span>}
      </h2>
      <GenericTable
        label="Residents"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        rowHref={() => undefined}
        status={residents.data ? 'ready' : residents.isError ? 'failed' : 'loading'}
        onRetry={() => void residents.refetch()}
        empty={
          <Empty
            text={filter === 'All' ? 'No residents' : 'No data available'}
            hint={
              filter === 'All'
                ? 'Residents appear here when they request their property in the resident app.'
                : undefined
            }
          />
        }
        phoneRow={phoneRow}
        actions={
          <SegmentedControl
            aria-label="Residents shown"
            className={classes.choice}
            value={filter}
            onChange={(next) => show(next as ResidentFilter)}
            data={residentFilters.map((choice) => ({
              value: choice,
              label: (
                <>
                  {choice} <span className={classes.figure}>{residents.data ? count(choice) : ''}</span>
                </>
              ),
            }))}
          />
        }
      />
      {asked && (
        <ConfirmDialog
          title={`${verbOf(asked)} access`}
          verb={verbOf(asked)}
          danger={asked.approved}
          onConfirm={() => {
            decide(asked)
            return Promise.resolve(true)
          }}
          onClose={() => ask(undefined)}
        >
          <p>
            {asked.approved
              ? `${nameOf(asked)} no longer sees ${homeOf(asked)} in the resident app, and needs approval again.`
              : `${nameOf(asked)} sees ${homeOf(asked)} in the resident app: its temperatures, its heating and its tips.`}
          </p>
        </ConfirmDialog>
      )}
      {looked && (
        <DataViews
          title={`Views of the personal data of ${nameOf(looked)}`}
          about={{ residentId: looked.resident.auth0UserId }}
          onClose={() => showLooked(undefined)}
        />
      )}
      {writing && <TipsDialog resident={writing} onClose={() => write(undefined)} />}
    </>
  )
}

const verbOf = ({ approved }: AccessRow) => (approved ? 'Revoke' : 'Approve')

/** The filter, which is in the address. */
function useResidentFilter(): [ResidentFilter, (next: ResidentFilter) => void] {
  const { access } = useSearch({ strict: false }) as { access?: unknown }
  const navigate = useNavigate()
  const shown = residentFilters.find((choice) => choice === access) ?? 'All'
  return [
    shown,
    (next) =>
      void navigate({
        to: '.',
        replace: true,
        search: ((now: Record<string, unknown>) => {
          const { access: _, page: __, ...rest } = now
          return next === 'All' ? rest : { ...rest, access: next }
        }) as never,
      }),
  ]
}

/**
 * Approves or revokes access, and tracks pending rows. The residents are refetched one second later (estate
 * specification, section 4); a failure can be retried at once.
 */
function useDecisions(tenant: string) {
  const queryClient = useQueryClient()
  const [updating, setUpdating] = useState<ReadonlySet<string>>(new Set())
  const mark = (id: string, isUpdating: boolean) =>
    setUpdating((now) => new Set([...[...now].filter((one) => one !== id), ...(isUpdating ? [id] : [])]))
  const send = async ({ id, approved, resident, residenceId }: AccessRow) => {
    mark(id, true)
    try {
      const body = { auth0UserId: resident.auth0UserId, residenceId }
      await call(approved ? revokeResidence : approveResidence, { query: { tenant }, body })
      await new Promise((later) => setTimeout(later, residentRefetchDelay))
      await queryClient.refetchQueries({ queryKey: residentsQuery(tenant).queryKey })
    } catch {
      showError(statusText(0))
    }
    mark(id, false)
  }
  return { updating, decide: (row: AccessRow) => void send(row) }
}

interface Parts {
  access: (row: AccessRow) => ReactNode
  tips: ((row: AccessRow) => ReactNode) | undefined
  decision: ((row: AccessRow) => ReactNode) | undefined
  looked: ((row: AccessRow) => ReactNode) | undefined
}

interface RowActions {
  isUpdating: (row: AccessRow) => boolean
  zone: string
  onTips: ((row: AccessRow) => void) | undefined
  onDecide: ((row: AccessRow) => void) | undefined
  onLooked: ((row: AccessRow) => void) | undefined
}

/** The parts of a row that change or can be clicked. */
function partsOf({ isUpdating, zone, onTips, onDecide, onLooked }: RowActions): Parts {
  return {
    access: (row) => <AccessChip row={row} isUpdating={isUpdating(row)} />,
    looked:
      onLooked &&
      ((row) => (
        <ActionIcon
          title="Views of personal data"
          aria-label={`Views of personal data: ${nameOf(row)}, ${homeOf(row)}`}
          onClick={() => onLooked(row)}
        >
          <IconEye size={18} aria-hidden />
        </ActionIcon>
      )),
    tips: onTips && ((row) => <TipsButton row={row} zone={zone} onPress={() => onTips(row)} />),
    decision:
      onDecide &&
      ((row) =>
        !isUpdating(row) && (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`${verbOf(row)}: ${nameOf(row)}, ${homeOf(row)}`}
            onClick={() => onDecide(row)}
          >
            {verbOf(row)}
          </Button>
        )),
  }
}

function AccessChip({ row, isUpdating }: { row: AccessRow; isUpdating: boolean }) {
  if (isUpdating)
    return (
      <span className={classes.updating} role="status">
        <Loader size={14} /> {row.approved ? 'Revoking …' : 'Approving …'}
      </span>
    )
  const Icon = row.approved ? IconCircleCheckFilled : IconClock
  return (
    <span className={classes.chip} data-approved={row.approved || undefined}>
      <Icon size={14} aria-hidden />
      {row.approved ? 'Approved' : 'Waiting for approval'}
    </span>
  )
}

function TipsButton({ row, zone, onPress }: { row: AccessRow; zone: string; onPress: () => void }) {
  if (!row.approved) return <span className={classes.dimmed}>After approval</span>
  const shown = row.tipsAt ? `Set ${dateText(row.tipsAt, zone)}` : 'Add'
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={row.tipsAt ? <IconPencil size={15} aria-hidden /> : <IconPlus size={15} aria-hidden />}
      aria-label={`${shown}: savings and tips of ${nameOf(row)}, ${homeOf(row)}`}
      onClick={onPress}
    >
      {shown}
    </Button>
  )
}

function Property({ tenant, row }: { tenant: string; row: AccessRow }) {
  return (
    <AppLink className={classes.link} href={pathTo(tenant, 'Properties', row.residenceId, 'info')}>
      {row.propertyReference}
    </AppLink>
  )
}

function columnsFor(tenant: string, { access, tips, decision, looked }: Parts): GenericColumn<AccessRow>[] {
  const orDash = (text: string | null) => text ?? <span className={classes.dimmed}>–</span>
  return [
    { id: 'name', header: 'Name', width: 160, link: true, value: nameOf, cell: nameOf },
    { id: 'email', header: 'E-mail', width: 180, value: (row) => row.email ?? '', cell: (row) => orDash(row.email) },
    {
      id: 'residence',
      header: 'Residence',
      width: 190,
      value: (row) => row.address ?? '',
      cell: (row) => orDash(row.address),
    },
    {
      id: 'property',
      header: 'Property',
      width: 100,
      value: (row) => row.propertyReference,
      cell: (row) => <Property tenant={tenant} row={row} />,
    },
    {
      id: 'access',
      header: 'Access',
      width: 170,
      value: (row) => (row.approved ? 'Approved' : 'Waiting for approval'),
      cell: access,
    },
    ...(tips
      ? [
          {
            id: 'tips',
            header: 'Savings and tips',
            width: 150,
            value: (row: AccessRow) => row.tipsAt ?? '',
            cell: tips,
          },
        ]
      : []),
    ...(decision || looked
      ? [
          {
            id: 'actions',
            header: 'Actions',
            width: 140,
            align: 'end' as const,
            cell: (row: AccessRow) => (
              <span className={classes.buttons}>
                {decision?.(row)}
                {looked?.(row)}
              </span>
            ),
          },
        ]
      : []),
  ]
}

function PhoneRow({ row, parts }: { row: AccessRow; parts: Parts }) {
  return (
    <span className={classes.phoneRow}>
      <span className={classes.phoneName}>
        <b>{nameOf(row)}</b>
        {parts.access(row)}
      </span>
      <span className={classes.dimmed}>{homeOf(row)}</span>
      <span className={classes.phoneButtons}>
        {parts.tips?.(row)}
        {parts.decision?.(row)}
        {parts.looked?.(row)}
      </span>
    </span>
  )
}
