import type { FastifyBaseLogger } from 'fastify'
import type { Sharing } from '../limits/sharing.ts'
import type { Batch } from './batch.ts'
import type { Held } from './held.ts'
import type { Limits } from './limits.ts'
import type { LinkMetrics } from './metrics.ts'
import type { DeviceRoute, Routes } from './routes.ts'
import type { DeviceContact, Pending, Rejected, Reported } from './store.ts'
import type { Tally } from './tally.ts'

/** Telemetry is stored in lanes with separate devices, so that no batch waits for a row lock of another. */
export const laneCount = 2

/** A message on arrival, before validation. */
export interface Delivery {
  topic: string
  payload: Buffer
  /** The signed-in device that sent it; undefined if a broker has authorised it. */
  sender?: DeviceRoute
}

/** The state shared by the steps of the intake. */
export interface IntakeState {
  log: FastifyBaseLogger
  metrics: LinkMetrics
  routes: Routes
  /** Limits per device. */
  limits: Limits
  /** Shares the limits among several processes. */
  sharing: Sharing<keyof Limits>
  /** Memory of unprocessed messages. */
  held: Held
  /** Whether another bad message of a device may be kept. */
  mayKeep(deviceId: string): boolean
  lanes: Batch<Pending<'telemetry'>>[]
  reports: Batch<Reported | Rejected>
  links: Batch<DeviceContact>
  /** Counts rejected messages by reason, for the device pages. */
  tally: Tally
  /** Messages whose route is being looked up. */
  lookingUp: number
  /** Set on stop: failed writes are not retried. */
  stopped: boolean
}
