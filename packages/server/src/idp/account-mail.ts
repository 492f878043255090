import type { Context } from '../context.ts'
import { tenantsOf } from '../identity/person.ts'
import type { Mail } from '../mail/mail.ts'
import { postMail } from '../mail/mail.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Account } from './accounts.ts'

type Needs = Pick<Context, 'config' | 'db'>

/** Queues an e-mail to the owner of an account through one of their clients. A person without a client gets none. */
export async function sendToAccount(context: Needs, account: Account, mail: Mail): Promise<void> {
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
