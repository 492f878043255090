import type { FastifyInstance } from 'fastify'
import { Histogram } from 'prom-client'
import type { Context } from '../context.ts'

/** /livez, /readyz, /metrics, and one structured log line a request: route, status, time; no address, no body. */
export function health(app: FastifyInstance, context: Context, started = () => true): void {
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
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
  })

  const quiet = { config: { rateLimit: false } }
  app.get('/livez', quiet, async () => ({ status: 'alive' }))
  app.get('/readyz', quiet, async (_request, reply) => {
    const reachable = await context.db
      .selectNoFrom((eb) => eb.val(1).as('one'))
      .execute()
      .then(() => true)
      .catch(() => false)
    const ready = reachable && started() && !stopping
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', database: reachable })
  })
  app.get('/metrics', quiet, async (_request, reply) =>
    reply.type(context.metrics.contentType).send(await context.metrics.metrics()),
  )
}
