import { sql } from 'kysely'
import { addressesIn } from '@caretaker/rules/alerts/definition.ts'
import type { Context } from '../../context.ts'
import { changed } from '../../changes/changed.ts'
import { postMail } from '../../mail/mail.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { withTokens } from './advance.ts'
import { definitionsOf } from './evaluate.ts'
import { alertLetter } from './alert-emails.ts'
import { subjectsOf } from './subjects.ts'

/**
 * Resends the e-mail of an open alert: to the recipients whose last e-mail failed, or to all. Returns the recipients;
 * none when the rule has no recipients any more.
 */
export async function sendAgain(
  tx: TenantTx,
  config: Context['config'],
  alertId: string,
  now: Date,
): Promise<string[] | undefined> {
  const alert = await tx
    .selectFrom('alert')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', alertId)
    .where('told_at', 'is not', null)
    .where('closed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!alert) return undefined
  const definition = (await definitionsOf(tx, [alert.definition_id]))[0]
  if (!definition || definition.notificationType === 'NONE') return []
  const { rows: failed } = await sql<{ recipient: string }>`
    select sent.recipient from alert_mail as sent join mail on mail.tenant_id = ${tx.tenant} and mail.id = sent.mail_id
    where sent.tenant_id = ${tx.tenant} and sent.alert_id = ${alertId} and sent.kind <> 'over'
      and mail.failed_at is not null and not exists (
        select from alert_mail as later where later.tenant_id = ${tx.tenant} and later.alert_id = ${alertId}
          and later.recipient = sent.recipient and later.at > sent.at)
    order by 1`.execute(tx)
  const addresses = failed.length
    ? failed.map(({ recipient }) => recipient)
    : addressesIn(definition.notificationTarget)
  const [recipients = []] = await withTokens(tx, [{ definitionId: definition.id, addresses }])
  const one = {
    ...{ deviceId: alert.device_id, propertyId: alert.property_id, about: alert.about, rule: alert.rule },
    ...{ began: +alert.began_at, ended: alert.ended_at && +alert.ended_at },
    ...{ behind: alert.behind, unstable: alert.unstable },
  }
  const { aboutOf, reach } = await subjectsOf(tx, [one])
  const about = aboutOf([one])
  for (const { address, token } of recipients) {
    const unsubscribe = definition.notificationType === 'EMAIL' ? token : null
    const letter = { config, reach, to: address, kind: 'told', rule: alert.rule, alerts: about, unsubscribe } as const
    const mailId = await postMail(tx, config, alertLetter(letter))
    await tx
      .insertInto('alert_mail')
      .values({ tenant_id: tx.tenant, alert_id: alertId, mail_id: mailId, kind: 'again', recipient: address, at: now })
      .execute()
  }
  await changed(tx, 'alert', null)
  return recipients.map(({ address }) => address)
}
