import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { keepAlive } from '../postgres/locks.ts'

/** The space of the advisory locks that say that a run is in somebody's hand. */
const space = 0x6a6f_6273
/** Of those that say that a process lives, by the number under which it claims. */
const claimants = 0x636c_6169

/** A run that nobody has in hand for so long has lost its process, in seconds: who takes a run locks it a moment later. */
const grace = 3

/**
 * The runs that this process has in hand, and the number under which it claims what they send and write: of each it holds a lock,
 * which goes with the process.
 */
export function runsInHand() {
  const ids = new Set<string>()
  const number = randomInt(1, 0x7fff_ffff)
  let isShown = false
  let unseen = new Set<number>()
  let client: pg.Client | undefined
  let turn: Promise<unknown> = Promise.resolve()
  /** A connection is asked one thing after the other; one that is lost took its locks with it. */
  const inTurn = async (ask: (asked: pg.Client) => Promise<unknown>): Promise<void> => {
    turn = turn.then(() => client && ask(client)).catch(() => {})
    await turn
  }
  /** Lets others see that it lives. A connection that broke may have the lock until the database has noticed. */
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
    /** Without its connection a process cannot know who else is there. */
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
    /** Null while others could not tell that it lives. */
    claimant: () => (isShown ? number : null),
    /**
     * The claimants that are gone, as far as two looks in a row can tell: one that has lost its connection alone takes its lock
     * again meanwhile. Who has none itself sees nobody gone.
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
    /** Strikes claimants out that are still gone. */
    forget: async (owner: pg.Pool, gone: readonly number[]): Promise<void> => {
      await owner.query(
        'delete from claimant where number = any($1) and pg_try_advisory_xact_lock($2, hashtext(number::text))',
        [gone, claimants],
      )
    },
    /** At the end of the process. With a run in hand that did not end, others are to see that it is gone. */
    leave: async (): Promise<void> => {
      isShown = false
      if (!ids.size) await inTurn((asked) => asked.query('delete from claimant where number = $1', [number]))
    },
    /** Has a run in hand while it goes on. */
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
export type RunsInHand = ReturnType<typeof runsInHand>

/** Somebody who looks for what is lost may hold it for a moment; another run of the same number holds it for both. */
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

/** Runs that are under way as far as the queue knows, and that nobody has in hand any more. */
export async function lostRuns(owner: pg.Pool, mine: RunsInHand): Promise<LostRun[]> {
  if (!mine.isHolding()) return []
  // Materialized: in one condition with the state, the lock would be tried for jobs that are not active as well.
  const { rows } = await owner.query<LostRun>(
    `with active as materialized (
       select id, name from pgboss.job where state = 'active' and started_on < now() - make_interval(secs => $2)
     )
     select id, name from active where pg_try_advisory_xact_lock($1, hashtext(id::text))`,
    [space, grace],
  )
  return rows.filter(({ id }) => !mine.has(id))
}
