import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type pg from 'pg'
import type { ChangeEvent } from '@caretaker/contract/changes.ts'
import type { Change } from '@caretaker/rules/changes/changes.ts'
import { changeSubjects, detailSubjects, merged, eventFor } from '@caretaker/rules/changes/changes.ts'
import type { DeviceSubject } from '@caretaker/rules/devices/rights.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { rightsOf } from '@caretaker/rules/identity/actor.ts'
import { actorsOf, openSessions } from '../../http/access.ts'
import type { Bulletin } from '../../postgres/bulletin.ts'
import { openBulletin } from '../../postgres/bulletin.ts'
import { uuids } from '../../postgres/each.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { outsideTransaction } from '../../postgres/scope.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { somethingChanged } from '../../changes/changed.ts'
import type { Feed, Found, Moment, Scope, Seen } from '../../changes/feed.ts'
import { positionOf } from '../../changes/feed.ts'

/** A listener to the changes of a tenant. */
export interface Listener {
  actor: Actor
  /** While a manager views the client as another member, finds that member, whose rights apply. */
  viewed?: (tx: TenantTx) => Promise<{ actor: Actor } | undefined>
  /** The session of its token, if the token names one. */
  session: string | undefined
  /** The devices that an open page shows. */
  devices: readonly string[]
  send(position: string, event: ChangeEvent): void
  /** Ends the stream: the user is no longer a member or has signed out, the key is invalid, or the process stops. */
  end(): void
}

/** The listeners of this process. */
export interface Streams {
  /**
   * Adds a listener, starting after what it has seen; returns the function that removes it. Rejects while the database
   * is unavailable.
   */
  join(listener: Listener, seen: Seen): Promise<() => void>
  /** How long an announced change has been waiting, in seconds; 0 if none is. */
  lag(): number
  stop(): Promise<void>
}

interface Options {
  db: Db
  /** The pool for the connection that receives announcements. */
  owner: pg.Pool
  feed: Feed
  log: FastifyBaseLogger
  /** Minimum time between reads of a tenant's feed, in ms. */
  every?: number
  /** Interval of keep-alives and membership checks, in ms. */
  beat?: number
}

interface Room {
  tenant: string
  listeners: Set<Listener>
  /** New listeners since the last read of the feed, with what they have seen. */
  newcomers: Map<Listener, Seen>
  /** The position up to which the feed was read. */
  read: Moment | undefined
  /** The feed may have new changes; or a keep-alive is due. */
  woken: boolean
  /** Since when it has been pending, or is being read. */
  wokenAt: number | undefined
  beating: boolean
  busy: boolean
}

const overview: Scope = { subjects: changeSubjects.filter((subject) => !detailSubjects.includes(subject)) }
/** Changes to these subjects may affect rights. */
const concernsRights = new Set<string>(['user', 'client', 'api key'])
const nothing: ChangeEvent = { everything: false, changes: [] }
const all: ChangeEvent = { everything: true, changes: [] }

/**
 * Sends changes to open pages. The feed of a tenant is read once for all its listeners, as soon as something is
 * announced and then at most every `every` ms; what each receives depends on its current rights.
 */
export function openStreams({ db, owner, feed, log, every = 150, beat = 20_000 }: Options): Streams {
  const rooms = new Map<string, Room>()
  let bulletin: Promise<Bulletin> | undefined
  let stopped = false

  const listen = () =>
    openBulletin({
      pool: owner,
      name: 'caretaker-changes',
      channels: [somethingChanged],
      onNotification: (tenant) => void wake(rooms.get(tenant)),
      onOpen: () => rooms.forEach((room) => void wake(room)),
    })

  const wake = async (room: Room | undefined) => {
    if (!room) return
    room.woken = true
    room.wokenAt ??= performance.now()
    if (room.busy) return
    room.busy = true
    while (room.woken && !stopped && rooms.get(room.tenant) === room) {
      room.woken = false
      try {
        await inTenant(db, room.tenant, (tx) => read(tx, room))
        room.wokenAt = room.woken ? performance.now() : undefined
        await sleep(every, undefined, { ref: false })
      } catch (error) {
        log.warn({ err: error }, 'the change feed could not be read')
        room.woken = true
        await sleep(1000, undefined, { ref: false })
      }
    }
    room.busy = false
  }

  const read = async (tx: TenantTx, room: Room) => {
    const { beating } = room
    room.beating = false
    const newcomers = [...room.newcomers]
    const of = [...new Set([...room.listeners].flatMap(({ devices }) => devices))]
    const found = room.read && (await feed.since(tx, { position: positionOf(room.read) }, scopeOf(of)))
    const fresh = found?.rows ?? []
    // Before the newcomers read: a change committed meanwhile may reach them twice, but is never lost.
    const now = found?.now ?? (await feed.now(tx))
    const missed: [Listener, Found][] = []
    for (const [listener, seen] of newcomers)
      missed.push([listener, await feed.since(tx, seen, scopeOf(listener.devices))])
    const asked = beating || found?.everything || fresh.some(({ subject }) => concernsRights.has(subject))
    const changedRights = await refresh(tx, [...(asked ? room.listeners : []), ...newcomers.map(([one]) => one)])
    const deviceOf = await devicesIn(tx, [fresh, ...missed.map(([, { rows }]) => rows)].flat())

    const changesFor = changesForListener(fresh, deviceOf)
    for (const listener of room.listeners) {
      const rights = changedRights.get(listener)
      if (rights === 'none') listener.end()
      else if (rights === 'others' || found?.everything) listener.send(positionOf(now), all)
      else {
        const event = changesFor(listener)
        if (event.changes.length || beating) listener.send(positionOf(now), event)
      }
    }
    for (const [listener, { rows, everything, now: since }] of missed) {
      // They may have disconnected meanwhile.
      if (!room.newcomers.delete(listener)) continue
      if (changedRights.get(listener) === 'none') {
        listener.end()
        continue
      }
      room.listeners.add(listener)
      listener.send(positionOf(since), everything ? all : changesForListener(rows, deviceOf)(listener))
    }
    room.read = now
  }

  const beats = setInterval(() => {
    for (const room of rooms.values()) {
      room.beating = true
      void wake(room)
    }
  }, beat)
  beats.unref()

  return {
    join: async (listener, seen) => {
      // The connection for announcements is opened with the first listener.
      bulletin ??= outsideTransaction(listen)
      await bulletin.catch((error: unknown) => {
        bulletin = undefined
        throw error
      })
      const { tenant } = listener.actor
      const room = rooms.get(tenant) ?? emptyRoom(tenant)
      rooms.set(tenant, room)
      room.newcomers.set(listener, seen)
      // Outside the caller's transaction, because waking serves all listeners.
      outsideTransaction(() => void wake(room))
      return () => {
        room.newcomers.delete(listener)
        room.listeners.delete(listener)
        if (!room.listeners.size && !room.newcomers.size && rooms.get(tenant) === room) rooms.delete(tenant)
      }
    },
    lag: () => {
      const since = [...rooms.values()].flatMap(({ wokenAt }) => wokenAt ?? [])
      return since.length ? (performance.now() - Math.min(...since)) / 1000 : 0
    },
    stop: async () => {
      stopped = true
      clearInterval(beats)
      for (const { listeners, newcomers } of rooms.values())
        for (const listener of [...listeners, ...newcomers.keys()]) listener.end()
      await (await bulletin)?.stop()
    },
  }
}

