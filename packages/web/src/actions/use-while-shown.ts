import { useEffect, useRef } from 'react'

/** The same call for as long as its component is there; afterwards it does nothing. */
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
