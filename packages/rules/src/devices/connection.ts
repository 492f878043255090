/** Connection states with their stored values (core specification, section 4.2). */
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

/** The facts about a device's connection; times in ms since the epoch. */
export interface Link {
  /** Whether it currently has a connection of its own. */
  connected: boolean
  /** When it was last heard, directly or through its parent gateway. */
  heardAt: number | null
  /** Seconds between two reports. */
  reportingInterval: number
  /** The times of dropped connections, in any order. */
  drops: readonly number[]
}

const day = 86_400_000
/** Drops within a day from which a connection is intermittent (device link). */
export const intermittentDrops = 4

/** The connection state of a device, as defined by the device link. */
export function connectionStatus(link: Link, now: number): ConnectionStatus {
  if (link.heardAt === null && !link.connected) return 'neverconnected'
  if (link.drops.filter((drop) => now - drop < day).length >= intermittentDrops) return 'intermittent'
  const heardInTime = link.heardAt !== null && now - link.heardAt <= 3 * link.reportingInterval * 1000
  return link.connected || heardInTime ? 'Connected' : 'NotConnected'
}

/** For displays with two states: Connected and intermittent are Online, the others Offline (core gaps A7). */
export function genericConnection(status: ConnectionStatus): 'Online' | 'Offline' {
  return status === 'Connected' || status === 'intermittent' ? 'Online' : 'Offline'
}
