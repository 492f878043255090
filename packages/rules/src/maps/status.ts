import type { ConnectionStatus } from '../devices/connection.ts'
import { connectionStatuses } from '../devices/connection.ts'
import type { DeviceStatus, DisplayGroup } from '../devices/status.ts'
import { displayGroup, displayGroupNames, severityOf } from '../devices/status.ts'

/** The meaning of the colours of a map (estate specification, section 3). */
export const mapStatusFilters = ['device', 'connection'] as const
export type MapStatusFilter = (typeof mapStatusFilters)[number]

const connectionSeverity: Record<ConnectionStatus, number> = {
  NotConnected: 4,
  intermittent: 3,
  neverconnected: 2,
  Connected: 1,
}

/** Severity of a connection state, highest first. */
export const connectionSeverityOf = (status: ConnectionStatus): number => connectionSeverity[status]

/** Connection states, worst first. */
export const worstConnectionFirst = connectionStatuses.toSorted((a, b) => connectionSeverity[b] - connectionSeverity[a])

/** Groups of device status, worst first, with the severities of listings. */
export const worstGroupFirst = displayGroupNames.toSorted((a, b) => severityOfGroup(b) - severityOfGroup(a))

/** Severity of a group, highest first, as in listings. */
export function severityOfGroup(group: DisplayGroup): number {
  const examples: Record<DisplayGroup, DeviceStatus> = {
    ...{ Passed: 'Ok', Warning: 'Allocated', Failed: 'FailedEquipment' },
    ...{ FailedDevice: 'FailedDevice', NotInstalled: 'Inventory' },
  }
  return severityOf(examples[group])
}

/** Counts per group. A place without devices is not counted in any group. */
export interface MapCounts {
  device: Record<DisplayGroup, number>
  connection: Record<ConnectionStatus, number>
}

export const noCounts = (): MapCounts => ({
  device: { Passed: 0, Warning: 0, NotInstalled: 0, Failed: 0, FailedDevice: 0 },
  connection: { Connected: 0, NotConnected: 0, intermittent: 0, neverconnected: 0 },
})

/** Adds devices of a status and connection state; a status without a group counts as not installed. */
export function count(
  counts: MapCounts,
  status: string | null,
  connection: ConnectionStatus | null,
  more: number,
): void {
  if (status !== null) counts.device[displayGroup(status) ?? 'NotInstalled'] += more
  if (connection !== null) counts.connection[connection] += more
}

/** The status of a cluster: the worst of its members (devices specification, section 4); undefined if none has one. */
export const worstGroup = ({ device }: MapCounts): DisplayGroup | undefined =>
  worstGroupFirst.find((group) => device[group] > 0)

export const worstConnection = ({ connection }: MapCounts): ConnectionStatus | undefined =>
  worstConnectionFirst.find((state) => connection[state] > 0)
