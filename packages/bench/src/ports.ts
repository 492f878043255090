import { once } from 'node:events'
import net from 'node:net'
import { freePort } from '@caretaker/server/testing/ports.ts'

/** A free port for HTTP whose successor is free for MQTT, where the browser tests expect it. */
export async function freePortPair(): Promise<{ http: number; mqtt: number }> {
  for (;;) {
    const http = await freePort()
    if (await isFree(http + 1)) return { http, mqtt: http + 1 }
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer()
  try {
    await once(server.listen(port), 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
