import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { MailboxEntry } from '@caretaker/contract/mailbox.ts'
import type { Config } from '../config.ts'
import { changed } from '../changes/changed.ts'
import { outboundIsOff } from '../outbound.ts'
import { accountsIn } from '../identity/accounts-in-transaction.ts'
import { linkDays, withLink } from '../identity/password-link.ts'
import { makeDue } from '../postgres/due.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** How long posted e-mails are recorded, in ms. */
export const mailsKeptFor = 90 * 86_400_000

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** The account whose new password link replaces `linkPlace` when the e-mail is sent. */
  linkAccount?: string
  /** An attachment, kept with this table as its referrer. */
  attachment?: { id: string; name: string }
}

export type MailConfig = Pick<Config, 'demo' | 'smtpUrl' | 'outbound'>

/** Whether e-mails are kept in the mailbox, where developers read them: in a demo that sends none. */
export const keepsMails = ({ demo, smtpUrl, outbound }: MailConfig) => demo && (!smtpUrl || !outbound)

/** The state of an e-mail. */
export function mailState(
  { sent_at, failed_at, error }: { sent_at: Date | null; failed_at: Date | null; error: string | null },
  config: MailConfig,
): MailboxEntry['state'] {
  if (sent_at) return 'sent'
  if (failed_at) return error === outboundIsOff ? 'suppressed' : 'failed'
  return keepsMails(config) ? 'kept' : 'waiting'
}

/**
 * Posts an e-mail in the caller's transaction: a rolled-back one is never sent, and a committed one is eventually
 * sent. Outside a demo it waits for the worker and for a configured mail server. Returns its id.
 */
export async function postMail(tx: TenantTx, config: Config, mail: Mail): Promise<string> {
  return (await postMails(tx, config, [mail]))[0]!
}

/** Like `postMail` for many at once; returns their ids in the same order. */
export async function postMails(tx: TenantTx, config: Config, mails: readonly Mail[]): Promise<string[]> {
  if (!mails.length) return []
  const ids = mails.map(() => randomUUID())
  await sql`
    insert into mail (tenant_id, id, recipient, subject, text, html, attachment_id, attachment_name, link_account)
    select ${tx.tenant}, posted.* from unnest(
      ${ids}::uuid[], ${mails.map(({ to }) => to)}::text[], ${mails.map(({ subject }) => subject)}::text[],
      ${mails.map(({ text }) => text)}::text[], ${mails.map(({ html }) => html)}::text[],
      ${mails.map(({ attachment }) => attachment?.id ?? null)}::uuid[], ${mails.map(({ attachment }) => attachment?.name ?? null)}::text[],
      ${mails.map(({ linkAccount }) => linkAccount ?? null)}::uuid[]
    ) as posted (id, recipient, subject, text, html, attachment_id, attachment_name, link_account)
    returning id`.execute(tx)
  await changed(tx, 'mail', ids)
  await makeDue(tx, 'forget mails', new Date(Date.now() + mailsKeptFor))
  if (!keepsMails(config))
    await sql`
      insert into mail_outbox (mail_id, tenant_id) select unnest(${ids}::uuid[]), ${tx.tenant}`.execute(tx)
  return ids
}

const shown = 100

/**
 * The tenant's newest e-mails. Only a demo shows their texts, with new password links while those of the e-mail would
 * be valid: anyone who reads a password link could use it.
 */
export async function listMails(tx: TenantTx, config: Config): Promise<MailboxEntry[]> {
  const rows = await tx
    .selectFrom('mail')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(shown)
    .execute()
  const kept = keepsMails(config)
  const worksSince = Date.now() - linkDays * 86_400_000
  const shownRows = []
  for (const row of rows)
    shownRows.push(kept && +row.at > worksSince ? await withLink(config, accountsIn(tx), row) : row)
  return shownRows.map((row) => ({
    id: row.id,
    at: row.at.toISOString(),
    to: row.recipient,
    subject: row.subject,
    text: kept ? row.text : null,
    state: mailState(row, config),
    error: row.error,
  }))
}
