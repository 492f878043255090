import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { keepAlive } from '../postgres/locks.ts'

/** The namespace of the advisory locks of running jobs. */
const space = 0x6a6f_6273
/** The namespace of the locks of live processes, by claimant number. */
const claimants = 0x636c_6169

/** A run without a lock for this many seconds has lost its process: a run is locked a moment after it is taken. */
const grace = 3

/**
 * The runs in this process, and the number under which it claims what they send and write. Each has a lock that ends
 * with the process.
 */
export function openRunLeases() {
  const ids = new Set<string>()
  const number = randomInt(1, 0x7fff_ffff)
  let isShown = false
  let unseen = new Set<number>()
  let client: pg.Client | undefined
  let turn: Promise<unknown> = Promise.resolve()
  /** One query at a time; a lost connection has released its locks. */
  const inTurn = async (ask: (asked: pg.Client) => Promise<unknown>): Promise<void> => {
    turn = turn.then(() => client && ask(client)).catch(() => {})
    await turn
  }
  /** Locks the claimant number. A broken connection may hold it until the database notices. */
  const show = async (asked: pg.Client) => {
    if (!(await lock(asked, claimants, String(number)))) return
    await asked.query('insert into claimant (number, since) values ($1, $2) on conflict do nothing', [
      number,
      new Date(),
    ])
    isShown = true
  }
  return {
    has: (id: string) => ids.has(id),
    /** Without its connection a process cannot know which others are live. */
    isHolding: () => client !== undefined,
    onOpen: async (opened: pg.Client) => {
      await keepAlive(opened)
      for (const id of ids) await lock(opened, space, id)
      await show(opened)
      client = opened
    },
    onLost: () => {
      client = undefined
      isShown = false
      unseen.clear()
    },
    /** Null while other processes cannot detect that it is live. */
    claimant: () => (isShown ? number : null),
    /**
     * The claimants that are gone according to two checks in a row: one that only lost its connection locks its
     * number again in between. A process without a connection considers none gone.
     */
    gone: async (owner: pg.Pool): Promise<number[]> => {
      if (!isShown) await inTurn(show)
      const { rows } = await owner.query<{ number: number }>(
        'select number from claimant where pg_try_advisory_xact_lock_shared($1, hashtext(number::text))',
        [claimants],
      )
      const before = unseen
      unseen = new Set(isShown ? rows.map((row) => row.number) : [])
      return [...unseen].filter((one) => before.has(one))
    },
    /** Removes claimants that are still gone. */
    forget: async (owner: pg.Pool, gone: readonly number[]): Promise<void> => {
      await owner.query(
        'delete from claimant where number = any($1) and pg_try_advisory_xact_lock($2, hashtext(number::text))',
        [gone, claimants],
      )
    },
    /** Called at the end of the process. If a run is unfinished, other processes must see that this one is gone. */
    leave: async (): Promise<void> => {
      isShown = false
      if (!ids.size) await inTurn((asked) => asked.query('delete from claimant where number = $1', [number]))
    },
    /** Holds the lock of a run while it lasts. */
    hold: async (id: string, run: () => Promise<void>): Promise<void> => {
      ids.add(id)
      await inTurn((asked) => lock(asked, space, id))
      try {
        await run()
      } finally {
        ids.delete(id)
        await inTurn((asked) => asked.query('select pg_advisory_unlock($1, hashtext($2))', [space, id]))
      }
    },
  }
}
export type RunLeases = ReturnType<typeof openRunLeases>

/** A check for lost runs may hold the lock for a moment; a second run with the same number shares it. */
async function lock(client: pg.Client, space: number, id: string): Promise<boolean> {
  for (let tries = 0; tries < 5; tries++, await sleep(20)) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as taken', [
      space,
      id,
    ])
    if (rows[0]!.taken) return true
  }
  return false
}

export interface LostRun {
  id: string
  name: string
}

/** Runs that are active in the queue, but that no process holds any more. */
export async function lostRuns(owner: pg.Pool, mine: RunLeases): Promise<LostRun[]> {
  if (!mine.isHolding()) return []
  // Materialized: in one condition with the state, the lock would also be tried for inactive jobs.
  const { rows } = await owner.query<LostRun>(
    `with active as materialized (
       select id, name from pgboss.job where state = 'active' and started_on < now() - make_interval(secs => $2)
     )
     select id, name from active where pg_try_advisory_xact_lock($1, hashtext(id::text))`,
    [space, grace],
  )
  return rows.filter(({ id }) => !mine.has(id))
}
