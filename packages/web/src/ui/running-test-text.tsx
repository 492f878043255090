import type { RunningTest } from '@caretaker/rules/lighting/running.ts'
import { runningTestText } from '@caretaker/rules/lighting/running.ts'
import { useClock } from './age-view.tsx'
import { useZone } from './zone.tsx'

interface RunningTestTextProps {
  test: RunningTest
  /** 'Running' alone, with the rest where it is pointed at. */
  brief?: boolean
}

/** '3-hour test (T180): running since 02:00, 2 h 10 min left'. */
export function RunningTestText({ test, brief }: RunningTestTextProps) {
  const [zone, now] = [useZone(), useClock()]
  const text = runningTestText(test, now, zone)
  return <span title={text}>{brief ? 'Running' : text}</span>
}
