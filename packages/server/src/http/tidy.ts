import type { IncomingMessage } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes after whose arrival memory is tidied, and how often it is looked how many there were, in milliseconds. */
const [every, pace] = [150_000, 1]

/**
 * Does something during which much arrives that is written to disk at once. The parts lie outside the heap, where Node lets some
 * tens of megabytes of them gather before it looks for what nobody holds any more: here it looks again and again, among what
 * is young alone, which takes about a millisecond.
 */
export async function tidied<T>(request: IncomingMessage, work: () => Promise<T>): Promise<T> {
  const { socket } = request
  let seen = socket.bytesRead
  const watch = setInterval(() => {
    // Of a request that no socket brought, no number at all.
    if (!(socket.bytesRead - seen >= every)) return
    seen = socket.bytesRead
    collect({ type: 'minor' })
  }, pace).unref()
  const stop = () => clearInterval(watch)
  // A form that breaks off is not always told to whoever waits for it.
  request.once('close', stop)
  try {
    return await work()
  } finally {
    stop()
  }
}

/** The same where whoever passes much on counts it: to be told the size of each part. */
export function tidier(): (size: number) => void {
  let since = 0
  return (size) => {
    since += size
    if (since < every) return
    since = 0
    collect({ type: 'minor' })
  }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (wanted: { type: 'minor' }) => void
