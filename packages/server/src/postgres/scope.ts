import { AsyncLocalStorage } from 'node:async_hooks'

/** Whether the running code was called from within a transaction that is still open. */
const scope = new AsyncLocalStorage<{ isOpen: boolean }>()

/** Runs `work` as the content of a transaction, which holds a connection until it has ended. */
export async function withinTransaction<T>(work: () => Promise<T>): Promise<T> {
  const transaction = { isOpen: true }
  try {
    return await scope.run(transaction, work)
  } finally {
    transaction.isOpen = false
  }
}

/** Runs `work` outside the transaction that started it: for timers and queues that also serve other callers. */
export const outsideTransaction = <T>(work: () => T): T => scope.exit(work)

/**
 * The error if no connection may be given now, else undefined. Callers that hold one connection and wait for another
 * would deadlock once there are as many callers as connections.
 */
export function nestedConnection(role: string): Error | undefined {
  if (!scope.getStore()?.isOpen) return undefined
  return new Error(
    `A second connection (${role}) was asked for within a transaction. Use the transaction, or do this before or after it.`,
  )
}
