import { useEffect } from 'react'
import { resume } from '../ui/chart/held-time.ts'
import { HeldTime } from '../ui/time-chart.tsx'

/** The held time of the shown range; remount (by key) for another range. */
export function HeldInRange({ syncKey }: { syncKey: string }) {
  useEffect(() => () => resume(syncKey), [syncKey])
  return <HeldTime syncKey={syncKey} />
}
