import { useCanGoBack, useRouter } from '@tanstack/react-router'

/**
 * Returns to the previous page, or to another one if this was opened by address. With `unasked`, it also leaves unsaved
 * work (`LeaveQuestion`).
 */
export function useLeave(otherwise: string, { unasked = false } = {}): () => void {
  const router = useRouter()
  const canGoBack = useCanGoBack()
  return () => {
    if (canGoBack) router.history.back({ ignoreBlocker: unasked })
    else void router.navigate({ href: otherwise, ignoreBlocker: unasked })
  }
}
