import { messagesOfConnection } from '@caretaker/rules/connections/connections.ts'
import type { Allowance } from '../limits/allowance.ts'
import { refilled, take, whole } from '../limits/allowance.ts'

/** How many messages a connection may still send to this process. */
export interface MessageAllowances {
  /** Milliseconds until the connection may send another message; 0 if it may now. */
  waitOf(connectionId: string): number
  take(connectionId: string, messages: number): void
}

/** Maximum connections whose allowance is remembered. */
const mostRemembered = 10_000

export function openMessageAllowances(): MessageAllowances {
  const known = new Map<string, Allowance>()
  const { most, seconds } = messagesOfConnection
  const period = seconds * 1000
  const allowanceOf = (id: string) => {
    const now = Date.now()
    const found = known.get(id) ?? whole(most, now)
    known.delete(id)
    known.set(id, found)
    if (known.size > mostRemembered) known.delete(known.keys().next().value!)
    refilled(found, most, now, period)
    return found
  }
  return {
    waitOf: (id) => {
      const { left } = allowanceOf(id)
      return left >= 1 ? 0 : Math.ceil(((1 - left) * period) / most)
    },
    take: (id, messages) => take(allowanceOf(id), messages),
  }
}
