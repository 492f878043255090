import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'

/**
 * Some keys as rows `wanted (id)`, each once. What is joined to them by `cross join lateral (… offset 0)` is looked up key by key:
 * given the keys as a list, the database went through all rows of a client or of a table for a few hundred of them, where it knew
 * little of the table yet or in the steps of a recursion.
 */
export const eachOf = (ids: readonly string[]): RawBuilder<unknown> =>
  sql`unnest(${uuids([...new Set(ids)])}::uuid[]) as wanted (id)`

/** Ids as the text of an array: the driver's own takes a multiple of the time, and ids need no quotes. */
export const uuids = (ids: readonly string[]): string => `{${ids.join()}}`

/**
 * Instants in ms as the text of an array of `float8`, which a statement makes instants of again (`to_timestamp(at / 1000)`):
 * thousands of texts of days and times take longer to be written and to be read.
 */
export const instants = (all: readonly (number | null)[]): string => `{${all.map((at) => at ?? 'NULL').join()}}`
