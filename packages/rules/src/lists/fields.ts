import type { Feature } from '../identity/features.ts'

/** Kinds of values, which decide how a field is compared (devices gaps B29). */
export const dataTypes = ['string', 'number', 'date', 'bool', 'stringarray'] as const
export type DataType = (typeof dataTypes)[number]

/**
 * How a filter compares; 'equals' unless it says otherwise (devices specification, section 3). 'present' asks by yes or no
 * whether there is a value at all.
 */
export const filterOps = ['equals', 'anyof', 'noneof', 'contains', 'from', 'to', 'present'] as const
export type FilterOp = (typeof filterOps)[number]

/** How fields of each kind can be compared. A field without a value meets 'noneof', 'present' by no, and nothing else. */
export const opsOf: Record<DataType, readonly FilterOp[]> = {
  string: ['equals', 'anyof', 'noneof', 'contains', 'present'],
  stringarray: ['equals', 'anyof', 'noneof'],
  number: ['equals', 'from', 'to'],
  date: ['equals', 'from', 'to', 'present'],
  bool: ['equals'],
}

/**
 * What is said of a field, in the one place where it is said. All of it: what a floor has to bring for a field follows from
 * these, so that it does not compile without (a column in the database for what is filterable, a cell for what is exportable).
 */
export interface Field {
  label: string
  dataType: DataType
  filterable: boolean
  sortable: boolean
  /** Whether it can be a column of a table. */
  viewable: boolean
  /** Whether it can be a column of a file. */
  exportable: boolean
  /** Whether the search of a list looks into it. */
  searchable: boolean
  /** Whether it tells of a customer: absent under HideCustomerPersonalData. */
  personal: boolean
  /** The values it can have, where they are a fixed list. */
  choices: readonly string[] | null
  /** What a tenant must have for it to be there at all. */
  feature?: Feature
}

/** What is said of most fields; each says itself where it differs. */
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

type Having<F extends Fields, P extends keyof Field> = {
  [Id in keyof F]: F[Id] extends Readonly<Record<P, true>> ? Id : never
}[keyof F] &
  string
export type Filterable<F extends Fields> = Having<F, 'filterable'>
export type Sortable<F extends Fields> = Having<F, 'sortable'>
export type Viewable<F extends Fields> = Having<F, 'viewable'>
export type Exportable<F extends Fields> = Having<F, 'exportable'>
export type Searchable<F extends Fields> = Having<F, 'searchable'>

/**
 * A field as the calls tell of it, as a column and as a filter (core specification, section 3; estate specification,
 * section 3).
 */
export interface FieldDefinition<Id extends string = string> {
  fieldId: Id
  label: string
  dataType: DataType
  sortable: boolean
  viewFilterable: boolean
  viewable: boolean
  /** How it can be compared; empty when it cannot be filtered by. */
  filterOps: readonly FilterOp[]
  /** Whether there are values to choose from. */
  filterSuggests: boolean
  /** Whether these are all that there can be, so that no other text is of use. */
  filterSuggestsExhaustive: boolean
}

/** The fields as the calls tell of them, in their order, without personal ones where those are hidden. */
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

/** The values a field can have, where they are a fixed list. */
export function choicesOf(fields: Fields, fieldId: string): readonly string[] | undefined {
  return (Object.hasOwn(fields, fieldId) ? fields[fieldId]?.choices : undefined) ?? undefined
}

/** What is wrong with a column of a view, or undefined when nothing is. */
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
