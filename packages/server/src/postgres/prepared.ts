import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'

const mark = '/* prepared */'

/**
 * Append this to statements that run constantly and find rows by key, so that one plan suits all values: each
 * connection keeps the plan, because planning takes longer than running. Not for statements with several possible
 * plans, such as the filters of a listing, and not for tables that start to grow in a burst: a plan made for an empty
 * table is kept until the table is analysed.
 */
export const prepared = sql.raw(mark)

/** Each name takes memory in each connection; further statements are planned each time. */
const mostNames = 200
const names = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostNames) return known
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}

/** Makes a connection keep the plans of marked statements. */
export function keepPrepared(client: pg.ClientBase): void {
  const run = client.query.bind(client) as (...args: readonly unknown[]) => unknown
  const query = (text: unknown, values: unknown, ...rest: readonly unknown[]) => {
    const name = typeof text === 'string' && text.endsWith(mark) ? nameOf(text) : undefined
    return name === undefined ? run(text, values, ...rest) : run({ name, text, values }, ...rest)
  }
  client.query = query as typeof client.query
}
