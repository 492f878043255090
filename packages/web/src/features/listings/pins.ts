import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { listingQuery } from './queries.ts'
import { useKept } from './selection.ts'

interface Pin {
  deviceId: string
  serial: string
}

const noPins: Pin[] = []
const noRows: DeviceRow[] = []

/** The rows of a page with the pinned ones first, which stay in sight on every page. */
export function usePins(key: string, tenant: string, listing: ListingName, rows: readonly DeviceRow[]) {
  const [pins, setPins] = useKept(`${key} pins`, noPins)
  const elsewhere = pins.filter(({ deviceId }) => !rows.some((row) => row.deviceId === deviceId))
  const { data } = useQuery({
    ...listingQuery(tenant, listing, {
      filters: [{ fieldId: 'serial', filterOp: 'anyof', value: elsewhere.map(({ serial }) => serial) }],
      sorts: [],
      search: '',
      page: 1,
      pageSize: listings[listing].pageSizes[0]!,
    }),
    enabled: elsewhere.length > 0,
  })
  const more = elsewhere.length > 0 ? (data?.rows ?? noRows) : noRows
  const shown = useMemo(() => {
    const far = more.filter((row) => pins.some(({ deviceId }) => deviceId === row.deviceId))
    return [...far.filter((row) => !rows.includes(row)), ...rows]
  }, [more, rows, pins])
  const pinned = useMemo(
    () => pins.map(({ deviceId }) => deviceId).filter((id) => shown.some((row) => row.deviceId === id)),
    [pins, shown],
  )
  const pin = (ids: string[]) =>
    setPins(
      ids.flatMap((id) => {
        const row = shown.find(({ deviceId }) => deviceId === id)
        return row ? [{ deviceId: id, serial: row.deviceSerial }] : (pins.find(({ deviceId }) => deviceId === id) ?? [])
      }),
    )
  return { shown, pinned, pin }
}
