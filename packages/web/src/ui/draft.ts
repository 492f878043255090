import { createContext, useContext, useEffect, useState } from 'react'

/** The user and client that own drafts, which no other user sees. Undefined while signed out, when nothing is kept. */
export const DraftOwnerContext = createContext<string | undefined>(undefined)

export interface DraftName {
  /** The form and its subject. */
  name: string
  /**
   * Whether the draft may name residents or invited users. Such a draft is kept only in the tab, because others may use
   * the same computer. It survives a reload, Back, Escape and a session that ends by itself, but not a sign-out.
   */
  isPersonal?: boolean
}

const prefix = 'caretaker-draft '
/** Milliseconds after the last change for which a draft is kept. */
const keptFor = 7 * 86_400_000

interface Kept {
  at: number
  values: Record<string, unknown>
}

/** The storage of the draft of one form. A browser may refuse to store anything. */
export interface DraftStore {
  read: () => Record<string, unknown> | undefined
  write: (values: object) => boolean
  clear: () => void
}

/** The owner of a user's drafts in a client. */
export const draftOwner = (userId: string, tenant: string) => `${userId} ${tenant}`

/** Removes the draft of a user whose values were sent without its form: by the repair queue, or by another tab. */
export function forgetDraft(owner: string, name: string, isSent: (values: Record<string, unknown>) => boolean): void {
  const store = draftStore(owner, { name })
  const values = store.read()
  if (values && isSent(values)) store.clear()
}

function draftStore(owner: string, { name, isPersonal = false }: DraftName): DraftStore {
  const key = `${prefix}${owner} ${name}`
  const storage = () => (isPersonal ? sessionStorage : localStorage)
  return {
    read: () => keptIn(storage(), key)?.values,
    write: (values) => {
      try {
        storage().setItem(key, JSON.stringify({ at: Date.now(), values } satisfies { at: number; values: object }))
        return true
      } catch {
        return false
      }
    },
    clear: () => storage().removeItem(key),
  }
}

function keptIn(storage: Storage, key: string): Kept | undefined {
  try {
    const kept = JSON.parse(storage.getItem(key) ?? 'null') as Partial<Kept> | null
    const isDue = typeof kept?.at === 'number' && kept.at > Date.now() - keptFor
    return isDue && typeof kept.values === 'object' ? (kept as Kept) : undefined
  } catch {
    // Modified by hand, or from another version.
    return undefined
  }
}

/** Removes all users' old drafts from this browser. */
export function forgetOldDrafts(): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(prefix) && !keptIn(localStorage, key)) localStorage.removeItem(key)
}

/** The draft storage of a form; undefined for a form without drafts, or while signed out. */
export function useDraftStore(draft: DraftName | undefined): DraftStore | undefined {
  const owner = useContext(DraftOwnerContext)
  const [store] = useState(() => (owner !== undefined && draft ? draftStore(owner, draft) : undefined))
  return store
}

/** A draft of a form: its values, and whether they are stored in this browser. */
export interface Draft<V> {
  values: V
  change: (part: Partial<V>) => void
  isKept: boolean
  /** Deletes the draft once it has been sent or discarded. */
  clear: () => void
}

/**
 * The values of a form, stored in this browser under a name until sent or discarded: they survive a tab change, Escape,
 * Back, a sign-out and a reload. `initial` applies if nothing is stored; it may arrive later, as long as nothing was
 * typed.
 */
export function useDraft<V extends object>(name: string, initial: V, { isPersonal = false } = {}): Draft<V> {
  const store = useDraftStore({ name, isPersonal })
  const [kept, setKept] = useState(() => store?.read() as Partial<V> | undefined)
  const [isStored, setStored] = useState(kept !== undefined)
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- whether the browser has kept it is known only then
    if (kept) setStored(store?.write(kept) ?? false)
  }, [store, kept])
  return {
    values: { ...initial, ...kept },
    change: (part) => setKept((now) => ({ ...now, ...part })),
    isKept: kept !== undefined && isStored,
    clear: () => {
      store?.clear()
      setKept(undefined)
    },
  }
}
