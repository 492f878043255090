import { useEffect } from 'react'
import { showError } from '../ui/toasts.tsx'

/** Says once a failure, in a toast, that something could not be fetched. */
export function useFailureToast(
  { isError, errorUpdatedAt }: { isError: boolean; errorUpdatedAt: number },
  text: string,
) {
  useEffect(() => {
    if (isError) showError(text)
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- each failure says so, and its time tells them apart
  }, [isError, errorUpdatedAt, text])
}
