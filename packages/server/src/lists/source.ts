import type { RawBuilder, SelectQueryBuilder } from 'kysely'
import type { Exportable, Fields, Filterable, Searchable, Sortable } from '@caretaker/rules/lists/fields.ts'
import type { DataType, FilterOp } from '@caretaker/rules/lists/fields.ts'
import type { Sort } from '@caretaker/rules/lists/filters.ts'
import type { AnyList } from '@caretaker/rules/views/lists.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Database } from '../postgres/database.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Cell } from '../spreadsheets/table.ts'

/** SQL for a field in the list's table: the value for filters, and a separate sort key where needed. */
export interface Stored {
  value: string
  order?: string
  /** The text as displayed; `value` is then its lower case. */
  shown?: string
  /** The default direction is descending: highest severity first. */
  falls?: true
  /** Rows without a value come last in either direction. */
  nullable?: true
  /** A further condition implied by these values, which an index can use. */
  implies?: (values: readonly string[]) => RawBuilder<boolean>
  /** Whether a row has one of these values, where that is faster than comparing `value`. */
  among?: (values: readonly string[]) => RawBuilder<boolean>
}

/** How to filter by a field of another table: a row has one, several or no names. */
export interface Linked {
  /** Rows that match, limited to what the actor may see; names and parts are in lower case. */
  meets(
    op: Exclude<FilterOp, 'noneof' | 'present'>,
    names: readonly string[],
    tenant: string,
    actor: Actor,
  ): RawBuilder<boolean>
  /** Whether a row has one at all; text fields are filtered by 'present'. */
  present?(tenant: string, actor: Actor): RawBuilder<boolean>
  /** Like `present`, evaluated row by row: faster for a page of a list where nearly all rows match. */
  presentInEach?(tenant: string, actor: Actor): RawBuilder<boolean>
  /** Names that contain all typed words and that the actor may see; 100 at most, sorted. */
  names(tx: TenantTx, typed: string, actor: Actor): Promise<string[]>
}

/** A linked field whose names are also searched. */
export interface SearchedLink extends Linked {
  /** Rows with a name that contains a search word, limited to what the actor may see. */
  have(word: string, tenant: string, actor: Actor): RawBuilder<boolean>
}

/** How to filter by a number or day in another table: rows whose value there matches a comparison. */
export interface Measured {
  whose(meets: (value: RawBuilder<unknown>) => RawBuilder<unknown>, tenant: string): RawBuilder<boolean>
}

/** How to filter by a field whose values are not typed, such as an id: rows with one of them. */
export interface Identified {
  has(values: readonly string[], tenant: string, actor: Actor): RawBuilder<boolean>
}

export type Column = Stored | Linked | Measured | Identified
type Asked = Linked & Required<Pick<Linked, 'present'>>
/** The possible columns of a field: names are texts, and a text can be filtered by presence. */
type ColumnOf<Kind extends DataType> =
  | Stored
  | { string: Asked | Identified; stringarray: Linked; number: Measured; date: Measured; bool: never }[Kind]
export type Table = keyof Database

/** A query for rows of a table. */
export type Rows<T extends Table, O = object> = SelectQueryBuilder<Database, T, O>

/** What the list engine needs to find, sort and count the rows of a subject's lists. */
export interface ListSource<T extends Table = Table, N extends string = string> {
  fields: Fields
  lists: Readonly<Record<N, AnyList>>
  /** A table with the column `tenant_id`. */
  table: T
  /** The id column, if it is not `id`. */
  id?: string
  columns: Readonly<Record<string, Column>>
  /** The last column of every order, unique within a tenant. */
  key: string
  /** The default order. */
  sorts: readonly Sort[]
  /** Columns with search forms, if the table has them: `all` texts, and `open` ones that are not personal. */
  searched?: { all: readonly string[]; open: readonly string[] }
  /** The conditions of a search in texts of another table; the caller handles the words. */
  search?(tx: TenantTx, actor: Actor, typed: string): Promise<RawBuilder<boolean>[]>
  /** The column of names that are also searched: tags. */
  searchedNames?: SearchedLink
  /** The rows of a list that the actor may see, before filters. */
  visible(tx: TenantTx, actor: Actor, list: N): Rows<T>
  /** The same rows, where there is a faster way to count them. */
  counted?: ListSource<T, N>['visible']
}

/** A list source with the data of each row, for pages and files. */
export interface RowSource<Row, T extends Table = Table, N extends string = string> extends ListSource<T, N> {
  cells: Readonly<Record<string, (row: Row) => Cell>>
  /** The response rows of these ids; the caller has checked that the actor may see them. */
  rows(tx: TenantTx, actor: Actor, ids: readonly string[]): Promise<ReadonlyMap<string, Row>>
}

/** One per field that can be filtered, sorted or searched; sorted and searched ones are in the list's own table. */
export type ColumnsOf<F extends Fields> = { readonly [Id in Sortable<F> | Searchable<F>]: Stored } & {
  readonly [Id in Exclude<Filterable<F>, Sortable<F> | Searchable<F>>]: ColumnOf<F[Id]['dataType']>
}

interface Declared<T extends Table, F extends Fields, N extends string, Row> extends Omit<
  RowSource<Row, T, N>,
  'columns' | 'cells'
> {
  fields: F
  columns: ColumnsOf<F>
  /** One per field that can be exported. */
  cells: { readonly [Id in Exportable<F>]: (row: Row) => Cell }
}

/** Declares the source of a subject's lists. A field without its column or cell does not compile. */
export function listSource<T extends Table, const F extends Fields, N extends string, Row>(
  source: Declared<T, F, N, Row>,
): RowSource<Row, T, N> {
  return source
}
