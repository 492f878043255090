import type { CSSProperties } from 'react'
import type { SchedulerRow } from '@caretaker/rules/properties/schedule.ts'
import { bandsOf } from '@caretaker/rules/properties/schedule.ts'

/**
 * How strong a temperature's colour is relative to the week's other temperatures, pale to strong: a temperature is not
 * a status, so there is one hue.
 */
export function warmthOf(week: readonly SchedulerRow[]): (temperature: number) => CSSProperties {
  const temperatures = week.flatMap((one) => bandsOf(week, one.weekDay).map(({ temperature }) => temperature))
  const [coldest, warmest] = [Math.min(...temperatures), Math.max(...temperatures)]
  return (temperature) => {
    const share = warmest > coldest ? Math.min(1, Math.max(0, (temperature - coldest) / (warmest - coldest))) : 0
    return { '--warmth': Math.round(12 + 58 * share) } as CSSProperties
  }
}
