import { CommandMessage } from '@caretaker/contract/mqtt/payloads.ts'
import { text } from '@caretaker/contract/scalars.ts'
import type { z } from 'zod'
import type { ReplyMessage } from './models/model.ts'

/** A command as a device reads it. Its name may be one that only newer devices know. */
const Received = CommandMessage.extend({ name: text(100) })
export type ReceivedCommand = z.infer<typeof Received>

/** Parses a message from the commands topic; undefined for a message that cannot be replied to. */
export function readCommand(payload: string): ReceivedCommand | undefined {
  try {
    return Received.safeParse(JSON.parse(payload)).data
  } catch {
    return undefined
  }
}

/** A device's memory of its last commands, so that it runs no command twice. */
export interface CommandMemory {
  /** 'new', 'running', or the reply that was sent. */
  find(commandId: string): 'new' | 'running' | ReplyMessage
  begin(commandId: string): void
  finish(reply: ReplyMessage): void
  /** Removes a command that was not run. */
  forget(commandId: string): void
}

const remembered = 50

export function createCommandMemory(): CommandMemory {
  const known = new Map<string, 'running' | ReplyMessage>()
  return {
    find: (commandId) => known.get(commandId) ?? 'new',
    begin(commandId) {
      known.set(commandId, 'running')
      const oldest = known.keys().next().value
      if (known.size > remembered && oldest !== undefined) known.delete(oldest)
    },
    finish: (reply) => void known.set(reply.commandId, reply),
    forget: (commandId) => void known.delete(commandId),
  }
}
