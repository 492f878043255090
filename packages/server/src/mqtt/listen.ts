import { once } from 'node:events'
import type net from 'node:net'
import { SettingError } from '../config.ts'

/** Listens; the port that is used. One that cannot be is told in one line that names the setting. */
export async function listen(server: net.Server, host: string, port: number): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE')
      throw new SettingError(`Port ${port} is in use. Set MQTT_PORT to a free one, or stop what uses it.`)
    if (code === 'EACCES')
      throw new SettingError(`Port ${port} may not be used by this user. Set MQTT_PORT to one above 1023.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new SettingError(`${host} is no address of this machine. Correct MQTT_HOST, or HOST where that is not set.`)
    throw error
  }
  return (server.address() as net.AddressInfo).port
}
