import { useEffect } from 'react'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { showLoadError } from '../ui/toasts.tsx'

/** Says once a failure, in a toast, that something could not be fetched. */
export function useFailureToast(
  { isError, error, errorUpdatedAt }: { isError: boolean; error: unknown; errorUpdatedAt: number },
  text: string,
) {
  // That the server cannot be reached says the bar, once for everything.
  const isTold = isError && !(error instanceof CallError && error.status === 0)
  useEffect(() => {
    if (isTold) showLoadError(text)
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- each failure says so, and its time tells them apart
  }, [isTold, errorUpdatedAt, text])
}
