import assert from 'node:assert/strict'
import { test } from 'vitest'
import { bandsOf, clockOf, copiedDay, emptyWeek, minutesOf, withSetPoint } from './schedule.ts'

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

test('a day is bands: the evening before goes on until its first set point, times need no order, the later of two at one time counts', () => {
  const set = { timeSetPoint1: 390, tempSetPoint1: 20, timeSetPoint2: 1350, tempSetPoint2: 15 }
  const week = emptyWeek().map((row) =>
    row.weekDay === 'Sunday'
      ? { ...row, timeSetPoint4: 1380, tempSetPoint4: 16 }
      : row.weekDay === 'Monday'
        ? { ...row, ...set, timeSetPoint3: 540, tempSetPoint3: 17, timeSetPoint4: 540, tempSetPoint4: 18 }
        : row,
  )
  assert.deepEqual(bandsOf(week, 'Monday'), [
    { from: 0, to: 390, temperature: 16 },
    { from: 390, to: 540, temperature: 20 },
    { from: 540, to: 1350, temperature: 18 },
    { from: 1350, to: 1440, temperature: 15 },
  ])
  assert.deepEqual(bandsOf(emptyWeek(), 'Friday'), [{ from: 0, to: 1440, temperature: 0 }])
})

test('a typed time is one of 24 hours, with a colon or without; anything else is none', () => {
  const typed = { '06:30': 390, '6:30': 390, '0630': 390, '630': 390, ' 23.59 ': 1439, '00:00': 0 }
  for (const [text, minutes] of Object.entries(typed)) assert.equal(minutesOf(text), minutes, text)
  for (const text of ['', '6', '06:3', '24:00', '12:60', '1:2:3', '-1:00', '06:30 PM', 'noon'])
    assert.equal(minutesOf(text), undefined, text)
})
