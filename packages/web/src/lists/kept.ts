import { useCallback, useState } from 'react'

/** What is selected and pinned in the lists of this tab, for whoever comes back to one. */
const kept = new Map<string, unknown>()

/** A state that outlives its component until the page is loaded anew. */
export function useKept<T>(key: string, initial: T): [T, (next: T) => void] {
  const [value, setValue] = useState(() => (kept.get(key) as T | undefined) ?? initial)
  const keep = useCallback(
    (next: T) => {
      kept.set(key, next)
      setValue(next)
    },
    [key],
  )
  return [value, keep]
}

/** Forgets all of it, as loading the page does. */
export const forgetKept = (): void => kept.clear()
