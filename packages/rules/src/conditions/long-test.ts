import { usesBattery } from '../lighting/single.ts'
import type { TestType } from '../lighting/tests.ts'
import type { Condition } from './conditions.ts'
import { isOfTests } from './conditions.ts'

/**
 * Whether a condition of a light needs its own 3-hour test: shorter tests prove neither the battery nor a repaired
 * failure.
 */
export function needsLongTest({
  kind,
  key,
  states,
}: Pick<Condition, 'kind' | 'key'> & { states?: LongStates }): boolean {
  const isOfBattery = states?.Battery === 'Failed' || states?.Battery === 'Degraded'
  if (isOfTests(kind)) return isOfBattery || usesBattery(key as TestType)
  return (kind === 'equipmentRepaired' || kind === 'testNotProven') && usesBattery(key as TestType)
}
type LongStates = Partial<Record<string, string | undefined>> | null | undefined
