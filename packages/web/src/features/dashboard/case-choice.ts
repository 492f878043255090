import { choiceIn } from '@caretaker/rules/dashboard/worklist.ts'
import type { CaseChoice } from '@caretaker/rules/dashboard/worklist.ts'
import { useActor } from '../../api/actor.ts'
import { usePreference } from '../../api/use-preference.ts'

/** This user's order and choice of cards in this browser; undefined if unset. */
export function useCaseChoice(): [CaseChoice | undefined, (choice: CaseChoice | undefined) => void] {
  const { tenant, userId } = useActor()
  const [text, setText] = usePreference(`dashboardCards ${tenant} ${userId}`)
  return [choiceIn(text), (choice) => setText(choice ? JSON.stringify(choice) : '')]
}
