import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { longestPacket } from './frames.ts'

/*
 * The embedded broker speaks MQTT 3.1.1. Version 5 differs from it in properties and reason codes, of which devices need
 * none here: they are taken out of what a client sends and put, empty, into what it gets. The figures are those of the
 * OASIS standard "MQTT Version 5.0", chapters 2 and 3.
 */

const kinds = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  pubcomp: 7,
  subscribe: 8,
  suback: 9,
  unsubscribe: 10,
  unsuback: 11,
  disconnect: 14,
  auth: 15,
}
const disconnectWithWill = 4
const noProperties = Buffer.from([0])

/** The protocol version of the CONNECT that a connection begins with; undefined when more bytes are needed. */
export function versionOf(bytes: Buffer): number | undefined {
  const length = readLength(bytes, 1)
  if (!length) return undefined
  const name = length.end
  if (bytes.length < name + 2) return undefined
  const level = name + 2 + bytes.readUInt16BE(name)
  // No protocol has a name this long: whatever it is, it is the broker's to refuse.
  return level > name + 20 ? 0 : bytes[level]
}

/** The same connection, as the broker understands it. */
export function asVersion4(socket: Socket, onTooLong: () => void): Duplex {
  const fromClient = splitPackets(longestPacket)
  const fromBroker = splitPackets(Infinity)
  /** Topics of each UNSUBSCRIBE on its way, by its packet identifier: version 5 wants an answer for each. */
  const leaving = new Map<number, number>()

  const stream = new Duplex({
    readableHighWaterMark: 16_384,
    read: () => void socket.resume(),
    writev: (chunks, done) => {
      const packets = fromBroker(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)))!
      const bytes = Buffer.concat(packets.map((packet) => toClient(packet, leaving)))
      if (bytes.length) socket.write(bytes, done)
      else done()
    },
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  const take = (bytes: Buffer) => {
    const packets = fromClient(bytes)
    if (!packets) {
      onTooLong()
      return stream.destroy()
    }
    for (const packet of packets) {
      const translated = toBroker(packet, leaving)
      if (!translated) return stream.destroy()
      if (!stream.push(translated)) socket.pause()
    }
  }
  socket.on('data', (bytes: Buffer) => {
    try {
      take(bytes)
    } catch {
      // A length that leads out of its packet.
      stream.destroy()
    }
  })
  socket.on('end', () => stream.push(null))
  socket.on('close', () => stream.destroy())
  socket.on('error', () => stream.destroy())
  return stream
}

interface Packet {
  /** Its kind and flags. */
  first: number
  body: Buffer
}

/** Cuts a stream of bytes into whole packets; undefined when one is too long. */
function splitPackets(longest: number): (bytes: Buffer) => Packet[] | undefined {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    let all = rest.length ? Buffer.concat([rest, bytes]) : bytes
    const packets: Packet[] = []
    for (;;) {
      const length = readLength(all, 1)
      if (length && length.value > longest) return undefined
      if (!length || all.length < length.end + length.value) break
      const end = length.end + length.value
      packets.push({ first: all[0]!, body: all.subarray(length.end, end) })
      all = all.subarray(end)
    }
    rest = Buffer.from(all)
    return packets
  }
}

/** A packet of version 5 in version 3.1.1; undefined when the connection is to end without a goodbye. */
function toBroker({ first, body }: Packet, leaving: Map<number, number>): Buffer | undefined {
  const kind = first >> 4
  switch (kind) {
    case kinds.connect:
      return packet(first, connectWithoutProperties(body))
    case kinds.publish: {
      const identifier = (first & 6) > 0 ? 2 : 0
      const properties = 2 + body.readUInt16BE(0) + identifier
      return packet(first, body.subarray(0, properties), afterProperties(body, properties))
    }
    case kinds.subscribe: {
      const filters = Buffer.from(afterProperties(body, 2))
      for (const { options } of filtersOf(filters, 1)) filters[options]! &= 3
      return packet(first, body.subarray(0, 2), filters)
    }
    case kinds.unsubscribe: {
      const filters = afterProperties(body, 2)
      leaving.set(body.readUInt16BE(0), filtersOf(filters, 0).length)
      return packet(first, body.subarray(0, 2), filters)
    }
    case kinds.disconnect:
      return body[0] === disconnectWithWill ? undefined : packet(first)
    case kinds.auth:
      return undefined
    default:
      return kind >= kinds.puback && kind <= kinds.pubcomp ? packet(first, body.subarray(0, 2)) : packet(first, body)
  }
}

