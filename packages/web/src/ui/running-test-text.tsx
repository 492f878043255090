import type { RunningTest } from '@caretaker/rules/lighting/running.ts'
import { runningTestText } from '@caretaker/rules/lighting/running.ts'
import { useClock } from './age-view.tsx'
import { useZone } from './zone.tsx'

/** '3-hour test (T180): running since 02:00, 2 h 10 min left'. */
export function RunningTestText({ test }: { test: RunningTest }) {
  const [zone, now] = [useZone(), useClock()]
  const text = runningTestText(test, now, zone)
  return <span title={text}>{text}</span>
}
