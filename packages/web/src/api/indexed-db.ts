/** Opens an IndexedDB database with one store, whose records have their key under `keyPath`. */
export function openStore(factory: IDBFactory, name: string, store: string, keyPath: string): Promise<IDBDatabase> {
  const request = factory.open(name, 1)
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(store, { keyPath }))
  return answerOf(request)
}

export function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('unknown')))
  })
}
