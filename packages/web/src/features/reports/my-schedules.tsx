import { useMemo, useState } from 'react'
import { Button, MultiSelect, Select } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconPlus, IconTrash } from '../../icons/index.ts'
import type { ReportSchedule } from '@caretaker/contract/reports.ts'
import { addReportSchedule, deleteReportSchedule } from '@caretaker/contract/calls/reports.ts'
import type { ReportFormat, ReportType } from '@caretaker/rules/reports/kinds.ts'
import { reports } from '@caretaker/rules/reports/kinds.ts'
import { usePresence } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { showCallError, textsOf } from '../../api/errors.ts'
import { CancelButton, Dialog, DraftNote } from '../../ui/dialog.tsx'
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

/** Reports that come to the person by mail each month. */
export function MySchedules() {
  const { actor } = usePresence()
  const { tenant } = actor
  const queryClient = useQueryClient()
  const { data, isError, refetch } = useQuery(schedulesQuery(tenant))
  const [adding, setAdding] = useState(false)
  const { columns, phoneRow } = useMemo(() => {
    const remove = async ({ scheduleId }: ReportSchedule) => {
      await call(deleteReportSchedule, { params: { tenant, scheduleId } }).catch(showCallError)
      await queryClient.invalidateQueries({ queryKey: schedulesQuery(tenant).queryKey })
    }
    const press = (one: ReportSchedule) => void remove(one)
    return { columns: columnsFor(press), phoneRow: phoneRowFor(press) }
  }, [tenant, queryClient])
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
        empty={<Empty text="No reports" hint="A schedule sends you the report of the month before, each month." />}
        phoneRow={phoneRow}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
            Add schedule
          </Button>
        }
      />
      {adding && <AddSchedule onClose={() => setAdding(false)} />}
    </div>
  )
}

function DeleteSchedule({ one, onPress }: { one: ReportSchedule; onPress: (one: ReportSchedule) => void }) {
  return (
    <Button
      size="xs"
      variant="subtle"
      color="gray"
      aria-label={`Delete schedule of ${reports[one.reportType].label}`}
      onClick={() => onPress(one)}
    >
      <IconTrash size={16} aria-hidden />
    </Button>
  )
}

const phoneRowFor = (remove: (one: ReportSchedule) => void) => (one: ReportSchedule) => (
  <span className={classes.phoneRow}>
    <b>{reports[one.reportType].label}</b>
    <span className={classes.about}>
      on the {ordinal(one.day)} at {hourText(one.hour)}
    </span>
    <DeleteSchedule one={one} onPress={remove} />
  </span>
)

const columnsFor = (remove: (one: ReportSchedule) => void): GenericColumn<ReportSchedule>[] => [
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
    width: 100,
    value: ({ scheduleId }) => scheduleId,
    cell: (one) => <DeleteSchedule one={one} onPress={remove} />,
  },
]

const days = Array.from({ length: 28 }, (_, at) => ({ value: String(at + 1), label: `the ${ordinal(at + 1)}` }))
const hours = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: hourText(hour) }))

/** What is chosen for a schedule; without tags those of the person. */
interface Written {
  reportType: ReportType | null
  tagIds?: string[]
  format: ReportFormat
  day: string
  hour: string
}

function AddSchedule({ onClose }: { onClose: () => void }) {
  const { actor } = usePresence()
  const { tenant } = actor
  const zone = useZone()
  const queryClient = useQueryClient()
  const { data } = useQuery(reportsQuery(tenant))
  const offered = (data?.reports ?? []).filter(({ isSchedulable }) => isSchedulable)
  const { values, change, isKept, clear } = useDraft<Written>('report schedule', {
    ...{ reportType: null, format: 'xlsx', day: '1', hour: '7' },
  })
  const { reportType, tagIds, format, day, hour } = values
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const tags = data?.tags ?? []
  const chosen = tagIds ?? tags.filter(({ isOwn }) => isOwn).map(({ id }) => id)
  const save = async () => {
    if (!reportType) return
    setBusy(true)
    try {
      const body = { reportType, tagIds: chosen, format, day: Number(day), hour: Number(hour) }
      await call(addReportSchedule, { params: { tenant }, body })
      await queryClient.invalidateQueries({ queryKey: schedulesQuery(tenant).queryKey })
      clear()
      showSuccess('Schedule added successfully!')
      onClose()
    } catch (error) {
      setProblems(textsOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      title="Add schedule"
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
            Add schedule
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
        Of the month before, by the clocks of {zone}. The mail says that it is ready; the file is under My Reports.
      </p>
      <MultiSelect
        label="Tags"
        data={tags.map(({ id, name }) => ({ value: id, label: name }))}
        placeholder={chosen.length ? undefined : 'All'}
        searchable
        value={chosen}
        onChange={(ids) => change({ tagIds: ids })}
      />
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
