import { useCallback, useState } from 'react'

/** Selections and pins of the lists in this tab, kept across navigation. */
const kept = new Map<string, unknown>()

/** A state that outlives its component until the page is reloaded. */
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

/** Clears all of it, as a page reload does. */
export const forgetKept = (): void => kept.clear()
