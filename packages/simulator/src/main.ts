import './memory.ts'
import { fstatSync } from 'node:fs'
import { WrongInput, parseArguments, readFleet } from './arguments.ts'
import { runFleet } from './fleet.ts'
import { startNetworkServer } from './network-server.ts'
import { runSensors } from './sensors.ts'

/** Milliseconds between two checks of the parent process. */
const checkParent = 500

/** Calls back once when it is time to stop: on a signal, or when the parent process is gone. */
function whenOver(stop: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => process.ppid !== parent && over(), checkParent)
  let done = false
  function over(): void {
    if (done) return
    done = true
    clearInterval(timer)
    stop()
  }
  process.on('SIGINT', over)
  process.on('SIGTERM', over)
  if (!stdinIsPipe()) return
  process.stdin.on('end', over).on('close', over).on('error', over).resume()
}

/** Whether standard input is a pipe from the parent. If it is a terminal or empty, its end has no meaning. */
function stdinIsPipe(): boolean {
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || stat.isSocket()
  } catch {
    return false
  }
}

function main(): void {
  const args = parseArguments(process.argv.slice(2))
  const fleet = readFleet(args.fleet)
  const log = (line: string) => console.log(`simulator: ${line}`)
  const running = runFleet(fleet, { ...args, clock: Date.now, log })
  const sensors = args.web ? runSensors(fleet.connections, { web: args.web, clock: Date.now, log }) : undefined
  if (sensors && fleet.connections.some(({ apiToken }) => apiToken !== undefined))
    startNetworkServer(fleet.connections, sensors.receive).then(
      ({ port }) => {
        log(`the API of ChirpStack is at http://127.0.0.1:${port}`)
        // The parent process may be gone already.
        process.send?.({ networkServerPort: port }, () => {})
      },
      (error: Error) => log(`the API of ChirpStack cannot be started: ${error.message}`),
    )
  whenOver(() => {
    // Allows the server, which may be stopping as well, a limited time.
    setTimeout(() => process.exit(0), 3000).unref()
    sensors?.stop()
    void running.stop().then(() => process.exit(0))
  })
  log(`${running.devices} devices on ${running.connections} connections to ${args.url}`)
}

// The reader of the output may exit first.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
try {
  main()
} catch (error) {
  if (!(error instanceof WrongInput)) throw error
  console.error(`simulator: ${error.message}`)
  process.exitCode = 1
}
