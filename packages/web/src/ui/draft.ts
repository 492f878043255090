import { useEffect, useState } from 'react'

const keyOf = (name: string) => `caretaker-draft ${name}`

/** What this browser keeps under a name; undefined where it keeps nothing. */
export function readDraft<V extends object>(name: string): Partial<V> | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(name)) ?? 'null')
    return typeof kept === 'object' && kept !== null ? kept : undefined
  } catch {
    // Written by hand, or by another version.
    return undefined
  }
}

export const keepDraft = (name: string, draft: object): void => localStorage.setItem(keyOf(name), JSON.stringify(draft))

export const forgetDraft = (name: string): void => localStorage.removeItem(keyOf(name))

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
  const [kept, setKept] = useState<Partial<V> | undefined>(() => readDraft<V>(name))
  useEffect(() => {
    if (kept) keepDraft(name, kept)
  }, [name, kept])
  return {
    values: { ...initial, ...kept },
    change: (part) => setKept((now) => ({ ...now, ...part })),
    isKept: kept !== undefined,
    clear: () => {
      forgetDraft(name)
      setKept(undefined)
    },
  }
}
