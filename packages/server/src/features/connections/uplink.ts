import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendUplink } from '@caretaker/contract/connections.ts'
import { Refusal, refuse, refuseTooMany } from '@caretaker/contract/refusal.ts'
import { connectionKeyHeader, messageLimit, messagesOfConnection } from '@caretaker/rules/connections/connections.ts'
import type { ConnectorIntake } from '../../connectors/intake.ts'
import type { KnownConnection } from '../../connectors/sensors.ts'
import { findConnection } from '../../connectors/sensors.ts'
import type { Context } from '../../context.ts'
import { servePublic } from '../../http/serve.ts'
import { hashOf, refuseWrongKey } from '../../identity/secret-keys.ts'
import { inTenant } from '../../postgres/tenant.ts'

/** Maximum number of connections for which this is remembered. */
const mostRemembered = 10_000
/** A connection that sends too much is recorded at most this often, in ms, because it must not fill the database. */
const recordedEvery = 10_000

/** The webhook for connections: stores a body, and answers after the commit. */
export function uplinkRoute(app: FastifyInstance, intake: ConnectorIntake): void {
  const expectAllowance = openLimit(intake)
  void app.register(async (scope) => {
    // Accepted with any content type: its faults count as errors of the connection.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: messageLimit }, (_request, body, done) =>
      done(null, body),
    )
    scope.addHook('onError', async (request, _reply, error) => {
      if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
        await recordTooLarge(app.services.context, intake, request, expectAllowance)
    })
    servePublic(scope, sendUplink, async ({ params, query, body, request, context }) => {
      const connection = await expectConnection(
        { ...context, db: app.services.context.db },
        intake,
        params.connectionId,
        request,
      )
      await expectAllowance(connection)
      if (connection.paused) {
        await intake.refuse(
          connection,
          'paused',
          'A message arrived while the connection is paused. Nothing was stored.',
        )
        throw refuse('conflict', 'This connection is paused.')
      }
      const text = Buffer.isBuffer(body) ? body.toString('utf8') : ''
      const payload = parse(text)
      if (payload === undefined) {
        await intake.refuse(connection, 'not JSON', 'The message is not valid JSON')
        throw invalid('The message is not valid JSON.')
      }
      const received = await intake.receive(connection, { payload, ...query }, text.replaceAll('\0', ''))
      if ('refusal' in received) throw invalid(received.refusal.text)
      return received
    })
  })
}

const invalid = (message: string) => refuse('invalid', message, [{ field: '', message }])

function parse(text: string): unknown {
  try {
    const value = JSON.parse(text.replace(/^\uFEFF/, '')) as unknown
    return isShallow(value, 0) ? value : undefined
  } catch {
    return undefined
  }
}

/** How deep a message may be nested. */
const deepest = 50

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth < deepest && Object.values(value).every((one) => isShallow(one, depth + 1))
}

type Known = Pick<Context, 'db' | 'anonymousDb'>

/** The connection of a call that has its key; callers without it do not learn whether the connection exists. */
async function findAdmitted(
  { db, anonymousDb }: Known,
  connectionId: string,
  key: string,
): Promise<{ connection?: KnownConnection | undefined; route?: { tenant: string } | undefined }> {
  const route = await anonymousDb
    .selectFrom('connection_route')
    .select(['tenant_id as tenant', 'key_hash'])
    .where('connection_id', '=', connectionId)
    .executeTakeFirst()
  if (!route?.key_hash || !timingSafeEqual(route.key_hash, hashOf(key))) return { route }
  return { route, connection: await inTenant(db, route.tenant, (tx) => findConnection(tx, connectionId)) }
}

const keyOf = ({ headers }: FastifyRequest) => {
  const given = headers[connectionKeyHeader.toLowerCase()]
  return typeof given === 'string' ? given : ''
}

async function expectConnection(
  context: Omit<Known, 'anonymousDb'>,
  intake: ConnectorIntake,
  connectionId: string,
  request: FastifyRequest,
): Promise<KnownConnection> {
  const { anonymousDb } = request.server.services.context
  const { connection, route } = await findAdmitted({ ...context, anonymousDb }, connectionId, keyOf(request))
  if (connection) return connection
  try {
    return await refuseWrongKey(anonymousDb, 'connection key', request.ip)
  } catch (error) {
    // Beyond the limit of wrong keys nothing more is written.
    if (route && error instanceof Refusal && error.code === 'unauthorized')
      await intake.refuse(
        { id: connectionId, tenant: route.tenant },
        'invalid key',
        `From ${request.ip}. Nothing was stored.`,
      )
    throw error
  }
}

async function recordTooLarge(
  context: Context,
  intake: ConnectorIntake,
  request: FastifyRequest,
  expectAllowance: (connection: KnownConnection) => Promise<void>,
): Promise<void> {
  const parsed = sendUplink.params.safeParse(request.params)
  if (!parsed.success) return
  const { connection } = await findAdmitted(context, parsed.data.connectionId, keyOf(request))
  if (!connection) return
  try {
    await expectAllowance(connection)
  } catch (error) {
    // Beyond the allowance nothing more is written.
    if (error instanceof Refusal) return
    throw error
  }
  await intake.refuse(connection, 'too large', 'A message was larger than 256 kB. Nothing was stored.')
}

/** Refuses messages beyond a connection's allowance, and otherwise deducts one message from it. */
function openLimit(intake: ConnectorIntake) {
  const recorded = new Map<string, number>()
  const { most } = messagesOfConnection
  return async (connection: KnownConnection): Promise<void> => {
    const wait = intake.allowances.waitOf(connection.id)
    if (!wait) return intake.allowances.take(connection.id, 1)
    const now = Date.now()
    if (now - (recorded.get(connection.id) ?? 0) > recordedEvery) {
      recorded.delete(connection.id)
      recorded.set(connection.id, now)
      if (recorded.size > mostRemembered) recorded.delete(recorded.keys().next().value!)
      await intake.refuse(connection, 'too many messages', `More than ${most} messages a minute`)
    }
    throw refuseTooMany({ limit: most, retryAfter: Math.ceil(wait / 1000) })
  }
}
