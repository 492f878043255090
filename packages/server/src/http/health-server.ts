import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import Fastify, { LogController } from 'fastify'
import type { Context } from '../context.ts'
import { listenAt } from '../ports.ts'
import { renderErrors } from './errors.ts'
import { health, metrics, observeCalls } from './health.ts'

export interface HealthServer {
  port: number
  /** Marks the process as started: from then on /readyz reports it as ready, until the returned function is called. */
  ready(): () => void
  stop(): Promise<void>
}

/**
 * Serves /livez, /readyz, /metrics and the routes of `more` on HEALTH_PORT, available before the process is ready: the
 * only addresses of a process without `api`.
 */
export async function startHealthServer(
  context: Context,
  more?: (app: FastifyInstance, context: Context) => void,
): Promise<HealthServer> {
  const { host, healthPort } = context.config
  const app = Fastify({
    loggerInstance: context.log,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  })
  app.addHook('onRequest', async (_request, reply) => {
    void reply.header('x-content-type-options', 'nosniff')
  })
  let ready = false
  renderErrors(app)
  // With `api`, its own calls are counted instead.
  if (!context.config.parts.includes('api')) observeCalls(app, context)
  health(app, context, () => ready)
  metrics(app, context, { open: true })
  more?.(app, context)
  await listenAt({ host, port: healthPort, setting: 'HEALTH_PORT' }, () => app.listen({ host, port: healthPort }))
  return {
    port: (app.server.address() as AddressInfo).port,
    ready: () => {
      ready = true
      return () => (ready = false)
    },
    stop: () => app.close(),
  }
}
