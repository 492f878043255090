import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { storeAddresses, withStoredOrigin } from './addresses.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { closeStore, openStore } from './files/store.ts'
import { openLog } from './log.ts'
import { leastMemory, scarceMemory } from './memory.ts'
import { postcodeService } from './postcodes/service.ts'
import { reportProcess } from './features/system/processes.ts'
import { watchSystem } from './features/system/watch.ts'
import { startHealthServer } from './http/health-server.ts'
import { openPartChecks } from './part-checks.ts'
import { listenAt } from './ports.ts'
import { inOneProcess, locks } from './postgres/locks.ts'
import { openDatabase } from './postgres/open.ts'
import { prepareSchema } from './postgres/migrate.ts'
import { openDb, openPool } from './postgres/pool.ts'
import type { World } from './world.ts'
import { refuseDemo } from './world.ts'

export interface Server {
  config: Config
  context: Context
  /** The separate port of /livez, /readyz and /metrics. */
  healthPort?: number
  /** Stops calls, device link, jobs and database in this order, so that no accepted work is lost. */
  stop(): Promise<void>
}

type Stops = (() => Promise<void> | void)[]

/** A server that is starting; it can also be stopped before it has started. */
export interface Starting {
  /**
   * Rejects if something fails to start, or if it was stopped meanwhile; everything that was started has been stopped
   * by then.
   */
  started: Promise<Server>
  stop(): Promise<void>
}

/**
 * Starts everything in the configuration, and the world with it. The web pages are served once `pages` resolves, so
 * that they can be built meanwhile.
 */
export function startServer(config: Config, world?: World, pages?: Promise<void>): Starting {
  const stops: Stops = []
  let isOver = false
  const begun = start(config, stops, world, pages).finally(() => {
    isOver = true
  })
  const stopAll = async () => {
    for (;;) {
      while (stops.length) await stops.pop()!()
      if (isOver) return
      // Everything that is being started is stopped once it runs; anything that needs the database ends with it.
      await Promise.race([sleep(20), begun.catch(() => undefined)])
    }
  }
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= stopAll())
  const started = begun.then(
    (parts) => ({ config, ...parts, stop }),
    async (error: unknown) => {
      await stop()
      throw error
    },
  )
  return { started, stop }
}

// A process loads only the modules of its parts.
const loadApi = async () => ({
  ...(await import('./app.ts')),
  ...(await import('./idp/start.ts')),
  ...(await import('./features/tenants/reserved.ts')),
})
const loadWorker = async () => ({
  ...(await import('./jobs/jobs.ts')),
  ...(await import('./features/alerts/watch.ts')),
})

async function start(
  given: Config,
  stops: Stops,
  world?: World,
  pages?: Promise<void>,
): Promise<Pick<Server, 'context' | 'healthPort'>> {
  // Its packages are loaded only if they are used.
  const openTelemetry = given.openTelemetry && {
    ...(await import('./tracing/queries.ts')),
    ...(await import('./tracing/export.ts')).startExport(given.openTelemetry, given.parts),
  }
  if (openTelemetry) stops.push(openTelemetry.stop)
  const database = await openDatabase(given)
  stops.push(database.stop)
  const { log, reconnected } = openLog(given.logLevel)
  warnOfSettings(given, log)
  if (!given.outbound)
    log.warn(
      'CARETAKER_OUTBOUND is off: no e-mails or webhooks are sent, devices get no commands, and no brokers of connections, postcode service, map service or collector are contacted. Pending messages are marked as not sent.',
    )
  const owner = openPool(database.url, 'owner', 4, log)
  stops.push(() => owner.end())
  await prepareSchema(owner, database.own)
  const config = await withStoredOrigin(given, owner)

  const app = openPool(database.url, 'app', 16, log)
  const anonymous = openPool(database.url, 'app', 4, log)
  const idp = openPool(database.url, 'idp', 4, log)
  stops.push(async () => void (await Promise.all([app.end(), anonymous.end(), idp.end()])))
  for (const pool of [owner, app, anonymous, idp]) pool.on('connect', reconnected)
  openTelemetry?.traceQueries(owner, 'owner')
  openTelemetry?.traceQueries(app, 'app')
  openTelemetry?.traceQueries(anonymous, 'app')
  openTelemetry?.traceQueries(idp, 'idp')
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  // Gauges with names of counters, each the sum of another metric over its types.
  for (const kind of ['handles', 'requests', 'resources']) metrics.removeSingleMetric(`nodejs_active_${kind}_total`)
  const partChecks = openPartChecks(config.parts)
  const context: Context = {
    config,
    owner,
    idp,
    db: openDb(app),
    anonymousDb: openDb(anonymous),
    files: openStore(config),
    postcodes: postcodeService(config.postcodes, log),
    log,
    metrics,
    partChecks,
  }
  await closeStore(config, log)
  watchSystem(context)
  openTelemetry?.watch(metrics)

  const needsPort = config.healthPort !== 0 || !config.parts.includes('api')
  // Loaded only where an external broker asks.
  const brokerCalls =
    config.brokerSecret === undefined ? undefined : (await import('./mqtt/broker-calls.ts')).brokerCalls
  const health = needsPort ? await startHealthServer(context, brokerCalls) : undefined
  if (health) stops.push(health.stop)
  await (world ? world.prepare(context) : refuseDemo(context))
  if (config.parts.includes('api')) {
    const api = await loadApi()
    await api.warnOfReservedIds(context)
    const { tokens, routes } = await api.startIdentity(context)
    await pages
    const http = await api.buildApp(context, { tokens, identity: routes })
    stops.push(() => http.close())
    const { host, port } = config
    await listenAt({ host, port, setting: 'PORT' }, () => http.listen({ host, port }))
    await storeAddresses(owner, config)
    stops.push(partChecks.started('api'))
  }
  if (config.parts.includes('ingest')) {
    const { startDeviceLink } = await import('./mqtt/device-link.ts')
    const link = await startDeviceLink(context)
    stops.push(link.stop)
    stops.push(partChecks.started('ingest', () => (link.isUp() ? undefined : 'no session with the MQTT broker')))
    if (config.outbound) {
      const { startBrokerClients } = await import('./connectors/brokers.ts')
      stops.push(await startBrokerClients(context, world))
    }
    // If several processes run ingest, one of them simulates the demo devices.
    const player = { pool: owner, name: 'caretaker-player', lock: locks.player }
    if (world) stops.push(await inOneProcess({ ...player, start: () => world.play(context, link.url) }))
  }
  if (config.parts.includes('worker')) {
    const worker = await loadWorker()
    const jobs = await worker.startJobs(context)
    stops.push(jobs.stop)
    stops.push(partChecks.started('worker', jobs.fault))
    stops.push((await worker.startAlertWatch(context)).stop)
  }
  stops.push(reportProcess(context).stop)
  if (health) stops.push(health.ready())
  return { context, healthPort: health?.port }
}

/** Conditions at the start that do not prevent it. */
function warnOfSettings({ unknownSettings }: Config, log: Context['log']): void {
  for (const { name, nearest } of unknownSettings)
    log.warn(
      { setting: name },
      `${name} is not a setting${nearest ? `: did you mean ${nearest}?` : ' of this version'}`,
    )
  const megabytes = scarceMemory()
  if (megabytes !== undefined)
    log.warn(
      { megabytes },
      `this process has ${megabytes} MB of memory and needs ${leastMemory}: the operating system may end it without a message`,
    )
}
