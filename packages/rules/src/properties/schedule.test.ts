import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockOf, copiedDay, emptyWeek, withSetPoint } from './schedule.ts'

test('a week is seven rows of four times and four temperatures, all 0 at first [est-3-30]', () => {
  const week = emptyWeek()
  assert.deepEqual(
    week.map(({ weekDay }) => weekDay),
    ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  )
  const fields = [1, 2, 3, 4].flatMap((at) => [`timeSetPoint${at}`, `tempSetPoint${at}`])
  for (const { weekDay: _, ...points } of week) {
    assert.deepEqual(Object.keys(points).sort(), fields.toSorted())
    assert.ok(Object.values(points).every((value) => value === 0))
  }
})

test('one value changes and all others stay; a day is copied to those that are named', () => {
  const week = withSetPoint(emptyWeek(), 'Tuesday', 'tempSetPoint2', 19.5)
  assert.deepEqual(
    week.map((row) => row.tempSetPoint2),
    [0, 19.5, 0, 0, 0, 0, 0],
  )
  const copied = copiedDay(week, 'Tuesday', ['Wednesday', 'Sunday'])
  assert.deepEqual(
    copied.map((row) => row.tempSetPoint2),
    [0, 19.5, 19.5, 0, 0, 0, 19.5],
  )
  assert.deepEqual(
    copied.map(({ weekDay }) => weekDay),
    emptyWeek().map(({ weekDay }) => weekDay),
  )
  assert.deepEqual([0, 390, 1439].map(clockOf), ['00:00', '06:30', '23:59'])
})
