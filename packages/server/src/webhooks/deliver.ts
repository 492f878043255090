import { setTimeout as sleep } from 'node:timers/promises'
import { SpanKind } from '@opentelemetry/api'
import { sql } from 'kysely'
import { atATime, nextAttempt, deliveryTimeout, whyDisabled } from '@caretaker/rules/webhooks/webhooks.ts'
import type { Context } from '../context.ts'
import { outboundIsOff } from '../outbound.ts'
import { releaseClaims } from '../postgres/claim.ts'
import { makeDue, updateDue, tenantsDue } from '../postgres/due.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { record } from '../projections/record.ts'
import { failed, traced } from '../tracing/traced.ts'
import { version } from '../version.ts'
import { disableEndpoint, setFailingSince } from './endpoints.ts'
import type { Attempt, Poster } from './post.ts'
import { openPoster } from './post.ts'
import { openReach } from './reach.ts'
import { signatures } from './sign.ts'

type Needs = Pick<Context, 'config' | 'db' | 'log' | 'claimant'>

/** Deliveries claimed and completed in one transaction. */
const atOnce = 200
/** How long a claim lasts, in ms: longer than all its deliveries can take. */
const claimedFor = (Math.ceil(atOnce / atATime) + 2) * deliveryTimeout
/** How often new deliveries are looked for while some are in progress, in ms. */
const pause = 100

interface Endpoint {
  tenant: string
  id: string
}

/**
 * Sends pending messages until none are left. Each endpoint has its own lane with a few concurrent deliveries, so
 * that a slow endpoint only delays its own. Returns the number of attempts.
 */
export async function deliverWebhooks(
  context: Needs,
  stopping: AbortSignal,
  poster: Poster = openPoster(openReach(context.config.webhookNetworks)),
): Promise<number> {
  if (!context.config.outbound) return suppressWebhooks(context.db)
  const lanes = new Map<string, Promise<void>>()
  let attempts = 0
  const drive = async (endpoint: Endpoint) => {
    try {
      while (!stopping.aborted) {
        const made = await deliverSome(context, poster, endpoint, stopping)
        attempts += made
        if (!made) break
      }
    } catch (error) {
      context.log.error({ err: error, endpoint: endpoint.id }, 'webhooks')
    }
  }
  try {
    for (;;) {
      const tenants = stopping.aborted ? [] : await tenantsDue(context.db, 'deliver webhooks')
      for (const tenant of tenants)
        for (const id of await inTenant(context.db, tenant, (tx) => endpointsDue(tx, new Date()))) {
          if (lanes.has(id)) continue
          lanes.set(
            id,
            drive({ tenant, id }).finally(() => lanes.delete(id)),
          )
        }
      for (const tenant of tenants) await updateDue(context.db, tenant, 'deliver webhooks', nextDue)
      if (!lanes.size) return attempts
      await Promise.race([...lanes.values(), sleep(pause)])
    }
  } finally {
    poster.close()
  }
}

/** Marks pending messages as not sent, without an attempt: no endpoint counts as failing because of it. */
async function suppressWebhooks(db: Needs['db']): Promise<0> {
  for (const tenant of await tenantsDue(db, 'deliver webhooks')) {
    await inTenant(db, tenant, async (tx) => {
      const suppressed = await tx
        .updateTable('webhook_delivery')
        .set({ state: 'suppressed', due_at: null, claimant: null, fault: outboundIsOff })
        .where('tenant_id', '=', tx.tenant)
        .where('due_at', 'is not', null)
        .returning('endpoint_id')
        .execute()
      if (suppressed.length) recordEnded(tx, new Set(suppressed.map(({ endpoint_id }) => endpoint_id)))
    })
    await updateDue(db, tenant, 'deliver webhooks', nextDue)
  }
  return 0
}

/** Messages of a suspended client wait until it is resumed: `resumeWebhooks` then makes them due. */
const isOpen = (tx: TenantTx) =>
  sql<boolean>`not exists (select from tenant where tenant.id = ${tx.tenant} and suspended_at is not null)`

/** Makes messages due that waited while the client was suspended. */
export const resumeWebhooks = (tx: TenantTx) => makeDue(tx, 'deliver webhooks')

