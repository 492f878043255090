import type { Feature } from '../identity/features.ts'

/** Data types, which determine how a field is compared (devices gaps B29). */
export const dataTypes = ['string', 'number', 'date', 'bool', 'stringarray'] as const
export type DataType = (typeof dataTypes)[number]

/**
 * Filter operators; 'equals' is the default (devices specification, section 3). 'present' filters by whether there is a
 * value.
 */
export const filterOps = ['equals', 'anyof', 'noneof', 'contains', 'from', 'to', 'present'] as const
export type FilterOp = (typeof filterOps)[number]

/** The operators of each data type. A field without a value matches 'noneof' and 'present: no' only. */
export const opsOf: Record<DataType, readonly FilterOp[]> = {
  string: ['equals', 'anyof', 'noneof', 'contains', 'present'],
  stringarray: ['equals', 'anyof', 'noneof'],
  number: ['equals', 'from', 'to'],
  date: ['equals', 'from', 'to', 'present'],
  bool: ['equals'],
}

/**
 * The complete definition of a field. Other packages derive typed requirements from it (a database column for
 * filterable fields, a cell for exportable ones), so that the build fails without them.
 */
export interface Field {
  label: string
  dataType: DataType
  filterable: boolean
  sortable: boolean
  /** Available as a table column. */
  viewable: boolean
  /** Available as a file column. */
  exportable: boolean
  /** Included in the search of a list. */
  searchable: boolean
  /** Personal data of customers: removed under HideCustomerPersonalData. */
  personal: boolean
  /** The allowed values, if they are a fixed list. */
  choices: readonly string[] | null
  /** The feature that a tenant needs for this field. */
  feature?: Feature
}

/** Defaults for most fields. */
export const usual = {
  filterable: true,
  sortable: true,
  viewable: true,
  exportable: true,
  searchable: false,
  personal: false,
  choices: null,
} as const

/** The fields of a subject, by their ids. */
export type Fields = Readonly<Record<string, Field>>

type IdsWith<F extends Fields, P extends keyof Field> = {
  [Id in keyof F]: F[Id] extends Readonly<Record<P, true>> ? Id : never
}[keyof F] &
  string
export type Filterable<F extends Fields> = IdsWith<F, 'filterable'>
export type Sortable<F extends Fields> = IdsWith<F, 'sortable'>
export type Viewable<F extends Fields> = IdsWith<F, 'viewable'>
export type Exportable<F extends Fields> = IdsWith<F, 'exportable'>
export type Searchable<F extends Fields> = IdsWith<F, 'searchable'>

/**
 * A field as returned by the API, as a column and a filter (core specification, section 3; estate specification,
 * section 3).
 */
export interface FieldDefinition<Id extends string = string> {
  fieldId: Id
  label: string
  dataType: DataType
  sortable: boolean
  viewFilterable: boolean
  viewable: boolean
  /** The operators; empty if it cannot be filtered. */
  filterOps: readonly FilterOp[]
  /** Whether values can be suggested. */
  filterSuggests: boolean
  /** Whether the suggestions are all possible values. */
  filterSuggestsExhaustive: boolean
}

/** Field definitions for the API, in order; without personal fields if those are hidden. */
export function definitionsOf<F extends Fields>(
  fields: F,
  hidesPersonalData: boolean,
): FieldDefinition<keyof F & string>[] {
  return Object.entries(fields)
    .filter(([, { personal }]) => !(personal && hidesPersonalData))
    .map(([fieldId, { label, dataType, sortable, filterable, viewable, choices }]) => ({
      fieldId,
      label,
      dataType,
      sortable,
      viewFilterable: filterable,
      viewable,
      filterOps: filterable ? opsOf[dataType] : [],
      filterSuggests: filterable && (dataType === 'string' || dataType === 'stringarray'),
      filterSuggestsExhaustive: filterable && choices !== null,
    }))
}

/** The allowed values of a field, if they are a fixed list. */
export function choicesOf(fields: Fields, fieldId: string): readonly string[] | undefined {
  return (Object.hasOwn(fields, fieldId) ? fields[fieldId]?.choices : undefined) ?? undefined
}

/** The validation error of a view column, or undefined. */
export function columnFault(
  fieldId: string,
  known: readonly FieldDefinition[],
  columns: readonly string[],
): string | undefined {
  const field = known.find((one) => one.fieldId === fieldId)
  if (!field) return `There is no field '${fieldId}' here`
  if (!field.viewable) return `'${field.label}' cannot be a column`
  const times = columns.filter((column) => column === fieldId).length
  return times > 1 ? `'${field.label}' is a column twice` : undefined
}
