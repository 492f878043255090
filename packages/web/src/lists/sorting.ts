import type { Sort } from '@caretaker/rules/lists/filters.ts'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'

/**
 * The orders after a press on a column's head: ascending, then descending, then no longer by this column; with Shift beside
 * the orders that are there, else in their place. Without any of the person's own the view's hold.
 */
export function nextSorts(sorts: readonly Sort[], own: readonly Sort[], fieldId: string, joins: boolean): Sort[] {
  const present = sorts.find((sort) => sort.fieldId === fieldId)
  const turned = { fieldId, descending: present !== undefined }
  if (!joins)
    return present?.descending && !isOnly(own, present)
      ? [...own]
      : [{ ...turned, descending: !!present && !present.descending }]
  if (present?.descending) return sorts.filter((sort) => sort !== present)
  if (present) return sorts.map((sort) => (sort === present ? turned : sort))
  return [...sorts, turned].slice(0, viewLimits.sorts)
}

const isOnly = (sorts: readonly Sort[], sort: Sort) =>
  sorts.length === 1 && sorts[0]?.fieldId === sort.fieldId && sorts[0].descending === sort.descending
