import { answerOf, openStore } from './indexed-db.ts'

/** Preferences kept in this browser only (core specification, section 3). */
export interface Preferences {
  /** Whether the drawer of small screens is open. */
  showMenu: boolean
  /** 'Do not show again' of the information about joining a network. */
  hideNetworkModal: boolean
  /** Whether the BCM card on the dashboard is collapsed. */
  closedBcms: boolean
  /** The order and visibility of dashboard cards as JSON, by client and user. */
  [cards: `dashboardCards ${string}`]: string
  /** The expanded card on a phone, by client and user. */
  [card: `dashboardCard ${string}`]: string
}

/** The values while nothing is stored. */
export const defaultPreferences = { showMenu: false, hideNetworkModal: false, closedBcms: false }

/** The default value of a preference. */
export function defaultOf<N extends keyof Preferences>(name: N): Preferences[N] {
  return ((defaultPreferences as Partial<Preferences>)[name] ?? '') as Preferences[N]
}

const databaseName = 'caretaker'
const storeName = 'userPreferences'

interface Stored {
  name: string
  value: boolean | string
}

/** The local preference store; every failure has its own message (core specification, section 8). */
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
