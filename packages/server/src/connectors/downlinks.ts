import type pg from 'pg'
import type { ConnectionTransport } from '@caretaker/rules/connections/connections.ts'
import {
  downlinkFault,
  downlinkNeeds,
  httpDownlink,
  mqttDownlink,
  setPointControl,
} from '@caretaker/rules/connectors/downlinks.ts'
import type {
  DownlinkContent,
  DownlinkTarget,
  MqttDownlink,
  SetPointControl,
} from '@caretaker/rules/connectors/downlinks.ts'
import { connectionKinds } from '@caretaker/rules/connectors/types.ts'
import type { ConnectionKind, DecodedValue, DownlinkAddress, MappingRow } from '@caretaker/rules/connectors/types.ts'
import type { Context } from '../context.ts'
import type { DueCommand } from '../features/commands/store.ts'
import {
  applyCommandAnswers,
  dontRepeat,
  forgetMessage,
  queueAgain,
  takeDueDownlinks,
} from '../features/commands/store.ts'
import { unseal } from '../idp/sealed.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { FetchOptions } from '../webhooks/fetch.ts'
import { OutOfReach } from '../webhooks/reach.ts'

/** Maximum commands of all tenants that one run sends. */
const atOnce = 100

/** The data about a connection's sensor that its downlinks require. */
export interface DownlinkRoute {
  kind: ConnectionKind
  transport: ConnectionTransport
  connectionId: string
  connectionName: string
  isPaused: boolean
  deviceKey: string
  maker: string | null
  model: string | null
  lastValues: Record<string, DecodedValue>
  mapping: MappingRow[] | null
  target: DownlinkTarget | null
  /** The topic that the connection receives messages from; null for a webhook. */
  subscription: string | null
  /** Encrypted. */
  token: string | null
}

/** The sensor of a device; undefined if it does not belong to a connection. */
export async function findDownlinkRoute(tx: TenantTx, deviceId: string): Promise<DownlinkRoute | undefined> {
  const row = await tx
    .selectFrom('sensor')
    .innerJoin('connection', (join) =>
      join.on('connection.tenant_id', '=', tx.tenant).onRef('connection.id', '=', 'sensor.connection_id'),
    )
    .select(['sensor.device_key', 'sensor.maker', 'sensor.model', 'sensor.model_id', 'sensor.last_values'])
    .select(['connection.id', 'connection.kind', 'connection.transport', 'connection.name', 'connection.paused_at'])
    .select(['connection.downlink', 'connection.downlink_token', 'connection.broker'])
    .where('sensor.tenant_id', '=', tx.tenant)
    .where('sensor.device_id', '=', deviceId)
    .executeTakeFirst()
  if (!row) return undefined
  const mapping =
    row.model_id === null
      ? undefined
      : await tx
          .selectFrom('sensor_mapping')
          .select('rows')
          .where('tenant_id', '=', tx.tenant)
          .where('model_id', '=', row.model_id)
          .orderBy('version', 'desc')
          .limit(1)
          .executeTakeFirst()
  return {
    ...{ kind: row.kind, transport: row.transport, connectionId: row.id, connectionName: row.name },
    ...{ isPaused: row.paused_at !== null, deviceKey: row.device_key, maker: row.maker, model: row.model },
    ...{ lastValues: row.last_values, mapping: mapping?.rows ?? null, target: row.downlink, token: row.downlink_token },
    subscription: row.broker?.topic ?? null,
  }
}

export const controlOf = (route: DownlinkRoute): SetPointControl | undefined => setPointControl(route)

/** Why the connection of a sensor has no way to send downlinks; undefined if it has one. */
export function noWayOf({ kind, transport, connectionName, target, token }: DownlinkRoute): string | undefined {
  const needs = downlinkNeeds(kind, transport)
  const cannot = (advice: string) => `The connection ${connectionName} cannot send. ${advice} in its settings.`
  if (needs.token && (target?.url === undefined || token === null))
    return cannot(`Enter the address and the token of the API of ${connectionKinds[kind].name}`)
  if (needs.url && target?.url === undefined) return cannot('Enter an address for set points')
  if (needs.topic && target?.topic === undefined) return cannot('Enter a topic for set points')
  return undefined
}

/** The owner with which a connection's token is encrypted. */
export const downlinkTokenOwner = ({ tenant, id }: { tenant: string; id: string }) =>
  `connection downlink ${tenant} ${id}`

