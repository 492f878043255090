import type { DeviceRoute, Routes } from './routes.ts'
import { mayReceiveFor } from './routes.ts'
import { deviceIdShape } from './sign-in.ts'

const filters = ['commands', '+', '#']

/** The device whose commands a topic filter selects; undefined for other filters. */
export function deviceOfFilter(filter: string): string | undefined {
  const [root, deviceId, last, ...more] = filter.split('/')
  if (root !== 'devices' || more.length || !deviceIdShape.test(deviceId ?? '')) return undefined
  return filters.includes(last ?? '') ? deviceId : undefined
}

export async function maySubscribe(routes: Routes, own: DeviceRoute, deviceId: string): Promise<boolean> {
  const route = routes.known(deviceId) ?? (await routes.find(deviceId))
  return !!route && mayReceiveFor(own, route)
}

/** Which devices have a subscriber for their commands, over their own connection or their gateway's. */
export interface Subscriptions {
  /** Adds a filter to those of a connection; returns the device that it newly selects. */
  add(filters: Set<string>, filter: string): string | undefined
  remove(filters: Set<string>, filter: string): void
  deviceIds(): string[]
  has(deviceId: string): boolean
}

export function openSubscriptions(): Subscriptions {
  const counts = new Map<string, number>()
  return {
    add: (filters, filter) => {
      const deviceId = deviceOfFilter(filter)
      if (!deviceId || filters.has(filter)) return undefined
      filters.add(filter)
      counts.set(deviceId, (counts.get(deviceId) ?? 0) + 1)
      return deviceId
    },
    remove: (filters, filter) => {
      const deviceId = deviceOfFilter(filter)
      if (!deviceId || !filters.delete(filter)) return
      const left = counts.get(deviceId)! - 1
      if (left) counts.set(deviceId, left)
      else counts.delete(deviceId)
    },
    deviceIds: () => [...counts.keys()],
    has: (deviceId) => counts.has(deviceId),
  }
}
