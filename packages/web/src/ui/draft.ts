import { createContext, useContext, useEffect, useState } from 'react'

/** Who types, and in which client: a draft is shown to nobody else. Undefined where nobody has signed in, and nothing is kept. */
export const DraftOwnerContext = createContext<string | undefined>(undefined)

export interface DraftName {
  /** The form, and what it is of. */
  name: string
  /**
   * Whether people who live there, or are invited, may be named in it. Such a draft is kept by the tab alone and goes with it: others
   * use the same computer. It still survives a reload, Back, Escape and a sign-out.
   */
  isPersonal?: boolean
}

const prefix = 'caretaker-draft '
/** Milliseconds after its last change for which a draft is kept: what a person has not come back to by then lies about. */
const keptFor = 7 * 86_400_000

interface Kept {
  at: number
  values: Record<string, unknown>
}

/** Where the draft of one form is kept. A browser may refuse to keep anything. */
export interface DraftStore {
  read: () => Record<string, unknown> | undefined
  write: (values: object) => boolean
  clear: () => void
}

/** The owner of the drafts of a person in a client. */
export const draftOwner = (userId: string, tenant: string) => `${userId} ${tenant}`

/** Removes a draft of a person whose values were sent without its form: by the queue of repairs, or by another tab. */
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
    // Written by hand, or by another version.
    return undefined
  }
}

/** Removes the drafts that nobody has come back to, of all who use this browser. */
export function forgetOldDrafts(): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(prefix) && !keptIn(localStorage, key)) localStorage.removeItem(key)
}

/** Where a form keeps its draft; undefined for a form without one, or where nobody has signed in. */
export function useDraftStore(draft: DraftName | undefined): DraftStore | undefined {
  const owner = useContext(DraftOwnerContext)
  const [store] = useState(() => (owner !== undefined && draft ? draftStore(owner, draft) : undefined))
  return store
}

/** A draft of a form: its values, and whether they are kept in this browser. */
export interface Draft<V> {
  values: V
  change: (part: Partial<V>) => void
  isKept: boolean
  /** Forgets it: it was sent, or is not wanted. */
  clear: () => void
}

/**
 * What a person types into a form, kept in this browser under a name until it is sent or discarded: it survives a change of tab, Escape,
 * Back, a sign-out and a reload. `initial` stands where nothing was kept; it may become known later, as long as nobody has typed.
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
