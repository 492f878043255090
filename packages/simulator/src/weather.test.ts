import assert from 'node:assert/strict'
import { test } from 'vitest'
import { weather } from './weather.ts'

const hour = 3_600_000
const leeds = { latitude: 53.8, longitude: -1.55 }

function hours(from: number, count: number, place = leeds) {
  return Array.from({ length: count }, (_, index) => weather(from + index * hour, place))
}
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

test('the weather of five years stays within the usual range of Great Britain, and never jumps', () => {
  let before: number | undefined
  for (let now = Date.UTC(2024, 0, 1); now < Date.UTC(2029, 0, 1); now += hour / 2) {
    const { temperature, humidity } = weather(now, leeds)
    assert.ok(temperature > -12 && temperature < 34, `${temperature} °C`)
    assert.ok(humidity > 45 && humidity <= 100, `${humidity} %`)
    if (before !== undefined) assert.ok(Math.abs(temperature - before) < 1, `${before} to ${temperature}`)
    before = temperature
  }
})

test('January is colder than July, the night than the day, the north than the south', () => {
  const month = (index: number) => mean(hours(Date.UTC(2026, index, 1), 720).map(({ temperature }) => temperature))
  assert.ok(month(0) < 6 && month(6) > 13, `${month(0)} and ${month(6)}`)
  const summer = hours(Date.UTC(2026, 5, 1), 720)
  const at = (wanted: number) => mean(summer.filter((_, index) => index % 24 === wanted).map((one) => one.temperature))
  assert.ok(at(15) > at(4) + 3)
  const year = (latitude: number) =>
    mean(hours(Date.UTC(2026, 0, 1), 8760, { latitude, longitude: -1.5 }).map(({ temperature }) => temperature))
  assert.ok(year(57) < year(51))
})

test('neighbours have nearly the same weather at the same time', () => {
  for (let now = Date.UTC(2026, 0, 1); now < Date.UTC(2026, 3, 1); now += hour) {
    const near = weather(now, { latitude: 53.82, longitude: -1.53 })
    assert.ok(Math.abs(near.temperature - weather(now, leeds).temperature) < 0.2)
  }
})
