import type { RawBuilder, SelectQueryBuilder } from 'kysely'
import type { Exportable, Fields, Filterable, Searchable, Sortable } from '@caretaker/rules/lists/fields.ts'
import type { DataType, FilterOp } from '@caretaker/rules/lists/fields.ts'
import type { Sort } from '@caretaker/rules/lists/filters.ts'
import type { AnyList } from '@caretaker/rules/views/lists.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Database } from '../postgres/database.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Cell } from '../spreadsheets/table.ts'

/** How a field stands in the table: what filters compare, and what sorts go by where that differs; in SQL. */
export interface Stored {
  value: string
  order?: string
  /** A text as it is shown; `value` is then the same in lower case. */
  shown?: string
  /** The natural way round is downwards: highest severity first. */
  falls?: true
  /** Rows without a value come last, whichever way it is sorted. */
  nullable?: true
  /** What else is true of rows that have one of these values, where an index can use it. */
  implies?: (values: readonly string[]) => RawBuilder<boolean>
  /** Whether a row has one of these values, where that is said better than by comparing `value`. */
  among?: (values: readonly string[]) => RawBuilder<boolean>
}

/** How a field that stands in another table is asked for: by names, of which a row has one, several or none. */
export interface Linked {
  /** Rows that meet it, by what the actor may see; names and parts of names come in lower case. */
  meets(
    op: Exclude<FilterOp, 'noneof' | 'present'>,
    names: readonly string[],
    tenant: string,
    actor: Actor,
  ): RawBuilder<boolean>
  /** Whether a row has one at all; texts are asked for it by 'present'. */
  present?(tenant: string, actor: Actor): RawBuilder<boolean>
  /** The same, asked of row after row: where nearly all have one, a page of them is found sooner so. */
  presentInEach?(tenant: string, actor: Actor): RawBuilder<boolean>
  /** The names with all words of what is typed, that the actor may know; at most 100, in their order. */
  names(tx: TenantTx, typed: string, actor: Actor): Promise<string[]>
}

/** The same with names that a search looks into as well. */
export interface Sought extends Linked {
  /** Rows with a name that has a word of a search, by what the actor may see. */
  have(word: string, tenant: string, actor: Actor): RawBuilder<boolean>
}

/** How a number or a day that stands in another table is asked for: rows of which the value there meets a comparison. */
export interface Measured {
  whose(meets: (value: RawBuilder<unknown>) => RawBuilder<unknown>, tenant: string): RawBuilder<boolean>
}

/** How a field is asked for whose values nobody types, such as an id: rows that have one of them. */
export interface Identified {
  has(values: readonly string[], tenant: string, actor: Actor): RawBuilder<boolean>
}

export type Column = Stored | Linked | Measured | Identified
type Asked = Linked & Required<Pick<Linked, 'present'>>
/** How a field of a kind may stand: names are texts, and of one text can be asked whether it is there at all. */
type ColumnOf<Kind extends DataType> =
  | Stored
  | { string: Asked | Identified; stringarray: Linked; number: Measured; date: Measured; bool: never }[Kind]
export type Table = keyof Database

/** Rows of a table, as a query to go on with. */
export type Rows<T extends Table, O = object> = SelectQueryBuilder<Database, T, O>

/** What the engine needs to know of a subject to find rows of its lists, to order and to count them. */
export interface ListSource<T extends Table = Table, N extends string = string> {
  fields: Fields
  lists: Readonly<Record<N, AnyList>>
  /** A table with the column `tenant_id`. */
  table: T
  /** The column of its ids where that is not `id`. */
  id?: string
  columns: Readonly<Record<string, Column>>
  /** The column that comes last in every order, unique within a tenant. */
  key: string
  /** The order unless another is asked for. */
  sorts: readonly Sort[]
  /** Columns that hold what is searched in the form of a search, where the table has such: of everything, and of what is not personal. */
  searched?: { all: readonly string[]; open: readonly string[] }
  /** What a search asks of rows, where their texts stand in another table; the words are the caller's. */
  search?(tx: TenantTx, actor: Actor, typed: string): Promise<RawBuilder<boolean>[]>
  /** The column of names that a search looks into as well: tags. */
  soughtNames?: Sought
  /** The rows of a list that the actor may see, before any filter. */
  visible(tx: TenantTx, actor: Actor, list: N): Rows<T>
  /** The same rows, where there is a quicker way to count them. */
  counted?: ListSource<T, N>['visible']
}

/** The same with what is told of each row, to pages and to files. */
export interface RowSource<Row, T extends Table = Table, N extends string = string> extends ListSource<T, N> {
  cells: Readonly<Record<string, (row: Row) => Cell>>
  /** What calls tell of these; the caller has asked whether the actor may see them. */
  rows(tx: TenantTx, actor: Actor, ids: readonly string[]): Promise<ReadonlyMap<string, Row>>
}

/** One for every field that can be filtered, sorted or searched by; what is sorted or searched stands in the rows of the list. */
export type ColumnsOf<F extends Fields> = { readonly [Id in Sortable<F> | Searchable<F>]: Stored } & {
  readonly [Id in Exclude<Filterable<F>, Sortable<F> | Searchable<F>>]: ColumnOf<F[Id]['dataType']>
}

interface Declared<T extends Table, F extends Fields, N extends string, Row> extends Omit<
  RowSource<Row, T, N>,
  'columns' | 'cells'
> {
  fields: F
  columns: ColumnsOf<F>
  /** One for every field that can be exported. */
  cells: { readonly [Id in Exportable<F>]: (row: Row) => Cell }
}

/** Declares where the lists of a subject come from. A field without its column or cell does not compile. */
export function listSource<T extends Table, const F extends Fields, N extends string, Row>(
  source: Declared<T, F, N, Row>,
): RowSource<Row, T, N> {
  return source
}
