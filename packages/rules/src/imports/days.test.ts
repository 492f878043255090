import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { dayIn } from './days.ts'

const reading = { today: '2026-11-21', zone: 'Europe/London' }
const read = (text: string) => dayIn({ kind: 'text', text }, reading)

describe('dates written by software are parsed', () => {
  const written = [
    '2025-11-03T00:00:00Z',
    '2025-11-03T00:00:00.000Z',
    '2025-11-03 00:00:00.000',
    '2025-11-03T00:00:00+00:00',
    '2025-11-03 00:00:00+00',
    '2025-11-03 00:00:00 +0000 UTC',
    '2025-11-03T10:15',
    '2025-11-03T10:15:30.1234567Z',
    '2025/11/03',
    '2025.11.03',
    '2025-Nov-03',
    '03/11/2025 10:15:00 AM',
    '03/11/2025 12:00:00 am',
    '03/11/2025, 10:15',
    '3/11/2025 9:05',
    '03.11.2025',
    '03 / 11 / 2025',
    '03\u201111\u20112025',
    '03\u00a0November\u00a02025',
    '3rd November 2025',
    '3rd of November, 2025',
    '3 Nov. 2025',
    '03Nov2025',
    '03-NOV-2025',
    'November 3, 2025',
    'Nov 3rd 2025',
    'Mon 3 Nov 2025',
    'Monday, 3 November 2025',
    'Mon, 03 Nov 2025 00:00:00 GMT',
    'Mon Nov 03 2025 00:00:00 GMT+0000 (Greenwich Mean Time)',
    'Mon Nov  3 00:00:00 UTC 2025',
  ]
  for (const text of written) test(text, () => assert.deepEqual(read(text), { day: '2025-11-03' }))

  test('a two-digit year is read with a note', () => {
    for (const text of ['03-Nov-25', '3/11/25', "3 Nov '25"])
      assert.deepEqual(read(text), { day: '2025-11-03', note: 'Read as 03/11/2025' }, text)
    assert.deepEqual(read('3 Sept 26'), { day: '2026-09-03', note: 'Read as 03/09/2026' })
  })

  test('a summer midnight written in UTC is the day that begins then; other times keep their day', () => {
    assert.deepEqual(read('2025-07-13T23:00:00.000Z'), { day: '2025-07-14', note: 'Read as 14/07/2025' })
    assert.deepEqual(read('2025-07-13T22:59:00Z'), { day: '2025-07-13' })
    assert.deepEqual(read('2025-11-02T23:00:00Z'), { day: '2025-11-02' })
    assert.deepEqual(read('2025-07-14T00:00:00+01:00'), { day: '2025-07-14' })
  })

  test('plain numbers are reported and not guessed', () => {
    const named = (text: string, day: string) => ({
      message: `${text} is a number and not a date. If it means ${day}, write that day`,
    })
    assert.deepEqual(read('45964'), named('45964', '03/11/2025'))
    assert.deepEqual(dayIn({ kind: 'number', text: '45964.5' }, reading), named('45964.5', '03/11/2025'))
    assert.deepEqual(read('20251103'), named('20251103', '03/11/2025'))
    assert.deepEqual(read('1762128000'), named('1762128000', '03/11/2025'))
    assert.deepEqual(read('03112025'), {
      message: '03112025 is a number and not a date. Write the day as 03/11/2025',
    })
    for (const text of ['0', '7', '2025']) assert.deepEqual(read(text), { message: 'Not a date' }, text)
  })

  test('invalid days and days with the wrong weekday are rejected', () => {
    for (const text of ['Nov-25', 'November 2025', '14/03/25.', '03/11/2025 25:00', '3 Foo 2025', 'n/a', '2025-11'])
      assert.deepEqual(read(text), { message: 'Not a date' }, text)
    assert.deepEqual(read('Tue 3 Nov 2025'), { message: 'Tue 3 Nov 2025 is not a day: 03/11/2025 is a Monday' })
    assert.deepEqual(read('2025/02/29'), { message: '2025/02/29 is not a day: February 2025 has 28 days' })
    assert.deepEqual(read('2025-13-01T00:00:00Z'), {
      message: '2025-13-01T00:00:00Z is not a day: there is no month 13',
    })
  })
})
