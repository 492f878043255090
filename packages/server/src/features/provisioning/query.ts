import type { Comparison } from '@caretaker/rules/provisioning/filter.ts'
import { parseFilter } from '@caretaker/rules/provisioning/filter.ts'
import type { Wanted } from '@caretaker/rules/provisioning/projection.ts'
import { namesIn } from '@caretaker/rules/provisioning/projection.ts'

/** Maximum number of resources in a response. */
export const mostPerPage = 200
const usualPerPage = 100

export interface Query {
  comparisons: readonly Comparison[]
  startIndex: number
  count: number
  wanted: Wanted
}

/** The query of a request. Its parameters can be repeated; the first one counts. */
export function queryOf(given: unknown): Query {
  const query = Object.fromEntries(
    Object.entries((given ?? {}) as Record<string, unknown>).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? String(value[0]) : String(value),
    ]),
  )
  const { filter, startindex, count, attributes, excludedattributes } = query
  return {
    comparisons: filter === undefined || filter.trim() === '' ? [] : parseFilter(filter),
    startIndex: Math.max(1, numberIn(startindex) ?? 1),
    count: Math.min(mostPerPage, Math.max(0, numberIn(count) ?? usualPerPage)),
    wanted: { attributes: namesIn(attributes), excluded: namesIn(excludedattributes) },
  }
}

function numberIn(text: string | undefined): number | undefined {
  const number = text === undefined ? Number.NaN : Number.parseInt(text, 10)
  return Number.isSafeInteger(number) ? Math.min(number, 1_000_000_000) : undefined
}
