import { buffer } from 'node:stream/consumers'
import { SpanKind } from '@opentelemetry/api'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Context } from '../context.ts'
import type { Db } from '../postgres/pool.ts'
import { changed } from '../changes/changed.ts'
import { outboundIsOff } from '../outbound.ts'
import { keyOf } from '../files/keys.ts'
import { withLink } from '../identity/password-link.ts'
import { inTenant } from '../postgres/tenant.ts'
import { traced } from '../tracing/traced.ts'

/** How long an e-mail is claimed, in minutes: if there is no result by then, it is due again. */
const claimMinutes = 5
/** How long a mail server may take to respond, in ms; well within the claim. */
const patience = 30_000
/**
 * Attempts before an e-mail is given up; the pause doubles from a minute to six hours, about a day and a half in
 * total.
 */
const mostAttempts = 12
const longestPause = 360

interface DueMail {
  id: string
  tenant: string
  /** Includes the current attempt. */
  attempts: number
}

/** SMTP commands whose responses concern the single e-mail. */
const ofMail = ['RCPT TO', 'DATA']

interface Sent {
  id: string
  to: string
  subject: string
  text: string
  html: string
  attachments: { filename: string; contentType: string; content: Buffer }[]
}
type Send = (mail: Sent) => Promise<unknown>

/**
 * Sends due e-mails; returns how many were sent. Several processes may do so at once. If a process dies between
 * sending and recording it, an e-mail may be sent twice, with the same message id.
 */
export async function deliverMails(
  context: Pick<Context, 'config' | 'db' | 'files' | 'idp' | 'log' | 'claimant'>,
  stopping?: AbortSignal,
  now = () => new Date(),
): Promise<number> {
  const { config, db, log, claimant } = context
  if (!config.outbound) return suppressMails(db)
  if (!config.smtpUrl) return 0
  // Loaded only when mail is sent.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(patient(config.smtpUrl), { from: config.mailFrom })
  const host = new URL(config.origin).hostname
  const to = { 'network.protocol.name': 'smtp', 'server.address': new URL(config.smtpUrl).hostname }
  const send: Send = ({ id, ...mail }) => {
    const headers = { 'auto-submitted': 'auto-generated' }
    return traced('send mail', SpanKind.CLIENT, to, () =>
      transport.sendMail({ ...mail, messageId: `<${id}@${host}>`, headers }),
    )
  }
  let sent = 0
  try {
    while (!stopping?.aborted) {
      const due = await claim(db, now(), claimant?.() ?? null)
      if (!due) break
      const outcome = await deliver({ ...context, now }, due, send)
      if (outcome === 'sent') sent++
      else log.warn({ mail: due.id, attempts: due.attempts, outcome }, 'mail not sent')
      // If the server is unreachable for one e-mail, it is for the others too.
      if (outcome === 'no server') break
    }
    return sent
  } finally {
    transport.close()
  }
}

/** Marks all pending e-mails as not sent, so that they are not sent later when the setting changes. */
async function suppressMails(db: Db): Promise<0> {
  for (;;) {
    const waiting = await db
      .selectFrom('mail_outbox')
      .select(['mail_id as id', 'tenant_id as tenant'])
      .limit(100)
      .execute()
    if (!waiting.length) return 0
    for (const mail of waiting)
      await storeOutcome(db, mail, { failed_at: new Date(), error: outboundIsOff, ...emptied })
  }
}

function patient(smtpUrl: string): string {
  const url = new URL(smtpUrl)
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout', 'dnsTimeout'])
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(patience))
  return url.href
}

const minutesFrom = (now: Date, minutes: number) => new Date(+now + minutes * 60_000)

async function claim(db: Db, now: Date, claimant: number | null): Promise<DueMail | undefined> {
  const { rows } = await sql<DueMail>`
    update mail_outbox set due_at = ${minutesFrom(now, claimMinutes)}, claimant = ${claimant}, attempts = attempts + 1
    where mail_id = (select mail_id from mail_outbox where due_at <= ${now} order by due_at limit 1 for update skip locked)
    returning mail_id as id, tenant_id as tenant, attempts`.execute(db)
  return rows[0]
}

/** Makes e-mails due that dead processes had claimed; returns how many. */
export async function releaseMails({ db }: Pick<Context, 'db'>, claimants: readonly number[]): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('mail_outbox')
    .set({ due_at: new Date(), claimant: null })
    .where('claimant', 'in', claimants)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Sends one e-mail and records the result. */
