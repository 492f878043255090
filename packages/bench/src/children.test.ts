import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startChild, waitUntil } from './children.ts'

test('waiting for a process that does not report, or has exited, ends at the time limit', async () => {
  const child = startChild('load.ts')
  await assert.rejects(child.next(50), /load\.ts reported nothing within 50 ms/)
  await child.kill()
  await assert.rejects(child.next(60_000), /load\.ts has ended/)
})

test('waiting for a condition that never holds ends with its name', async () => {
  await waitUntil('always', async () => true, 0)
  await assert.rejects(
    waitUntil('the worker has looked', async () => false, 0),
    /the worker has looked: not within 0 ms/,
  )
})
