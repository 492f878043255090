import assert from 'node:assert/strict'
import { afterEach, test, vi } from 'vitest'
import { signOut } from './session.ts'

afterEach(() => vi.unstubAllGlobals())

test('a sign-out removes what the tab has stored', async () => {
  const stored = new Map([['caretaker-draft user north new user', 'Ann']])
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    removeItem: (key: string) => stored.delete(key),
    clear: () => stored.clear(),
  })
  await signOut()
  assert.equal(stored.size, 0)
})
