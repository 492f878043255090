import { setTimeout as sleep } from 'node:timers/promises'
import { metrics as openTelemetry, SpanKind } from '@opentelemetry/api'
import { openAnnouncer } from '../changes/announce.ts'
import type { Context } from '../context.ts'
import type { Sharing } from '../limits/sharing.ts'
import { openSharing } from '../limits/sharing.ts'
import { receive } from './admit.ts'
import { openBatch } from './batch.ts'
import type { Held } from './held.ts'
import { holdAtMost, memoryOf } from './held.ts'
import type { Delivery, IntakeState } from './intake-state.ts'
import { laneCount } from './intake-state.ts'
import type { Limits } from './limits.ts'
import { hour } from './limits.ts'
import type { LinkMetrics } from './metrics.ts'
import { watchWaiting } from './metrics.ts'
import { badMessageAllowance, nameParts } from './reject.ts'
import type { Routes } from './routes.ts'
import { openRoutes } from './routes.ts'
import { acknowledgeStored, handleUnstored, rowsOf } from './outcomes.ts'
import type { LinkEvent, DeviceContact, Pending, Rejected, Reported } from './store.ts'
import { openStore } from './store.ts'
import { openTally } from './tally.ts'
import { traced } from '../tracing/traced.ts'

/** The Postgres channel on which processes announce how much devices have sent. */
export const messagesTaken = 'messages_taken'

/** The entry point of all device messages: they are parsed, authorised and stored in batches. */
export interface Intake {
  routes: Routes
  /** The device limits, to be shared with other ingest processes. */
  sharing: Sharing<keyof Limits>
  /** Accepts a message; `done` is called once it is stored or rejected. */
  take(message: Delivery, done: () => void): void
  /** Whether more may be read from senders; if not, `readOn` is called once there is room again. */
  hasRoom: Held['hasRoom']
  /** Records a connection event of a device. */
  link(device: { deviceId: string; tenant: string }, event: LinkEvent): void
  /** Messages accepted but not yet stored or rejected. */
  waiting(): number
  /** Stores the accepted messages. Resolves with false after `patience` ms, and nothing is retried then. */
  drain(patience: number): Promise<boolean>
}

/**
 * A message passes through `admit.ts` (route, authorisation, parsing), a batch, and `outcomes.ts` (stored, or retried
 * elsewhere); `reject.ts` can end it at any step. The steps share one state.
 */
export function openIntake({ config, db, log, metrics: registry }: Context, metrics: LinkMetrics): Intake {
  const processing = openTelemetry.getMeter('caretaker').createHistogram('messaging.process.duration', {
    unit: 's',
    description: 'Duration of storing a batch of messages.',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] },
  })
  const announcer = openAnnouncer(db, log)
  const store = openStore(db, {
    announce: announcer.announce,
    setAside: (found) => {
      for (const { faults, ...origin } of found) nameParts(state, { ...origin, channel: 'telemetry' }, faults)
    },
  })
  const timed =
    <T>(write: (items: T[]) => Promise<T[]>) =>
    async (items: T[]) => {
      const end = metrics.writing.startTimer()
      const returned = await traced('process devices', SpanKind.CONSUMER, batchOf(items), () => write(items))
      processing.record(end(), { 'messaging.system': 'mqtt', 'messaging.operation.name': 'process' })
      return returned
    }
  const lane = () =>
    openBatch<Pending<'telemetry'>>({
      write: timed(store.telemetry),
      stored: (items) => acknowledgeStored(state, items),
      refused: (item, error) => handleUnstored(state, item, error),
      weight: ({ message }) => rowsOf(message.payload),
      log,
    })
  const routes = openRoutes(db, { onChange: store.forget })
  const limits = config.deviceLimits
  const state: IntakeState = {
    log,
    metrics,
    routes,
    limits,
    sharing: openSharing({ channel: messagesTaken, limits, over: hour, find: routes.budgetOf }),
    held: holdAtMost(config.intakeBytes),
    mayKeep: badMessageAllowance(),
    lanes: Array.from({ length: laneCount }, lane),
    reports: openBatch<Reported | Rejected>({
      write: timed(store.reports),
      stored: (items) => acknowledgeStored(state, items),
      refused: (item, error) => (item.channel === 'bad' ? item.done() : handleUnstored(state, item, error)),
      log,
    }),
    // Each active device is recorded once a second, so many are written at once.
    links: openBatch<DeviceContact>({
      write: store.links,
      stored: () => {},
      refused: ({ deviceId }, err) => log.error({ err, deviceId }, 'the connection of a device could not be stored'),
      wait: 250,
      log,
    }),
    tally: openTally({ write: store.refusals, log }),
    lookingUp: 0,
    stopped: false,
  }
  const batches = [...state.lanes, state.reports, state.links]
  const waiting = () => state.lookingUp + batches.reduce((sum, batch) => sum + batch.size(), 0)
  const left = () => waiting() + state.tally.size()
  watchWaiting(registry, { messages: waiting, bytes: state.held.bytes, oldest: state.held.oldest })

  return {
    routes,
    sharing: state.sharing,
    take: (message, done) => {
      const release = state.held.take(memoryOf(message.payload))
      receive(state, message, () => {
        done()
        release()
      })
    },
    hasRoom: state.held.hasRoom,
    link: ({ deviceId, tenant }, event) => state.links.add({ deviceId, tenant, at: Date.now(), event }),
    waiting,
    drain: async (patience) => {
      const end = performance.now() + patience
      state.stopped = true
      // Items that one batch cannot store move to another: repeat until none are left.
      while (left() > 0) {
        if (performance.now() > end) return false
        for (const batch of batches) await batch.drain(Math.max(1, end - performance.now()))
        await state.tally.drain()
        if (left()) await sleep(10)
      }
      await announcer.whenIdle()
      return true
    },
  }
}

/** Trace attributes of a batch, following the OpenTelemetry messaging conventions. */
const batchOf = ({ length }: readonly unknown[]) => ({
  'messaging.system': 'mqtt',
  'messaging.destination.name': 'devices',
  'messaging.operation.type': 'process',
  'messaging.operation.name': 'process',
  'messaging.batch.message_count': length,
})
