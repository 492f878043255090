import type { Context } from '../context.ts'
import { tenantsOf } from '../identity/person.ts'
import type { Mail } from '../mail/mail.ts'
import { postMail } from '../mail/mail.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Account } from './accounts.ts'

type Needs = Pick<Context, 'config' | 'db'>

/** Posts a letter to an account's owner by way of a client of theirs; who has none, and nothing to sign in to, gets none. */
export async function writeTo(context: Needs, account: Account, mail: Mail): Promise<void> {
  const tenant = await clientOf(context, account)
  if (tenant !== undefined) await inTenant(context.db, tenant, (tx) => postMail(tx, context.config, mail))
}

async function clientOf({ config, db }: Needs, { id, email }: Account): Promise<string | undefined> {
  const person = await db
    .selectFrom('person')
    .select('id')
    .where('issuer', '=', config.oidc.directory)
    .where('subject', '=', id)
    .executeTakeFirst()
  const [first] = person ? await tenantsOf(db, person.id) : []
  if (first) return first.id
  const invited = await db.selectFrom('invitation').select('tenant_id').where('email', '=', email).executeTakeFirst()
  return invited?.tenant_id
}
