import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../simulator/src/main.ts', import.meta.url))

/**
 * Starts the simulator in its own process, with only an address and the fleet's own credentials. It ends with this process, because
 * its standard input ends.
 */
export function startSimulator(fleet: string, url: string): () => Promise<void> {
  const child = spawn(process.execPath, [program, '--fleet', fleet, '--url', url], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.on('error', () => {})
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
}
