import { useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ViewData } from '@caretaker/contract/devices.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import type { Wanted } from './queries.ts'
import { listingQuery } from './queries.ts'

/** The rows of a listing as they stand on the screen. */
export interface ListingRows {
  data: ViewData | undefined
  /** Tells whether other rows were asked for since. */
  place: string | undefined
  isError: boolean
  /** Newer data has come and waits to be shown. */
  waiting: boolean
  /** Shows what waits; when nothing does, asks for the newest. */
  update(): void
}

/**
 * One page of a listing, refreshed every 10 s. While `held` (rows are selected, a dialog is open) new data waits, and is
 * shown when somebody asks for it or nothing holds it any more; another page or order is always shown (devices gaps B30).
 */
export function useRows(tenant: string, listing: ListingName, wanted: Wanted, held: boolean): ListingRows {
  const client = useQueryClient()
  const options = listingQuery(tenant, listing, wanted)
  const { data, isError, isPlaceholderData } = useQuery(options)
  const place = JSON.stringify(wanted)
  const [shown, setShown] = useState<{ place: string; data: ViewData }>()
  const differs = data !== undefined && !isPlaceholderData && shown?.data !== data
  const waits = differs && held && shown?.place === place && !sameRows(shown.data, data)
  if (differs && !waits) setShown({ place, data })
  /** What was asked for is shown when it comes, whatever holds the rows. */
  const showNewest = async () => {
    await client.invalidateQueries({ queryKey: options.queryKey, exact: true })
    const newest = client.getQueryData(options.queryKey)
    if (newest) setShown({ place, data: newest })
  }
  return {
    data: shown?.data ?? data,
    place: shown?.place,
    isError: isError && shown?.place !== place,
    waiting: waits,
    update: () => {
      if (waits) setShown({ place, data })
      else void showNewest()
    },
  }
}

/** Query keeps what has not changed, so that equal rows are the same. */
function sameRows(a: ViewData, b: ViewData): boolean {
  return a.rows === b.rows && a.total === b.total && a.outOf === b.outOf
}
