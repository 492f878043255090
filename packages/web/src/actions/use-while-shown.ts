import { useEffect, useRef } from 'react'

/** The callback while its component is mounted; a no-op afterwards. */
export function useWhileShown(act: () => void): () => void {
  const current = useRef<() => void>(undefined)
  useEffect(() => {
    current.current = act
    return () => {
      current.current = undefined
    }
  }, [act])
  return () => current.current?.()
}
