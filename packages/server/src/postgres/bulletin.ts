import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A connection of a part's own to the database, on which it hears of what was committed. */
export interface Bulletin {
  stop(): Promise<void>
}

interface BulletinOptions {
  /** Where the database is; the pool's own connections are for short work. */
  pool: pg.Pool
  /** Names the connection in the database. */
  name: string
  channels: readonly string[]
  onNews(payload: string, channel: string): void
  /** The connection stands, for the first time or again: announcements may have been missed. */
  onOpen?(client: pg.Client): Promise<void> | void
  onLost?(): Promise<void> | void
}

const pause = 1000

/** Opens it and keeps it open: when it breaks it is opened again. Resolves when it stands for the first time. */
export async function openBulletin({
  pool,
  name,
  channels,
  onNews,
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
    fresh.on('notification', ({ payload, channel }) => onNews(payload ?? '', channel))
    try {
      await fresh.connect()
      for (const channel of channels) await fresh.query(`listen ${channel}`)
      await onOpen?.(fresh)
    } catch (error) {
      await fresh.end().catch(() => {})
      throw error
    }
    // Nobody else knows of it: one that stands only after the stop would keep the process from its end.
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
