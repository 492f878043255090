import { answerOf, openStore } from './indexed-db.ts'

/** What a person prefers, kept in this browser only (core specification, section 3). */
export interface Preferences {
  /** Whether the drawer of small screens is open. */
  showMenu: boolean
  /** 'Do not show again' of the information about joining a network. */
  hideNetworkModal: boolean
  /** Whether the BCMs on the dashboard are closed up. */
  closedBcms: boolean
  /** The order of the cards on the dashboard and those that are no cards, as JSON; by client and person. */
  [cards: `dashboardCards ${string}`]: string
  /** The card that is open on a phone, by client and person. */
  [card: `dashboardCard ${string}`]: string
}

/** What counts while nothing is stored. */
export const defaultPreferences = { showMenu: false, hideNetworkModal: false, closedBcms: false }

/** What a preference is while nothing is stored under its name. */
export function defaultOf<N extends keyof Preferences>(name: N): Preferences[N] {
  return ((defaultPreferences as Partial<Preferences>)[name] ?? '') as Preferences[N]
}

const databaseName = 'caretaker'
const storeName = 'userPreferences'

interface Stored {
  name: string
  value: boolean | string
}

/** The local preference store; every way in which it can fail has its words (core specification, section 8). */
export function preferenceStore(factory: () => IDBFactory) {
  let opened: Promise<IDBDatabase> | undefined
  const database = () => {
    opened ??= openStore(factory(), databaseName, storeName, 'name').catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const run = async <T>(failure: string, mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>) => {
    try {
      const transaction = (await database()).transaction(storeName, mode)
      return await answerOf(ask(transaction.objectStore(storeName)))
    } catch (cause) {
      throw new Error(failure, { cause })
    }
  }

  return {
    async add<N extends keyof Preferences>(name: N, value: Preferences[N]): Promise<void> {
      await run('Failed to add record', 'readwrite', (store) => store.add({ name, value } satisfies Stored))
    },
    async remove(name: keyof Preferences): Promise<void> {
      await run('Failed to delete record', 'readwrite', (store) => store.delete(name))
    },
    async get<N extends keyof Preferences>(name: N): Promise<Preferences[N]> {
      const stored = await run<Stored | undefined>('Failed to get record', 'readonly', (store) => store.get(name))
      return (stored?.value as Preferences[N] | undefined) ?? defaultOf(name)
    },
    async update<N extends keyof Preferences>(name: N, value: Preferences[N]): Promise<void> {
      await run('Failed to update record', 'readwrite', (store) => store.put({ name, value } satisfies Stored))
    },
  }
}

export const preferences = preferenceStore(() => indexedDB)
