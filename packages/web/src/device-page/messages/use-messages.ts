import { useEffect } from 'react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import type { DeviceMessage } from '@caretaker/contract/messages.ts'
import { getDeviceMessages, mostMessages } from '@caretaker/contract/messages.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'

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
}

/**
 * The messages of a device of a day, newest first: page by page until all are there, and while the day is followed those
 * that come meanwhile.
 */
export function useMessages(deviceId: string, date: Day, isFollowed: boolean): DayOfMessages {
  const { tenant } = useActor()
  // Not below the key of the device's page: what was said stays said, whatever changes there.
  const queryKey = [tenant, 'device messages', deviceId, date]
  const { data, isError, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey,
    staleTime: Infinity,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      call(
        getDeviceMessages,
        { body: { tenant, deviceId, date, ...(pageParam && { before: pageParam }) } },
        { signal },
      ),
    // A page that ends in the middle of an instant is a little shorter.
    getNextPageParam: (page: DeviceMessage[]) => (page.length > mostMessages / 2 ? page.at(-1)!.time : undefined),
  })
  const base = data?.pages.flat()
  const length = base?.length ?? 0
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && length < fetchedByItself) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, length, fetchNextPage])
  const after = base?.[0]?.time
  const { data: newer } = useQuery({
    queryKey: [...queryKey, 'newer', after ?? ''],
    enabled: isFollowed && base !== undefined,
    staleTime: Infinity,
    meta: {
      shows: {
        subjects: ['device state', 'device readings', 'device events', 'device tests', 'device commands'],
        deviceId,
      },
    },
    queryFn: ({ signal }) =>
      call(getDeviceMessages, { body: { tenant, deviceId, date, ...(after && { after }) } }, { signal }),
  })
  return {
    messages: base && [...(newer ?? []), ...base],
    isError,
    retry: () => void refetch(),
    isLoadingMore: isFetchingNextPage,
    loadMore: hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined,
  }
}
