import type pg from 'pg'
import { faultsOf, loadModule } from './statements.ts'

/** Checks the statements of pools until it is stopped. */
export interface Watch {
  stop(): void
  /** Throws if a statement was rejected, even if its sender ignored the error. */
  conclude(): void
}

/** The faults of checked statements, by set of tenant tables; shared by the files of a worker. */
const faultsByTables = new Map<string, Map<string, string[]>>()

function knownFaults(tables: string): Map<string, string[]> {
  const known = faultsByTables.get(tables) ?? new Map<string, string[]>()
  faultsByTables.set(tables, known)
  return known
}

/** Rejects statements that a distributed database would not accept, so that their test fails on any database. */
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
