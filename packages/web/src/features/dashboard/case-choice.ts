import { choiceIn } from '@caretaker/rules/dashboard/worklist.ts'
import type { CaseChoice } from '@caretaker/rules/dashboard/worklist.ts'
import { useActor } from '../../api/actor.ts'
import { usePreference } from '../../api/use-preference.ts'

/** The order and choice of cards of this user in this browser; undefined if unset. */
export function useCaseChoice(): [CaseChoice | undefined, (choice: CaseChoice | undefined) => void] {
  const { tenant, userId } = useActor()
  const [text, setText] = usePreference(`dashboardCards ${tenant} ${userId}`)
  return [choiceIn(text), (choice) => setText(choice ? JSON.stringify(choice) : '')]
}
