export interface LoadOrder {
  port: number
  /** The number of concurrent sign-ins. */
  atOnce: number
  /** Messages in flight for each connection. */
  window: number
  /** Milliseconds between an acknowledgement and the next message; none by default. */
  pause?: number
  /**
   * Readings must be later than this time, in ms since the epoch, because those of an earlier generator may be ahead of the clock.
   */
  after?: number
  /** One in this many messages of a device is a state: a fault or its end. No states by default. */
  stateEvery?: number
  devices: LoadDevice[]
}
export interface LoadDevice {
  deviceId: string
  key: string
  /** Devices that it also reports for. */
  children: string[]
}

/** Sent every second. */
export interface LoadReport {
  kind: 'second'
  acknowledged: number
  /** Acknowledgements since the start. */
  total: number
  /** The number of acknowledgements for each whole number of milliseconds since sending. */
  latency: [ms: number, count: number][]
  connections: number
  memory: number
}

/** Sent once after 'stop', when every message is acknowledged or the time limit is reached. */
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
/** How long the generator waits for outstanding acknowledgements, in ms. */
export const drainsWithin = 300_000
