import type { DeviceMessage } from '@caretaker/contract/messages.ts'
import type { Known, MessageChannel } from '@caretaker/rules/messages/parsed.ts'
import { messageChannels, parsed, parsedText, refusedText } from '@caretaker/rules/messages/parsed.ts'
import type { StoredMessage } from './store.ts'

export interface Circumstances extends Pick<Known, 'time'> {
  /** The names of commands by their ids. */
  commands: Readonly<Record<string, string>>
  /** Serial number of the module that sends for the device. */
  through: string | null
}

/** A message as the call returns it: raw, and in words according to the rules for its topic. */
export function asMessage(message: StoredMessage, { time, commands, through }: Circumstances): DeviceMessage {
  const channel = channelOf(message.channel)
  const isUp = channel !== 'commands' && !message.refused
  const payload = message.refused ? undefined : jsonOf(message)
  const known = { time, commands, was: message.was ?? undefined }
  const parts = payload && channel ? parsed(channel, payload.json, known) : []
  return {
    messageId: message.id,
    time: message.at.toISOString(),
    source: `${channel ?? message.channel}${isUp && through ? ` through ${through}` : ''}`,
    channel: channel ?? null,
    message: message.payload,
    bytes: message.bytes,
    was: message.was ?? null,
    command: channel === 'replies' && payload ? (commands[commandIdIn(payload.json)] ?? null) : null,
    refused: message.refused ?? null,
    notUnderstood: parts.filter((part) => part.notUnderstood).length,
    parsedMessage: message.refused
      ? refusedText(message.refused)
      : payload
        ? parsedText(parts)
        : `Too long to be stored in full: ${message.bytes.toLocaleString('en-GB')} bytes`,
  }
}

/** The topic of a message; a refused one contains its full topic. */
function channelOf(name: string): MessageChannel | undefined {
  return messageChannels.find((channel) => channel === name || name.endsWith(`/${channel}`))
}

/** A truncated message cannot be parsed; everything else that was accepted is JSON. */
function jsonOf({ payload, bytes }: StoredMessage): { json: unknown } | undefined {
  if (Buffer.byteLength(payload) < bytes) return undefined
  try {
    return { json: JSON.parse(payload) as unknown }
  } catch {
    return undefined
  }
}

/** The id of the answered command; '' if it is not an answer. */
export function commandIdIn(payload: unknown): string {
  const id = typeof payload === 'object' && payload !== null && 'commandId' in payload ? payload.commandId : ''
  return typeof id === 'string' ? id.toLowerCase() : ''
}

/** The ids of the commands answered by these messages. */
export function answeredIn(messages: readonly StoredMessage[]): string[] {
  return messages
    .filter(({ channel, refused }) => channel === 'replies' && !refused)
    .map((message) => commandIdIn(jsonOf(message)?.json))
    .filter(Boolean)
}
