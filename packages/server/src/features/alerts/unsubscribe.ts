import type { FastifyInstance } from 'fastify'
import { showUnsubscribe, unsubscribeFromAlert } from '@caretaker/contract/alerts.ts'
import { ruleLine } from '@caretaker/rules/alerts/words.ts'
import { audit } from '../../audit/audit.ts'
import type { Context } from '../../context.ts'
import { changed } from '../../changes/changed.ts'
import { Sending } from '../../http/sending.ts'
import { servePublic } from '../../http/serve.ts'
import { messagePage, questionPage } from '../../idp/pages.ts'
import { postMail } from '../../mail/mail.ts'
import { responsibleMembers } from '../../people/members.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { StoredDefinition } from './evaluate.ts'
import { definitionsOf } from './evaluate.ts'
import { unsubscribedLetter } from './alert-emails.ts'
import { subjectsOf } from './subjects.ts'

const html = (page: string, status = 200) =>
  new Sending(async (reply) => reply.status(status).type('text/html; charset=utf-8').send(page))

const unknown = (context: Pick<Context, 'config'>) =>
  html(messagePage('This link is no longer valid', 'The alert rule was deleted.', context.config.origin), 404)

/** The unsubscribe link of an alert's e-mail. It works without signing in. */
export function unsubscribeRoutes(app: FastifyInstance): void {
  servePublic(app, showUnsubscribe, async ({ context, params: { tenant, token } }) => {
    const found = await inTenant(context.db, tenant, (tx) => recipientOf(tx, token))
    if (!found) return unknown(context)
    const { address, definition } = found
    const rule = `“${ruleLine(definition)}”`
    if (found.isOut)
      return html(messagePage('Unsubscribed', `${address} is not subscribed to ${rule}.`, context.config.origin))
    return html(
      questionPage('Unsubscribe?', `${address} will get no more e-mails from the rule ${rule}.`, 'Unsubscribe'),
    )
  })

  servePublic(app, unsubscribeFromAlert, async ({ context, params: { tenant, token } }) => {
    const found = await inTenant(context.db, tenant, async (tx) => {
      const recipient = await recipientOf(tx, token, 'held')
      if (recipient && !recipient.isOut) await leave(tx, context, recipient)
      return recipient
    })
    if (!found) return unknown(context)
    return html(messagePage('Unsubscribed', `${found.address} has unsubscribed from this rule.`, context.config.origin))
  })
}

interface Recipient {
  address: string
  isOut: boolean
  definition: StoredDefinition
}

async function recipientOf(tx: TenantTx, token: string, held?: 'held'): Promise<Recipient | undefined> {
  const row = await tx
    .selectFrom('alert_recipient')
    .select(['address', 'definition_id', 'unsubscribed_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('token', '=', token)
    .$if(held !== undefined, (query) => query.forUpdate())
    .executeTakeFirst()
  const [definition] = row ? await definitionsOf(tx, [row.definition_id]) : []
  // A rule with a fixed address cannot be unsubscribed from by link.
  if (!row || !definition || definition.notificationType === 'EMAILUNEDITABLE') return undefined
  return { address: row.address, isOut: row.unsubscribed_at !== null, definition }
}

async function leave(
  tx: TenantTx,
  { config }: Pick<Context, 'config'>,
  { address, definition }: Recipient,
): Promise<void> {
  await tx
    .updateTable('alert_recipient')
    .set({ unsubscribed_at: new Date() })
    .where('tenant_id', '=', tx.tenant)
    .where('definition_id', '=', definition.id)
    .where('address', '=', address)
    .execute()
  const subject = { type: 'alert', id: definition.id, name: ruleLine(definition) } as const
  await audit(tx, { person: { id: null, name: address }, action: 'alert unsubscribed', subject, after: { address } })
  await changed(tx, 'alert', [definition.id])
  const { reach } = await subjectsOf(tx, [])
  for (const to of await managersOf(tx, definition.id))
    await postMail(tx, config, unsubscribedLetter(config, reach, { to, address, rule: definition }))
}

/** The people responsible for a rule: its last author, if still a manager, or else the client's managers. */
async function managersOf(tx: TenantTx, definitionId: string): Promise<string[]> {
  const rule = await tx
    .selectFrom('alert_definition')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', definitionId)
    .select('changed_by')
    .executeTakeFirst()
  const { managers, candidates } = await responsibleMembers(tx)
  const author = candidates.filter((row) => row.personId !== null && row.personId === rule?.changed_by)
  return (author.length ? author : managers).map(({ email }) => email)
}
