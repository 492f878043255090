import { filterOps } from '@caretaker/rules/lists/fields.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { filterFault, sameFilters, sortFault, viewLimits } from '@caretaker/rules/lists/filters.ts'
import type { ListField } from './list-source.ts'

/**
 * The parameters of a listing in the address; missing ones come from the view. Any value may occur, so `placeIn`
 * validates each.
 */
export interface ListSearch {
  /** A saved list view of a grid. */
  view?: string
  /** The heating type and statuses of the Bcms page. */
  filter?: unknown
  filters?: unknown
  /** Fields separated by commas, a leading minus means descending; empty for the order by severity. */
  sort?: string
  /** Fields separated by commas. */
  columns?: string
  search?: string
  page?: number
  size?: number
}

/** The shown part of a listing, and how it is shown. */
export interface ListPlace {
  columns: string[]
  filters: Filter[]
  sorts: Sort[]
  search: string
  page: number
  pageSize: number
}

/** The context for reading an address: its view, and the fields of the listing. */
export interface PlaceContext {
  view: Pick<View, 'columns' | 'filters' | 'sorts'>
  fields: readonly ListField[]
  pageSizes: readonly number[]
  /** Rows per page if the address has none. */
  pageSize: number
}

const names = ['view', 'filter', 'filters', 'sort', 'columns', 'search', 'page', 'size'] as const

/** The parameters of an address that any listing knows. */
export function validListSearch(search: Record<string, unknown>): ListSearch {
  const known = Object.fromEntries(
    names.flatMap((name) => (search[name] === undefined || search[name] === null ? [] : [[name, search[name]]])),
  )
  for (const name of ['view', 'sort', 'columns', 'search']) if (name in known) known[name] = textOf(known[name])
  return known
}

/** The router parses '12' and 'true' into numbers and booleans. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** The place that a search names, and the unknown parts that were left out. */
export function placeIn(search: ListSearch, context: PlaceContext): { place: ListPlace; dropped: string[] } {
  const dropped: string[] = []
  const { view, fields, pageSizes } = context
  const columns = columnsIn(search.columns, context, dropped)
  const filters = search.filters === undefined ? undefined : filtersIn(search.filters, fields, dropped)
  const sorts = search.sort === undefined ? undefined : sortsIn(search.sort, fields, dropped)
  const place = {
    columns: columns ?? ownColumns(context),
    filters: filters ?? view.filters.filter((filter) => !filterFault(filter, fields)),
    sorts: sorts ?? view.sorts.filter((sort) => !sortFault(sort, fields)),
    search: (search.search ?? '').slice(0, viewLimits.text),
    page: numberIn(search.page, (page) => page >= 1 && page <= 100_000, `There is no page '${search.page}'`) ?? 1,
    pageSize:
      numberIn(search.size, (size) => pageSizes.includes(size), `A page can have ${pageSizes.join(', ')} rows here`) ??
      context.pageSize,
  }
  return { place, dropped }

  function numberIn(value: unknown, fits: (value: number) => boolean, fault: string): number | undefined {
    if (value === undefined) return undefined
    const number = Number(value)
    if (Number.isInteger(number) && fits(number)) return number
    dropped.push(fault)
    return undefined
  }
}

/** The search that names a place; values of the view are left out. */
export function searchOf(
  place: ListPlace,
  context: PlaceContext,
  rest: Pick<ListSearch, 'view' | 'filter'> = {},
): ListSearch {
  const { view } = context
  const search = place.search.slice(0, viewLimits.text)
  const sort = sortText(place.sorts)
  return {
    ...(rest.view === undefined ? {} : { view: rest.view }),
    ...(rest.filter === undefined ? {} : { filter: rest.filter }),
    ...(sameFilters(place.filters, view.filters) ? {} : { filters: place.filters }),
    ...(sort === sortText(view.sorts) ? {} : { sort }),
    ...(place.columns.join() === ownColumns(context).join() ? {} : { columns: place.columns.join() }),
    ...(search ? { search } : {}),
    ...(place.page > 1 ? { page: place.page } : {}),
    ...(place.pageSize === context.pageSize ? {} : { size: place.pageSize }),
  }
}

