import './memory.ts'
import { fstatSync } from 'node:fs'
import { WrongInput, parseArguments, readFleet } from './arguments.ts'
import { runFleet } from './fleet.ts'

/** Milliseconds between two looks at the parent process. */
const checkParent = 500

/** Calls back once when it is time to stop: a signal, or the process that started this one is gone. */
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

/** Whether somebody holds the other end of standard input; with a terminal or nothing there, its end means nothing. */
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
  const say = (line: string) => console.log(`simulator: ${line}`)
  const running = runFleet(fleet, { ...args, clock: Date.now, log: say })
  whenOver(() => {
    // A stopping fleet may wait for a server that stops as well, but not for long.
    setTimeout(() => process.exit(0), 3000).unref()
    void running.stop().then(() => process.exit(0))
  })
  say(`${running.devices} devices on ${running.connections} connections to ${args.url}`)
}

// Whoever reads the output may be gone before this process.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
try {
  main()
} catch (error) {
  if (!(error instanceof WrongInput)) throw error
  console.error(`simulator: ${error.message}`)
  process.exitCode = 1
}
