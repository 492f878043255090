import { useEffect, useMemo } from 'react'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { genericPageSize } from '../../../ui/generic-table.tsx'
import { allTestsQuery } from '../queries.ts'
import type { TestsSearch } from './tests-place.ts'

/** Milliseconds after the last key before the server is asked. */
const typing = 250

/** The tests of a page of the table. They come a few pages at once, and those of pages beyond as these are asked for. */
export function useTests(tenant: string, search: TestsSearch) {
  const { page = 1, filter = '', ...rest } = search
  const [text] = useDebouncedValue(filter, typing)
  const wanted = { ...rest, ...(text && { filter: text }) }
  const query = useInfiniteQuery({ ...allTestsQuery(tenant, wanted), placeholderData: keepPreviousData })
  const { data, isError, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const loaded = useMemo(() => data?.pages.flatMap(({ tests }) => tests) ?? [], [data])
  const isShort = loaded.length < page * genericPageSize
  useEffect(() => {
    if (isShort && hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage()
  }, [isShort, hasNextPage, isFetchingNextPage, isError, fetchNextPage])
  const rows = useMemo(() => loaded.slice((page - 1) * genericPageSize, page * genericPageSize), [loaded, page])
  const isWaiting = rows.length === 0 && (isPending || (isShort && hasNextPage))
  return {
    rows,
    loaded,
    /** Where what is not loaded yet begins; null when all is. */
    next: data?.pages.at(-1)?.next ?? null,
    total: data?.pages[0]?.total ?? undefined,
    status: isError && !data ? ('failed' as const) : isWaiting ? ('loading' as const) : ('ready' as const),
    refetch: () => void query.refetch(),
  }
}
