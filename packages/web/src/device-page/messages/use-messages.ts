import { useEffect, useMemo } from 'react'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import type { DeviceMessage } from '@caretaker/contract/messages.ts'
import { followDeviceMessages, getDeviceMessages, mostMessages } from '@caretaker/contract/calls/messages.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { withNewer } from './newer.ts'

/** The number of a day's messages that are fetched automatically. */
const fetchedByItself = 20_000

export interface DayOfMessages {
  messages: readonly DeviceMessage[] | undefined
  isError: boolean
  retry: () => void
  /** Older messages of the day are loading. */
  isLoadingMore: boolean
  /** Loads more than the automatic number. */
  loadMore: (() => void) | undefined
  /** Too many messages arrived, or the connection was lost, so some are missing: reloads the day. */
  reload: (() => void) | undefined
}

/** A page of messages; the first has the stream position from which newer ones follow. */
interface Page {
  position: string | undefined
  messages: DeviceMessage[]
}

/** Messages received since the day was read. */
interface LiveMessages {
  messages: readonly DeviceMessage[]
  isIncomplete: boolean
  position: string
}

/**
 * The messages of a device on a day, newest first: page by page until all are loaded, plus new ones while the day is
 * followed.
 */
export function useMessages(deviceId: string, date: Day, isFollowed: boolean): DayOfMessages {
  const { tenant } = useActor()
  const client = useQueryClient()
  // Not below the key of the device page: messages do not change when the device does.
  const queryKey = [tenant, 'device messages', deviceId, date]
  const about = { tenant, deviceId, date }
  const { data, isError, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey,
    staleTime: Infinity,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      // Read before the page, so that nothing is missed between the two.
      const position = pageParam ? undefined : (await call(followDeviceMessages, { body: about }, { signal })).position
      const body = { ...about, ...(pageParam && { before: pageParam }) }
      return { position, messages: await call(getDeviceMessages, { body }, { signal }) }
    },
    // A page that ends within one instant is slightly shorter.
    getNextPageParam: ({ messages }: Page) => (messages.length > mostMessages / 2 ? messages.at(-1)!.time : undefined),
  })
  const base = useMemo(() => data?.pages.flatMap(({ messages }) => messages), [data])
  const length = base?.length ?? 0
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && length < fetchedByItself) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, length, fetchNextPage])
  const start = data?.pages[0]?.position
  const newerKey = [...queryKey, 'newer', start]
  const { data: came } = useQuery({
    queryKey: newerKey,
    enabled: isFollowed && start !== undefined,
    staleTime: Infinity,
    // While the tab was closed, events were missed.
    refetchOnMount: 'always',
    meta: {
      shows: {
        subjects: ['device state', 'device readings', 'device events', 'device tests', 'device commands'],
        deviceId,
      },
    },
    queryFn: async ({ signal }): Promise<LiveMessages> => {
      const known = client.getQueryData<LiveMessages>(newerKey)
      const body = { ...about, position: known?.position ?? start! }
      const { messages, isIncomplete, position } = await call(followDeviceMessages, { body }, { signal })
      return {
        messages: withNewer(known?.messages ?? [], messages),
        isIncomplete: isIncomplete || (known?.isIncomplete ?? false),
        position,
      }
    },
  })
  const newer = came?.messages
  return {
    messages: useMemo(() => base && withNewer(base, newer ?? []), [base, newer]),
    isError,
    retry: () => void refetch(),
    isLoadingMore: isFetchingNextPage,
    loadMore: hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined,
    reload: came?.isIncomplete ? () => void client.resetQueries({ queryKey, exact: true }) : undefined,
  }
}
