import { queryOptions } from '@tanstack/react-query'
import type { BulkRun } from '@caretaker/contract/actions.ts'
import { getBulkAction, getBulkActions } from '@caretaker/contract/actions.ts'
import { call } from '../api/call.ts'

/** Milliseconds between two questions how far a bulk action is that is being done. */
const runningPoll = 2_000

const isRunning = (run: BulkRun) => run.finishedAt === null

/** One bulk action of the person with the devices that failed, asked for while it is being done. */
export const bulkActionQuery = (tenant: string, bulkActionId: string) =>
  queryOptions({
    queryKey: [tenant, 'bulk actions', bulkActionId],
    meta: { shows: { subjects: ['bulk action'] } },
    queryFn: ({ signal }) => call(getBulkAction, { body: { tenant, bulkActionId } }, { signal }),
    refetchInterval: ({ state }) => (!state.data || isRunning(state.data.run) ? runningPoll : false),
  })

/** The person's last bulk actions. */
export const bulkActionsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'bulk actions'],
    meta: { shows: { subjects: ['bulk action'] } },
    queryFn: ({ signal }) => call(getBulkActions, { body: { tenant } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? runningPoll : false),
  })

/** Counts of a run as the progress of a dialog shows them. */
export function countsOf(run: Pick<BulkRun, 'total' | 'done' | 'failed'>) {
  return { done: run.done, failed: run.failed, loading: run.total - run.done - run.failed }
}
