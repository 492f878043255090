import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Sort } from './table/props.ts'

/** What of a generic table the address holds. A leading minus in `sort` means descending; what is usual is left out. */
export interface TableSearch {
  page?: number
  sort?: string
  filter?: string
}

/** Which page of a generic table, in which order, with what in its filter bar. */
export interface TablePlace {
  page: number
  sort: Sort | undefined
  filter: string
}

const tableNames: readonly string[] = ['page', 'sort', 'filter'] satisfies (keyof TableSearch)[]

/** Longest text that the filter bar takes. */
export const filterLength = 100

/** The search of an address without what no table knows; anything may stand in an address. */
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

/** The search of a place; another order or filter begins at the first page, because other rows stand there. */
export function searchOf({ page, sort, filter }: TablePlace): TableSearch {
  return validTableSearch({ page, filter, sort: sort && `${sort.descending ? '-' : ''}${sort.id}` })
}

/** The order after a press on a column's head: ascending, and the other way round when pressed again. */
export function turned(sort: Sort | undefined, id: string): Sort {
  return { id, descending: sort?.id === id && !sort.descending }
}

/** The place of the page's generic table in the address, and the way to another one. */
export function useTablePlace(): [TablePlace, (place: TablePlace) => void] {
  const place = tablePlace(validTableSearch(useSearch({ strict: false })))
  const navigate = useNavigate()
  // What else the address says of the page stays.
  const search = (next: TablePlace) => (now: Record<string, unknown>) => ({
    ...Object.fromEntries(Object.entries(now).filter(([name]) => !tableNames.includes(name))),
    ...searchOf(next),
  })
  const show = (next: TablePlace) =>
    // Typing in the filter bar is one step of the history, not one a letter.
    void navigate({
      to: '.',
      search: search(next) as never,
      replace: next.filter !== place.filter,
      resetScroll: false,
    })
  return [place, show]
}
