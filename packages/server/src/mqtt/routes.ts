import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Admission } from '@caretaker/rules/devices/keys.ts'
import { admissionRefusal } from '@caretaker/rules/devices/keys.ts'
import type { BadMessageReason } from '@caretaker/rules/devices/messages.ts'
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
  /** Why nothing of it is taken, whichever way it arrives; undefined when the device is admitted. */
  refusal: BadMessageReason | undefined
  /** Whether its client keeps metrics that nobody knows as extra series. */
  keepsUnknown: boolean
  /** Changes with every change of the route; a device that was deleted and made anew has another one. */
  version: string
  /** When it was last written down that the device was heard, in ms of `performance.now()`. */
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
  /** Reads these routes anew, however young the known ones are; devices that do not exist are left out. */
  refresh(deviceIds: string[]): Promise<ReadonlyMap<string, DeviceRoute>>
  /** The routes of these devices have changed: they, and those of devices connected through them, are read before they count again. */
  expire(deviceIds: readonly string[]): void
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
  /** For each question under way the devices whose routes have changed since it was asked: what it reads of them may be old. */
  const underWay = new Set<Set<string>>()

  const remember = (deviceId: string, route: DeviceRoute | null, readAt: number) => {
    const before = cache.get(deviceId)?.route
    if (before && route) route.budget = before.budget
    if (before && route && before.version === route.version) route.heardAt = before.heardAt
    else if (before) onChange?.(deviceId)
    cache.delete(deviceId)
    cache.set(deviceId, { route, readAt })
    if (cache.size > limit) cache.delete(cache.keys().next().value!)
    // However it came to be known, no message overtakes those of its device that wait for it.
    wanted.get(deviceId)?.resolve(route)
    wanted.delete(deviceId)
  }

  const read = async (deviceIds: string[]) => {
    const asked = performance.now()
    const changed = new Set<string>()
    underWay.add(changed)
    const rows = await readRows(deviceIds).finally(() => underWay.delete(changed))
    const found = new Map(rows.map((route) => [route.deviceId, route]))
    for (const deviceId of deviceIds) {
      const route = found.get(deviceId) ?? null
      const isOld = changed.has(deviceId) || changed.has(route?.parentId ?? '')
      remember(deviceId, route, isOld ? -Infinity : asked)
    }
    return found
  }

  const readRows = async (deviceIds: string[]): Promise<DeviceRoute[]> => {
    const { rows } = await sql<Omit<DeviceRoute, 'budget' | 'heardAt' | 'refusal'> & Omit<Admission, 'hasKey'>>`
      select route.device_id as "deviceId", route.tenant_id as tenant, route.parent_id as "parentId",
        route.key_hash as "keyHash", route.xmin::text as version,
        route.uninstalled_at is not null as "isUninstalled", route.key_revoked_at is not null as "isRevoked",
        parent.uninstalled_at is not null or parent.key_revoked_at is not null as "isGatewayRefused",
        coalesce((tenant.settings ->> 'keepsUnknownMetrics')::boolean, false) as "keepsUnknown"
      from device_route as route join tenant on tenant.id = route.tenant_id
      left join device_route as parent on parent.device_id = route.parent_id and parent.tenant_id = route.tenant_id
      where route.device_id = any(${deviceIds}::uuid[]) ${prepared}`.execute(db)
    return rows.map(({ isUninstalled, isRevoked, isGatewayRefused, ...route }) => ({
      ...route,
      refusal: admissionRefusal({ hasKey: route.keyHash !== null, isUninstalled, isRevoked, isGatewayRefused }),
      heardAt: -Infinity,
      budget: {},
    }))
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
      if (!found || performance.now() - found.readAt > (found.route ? maxAge : maxAgeUnknown)) return undefined
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
    refresh: async (deviceIds) => (deviceIds.length ? read(deviceIds) : new Map()),
    expire: (deviceIds) => {
      for (const changed of underWay) for (const deviceId of deviceIds) changed.add(deviceId)
      const ids = new Set(deviceIds)
      for (const [deviceId, known] of cache)
        if (ids.has(deviceId) || ids.has(known.route?.parentId ?? '')) known.readAt = -Infinity
    },
  }
}
