import type { Sort } from '@caretaker/rules/lists/filters.ts'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'

/**
 * The sort order after a click on a column header: ascending, then descending, then unsorted; with Shift it is added to
 * the existing columns, otherwise it replaces them. If the list has no order of its own, the view's order applies.
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
