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

/** One page of a list, as its call answers it. */
export interface ListData<Row> {
  rows: Row[]
  /** Rows that meet the filters, and rows of the list without any. */
  total: number
  outOf: number
  page: number
  pageSize: number
  updatedAt: string
  position: string
  /** Where it ends, for the call of a later page; null of a page without rows. */
  next: string | null
}

/** How a field looks in a table; the first that is `link` leads where the row does. */
export interface Look<Row> {
  width: number
  upTo?: number
  align?: 'end'
  link?: true
  cell(row: Row): ReactNode
}

/** The look of every field of a subject that can be a column: to leave one out does not compile. */
export type Looks<F extends Fields, Row> = Record<Viewable<F>, Look<Row>>

/** A field of a list, with the values it can have where they are a fixed list. */
export type ListField = FieldDefinition & { choices: readonly string[] | null }

/** Values that are spoken of together. */
export interface ValueGroup {
  id: string
  label: string
  values: readonly string[]
}

/** The values of a subject's fields in the words of people; without them they read as they are. */
export interface FieldWords {
  word?(fieldId: string, value: string): string | undefined
  /** A value among all that can be chosen, where its word alone would not tell it from another. */
  choiceWord?(fieldId: string, value: string): string | undefined
  /** 'statuses', of a field whose values have groups. */
  plural?(fieldId: string): string | undefined
  /** Of a field with a fixed list of values, the groups that they make up, in their order. */
  groups?(fieldId: string): readonly ValueGroup[] | undefined
}

/** What a list is narrowed to by the parameter 'filter' of its address, besides its filters. */
export interface Scope {
  /** In the words of its menu; undefined where the list shows all. */
  label: string | undefined
  /** What the page is about: stays when filters are cleared. */
  about: readonly Filter[]
  /** What stands among the filters, and goes with them. */
  besides: readonly Filter[]
  /** The parameter without what is besides. */
  bare: unknown
}

/** Which rows of a list, whatever their order. */
export type Question = Required<Pick<ListQuery, 'listing' | 'filters' | 'search'>>

/** Rows that something is done with: some that were picked, or all that a question finds but for a few. */
export type Chosen<Row> = { rows: readonly Row[] } | { question: Question; except: readonly string[] }

export interface ChosenProps<Row> {
  /** Undefined while nothing is. */
  chosen: Chosen<Row> | undefined
  onClear(): void
  /** Keeps the rows that fit, which the filter finds. */
  onNarrow(fits: (row: Row) => boolean, filter: Filter): void
  /** Called when something was done with the rows. */
  onDone(): void
}

/** What can be done with many rows at once. */
export interface Selecting<Row> {
  /** Whether the person can do anything with rows of the list at all. */
  isOffered(actor: Actor): boolean
  /** Why a row cannot be selected. */
  fault(row: Row): string | undefined
  /** The bar of the selection; shown from the first selected row on, it outlives the selection for its dialogs. */
  Bar: ComponentType<ChosenProps<Row>>
}

/**
 * A list, as the web shows it: all that is known of its subject. The rest of a listing (its address, views, columns, filters,
 * search, pages, export, selection, and what it says when it is empty or fails) is the same for every list.
 */
export interface ListSource<Row = unknown> {
  list: List
  calls: { page: Call; choices: Call; file: Call }
  /** Which of the rows of a loaded page have changed since, or any of the list where others may now stand in it; 'any' when it cannot be said which. Without it a page is fetched at every refresh. */
  changedSince?(tenant: string, page: ListData<Row>, signal: AbortSignal): Promise<string[] | 'any'>
  /** What its rows show, of which open pages hear changes. */
  shows?: Shows
  looks: Record<string, Look<Row>>
  words: FieldWords
  /** The sign of a group of values: in a chip, and where it is chosen. */
  groupSign?(fieldId: string, group: string, place: 'chip' | 'choice'): ReactNode
  /** The values of a field that this list can hold at all. */
  possible?(fieldId: string): readonly string[] | undefined
  /** What its rows are called: 'devices'; and how the first one comes. */
  noun: string
  emptyHint: string
  rowId(row: Row): string
  rowName(row: Row): string
  /** Where a row leads; without it rows lead nowhere. */
  rowHref?(actor: Actor, row: Row): string | undefined
  /** The pointer rests on a row. */
  onHover?(client: QueryClient, tenant: string, row: Row, href: string | undefined): void
  phoneRow(row: Row): ReactNode
  /** The fields that stand in it: what else a view is about is added. */
  phoneFields: readonly string[]
  rowActions?(row: Row): ReactNode
  selecting?: Selecting<Row>
  /** Fields that stand in every file beside the one that they explain, whether the table shows them or not. */
  exportedBeside?: Readonly<Record<string, string>>
  /** The field by whose value a pinned row is found again on another page. */
  pinField: { fieldId: string; of(row: Row): string }
  /** Built-in views that always have a tab, besides the main one. */
  tabs?: readonly string[]
  /** Whether people keep views of their own here; they do unless it says no. */
  keepsViews?: boolean
  scopeIn?(parameter: unknown): Scope
  /** What can be begun here besides looking: a link or a button beside the tools. */
  Begin?: ComponentType<{ alone?: boolean }>
  /** What else its rows are for: links beside the tools, to what is made of the rows that are asked for. */
  Tools?: ComponentType<{ question: { filters: readonly Filter[]; search: string } }>
  ScopeMenu?: ComponentType<{ parameter: unknown; onChange(parameter: unknown): void }>
  /** Notes the address as it is left, for the way back. */
  onShown?(tenant: string, area: PlaceArea, address: string): void
}

/** What a list can show, sort and filter by, for somebody. */
export function listFields(list: List, actor: Pick<Actor, 'role' | 'features'>): ListField[] {
  return fieldsSeen(list, actor).map((field) => ({ ...field, choices: list.fields[field.fieldId]!.choices }))
}
