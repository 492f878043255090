import { useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ListData, ListSource } from './list-source.ts'
import type { Wanted } from './queries.ts'
import { pageQuery } from './queries.ts'

/** The rows of a list as shown. */
export interface ListRows<Row> {
  data: ListData<Row> | undefined
  /** Changes when other rows are requested. */
  place: string | undefined
  isError: boolean
  /** Newer data is waiting to be shown. */
  waiting: boolean
  /** Shows waiting data; otherwise fetches the newest. */
  update(): void
}

/**
 * One page of a list, refreshed every 10 s. While `held` (rows are selected, a dialog is open) new data waits until the
 * user updates or nothing holds it any more; another page or sort order is always shown (devices gaps B30).
 */
export function useRows<Row>(tenant: string, source: ListSource<Row>, wanted: Wanted, held: boolean): ListRows<Row> {
  const client = useQueryClient()
  const options = pageQuery(tenant, source, wanted)
  const { data, isError, isPlaceholderData } = useQuery(options)
  const place = JSON.stringify(wanted)
  const [shown, setShown] = useState<{ place: string; data: ListData<Row> }>()
  const differs = data !== undefined && !isPlaceholderData && shown?.data !== data
  const waits = differs && held && shown?.place === place && !sameRows(shown.data, data)
  if (differs && !waits) setShown({ place, data })
  /** Requested data is shown when it arrives, even while held. */
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

/** Query keeps unchanged objects, so that equal rows are identical. */
function sameRows<Row>(a: ListData<Row>, b: ListData<Row>): boolean {
  return a.rows === b.rows && a.total === b.total && a.outOf === b.outOf
}
