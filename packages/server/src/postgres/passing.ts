/**
 * Whether the database failed for a temporary reason, so that a retry works: a conflict between two transactions, or
 * a tenant that was just moved in a distributed database.
 */
export function isPassing(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  return (
    code === '40001' ||
    code === '40P01' ||
    (code === 'XX000' && message.startsWith('could not find valid entry for shard'))
  )
}
