import { createHash } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { z } from 'zod'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { OrderPart } from './order.ts'

/** The end of a page: the next page starts after it, whatever has changed since. */
export interface Cursor {
  /** The number of the page, and the page size. */
  page: number
  pageSize: number
  /** The sort keys of its last row, as the database writes them; null for missing values. */
  keys: (string | null)[]
}

/** Which rows of a list, and in which order. */
export type Question = readonly [listing: string, filters: unknown, sorts: unknown, search: string]

const Written = z.tuple([z.int().min(1), z.int().min(1), z.string(), z.array(z.string().nullable()).min(2).max(20)])

const digestOf = (question: Question) =>
  createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 16)

export function writeCursor({ page, pageSize, keys }: Cursor, question: Question): string {
  return Buffer.from(JSON.stringify([page, pageSize, digestOf(question), keys])).toString('base64url')
}

/** Reads a cursor from a page of the same question; rejects any other text. */
export function readCursor(text: string, question: Question): Cursor {
  const read = Written.safeParse(parsed(text))
  if (!read.success || read.data[2] !== digestOf(question)) throw noCursor()
  const [page, pageSize, , keys] = read.data
  return { page, pageSize, keys }
}

export function noCursor(): Error {
  const message = '`after` must be the `next` of an earlier page of the same list'
  return refuse('invalid', message, [{ field: 'after', message }])
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown
  } catch {
    return undefined
  }
}

/** SQL columns with the sort keys of a row, as stored in a cursor. */
export const keysOf = (parts: readonly OrderPart[]) =>
  parts.map(({ by }, at) => sql<string | null>`(${sql.raw(by)})::text`.as(`cursor_${at}`))

/** Reads the keys from a row with these columns. */
export const keysIn = (row: Record<string, unknown>, parts: readonly OrderPart[]) =>
  parts.map((_, at) => row[`cursor_${at}`] as string | null)

/**
 * The condition that a row comes after a cursor. If all parts have the same direction and no missing values, they are
 * compared as a row, which an index supports; otherwise part by part, with the earlier ones equal.
 */
export function comesAfter(parts: readonly OrderPart[], keys: readonly (string | null)[]): RawBuilder<boolean> {
  const columns = parts.map(({ by }) => sql.raw(by))
  const [first] = parts
  if (parts.every(({ falls, nullable }) => falls === first!.falls && !nullable))
    return sql<boolean>`(${sql.join(columns)}) ${first!.falls ? sql`<` : sql`>`} (${sql.join(keys.map((key) => sql`${key}`))})`
  const either = parts.map((part, at) => {
    const equal = parts
      .slice(0, at)
      .map((_, before) =>
        keys[before] === null ? sql`${columns[before]!} is null` : sql`${columns[before]!} = ${keys[before]}`,
      )
    return sql`(${sql.join([...equal, partAfter(part, columns[at]!, keys[at]!)], sql` and `)})`
  })
  return sql<boolean>`(${sql.join(either, sql` or `)})`
}

/** Rows without a value come last in either direction. */
function partAfter(
  { falls, nullable }: OrderPart,
  column: RawBuilder<unknown>,
  key: string | null,
): RawBuilder<unknown> {
  if (key === null) return sql`false`
  const after = sql`${column} ${falls ? sql`<` : sql`>`} ${key}`
  return nullable ? sql`(${after} or ${column} is null)` : after
}
