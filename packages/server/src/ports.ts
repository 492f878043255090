import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from './config.ts'
import { SettingError } from './config.ts'

/** An address to listen on, with the setting that names its port. */
export interface Listening {
  host: string
  port: number
  setting: 'PORT' | 'HEALTH_PORT' | 'MQTT_PORT'
}

/** Runs `listen`. An unusable address is reported in one line that names the setting. */
export async function listenAt<T>({ host, port, setting }: Listening, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE')
      throw new SettingError(`Port ${port} is in use. Set ${setting} to a free one, or stop the program that uses it.`)
    if (code === 'EACCES')
      throw new SettingError(`Port ${port} may not be used by this user. Set ${setting} to one above 1023.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      const name = setting === 'MQTT_PORT' ? 'MQTT_HOST, or HOST where that is not set' : 'HOST'
      throw new SettingError(`${host} is not an address of this machine. Correct ${name}.`)
    }
    throw error
  }
}

/**
 * Throws a SettingError if a configured port cannot be used. Checked before a database is created and filled, which
 * takes a while the first time. All ports are held at once, which detects a port named twice.
 */
export async function tryPorts({ host, port, healthPort, mqtt, mqttUrl, parts }: Config): Promise<void> {
  const wanted: Listening[] = [
    ...(parts.includes('api') ? [{ host, port, setting: 'PORT' } as const] : []),
    ...(healthPort ? [{ host, port: healthPort, setting: 'HEALTH_PORT' } as const] : []),
    ...(parts.includes('ingest') && !mqttUrl ? [{ ...mqtt, setting: 'MQTT_PORT' } as const] : []),
  ]
  const held: (() => Promise<unknown>)[] = []
  try {
    for (const one of wanted) held.push(await listenAt(one, () => hold(one)))
  } finally {
    await Promise.all(held.map((release) => release()))
  }
}

/** Listens and rejects all callers; returns the function that stops. */
async function hold({ host, port }: Listening): Promise<() => Promise<unknown>> {
  const server = createServer((socket) => socket.destroy())
  server.listen(port, host)
  await once(server, 'listening')
  return () => {
    const closed = once(server, 'close')
    server.close()
    return closed
  }
}
