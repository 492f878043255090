import { useSyncExternalStore } from 'react'
import { ageText, dateTimeText, type Instant } from './age.ts'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for all ages on the page; it stands still while there are none. */
function onEverySecond(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => listeners.forEach((each) => each()), 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The age of something, kept current by itself; the exact time is its tooltip. */
export function Age({ at }: { at: Instant }) {
  // The text is the snapshot: a tick that changes nothing renders nothing.
  const text = useSyncExternalStore(onEverySecond, () => ageText(at, Date.now()))
  return (
    <time className="tabular" dateTime={new Date(at).toISOString()} title={dateTimeText(at)}>
      {text}
    </time>
  )
}
