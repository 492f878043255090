import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { DueRules } from '../compliance/figures.ts'
import type { GasCheck } from '../compliance/homes.ts'
import { gasCheckOn } from '../compliance/homes.ts'

/** The columns of a property that follow from an entered check date; none without one. */
export function gasColumns(
  home: { gas_check_due_at: Date | null; gas_after: Day | null },
  day: Day | null | undefined,
  dueRules: DueRules,
): Partial<GasCheck> {
  if (day === undefined) return {}
  const due = home.gas_check_due_at && dayAt(+home.gas_check_due_at, dueRules.zone)
  return gasCheckOn(day, [due, home.gas_after], dueRules)
}
