import { listingSorts } from '@caretaker/contract/devices.ts'

export type ListingSort = (typeof listingSorts)[number]

/** What of a listing the address holds. A leading minus in `sort` means descending; what is usual is left out. */
export interface ListingSearch {
  page?: number
  sort?: string
}

/** Which page of a listing in which order; without an order of the person's, the most severe come first. */
export interface ListingPlace {
  page: number
  sort: ListingSort
  descending: boolean
  /** Whether the person chose the order. */
  sorted: boolean
}

function sortIn(text: unknown): { sort: ListingSort; descending: boolean } | undefined {
  if (typeof text !== 'string') return undefined
  const descending = text.startsWith('-')
  const sort = listingSorts.find((one) => one === text.slice(descending ? 1 : 0))
  return sort && { sort, descending }
}

function pageIn(value: unknown): number {
  const page = Number(value)
  return Number.isInteger(page) && page >= 1 && page <= 100_000 ? page : 1
}

/** The search of an address without what no listing knows; anything may stand in an address. */
export function validListingSearch(search: Record<string, unknown>): ListingSearch {
  const page = pageIn(search.page)
  const sort = sortIn(search.sort) && String(search.sort)
  return { ...(page > 1 ? { page } : {}), ...(sort ? { sort } : {}) }
}

export function listingPlace(search: ListingSearch): ListingPlace {
  const sort = sortIn(search.sort)
  return { page: pageIn(search.page), ...(sort ?? { sort: 'severity', descending: false }), sorted: sort !== undefined }
}

/** The search for an order; it begins at the first page, because the rows of another order stand elsewhere. */
export function sortedBy(sort: { id: string; descending: boolean }): ListingSearch {
  return validListingSearch({ sort: `${sort.descending ? '-' : ''}${sort.id}` })
}
