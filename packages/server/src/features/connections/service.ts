import type { z } from 'zod'
import type { Connection, ConnectionSettings, NewConnection } from '@caretaker/contract/connections.ts'
import { sendUplink } from '@caretaker/contract/calls/connections.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import {
  connectionErrors,
  connectionKeyPrefix,
  judgeConnection,
  mostConnections,
  testFor,
} from '@caretaker/rules/connections/connections.ts'
import type { ConnectionError } from '@caretaker/rules/connections/connections.ts'
import { downlinkNeeds, echoText } from '@caretaker/rules/connectors/downlinks.ts'
import { fillTopic, matchesFilter } from '@caretaker/rules/connectors/downlink-templates.ts'
import { connectionKinds } from '@caretaker/rules/connectors/types.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { addActivity } from '../../connectors/messages.ts'
import { hashOf, newKey } from '../../identity/secret-keys.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { shownValues } from './shown.ts'
import type { ConnectionRow } from './store.ts'
import * as store from './store.ts'

interface Asking {
  tx: TenantTx
  person: Recorded
}
type Settings = z.output<typeof ConnectionSettings>
type New = z.output<typeof NewConnection>

const hour = 3_600_000

const subjectOf = ({ id, name }: Pick<ConnectionRow, 'id' | 'name'>) => ({ type: 'connection', id, name }) as const
const wrong = (field: string, message: string) => refuse('invalid', message, [{ field, message }])

export async function connections(tx: TenantTx, now: Date): Promise<Connection[]> {
  return withHealth(tx, await store.connectionRows(tx), now)
}

export async function expectConnection(tx: TenantTx, id: string, hold?: 'hold'): Promise<ConnectionRow> {
  const row = await store.findRow(tx, id, hold)
  if (!row) throw refuse('not found')
  return row
}

export async function connection(tx: TenantTx, id: string, now: Date): Promise<Connection> {
  return shown(tx, await expectConnection(tx, id), now)
}

const shown = async (tx: TenantTx, row: ConnectionRow, now: Date) => (await withHealth(tx, [row], now))[0]!

async function withHealth(tx: TenantTx, rows: readonly ConnectionRow[], now: Date): Promise<Connection[]> {
  const ids = rows.map(({ id }) => id)
  const first = Math.floor(+now / hour) * hour - 23 * hour
  const hours = await store.hourRows(tx, ids, new Date(first))
  const activities = new Map((await store.activityRows(tx, ids)).map((row) => [row.connection_id, row]))
  const sensors = new Map((await store.sensorCounts(tx, ids)).map((row) => [row.connection_id, row]))
  const notDecoded = await store.notDecodedCounts(tx, ids)
  return rows.map((row) => {
    const own = hours.filter(({ connection_id: id }) => id === row.id)
    const activity = activities.get(row.id)
    const messagesByHour = Array.from({ length: 24 }, (_, place) =>
      sumOf(own.filter(({ error, hour: at }) => error === '' && +at === first + place * hour)),
    )
    const errorsByReason = [
      ...Map.groupBy(
        own.filter(({ error }) => error !== ''),
        ({ error }) => error as ConnectionError,
      ),
    ]
      .map(([reason, of]) => {
        const last = of.at(-1)!
        return {
          ...{ reason, text: connectionErrors[reason], count: sumOf(of) },
          ...{ last: last.last_at.toISOString(), detail: last.detail },
        }
      })
      .toSorted((a, b) => b.count - a.count)
    const errors = errorsByReason.reduce((sum, { count }) => sum + count, 0)
    const lastErrorAt = errorsByReason.map(({ last }) => Date.parse(last)).toSorted((a, b) => b - a)[0] ?? null
    const health = judgeConnection(
      {
        paused: row.paused_at && { at: +row.paused_at, reason: row.paused_reason ?? '' },
        createdAt: +row.created_at,
        lastMessageAt: activity?.last_message_at ? +activity.last_message_at : null,
        usualInterval: sensors.get(row.id)?.shortest_interval ?? null,
        ...{ errors, lastErrorAt, mainReason: errorsByReason[0]?.text ?? null },
        broker: row.broker && {
          ...{ isConnected: activity?.is_connected ?? false, error: activity?.broker_error ?? null },
        },
      },
      +now,
    )
    const isWebhook = row.transport === 'webhook'
    return {
      ...{ id: row.id, kind: row.kind, transport: row.transport, name: row.name },
      ...{ state: health.state, stateReason: health.reason, stateSince: new Date(health.since).toISOString() },
      lastMessageAt: activity?.last_message_at?.toISOString() ?? null,
      messages: messagesByHour.reduce((sum, count) => sum + count, 0),
      ...{ messagesByHour, errors, errorsByReason },
      sensors: sensors.get(row.id)?.sensors ?? 0,
      newSensors: sensors.get(row.id)?.new_sensors ?? 0,
      notDecoded: notDecoded.get(row.id) ?? 0,
      usualInterval: sensors.get(row.id)?.shortest_interval ?? null,
      webhookPath: isWebhook ? sendUplink.path.replace('{connectionId}', row.id) : null,
      keyEnding: row.key_ending,
      keyCreatedAt: row.key_created_at?.toISOString() ?? null,
      paths: row.paths,
      broker: row.broker && {
        ...{ url: row.broker.url, topic: row.broker.topic, user: row.broker.user ?? null },
        hasPassword: row.broker_secrets?.password !== undefined,
        hasAuthority: row.broker_secrets?.authority !== undefined,
        hasCertificate: row.broker_secrets?.certificate !== undefined,
        isConnected: activity?.is_connected ?? false,
        error: activity?.broker_error ?? null,
      },
      downlink: row.downlink && {
        ...{ url: row.downlink.url ?? null, hasToken: row.downlink_token !== null },
        ...{ topic: row.downlink.topic ?? null, template: row.downlink.template ?? null },
      },
      createdAt: row.created_at.toISOString(),
      createdBy: row.created_by,
    }
  })
}

