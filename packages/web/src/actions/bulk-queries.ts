import { queryOptions } from '@tanstack/react-query'
import type { BulkRun } from '@caretaker/contract/actions.ts'
import { getBulkAction, getBulkActionAnswers, getBulkActions } from '@caretaker/contract/calls/actions.ts'
import type { AnswerCounts } from '@caretaker/rules/commands/answers.ts'
import { call } from '../api/call.ts'

/** Milliseconds between two requests for the progress of a running bulk action. */
const runningPoll = 2_000

const isRunning = (run: BulkRun) => run.finishedAt === null

/** One bulk action of the user with its failed devices, polled while it runs. */
export const bulkActionQuery = (tenant: string, bulkActionId: string) =>
  queryOptions({
    queryKey: [tenant, 'bulk actions', bulkActionId],
    meta: { shows: { subjects: ['bulk action'] } },
    queryFn: ({ signal }) => call(getBulkAction, { body: { tenant, bulkActionId } }, { signal }),
    refetchInterval: ({ state }) => (!state.data || isRunning(state.data.run) ? runningPoll : false),
  })

/** The last bulk actions of the user. */
export const bulkActionsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'bulk actions'],
    meta: { shows: { subjects: ['bulk action'] } },
    queryFn: ({ signal }) => call(getBulkActions, { body: { tenant } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? runningPoll : false),
  })

/** A run's counts in the form that the progress component expects. */
export function countsOf(run: Pick<BulkRun, 'total' | 'done' | 'failed'>) {
  return { done: run.done, failed: run.failed, loading: run.total - run.done - run.failed }
}

/** The devices' answers to a bulk action's command, polled while some are missing. */
export const bulkAnswersQuery = (tenant: string, bulkActionId: string) =>
  queryOptions({
    queryKey: [tenant, 'bulk actions', bulkActionId, 'answers'],
    meta: { shows: { subjects: ['device commands'] } },
    queryFn: ({ signal }) => call(getBulkActionAnswers, { body: { tenant, bulkActionId } }, { signal }),
    // There is no change event for an expired command, so it is polled.
    refetchInterval: ({ state }) => (!state.data || awaitsAnswers(state.data.counts) ? runningPoll : false),
  })

const awaitsAnswers = ({ queued, sent }: AnswerCounts) => queued + sent > 0
