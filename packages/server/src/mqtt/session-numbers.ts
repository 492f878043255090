import type pg from 'pg'
import { tryLock, unlock } from '../postgres/locks.ts'

/** The Postgres channel that announces that a process has left its session. */
export const sessionLeft = 'caretaker_session_left'

/**
 * Locks the lowest free number for as long as the connection lives. The session of that number contains what its last
 * holder left.
 */
export async function takeSession(client: pg.ClientBase): Promise<number> {
  for (let number = 1; ; number++) {
    if (!(await tryLock(client, number))) continue
    await client.query('insert into mqtt_session (number) values ($1) on conflict do nothing', [number])
    return number
  }
}

/** Calls `empty` with the number of each session whose process is gone, and marks it as empty afterwards. */
export async function emptyAbandoned(
  client: pg.ClientBase,
  own: number,
  empty: (number: number) => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ number: number }>('select number from mqtt_session where number <> $1', [own])
  for (const { number } of rows) {
    if (!(await tryLock(client, number))) continue
    try {
      await empty(number)
      await client.query('delete from mqtt_session where number = $1', [number])
    } finally {
      await unlock(client, number)
    }
  }
}
