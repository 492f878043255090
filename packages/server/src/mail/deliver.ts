import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import type { Context } from '../context.ts'
import type { Db } from '../postgres/pool.ts'
import { changed } from '../changes/changed.ts'
import { inTenant } from '../postgres/tenant.ts'

/** Minutes for which a mail is claimed: one that is not settled by then is due again. */
const claimMinutes = 5
/** Milliseconds that a mail server may take to answer, well within the claim. */
const patience = 30_000
/** Tries before a mail is given up; the pause doubles from a minute to six hours, together about a day and a half. */
const mostAttempts = 12
const longestPause = 360

interface DueMail {
  id: string
  tenant: string
  /** This try included. */
  attempts: number
}

/** Commands of SMTP whose answers are about the one mail. */
const ofMail = ['RCPT TO', 'DATA']

type Send = (mail: { id: string; to: string; subject: string; text: string; html: string }) => Promise<void>

/**
 * Sends what waits and is due; returns how many were sent. Several processes may do so at once. A mail may come twice when
 * a process dies between sending and noting it, under one and the same message id.
 */
export async function deliverMails({ config, db, log }: Pick<Context, 'config' | 'db' | 'log'>): Promise<number> {
  if (!config.smtpUrl) return 0
  const transport = createTransport(patient(config.smtpUrl), { from: config.mailFrom })
  const host = new URL(config.origin).hostname
  const send: Send = async ({ id, ...mail }) => {
    await transport.sendMail({ ...mail, messageId: `<${id}@${host}>`, headers: { 'auto-submitted': 'auto-generated' } })
  }
  let sent = 0
  try {
    for (let due = await claim(db); due; due = await claim(db)) {
      const outcome = await deliver(db, due, send)
      if (outcome === 'sent') sent++
      else log.warn({ mail: due.id, attempts: due.attempts, outcome }, 'mail not sent')
      // What one mail could not reach the others will not reach either.
      if (outcome === 'no server') break
    }
    return sent
  } finally {
    transport.close()
  }
}

function patient(smtpUrl: string): string {
  const url = new URL(smtpUrl)
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout', 'dnsTimeout'])
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(patience))
  return url.href
}

const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000)

async function claim(db: Db): Promise<DueMail | undefined> {
  const { rows } = await sql<DueMail>`
    update mail_outbox set due_at = ${minutesFromNow(claimMinutes)}, attempts = attempts + 1
    where mail_id = (select mail_id from mail_outbox where due_at <= now() order by due_at limit 1 for update skip locked)
    returning mail_id as id, tenant_id as tenant, attempts`.execute(db)
  return rows[0]
}

/** Sends one mail and notes what came of it. */
async function deliver(db: Db, due: DueMail, send: Send): Promise<'sent' | 'withdrawn' | 'refused' | 'no server'> {
  const mail = await inTenant(db, due.tenant, (tx) =>
    tx
      .selectFrom('mail')
      .select(['recipient as to', 'subject', 'text', 'html'])
      .where('tenant_id', '=', due.tenant)
      .where('id', '=', due.id)
      .where('sent_at', 'is', null)
      .executeTakeFirst(),
  )
  if (!mail) {
    await settle(db, due, {})
    return 'withdrawn'
  }
  try {
    await send({ id: due.id, to: mail.to, subject: mail.subject, text: mail.text ?? '', html: mail.html ?? '' })
  } catch (failure) {
    const { responseCode, command, message } = failure as { responseCode?: number; command?: string; message: string }
    const error = message.slice(0, 500)
    // Of a recipient or a message a 5xx answer is final. Of who sends it, how, or with which password it is no word about the mail.
    const isOfMail = responseCode !== undefined && ofMail.includes(command ?? '')
    const final = (isOfMail && responseCode >= 500) || due.attempts >= mostAttempts
    await (final ? settle(db, due, { failed_at: new Date(), error, text: null, html: null }) : postpone(db, due, error))
    return isOfMail ? 'refused' : 'no server'
  }
  // The words have done their work, and may hold a link that still does.
  await settle(db, due, { sent_at: new Date(), error: null, text: null, html: null })
  return 'sent'
}

interface Outcome {
  sent_at?: Date
  failed_at?: Date
  error?: string | null
  text?: null
  html?: null
}

async function settle(db: Db, { id, tenant }: DueMail, outcome: Outcome): Promise<void> {
  await inTenant(db, tenant, async (tx) => {
    if (Object.keys(outcome).length)
      await tx.updateTable('mail').set(outcome).where('tenant_id', '=', tenant).where('id', '=', id).execute()
    await changed(tx, 'mail', [id])
    await tx.deleteFrom('mail_outbox').where('mail_id', '=', id).execute()
  })
}

async function postpone(db: Db, { id, tenant, attempts }: DueMail, error: string): Promise<void> {
  const minutes = Math.min(longestPause, 2 ** (attempts - 1))
  await inTenant(db, tenant, async (tx) => {
    await tx.updateTable('mail').set({ error }).where('tenant_id', '=', tenant).where('id', '=', id).execute()
    await changed(tx, 'mail', [id])
    await tx
      .updateTable('mail_outbox')
      .set({ due_at: minutesFromNow(minutes) })
      .where('mail_id', '=', id)
      .execute()
  })
}
