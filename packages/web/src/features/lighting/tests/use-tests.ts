import { useEffect, useMemo } from 'react'
import { useDebouncedValue } from '@mantine/hooks'
import type { UseInfiniteQueryResult, InfiniteData } from '@tanstack/react-query'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { EmergencyTest, LightMonths } from '@caretaker/contract/lighting.ts'
import { mostTestsCounted } from '@caretaker/rules/lighting/tests.ts'
import { clampPage, pageCount } from '@caretaker/rules/lists/pager.ts'
import { genericPageSize } from '../../../ui/generic-table.tsx'
import { allTestsQuery, monthsQuery } from '../queries.ts'
import type { TestsSearch } from './tests-place.ts'

/** Milliseconds after the last keystroke before the server is called. */
const typing = 250

/** The debounced search, and whether the user is still typing. */
function useWanted({ page: _, filter = '', ...rest }: TestsSearch): [wanted: TestsSearch, isTyping: boolean] {
  const [text] = useDebouncedValue(filter, typing)
  return [{ ...rest, ...(text && { filter: text }) }, text !== filter]
}

/** The tests of a table page. Several pages are fetched at once, further ones when requested. */
export function useTests(tenant: string, search: TestsSearch, enabled = true) {
  const [wanted, isTyping] = useWanted(search)
  const query = useInfiniteQuery({ ...allTestsQuery(tenant, wanted), placeholderData: keepPreviousData, enabled })
  const pages = usePages(query, ({ tests }): EmergencyTest[] => tests, search.page)
  /** Whether these are still the tests of the previous search. */
  const isFormer = isTyping || query.isPlaceholderData
  const { error } = query
  /** Whether there are too many tests for the sort order in the address. */
  const areTooMany =
    error instanceof CallError && error.complaint.validationErrors.some(({ field }) => field === 'sort')
  // Rows from before the refusal are no longer refreshed, so they are dropped.
  return { ...pages, ...(areTooMany && { rows: [], total: undefined }), isFormer, areTooMany }
}

/** The lights of a page in the yearly view, in the same way. */
export function useMonths(tenant: string, search: TestsSearch, year: number) {
  const [wanted] = useWanted(search)
  const query = useInfiniteQuery({ ...monthsQuery(tenant, wanted, year), placeholderData: keepPreviousData })
  return usePages(query, ({ lights }): LightMonths[] => lights, search.page)
}

interface Piece {
  next: string | null
  total: number | null
}

function usePages<P extends Piece, Row>(
  query: UseInfiniteQueryResult<InfiniteData<P>>,
  rowsOf: (piece: P) => Row[],
  wanted = 1,
) {
  const { data, isError, isPending, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  // oxlint-disable-next-line react/exhaustive-deps -- what the rows of a piece are does not change
  const loaded = useMemo(() => data?.pages.flatMap(rowsOf) ?? [], [data])
  const total = data?.pages[0]?.total ?? undefined
  // A page beyond the last one, or of an uncounted result, is limited to the last known page.
  const page = clampPage(wanted, pageCount(Math.min(total ?? mostTestsCounted, mostTestsCounted), genericPageSize))
  const isShort = loaded.length < page * genericPageSize
  useEffect(() => {
    if (isShort && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [isShort, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  const rows = useMemo(() => loaded.slice((page - 1) * genericPageSize, page * genericPageSize), [loaded, page])
  /** The rows to show are not loaded yet. */
  const isBeyond = rows.length === 0 && hasNextPage
  const isFailed = isBeyond ? isFetchNextPageError && !isFetchingNextPage : isError && !data
  return {
    rows,
    total,
    status: isFailed ? ('failed' as const) : isPending || isBeyond ? ('loading' as const) : ('ready' as const),
    refetch: () => void (isBeyond ? fetchNextPage() : query.refetch()),
  }
}
