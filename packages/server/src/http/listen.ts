import type { FastifyInstance } from 'fastify'
import { SettingError } from '../config.ts'

/** Listens; an address that cannot be used is one line that names the setting, PORT or HEALTH_PORT. */
export async function listen(http: FastifyInstance, host: string, port: number, setting: string): Promise<void> {
  try {
    await http.listen({ host, port })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE')
      throw new SettingError(`Port ${port} is in use. Set ${setting} to a free one, or stop what uses it.`)
    if (code === 'EACCES')
      throw new SettingError(`Port ${port} may not be used by this user. Set ${setting} to one above 1023.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new SettingError(`HOST ${host} is no address of this machine.`)
    throw error
  }
}
