/**
 * Whether the database refused for what is over by now, so that the same works when it is done again: two transactions were in each
 * other's way, or the rows of a client were just brought elsewhere in a distributed database.
 */
export function isPassing(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  return (
    code === '40001' ||
    code === '40P01' ||
    (code === 'XX000' && message.startsWith('could not find valid entry for shard'))
  )
}