const sumOf = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0)

/** Checks that a connection has the settings of its kind and transport. */
function expectSettings(
  { kind, transport }: Pick<New, 'kind' | 'transport'>,
  { paths, broker, downlink }: Settings,
): void {
  if (kind === 'generic-json' && !paths) throw wrong('paths', 'Enter the path of the sensor id.')
  if (kind !== 'generic-json' && paths)
    throw wrong('paths', 'Paths can be set only for connections of the type Generic JSON.')
  if (transport === 'mqtt' && !broker) throw wrong('broker', 'Enter the address of the broker.')
  if (transport === 'webhook' && broker) throw wrong('broker', 'A webhook has no broker.')
  if (downlink) expectDownlink({ kind, transport }, downlink, broker)
  if (broker && (broker.certificate === undefined) !== (broker.privateKey === undefined))
    throw wrong('broker.privateKey', 'Enter both the certificate and its private key.')
}

/** Checks that a connection has the settings for downlinks that its kind and transport use. */
function expectDownlink(
  { kind, transport }: Pick<New, 'kind' | 'transport'>,
  { url, token, topic, template }: NonNullable<Settings['downlink']>,
  broker: Settings['broker'],
): void {
  const needs = downlinkNeeds(kind, transport)
  if (!needs.url && !needs.topic)
    throw wrong('downlink', 'This kind of connection sends set points without further settings.')
  if (needs.url !== (url !== undefined))
    throw wrong('downlink.url', needs.url ? 'Enter the address.' : 'An MQTT connection has no address for set points.')
  if (token !== undefined && !needs.url) throw wrong('downlink.token', 'An MQTT connection has no token.')
  if (needs.topic !== (topic !== undefined))
    throw wrong('downlink.topic', needs.topic ? 'Enter the topic.' : 'A webhook has no topic for set points.')
  if (template !== undefined && !needs.template)
    throw wrong('downlink.template', 'Only Generic JSON has a template for set points.')
  const example = topic === undefined ? undefined : fillTopic(topic, 'sensor')
  if (example !== undefined && broker && matchesFilter(example, broker.topic)) throw wrong('downlink.topic', echoText)
}

/** The secrets of a broker are sent to no other address: with a new address they have to be entered again. */
function brokerOf(broker: NonNullable<Settings['broker']>, known: ConnectionRow | undefined) {
  const { url, topic, user, password, authority, certificate, privateKey } = broker
  return {
    broker: { url, topic, ...(user && { user }) },
    broker_secrets: {
      ...(known?.broker?.url === url && known.broker_secrets),
      ...(password !== undefined && { password }),
      ...(authority !== undefined && { authority }),
      ...(certificate !== undefined && { certificate, privateKey: privateKey! }),
    },
  }
}

