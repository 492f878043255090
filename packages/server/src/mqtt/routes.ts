import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../postgres/pool.ts'
import { prepared } from '../postgres/prepared.ts'
import type { Budget } from './limits.ts'

/** Where a device belongs, as the device link needs to know it with each message. */
export interface DeviceRoute {
  deviceId: string
  tenant: string
  /** Who may speak for it besides itself. */
  parentId: string | null
  /** SHA-256 of its key; null when it only speaks through its parent. */
  keyHash: Buffer | null
  /** Changes with every change of the route; a device that was deleted and made anew has another one. */
  version: string
  /** When it was last written down that the device was heard, in ms since the epoch. */
  heardAt: number
  /** What it may still say. */
  budget: Budget
}

/** Whether a device that signed in may speak and listen for the device of a route: itself, or its parent in the same tenant. */
export function maySpeakFor(sender: DeviceRoute, { deviceId, parentId, tenant }: DeviceRoute): boolean {
  return sender.deviceId === deviceId || (sender.deviceId === parentId && sender.tenant === tenant)
}

export interface Routes {
  /** What is known without asking: the route, null for no such device, undefined when it must be asked for. */
  known(deviceId: string): DeviceRoute | null | undefined
  /** Asks the database once for all who ask at the same moment. Rejects when the database cannot be reached. */
  find(deviceId: string): Promise<DeviceRoute | null>
  /** What a device may still say, as far as it is remembered here. */
  budgetOf(deviceId: string): Budget | undefined
  /** Reads these routes anew, however young the known ones are. */
  refresh(deviceIds: string[]): Promise<void>
}

interface Options {
  /** How long a route counts without asking again, in ms: a revoked key or a moved device is noticed after that. */
  maxAge?: number
  /** The same for ids that no device has: a new device must not wait. */
  maxAgeUnknown?: number
  /** Devices remembered at most. */
  limit?: number
  /** The device is gone, moved, or changed. */
  onChange?(deviceId: string): void
}

/** From the answer to a question until the next may be asked, in ms. */
const gathering = 10

interface Known {
  route: DeviceRoute | null
  readAt: number
}

export function openRoutes(
  db: Db,
  { maxAge = 3000, maxAgeUnknown = 500, limit = 100_000, onChange }: Options = {},
): Routes {
  const cache = new Map<string, Known>()
  let waiting = new Map<string, PromiseWithResolvers<DeviceRoute | null>>()
  let isAsking = false

  const remember = (deviceId: string, route: DeviceRoute | null) => {
    const before = cache.get(deviceId)?.route
    if (before && route) route.budget = before.budget
    if (before && route && before.version === route.version) route.heardAt = before.heardAt
    else if (before) onChange?.(deviceId)
    cache.delete(deviceId)
    cache.set(deviceId, { route, readAt: Date.now() })
    if (cache.size > limit) cache.delete(cache.keys().next().value!)
  }

  const read = async (deviceIds: string[]) => {
    const { rows } = await sql<Omit<DeviceRoute, 'budget'>>`
      select device_id as "deviceId", tenant_id as tenant, parent_id as "parentId", key_hash as "keyHash",
        xmin::text as version, 0 as "heardAt"
      from device_route where device_id = any(${deviceIds}::uuid[]) ${prepared}`.execute(db)
    const found = new Map(rows.map((route) => [route.deviceId, { ...route, budget: {} }]))
    for (const deviceId of deviceIds) remember(deviceId, found.get(deviceId) ?? null)
    return found
  }

  /** Where many devices speak, one question is about many of them: a device that is wanted alone does not wait. */
  const ask = async () => {
    for (; waiting.size; await sleep(gathering)) {
      const asked = waiting
      waiting = new Map()
      try {
        const found = await read([...asked.keys()])
        for (const [deviceId, { resolve }] of asked) resolve(found.get(deviceId) ?? null)
      } catch (error) {
        for (const { reject } of asked.values()) reject(error)
      }
    }
    isAsking = false
  }

  return {
    known: (deviceId) => {
      const found = cache.get(deviceId)
      if (!found || Date.now() - found.readAt > (found.route ? maxAge : maxAgeUnknown)) return undefined
      return found.route
    },
    find: (deviceId) => {
      if (!isAsking) setImmediate(() => void ask())
      isAsking = true
      const asked = waiting.get(deviceId) ?? Promise.withResolvers<DeviceRoute | null>()
      waiting.set(deviceId, asked)
      return asked.promise
    },
    budgetOf: (deviceId) => cache.get(deviceId)?.route?.budget,
    refresh: async (deviceIds) => {
      if (deviceIds.length) await read(deviceIds)
    },
  }
}
