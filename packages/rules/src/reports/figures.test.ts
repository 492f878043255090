import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { dayAt } from '../calendar/days.ts'
import type { RoomAir, Span } from './figures.ts'
import { homeFigures, hoursOf, mondayOf, roomFigures, Warmth } from './figures.ts'
import { monthSpan } from './months.ts'

const hour = 3_600_000
const zone = 'Europe/London'
const span = (year: number, month: number): Span => ({ ...monthSpan({ year, month }, zone), zone })
const october = span(2026, 10)
const hoursIn = ({ from, to }: Span) => Array.from({ length: (to - from) / hour }, (_, index) => from + index * hour)
const notAssessed = { level: 'not assessed', reason: '' } as const
/** A room with these first hours of a span. */
const room = (of: Span, airs: readonly { temperature: number; humidity: number }[]) => {
  const air: RoomAir = {
    temperature: Float64Array.from(airs, (one) => one.temperature),
    humidity: Float64Array.from(airs, (one) => one.humidity),
  }
  return roomFigures(air, of.from, of, notAssessed)
}

test('room hours match a simple model, in months with a clock change and in a leap year', () => {
  const months = fc.constantFrom(october, span(2026, 3), span(2028, 2), span(2026, 7))
  const air = fc.record({
    temperature: fc.integer({ min: 5, max: 30 }),
    humidity: fc.integer({ min: 20, max: 100 }),
  })
  fc.assert(
    fc.property(months, fc.array(air, { minLength: 760, maxLength: 760 }), (month, airs) => {
      const hours = hoursIn(month).map((at, index) => ({ at, ...airs[index]! }))
      const found = room(month, hours)
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

test('a room known for less than 70 % of the hours has no figures', () => {
  const all = hoursIn(october).map(() => ({ temperature: 15, humidity: 80 }))
  const few = room(october, all.slice(0, Math.ceil(hoursOf(october) * 0.7) - 1))
  assert.deepEqual([few.humidHours, few.meanTemperature, few.worstWeek], [null, null, null])
  assert.equal(room(october, all.slice(0, Math.ceil(hoursOf(october) * 0.7))).coldHours, 521 + 1)
  assert.equal(room(october, []).hoursKnown, 0)
})

test('an hour with one of both values missing is unknown, and hours outside the span do not count', () => {
  const temperature = new Float64Array(48 + hoursOf(october) + 5).fill(15)
  const humidity = new Float64Array(temperature.length).fill(80)
  humidity[48] = NaN
  temperature[49] = NaN
  const found = roomFigures({ temperature, humidity }, october.from - 48 * hour, october, notAssessed)
  assert.deepEqual([found.hoursKnown, found.humidHours, found.coldHours], [743, 743, 743])
})

test('weeks begin on Monday, and the worst one may begin before the month', () => {
  assert.equal(mondayOf('2026-11-22'), '2026-11-16')
  assert.equal(mondayOf('2026-11-23'), '2026-11-23')
  const hours = hoursIn(october).map((_, index) => ({ temperature: 20, humidity: index < 72 ? 90 : 40 }))
  assert.deepEqual([room(october, hours).worstWeek, room(october, hours).worstWeekHours], ['2026-09-28', 72])
})

test('the figures of a property are hourly means of its rooms, with set point, burner hours and energy', () => {
  const series = (value: number, from = 0, to = 745) =>
    Float64Array.from(hoursIn(october), (_, index) => (index >= from && index < to ? value : NaN))
  const found = homeFigures(
    {
      temperatures: [series(15), series(19)],
      setPoints: [series(21, 400)],
      burners: [30.5, 0],
      electricity: [series(1.5, 0, 100)],
    },
    october.from,
    october,
  )
  assert.deepEqual(found, {
    ...{ hoursKnown: 745, hours: 745, meanTemperature: 17, coldHours: 745, setPoint: 21, burnerHours: 30.5 },
    ...{ energy: 150, level: 'under-heated' },
  })
  const summer = span(2026, 7)
  const warm = homeFigures(
    { temperatures: [Float64Array.from(hoursIn(summer), () => 12)], setPoints: [], burners: [], electricity: [] },
    summer.from,
    summer,
  )
  assert.deepEqual([warm.level, warm.setPoint, warm.burnerHours, warm.energy], ['not assessed', null, null, null])
})

test('a property is compared with at least five of its kind, else with all, else with none', () => {
  const flat = { epcRating: 'D', architype: 'Apartment Mid-Block' }
  const cottage = { epcRating: 'C', architype: null }
  const many = new Warmth([
    { ...flat, sum: 100, count: 5 },
    { ...cottage, sum: 30, count: 2 },
  ])
  assert.deepEqual(many.of(flat, 18), { gap: 2, alike: 5, among: 'same rating and architype' })
  assert.deepEqual(many.of(cottage, 19), { gap: -0.4, alike: 7, among: 'all properties' })
  const nothing = { gap: null, alike: 0, among: null }
  assert.deepEqual(many.of(flat, null), nothing)
  assert.deepEqual(new Warmth([{ ...flat, sum: 60, count: 4 }]).of(flat, 15), nothing)
})
