import { randomUUID } from 'node:crypto'

/**
 * A new id of version 7 (RFC 9562): it begins with the ms at which it was made, so that rows that are made one after the other lie side
 * by side in an index of their ids, while random ones of many rows touch a page of it each. Not for what must not tell when it was made.
 */
export function idInOrder(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
