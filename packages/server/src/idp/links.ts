import type pg from 'pg'
import type { Config } from '../config.ts'
import { linkModel, passwordToken } from '../identity/password-link.ts'

/** Creates the link with which the owner of an account chooses a password; all earlier links stop working. */
export async function newPasswordLink(config: Pick<Config, 'origin'>, pool: pg.Pool, account: string): Promise<string> {
  await pool.query(`delete from idp.payload where model = $1 and payload->>'accountId' = $2`, [linkModel, account])
  return `${config.origin}/account/password/${await passwordToken(pool, account)}`
}
