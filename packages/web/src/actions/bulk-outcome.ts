import { undoLightsLimit, undoLimit } from '@caretaker/rules/actions/actions.ts'
import type { RunAction } from '@caretaker/rules/actions/home-actions.ts'
import { countOf, isHomeAction, undoHomesLimit } from '@caretaker/rules/actions/home-actions.ts'
import { isLightAction } from '@caretaker/rules/actions/light-settings.ts'
import { showError, showSuccess, showWarning } from '../ui/toasts.tsx'
import { isAccessRightsAction, isTagAction } from './bulk-plans.ts'
import type { BulkCounts } from './bulk-run.ts'
import { somethingWrong } from './failure.ts'
import { requestSuccessful } from './tag-changes.ts'
import { undoable } from './undo.ts'

interface Ended {
  action: RunAction
  counts: BulkCounts
  /** Undoes the action, if possible. */
  takeBack: (() => Promise<void>) | undefined
}

/** Whether the result can be undone: changes to tags and light settings, up to a limited number of devices. */
export function canTakeBack(action: RunAction, { done, failed, loading }: BulkCounts): boolean {
  const isOver = loading === 0 && done > 0
  if (isHomeAction(action)) return isOver && done + failed <= undoHomesLimit
  const ofLights = isLightAction(action)
  const isFew = done + failed <= (ofLights ? undoLightsLimit : undoLimit)
  return isOver && isFew && (ofLights || isTagAction(action) || isAccessRightsAction(action))
}

/** Shows the summary once every device of a bulk action has a result. */
export function showOutcome({ action, counts, takeBack }: Ended): void {
  const { done, failed } = counts
  const total = done + failed
  if (action === 'flick test') return showFlickTests(done, total)
  const undo = takeBack && canTakeBack(action, counts) ? undoable(() => void takeBack()) : undefined
  if (failed > 0) {
    showError(somethingWrong)
    if (undo) showSuccess(`${countOf(done, isHomeAction(action) ? 'property' : 'device')} changed`, undo)
  } else showSuccess(successText(action), undo)
}

function successText(action: RunAction): string {
  if (isAccessRightsAction(action)) return 'Access Tag Updated Successfully'
  return action === 'uninstall' ? 'Uninstalled successfully!' : requestSuccessful
}

function showFlickTests(done: number, total: number): void {
  if (done === total) showSuccess('Flick tests for all selected devices were sent successfully.')
  else if (done === 0) showWarning('Something went wrong, no flick tests were successful.')
  else showWarning(`Something went wrong, only ${done} flick tests out of ${total} were successful.`)
}
