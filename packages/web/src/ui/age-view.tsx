import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { RunningTest } from '@caretaker/rules/lighting/running.ts'
import { runningTestText } from '@caretaker/rules/lighting/running.ts'
import { ageText, dateTimeText, spanText, type Instant } from './age.ts'
import { useZone } from './zone.tsx'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for all ages on the page; it stops while there are none. */
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

/** The current time, accurate to ten seconds, for decisions. */
export function useClock(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

let known = { zone: '', minute: 0, day: '' }

/** Cached, because every row of a list calls it and it is the same for a minute. */
function todayIn(zone: string): Day {
  const minute = Math.floor(Date.now() / 60_000)
  if (known.zone !== zone || known.minute !== minute) known = { zone, minute, day: dayAt(minute * 60_000, zone) }
  return known.day
}

/** The current day in the zone of the client; it changes at midnight. */
export function useToday(): Day {
  const zone = useZone()
  return useSyncExternalStore(onEverySecond, () => todayIn(zone))
}

/** The age of something, updated automatically, with the exact time as tooltip. */
export function Age({ at }: { at: Instant }) {
  return <LiveAge at={at} text={ageText} />
}

/** How long something has been pending, updated automatically, with the start as tooltip. */
export function Waiting({ since }: { since: Instant }) {
  return <LiveAge at={since} text={spanText} />
}

function LiveAge({ at, text: textOf }: { at: Instant; text: (at: Instant, now: number, zone: string) => string }) {
  const zone = useZone()
  // The text is the snapshot: a tick without a change does not render.
  const text = useSyncExternalStore(onEverySecond, () => textOf(at, Date.now(), zone))
  return (
    <time className="tabular" dateTime={new Date(at).toISOString()} title={dateTimeText(at, zone)}>
      {text}
    </time>
  )
}

interface RunningTestTextProps {
  test: RunningTest
  /** Only 'Running', with the rest as tooltip. */
  brief?: boolean
}

/** '3-hour test (T180): running since 02:00, 2 h 10 min left'. */
export function RunningTestText({ test, brief }: RunningTestTextProps) {
  const [zone, now] = [useZone(), useClock()]
  const text = runningTestText(test, now, zone)
  return <span title={text}>{brief ? 'Running' : text}</span>
}
