import { useState } from 'react'
import type { Plan } from '@caretaker/rules/buildings/geometry.ts'
import type { Form } from '../../ui/forms/use-form.ts'
import { isSamePlan, planFields } from './plan-values.ts'

/** The largest number of undo steps. */
const mostSteps = 100

export interface PlanHistory {
  /** To be called before a change that is one undo step. */
  begin: () => void
  undo: () => void
  clear: () => void
  steps: number
}

/** The form's values before each drag, key press or typed change. */
export function usePlanHistory(form: Form<Plan, Plan>): PlanHistory {
  const [past, setPast] = useState<readonly Plan[]>([])
  const now = form.watch()
  const last = past.findLastIndex((step) => !isSamePlan(step, now))
  return {
    steps: last + 1,
    begin: () => {
      const values = { ...form.getValues() }
      if (!past.length || !isSamePlan(past.at(-1)!, values)) setPast([...past.slice(1 - mostSteps), values])
    },
    undo: () => {
      const before = past[last]
      if (!before) return
      setPast(past.slice(0, last))
      for (const name of planFields) form.setValue(name, before[name], { shouldValidate: true, shouldDirty: true })
    },
    clear: () => setPast([]),
  }
}
