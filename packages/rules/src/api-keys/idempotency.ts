/** The header by which a caller marks the repetitions of one call (draft-ietf-httpapi-idempotency-key-header). */
export const idempotencyHeader = 'idempotency-key'
/** A response header: the call was made before, and this is its stored response. */
export const replayedHeader = 'idempotency-replayed'
/** How long a call can be repeated, in ms. */
export const keptFor = 86_400_000
/** The largest response that is stored, in bytes. */
export const largestResponse = 4_096
/** How many of a client's calls have their responses stored; with the largest response, this limits the stored size. */
export const responsesOfTenant = { most: 250_000, seconds: 86_400 } as const
/** Calls with an idempotency key per caller. */
export const keysOfCaller = {
  ...{ most: 100_000, seconds: 86_400 },
  message:
    'At most 100,000 calls with an Idempotency-Key are accepted per day from an API key or user. Send the call without one, or try again later.',
} as const
/** The length of a key that cannot be guessed, such as a UUID. */
export const [shortestKey, longestKey] = [16, 200]

const shape = /^"?([\u0021\u0023-\u007e]+)"?$/

/** The key in a header value, with or without quotes; undefined if it is invalid. */
export function parseIdempotencyKey(header: string): string | undefined {
  const key = shape.exec(header.trim())?.[1]
  return key !== undefined && key.length >= shortestKey && key.length <= longestKey ? key : undefined
}
