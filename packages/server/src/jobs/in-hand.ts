import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { keepAlive } from '../postgres/locks.ts'

/** The space of the advisory locks that say that a run is in somebody's hand. */
const space = 0x6a6f_6273

/** A run that nobody has in hand for so long has lost its process, in seconds: who takes a run locks it a moment later. */
const grace = 3

/** The runs that this process has in hand: of each it holds a lock, which goes with the process. */
export function runsInHand() {
  const ids = new Set<string>()
  let client: pg.Client | undefined
  let turn: Promise<unknown> = Promise.resolve()
  /** A connection is asked one thing after the other; one that is lost took its locks with it. */
  const inTurn = async (ask: (asked: pg.Client) => Promise<unknown>): Promise<void> => {
    turn = turn.then(() => client && ask(client)).catch(() => {})
    await turn
  }
  return {
    has: (id: string) => ids.has(id),
    /** Without its connection a process cannot know who else is there. */
    isHolding: () => client !== undefined,
    onOpen: async (opened: pg.Client) => {
      await keepAlive(opened)
      for (const id of ids) await lock(opened, id)
      client = opened
    },
    onLost: () => {
      client = undefined
    },
    /** Has a run in hand while it goes on. */
    hold: async (id: string, run: () => Promise<void>): Promise<void> => {
      ids.add(id)
      await inTurn((asked) => lock(asked, id))
      try {
        await run()
      } finally {
        ids.delete(id)
        await inTurn((asked) => asked.query('select pg_advisory_unlock($1, hashtext($2))', [space, id]))
      }
    },
  }
}
export type RunsInHand = ReturnType<typeof runsInHand>

/** Somebody who looks for lost runs may hold it for a moment; another run of the same number holds it for both. */
async function lock(client: pg.Client, id: string): Promise<void> {
  for (let tries = 0; tries < 5; tries++, await sleep(20)) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as taken', [
      space,
      id,
    ])
    if (rows[0]!.taken) return
  }
}

export interface LostRun {
  id: string
  name: string
}

/** Runs that are under way as far as the queue knows, and that nobody has in hand any more. */
export async function lostRuns(owner: pg.Pool, mine: RunsInHand): Promise<LostRun[]> {
  if (!mine.isHolding()) return []
  const { rows } = await owner.query<LostRun>(
    `with active as materialized (
       select id, name from pgboss.job where state = 'active' and started_on < now() - make_interval(secs => $2)
     )
     select id, name from active where pg_try_advisory_xact_lock($1, hashtext(id::text))`,
    [space, grace],
  )
  return rows.filter(({ id }) => !mine.has(id))
}
