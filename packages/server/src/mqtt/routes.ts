import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Admission } from '@caretaker/rules/devices/keys.ts'
import { admissionRefusal } from '@caretaker/rules/devices/keys.ts'
import type { BadMessageReason } from '@caretaker/rules/devices/messages.ts'
import type { Db } from '../postgres/pool.ts'
import { prepared } from '../postgres/prepared.ts'
import type { Budget } from './limits.ts'

/** Where a device belongs, as needed for each of its messages. */
export interface DeviceRoute {
  deviceId: string
  tenant: string
  /** The gateway that may also publish for the device. */
  parentId: string | null
  /** SHA-256 of its key; null if it is only connected through its gateway. */
  keyHash: Buffer | null
  /** Why all its messages are rejected; undefined if the device is admitted. */
  refusal: BadMessageReason | undefined
  /** Whether its tenant keeps unknown metrics as extra series. */
  keepsUnknown: boolean
  /** Differs after every change to the route; a device that was deleted and created again gets another one. */
  version: string
  /** When the last contact was recorded, in ms of `performance.now()`. */
  heardAt: number
  /** The remaining limits. */
  budget: Budget
}

/** Whether a signed-in device may publish and subscribe for a route's device: itself, or a child in the same tenant. */
export function mayPublishFor(sender: DeviceRoute, route: DeviceRoute): boolean {
  return sender.deviceId === route.deviceId || isGatewayOf(sender, route)
}

/** Whether a device is the gateway of a route's device. */
export function isGatewayOf(sender: DeviceRoute, { parentId, tenant }: DeviceRoute): boolean {
  return sender.deviceId === parentId && sender.tenant === tenant
}

/** Whether a signed-in device may receive the commands for a route's device. */
export function mayReceiveFor(receiver: DeviceRoute, route: DeviceRoute): boolean {
  return !route.refusal && mayPublishFor(receiver, route)
}

export interface Routes {
  /** The cached route; null if there is no such device, undefined if it must be looked up. */
  known(deviceId: string): DeviceRoute | null | undefined
  /** Looks up a route, in one query with concurrent callers. Rejects if the database is unreachable. */
  find(deviceId: string): Promise<DeviceRoute | null>
  /** The remaining limits of a device, if cached. */
  budgetOf(deviceId: string): Budget | undefined
  /** Reads these routes again regardless of their age; unknown devices are left out. */
  refresh(deviceIds: string[]): Promise<ReadonlyMap<string, DeviceRoute>>
  /** Invalidates the routes of these devices and of those connected through them. */
  expire(deviceIds: readonly string[]): void
}

interface Options {
  /** How long a route is cached, in ms: the delay after which a revoked key or moved device is noticed. */
  maxAge?: number
  /** The same for unknown ids, in ms, because a new device must not wait. */
  maxAgeUnknown?: number
  /** The maximum number of cached devices. */
  limit?: number
  /** Called when a device was deleted, moved or changed. */
  onChange?(deviceId: string): void
}

/** The delay from one query to the next, in ms. */
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
  /** Devices being looked up, with their callers' promise. */
  const wanted = new Map<string, PromiseWithResolvers<DeviceRoute | null>>()
  let unasked: string[] = []
  let isGathering = false
  /** For each running query, the devices whose routes have changed since it started: its result may be outdated. */
  const underWay = new Set<Set<string>>()

  const remember = (deviceId: string, route: DeviceRoute | null, readAt: number) => {
    const before = cache.get(deviceId)?.route
    if (before && route) route.budget = before.budget
    if (before && route && before.version === route.version) route.heardAt = before.heardAt
    else if (before) onChange?.(deviceId)
    cache.delete(deviceId)
    cache.set(deviceId, { route, readAt })
    if (cache.size > limit) cache.delete(cache.keys().next().value!)
    // However the route became known, a message does not overtake earlier ones of its device.
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

  /** Under load one query covers many devices; a single lookup does not wait. */
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
