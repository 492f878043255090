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
  /** Asks the database once for all who ask within a moment, or joins a question that is under way. Rejects when it cannot be reached. */
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

/** From a question until the next, in ms. */
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
  /** Devices that somebody waits for, until it is known whose they are. */
  const wanted = new Map<string, PromiseWithResolvers<DeviceRoute | null>>()
  let unasked: string[] = []
  let isGathering = false

  const remember = (deviceId: string, route: DeviceRoute | null) => {
    const before = cache.get(deviceId)?.route
    if (before && route) route.budget = before.budget
    if (before && route && before.version === route.version) route.heardAt = before.heardAt
    else if (before) onChange?.(deviceId)
    cache.delete(deviceId)
    cache.set(deviceId, { route, readAt: Date.now() })
    if (cache.size > limit) cache.delete(cache.keys().next().value!)
    // However it came to be known, no message overtakes those of its device that wait for it.
    wanted.get(deviceId)?.resolve(route)
    wanted.delete(deviceId)
  }

  const read = async (deviceIds: string[]) => {
    const { rows } = await sql<Omit<DeviceRoute, 'budget'>>`
      select device_id as "deviceId", tenant_id as tenant, parent_id as "parentId", key_hash as "keyHash",
        xmin::text as version, 0 as "heardAt"
      from device_route where device_id = any(${deviceIds}::uuid[]) ${prepared}`.execute(db)
    const found = new Map(rows.map((route) => [route.deviceId, { ...route, budget: {} }]))
    for (const deviceId of deviceIds) remember(deviceId, found.get(deviceId) ?? null)
  }

  const ask = async (deviceIds: string[]) => {
    try {
      await read(deviceIds)
    } catch (error) {
      for (const deviceId of deviceIds) {
        wanted.get(deviceId)?.reject(error)
        wanted.delete(deviceId)
      }
    }
  }

  /** Where many devices speak, one question is about many of them: a device that is wanted alone does not wait. */
  const gather = async () => {
    for (; unasked.length; await sleep(gathering)) {
      void ask(unasked)
      unasked = []
    }
    isGathering = false
  }

  return {
    known: (deviceId) => {
      const found = cache.get(deviceId)
      if (!found || Date.now() - found.readAt > (found.route ? maxAge : maxAgeUnknown)) return undefined
      return found.route
    },
    find: (deviceId) => {
      const known = wanted.get(deviceId)
      if (known) return known.promise
      const one = Promise.withResolvers<DeviceRoute | null>()
      wanted.set(deviceId, one)
      unasked.push(deviceId)
      if (!isGathering) setImmediate(() => void gather())
      isGathering = true
      return one.promise
    },
    budgetOf: (deviceId) => cache.get(deviceId)?.route?.budget,
    refresh: async (deviceIds) => {
      if (deviceIds.length) await read(deviceIds)
    },
  }
}
