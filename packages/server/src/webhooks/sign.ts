import { createHmac, randomBytes } from 'node:crypto'

/** A secret in the form of Standard Webhooks: a prefix and 32 bytes. */
export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

export interface Signed {
  id: string
  /** The time of the attempt in seconds since the epoch, so that receivers can reject replayed messages. */
  timestamp: number
  body: string
}

/** The signatures of a message by each secret, newest first (Standard Webhooks 1.0, symmetric). */
export function signatures({ id, timestamp, body }: Signed, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}
