import type { FastifyInstance } from 'fastify'
import { Histogram } from 'prom-client'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Context } from '../context.ts'
import { openHealthCheck } from '../postgres/writable.ts'
import { isSameSecret } from '../same-secret.ts'

/** One metric and one structured log line per request: route, status, time; no address, no body. */
export function observeCalls(app: FastifyInstance, context: Context): void {
  const durations = new Histogram({
    name: 'caretaker_http_seconds',
    help: 'Duration of calls by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers: [context.metrics],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.config.route?.path ?? request.routeOptions.url ?? 'none'
    const labels = { method: request.method, route, status: String(reply.statusCode) }
    durations.observe(labels, reply.elapsedTime / 1000)
    request.log.info({ ...labels, ms: Math.round(reply.elapsedTime * 10) / 10 }, 'call')
  })
}

/**
 * Public /livez and /readyz. /livez only checks the process itself, so that a restart happens only when it helps.
 * /readyz reports each check and why it fails.
 */
export function health(app: FastifyInstance, context: Context, started = () => true): void {
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
  })

  const { outbound } = context.config
  const check = openHealthCheck(context.db)
  const quiet = { config: { rateLimit: false } }
  app.get('/livez', quiet, async () => ({ status: 'alive' }))
  app.get('/readyz', quiet, async (_request, reply) => {
    const { database, writable, diskFull } = await check()
    const parts = (await context.partChecks?.faults()) ?? []
    const reasons = [
      ...(database ? [] : ['the database does not respond']),
      ...(database && !writable ? [`the database cannot be written to${diskFull ? ': the disk is full' : ''}`] : []),
      ...(started() && !stopping ? [] : ['starting or stopping']),
      ...parts.flatMap(({ part, fault }) => (fault === undefined ? [] : [`${part}: ${fault}`])),
    ]
    const works = parts.map(({ part, fault }) => [part, fault === undefined] as const)
    const status = reasons.length ? 'not ready' : 'ready'
    return reply
      .status(reasons.length ? 503 : 200)
      .send({ status, database, writable, ...Object.fromEntries(works), ...(!outbound && { outbound }), reasons })
  })
}

/**
 * /metrics, with figures about usage: protected by the configured token, or without one if `open` (on a separate
 * port). Otherwise it is not served.
 */
export function metrics(app: FastifyInstance, { config, metrics }: Context, { open }: { open: boolean }): void {
  const { metricsToken } = config
  app.get('/metrics', { config: { rateLimit: false } }, async (request, reply) => {
    if (
      metricsToken === undefined ? !open : !isSameSecret(request.headers.authorization ?? '', `Bearer ${metricsToken}`)
    )
      throw refuse(metricsToken === undefined ? 'not found' : 'unauthorized')
    return reply
      .type(metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.metrics())
  })
}
