import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { RequestStatus } from './status.ts'
import { formStatus } from './status.ts'

test('a form action is loading, then has succeeded or failed [core-4.3-1 core-4.3-2 dev-4alerts-5]', () => {
  const statuses: RequestStatus[] = ['init', 'loading', 'success', 'failed']
  assert.deepEqual(
    statuses.map((status) => formStatus([status])),
    statuses,
  )
  assert.equal(formStatus([]), 'init')
})

test('an error marks the form failed when nothing else of it is loading [core-4.3-3]', () => {
  assert.equal(formStatus(['success', 'failed', 'success']), 'failed')
})

test('an error does not mark the form failed while something else of it is loading [core-4.3-4]', () => {
  assert.equal(formStatus(['failed', 'loading']), 'loading')
  assert.equal(formStatus(['loading', 'failed', 'success']), 'loading')
})