async function deliver(
  context: Pick<Context, 'config' | 'db' | 'files' | 'idp'> & { now: () => Date },
  due: DueMail,
  send: Send,
): Promise<'sent' | 'withdrawn' | 'refused' | 'no server'> {
  const { db, files, now } = context
  const mail = await inTenant(db, due.tenant, (tx) =>
    tx
      .selectFrom('mail')
      .leftJoin('file', (on) => on.on('file.tenant_id', '=', due.tenant).onRef('file.id', '=', 'attachment_id'))
      .select(['recipient as to', 'subject', 'text', 'html', 'link_account'])
      .select(['attachment_id', 'attachment_name', 'content_type'])
      .where('mail.tenant_id', '=', due.tenant)
      .where('mail.id', '=', due.id)
      .where('sent_at', 'is', null)
      .executeTakeFirst(),
  )
  if (!mail) {
    await storeOutcome(db, due, {})
    return 'withdrawn'
  }
  try {
    const { to, subject, text, html } = await withLink(context.config, context.idp, mail)
    const attachments = await attached(files, due.tenant, mail)
    await send({ id: due.id, to, subject, text: text ?? '', html: html ?? '', attachments })
  } catch (failure) {
    const { responseCode, command, message } = failure as { responseCode?: number; command?: string; message: string }
    const error = message.slice(0, 500)
    // A 5xx response about a recipient or a message is final. One about the sender or the authentication does not
    // concern the e-mail.
    const isOfMail = failure instanceof NoFile || (responseCode !== undefined && ofMail.includes(command ?? ''))
    const final = (isOfMail && (responseCode ?? 0) >= 500) || due.attempts >= mostAttempts
    await (final
      ? storeOutcome(db, due, { failed_at: new Date(), error, ...emptied })
      : postpone(db, now(), due, error))
    return isOfMail ? 'refused' : 'no server'
  }
  await storeOutcome(db, due, { sent_at: new Date(), error: null, ...emptied })
  return 'sent'
}

/** An attachment cannot be read: this does not concern other e-mails. */
class NoFile extends Error {}

interface Attached {
  attachment_id: string | null
  attachment_name: string | null
  content_type: string | null
}

async function attached(
  files: Context['files'],
  tenant: string,
  { attachment_id: id, attachment_name: filename, content_type: contentType }: Attached,
): Promise<Sent['attachments']> {
  if (!id || !filename || !contentType) return []
  try {
    return [{ filename, contentType, content: await buffer(await files.read(keyOf(tenant, id))) }]
  } catch (error) {
    throw new NoFile('The attachment cannot be read', { cause: error })
  }
}

/** The texts are no longer needed; a file is kept no longer than necessary. */
const emptied = { text: null, html: null, link_account: null, attachment_id: null } as const

interface Outcome {
  sent_at?: Date
  failed_at?: Date
  error?: string | null
  text?: null
  html?: null
  link_account?: null
  attachment_id?: null
}

async function storeOutcome(db: Db, { id, tenant }: Pick<DueMail, 'id' | 'tenant'>, outcome: Outcome): Promise<void> {
  await inTenant(db, tenant, async (tx) => {
    if (Object.keys(outcome).length)
      await tx.updateTable('mail').set(outcome).where('tenant_id', '=', tenant).where('id', '=', id).execute()
    await changed(tx, 'mail', [id])
    await tx.deleteFrom('mail_outbox').where('mail_id', '=', id).execute()
  })
}

async function postpone(db: Db, now: Date, { id, tenant, attempts }: DueMail, error: string): Promise<void> {
  const minutes = Math.min(longestPause, 2 ** (attempts - 1))
  await inTenant(db, tenant, async (tx) => {
    await tx.updateTable('mail').set({ error }).where('tenant_id', '=', tenant).where('id', '=', id).execute()
    await changed(tx, 'mail', [id])
    await tx
      .updateTable('mail_outbox')
      .set({ due_at: minutesFrom(now, minutes), claimant: null })
      .where('mail_id', '=', id)
      .execute()
  })
}

/**
 * Makes mails due now whose time lies in the future because the clock was set back, unless a process is sending them.
 */
export async function makeFutureMailsDue(client: pg.ClientBase, now: Date): Promise<void> {
  await client.query('update mail_outbox set due_at = $1 where due_at > $1 and claimant is null', [now])
}
