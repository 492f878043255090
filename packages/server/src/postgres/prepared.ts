import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'

const mark = '/* prepared */'

/**
 * Stands at the end of a statement that is run all the time and finds rows by keys, so that the way to them is the same for all
 * values: each connection keeps how it is run, since planning such a statement takes longer than running it. Not for what has
 * several ways to its rows, as the filters of a listing: which of them is right depends on the values. Nor for tables that begin to
 * grow in a burst: a way that was found while one was empty is kept until the database has looked at it anew.
 */
export const prepared = sql.raw(mark)

/** Each name takes some memory of each connection; what is beyond is planned each time. */
const mostNames = 200
const names = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostNames) return known
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}

/** Lets a connection keep how it runs what is marked. */
export function keepPrepared(client: pg.ClientBase): void {
  const run = client.query.bind(client) as (...args: readonly unknown[]) => unknown
  const query = (text: unknown, values: unknown, ...rest: readonly unknown[]) => {
    const name = typeof text === 'string' && text.endsWith(mark) ? nameOf(text) : undefined
    return name === undefined ? run(text, values, ...rest) : run({ name, text, values }, ...rest)
  }
  client.query = query as typeof client.query
}