const sortText = (sorts: readonly Sort[]) =>
  sorts.map(({ fieldId, descending }) => `${descending ? '-' : ''}${fieldId}`).join()

function viewable(id: string, fields: readonly ListField[]): string | undefined {
  return fields.find((field) => field.fieldId === id && field.viewable)?.fieldId
}

/** The columns of the view that the listing can show, or its first ones. */
export function ownColumns({ view, fields }: Pick<PlaceContext, 'view' | 'fields'>): string[] {
  const own = view.columns.flatMap((id) => viewable(id, fields) ?? [])
  return own.length > 0 ? own : fields.slice(0, 1).map((field) => field.fieldId)
}

function columnsIn(text: string | undefined, { fields }: PlaceContext, dropped: string[]): string[] | undefined {
  if (text === undefined) return undefined
  const ids = [...new Set(text.split(','))]
  const known = ids.flatMap((id) => viewable(id, fields) ?? [])
  for (const id of ids) if (!viewable(id, fields)) dropped.push(`There is no column '${id}' here`)
  return known.length > 0 ? known : undefined
}

function sortsIn(text: string, fields: readonly ListField[], dropped: string[]): Sort[] | undefined {
  if (text === '') return []
  const sorts: Sort[] = []
  for (const part of text.split(',')) {
    const descending = part.startsWith('-')
    const sort = { fieldId: part.slice(descending ? 1 : 0), descending }
    const fault = sortFault(sort, fields)
    if (fault) dropped.push(fault)
    else if (!sorts.some(({ fieldId }) => fieldId === sort.fieldId)) sorts.push(sort)
  }
  return sorts.length > 0 ? sorts.slice(0, viewLimits.sorts) : undefined
}

function filtersIn(value: unknown, fields: readonly ListField[], dropped: string[]): Filter[] | undefined {
  if (!Array.isArray(value)) {
    dropped.push('The filters cannot be read')
    return undefined
  }
  const filters: Filter[] = []
  for (const one of value) {
    const filter = filterIn(one)
    const fault = filter ? filterFault(filter, fields) : 'A filter cannot be read'
    const known = filter && !fault ? withKnownValues(filter, fields) : undefined
    if (known) filters.push(known)
    else
      dropped.push(fault ?? `'${fields.find(({ fieldId }) => fieldId === filter?.fieldId)?.label}' has no such value`)
  }
  return filters.length > 0 || value.length === 0 ? filters.slice(0, viewLimits.filters) : undefined
}

function filterIn(value: unknown): Filter | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { fieldId, filterOp = 'equals', value: wanted } = value as Record<string, unknown>
  const op = filterOps.find((one) => one === filterOp)
  const isValue =
    ['string', 'number', 'boolean'].includes(typeof wanted) ||
    (Array.isArray(wanted) && wanted.length <= viewLimits.values && wanted.every((one) => typeof one === 'string'))
  const isLong = [wanted].flat().some((one) => typeof one === 'string' && one.length > viewLimits.text)
  if (typeof fieldId !== 'string' || !op || !isValue || isLong) return undefined
  return { fieldId, filterOp: op, value: wanted as Filter['value'] }
}

/** A filter on a fixed list of values, without unknown ones; undefined if none is left. */
function withKnownValues(filter: Filter, fields: readonly ListField[]): Filter | undefined {
  const choices = fields.find(({ fieldId }) => fieldId === filter.fieldId)?.choices
  if (!choices || filter.filterOp === 'contains' || filter.filterOp === 'present') return filter
  if (!Array.isArray(filter.value)) return choices.includes(String(filter.value)) ? filter : undefined
  const value = (filter.value as string[]).filter((one) => choices.includes(one))
  return value.length > 0 ? { ...filter, value } : undefined
}
