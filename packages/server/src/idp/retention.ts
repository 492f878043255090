import type pg from 'pg'
import { forgetSessions } from './browser-sessions.ts'

/** Milliseconds; far longer than any limit counts failed attempts. */
const attemptsKeptFor = 86_400_000

/** Deletes expired sign-in data and old failed attempts. Returns the number of rows. */
export async function forgetSignIns(idp: pg.Pool, now = new Date()): Promise<number> {
  const expired = await idp.query('delete from idp.payload where expires_at < $1', [now])
  const attempts = await idp.query('delete from idp.failed_attempt where at < $1', [
    new Date(now.getTime() - attemptsKeptFor),
  ])
  return (expired.rowCount ?? 0) + (attempts.rowCount ?? 0) + (await forgetSessions(idp))
}