/** Where a sensor's network server accepts downlinks, according to the last message that shows it. */
async function addressOf(tx: TenantTx, deviceId: string): Promise<DownlinkAddress> {
  const row = await tx
    .selectFrom('sensor_message')
    .innerJoin('sensor', (join) =>
      join.on('sensor.tenant_id', '=', tx.tenant).onRef('sensor.id', '=', 'sensor_message.sensor_id'),
    )
    .select('sensor_message.message')
    .where('sensor_message.tenant_id', '=', tx.tenant)
    .where('sensor.device_id', '=', deviceId)
    .where('sensor_message.kind', '=', 'uplink')
    .orderBy('sensor_message.received_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.message.downlink ?? {}
}

/** The ways out of the process; both reach only allowed addresses. */
export interface DownlinkWays {
  /** Publishes to the broker of a connection; rejects while its session is not open. */
  publish(connectionId: string, message: MqttDownlink, options: { qos: 0 | 1 }): Promise<void>
  ask(address: string, options: FetchOptions): Promise<Response>
}

/** A failure of one attempt. `isFinal`: another attempt would end the same way. */
class DownlinkFailure extends Error {
  override name = 'DownlinkFailure'
  readonly isFinal: boolean
  constructor(message: string, { isFinal = false } = {}) {
    super(message)
    this.isFinal = isFinal
  }
}

/**
 * Sends the due downlinks of all tenants to their network servers; returns how many. A slow server delays only its own
 * downlinks.
 */
export async function sendDownlinks(context: Pick<Context, 'db' | 'idp' | 'log'>, ways: DownlinkWays): Promise<number> {
  const due = await takeDueDownlinks(context.db, atOnce)
  const found = await Promise.all(due.map((command) => routed(context, command)))
  const byConnection = Map.groupBy(found, ({ route }) => route?.connectionId)
  await Promise.all([...byConnection.values()].map((some) => sendInTurn(context, ways, some)))
  return due.length
}

/** The system that receives downlinks. */
const serverNameOf = ({ kind, transport }: DownlinkRoute) =>
  transport === 'mqtt' || downlinkNeeds(kind, transport).token
    ? connectionKinds[kind].name
    : 'The address for set points'

interface Routed {
  command: DueCommand
  route: DownlinkRoute | undefined
  address: DownlinkAddress
}

const routed = ({ db }: Pick<Context, 'db'>, command: DueCommand): Promise<Routed> =>
  inTenant(db, command.tenant, async (tx) => ({
    ...{ command, route: await findDownlinkRoute(tx, command.deviceId) },
    address: await addressOf(tx, command.deviceId),
  }))

async function sendInTurn(
  { db, idp, log }: Pick<Context, 'db' | 'idp' | 'log'>,
  ways: DownlinkWays,
  all: readonly Routed[],
): Promise<void> {
  // A network server that cannot be reached is not tried again for the next sensor.
  let unreachable: DownlinkFailure | undefined
  for (const one of all) {
    const { command } = one
    const failure = unreachable ?? (await attempt(idp, ways, one))
    if (failure && !failure.isFinal) unreachable = failure
    await inTenant(db, command.tenant, (tx) => storeResult(tx, command, failure)).catch((error: unknown) =>
      log.warn({ err: error, command: command.commandId }, 'the result of a downlink could not be stored'),
    )
  }
}

async function storeResult(tx: TenantTx, command: DueCommand, failure: DownlinkFailure | undefined): Promise<void> {
  const { commandId, deviceId } = command
  if (!failure) {
    await forgetMessage(tx, command)
    // It is queued at the network server now: sending it again would queue it twice.
    await dontRepeat(tx, [commandId])
  } else if (failure.isFinal)
    await applyCommandAnswers(tx, [
      { commandId, deviceId, status: 'failed', message: failure.message, answeredAt: new Date() },
    ])
  else await queueAgain(tx, command, failure.message)
}

async function attempt(idp: pg.Pool, ways: DownlinkWays, one: Routed): Promise<DownlinkFailure | undefined> {
  try {
    await send(idp, ways, one)
    return undefined
  } catch (error) {
    if (error instanceof DownlinkFailure) return error
    if (error instanceof OutOfReach) return new DownlinkFailure(error.message, { isFinal: true })
    return new DownlinkFailure(`${one.route ? serverNameOf(one.route) : 'The network server'} could not be reached.`)
  }
}

async function send(idp: pg.Pool, ways: DownlinkWays, { command, route, address }: Routed): Promise<void> {
  const final = (text: string) => new DownlinkFailure(text, { isFinal: true })
  if (!route) throw final('The device no longer belongs to a connection.')
  if (route.isPaused) throw new DownlinkFailure(`The connection ${route.connectionName} is paused.`)
  const noWay = noWayOf(route)
  if (noWay) throw final(noWay)
  const content = contentOf(route, command)
  if (typeof content === 'string') throw final(content)
  const { kind, transport, deviceKey, connectionId, target, subscription } = route
  const downlink = { kind, id: command.commandId, deviceKey, address, content, target }
  if (transport === 'mqtt') {
    const message = mqttDownlink(downlink, subscription ?? undefined)
    if (typeof message === 'string') throw final(message)
    // The Things Stack accepts only QoS 0.
    await ways
      .publish(connectionId, message, { qos: kind === 'the-things-stack' ? 0 : 1 })
      .catch((error: Error) => Promise.reject(new DownlinkFailure(error.message)))
    return
  }
  const call = httpDownlink(downlink)
  if (typeof call === 'string') throw final(call)
  const owner = downlinkTokenOwner({ tenant: command.tenant, id: connectionId })
  const token = route.token === null ? undefined : (await unseal(idp, owner, route.token)).toString()
  const url = target!.url!
  const { status } = await ways.ask(call.path ? `${url.replace(/\/+$/, '')}${call.path}` : url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { [call.header]: `Bearer ${token}` }),
    },
    body: JSON.stringify(call.body),
  })
  if (status >= 200 && status < 300) return
  const { text, isFinal } = downlinkFault(serverNameOf(route), status)
  throw new DownlinkFailure(text, { isFinal })
}

function contentOf(route: DownlinkRoute, { name, args }: DueCommand): DownlinkContent | string {
  const control = name === 'changeSetPoint' ? controlOf(route) : undefined
  const { setPoint } = args as { setPoint?: unknown }
  if (!control || typeof setPoint !== 'number') return 'The set point of this sensor cannot be changed.'
  const made = control.contentOf(setPoint)
  return 'content' in made ? made.content : made.refusal
}
