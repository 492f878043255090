import type { IConnackPacket, Packet } from 'mqtt-packet'

/*
 * The embedded broker speaks MQTT 3.1.1. Version 5 adds properties and reason codes, of which devices need none here:
 * they are removed from the client's packets, and the few required ones are added to the broker's.
 */

/**
 * Enough for the largest accepted payload and for reporting a slightly larger one; a longer packet ends the
 * connection.
 */
export const longestPacket = 512 * 1024

/**
 * Features this broker lacks (kept sessions, retained messages, subscription identifiers, shared subscriptions) and
 * the maximum packet length.
 */
const welcome: IConnackPacket['properties'] = {
  sessionExpiryInterval: 0,
  retainAvailable: false,
  maximumPacketSize: longestPacket,
  subscriptionIdentifiersAvailable: false,
  sharedSubscriptionAvailable: false,
}

/** MQTT 3.1.1 return codes and their version 5 equivalents. */
const reasons: Record<number, number> = { 0: 0, 1: 0x84, 2: 0x85, 3: 0x88, 4: 0x86, 5: 0x87 }
const unspecified = 0x80
const disconnectWithWill = 4

/** Translates the packets of one version 5 connection. */
export interface Translation {
  /** Converts a client packet; undefined if the connection must end without a DISCONNECT. */
  toVersion4(packet: Packet): Packet | undefined
  /** Converts a broker packet. */
  toVersion5(packet: Packet): Packet
}

export function translate(): Translation {
  /**
   * The number of topics in each pending UNSUBSCRIBE, by packet identifier: version 5 requires a reason code for each.
   */
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
