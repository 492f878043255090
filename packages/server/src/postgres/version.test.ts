import assert from 'node:assert/strict'
import { test } from 'vitest'
import { SettingError } from '../config.ts'
import { checkPostgresVersion } from './version.ts'

const accepted = [150014, 150018, 160010, 160011, 170006, 170010, 180000, 180004, 190000]
const refused: [number, RegExp][] = [
  [90624, /PostgreSQL 9\.6\.24 is too old: 15\.14 or newer/],
  [130022, /PostgreSQL 13\.22 is too old: 15\.14 or newer/],
  [140019, /PostgreSQL 14\.19 is too old: 15\.14 or newer/],
  [150000, /PostgreSQL 15\.0 .*: 15\.14 or newer/],
  [150013, /PostgreSQL 15\.13 .*: 15\.14 or newer/],
  [160009, /PostgreSQL 16\.9 .*: 16\.10 or newer/],
  [170005, /PostgreSQL 17\.5 .*: 17\.6 or newer/],
]

for (const number of accepted) {
  test(`server version ${number} is accepted`, () => checkPostgresVersion(number))
}

for (const [number, message] of refused) {
  test(`server version ${number} is rejected with the found and the required version`, () => {
    assert.throws(
      () => checkPostgresVersion(number),
      (error) => error instanceof SettingError && message.test(error.message),
    )
  })
}
