import os from 'node:os'

/** The least memory with which a process with all parts and the embedded database works, in MB. */
export const leastMemory = 512
const megabyte = 1_048_576

/**
 * The memory that this process may use, in MB, if it is less than `leastMemory`: the operating system would end it
 * without a message. A container's limit applies, if there is one.
 */
export function scarceMemory(
  { limit, total } = { limit: process.constrainedMemory(), total: os.totalmem() },
): number | undefined {
  const megabytes = Math.floor((limit > 0 ? Math.min(limit, total) : total) / megabyte)
  return megabytes < leastMemory ? megabytes : undefined
}
