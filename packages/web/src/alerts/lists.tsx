import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { Alert, AlertState } from '@caretaker/contract/alerts.ts'
import { getAlerts, mostOver } from '@caretaker/contract/calls/alerts.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { Empty, Failed, LoadingLines } from '../ui/states.tsx'
import { AlertEntry } from './entry.tsx'
import classes from './alerts.module.css'

const pagesOf = (tenant: string, state: AlertState) => ({
  queryKey: [tenant, 'alerts', state, 'pages'],
  meta: { shows: { subjects: ['alert', 'reach'] as const } },
  queryFn: ({ pageParam, signal }: { pageParam: Alert | undefined; signal: AbortSignal }) =>
    call(
      getAlerts,
      {
        body: { tenant, state, ...(pageParam && { before: { at: orderedAt(pageParam), alertId: pageParam.alertId } }) },
      },
      { signal },
    ),
  initialPageParam: undefined as Alert | undefined,
  getNextPageParam: (last: { alerts: Alert[]; hasMore: boolean }) => (last.hasMore ? last.alerts.at(-1) : undefined),
})

/** The time by which the pages of a state are ordered. */
const orderedAt = (alert: Alert) =>
  (alert.state === 'open' ? alert.notifiedAt : alert.state === 'over' ? alert.closedAt : alert.dueAt) ??
  '9999-12-31T00:00:00Z'

const empty: Record<AlertState, [text: string, hint: string]> = {
  open: ['No open alerts', 'Alerts appear here and stay until their condition has ended.'],
  over: ['No past alerts', 'An alert is over when its condition has ended.'],
  pending: ['No pending alerts', 'Alerts that wait for the delay of their rule appear here.'],
}

/** All alerts in one state, page by page. */
export function AlertList({ state }: { state: AlertState }) {
  const { tenant } = useActor()
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    pagesOf(tenant, state),
  )
  if (!data) return isError ? <Failed onRetry={() => void refetch()} /> : <LoadingLines lines={6} />
  const alerts = data.pages.flatMap((page) => page.alerts)
  if (!alerts.length) return <Empty text={empty[state][0]} hint={empty[state][1]} />
  return (
    <>
      <ul className={classes.list} aria-label={stateWords[state]}>
        {alerts.map((alert) => (
          <AlertEntry key={alert.alertId} alert={alert} />
        ))}
      </ul>
      {hasNextPage && (
        <p className={classes.more}>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </p>
      )}
    </>
  )
}

export const stateWords: Record<AlertState, string> = { open: 'Open', over: 'Over', pending: 'Pending' }

/** The number of past alerts, up to the counting limit. */
export const overText = (count: number) =>
  count > mostOver ? `${mostOver.toLocaleString('en-GB')}+` : count.toLocaleString('en-GB')