/** The changes to the downlink settings. The token is sent to no other address. `token` is encrypted. */
function downlinkOf(
  downlink: Settings['downlink'],
  token: string | undefined,
  known: ConnectionRow | undefined,
): Partial<Pick<ConnectionRow, 'downlink' | 'downlink_token'>> {
  if (downlink === undefined) return {}
  if (downlink === null) return { downlink: null, downlink_token: null }
  const { url, topic, template } = downlink
  const kept = url !== undefined && known?.downlink?.url === url ? known.downlink_token : null
  const target = {
    ...(url !== undefined && { url }),
    ...(topic !== undefined && { topic }),
    ...(template !== undefined && { template }),
  }
  return { downlink: target, downlink_token: token ?? kept }
}

async function expectFreeName(tx: TenantTx, name: string, but?: string): Promise<void> {
  const others = await store.connectionRows(tx)
  if (others.some((other) => other.id !== but && other.name.toLowerCase() === name.toLowerCase()))
    throw wrong('name', 'Another connection already has this name.')
}

/** Adds a connection. Its key is returned only here, because only the hash is stored. */
export async function addConnection(
  { tx, person }: Asking,
  settings: New,
  now: Date,
  { id, downlinkToken }: { id: string; downlinkToken?: string | undefined },
) {
  expectSettings(settings, settings)
  await store.holdConnections(tx)
  if ((await store.connectionRows(tx)).length >= mostConnections)
    throw refuse('conflict', `A client can have at most ${mostConnections} connections.`)
  await expectFreeName(tx, settings.name)
  const key = settings.transport === 'webhook' ? newKey(connectionKeyPrefix) : null
  const row: ConnectionRow = {
    ...{ id, kind: settings.kind, transport: settings.transport, name: settings.name },
    ...{
      key_ending: key === null ? null : key.slice(-4),
      key_created_at: key === null ? null : now,
      paused_at: null,
      paused_reason: null,
    },
    ...{ paths: settings.paths ?? null, broker: null, broker_secrets: null, created_at: now, created_by: person.name },
    ...{ downlink: null, downlink_token: null, ...downlinkOf(settings.downlink, downlinkToken, undefined) },
    ...(settings.broker && brokerOf(settings.broker, undefined)),
  }
  await store.insertConnection(tx, row, key === null ? null : hashOf(key))
  await addActivity(tx, row.id)
  if (row.broker) await makeDue(tx, 'keep broker sessions')
  const after = {
    kind: connectionKinds[row.kind].name,
    transport: row.transport,
    ...(row.broker && { broker: row.broker.url }),
    ...(row.downlink && { downlink: row.downlink.url ?? row.downlink.topic }),
  }
  await audit(tx, { person, action: 'connection added', subject: subjectOf(row), after })
  await changed(tx, 'connection', [row.id])
  return { connection: await shown(tx, row, now), key }
}

export async function updateConnection(
  { tx, person }: Asking,
  id: string,
  settings: Settings,
  now: Date,
  { downlinkToken }: { downlinkToken?: string | undefined } = {},
) {
  const before = await expectConnection(tx, id, 'hold')
  expectSettings(before, {
    ...settings,
    ...(before.transport === 'mqtt' && !settings.broker && before.broker && { broker: before.broker }),
  })
  await expectFreeName(tx, settings.name, id)
  const to = {
    name: settings.name,
    ...(settings.paths && { paths: settings.paths }),
    ...(settings.broker && brokerOf(settings.broker, before)),
    ...downlinkOf(settings.downlink, downlinkToken, before),
  }
  const named = ({ name, paths, broker, downlink }: ConnectionRow) => ({ name, paths, broker, downlink })
  const after = { ...before, ...to }
  const changes = differences(named(before), named(after))
  const secretsOf = (row: ConnectionRow) => JSON.stringify([row.broker_secrets, row.downlink_token])
  const hasNewSecret = secretsOf(before) !== secretsOf(after)
  if (!changes && !hasNewSecret) return shown(tx, before, now)
  await store.updateConnection(tx, id, to)
  await audit(tx, {
    ...{ person, action: 'connection changed', subject: subjectOf(after) },
    ...(changes ?? { before: {}, after: { credentials: 'changed' } }),
  })
  await changed(tx, 'connection', [id])
  return shown(tx, after, now)
}

