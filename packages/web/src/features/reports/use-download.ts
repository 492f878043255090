import { useEffect, useRef, useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { ReportRun } from '@caretaker/contract/reports.ts'
import { getReportFile, startReport } from '@caretaker/contract/calls/reports.ts'
import type { ReportFormat, ReportType } from '@caretaker/rules/reports/kinds.ts'
import { runLabel } from '@caretaker/rules/reports/kinds.ts'
import type { Month } from '@caretaker/rules/reports/months.ts'
import { monthWords } from '@caretaker/rules/reports/months.ts'
import { call } from '../../api/call.ts'
import { saveFile } from '../../api/save-file.ts'
import { showError } from '../../ui/toasts.tsx'
import { runsQuery } from './queries.ts'

/** The options chosen for a report. */
export interface Choice {
  month: Month | null
  tagIds: string[]
  format: ReportFormat
}

/** Init: it can be requested. Pending: it is being prepared, even if the user leaves the page and returns. */
export type DownloadState = 'init' | 'pending' | 'failed'

export const nameOf = ({ reportType, month }: ReportRun) =>
  `${runLabel(reportType)}${month ? `, ${monthWords(month)}` : ''}`

export async function saveReport(tenant: string, runId: string): Promise<void> {
  saveFile(await call(getReportFile, { params: { tenant, runId } }))
}

/** Reports a failed download; if rights have changed, that it has to be prepared again. */
export function showDownloadFailure(error: unknown): void {
  showError('Failed to download report')
  if (error instanceof CallError && error.status === 403) showError(error.message)
}

/**
 * The download of one kind of report: requests it, waits and saves it; a failure is shown and can be retried. `wanted`
 * is the run that an e-mail links to: it is returned as `kept`, otherwise the last run is.
 */
export function useDownload(tenant: string, reportType: ReportType, wanted?: string) {
  const queryClient = useQueryClient()
  const { data } = useQuery(runsQuery(tenant))
  const [asking, setAsking] = useState(false)
  const [failed, setFailed] = useState<Choice>()
  // Runs requested by this page are saved when ready; others are offered.
  const own = useRef(new Map<string, Choice>())
  const all = data?.runs.filter((run) => run.reportType === reportType) ?? none
  const runs = all.filter(({ isScheduled }) => !isScheduled)
  const open = runs.find(({ finishedAt }) => !finishedAt)
  const done = all.filter((run) => run.state === 'done')
  const kept = done.find(({ runId }) => runId === wanted) ?? done[0]

  useEffect(() => {
    for (const { runId, state } of runs) {
      const choice = own.current.get(runId)
      if (!choice || (state !== 'done' && state !== 'failed')) continue
      own.current.delete(runId)
      const fail = (error?: unknown) => {
        setFailed(choice)
        showDownloadFailure(error)
      }
      if (state === 'failed') fail()
      else saveReport(tenant, runId).catch(fail)
    }
  }, [runs, tenant])

  const download = async (choice: Choice) => {
    setAsking(true)
    setFailed(undefined)
    try {
      const run = await call(startReport, { params: { tenant }, body: { reportType, ...choice } })
      own.current.set(run.runId, choice)
      const { queryKey } = runsQuery(tenant)
      queryClient.setQueryData(queryKey, (known) => ({ runs: [run, ...(known?.runs ?? [])] }))
      await queryClient.invalidateQueries({ queryKey })
    } catch (error) {
      setFailed(choice)
      showDownloadFailure(error)
    } finally {
      setAsking(false)
    }
  }
  const state: DownloadState = asking || open ? 'pending' : failed ? 'failed' : 'init'
  return { state, rows: open?.rows ?? 0, download, failed, kept }
}

const none: ReportRun[] = []
