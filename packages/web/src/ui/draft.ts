import { useEffect, useState } from 'react'

const keyOf = (name: string) => `caretaker-draft ${name}`

function read<V extends object>(name: string): Partial<V> | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(name)) ?? 'null')
    return typeof kept === 'object' && kept !== null ? kept : undefined
  } catch {
    // Written by hand, or by another version.
    return undefined
  }
}

/** A draft of a form: its values, and whether they are kept in this browser. */
export interface Draft<V> {
  values: V
  change: (part: Partial<V>) => void
  isKept: boolean
  /** Forgets it, once it was sent. */
  clear: () => void
}

/**
 * What is typed into a form, kept in this browser under a name until it is sent: it survives a change of tab, Escape, a sign-out and
 * a reload. `initial` stands where nothing was kept; it may become known later, as long as nobody has typed.
 */
export function useDraft<V extends object>(name: string, initial: V): Draft<V> {
  const [kept, setKept] = useState<Partial<V> | undefined>(() => read<V>(name))
  useEffect(() => {
    if (kept) localStorage.setItem(keyOf(name), JSON.stringify(kept))
  }, [name, kept])
  return {
    values: { ...initial, ...kept },
    change: (part) => setKept((now) => ({ ...now, ...part })),
    isKept: kept !== undefined,
    clear: () => {
      localStorage.removeItem(keyOf(name))
      setKept(undefined)
    },
  }
}
