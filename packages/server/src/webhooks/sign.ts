import { createHmac, randomBytes } from 'node:crypto'

/** A secret as Standard Webhooks writes it: what says so, and 32 bytes. */
export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

export interface Signed {
  id: string
  /** Seconds since the epoch, of the attempt: what is old is no message of today sent again by somebody else. */
  timestamp: number
  body: string
}

/** The signatures of a message by each secret, the newest first (Standard Webhooks 1.0, symmetric). */
export function signatures({ id, timestamp, body }: Signed, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}
