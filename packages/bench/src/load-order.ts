/** Orders and reports of the load generator (`load.ts`). */
export interface LoadOrder {
  port: number
  /** Sign-ins at a time. */
  atOnce: number
  /** Messages in flight for each connection. */
  window: number
  /** Milliseconds that a device waits after an acknowledgement; without it, it sends again at once. */
  pause?: number
  /** Readings are later than this, in ms since the epoch: those of an earlier generator may be ahead of the clock. */
  after?: number
  /** Every so many messages of a device are about its state: a fault, or its end. None without it. */
  stateEvery?: number
  devices: LoadDevice[]
}
export interface LoadDevice {
  deviceId: string
  key: string
  /** Devices for which it reports as well. */
  children: string[]
}

/** Sent every second. */
export interface LoadReport {
  kind: 'second'
  acknowledged: number
  /** Acknowledgements since the start. */
  total: number
  /** Acknowledgements by whole milliseconds since the message was sent. */
  latency: [ms: number, count: number][]
  connections: number
  memory: number
}

/** Sent once after 'stop', when every message is acknowledged or that takes too long. */
export interface LoadTotals {
  kind: 'totals'
  sent: number
  acknowledged: number
  /** Readings among the acknowledged messages; the others are states. */
  readings: number
  /** Time of the latest reading, in ms since the epoch. */
  latest: number
}

export const valuesPerReading = 3
/** How long the generator waits for the acknowledgements of what it has sent, in ms. */
export const drainsWithin = 300_000
