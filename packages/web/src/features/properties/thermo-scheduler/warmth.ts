import type { CSSProperties } from 'react'
import type { SchedulerRow } from '@caretaker/rules/properties/schedule.ts'
import { bandsOf } from '@caretaker/rules/properties/schedule.ts'

/** How strong the one hue of a temperature is among those of a week, pale to strong: how warm it is to be is no status. */
export function warmthOf(week: readonly SchedulerRow[]): (temperature: number) => CSSProperties {
  const temperatures = week.flatMap((one) => bandsOf(week, one.weekDay).map(({ temperature }) => temperature))
  const [coldest, warmest] = [Math.min(...temperatures), Math.max(...temperatures)]
  return (temperature) => {
    const share = warmest > coldest ? Math.min(1, Math.max(0, (temperature - coldest) / (warmest - coldest))) : 0
    return { '--warmth': Math.round(12 + 58 * share) } as CSSProperties
  }
}
