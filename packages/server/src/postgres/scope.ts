import { AsyncLocalStorage } from 'node:async_hooks'

/** Whether the code that runs now was called from within a transaction that is still open. */
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

/** Runs `work` apart from the transaction that started it: for timers and queues that serve other callers as well. */
export const outsideTransaction = <T>(work: () => T): T => scope.exit(work)

/**
 * Why no connection is given now, or undefined. Callers that hold one connection and wait for another wait for each other once
 * there are as many callers as connections, and with them everybody else.
 */
export function nestedConnection(role: string): Error | undefined {
  if (!scope.getStore()?.isOpen) return undefined
  return new Error(
    `A second connection (${role}) was asked for within a transaction. Use the transaction, or do this before or after it.`,
  )
}
