import type { FieldError } from '@caretaker/contract/refusal.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { FieldDefinition } from '@caretaker/rules/lists/fields.ts'
import { columnFault } from '@caretaker/rules/lists/fields.ts'
import type { List } from '@caretaker/rules/lists/list.ts'
import { fieldsSeen } from '@caretaker/rules/lists/list.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { filterFault, sortFault } from '@caretaker/rules/lists/filters.ts'

/** What a view says of a list's rows. */
interface Content {
  columns: readonly string[]
  filters: readonly Filter[]
  sorts: readonly Sort[]
}

/** Refuses columns, filters and orders that the list does not know, and names every one of them. */
export function refuseUnsound(content: Partial<Content>, known: readonly FieldDefinition[], within = ''): void {
  const { columns = [], filters = [], sorts = [] } = content
  const errors: FieldError[] = [
    ...columns.map((column, at) => ({ field: `columns.${at}`, message: columnFault(column, known, columns) })),
    ...filters.map((filter, at) => ({ field: `filters.${at}`, message: filterFault(filter, known) })),
    ...sorts.map((sort, at) => ({ field: `sorts.${at}`, message: sortFault(sort, known) })),
  ].flatMap(({ field, message }) => (message ? [{ field: within + field, message }] : []))
  if (errors.length) throw refuse('invalid', errors[0]!.message, errors)
}

/**
 * A view as far as the actor may know its fields: one that was made before personal data were hidden still names them, and
 * the texts that it looks for are addresses.
 */
export function asSeen<V extends Content>(view: V, list: List, actor: Actor): V {
  const known = fieldsSeen(list, actor)
  const columns = columnsOf(view.columns, known)
  return {
    ...view,
    columns: columns.length ? columns : columnsOf(list.columns, known),
    filters: view.filters.filter((filter) => !filterFault(filter, known)),
    sorts: view.sorts.filter((sort) => !sortFault(sort, known)),
  }
}

/** Filters as the record of changes tells of them: by their fields, so that personal ones can be left out. */
export function toldFilters(filters: readonly Filter[]): Record<string, unknown>[] {
  return filters.map(({ fieldId, filterOp, value }) => ({ [fieldId]: { [filterOp]: value } }))
}

function columnsOf(columns: readonly string[], known: readonly FieldDefinition[]): string[] {
  return columns.filter((column) => !columnFault(column, known, columns))
}
