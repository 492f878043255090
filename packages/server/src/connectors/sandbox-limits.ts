/** Limits of a tenant's codec. */
export const codecLimits = {
  /** ms for one uplink */
  time: 50,
  /** Memory of the codec, in bytes. */
  memory: 16 * 1024 * 1024,
  /** The engine's stack in bytes, far below the stack of its thread. */
  stack: 256 * 1024,
  /** Bytes of source. */
  source: 40 * 1024,
  /** Bytes of the result as JSON. */
  result: 64 * 1024,
} as const

export const limitTexts = {
  time: 'Stopped after 50 ms',
  memory: 'Stopped: more than 16 MB',
  source: 'Source larger than 40 kB',
  result: 'Result larger than 64 kB',
  queue: 'Too many messages are waiting for this codec',
} as const
export type CodecLimit = keyof typeof limitTexts

/** One uplink and the codec for it. */
export interface CodecUplink {
  source: string
  bytes: Uint8Array
  fPort: number | undefined
  /** When the network server received the uplink, in ms: the only time visible to the codec. */
  recvTime: number
}

/** The validated result of a codec, as LoRa Alliance TS013 defines it. */
export interface CodecOutcome {
  data?: unknown
  warnings: string[]
  /** Not empty if the codec failed or was stopped. */
  errors: string[]
  /** The limit at which the codec was stopped. */
  limit?: CodecLimit
  /** ms */
  took: number
}
