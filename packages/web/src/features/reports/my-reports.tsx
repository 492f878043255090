import { useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconDownload, IconTrash } from '../../icons/index.ts'
import type { ReportRun } from '@caretaker/contract/reports.ts'
import { deleteReportRun } from '@caretaker/contract/calls/reports.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { showCallError } from '../../api/errors.ts'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { sizeText } from '../../ui/size-text.ts'
import { Empty } from '../../ui/states.tsx'
import { TimeOf } from '../../ui/zone.tsx'
import { runsQuery } from './queries.ts'
import { nameOf, saveReport, showDownloadFailure } from './use-download.ts'
import classes from './reports.module.css'

/** Reports of the last 90 days for the user, including those being prepared. */
export function MyReports() {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const { data, isError, refetch } = useQuery(runsQuery(tenant))
  const [busy, setBusy] = useState<string>()
  const { columns, phoneRow } = useMemo(() => {
    const save = (run: ReportRun) => {
      setBusy(run.runId)
      saveReport(tenant, run.runId)
        .catch(showDownloadFailure)
        .finally(() => setBusy(undefined))
    }
    const remove = async ({ runId }: ReportRun) => {
      setBusy(runId)
      await call(deleteReportRun, { params: { tenant, runId } }).catch(showCallError)
      await queryClient.invalidateQueries({ queryKey: runsQuery(tenant).queryKey })
      setBusy(undefined)
    }
    const handlers = { save, remove: (run: ReportRun) => void remove(run), busy }
    return { columns: columnsFor(handlers), phoneRow: phoneRowFor(handlers) }
  }, [tenant, busy, queryClient])
  return (
    <div className={classes.table}>
      <GenericTable
        label="My Reports"
        columns={columns}
        rows={data?.runs ?? none}
        rowId={({ runId }) => runId}
        rowHref={() => undefined}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={<Empty text="No reports" hint="Reports that you download are kept here for 90 days." />}
        phoneRow={phoneRow}
      />
    </div>
  )
}

const none: ReportRun[] = []

function StateOf({ run }: { run: ReportRun }) {
  if (run.state === 'failed') return <span className={classes.failure}>Failed: {run.fault}</span>
  if (run.state === 'done')
    return (
      <>
        {run.rows.toLocaleString('en-GB')} {run.rows === 1 ? 'row' : 'rows'}
        {run.size !== null && `, ${sizeText(run.size)}`}
      </>
    )
  return run.state === 'waiting' ? 'Waiting' : `Preparing …, ${run.rows.toLocaleString('en-GB')} rows so far`
}

interface Handlers {
  save: (run: ReportRun) => void
  remove: (run: ReportRun) => void
  busy: string | undefined
}

/** The download and delete buttons of a report. */
function RunActions({ run, save, remove, busy }: Handlers & { run: ReportRun }) {
  return (
    <span className={classes.rowActions}>
      {run.state === 'done' && (
        <Button
          size="xs"
          variant="default"
          loading={busy === run.runId}
          leftSection={<IconDownload size={14} aria-hidden />}
          aria-label={`Download ${nameOf(run)}`}
          onClick={() => save(run)}
        >
          Download
        </Button>
      )}
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        disabled={busy === run.runId}
        aria-label={`Delete ${nameOf(run)}`}
        onClick={() => remove(run)}
      >
        <IconTrash size={16} aria-hidden />
      </Button>
    </span>
  )
}

const phoneRowFor = (handlers: Handlers) => (run: ReportRun) => (
  <span className={classes.phoneRow}>
    <b>{nameOf(run)}</b>
    <span className={classes.about}>
      <StateOf run={run} />, <TimeOf at={run.askedAt} />
    </span>
    <RunActions run={run} {...handlers} />
  </span>
)

const columnsFor = (handlers: Handlers): GenericColumn<ReportRun>[] => [
  { id: 'name', header: 'Report', width: 260, value: nameOf, cell: nameOf },
  {
    id: 'tags',
    header: 'Tags',
    width: 160,
    value: ({ tags }) => tags.join(', '),
    cell: ({ tags }) => tags.join(', ') || 'All',
  },
  {
    id: 'format',
    header: 'File',
    width: 90,
    value: ({ format }) => format,
    cell: ({ format }) => (format === 'csv' ? 'CSV' : 'Excel'),
  },
  { id: 'state', header: 'State', width: 230, value: ({ state }) => state, cell: (run) => <StateOf run={run} /> },
  {
    id: 'asked',
    header: 'Requested',
    width: 170,
    value: ({ askedAt }) => askedAt,
    cell: ({ askedAt, isScheduled }) => (
      <span>
        <TimeOf at={askedAt} />
        {isScheduled && ' by schedule'}
      </span>
    ),
  },
  {
    id: 'kept',
    header: 'Kept until',
    width: 150,
    value: ({ keptUntil }) => keptUntil,
    cell: ({ keptUntil }) => <TimeOf at={keptUntil} />,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 200,
    value: ({ state }) => state,
    cell: (run) => <RunActions run={run} {...handlers} />,
  },
]
