import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Sort } from '@caretaker/rules/lists/filters.ts'
import { storedOf } from './conditions.ts'
import type { ListSource } from './source.ts'

/** One part of an order: its expression, direction, and whether rows may lack it. */
export interface OrderPart {
  by: string
  falls: boolean
  nullable: boolean
}

/**
 * The parts of an order; without sorts, the default order of the source. The key comes last, in the direction of the
 * part before it, so that every order is total, pages never overlap, and an index can be read from both ends.
 */
export function orderParts(source: ListSource, sorts: readonly Sort[]): OrderPart[] {
  const wanted = sorts.length ? sorts : source.sorts
  const parts = wanted.map(({ fieldId, descending }) => {
    const column = storedOf(source, fieldId)
    return {
      by: column.order ?? column.value,
      falls: (column.falls === true) !== descending,
      nullable: column.nullable === true,
    }
  })
  return [...parts, { by: source.key, falls: wanted.at(-1)!.descending, nullable: false }]
}

/** An order in SQL; `backwards` is its exact reverse, used to read the second half of a long list from its end. */
export function orderOf(parts: readonly OrderPart[], backwards: boolean): RawBuilder<unknown> {
  const texts = parts.map(({ by, falls, nullable }) => {
    const nulls = nullable ? ` nulls ${backwards ? 'first' : 'last'}` : ''
    return `${by} ${falls === backwards ? 'asc' : 'desc'}${nulls}`
  })
  return sql.raw(texts.join(', '))
}
