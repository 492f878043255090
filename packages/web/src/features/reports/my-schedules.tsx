import { useMemo, useState } from 'react'
import { Button, MultiSelect, Select } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconPencil, IconPlus, IconTrash } from '../../icons/index.ts'
import type { ReportSchedule } from '@caretaker/contract/reports.ts'
import { addReportSchedule, deleteReportSchedule, updateReportSchedule } from '@caretaker/contract/calls/reports.ts'
import type { ReportFormat, ReportType } from '@caretaker/rules/reports/kinds.ts'
import { reports } from '@caretaker/rules/reports/kinds.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { undoable } from '../../actions/undo.ts'
import { usePresence } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { showCallError, textsOf } from '../../api/errors.ts'
import { usersQuery } from '../../api/users.ts'
import { CancelButton, ConfirmDialog, Dialog, DraftNote } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { Empty } from '../../ui/states.tsx'
import { showSuccess } from '../../ui/toasts.tsx'
import { TimeOf, useZone } from '../../ui/zone.tsx'
import { reportsQuery, schedulesQuery } from './queries.ts'
import classes from './reports.module.css'

const none: ReportSchedule[] = []
const hourText = (hour: number) => `${String(hour).padStart(2, '0')}:00`
const ordinal = (day: number) => {
  const ending = day > 3 && day < 21 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${ending}`
}

/** Reports that are e-mailed to the user each month. */
export function MySchedules() {
  const { actor } = usePresence()
  const { tenant } = actor
  const queryClient = useQueryClient()
  const { data, isError, refetch } = useQuery(schedulesQuery(tenant))
  const [editing, setEditing] = useState<ReportSchedule | 'new'>()
  const [deleting, setDeleting] = useState<ReportSchedule>()
  const { columns, phoneRow } = useMemo(() => {
    const presses = { edit: setEditing, remove: setDeleting }
    return { columns: columnsFor(presses), phoneRow: phoneRowFor(presses) }
  }, [])
  const refresh = () => queryClient.invalidateQueries({ queryKey: schedulesQuery(tenant).queryKey })
  const takeBack = async (one: ReportSchedule) => {
    await call(addReportSchedule, { params: { tenant }, body: bodyOf(one) }).catch(showCallError)
    await refresh()
  }
  const remove = async (one: ReportSchedule): Promise<true | readonly string[]> => {
    try {
      await call(deleteReportSchedule, { params: { tenant, scheduleId: one.scheduleId } })
    } catch (error) {
      return textsOf(error)
    }
    await refresh()
    showSuccess(
      'Schedule deleted.',
      undoable(() => void takeBack(one)),
    )
    return true
  }
  return (
    <div className={classes.table}>
      <GenericTable
        label="My Schedules"
        columns={columns}
        rows={data?.schedules ?? none}
        rowId={({ scheduleId }) => scheduleId}
        rowHref={() => undefined}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={<Empty text="No schedules" hint="A schedule e-mails you the report of the previous month each month." />}
        phoneRow={phoneRow}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEditing('new')}>
            Add schedule
          </Button>
        }
      />
      {editing && (
        <EditSchedule
          {...(editing !== 'new' && { schedule: editing })}
          onDone={refresh}
          onClose={() => setEditing(undefined)}
        />
      )}
      {deleting && (
        <ConfirmDialog
          title={`Delete the schedule of ${reports[deleting.reportType].label}?`}
          verb="Delete"
          danger
          onConfirm={() => remove(deleting)}
          onClose={() => setDeleting(undefined)}
        >
          <p>
            {recipientText(deleting)} no longer {deleting.recipients.length > 0 ? 'get' : 'gets'} this report each
            month. Reports that were sent stay.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** The body for storing a schedule. */
const bodyOf = ({ reportType, tags, format, day, hour, recipients }: ReportSchedule) => ({
  ...{ reportType, format, day, hour },
  tagIds: tags.map(({ id }) => id),
  recipientIds: recipients.map(({ id }) => id),
})

/** The recipients. */
const recipientText = ({ recipients }: ReportSchedule) => ['You', ...recipients.map(({ name }) => name)].join(', ')

interface ScheduleCallbacks {
  edit: (one: ReportSchedule) => void
  remove: (one: ReportSchedule) => void
}

function ScheduleActions({ one, edit, remove }: ScheduleCallbacks & { one: ReportSchedule }) {
  const { label } = reports[one.reportType]
  return (
    <span className={classes.rowActions}>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        aria-label={`Edit schedule of ${label}`}
        onClick={() => edit(one)}
      >
        <IconPencil size={16} aria-hidden />
      </Button>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        aria-label={`Delete schedule of ${label}`}
        onClick={() => remove(one)}
      >
        <IconTrash size={16} aria-hidden />
      </Button>
    </span>
  )
}

const phoneRowFor = (presses: ScheduleCallbacks) => (one: ReportSchedule) => (
  <span className={classes.phoneRow}>
    <b>{reports[one.reportType].label}</b>
    <span className={classes.about}>
      on the {ordinal(one.day)} at {hourText(one.hour)}
    </span>
    <ScheduleActions one={one} {...presses} />
  </span>
)

const columnsFor = (presses: ScheduleCallbacks): GenericColumn<ReportSchedule>[] => [
  {
    id: 'report',
    header: 'Report',
    width: 200,
    value: ({ reportType }) => reports[reportType].label,
    cell: ({ reportType }) => reports[reportType].label,
  },
  {
    id: 'tags',
    header: 'Tags',
    width: 180,
    value: ({ tags }) => tags.map(({ name }) => name).join(', '),
    cell: ({ tags }) => tags.map(({ name }) => name).join(', ') || 'All',
  },
  {
    id: 'format',
    header: 'File',
    width: 90,
    value: ({ format }) => format,
    cell: ({ format }) => (format === 'csv' ? 'CSV' : 'Excel'),
  },
  {
    id: 'when',
    header: 'Each month',
    width: 180,
    value: ({ day, hour }) => day * 24 + hour,
    cell: ({ day, hour }) => `on the ${ordinal(day)} at ${hourText(hour)}`,
  },
  { id: 'recipients', header: 'Sent to', width: 200, value: recipientText, cell: recipientText },
  {
    id: 'next',
    header: 'Next',
    width: 160,
    value: ({ nextAt }) => nextAt,
    cell: ({ nextAt }) => <TimeOf at={nextAt} />,
  },
  {
    id: 'last',
    header: 'Last sent',
    width: 160,
    value: ({ lastAt }) => lastAt ?? '',
    cell: ({ lastAt }) => (lastAt ? <TimeOf at={lastAt} /> : 'Not yet'),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 130,
    value: ({ scheduleId }) => scheduleId,
    cell: (one) => <ScheduleActions one={one} {...presses} />,
  },
]

const days = Array.from({ length: 28 }, (_, at) => ({ value: String(at + 1), label: `the ${ordinal(at + 1)}` }))
const hours = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: hourText(hour) }))

/** The values of a schedule; if it has no tags, the user's own tags apply. */
interface Written {
  reportType: ReportType | null
  tagIds?: string[] | undefined
  recipientIds: string[]
  format: ReportFormat
  day: string
  hour: string
}

interface EditScheduleProps {
  /** The edited schedule; undefined for a new one. */
  schedule?: ReportSchedule
  onDone: () => Promise<void>
  onClose: () => void
}

function EditSchedule({ schedule, onDone, onClose }: EditScheduleProps) {
  const { actor } = usePresence()
  const { tenant } = actor
  const zone = useZone()
  const { data } = useQuery(reportsQuery(tenant))
  const offered = (data?.reports ?? []).filter(({ isSchedulable }) => isSchedulable)
  const seesUsers = can(actor, 'see users')
  const { data: users = [] } = useQuery({ ...usersQuery(tenant), enabled: seesUsers })
  const { values, change, isKept, clear } = useDraft<Written>(`report schedule ${schedule?.scheduleId ?? 'new'}`, {
    reportType: schedule?.reportType ?? null,
    tagIds: schedule?.tags.map(({ id }) => id),
    recipientIds: schedule?.recipients.map(({ id }) => id) ?? [],
    format: schedule?.format ?? 'xlsx',
    day: String(schedule?.day ?? 1),
    hour: String(schedule?.hour ?? 7),
  })
  const { reportType, tagIds, recipientIds, format, day, hour } = values
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const tags = data?.tags ?? []
  const chosen = tagIds ?? tags.filter(({ isOwn }) => isOwn).map(({ id }) => id)
  const save = async () => {
    if (!reportType) return
    setBusy(true)
    try {
      const body = { reportType, tagIds: chosen, format, day: Number(day), hour: Number(hour), recipientIds }
      if (schedule) await call(updateReportSchedule, { params: { tenant, scheduleId: schedule.scheduleId }, body })
      else await call(addReportSchedule, { params: { tenant }, body })
      await onDone()
      clear()
      showSuccess(schedule ? 'Schedule changed.' : 'Schedule added successfully!')
      onClose()
    } catch (error) {
      setProblems(textsOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={schedule ? 'Edit schedule' : 'Add schedule'}
      onClose={onClose}
      busy={busy}
      keepsDraft
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          void save()
        },
      }}
      actions={
        <>
          {isKept && <DraftNote onDiscard={clear} />}
          <CancelButton disabled={busy} />
          <Button type="submit" loading={busy} disabled={!reportType}>
            {schedule ? 'Save' : 'Add schedule'}
          </Button>
        </>
      }
    >
      <Select
        label="Report"
        placeholder="Choose"
        data={offered.map((one) => ({ value: one.reportType, label: one.label }))}
        value={reportType}
        onChange={(value) => change({ reportType: value as ReportType | null })}
      />
      <div className={classes.pair}>
        <Select
          label="Each month on"
          data={days}
          allowDeselect={false}
          value={day}
          onChange={(value) => change({ day: value! })}
        />
        <Select
          label="At"
          data={hours}
          allowDeselect={false}
          value={hour}
          onChange={(value) => change({ hour: value! })}
        />
      </div>
      <p className={classes.hint}>
        Of the month before, by the clocks of {zone}. The e-mail brings the file; one above 5 MB is under My Reports.
      </p>
      <MultiSelect
        label="Tags"
        data={tags.map(({ id, name }) => ({ value: id, label: name }))}
        placeholder={chosen.length ? undefined : 'All'}
        searchable
        value={chosen}
        onChange={(ids) => change({ tagIds: ids })}
      />
      {seesUsers && (
        <MultiSelect
          label="Also send to"
          description="Each recipient gets a report of what they can see."
          data={users.filter(({ id }) => id !== actor.memberId).map(({ id, name }) => ({ value: id, label: name }))}
          searchable
          value={recipientIds}
          onChange={(recipientIds) => change({ recipientIds })}
        />
      )}
      <Select
        label="File"
        allowDeselect={false}
        data={[
          { value: 'xlsx', label: 'Excel workbook' },
          { value: 'csv', label: 'CSV' },
        ]}
        value={format}
        onChange={(value) => change({ format: value as ReportFormat })}
      />
      {problems.map((problem) => (
        <p key={problem} className={classes.failure} role="alert">
          {problem}
        </p>
      ))}
    </Dialog>
  )
}
