import type { FieldError } from '@caretaker/contract/refusal.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { FieldDefinition } from '@caretaker/rules/lists/fields.ts'
import { columnFault } from '@caretaker/rules/lists/fields.ts'
import type { List } from '@caretaker/rules/lists/list.ts'
import { fieldsSeen } from '@caretaker/rules/lists/list.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { filterFault, sortFault } from '@caretaker/rules/lists/filters.ts'

/** The parts of a view that depend on the list's fields. */
interface Content {
  columns: readonly string[]
  filters: readonly Filter[]
  sorts: readonly Sort[]
}

/** Rejects columns, filters and orders unknown to the list, naming each. */
export function rejectInvalidView(content: Partial<Content>, known: readonly FieldDefinition[], within = ''): void {
  const { columns = [], filters = [], sorts = [] } = content
  const errors: FieldError[] = [
    ...columns.map((column, at) => ({ field: `columns.${at}`, message: columnFault(column, known, columns) })),
    ...filters.map((filter, at) => ({ field: `filters.${at}`, message: filterFault(filter, known) })),
    ...sorts.map((sort, at) => ({ field: `sorts.${at}`, message: sortFault(sort, known) })),
  ].flatMap(({ field, message }) => (message ? [{ field: within + field, message }] : []))
  if (errors.length) throw refuse('invalid', errors[0]!.message, errors)
}

/**
 * A view without fields that the actor may not see: one created before personal data were hidden still contains them,
 * and its search texts may be addresses.
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

/** Filters as recorded in the audit log: by field, so that personal ones can be left out. */
export function auditedFilters(filters: readonly Filter[]): Record<string, unknown>[] {
  return filters.map(({ fieldId, filterOp, value }) => ({ [fieldId]: { [filterOp]: value } }))
}

function columnsOf(columns: readonly string[], known: readonly FieldDefinition[]): string[] {
  return columns.filter((column) => !columnFault(column, known, columns))
}
