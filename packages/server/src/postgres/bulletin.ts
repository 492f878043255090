import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A dedicated database connection of a part of the server, which receives notifications of committed changes. */
export interface Bulletin {
  stop(): Promise<void>
}

interface BulletinOptions {
  /** The pool whose database is used; its own connections are for short work. */
  pool: pg.Pool
  /** The connection's name in the database (`application_name`). */
  name: string
  channels: readonly string[]
  onNotification(payload: string, channel: string): void
  /** Called when the connection is open, also after a reconnect: notifications may have been missed. */
  onOpen?(client: pg.Client): Promise<void> | void
  onLost?(): Promise<void> | void
}

const pause = 1000

/** Opens the connection and reopens it when it breaks. Resolves when it is open for the first time. */
export async function openBulletin({
  pool,
  name,
  channels,
  onNotification,
  onOpen,
  onLost,
}: BulletinOptions): Promise<Bulletin> {
  let client: pg.Client | undefined
  let stopped = false

  const open = async () => {
    const fresh = new pg.Client({ ...pool.options, application_name: name })
    const lost = Promise.withResolvers<void>()
    fresh.on('error', () => lost.resolve())
    fresh.on('end', () => lost.resolve())
    fresh.on('notification', ({ payload, channel }) => onNotification(payload ?? '', channel))
    try {
      await fresh.connect()
      for (const channel of channels) await fresh.query(`listen ${channel}`)
      await onOpen?.(fresh)
    } catch (error) {
      await fresh.end().catch(() => {})
      throw error
    }
    // A connection that opens after the stop would keep the process alive.
    if (stopped) return fresh.end()
    client = fresh
    void lost.promise.then(reopen)
  }

  const reopen = async () => {
    client?.end().catch(() => {})
    client = undefined
    await onLost?.()
    while (!stopped) {
      try {
        return await open()
      } catch {
        await sleep(pause)
      }
    }
  }

  await open()
  return {
    stop: async () => {
      stopped = true
      await client?.end()
    },
  }
}
