import { useEffect, useMemo } from 'react'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import type { DeviceMessage } from '@caretaker/contract/messages.ts'
import { followDeviceMessages, getDeviceMessages, mostMessages } from '@caretaker/contract/calls/messages.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { withNewer } from './newer.ts'

/** So many messages of a day are fetched without asking. */
const fetchedByItself = 20_000

export interface DayOfMessages {
  messages: readonly DeviceMessage[] | undefined
  isError: boolean
  retry: () => void
  /** Older ones of the day are on their way. */
  isLoadingMore: boolean
  /** There are more than are fetched without asking. */
  loadMore: (() => void) | undefined
  /** So much came meanwhile, or while nobody listened, that some of it is not here: asks for the day anew. */
  reload: (() => void) | undefined
}

/** Messages of a day; with the first of them, from where on others come. */
interface Page {
  position: string | undefined
  messages: DeviceMessage[]
}

/** What has come since the day was read. */
interface Came {
  messages: readonly DeviceMessage[]
  isIncomplete: boolean
  position: string
}

/**
 * The messages of a device of a day, newest first: page by page until all are there, and while the day is followed those
 * that come meanwhile, whatever time they bear.
 */
export function useMessages(deviceId: string, date: Day, isFollowed: boolean): DayOfMessages {
  const { tenant } = useActor()
  const client = useQueryClient()
  // Not below the key of the device's page: what was said stays said, whatever changes there.
  const queryKey = [tenant, 'device messages', deviceId, date]
  const about = { tenant, deviceId, date }
  const { data, isError, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey,
    staleTime: Infinity,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      // Before the page is read: nothing comes between the two.
      const position = pageParam ? undefined : (await call(followDeviceMessages, { body: about }, { signal })).position
      const body = { ...about, ...(pageParam && { before: pageParam }) }
      return { position, messages: await call(getDeviceMessages, { body }, { signal }) }
    },
    // A page that ends in the middle of an instant is a little shorter.
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
    // While the tab was closed nobody listened for it.
    refetchOnMount: 'always',
    meta: {
      shows: {
        subjects: ['device state', 'device readings', 'device events', 'device tests', 'device commands'],
        deviceId,
      },
    },
    queryFn: async ({ signal }): Promise<Came> => {
      const known = client.getQueryData<Came>(newerKey)
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
