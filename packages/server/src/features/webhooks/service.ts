import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { EndpointSettings, WebhookEndpoint, replayWebhook } from '@caretaker/contract/webhooks.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import {
  addressFault,
  deliveriesKeptFor,
  formerSecretFor,
  mostEndpoints,
  trialEvent,
} from '@caretaker/rules/webhooks/webhooks.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { messageOf, post } from '../../projections/outbox.ts'
import type { EndpointRow } from '../../webhooks/endpoints.ts'
import * as commands from '../../webhooks/endpoints.ts'
import type { Reach } from '../../webhooks/reach.ts'
import { OutOfReach } from '../../webhooks/reach.ts'
import { newSecret } from '../../webhooks/sign.ts'
import * as store from './store.ts'

interface Asking {
  tx: TenantTx
  person: Recorded
}
type Settings = z.output<typeof EndpointSettings>

function shownEndpoint(row: EndpointRow, now: Date): WebhookEndpoint {
  const isRotating = row.former_until !== null && row.former_until > now
  return {
    ...{ id: row.id, name: row.name, url: row.url, events: row.events as WebhookEndpoint['events'] },
    ...{ createdAt: row.created_at.toISOString(), createdBy: row.created_by },
    disabled: row.disabled_at && { at: row.disabled_at.toISOString(), reason: row.disabled_reason ?? '' },
    failingSince: row.failing_since?.toISOString() ?? null,
    formerSecretUntil: isRotating ? row.former_until!.toISOString() : null,
  }
}

export async function endpoints(tx: TenantTx, now: Date): Promise<WebhookEndpoint[]> {
  return (await store.endpointRows(tx)).map((row) => shownEndpoint(row, now))
}

export async function expectEndpoint(tx: TenantTx, id: string, hold?: 'hold'): Promise<EndpointRow> {
  const row = await store.findEndpoint(tx, id, hold)
  if (!row) throw refuse('not found')
  return row
}

const wrongAddress = (message: string) => refuse('invalid', message, [{ field: 'url', message }])

/** How long a name lookup may take during a request, in ms. */
const lookedUpWithin = 2_000

/**
 * Refuses an address that may not be called, as far as can be checked now; it is checked again at each delivery. An
 * unknown host name is accepted, because it may exist later.
 */
export async function expectAddress(reach: Reach, text: string): Promise<string> {
  const fault = addressFault(text, { mayBePlain: reach.allowsPlain })
  if (fault) throw wrongAddress(fault)
  const { protocol, hostname, href } = new URL(text)
  const lookup = reach.addressesOf(hostname, protocol === 'https:').catch((error: unknown) => {
    if (error instanceof OutOfReach) throw wrongAddress('must be a public address: this one is in a private network')
  })
  await Promise.race([lookup, sleep(lookedUpWithin)])
  return href
}

/** Adds an endpoint whose address was checked; its secret is returned only here. */
export async function addEndpoint({ tx, person }: Asking, url: string, settings: Settings, now: Date) {
  await store.holdEndpoints(tx)
  if ((await store.endpointRows(tx)).length >= mostEndpoints)
    throw refuse('conflict', `A client can have at most ${mostEndpoints} webhooks.`)
  const row: EndpointRow = {
    ...{ id: randomUUID(), name: settings.name, url, events: [...new Set(settings.events)], secret: newSecret() },
    ...{ created_at: now, created_by: person.name, former_secret: null, former_until: null },
    ...{ disabled_at: null, disabled_reason: null, failing_since: null },
  }
  await commands.addEndpoint(tx, person, row)
  return { endpoint: shownEndpoint(row, now), secret: row.secret }
}

export async function updateEndpoint(
  { tx, person }: Asking,
  url: string,
  id: string,
  { enabled, ...settings }: Settings & { enabled: boolean },
  now: Date,
): Promise<WebhookEndpoint> {
  const before = await expectEndpoint(tx, id, 'hold')
  const wanted = { name: settings.name, url, events: [...new Set(settings.events)] }
  const isEnabled = before.disabled_at === null
  const changes = differences(
    { name: before.name, url: before.url, events: before.events, enabled: isEnabled },
    { ...wanted, enabled },
  )
  if (!changes) return shownEndpoint(before, now)
  const switched = enabled
    ? { disabled_at: null, disabled_reason: null, ...(isEnabled ? {} : { failing_since: null }) }
    : {
        disabled_at: before.disabled_at ?? now,
        disabled_reason: before.disabled_reason ?? `${person.name} disabled it.`,
      }
  await commands.changeEndpoint(tx, person, id, { ...wanted, ...switched }, changes)
  return shownEndpoint({ ...before, ...wanted, ...switched }, now)
}

export async function deleteEndpoint({ tx, person }: Asking, id: string): Promise<void> {
  await commands.deleteEndpoint(tx, person, await expectEndpoint(tx, id, 'hold'))
}

/**
 * Creates a new secret; the former one also signs for a day, so that nothing is lost while the receiver is updated.
 */
export async function rotateSecret({ tx, person }: Asking, id: string, now: Date) {
  const row = await expectEndpoint(tx, id, 'hold')
  const rotated = {
    ...{ secret: newSecret(), former_secret: row.secret },
    former_until: new Date(+now + formerSecretFor),
  }
  await commands.replaceSecret(tx, person, row, rotated)
  return { endpoint: shownEndpoint({ ...row, ...rotated }, now), secret: rotated.secret }
}

const expectEnabled = ({ disabled_at }: EndpointRow) => {
  if (disabled_at) throw refuse('conflict', 'This webhook is disabled. Enable it first.')
}

export async function tryEndpoint({ tx, person }: Asking, id: string, now: Date): Promise<void> {
  expectEnabled(await expectEndpoint(tx, id, 'hold'))
  const message = messageOf(tx.tenant, trialEvent, now, { sentBy: person.name })
  await post(tx, [message], [{ id, messages: [message] }], now)
}

export async function sendAgain({ tx }: Asking, id: string, messageId: string, now: Date): Promise<void> {
  expectEnabled(await expectEndpoint(tx, id, 'hold'))
  const outcome = await store.sendAgain(tx, id, messageId, now)
  if (outcome === 'not there') throw refuse('not found')
  if (outcome === 'waiting') throw refuse('conflict', 'This message is still waiting to be sent.')
}

/** Enqueues the stored messages about events of a period again, with the same ids. */
export async function replay(
  { tx, person }: Asking,
  id: string,
  { from, to, onlyUndelivered, after }: z.output<NonNullable<typeof replayWebhook.body>>,
  now: Date,
) {
  const endpoint = await expectEndpoint(tx, id, 'hold')
  expectEnabled(endpoint)
  if (+from < +now - deliveriesKeptFor) {
    const message = 'must be within the last 30 days'
    throw refuse('invalid', message, [{ field: 'from', message }])
  }
  const period = { from, to: to ?? now, onlyUndelivered, after, events: endpoint.events }
  const sent = await store.replay(tx, id, period, now)
  commands.recordReplay(tx, person, endpoint, {
    ...{ from: from.toISOString(), to: period.to.toISOString() },
    ...{ onlyUndelivered, continued: after !== undefined, messages: sent.messages },
  })
  return sent
}
