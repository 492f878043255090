import { useBlocker, useRouter } from '@tanstack/react-router'
import { ConfirmDialog } from './dialog.tsx'

/**
 * Asks before work that is not saved is left, whichever way: by a link, by Back, or by closing the page. What has saved it, or
 * is a word for dropping it, navigates with `ignoreBlocker`.
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
