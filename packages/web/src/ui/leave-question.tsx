import { useBlocker, useRouter } from '@tanstack/react-router'
import { ConfirmDialog } from './dialog.tsx'

/**
 * Asks before unsaved work is left by a link, Back or closing the page. Code that saves or discards the work navigates
 * with `ignoreBlocker`.
 */
export function LeaveQuestion({ isUnsaved }: { isUnsaved: boolean }) {
  return useRouter({ warn: false }) ? <Asking isUnsaved={isUnsaved} /> : undefined
}

function Asking({ isUnsaved }: { isUnsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isUnsaved,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  if (status !== 'blocked') return undefined
  return (
    <ConfirmDialog
      title="Leave without saving?"
      verb="Leave"
      danger
      onConfirm={() => Promise.resolve(true)}
      onDone={proceed}
      onClose={reset}
    >
      The changes on this page are not saved and will be lost.
    </ConfirmDialog>
  )
}
