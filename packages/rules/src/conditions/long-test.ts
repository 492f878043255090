import { usesBattery } from '../lighting/single.ts'
import type { TestType } from '../lighting/tests.ts'
import type { Condition } from './conditions.ts'
import { isOfTests } from './conditions.ts'

/** Whether a reason of a light calls for a 3-hour test of it alone: a battery, or what failed, is proven by nothing shorter. */
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
