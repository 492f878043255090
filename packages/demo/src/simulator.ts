import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../simulator/src/main.ts', import.meta.url))

/**
 * Starts the simulator in its own process, with only addresses and the fleet's own credentials. It ends with this
 * process, because its standard input ends.
 *
 * @param url of the device link
 * @param web of the portal, if this process serves it: sensors of connections send there
 */
export function startSimulator(fleet: string, url: string, web: string | undefined): () => Promise<void> {
  const child = spawn(process.execPath, [program, '--fleet', fleet, '--url', url, ...(web ? ['--web', web] : [])], {
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
