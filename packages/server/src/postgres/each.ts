import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'

/**
 * Keys as rows `wanted (id)`, without duplicates. A join by `cross join lateral (… offset 0)` looks up key by key;
 * with a list of keys the planner scanned a whole table for a few hundred, if it had few statistics or in recursive
 * steps.
 */
export const eachOf = (ids: readonly string[]): RawBuilder<unknown> =>
  sql`unnest(${uuids([...new Set(ids)])}::uuid[]) as wanted (id)`

/** Ids as an array literal: the driver's own conversion is several times slower, and ids need no quotes. */
export const uuids = (ids: readonly string[]): string => `{${ids.join()}}`

/**
 * Instants in ms as a `float8` array literal, converted in SQL by `to_timestamp(at / 1000)`: thousands of date texts
 * are slower to write and to parse.
 */
export const instants = (all: readonly (number | null)[]): string => `{${all.map((at) => at ?? 'NULL').join()}}`
