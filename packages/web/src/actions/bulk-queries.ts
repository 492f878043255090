import { queryOptions } from '@tanstack/react-query'
import type { BulkRun } from '@caretaker/contract/actions.ts'
import { getBulkAction, getBulkActionAnswers, getBulkActions } from '@caretaker/contract/calls/actions.ts'
import type { AnswerCounts } from '@caretaker/rules/commands/answers.ts'
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

/** How the devices of a bulk action answer its command, asked for while some have still to. */
export const bulkAnswersQuery = (tenant: string, bulkActionId: string) =>
  queryOptions({
    queryKey: [tenant, 'bulk actions', bulkActionId, 'answers'],
    meta: { shows: { subjects: ['device commands'] } },
    queryFn: ({ signal }) => call(getBulkActionAnswers, { body: { tenant, bulkActionId } }, { signal }),
    // That the time for an answer is over nobody announces.
    refetchInterval: ({ state }) => (!state.data || awaitsAnswers(state.data.counts) ? runningPoll : false),
  })

const awaitsAnswers = ({ queued, sent }: AnswerCounts) => queued + sent > 0
