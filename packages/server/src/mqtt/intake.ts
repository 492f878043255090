import { setTimeout as sleep } from 'node:timers/promises'
import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import { parseTopic } from '@caretaker/contract/mqtt/topics.ts'
import type { Context } from '../context.ts'
import { badMessage } from './bad-messages.ts'
import { openBatch } from './batch.ts'
import type { Fault, Payloads } from './door.ts'
import { openPayload, wrongShape } from './door.ts'
import type { LinkMetrics } from './metrics.ts'
import { watchWaiting } from './metrics.ts'
import type { DeviceRoute, Routes } from './routes.ts'
import { openRoutes } from './routes.ts'
import type { LinkEvent, LinkNews, Reported, SetAside, Told } from './store.ts'
import { openStore } from './store.ts'

/** A message as it arrives, before anything of it is known to be true. */
export interface Delivered {
  topic: string
  payload: Buffer
  /** The device that signed in and sent it; undefined when a broker has already let it in. */
  speaker?: DeviceRoute
}

/** Whether a device that signed in may speak and listen for the device of a route: itself, or its parent in the same tenant. */
export function maySpeakFor(speaker: DeviceRoute, { deviceId, parentId, tenant }: DeviceRoute): boolean {
  return speaker.deviceId === deviceId || (speaker.deviceId === parentId && speaker.tenant === tenant)
}

/** Where all messages of devices come in: parsed, allowed or not, and stored in batches. */
export interface Intake {
  routes: Routes
  /** Takes a message; `done` is called once it is stored for good, or set aside. */
  take(message: Delivered, done: () => void): void
  /** What became of a connection of a device's own. */
  link(device: { deviceId: string; tenant: string }, event: LinkEvent): void
  /** Messages taken and not yet done. */
  waiting(): number
  /** Stores what was taken; false when it takes longer than `patience` ms, and then nothing more is tried. */
  drain(patience: number): Promise<boolean>
}

/** A device is noted as heard at most this often, in ms. */
const heardEvery = 1000
/** How long a client waits for each bad message that is not even kept, in ms. */
const rubbishPause = 100

/** Why a feature returns a message of a channel. */
const homeless: Record<UpChannel, Fault> = {
  telemetry: { reason: 'unknown device', detail: '' },
  state: wrongShape('too much state'),
  events: { reason: 'unknown device', detail: '' },
  tests: { reason: 'not allowed', detail: 'no emergency light, or a test of another one' },
  replies: { reason: 'not allowed', detail: 'no command of this device' },
}

