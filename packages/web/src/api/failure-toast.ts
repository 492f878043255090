import { useEffect } from 'react'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { showLoadError } from '../ui/toasts.tsx'

/** Shows a toast once when a query has failed. */
export function useFailureToast(
  { isError, error, errorUpdatedAt }: { isError: boolean; error: unknown; errorUpdatedAt: number },
  text: string,
) {
  // The connection bar already shows that the server is unreachable.
  const isShown = isError && !(error instanceof CallError && error.status === 0)
  useEffect(() => {
    if (isShown) showLoadError(text)
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- each failure has its own toast, identified by its time
  }, [isShown, errorUpdatedAt, text])
}
