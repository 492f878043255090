import { useEffect } from 'react'
import { resume } from '../ui/chart/held-time.ts'
import { HeldTime } from '../ui/time-chart.tsx'

/** A time that is held is one of the range that is shown: to be made anew (by key) for another. */
export function HeldInRange({ syncKey }: { syncKey: string }) {
  useEffect(() => () => resume(syncKey), [syncKey])
  return <HeldTime syncKey={syncKey} />
}
