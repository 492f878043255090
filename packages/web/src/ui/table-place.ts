import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Sort } from './table/props.ts'

/**
 * The parameters of a generic table in the address. A leading minus in `sort` means descending; defaults are left out.
 */
export interface TableSearch {
  page?: number
  sort?: string
  filter?: string
}

/** The page, sort order and filter of a generic table. */
export interface TablePlace {
  page: number
  sort: Sort | undefined
  filter: string
}

const tableNames: readonly string[] = ['page', 'sort', 'filter'] satisfies (keyof TableSearch)[]

/** The longest filter text. */
export const filterLength = 100

/** The known parameters of an address; any value may occur. */
export function validTableSearch(search: Record<string, unknown>): TableSearch {
  const page = Number(search['page'])
  const sort = typeof search['sort'] === 'string' ? search['sort'].slice(0, 100) : ''
  const filter = ['string', 'number', 'boolean'].includes(typeof search['filter']) ? String(search['filter']) : ''
  return {
    ...(Number.isInteger(page) && page > 1 && page <= 100_000 ? { page } : {}),
    ...(/^-?[A-Za-z]+$/.test(sort) ? { sort } : {}),
    ...(filter ? { filter: filter.slice(0, filterLength) } : {}),
  }
}

/** The place that a search names. */
export function tablePlace({ page = 1, sort, filter = '' }: TableSearch): TablePlace {
  const descending = sort?.startsWith('-') ?? false
  return { page, filter, sort: sort === undefined ? undefined : { id: sort.slice(descending ? 1 : 0), descending } }
}

/** The search of a place; another sort order or filter starts at the first page. */
export function searchOf({ page, sort, filter }: TablePlace): TableSearch {
  return validTableSearch({ page, filter, sort: sort && `${sort.descending ? '-' : ''}${sort.id}` })
}

/** The sort order after a click on a column header: ascending, then reversed on each click. */
export function turned(sort: Sort | undefined, id: string): Sort {
  return { id, descending: sort?.id === id && !sort.descending }
}

/** The place of the page's generic table in the address, and a setter. */
export function useTablePlace(): [TablePlace, (place: TablePlace) => void] {
  const place = tablePlace(validTableSearch(useSearch({ strict: false })))
  const navigate = useNavigate()
  // Other parameters of the address are kept.
  const search = (next: TablePlace) => (now: Record<string, unknown>) => ({
    ...Object.fromEntries(Object.entries(now).filter(([name]) => !tableNames.includes(name))),
    ...searchOf(next),
  })
  const show = (next: TablePlace) =>
    // Typing in the filter bar is one history step, not one per letter.
    void navigate({
      to: '.',
      search: search(next) as never,
      replace: next.filter !== place.filter,
      resetScroll: false,
    })
  return [place, show]
}
