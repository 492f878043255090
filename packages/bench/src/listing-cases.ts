import type { ListingName } from '@caretaker/rules/devices/list.ts'
import type { FieldDefinition } from '@caretaker/rules/lists/fields.ts'

/** A listing query with a name for the report. */
export interface Case<Listing extends string = ListingName> {
  name: string
  body: { listing: Listing; page?: number; search?: string; filters?: SentFilter[]; sorts?: SentSort[] }
}
interface SentFilter {
  fieldId: string
  filterOp: 'equals' | 'anyof' | 'noneof' | 'contains' | 'from' | 'to' | 'present'
  value: string | number | boolean | string[]
}
interface SentSort {
  fieldId: string
  descending: boolean
}

/**
 * The default page, its first, middle and last pages, each sort in both directions, each kind of filter of each field, and search.
 */
export function casesOf<Listing extends string>(
  listing: Listing,
  fields: readonly FieldDefinition[],
  pages: number,
  choices: ReadonlyMap<string, string[]>,
): Case<Listing>[] {
  const later = [...new Set([Math.ceil(pages / 2), Math.min(500, pages), pages])]
  const sorts = fields
    .filter((field) => field.sortable)
    .flatMap(({ fieldId }) => [false, true].map((descending) => ({ fieldId, descending })))
  const filters = fields
    .filter((field) => field.viewFilterable)
    .flatMap((field) => filtersOf(field, choices.get(field.fieldId) ?? []))
  return [
    ...later.map((page) => ({ name: `page ${page}`, body: { listing, page } })),
    ...sorts.map((sort) => ({
      name: `sort ${sort.fieldId}${sort.descending ? ' descending' : ''}`,
      body: { listing, sorts: [sort] },
    })),
    ...sorts.map((sort) => ({
      name: `middle page of sort ${sort.fieldId}${sort.descending ? ' descending' : ''}`,
      body: { listing, sorts: [sort], page: Math.ceil(pages / 2) },
    })),
    ...filters.map((filter) => ({
      name: `filter ${filter.fieldId} ${filter.filterOp}`,
      body: { listing, filters: [filter] },
    })),
  ].map(({ name, body }) => ({ name: `${listing} ${name}`, body }))
}

function filtersOf({ fieldId, dataType }: FieldDefinition, values: string[]): SentFilter[] {
  const recently = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10)
  if (dataType === 'bool') return [{ fieldId, filterOp: 'equals', value: true }]
  if (dataType === 'number') return [{ fieldId, filterOp: 'from', value: 53.75 }]
  if (dataType === 'date') return (['from', 'to'] as const).map((filterOp) => ({ fieldId, filterOp, value: recently }))
  const [first = 'nothing', ...more] = values
  const lists = (['anyof', 'noneof'] as const).map((filterOp) => ({
    fieldId,
    filterOp,
    value: [first, ...more.slice(0, 2)],
  }))
  if (dataType === 'stringarray') return [{ fieldId, filterOp: 'equals', value: first }, ...lists]
  return [
    { fieldId, filterOp: 'equals', value: first.toUpperCase() },
    { fieldId, filterOp: 'contains', value: first.slice(1, 4) },
    { fieldId, filterOp: 'present', value: true },
    ...lists,
  ]
}

/** Combinations of filters and sorts, as users make them. */
export function mixedCases(choices: ReadonlyMap<string, string[]>): Case[] {
  const listing = 'EmergencyLights' as const
  const [building = 'a'] = choices.get('building') ?? []
  const three: SentFilter[] = [
    { fieldId: 'status', filterOp: 'anyof', value: ['Ok', 'PreventativeMaintenance'] },
    { fieldId: 'room', filterOp: 'contains', value: 'stair' },
    { fieldId: 'connection', filterOp: 'noneof', value: ['NotConnected'] },
  ]
  const name = (what: string) => `${listing} ${what}`
  return [
    { name: name('search for a building'), body: { listing, search: building } },
    { name: name('search for a letter'), body: { listing, search: 'e' } },
    { name: name('search for nothing that is there'), body: { listing, search: 'qqqq' } },
    { name: name('three filters'), body: { listing, filters: three } },
    ...(['building', 'name', 'lastTest'] as const).map((fieldId) => ({
      name: name(`three filters and sort ${fieldId}`),
      body: { listing, filters: three, sorts: [{ fieldId, descending: true }] },
    })),
    {
      name: name('three filters, two sorts and a search, page 50'),
      body: {
        listing,
        filters: three,
        search: 'stair',
        page: 50,
        sorts: ['building', 'floor'].map((fieldId) => ({ fieldId, descending: false })),
      },
    },
  ]
}
