import type pg from 'pg'
import { faultsOf, loadModule } from './statements.ts'

/** Looks at the statements of pools until it is stopped. */
export interface Watch {
  stop(): void
  /** Throws when a statement was refused, even if whoever sent it took no notice. */
  conclude(): void
}

/** What is wrong with statements that have been looked at, for each set of tenant tables: the files of a worker share it. */
const faultsByTables = new Map<string, Map<string, string[]>>()

function knownFaults(tables: string): Map<string, string[]> {
  const known = faultsByTables.get(tables) ?? new Map<string, string[]>()
  faultsByTables.set(tables, known)
  return known
}

/**
 * Refuses, with the reason, what a distributed database would not take: the test that needs the statement fails by it, on
 * any database.
 */
export async function watchStatements(owner: pg.Pool, pools: readonly pg.Pool[]): Promise<Watch> {
  await loadModule()
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace`,
  )
  const names = rows.map((row) => row.name).sort()
  const tables = new Set(names)
  const known = knownFaults(names.join())
  const refused: string[] = []
  let stopped = false

  const look = (text: string) => {
    if (stopped) return
    if (!known.has(text)) known.set(text, faultsOf(text, tables))
    const faults = known.get(text)!
    if (!faults.length) return
    const message = `A distributed database does not take this statement: ${faults.join('; ')}\n${text}`
    refused.push(message)
    throw new Error(message)
  }

  for (const pool of pools)
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...sent: unknown[]) => unknown
      client.query = ((...sent: unknown[]) => {
        const [first] = sent as [string | { text?: string }]
        const text = typeof first === 'string' ? first : first.text
        if (text !== undefined) look(text)
        return query(...sent)
      }) as typeof client.query
    })

  return {
    stop: () => void (stopped = true),
    conclude: () => {
      if (refused.length && !stopped) throw new Error(refused[0])
    },
  }
}
