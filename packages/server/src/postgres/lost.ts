/** Set on errors of connections and copied along with them. */
const lost = Symbol('the connection to the database is lost')

/**
 * Marks the error of a connection that broke or could not be opened, because its text may not show that the database
 * is unreachable.
 */
export function markLost(error: Error): void {
  Object.assign(error, { [lost]: true })
}

/** Whether an error means that the database is unreachable: a connection broke or could not be opened. */
export function isLost(error: unknown): boolean {
  if (error instanceof AggregateError && error.errors.length && error.errors.every(isLost)) return true
  const { code, message, [lost]: isMarked } = (error ?? {}) as { code?: unknown; message?: unknown; [lost]?: boolean }
  return (
    isMarked === true ||
    // Connection exceptions, shutting down, starting up, and too many connections.
    /^(?:08...|57P..|53300)$/.test(String(code)) ||
    /^(?:Connection terminated|Client has encountered a connection error)/.test(String(message))
  )
}

/** Whether no connection became free in time: the database is unreachable, or all connections are in use. */
export function isWaitOver(error: unknown): boolean {
  const { message } = (error ?? {}) as { message?: unknown }
  return String(message).startsWith('timeout exceeded when trying to connect')
}