function connectWithoutProperties(body: Buffer): Buffer {
  const level = 2 + body.readUInt16BE(0)
  const [flags, properties] = [level + 1, level + 4]
  const head = Buffer.from(body.subarray(0, properties))
  head[level] = 4
  const rest = afterProperties(body, properties)
  if (!(body[flags]! & 4)) return Buffer.concat([head, rest])
  const clientId = 2 + rest.readUInt16BE(0)
  return Buffer.concat([head, rest.subarray(0, clientId), afterProperties(rest, clientId)])
}

function toClient({ first, body }: Packet, leaving: Map<number, number>): Buffer {
  switch (first >> 4) {
    case kinds.connack:
      return packet(first, Buffer.from([body[0]!, reasonOf(body[1]!)]), body[1] ? noProperties : welcome)
    case kinds.publish: {
      const properties = 2 + body.readUInt16BE(0) + ((first & 6) > 0 ? 2 : 0)
      return packet(first, body.subarray(0, properties), noProperties, body.subarray(properties))
    }
    case kinds.suback:
      return packet(first, body.subarray(0, 2), noProperties, body.subarray(2))
    case kinds.unsuback: {
      const identifier = body.readUInt16BE(0)
      const reasons = Buffer.alloc(leaving.get(identifier) ?? 1)
      leaving.delete(identifier)
      return packet(first, body.subarray(0, 2), noProperties, reasons)
    }
    default:
      return packet(first, body)
  }
}

/** Return codes of version 3.1.1 and what they are called in version 5. */
const reasons: Record<number, number> = { 0: 0, 1: 0x84, 2: 0x85, 3: 0x88, 4: 0x86, 5: 0x87 }
const reasonOf = (code: number) => reasons[code] ?? 0x80

/** What this broker does not do: keep sessions, retain, number subscriptions, share them; and how long a packet may be. */
const welcome = withLength(
  Buffer.from([0x11, 0, 0, 0, 0]),
  Buffer.from([0x25, 0]),
  Buffer.from([0x27, ...fourBytes(longestPacket)]),
  Buffer.from([0x29, 0]),
  Buffer.from([0x2a, 0]),
)

function fourBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Filters of a SUBSCRIBE or UNSUBSCRIBE, each with so many bytes after it. */
function filtersOf(bytes: Buffer, after: number): { options: number }[] {
  const filters = []
  for (let at = 0; at < bytes.length;) {
    const options = at + 2 + bytes.readUInt16BE(at)
    filters.push({ options })
    at = options + after
  }
  return filters
}

function afterProperties(bytes: Buffer, at: number): Buffer {
  const length = readLength(bytes, at)
  if (!length || length.end + length.value > bytes.length)
    throw new RangeError('properties are longer than their packet')
  return bytes.subarray(length.end + length.value)
}

function packet(first: number, ...parts: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([first]), withLength(...parts)])
}

function withLength(...parts: Buffer[]): Buffer {
  const bytes = []
  let length = parts.reduce((sum, part) => sum + part.length, 0)
  do {
    bytes.push(length > 127 ? (length & 127) | 128 : length)
    length >>= 7
  } while (length > 0)
  return Buffer.concat([Buffer.from(bytes), ...parts])
}

/** A length of one to four bytes at a place, and where it ends; undefined when it is not all there. */
function readLength(bytes: Buffer, at: number): { value: number; end: number } | undefined {
  let value = 0
  for (let n = 0; n < 4; n++) {
    const byte = bytes[at + n]
    if (byte === undefined) return undefined
    value += (byte & 127) << (7 * n)
    if (byte < 128) return { value, end: at + n + 1 }
  }
  return { value: Infinity, end: at + 4 }
}
