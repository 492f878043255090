/** Connection states and the values they are stored and sent as (core specification, section 4.2). */
export const connectionStates = {
  online: 'Connected',
  offline: 'NotConnected',
  intermittent: 'intermittent',
  neverconnected: 'neverconnected',
} as const
export type ConnectionStatus = (typeof connectionStates)[keyof typeof connectionStates]
export const connectionStatuses = Object.values(connectionStates)

export const connectionWords: Record<ConnectionStatus, string> = {
  Connected: 'Connected',
  NotConnected: 'Not connected',
  intermittent: 'Intermittent',
  neverconnected: 'Never connected',
}

/** What is known of a device's link; times in milliseconds since the epoch. */
export interface Link {
  /** Whether it holds a connection of its own right now. */
  connected: boolean
  /** When it was last heard, over its own connection or through its parent. */
  heardAt: number | null
  /** Seconds between two reports of the device. */
  reportingInterval: number
  /** When connections dropped, any order. */
  drops: readonly number[]
}

const day = 86_400_000
/** Drops within a day from which a connection counts as intermittent (device link). */
export const intermittentDrops = 4

/** The connection state of a device, by the rule of the device link. */
export function connectionStatus(link: Link, now: number): ConnectionStatus {
  if (link.heardAt === null && !link.connected) return 'neverconnected'
  if (link.drops.filter((drop) => now - drop < day).length >= intermittentDrops) return 'intermittent'
  const heardInTime = link.heardAt !== null && now - link.heardAt <= 3 * link.reportingInterval * 1000
  return link.connected || heardInTime ? 'Connected' : 'NotConnected'
}

/** Where only two states are shown: Connected and intermittent read Online, the others Offline (core gaps A7). */
export function genericConnection(status: ConnectionStatus): 'Online' | 'Offline' {
  return status === 'Connected' || status === 'intermittent' ? 'Online' : 'Offline'
}
