import type { QueryClient } from '@tanstack/react-query'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import { undoLimit } from '@caretaker/rules/actions/actions.ts'
import { showError, showSuccess, showWarning } from '../ui/toasts.tsx'
import { isAccessRightsAction, isTagAction } from './bulk-plans.ts'
import type { BulkCounts } from './bulk-run.ts'
import { somethingWrong } from './failure.ts'
import { devices, requestSuccessful, undoBulk } from './tag-changes.ts'

interface Ended {
  action: BulkAction
  counts: BulkCounts
  bulkActionId: string | undefined
  /** Called when the change was taken back: what still tells of it is no longer true. */
  onUndone: () => void
}

/** What is said when every device of a bulk action has answered. */
export function sayOutcome(queryClient: QueryClient, tenant: string, ended: Ended): void {
  const { action, counts, bulkActionId, onUndone } = ended
  const { done, failed } = counts
  const total = done + failed
  if (action === 'flick test') return sayFlickTests(done, total)
  const undo =
    (isTagAction(action) || isAccessRightsAction(action)) &&
    bulkActionId !== undefined &&
    done > 0 &&
    total <= undoLimit
      ? { label: 'Undo', onPress: () => void undoBulk(queryClient, tenant, [bulkActionId]).then(onUndone) }
      : undefined
  if (failed > 0) {
    showError(somethingWrong)
    if (undo) showSuccess(`${devices(done)} changed`, undo)
  } else showSuccess(successText(action), undo)
}

function successText(action: BulkAction): string {
  if (isAccessRightsAction(action)) return 'Access Tag Updated Successfully'
  return action === 'uninstall' ? 'Uninstalled successfully!' : requestSuccessful
}

function sayFlickTests(done: number, total: number): void {
  if (done === total) showSuccess('Flick tests for all selected devices were sent successfully.')
  else if (done === 0) showWarning('Something went wrong, no flick tests were successful.')
  else showWarning(`Something went wrong, only ${done} flick tests out of ${total} were successful.`)
}
