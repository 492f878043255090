import type { FastifyBaseLogger } from 'fastify'
import type { Sharing } from '../limits/sharing.ts'
import type { Batch } from './batch.ts'
import type { Held } from './held.ts'
import type { Limits } from './limits.ts'
import type { LinkMetrics } from './metrics.ts'
import type { DeviceRoute, Routes } from './routes.ts'
import type { LinkNews, Pending, Rejected, Reported } from './store.ts'
import type { Tally } from './tally.ts'

/** Telemetry is stored in lanes, each with devices of its own: no batch waits for rows of another. */
export const laneCount = 2

/** A message as it arrives, before anything of it is known to be true. */
export interface Delivery {
  topic: string
  payload: Buffer
  /** The device that signed in and sent it; undefined when a broker has already let it in. */
  sender?: DeviceRoute
}

/** All that the steps of the intake remember and share. */
export interface IntakeState {
  log: FastifyBaseLogger
  metrics: LinkMetrics
  routes: Routes
  /** What one device may say. */
  limits: Limits
  /** By which it may say no more to several processes. */
  sharing: Sharing<keyof Limits>
  /** What the messages on their way take of the memory. */
  held: Held
  /** Whether one more bad message of a device may be kept. */
  mayKeep(deviceId: string): boolean
  lanes: Batch<Pending<'telemetry'>>[]
  reports: Batch<Reported | Rejected>
  links: Batch<LinkNews>
  /** How many messages were not taken, and why, for the pages of devices. */
  tally: Tally
  /** Messages whose device is being looked up. */
  lookingUp: number
  /** Nothing more is tried once the database is away. */
  stopped: boolean
}
