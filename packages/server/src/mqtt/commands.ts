import type { FastifyBaseLogger } from 'fastify'
import type { CommandMessage } from '@caretaker/contract/mqtt/payloads.ts'
import type { DueCommand } from '../features/commands/store.ts'
import { takeDueCommands } from '../features/commands/store.ts'
import type { Db } from '../postgres/pool.ts'
import type { LinkMetrics } from './metrics.ts'

export interface CommandSender {
  /** Sends what is due for these devices, now. */
  wake(deviceIds: string[]): void
  stop(): Promise<void>
}

interface SenderOptions {
  db: Db
  log: FastifyBaseLogger
  metrics: LinkMetrics
  /** The devices that can be reached right now. */
  reachable(): Promise<string[]> | string[]
  send(deviceId: string, payload: string): Promise<void>
  /** How often due commands are looked for without being woken, in ms: those to be sent again, and those nobody announced. */
  every?: number
}

const atOnce = 200

/**
 * Sends commands to the devices that can be reached, when it is woken and again until they are answered or expire. A claim
 * in the database makes sure that of several processes only one sends a command.
 */
export function startCommandSender({ db, log, metrics, reachable, send, every = 5000 }: SenderOptions): CommandSender {
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
        // The database is away, or the broker: the commands are due again by and by.
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
