import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Packet } from 'mqtt-packet'
import { generate, parser } from 'mqtt-packet'
import { followLengths } from './packet-lengths.ts'
import type { BadText } from './strict-text.ts'
import { refuseBadTexts } from './strict-text.ts'
import { longestPacket, translate } from './version5.ts'
import { wrapSocket } from './wrapped-socket.ts'

export interface ClientStream {
  /** The stream as MQTT 3.1.1, whichever version the client uses. */
  stream: Duplex
  /** Whether the client has sent DISCONNECT. */
  readonly goodbye: boolean
  /** Must be called when `mayRead` may return another value. */
  readOn(): void
}

interface Options {
  mayRead(): boolean
  onTooLong(): void
  onBadText(reason: BadText): void
}

/**
 * Wraps a client's socket for the broker, which has no limits on packet length or unprocessed messages per client and
 * does not support version 5.
 */
export function openClientStream(socket: Socket, { mayRead, onTooLong, onBadText }: Options): ClientStream {
  const lengths = followLengths(longestPacket)
  const fromClient = parser()
  const fromBroker = parser({ protocolVersion: 4 })
  const { toVersion4, toVersion5 } = translate()
  const untranslated: Buffer[] = []
  const forBroker: Buffer[] = []
  const forClient: Buffer[] = []
  let version: number | undefined
  let impolite = false

  refuseBadTexts(fromClient, onBadText)
  fromClient.on('error', (error: Error) => {
    throw error
  })
  fromClient.on('packet', (packet) => {
    version ??= versionOf(packet)
    if (version !== 5) return
    const translated = toVersion4(packet)
    if (!translated) {
      impolite = true
      throw new Error('the connection ends without DISCONNECT')
    }
    forBroker.push(generate(translated, { protocolVersion: 4 }))
  })
  fromBroker.on('packet', (packet) => forClient.push(generate(toVersion5(packet), { protocolVersion: 5 })))

  const incoming = (bytes: Buffer): Buffer => {
    if (!lengths.accept(bytes)) {
      onTooLong()
      throw new Error('too long')
    }
    if (version === 4) return bytes
    fromClient.parse(bytes)
    if (version === 5) return joined(forBroker)
    // Data is held back until the first packet shows the version.
    untranslated.push(bytes)
    return version === undefined ? empty : joined(untranslated)
  }
  const outgoing = (bytes: Buffer): Buffer => {
    if (version !== 5) return bytes
    fromBroker.parse(bytes)
    return joined(forClient)
  }

  const { stream, readOn } = wrapSocket(socket, { incoming, outgoing, mayRead })
  return {
    stream,
    readOn,
    get goodbye() {
      return lengths.goodbye && !impolite
    },
  }
}

const empty = Buffer.alloc(0)

/** 5, or 4 for earlier versions, which the broker supports. */
function versionOf(packet: Packet): number {
  if (packet.cmd !== 'connect') throw new Error('the first packet is not CONNECT')
  return packet.protocolVersion === 5 ? 5 : 4
}

function joined(buffers: Buffer[]): Buffer {
  const all = buffers.splice(0)
  return all.length === 1 ? all[0]! : Buffer.concat(all)
}
