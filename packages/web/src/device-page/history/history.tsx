import { useState } from 'react'
import { Button, Select } from '@mantine/core'
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { IconHistory } from '../../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import type { LogEntry } from '@caretaker/contract/logs.ts'
import { getDeviceLogs } from '@caretaker/contract/calls/logs.ts'
import type { LogCategory } from '@caretaker/rules/logs/logs.ts'
import { logCategories } from '@caretaker/rules/logs/logs.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { devicePageKey } from '../../api/device.ts'
import { Card } from '../../ui/card.tsx'
import { changeLine, fieldChanges } from '../../ui/field-changes.ts'
import { Empty, Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { useZone } from '../../ui/zone.tsx'
import { logTimeText } from './log-time.ts'
import classes from './history.module.css'

type Before = { timestamp: string; id: string } | undefined

const logsQuery = (tenant: string, deviceId: string, category: LogCategory | undefined) =>
  infiniteQueryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'logs', category ?? 'all'],
    meta: { shows: { subjects: ['device', 'device commands', 'alert'], deviceId } },
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: Before }) =>
      call(
        getDeviceLogs,
        { body: { tenant, deviceId, ...(category && { category }), ...(pageParam && { before: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as Before,
    getNextPageParam: ({ entries, hasMore }): Before => {
      const last = hasMore ? entries.at(-1) : undefined
      return last && { timestamp: last.timestamp, id: last.id }
    },
  })

/** The history of a device: changes by users, commands and answers, faults and statuses. */
export function History({ device: { deviceId } }: { device: Device }) {
  const { tenant } = useActor()
  const [category, setCategory] = useState<LogCategory>()
  const log = useInfiniteQuery(logsQuery(tenant, deviceId, category))
  const entries = log.data?.pages.flatMap((page) => page.entries)
  return (
    <Card
      title="History"
      actions={
        <Select
          aria-label="Category"
          className={classes.filter}
          placeholder="Any category"
          clearable
          clearButtonProps={{ 'aria-label': 'Any category' }}
          data={[...logCategories]}
          value={category ?? null}
          onChange={(next) => setCategory((next ?? undefined) as LogCategory | undefined)}
        />
      }
    >
      {entries ? (
        entries.length > 0 ? (
          <>
            <Entries entries={entries} />
            {log.hasNextPage && (
              <Button
                className={classes.more}
                variant="default"
                loading={log.isFetchingNextPage}
                onClick={() => void log.fetchNextPage()}
              >
                Show more
              </Button>
            )}
          </>
        ) : (
          <Empty icon={<IconHistory size={18} aria-hidden />} text="No logs to show" />
        )
      ) : log.isError ? (
        <Failed onRetry={() => void log.refetch()} />
      ) : (
        <Loading label="Loading the history">
          <LoadingLines lines={6} />
        </Loading>
      )}
    </Card>
  )
}

function Entries({ entries }: { entries: readonly LogEntry[] }) {
  const zone = useZone()
  return (
    <table className={classes.table} aria-label="History">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Category</th>
          <th scope="col">Event</th>
          <th scope="col">Who</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td className={classes.time}>{logTimeText(entry.timestamp, zone)}</td>
            <td className={classes.category}>{entry.category}</td>
            <td className={classes.what}>
              {entry.description}
              <Changes data={entry.data} />
            </td>
            <td>{entry.user ?? <span className={classes.nobody}>{byItself(entry)}</span>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Faults and test results are reported by the device itself. */
const byItself = ({ category }: LogEntry) => (category === 'Fault' || category === 'Status' ? 'Device' : '–')

type Fields = Record<string, unknown> | undefined

/** The fields of a change. */
function Changes({ data }: { data: LogEntry['data'] }) {
  const zone = useZone()
  const line = changeLine(fieldChanges((data['before'] as Fields) ?? null, (data['after'] as Fields) ?? null, zone))
  return line ? <p className={classes.fields}>{line}</p> : undefined
}
