import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  bandsOf,
  boundedTemperature,
  clockOf,
  copiedDay,
  emptyWeek,
  isEmptySchedule,
  minutesOf,
  scheduleIn,
  scheduleOf,
  steppedTemperature,
  temperatureAt,
  weekIn,
  weekOf,
  withSetPoint,
} from './schedule.ts'

test('a week has seven rows of four times and four temperatures, all 0 at first [est-3-30]', () => {
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

test('changing one value keeps all others, and a day is copied to the chosen days only', () => {
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

test('a day is divided into bands: the previous evening continues to the first set point, and the later of two at one time counts', () => {
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

test('a typed time is valid within 24 hours, with or without a colon', () => {
  const typed = { '06:30': 390, '6:30': 390, '0630': 390, '630': 390, ' 23.59 ': 1439, '00:00': 0 }
  for (const [text, minutes] of Object.entries(typed)) assert.equal(minutesOf(text), minutes, text)
  for (const text of ['', '6', '06:3', '24:00', '12:60', '1:2:3', '-1:00', '06:30 PM', 'noon'])
    assert.equal(minutesOf(text), undefined, text)
})

test('a temperature is 0 for not set, or from 5 to 35 °C', () => {
  const typed = { '-1': 0, 0: 0, 0.5: 5, 3: 5, 5: 5, 19.5: 19.5, 35: 35, 35.5: 35, 80: 35 }
  for (const [value, bounded] of Object.entries(typed)) assert.equal(boundedTemperature(Number(value)), bounded, value)
  const steps = [
    [0, 0.5, 5],
    [0, 3, 7.5],
    [0, -0.5, 0],
    [0, 0, 0],
    [5, -0.5, 0],
    [5, 0.5, 5.5],
    [20, 0.5, 20.5],
    [35, 0.5, 35],
    [19.6, 0, 19.6],
  ] as const
  for (const [value, by, next] of steps) assert.equal(steppedTemperature(value, by), next, `${value} and ${by}`)
})

const monday = { timeSetPoint1: 1320, tempSetPoint1: 16, timeSetPoint3: 390, tempSetPoint3: 20 }
const week = emptyWeek().map((row) => (row.weekDay === 'Monday' ? { ...row, ...monday } : row))

test('only set points that are set are sent, in order of time, and can be read back', () => {
  const schedule = scheduleOf(week)
  assert.deepEqual(schedule.Monday, [
    [390, 20],
    [1320, 16],
  ])
  assert.deepEqual(schedule.Tuesday, [])
  assert.deepEqual(scheduleOf(weekOf(schedule)), schedule)
  assert.ok(isEmptySchedule(scheduleOf(emptyWeek())) && !isEmptySchedule(schedule))
  const twice = withSetPoint(withSetPoint(week, 'Monday', 'timeSetPoint4', 390), 'Monday', 'tempSetPoint4', 21)
  assert.deepEqual(scheduleOf(twice).Monday, [
    [390, 21],
    [1320, 16],
  ])
  assert.deepEqual(scheduleIn({ schedules: { heating: schedule } }, 'heating'), schedule)
  for (const state of [{}, { schedules: null }, { schedules: { heating: { Monday: [] } } }])
    assert.equal(scheduleIn(state, 'heating'), null)
  assert.equal(scheduleIn({ schedules: { heating: { ...schedule, Friday: [['06:30', 20]] } } }, 'heating'), null)
})

test('the temperature at a time is that of the last set point, also of a previous day', () => {
  const schedule = scheduleOf(week)
  const cases = [
    ['Monday', 389, 16],
    ['Monday', 390, 20],
    ['Monday', 1439, 16],
    ['Thursday', 0, 16],
    ['Sunday', 700, 16],
  ] as const
  for (const [day, minutes, temperature] of cases)
    assert.equal(temperatureAt(schedule, day, minutes), temperature, `${day} ${minutes}`)
  assert.equal(temperatureAt(scheduleOf(emptyWeek()), 'Monday', 0), null)
})

test('a stored week is read within its limits, and anything else is rejected', () => {
  assert.deepEqual(weekIn(structuredClone(week)), week)
  assert.equal(weekIn(withSetPoint(week, 'Friday', 'tempSetPoint1', 80))![4]!.tempSetPoint1, 35)
  for (const kept of [undefined, null, 'week', [], week.slice(1), [...week.slice(1), { weekDay: 'Monday' }]])
    assert.equal(weekIn(kept), undefined)
})
