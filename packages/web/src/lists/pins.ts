import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useKept } from './kept.ts'
import type { ListSource } from './list-source.ts'
import { pageQuery } from './queries.ts'

interface Pin {
  id: string
  /** The value by which it is found on any page. */
  value: string
}

const noPins: Pin[] = []

/** The rows of a page with the pinned ones first, on every page. */
export function usePins<Row>(key: string, tenant: string, source: ListSource<Row>, rows: readonly Row[]) {
  const { list, pinField, rowId } = source
  const [pins, setPins] = useKept(`${key} pins`, noPins)
  const here = useMemo(() => new Set(rows.map(rowId)), [rows, rowId])
  const elsewhere = pins.filter(({ id }) => !here.has(id))
  const { data } = useQuery({
    ...pageQuery(tenant, source, {
      filters: [{ fieldId: pinField.fieldId, filterOp: 'anyof', value: elsewhere.map(({ value }) => value) }],
      sorts: [],
      search: '',
      page: 1,
      pageSize: list.pageSizes[0]!,
    }),
    enabled: elsewhere.length > 0,
  })
  const more = elsewhere.length > 0 ? data?.rows : undefined
  const shown = useMemo(() => {
    const far = (more ?? []).filter((row) => pins.some(({ id }) => id === rowId(row)) && !here.has(rowId(row)))
    return [...far, ...rows]
  }, [more, rows, pins, here, rowId])
  const pinned = useMemo(
    () => pins.map(({ id }) => id).filter((id) => shown.some((row) => rowId(row) === id)),
    [pins, shown, rowId],
  )
  const pin = (ids: string[]) =>
    setPins(
      ids.flatMap((id) => {
        const row = shown.find((one) => rowId(one) === id)
        return row ? [{ id, value: pinField.of(row) }] : (pins.find((one) => one.id === id) ?? [])
      }),
    )
  return { shown, pinned, pin }
}
