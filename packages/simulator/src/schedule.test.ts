import assert from 'node:assert/strict'
import { test } from 'vitest'
import { generator } from './random.ts'
import { createSchedule } from './schedule.ts'

test('tasks run in the order of their times, whatever order they were added in, including tasks added by a task', async () => {
  const schedule = createSchedule(Date.now)
  const random = generator('order')
  const start = Date.now()
  const ran: number[] = []
  await new Promise<void>((resolve) => {
    for (let count = 0; count < 500; count++) {
      const time = start + Math.floor(random() * 60)
      schedule.at(time, () => ran.push(time))
    }
    schedule.at(start + 70, () => {
      schedule.at(start + 80, resolve)
      schedule.at(start + 75, () => ran.push(start + 75))
    })
  })
  assert.equal(ran.length, 501)
  assert.deepEqual(
    ran,
    [...ran].sort((a, b) => a - b),
  )
})

test('an earlier task does not wait for a later one, and nothing runs after the stop', async () => {
  const schedule = createSchedule(Date.now)
  let late = false
  schedule.at(Date.now() + 30_000, () => (late = true))
  await new Promise<void>((resolve) => schedule.at(Date.now() + 5, resolve))
  schedule.at(Date.now(), () => (late = true))
  schedule.stop()
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(late, false)
})
