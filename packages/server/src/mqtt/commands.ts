import type { FastifyBaseLogger } from 'fastify'
import type { CommandMessage } from '@caretaker/contract/mqtt/payloads.ts'
import type { DueCommand } from '../features/commands/store.ts'
import { takeDueCommands } from '../features/commands/store.ts'
import type { Db } from '../postgres/pool.ts'
import type { LinkMetrics } from './metrics.ts'

export interface CommandSender {
  /** Sends the due commands of these devices now. */
  wake(deviceIds: string[]): void
  stop(): Promise<void>
}

interface SenderOptions {
  db: Db
  log: FastifyBaseLogger
  metrics: LinkMetrics
  /** The devices that can be reached now. */
  reachable(): Promise<string[]> | string[]
  send(deviceId: string, payload: string): Promise<void>
  /** Whether nothing is sent: commands stay pending until they expire. */
  isOff?: boolean
  /**
   * How often due commands are looked up without a wake-up, in ms: retries, and commands whose notification was lost.
   */
  every?: number
}

const atOnce = 200

/**
 * Sends commands to reachable devices and repeats them until they are answered or expire. A claim in the database
 * ensures that only one process sends a command.
 */
export function startCommandSender({
  db,
  log,
  metrics,
  reachable,
  send,
  isOff = false,
  every = 5000,
}: SenderOptions): CommandSender {
  let wanted = new Set<string>()
  let working: Promise<void> | undefined
  let stopped = false

  const work = async () => {
    while (wanted.size && !stopped) {
      const deviceIds = [...wanted]
      wanted = new Set()
      try {
        await sendDue(deviceIds)
      } catch (error) {
        // The database or the broker is unreachable: the commands become due again.
        log.warn({ err: error }, 'commands could not be sent')
      }
    }
  }

  const sendDue = async (deviceIds: string[]) => {
    for (;;) {
      const due = await takeDueCommands(db, deviceIds, atOnce)
      for (const command of due) await send(command.deviceId, asMessage(command))
      metrics.commands.inc(due.length)
      if (due.length < atOnce) return
    }
  }

  const wake = (deviceIds: string[]) => {
    if (isOff) return
    for (const deviceId of deviceIds) wanted.add(deviceId)
    working ??= work().finally(() => (working = undefined))
  }
  const tick = async () => wake(await reachable())
  const timer = setInterval(() => void tick().catch(() => {}), every)

  return {
    wake,
    stop: async () => {
      stopped = true
      clearInterval(timer)
      await working
    },
  }
}

function asMessage({ commandId, name, args, expiresAt }: DueCommand): string {
  return JSON.stringify({ commandId, name, args, expiresAt: expiresAt.getTime() } satisfies CommandMessage)
}