export function openIntake({ db, log, metrics: registry }: Context, metrics: LinkMetrics): Intake {
  const store = openStore(db)
  const routes = openRoutes(db, { onChange: store.forget })
  const mayKeep = badMessageAllowance()
  let asking = 0
  let stopped = false

  const timed =
    <T>(write: (items: T[]) => Promise<T[]>) =>
    async (items: T[]) => {
      const end = metrics.writing.startTimer()
      const returned = await write(items)
      end()
      return returned
    }

  const settled = (items: (Reported | SetAside | Told<'telemetry'>)[]) => {
    const counts = new Map<UpChannel, number>()
    for (const { channel, done } of items) {
      if (channel !== 'bad') counts.set(channel, (counts.get(channel) ?? 0) + 1)
      done()
    }
    for (const [channel, count] of counts) metrics.stored.inc({ channel }, count)
  }

  const setAside = (from: Whence, fault: Fault) => {
    metrics.bad.inc({ reason: fault.reason })
    const { device, channel, payload, speaker, done } = from
    if (device && mayKeep(device.deviceId)) {
      const message = badMessage(device.deviceId, channel, payload, new Date(), fault)
      reports.add({ channel: 'bad', tenant: device.tenant, message, done })
      // A client that sends rubbish gets its next turn later; a broker's messages are of all devices.
    } else setTimeout(done, speaker ? rubbishPause : 0)
  }

  const refused = (told: Reported | Told<'telemetry'>, error?: unknown) => {
    if (error) {
      log.error({ channel: told.channel, code: (error as { code?: string }).code }, 'a message could not be stored')
      return giveUp(told, wrongShape('could not be stored'))
    }
    // The device may have moved to another tenant since its route was read.
    whenKnown(told.message.deviceId, (route) => {
      if (!route || route.tenant === told.tenant) return giveUp(told, homeless[told.channel])
      accept(route, told.channel, { topic: '', payload: told.raw }, told.done)
    })
  }
  const giveUp = ({ channel, message, tenant, raw: payload, done }: Reported | Told<'telemetry'>, fault: Fault) =>
    setAside({ device: { deviceId: message.deviceId, tenant }, channel, payload, done }, fault)

  // Two lanes, each with devices of its own: no batch waits for rows of the other.
  const lanes = [0, 1].map(() =>
    openBatch<Told<'telemetry'>>({
      write: timed(store.telemetry),
      settled,
      refused,
      weight: ({ message }) => rowsOf(message.payload),
      log,
    }),
  )
  const reports = openBatch<Reported | SetAside>({
    write: timed(store.reports),
    settled,
    refused: (item, error) => (item.channel === 'bad' ? item.done() : refused(item, error)),
    log,
  })
  const links = openBatch<LinkNews>({ write: store.links, settled: () => {}, refused: () => {}, log })
  const batches = [...lanes, reports, links]

  const accept = (route: DeviceRoute, channel: UpChannel, { payload: raw, speaker }: Delivered, done: () => void) => {
    const { deviceId, tenant } = route
    const now = Date.now()
    if (now - route.heardAt >= heardEvery) {
      route.heardAt = now
      links.add({ deviceId, tenant, at: now })
    }
    const { payload, fault } = openPayload(channel, raw, now)
    if (fault) setAside({ device: route, channel, payload: raw, speaker, done: payload ? () => {} : done }, fault)
    if (!payload) return
    const told = { channel, tenant, message: { deviceId, tenant, payload, receivedAt: new Date(now) }, raw, done }
    if (channel === 'telemetry') laneOf(deviceId).add(told as Told<'telemetry'>)
    else reports.add(told as Reported)
  }
  const laneOf = (deviceId: string) => lanes[deviceId.charCodeAt(deviceId.length - 1) & 1]!

  /** Kept for the one who sent it: whether others exist is none of its business. */
  const turnAway = ({ speaker, topic, payload }: Delivered, reason: Fault['reason'], done: () => void) => {
    setAside({ device: speaker, channel: topic, payload, speaker, done }, { reason, detail: '' })
  }

  const decide = (route: DeviceRoute | null, channel: UpChannel, message: Delivered, done: () => void) => {
    if (!route) turnAway(message, 'unknown device', done)
    else if (!message.speaker || maySpeakFor(message.speaker, route)) accept(route, channel, message, done)
    else turnAway(message, 'not allowed', done)
  }

  /** Asks for the route; while the database is away nothing can be decided, and the message waits. */
  const whenKnown = (deviceId: string, decide: (route: DeviceRoute | null) => void) => {
    asking++
    void ask(deviceId).then((route) => {
      asking--
      decide(route)
    })
  }
  const ask = async (deviceId: string): Promise<DeviceRoute | null> => {
    for (;;) {
      try {
        return await routes.find(deviceId)
      } catch {
        if (stopped) return new Promise(() => {})
        await sleep(500)
      }
    }
  }

  const waiting = () => asking + batches.reduce((sum, batch) => sum + batch.size(), 0)
  watchWaiting(registry, waiting)

  return {
    routes,
    take: (message, done) => {
      const found = parseTopic(message.topic)
      if (!found || found.channel === 'commands') return turnAway(message, 'not allowed', done)
      const { deviceId, channel } = found
      const route = routes.known(deviceId)
      if (route !== undefined) return decide(route, channel, message, done)
      whenKnown(deviceId, (asked) => decide(asked, channel, message, done))
    },
    link: ({ deviceId, tenant }, event) => links.add({ deviceId, tenant, at: Date.now(), event }),
    waiting,
    drain: async (patience) => {
      const end = Date.now() + patience
      stopped = true
      // What one batch cannot store moves on to another: until nothing is left.
      while (waiting() > 0) {
        if (Date.now() > end) return false
        for (const batch of batches) await batch.drain(Math.max(1, end - Date.now()))
        if (asking) await sleep(10)
      }
      return true
    },
  }
}

/** Whence a message that is set aside came. */
interface Whence {
  /** On whose page it is shown; undefined when nobody could read it. */
  device: { deviceId: string; tenant: string } | undefined
  channel: string
  payload: Buffer
  speaker?: DeviceRoute
  done(): void
}

function rowsOf(readings: Payloads['telemetry']): number {
  let rows = 0
  for (const { values } of readings) for (const _ in values) rows++
  return rows
}

/** Of one device so many bad messages a minute are kept, the others are only counted: it must not fill the table. */
const keptPerMinute = 30

function badMessageAllowance(): (deviceId: string) => boolean {
  let minute = 0
  let counts = new Map<string, number>()
  return (deviceId) => {
    const now = Math.floor(Date.now() / 60_000)
    if (now !== minute) [minute, counts] = [now, new Map()]
    const count = (counts.get(deviceId) ?? 0) + 1
    counts.set(deviceId, count)
    return count <= keptPerMinute
  }
}
