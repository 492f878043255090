import { loadConfig, SettingError } from './config.ts'
import { startServer } from './server.ts'

/** `npm start [api] [ingest] [worker]`: all parts unless some are named. */
async function main(): Promise<void> {
  const server = await startServer(loadConfig(process.argv.slice(2)))
  let stopping = false
  const stop = () => {
    if (stopping) process.exit(1)
    stopping = true
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  if (server.config.parts.includes('api')) process.stdout.write(`Caretaker is ready at ${server.config.origin}\n`)
  else process.stdout.write(`Caretaker is ready: ${server.config.parts.join(', ')}\n`)
}

function fail(error: unknown): void {
  const known = error instanceof SettingError
  process.stderr.write(
    `${known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  process.exit(1)
}

process.on('unhandledRejection', fail)
main().catch(fail)