export async function pauseConnection({ tx, person }: Asking, id: string, reason: string | undefined, now: Date) {
  const row = await expectConnection(tx, id, 'hold')
  if (row.paused_at) return shown(tx, row, now)
  const to = { paused_at: now, paused_reason: reason?.trim() || `${person.name} paused it` }
  await store.updateConnection(tx, id, to)
  const after = { state: 'Paused', reason: to.paused_reason }
  await audit(tx, { person, action: 'connection paused', subject: subjectOf(row), after })
  await changed(tx, 'connection', [id])
  return shown(tx, { ...row, ...to }, now)
}

export async function resumeConnection({ tx, person }: Asking, id: string, now: Date) {
  const row = await expectConnection(tx, id, 'hold')
  if (!row.paused_at) return shown(tx, row, now)
  const to = { paused_at: null, paused_reason: null }
  await store.updateConnection(tx, id, to)
  const before = { state: 'Paused', reason: row.paused_reason }
  await audit(tx, { person, action: 'connection resumed', subject: subjectOf(row), before })
  await changed(tx, 'connection', [id])
  return shown(tx, { ...row, ...to }, now)
}

/** Replaces the key; the old one stops working when the transaction commits. */
export async function replaceKey({ tx, person }: Asking, id: string, now: Date) {
  const row = await expectConnection(tx, id, 'hold')
  if (row.transport !== 'webhook') throw refuse('conflict', 'Only a webhook has a key.')
  const key = newKey(connectionKeyPrefix)
  const to = { key_ending: key.slice(-4), key_created_at: now }
  await store.updateConnection(tx, id, to)
  await store.setKeyHash(tx, id, hashOf(key))
  await audit(tx, {
    person,
    action: 'connection key replaced',
    subject: subjectOf(row),
    after: { keyEnding: to.key_ending },
  })
  await changed(tx, 'connection', [id])
  return { connection: await shown(tx, { ...row, ...to }, now), key }
}

export async function deleteConnection({ tx, person }: Asking, id: string): Promise<void> {
  const row = await expectConnection(tx, id, 'hold')
  await store.deleteConnection(tx, id)
  const before = { kind: connectionKinds[row.kind].name, transport: row.transport }
  await audit(tx, { person, action: 'connection deleted', subject: subjectOf(row), before })
  await changed(tx, 'connection', [id])
}

/**
 * The first message of a connection since a time, by default within the last ten minutes, or the reason why it was
 * refused.
 */
export async function testConnection(tx: TenantTx, id: string, since: Date | undefined, now: Date) {
  const row = await expectConnection(tx, id)
  const from = since ?? new Date(+now - testFor)
  const found = await store.messageSince(tx, id, from)
  const at = { since: from.toISOString() }
  if (found)
    return {
      ...{ ...at, state: 'received' as const, text: null, at: found.received_at.toISOString() },
      sensor: {
        ...{ deviceKey: found.device_key, maker: found.maker, model: found.model },
        values: shownValues(found.decoded?.samples[0]?.values ?? {}, null, found.decoded?.units),
      },
    }
  const [activity] = await store.activityRows(tx, [id])
  const name = connectionKinds[row.kind].name
  const invalid = activity?.invalid_key_at && activity.invalid_key_at >= from ? activity.invalid_key_at : null
  const refused = activity?.refused_at && activity.refused_at >= from ? activity.refused_at : null
  if (refused && !(invalid && invalid > refused))
    return {
      ...{ ...at, state: 'wrong kind' as const, at: refused.toISOString(), sensor: null },
      text: refusedText(name, activity!.refused_text),
    }
  if (invalid)
    return {
      ...{ ...at, state: 'invalid key' as const, at: invalid.toISOString(), sensor: null },
      text: 'A message arrived with an invalid key',
    }
  if (since && +now - +since > testFor)
    return {
      ...{ ...at, state: 'no message' as const, at: null, sensor: null },
      text: `No message yet. Check the address and the key in ${name}.`,
    }
  return { ...at, state: 'waiting' as const, text: 'Waiting for the first message', at: null, sensor: null }
}

/**
 * Such as 'This message is not from ChirpStack: field deviceInfo is missing', for the person who sets up the
 * connection.
 */
function refusedText(name: string, text: string | null): string {
  const reason = (text ?? '').replace(/^This message is not from [^:]+: /, '').replace(/\.$/, '')
  return `A message arrived, but it is not from ${name}${reason ? `: ${reason}` : ''}`
}
