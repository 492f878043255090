import assert from 'node:assert/strict'
import { test } from 'vitest'
import { defaultPreferences, preferenceStore } from './preferences.ts'

const broken = preferenceStore(() => {
  throw new Error('no database here')
})

test('nothing stored means false [core-3-59 core-3-60]', async () => {
  assert.deepEqual(defaultPreferences, { showMenu: false, hideNetworkModal: false, closedBcms: false })
  const empty = preferenceStore(() => emptyDatabase())
  assert.equal(await empty.get('showMenu'), false)
  assert.equal(await empty.get('hideNetworkModal'), false)
})

test('each failure of the store has its message [core-8-29 core-8-30 core-8-31 core-8-32]', async () => {
  await assert.rejects(broken.add('showMenu', true), { message: 'Failed to add record' })
  await assert.rejects(broken.remove('showMenu'), { message: 'Failed to delete record' })
  await assert.rejects(broken.get('showMenu'), { message: 'Failed to get record' })
  await assert.rejects(broken.update('showMenu', true), { message: 'Failed to update record' })
})

/** The part of IndexedDB that an empty store needs. */
function emptyDatabase(): IDBFactory {
  const answered = (result: unknown) => {
    const request = Object.assign(new EventTarget(), { result })
    queueMicrotask(() => request.dispatchEvent(new Event('success')))
    return request
  }
  const store = { get: () => answered(undefined) }
  return { open: () => answered({ transaction: () => ({ objectStore: () => store }) }) } as unknown as IDBFactory
}
