import type { IConnackPacket, Packet } from 'mqtt-packet'

/*
 * The embedded broker speaks MQTT 3.1.1. Version 5 differs from it in properties and reason codes, of which devices need
 * none here: the packets of a client of version 5 lose theirs, and those for it get the few that it must know.
 */

/** Enough for the largest payload taken and for telling that one was larger; a longer packet ends the connection. */
export const longestPacket = 512 * 1024

/** What this broker does not do: keep sessions, retain, number subscriptions, share them; and how long a packet may be. */
const welcome: IConnackPacket['properties'] = {
  sessionExpiryInterval: 0,
  retainAvailable: false,
  maximumPacketSize: longestPacket,
  subscriptionIdentifiersAvailable: false,
  sharedSubscriptionAvailable: false,
}

/** Return codes of MQTT 3.1.1 and what they are called in version 5. */
const reasons: Record<number, number> = { 0: 0, 1: 0x84, 2: 0x85, 3: 0x88, 4: 0x86, 5: 0x87 }
const unspecified = 0x80
const disconnectWithWill = 4

/** Translates the packets of one connection whose client speaks version 5. */
export interface Translation {
  /** A packet of the client for the broker; undefined where the connection is to end without a goodbye. */
  toVersion4(packet: Packet): Packet | undefined
  /** A packet of the broker for the client. */
  toVersion5(packet: Packet): Packet
}

export function translate(): Translation {
  /** How many topics each UNSUBSCRIBE on its way names, by its packet identifier: version 5 wants an answer for each. */
  const leaving = new Map<number, number>()
  return {
    toVersion4: (packet) => {
      if (packet.cmd === 'auth') return undefined
      if (packet.cmd === 'disconnect' && packet.reasonCode === disconnectWithWill) return undefined
      if (packet.cmd === 'unsubscribe') leaving.set(packet.messageId!, packet.unsubscriptions.length)
      if (packet.cmd === 'connect') return { ...packet, protocolVersion: 4 }
      return packet
    },
    toVersion5: (packet) => {
      switch (packet.cmd) {
        case 'connack': {
          const { returnCode = 0, sessionPresent } = packet
          const properties = returnCode ? undefined : welcome
          return { cmd: 'connack', sessionPresent, reasonCode: reasons[returnCode] ?? unspecified, properties }
        }
        case 'unsuback': {
          const count = leaving.get(packet.messageId!) ?? 1
          leaving.delete(packet.messageId!)
          return { ...packet, granted: Array.from({ length: count }, () => 0) }
        }
        case 'puback':
        case 'pubrec':
        case 'pubrel':
        case 'pubcomp':
          return { ...packet, reasonCode: 0 }
        default:
          return packet
      }
    },
  }
}
