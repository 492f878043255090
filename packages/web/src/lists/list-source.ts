import type { ComponentType, ReactNode } from 'react'
import type { Call } from '@caretaker/contract/call.ts'
import type { ListQuery } from '@caretaker/contract/lists.ts'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { FieldDefinition, Fields, Viewable } from '@caretaker/rules/lists/fields.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import type { List } from '@caretaker/rules/lists/list.ts'
import { fieldsSeen } from '@caretaker/rules/lists/list.ts'
import type { QueryClient } from '@tanstack/react-query'
import type { Shows } from '../api/changes.ts'

/** One page of a list, as returned by its call. */
export interface ListData<Row> {
  rows: Row[]
  /** The number of rows that match the filters, and of all rows. */
  total: number
  outOf: number
  page: number
  pageSize: number
  updatedAt: string
  position: string
  /** The cursor for the next page; null for a page without rows. */
  next: string | null
}

/** The table cell of a field; the first with `link` links to the target of the row. */
export interface Look<Row> {
  width: number
  upTo?: number
  align?: 'end'
  link?: true
  cell(row: Row): ReactNode
}

/** The look of every field that can be a column: a missing one is a type error. */
export type Looks<F extends Fields, Row> = Record<Viewable<F>, Look<Row>>

/** A field of a list, with its values if they are a fixed list. */
export type ListField = FieldDefinition & { choices: readonly string[] | null }

/** A named group of values. */
export interface ValueGroup {
  id: string
  label: string
  values: readonly string[]
}

/** The values of a subject's fields in words; unchanged by default. */
export interface FieldWords {
  word?(fieldId: string, value: string): string | undefined
  /** A value as an option, if its word alone is ambiguous. */
  choiceWord?(fieldId: string, value: string): string | undefined
  /** For example 'statuses', for a field whose values have groups. */
  plural?(fieldId: string): string | undefined
  /** The groups of a field with a fixed list of values, in order. */
  groups?(fieldId: string): readonly ValueGroup[] | undefined
}

/** The filter from the address parameter 'filter', in addition to the list's filters. */
export interface Scope {
  /** The text in its menu; undefined if the list shows everything. */
  label: string | undefined
  /** The subject of the page: kept when filters are cleared. */
  about: readonly Filter[]
  /** Shown among the filters and cleared with them. */
  extraFilters: readonly Filter[]
  /** The parameter without the additional filters. */
  bare: unknown
}

/** The rows of a list, regardless of order. */
export type Question = Required<Pick<ListQuery, 'listing' | 'filters' | 'search'>>

/** Selected rows: picked ones, or all that match a query except some. */
export type Chosen<Row> = { rows: readonly Row[] } | { question: Question; except: readonly string[] }

export interface ChosenProps<Row> {
  /** Undefined without a selection. */
  chosen: Chosen<Row> | undefined
  onClear(): void
  /** Keeps the rows that fit, as found by the filter. */
  onNarrow(fits: (row: Row) => boolean, filter: Filter): void
  /** Called after an action on the rows. */
  onDone(): void
}

/** The bulk actions of a list. */
export interface Selecting<Row> {
  /** Whether the user can do anything with rows of the list. */
  isOffered(actor: Actor): boolean
  /** Why a row cannot be selected. */
  fault(row: Row): string | undefined
  /** The bar of the selection; shown from the first selected row, and kept for its dialogs. */
  Bar: ComponentType<ChosenProps<Row>>
}

/**
 * The description of a list for the web client: everything that depends on its subject. Address, views, columns,
 * filters, search, pages, export, selection and empty states are the same for every list.
 */
export interface ListSource<Row = unknown> {
  list: List
  calls: { page: Call; choices: Call; file: Call }
  /**
   * Which rows of a loaded page have changed, or any rows of the list that could now be on the page; 'any' if unknown.
   * If absent, a page is fetched at every refresh.
   */
  changedSince?(tenant: string, page: ListData<Row>, signal: AbortSignal): Promise<string[] | 'any'>
  /** The subjects of its rows, for change events. */
  shows?: Shows
  looks: Record<string, Look<Row>>
  words: FieldWords
  /** The icon of a value group, in a chip and as an option. */
  groupSign?(fieldId: string, group: string, place: 'chip' | 'choice'): ReactNode
  /** The possible values of a field in this list. */
  possible?(fieldId: string): readonly string[] | undefined
  /** The plural noun of its rows, for example 'devices', and the hint for an empty list. */
  noun: string
  emptyHint: string
  rowId(row: Row): string
  rowName(row: Row): string
  /** The link of a row; if absent, rows have no link. */
  rowHref?(actor: Actor, row: Row): string | undefined
  /** Called when the pointer rests on a row. */
  onHover?(client: QueryClient, tenant: string, row: Row, href: string | undefined): void
  phoneRow(row: Row): ReactNode
  /** The fields of a phone card; other fields that a view uses are added. */
  phoneFields: readonly string[]
  rowActions?(row: Row): ReactNode
  selecting?: Selecting<Row>
  /** Fields that every exported file has beside the field they explain, shown or not. */
  exportedBeside?: Readonly<Record<string, string>>
  /** The field by which a pinned row is found on another page. */
  pinField: { fieldId: string; of(row: Row): string }
  /** Built-in views that always have a tab, in addition to the main one. */
  tabs?: readonly string[]
  /** Whether users can save views here; true by default. */
  keepsViews?: boolean
  scopeIn?(parameter: unknown): Scope
  /** A link or button beside the tools, for example to create a row. */
  Begin?: ComponentType<{ alone?: boolean }>
  /** Links beside the tools to other uses of the filtered rows. */
  Tools?: ComponentType<{ question: { filters: readonly Filter[]; search: string } }>
  ScopeMenu?: ComponentType<{ parameter: unknown; onChange(parameter: unknown): void }>
  /** Stores the address for the way back. */
  onShown?(tenant: string, area: PlaceArea, address: string): void
}

/** The fields that a user can show, sort and filter by. */
export function listFields(list: List, actor: Pick<Actor, 'role' | 'features'>): ListField[] {
  return fieldsSeen(list, actor).map((field) => ({ ...field, choices: list.fields[field.fieldId]!.choices }))
}