async function endpointsDue(tx: TenantTx, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from webhook_endpoint where tenant_id = ${tx.tenant} and disabled_at is null and ${isOpen(tx)} and exists (
      select from webhook_delivery as delivery where delivery.tenant_id = ${tx.tenant}
        and delivery.endpoint_id = webhook_endpoint.id and delivery.due_at <= ${now})`.execute(tx)
  return rows.map(({ id }) => id)
}

async function nextDue(tx: TenantTx): Promise<Date | null> {
  const { at } = await tx
    .selectFrom('webhook_delivery')
    .select((eb) => eb.fn.min('due_at').as('at'))
    .where('tenant_id', '=', tx.tenant)
    .where('due_at', 'is not', null)
    .where(isOpen(tx))
    .executeTakeFirstOrThrow()
  return at
}

interface Claimed {
  messageId: string
  attempts: number
  body: string
}
interface Outcome extends Attempt {
  messageId: string
  attempts: number
  triedAt: Date
}

/** Traces an attempt as a span with the host, not the rest of the address, which may be a secret. */
function posted(url: string, post: () => Promise<Attempt>): Promise<Attempt> {
  const to = { 'http.request.method': 'POST', 'server.address': new URL(url).hostname }
  return traced('POST webhook', SpanKind.CLIENT, to, async (span) => {
    const attempt = await post()
    if (attempt.status !== null) span.setAttribute('http.response.status_code', attempt.status)
    if (!attempt.taken) failed(span, { code: attempt.status === null ? 'no answer' : String(attempt.status) })
    return attempt
  })
}

/** Claims the due messages of one endpoint, sends them and stores the results. Returns the number of attempts. */
async function deliverSome(
  { db, log, claimant }: Needs,
  poster: Poster,
  { tenant, id }: Endpoint,
  stopping: AbortSignal,
): Promise<number> {
  const found = await inTenant(db, tenant, (tx) => claim(tx, id, new Date(), claimant?.() ?? null))
  if (!found?.claimed.length) return 0
  const { url, secrets, claimed } = found
  const outcomes: Outcome[] = []
  const waiting = [...claimed]
  const send = async () => {
    for (let one = waiting.shift(); one && !stopping.aborted; one = waiting.shift()) {
      const triedAt = new Date()
      const timestamp = Math.floor(+triedAt / 1000)
      const headers = {
        'content-type': 'application/json',
        'user-agent': `Caretaker/${version}`,
        'webhook-id': one.messageId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures({ id: one.messageId, timestamp, body: one.body }, secrets),
      }
      const attempt = await posted(url, () => poster.post(url, headers, one.body))
      outcomes.push({ ...attempt, messageId: one.messageId, attempts: one.attempts, triedAt })
    }
  }
  await Promise.all(Array.from({ length: Math.min(atATime, claimed.length) }, send))
  const causes = [...new Set(outcomes.flatMap(({ cause }) => cause ?? []))]
  if (causes.length) log.info({ tenant, endpoint: id, causes }, 'a webhook endpoint gave no answer')
  const done = new Set(outcomes.map(({ messageId }) => messageId))
  const left = claimed.filter(({ messageId }) => !done.has(messageId)).map(({ messageId }) => messageId)
  const reason = await inTenant(db, tenant, (tx) => storeResults(tx, id, outcomes, left, new Date()))
  if (reason) log.warn({ tenant, endpoint: id, reason }, 'a webhook endpoint was disabled')
  return outcomes.length
}

async function claim(tx: TenantTx, endpointId: string, now: Date, claimant: number | null) {
  const endpoint = await tx
    .selectFrom('webhook_endpoint')
    .select(['url', 'secret', 'former_secret', 'former_until'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', endpointId)
    .where('disabled_at', 'is', null)
    .where(isOpen(tx))
    .executeTakeFirst()
  if (!endpoint) return undefined
  const { rows } = await sql<Claimed>`
    update webhook_delivery as delivery
    set due_at = ${new Date(+now + claimedFor)}, claimant = ${claimant}, attempts = attempts + 1
    from webhook_message as message
    where delivery.tenant_id = ${tx.tenant} and message.tenant_id = ${tx.tenant} and message.id = delivery.message_id
      and delivery.endpoint_id = ${endpointId} and delivery.message_id in (
        select message_id from webhook_delivery where webhook_delivery.tenant_id = ${tx.tenant}
          and endpoint_id = ${endpointId} and due_at <= ${now}
        order by due_at limit ${atOnce} for update skip locked)
    returning delivery.message_id as "messageId", delivery.attempts, message.body`.execute(tx)
  const former = endpoint.former_until && endpoint.former_until > now ? endpoint.former_secret : null
  return { url: endpoint.url, secrets: [endpoint.secret, ...(former ? [former] : [])], claimed: rows }
}

/** Makes messages due that dead processes had claimed; returns how many. */
export function releaseWebhooks({ db }: Pick<Context, 'db'>, claimants: readonly number[]): Promise<number> {
  return releaseClaims(db, { work: 'deliver webhooks', claimedFor }, async (tx, now) => {
    const { numUpdatedRows } = await tx
      .updateTable('webhook_delivery')
      .set({ due_at: now, claimant: null })
      .where('tenant_id', '=', tx.tenant)
      .where('due_at', 'is not', null)
      .where('claimant', 'in', claimants)
      .executeTakeFirstOrThrow()
    return Number(numUpdatedRows)
  })
}

/** Stores the results; returns why the endpoint was disabled, if it was. */
async function storeResults(
  tx: TenantTx,
  endpointId: string,
  outcomes: readonly Outcome[],
  left: readonly string[],
  now: Date,
): Promise<string | undefined> {
  // The endpoint is locked before its deliveries, as everywhere.
  const endpoint = await tx
    .selectFrom('webhook_endpoint')
    .select(['name', 'failing_since', 'disabled_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', endpointId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  // Deleted meanwhile, with all its pending messages.
  if (!endpoint) return undefined
  await write(tx, endpointId, outcomes, now)
  if (left.length)
    await tx
      .updateTable('webhook_delivery')
      .set({ due_at: now, claimant: null, attempts: sql<number>`attempts - 1` })
      .where('tenant_id', '=', tx.tenant)
      .where('endpoint_id', '=', endpointId)
      .where(sql<boolean>`message_id = any(${left}::uuid[])`)
      .execute()
  // During sending, the tenant's work was due at the end of the claim.
  const next = await nextDue(tx)
  if (next) await makeDue(tx, 'deliver webhooks', next)
  recordEnded(tx, [endpointId])
  const last = outcomes.at(-1)
  if (!last || endpoint.disabled_at) return undefined
  const failingSince = outcomes.some(({ taken }) => taken) ? null : (endpoint.failing_since ?? outcomes[0]!.triedAt)
  const gone = outcomes.find(({ status }) => status === 410)
  const reason = failingSince ? whyDisabled(gone ? 410 : last.status, +failingSince, +now) : undefined
  if (+(failingSince ?? 0) !== +(endpoint.failing_since ?? 0)) await setFailingSince(tx, endpointId, failingSince)
  if (reason) await disableEndpoint(tx, { id: endpointId, name: endpoint.name }, reason, now)
  return reason
}

async function write(tx: TenantTx, endpointId: string, outcomes: readonly Outcome[], now: Date): Promise<void> {
  if (!outcomes.length) return
  const next = outcomes.map(({ taken, attempts }) => (taken ? null : nextAttempt(attempts, +now)))
  const states = outcomes.map(({ taken }, at) => (taken ? 'delivered' : next[at] === null ? 'failed' : 'waiting'))
  await sql`
    update webhook_delivery as delivery set state = attempt.state, due_at = attempt.due_at, claimant = null, tried_at = attempt.tried_at,
      status_code = attempt.status_code, fault = attempt.fault, answer = attempt.answer, duration_ms = attempt.duration_ms
    from unnest(
      ${outcomes.map(({ messageId }) => messageId)}::uuid[], ${states}::text[],
      ${next.map((at) => (at === null ? null : new Date(at).toISOString()))}::timestamptz[],
      ${outcomes.map(({ triedAt }) => triedAt.toISOString())}::timestamptz[],
      ${outcomes.map(({ status }) => status)}::int[], ${outcomes.map(({ fault }) => fault)}::text[],
      ${outcomes.map(({ answer }) => answer)}::text[], ${outcomes.map(({ duration }) => duration)}::int[]
    ) as attempt (message_id, state, due_at, tried_at, status_code, fault, answer, duration_ms)
    where delivery.tenant_id = ${tx.tenant} and delivery.endpoint_id = ${endpointId}
      and delivery.message_id = attempt.message_id`.execute(tx)
}

/** Records that deliveries to endpoints have ended, which their logs show. */
const recordEnded = (tx: TenantTx, endpointIds: Iterable<string>) =>
  record(
    tx,
    Array.from(endpointIds, (webhookId) => ({ type: 'WebhookDeliveriesEnded', webhookId }) as const),
  )
