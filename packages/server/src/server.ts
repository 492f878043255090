import path from 'node:path'
import pino from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { SettingError } from './config.ts'
import type { Context } from './context.ts'
import { isSeeded, resumeDemo, seedDemo } from './demo/seed.ts'
import { startSimulator } from './demo/simulator.ts'
import { startIdentity } from './idp/start.ts'
import { startJobs } from './jobs/jobs.ts'
import { startDeviceLink } from './mqtt/device-link.ts'
import { openDatabase } from './postgres/open.ts'
import { prepareSchema } from './postgres/migrate.ts'
import { openDb, openPool } from './postgres/pool.ts'

export interface Server {
  config: Config
  context: Context
  /** Stops in the order in which nothing taken is lost: calls, device link, jobs, database. */
  stop(): Promise<void>
}

/** Starts everything that the configuration asks for; on failure what was started is stopped again. */
export async function startServer(config: Config): Promise<Server> {
  const stops: (() => Promise<void> | void)[] = []
  const stop = async () => {
    while (stops.length) await stops.pop()!()
  }
  try {
    const context = await start(config, stops)
    return { config, context, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(config: Config, stops: (() => Promise<void> | void)[]): Promise<Context> {
  const database = await openDatabase(config)
  stops.push(database.stop)
  const owner = openPool(database.url, 'owner', 4)
  stops.push(() => owner.end())
  await prepareSchema(owner, database.own)

  const app = openPool(database.url, 'app', 16)
  const idp = openPool(database.url, 'idp', 4)
  stops.push(async () => void (await Promise.all([app.end(), idp.end()])))
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics, prefix: 'caretaker_' })
  const context: Context = {
    config,
    owner,
    idp,
    db: openDb(app),
    log: pino({ level: config.logLevel, base: null, redact: ['req.headers', 'headers', 'email', 'name', '*.email'] }),
    metrics,
  }

  await prepareDemo(context)
  if (config.parts.includes('api')) {
    const { tokens, routes } = await startIdentity(context)
    const http = await buildApp(context, { tokens, identity: routes })
    stops.push(() => http.close())
    await listen(http, config)
  }
  if (config.parts.includes('ingest')) {
    const link = await startDeviceLink(context)
    stops.push(link.stop)
    if (config.demo) stops.push(startSimulator(fleetFile(config), link.url))
  }
  if (config.parts.includes('worker')) stops.push((await startJobs(context)).stop)
  return context
}

const fleetFile = (config: Config) => path.join(config.dataDir, 'simulator-fleet.json')

/** Seeds an empty database with the demo world, or makes sure that a real one carries no published passwords. */
async function prepareDemo({ config, owner }: Context): Promise<void> {
  const seeded = await isSeeded(owner)
  if (!config.demo) {
    if (seeded)
      throw new SettingError(
        'CARETAKER_DEMO is off, but this database holds the demo world, whose passwords are published. Use an empty database, or run npm run reset.',
      )
    return
  }
  const { dataDir, demoDevices: devices } = config
  if (!seeded) await seedDemo({ owner, devices, now: new Date(), issuer: config.oidc.directory, dataDir })
  else await resumeDemo({ owner, now: new Date(), dataDir })
}

async function listen(http: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await http.listen({ host, port })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE')
      throw new SettingError(`Port ${port} is in use. Set PORT to a free one, or stop what uses it.`)
    if (code === 'EACCES')
      throw new SettingError(`Port ${port} may not be used by this user. Set PORT to one above 1023.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new SettingError(`HOST ${host} is no address of this machine.`)
    throw error
  }
}
