import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FetchOptions } from '@caretaker/server/webhooks/fetch.ts'
import { demoConnections } from './fixtures.ts'

const program = fileURLToPath(new URL('../../simulator/src/main.ts', import.meta.url))

export interface Simulator {
  /** Passes a call for the simulated ChirpStack on to it; undefined for other addresses, and until it listens. */
  answer(address: string, options: FetchOptions): Promise<Response> | undefined
  stop(): Promise<void>
}

/**
 * Starts the simulator in its own process, with only addresses and the fleet's own credentials. It exits with this
 * process, because its standard input then ends.
 *
 * @param url of the device link
 * @param web of the portal, if this process serves it: sensors of connections send there
 */
export function startSimulator(fleet: string, url: string, web: string | undefined): Simulator {
  const child = spawn(process.execPath, [program, '--fleet', fleet, '--url', url, ...(web ? ['--web', web] : [])], {
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  })
  child.stdin!.on('error', () => {})
  let networkServer: string | undefined
  child.on('message', (message: { networkServerPort?: number }) => {
    if (message.networkServerPort !== undefined) networkServer = `http://127.0.0.1:${message.networkServerPort}`
  })
  return {
    answer(address, { method = 'GET', headers = {}, body }) {
      if (networkServer === undefined || !address.startsWith(`${demoConnections.api}/`)) return undefined
      const path = address.slice(demoConnections.api.length)
      return fetch(`${networkServer}${path}`, {
        ...{ method, headers, body: body?.toString() ?? null },
        ...{ redirect: 'error', signal: AbortSignal.timeout(10_000) },
      })
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
