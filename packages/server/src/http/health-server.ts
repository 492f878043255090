import type { AddressInfo } from 'node:net'
import Fastify, { LogController } from 'fastify'
import type { Context } from '../context.ts'
import { health } from './health.ts'
import { listen } from './listen.ts'

export interface HealthServer {
  port: number
  /** Everything is started: /readyz says so until the function that this gives is called. */
  ready(): () => void
  stop(): Promise<void>
}

/** What a process without `api` answers: /livez, /readyz and /metrics on HEALTH_PORT, alive before it is ready. */
export async function startHealthServer(context: Context): Promise<HealthServer> {
  const { host, healthPort } = context.config
  const app = Fastify({
    loggerInstance: context.log,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  })
  let ready = false
  health(app, context, () => ready)
  await listen(app, host, healthPort, 'HEALTH_PORT')
  return {
    port: (app.server.address() as AddressInfo).port,
    ready: () => {
      ready = true
      return () => (ready = false)
    },
    stop: () => app.close(),
  }
}
