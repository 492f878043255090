import { useCanGoBack, useRouter } from '@tanstack/react-router'

/**
 * Back to the page before, or to another one where this was opened by its address. Unasked also from work that is not saved
 * (`LeaveQuestion`).
 */
export function useLeave(otherwise: string, { unasked = false } = {}): () => void {
  const router = useRouter()
  const canGoBack = useCanGoBack()
  return () => {
    if (canGoBack) router.history.back({ ignoreBlocker: unasked })
    else void router.navigate({ href: otherwise, ignoreBlocker: unasked })
  }
}