const emptyRoom = (tenant: string): Room => ({
  tenant,
  listeners: new Set(),
  newcomers: new Map(),
  read: undefined,
  woken: false,
  wokenAt: undefined,
  beating: false,
  busy: false,
})

const scopeOf = (devices: readonly string[]): Scope => ({
  ...overview,
  details: { subjects: detailSubjects, of: devices },
})

/** Loads the current rights of these listeners; returns those without access, and those whose rights have changed. */
async function refresh(tx: TenantTx, listeners: readonly Listener[]): Promise<Map<Listener, 'none' | 'others'>> {
  const found = new Map<Listener, 'none' | 'others'>()
  if (!listeners.length) return found
  const actors = await actorsOf(tx, [...new Set(listeners.map(({ actor }) => actor.userId))])
  const open = await openSessions(tx, [...new Set(listeners.flatMap(({ session }) => session ?? []))])
  for (const listener of listeners) {
    const isOpen = listener.session === undefined || open.has(listener.session)
    const present = async () =>
      listener.viewed ? (await listener.viewed(tx))?.actor : actors.get(listener.actor.userId)
    const actor = isOpen ? await present() : undefined
    if (!actor) found.set(listener, 'none')
    else if (rightsOf(actor) !== rightsOf(listener.actor)) found.set(listener, 'others')
    if (actor) listener.actor = actor
  }
  return found
}

/** The devices named in changes, as far as permission checks need them. */
async function devicesIn(tx: TenantTx, changes: readonly Change[]): Promise<(id: string) => DeviceSubject | undefined> {
  const isOfDevices = ({ subject }: Change) => subject.startsWith('device')
  const ids = new Set(changes.filter(isOfDevices).flatMap((change) => change.ids ?? []))
  if (!ids.size) return () => undefined
  const rows = await tx
    .selectFrom('device')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${uuids([...ids])}::uuid[])`)
    .select(['id', 'product', 'status', 'in_wholesale', 'access_rights_tag_id'])
    .execute()
  const devices = new Map(
    rows.map(({ id, product, status, in_wholesale: inWholesale, access_rights_tag_id: tag }) => [
      id,
      { product, status, inWholesale, accessRightsTags: tag ? [tag] : [] },
    ]),
  )
  return (id) => devices.get(id)
}

/** Words these changes for each listener, only once for listeners with the same rights. */
function changesForListener(changes: readonly Change[], deviceOf: (id: string) => DeviceSubject | undefined) {
  const once = merged(changes)
  const personal = once.some(({ audience }) => audience)
  const worded = new Map<string, ChangeEvent>()
  return ({ actor, devices }: Listener): ChangeEvent => {
    if (!once.length) return nothing
    const key = `${personal ? actor.memberId : rightsOf(actor)} ${devices.join()}`
    const known = worded.get(key)
    if (known) return known
    const visible = once.flatMap((change) => {
      const isDetail = detailSubjects.includes(change.subject)
      if (!isDetail) return eventFor(actor, change, deviceOf) ?? []
      const ids = change.ids ? devices.filter((id) => change.ids!.includes(id)) : devices
      return eventFor(actor, { ...change, ids }, deviceOf) ?? []
    })
    const event = { everything: false, changes: visible }
    worded.set(key, event)
    return event
  }
}
