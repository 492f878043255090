import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayAt } from '../calendar/days.ts'
import type { DampHour } from '../properties/damp.ts'
import type { Span } from './figures.ts'
import { homeFigures, hoursOf, mondayOf, roomFigures, Warmth } from './figures.ts'
import { monthSpan } from './months.ts'

const hour = 3_600_000
const zone = 'Europe/London'
const span = (year: number, month: number): Span => ({ ...monthSpan({ year, month }, zone), zone })
const october = span(2026, 10)
const hoursIn = ({ from, to }: Span) => Array.from({ length: (to - from) / hour }, (_, index) => from + index * hour)

test('hours of a room are counted as a naive model counts them, in months with a change of clocks and in a leap year', () => {
  const months = fc.constantFrom(october, span(2026, 3), span(2028, 2), span(2026, 7))
  const air = fc.record({
    temperature: fc.integer({ min: 5, max: 30 }),
    humidity: fc.integer({ min: 20, max: 100 }),
  })
  fc.assert(
    fc.property(months, fc.array(air, { minLength: 760, maxLength: 760 }), (month, airs) => {
      const hours = hoursIn(month).map((at, index): DampHour => ({ at, outside: 5, ...airs[index]! }))
      const found = roomFigures(hours, month)
      const weeks: Record<string, number> = {}
      let [humid, cold, sum] = [0, 0, 0]
      for (const one of hours) {
        sum += one.temperature
        if (one.temperature < 16) cold++
        if (one.humidity <= 70) continue
        humid++
        const monday = mondayOf(dayAt(one.at, zone))
        weeks[monday] = (weeks[monday] ?? 0) + 1
      }
      assert.deepEqual([found.humidHours, found.coldHours, found.hoursKnown], [humid, cold, hours.length])
      assert.equal(found.meanTemperature, Number((sum / hours.length).toFixed(1)))
      assert.equal(found.worstWeekHours ?? 0, Math.max(0, ...Object.values(weeks)))
      if (found.worstWeek) assert.equal(weeks[found.worstWeek], found.worstWeekHours)
    }),
    { numRuns: 30 },
  )
})

test('of a room that was known for less than 70 % of the hours nothing is counted', () => {
  const all = hoursIn(october).map((at): DampHour => ({ at, temperature: 15, humidity: 80, outside: 5 }))
  const few = roomFigures(all.slice(0, Math.ceil(hoursOf(october) * 0.7) - 1), october)
  assert.deepEqual([few.humidHours, few.meanTemperature, few.worstWeek, few.risk], [null, null, null, 'not assessed'])
  assert.equal(roomFigures(all.slice(0, Math.ceil(hoursOf(october) * 0.7)), october).coldHours, 521 + 1)
  assert.equal(roomFigures([], october).hoursKnown, 0)
})

test('a week begins on Monday, and the worst one may begin before the month', () => {
  assert.equal(mondayOf('2026-11-22'), '2026-11-16')
  assert.equal(mondayOf('2026-11-23'), '2026-11-23')
  const hours = hoursIn(october).map((at, index): DampHour => ({
    at,
    temperature: 20,
    humidity: index < 72 ? 90 : 40,
    outside: 5,
  }))
  assert.deepEqual(
    [roomFigures(hours, october).worstWeek, roomFigures(hours, october).worstWeekHours],
    ['2026-09-28', 72],
  )
})

test("a home's warmth is the mean of its rooms hour by hour, with set point, burner hours and energy", () => {
  const at = hoursIn(october)
  const series = (value: number, from = 0) => new Map(at.slice(from).map((one) => [one, value]))
  const found = homeFigures(
    {
      temperatures: [series(15), series(19)],
      setPoints: [series(21, 400)],
      burners: [
        { low: 100, high: 130.5 },
        { low: 5, high: 5 },
      ],
      electricity: [new Map(at.slice(0, 100).map((one) => [one, 1.5]))],
    },
    october,
  )
  assert.deepEqual(found, {
    ...{ hoursKnown: 745, hours: 745, meanTemperature: 17, coldHours: 745, setPoint: 21, burnerHours: 30.5 },
    ...{ energy: 150, level: 'under-heated' },
  })
  const summer = span(2026, 7)
  const warm = homeFigures(
    { temperatures: [new Map(hoursIn(summer).map((one) => [one, 12]))], setPoints: [], burners: [], electricity: [] },
    summer,
  )
  assert.deepEqual([warm.level, warm.setPoint, warm.burnerHours, warm.energy], ['not assessed', null, null, null])
})

test('a home is compared with five homes of its kind at least, else with all, else with none', () => {
  const flat = { epcRating: 'D', architype: 'Apartment Mid-Block' }
  const house = { epcRating: 'C', architype: null }
  const many = new Warmth([
    { ...flat, sum: 100, count: 5 },
    { ...house, sum: 30, count: 2 },
  ])
  assert.deepEqual(many.of(flat, 18), { gap: 2, alike: 5, among: 'same rating and architype' })
  assert.deepEqual(many.of(house, 19), { gap: -0.4, alike: 7, among: 'all homes' })
  const nothing = { gap: null, alike: 0, among: null }
  assert.deepEqual(many.of(flat, null), nothing)
  assert.deepEqual(new Warmth([{ ...flat, sum: 60, count: 4 }]).of(flat, 15), nothing)
})
