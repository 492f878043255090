import type { Config } from './config.ts'
import { loadConfig, SettingError } from './config.ts'
import { firstUserInstructions } from './first-user.ts'
import { tryPorts } from './ports.ts'
import { explainFullDisk } from './postgres/full-disk.ts'
import type { World } from './world.ts'

/**
 * `npm start [api] [ingest] [worker]`: all parts by default. `loadDemo` is called if the demo is on. `pages` resolves
 * when the web pages are built, and rejects if the build fails.
 */
export function runServer(loadDemo?: () => Promise<World>, pages?: Promise<void>): void {
  process.on('unhandledRejection', fail)
  start(loadDemo, pages).catch(fail)
}

/** Set once it has been read. */
let configured: Config | undefined
/** A stop was requested: later failures are caused by it. */
let stopping = false

async function start(loadDemo?: () => Promise<World>, pages?: Promise<void>): Promise<void> {
  const config = (configured = loadConfig(process.argv.slice(2)))
  refuseExposedDemo(config)
  if (config.demo && !loadDemo) throw new SettingError('There is no demo in this installation: set CARETAKER_DEMO=off.')
  await tryPorts(config)
  // Loaded only now, so that wrong settings are reported immediately.
  const { startServer } = await import('./server.ts')
  const starting = startServer(config, config.demo ? await loadDemo!() : undefined, pages)
  const stop = () => {
    if (stopping) process.exit(1)
    stopping = true
    starting.stop().then(
      () => process.exit(0),
      (error: unknown) => end(error),
    )
  }
  // Also during startup, which may take a while the first time: a database that it has started must stop with it.
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const server = await starting.started
  const { healthPort } = server
  const parts = `: ${config.parts.join(', ')}, health on port ${healthPort}`
  const ready = config.parts.includes('api') ? ` at ${config.origin}` : parts
  process.stdout.write(`Caretaker is ready${ready}\n${await firstUserInstructions(server.context)}`)
}

/** The demo starts by default only if other machines cannot reach it; otherwise it must be requested. */
function refuseExposedDemo({ demo, demoGiven, exposedBy }: Config): void {
  if (!demo || demoGiven || !exposedBy) return
  throw new SettingError(
    `The demo does not start by default where other machines can connect (${exposedBy}): set CARETAKER_DEMO=off for an installation of your own, or CARETAKER_DEMO=on for a demo with random passwords, which are printed once.`,
  )
}

function fail(error: unknown): void {
  if (!stopping) end(error)
}

function end(error: unknown): void {
  process.stderr.write(`${worded(error)}\n`)
  process.exit(1)
}

function worded(error: unknown): string {
  const full = configured && explainFullDisk(error, configured)
  if (full) return full
  if (error instanceof SettingError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
