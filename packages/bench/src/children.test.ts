import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startChild, waitUntil } from './children.ts'

test('a process that does not report, or has ended, is waited for no longer than its limit', async () => {
  const child = startChild('load.ts')
  await assert.rejects(child.next(50), /load\.ts reported nothing within 50 ms/)
  await child.kill()
  await assert.rejects(child.next(60_000), /load\.ts has ended/)
})

test('a condition that never holds ends the wait with its name', async () => {
  await waitUntil('always', async () => true, 0)
  await assert.rejects(
    waitUntil('the worker has looked', async () => false, 0),
    /the worker has looked: not within 0 ms/,
  )
})
