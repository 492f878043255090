/** What a person prefers, kept in this browser only (core specification, section 3). */
export interface Preferences {
  /** Whether the drawer of small screens is open. */
  showMenu: boolean
  /** 'Do not show again' of the information about joining a network. */
  hideNetworkModal: boolean
  /** Whether the BCMs on the dashboard are closed up. */
  closedBcms: boolean
}

/** What a preference is while nothing is stored under its name. */
export const defaultPreferences: Preferences = { showMenu: false, hideNetworkModal: false, closedBcms: false }

const databaseName = 'caretaker'
const databaseVersion = 1
const storeName = 'userPreferences'

interface Stored {
  name: string
  value: boolean
}

/** The local preference store; every way in which it can fail has its words (core specification, section 8). */
export function preferenceStore(factory: () => IDBFactory) {
  let opened: Promise<IDBDatabase> | undefined
  const database = () => {
    opened ??= open(factory).catch((error: unknown) => {
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
      return (stored?.value as Preferences[N] | undefined) ?? defaultPreferences[name]
    },
    async update<N extends keyof Preferences>(name: N, value: Preferences[N]): Promise<void> {
      await run('Failed to update record', 'readwrite', (store) => store.put({ name, value } satisfies Stored))
    },
  }
}

function open(factory: () => IDBFactory): Promise<IDBDatabase> {
  const request = factory().open(databaseName, databaseVersion)
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(storeName, { keyPath: 'name' }))
  return answerOf(request)
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('unknown')))
  })
}

export const preferences = preferenceStore(() => indexedDB)
