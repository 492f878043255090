import { useCanGoBack, useRouter } from '@tanstack/react-router'

/** Back to the page before, or to another one where this was opened by its address. */
export function useLeave(otherwise: string): () => void {
  const router = useRouter()
  const canGoBack = useCanGoBack()
  return () => {
    if (canGoBack) router.history.back()
    else void router.navigate({ href: otherwise })
  }
}
