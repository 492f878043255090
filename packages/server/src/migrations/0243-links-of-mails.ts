import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * The account of the identity provider whose link to a new password a mail brings. The link itself is made when the mail is sent: in the
 * stored text stands the address where anyone asks for one, which is what a worker of the version before sends.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table mail add column link_account uuid`.execute(db)
}
