import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import type { DampHour } from './damp.ts'
import {
  dampCellHours,
  dampCells,
  dampDefaults,
  dampFiguresFault,
  dampHour,
  dampPressingSince,
  dampRisk,
  dampSince,
  dampStateAfter,
  dampStateOf,
  isHeatingSeason,
  meanOutside,
  mouldAfter,
  noMould,
  outsideOf,
  riskOf,
  surfaceOf,
  usualWeather,
  worstOf,
} from './damp.ts'

const hour = 3_600_000
const now = Date.parse('2026-01-20T12:00:00Z')
const mouldIndex = (some: readonly DampHour[], factor: number) => mouldAfter(noMould, some, factor).index
/** `count` hours up to now, each with the given air. */
const hours = (count: number, air: Partial<DampHour> | ((ago: number) => Partial<DampHour>)): DampHour[] =>
  Array.from({ length: count }, (_, ago) => ({
    at: now - (ago + 1) * hour,
    ...{ temperature: 19, humidity: 55, outside: 5 },
    ...(typeof air === 'function' ? air(ago) : air),
  }))
const risk = (some: readonly DampHour[], isSeason = true) => dampRisk(some, { now, isSeason })

test('the humidity of a cold surface matches the worked examples', () => {
  const at = (factor: number) => Math.round(surfaceOf({ temperature: 18, humidity: 65, outside: 5 }, factor).humidity)
  assert.deepEqual([at(0.75), at(0.65), at(1)], [80, 87, 65])
  assert.equal(surfaceOf({ temperature: 18, humidity: 98, outside: -10 }, 0.75).humidity, 100)
})

test('humid days give watch from three and high from five', () => {
  const humidFor = (days: number) => risk(hours(168, (ago) => ({ humidity: ago < days * 24 ? 68 : 50 })))
  assert.deepEqual(
    [0, 2, 3, 4, 5].map((days) => [humidFor(days).humidDays, humidFor(days).level]),
    [
      [0, 'low'],
      [2, 'low'],
      [3, 'watch'],
      [4, 'watch'],
      [5, 'high'],
    ],
  )
  assert.equal(humidFor(3).reason, 'Cold surfaces were at 80 % humidity or more on 3 of the last 7 days.')
  assert.match(humidFor(0).reason, /stayed below 80 %/)
})

test('lasting growth conditions are high, then severe, without any inspection', () => {
  const wet = (days: number, air: Partial<DampHour> = {}) => risk(hours(days * 24, { humidity: 80, ...air }))
  assert.ok(wet(30).index > wet(7).index)
  assert.equal(wet(42, { temperature: 25, outside: 22, humidity: 99 }).level, 'severe')
  assert.match(wet(42, { temperature: 25, outside: 22, humidity: 99 }).reason, /Conditions for growth have lasted/)
  assert.equal(mouldIndex(hours(2000, { humidity: 45 }), 0.75), 0)
  // The index falls slowly when the surface dries.
  const dried = mouldIndex(hours(90 * 24, (ago) => ({ humidity: ago < 30 * 24 ? 45 : 80 })).toReversed(), 0.75)
  assert.ok(dried > 0 && dried < mouldIndex(hours(60 * 24, { humidity: 80 }), 0.75))
})

test('for any readings the index stays between 0 and 6', () => {
  for (const temperature of [-20, 0, 5, 20, 49, 60])
    for (const humidity of [0, 60, 80, 100])
      for (const outside of [-25, 5, 40]) {
        const index = mouldIndex(hours(3000, { temperature, humidity, outside }), 0.75)
        assert.ok(index >= 0 && index <= 6, `${temperature} ${humidity} ${outside}: ${index}`)
      }
})

test('a room with too few readings is not assessed', () => {
  assert.deepEqual(
    [risk(hours(117, { humidity: 90 })).level, risk(hours(118, { humidity: 90 })).level],
    ['not assessed', 'high'],
  )
  assert.equal(risk([]).reason, 'There are readings for 0 of the last 168 hours; 118 are needed.')
  // Readings older than a week do not replace it.
  assert.equal(risk(hours(400, {}).slice(168)).level, 'not assessed')
})

test('a room below 18 °C all week in the heating season is cold, and with a mean below 16 °C severely cold', () => {
  const cold = (temperature: number, isSeason = true) => risk(hours(168, { temperature, humidity: 40 }), isSeason).cold
  assert.deepEqual([cold(18), cold(17.9), cold(15.9), cold(15.9, false)], [null, 'cold', 'severely cold', null])
  assert.deepEqual(['2026-10-01', '2026-03-31', '2026-04-01', '2026-09-30'].map(isHeatingSeason), [
    true,
    true,
    false,
    false,
  ])
})

test('the worst room determines the level of the property', () => {
  assert.equal(worstOf(['low', 'not assessed', 'high', 'watch']), 'high')
  assert.equal(worstOf(['not assessed', 'low']), 'low')
  assert.equal(worstOf([]), 'not assessed')
})

test('the figures of a client have limits and an order', () => {
  assert.equal(dampFiguresFault(dampDefaults), undefined)
  assert.match(dampFiguresFault({ ...dampDefaults, surfaceFactor: 1 })!, /surfaceFactor/)
  assert.match(dampFiguresFault({ ...dampDefaults, outside: Number.NaN })!, /outside/)
  assert.match(dampFiguresFault({ ...dampDefaults, watchDays: 6 })!, /highDays/)
  assert.match(dampFiguresFault({ ...dampDefaults, watchDays: 2.5 })!, /whole/)
  assert.match(dampFiguresFault({ ...dampDefaults, severeMean: 20 })!, /coldMost/)
})

test('adding hours one by one gives the same as all hours at once', () => {
  const all = hours(40 * 24, (ago) => ({
    temperature: 16 + 3 * Math.sin(ago / 7),
    humidity: 74 + 14 * Math.cos(ago / 50),
    outside: 4 + Math.sin(ago / 5),
  })).toReversed()
  const start = now - 20 * 24 * hour
  let state = dampStateOf(all, { now: start })
  for (let until = start + hour; until <= now; until += hour) {
    const next = all.filter(({ at }) => at === until - hour).map((one) => dampHour(one))
    state = dampStateAfter(state, next, { until, figures: dampDefaults })
  }
  const kept = riskOf(state, { now, isSeason: true })
  assert.deepEqual(kept, risk(all))
  assert.ok(kept.index > 0.1 && kept.humidDays > 0, 'it tells something')
  assert.equal(state.hours.length, 168)
})

test('the current hour does not count yet, nor hours older than six weeks', () => {
  const dry = hours(168, { humidity: 45 })
  const going = { at: now, temperature: 19, humidity: 100, outside: 5 }
  assert.deepEqual(risk([...dry, going]), risk(dry))
  const long = hours(42 * 24, { humidity: 80 })
  assert.deepEqual(risk(hours(80 * 24, { humidity: 80 })), risk(long))
})

test('a pressing room stays pressing until it is known to have dried', () => {
  const since = (before: number | null, level: Parameters<typeof dampPressingSince>[1]) =>
    dampPressingSince(before, level, 9)
  assert.deepEqual(
    [
      since(null, 'watch'),
      since(null, 'high'),
      since(3, 'severe'),
      since(3, 'not assessed'),
      since(3, 'watch'),
      since(null, 'not assessed'),
    ],
    [null, 9, 3, 3, null, null],
  )
})

test('a room assessed for the first time has a start of its level from its hours', () => {
  const since = (some: readonly DampHour[]) => (now - dampSince(some, { now, isSeason: true })) / (24 * hour)
  assert.equal(since(hours(20 * 24, (ago) => ({ humidity: ago < 9 * 24 ? 68 : 50 }))), 4, 'the fifth humid day')
  assert.equal(since(hours(20 * 24, { humidity: 50 })), 15, 'before that too little is known')
  assert.equal(since([]), 41, 'and of nothing nothing is told')
})

test("measured outside temperatures count; otherwise the mean of the month or the client's setting is assumed", () => {
  const any = fc.record({
    at: fc.integer({ min: Date.parse('2019-01-01'), max: Date.parse('2060-01-01') }),
    measured: fc.option(fc.double({ min: -60, max: 60, noNaN: true }), { nil: undefined }),
    assumed: fc.oneof(
      fc.double({ min: -20, max: 25, noNaN: true }),
      fc.constantFrom('long-term mean' as const, 'unknown' as const),
    ),
  })
  fc.assert(
    fc.property(any, ({ at, measured, assumed }) => {
      const found = outsideOf(at, measured, assumed)
      assert.equal(found.isAssumed === true, measured === undefined)
      if (measured !== undefined) assert.equal(found.outside, measured)
      else if (typeof assumed === 'number') assert.equal(found.outside, assumed)
      else if (assumed === 'unknown') assert.equal(found.outside, null)
      else assert.equal(found.outside, meanOutside[Number(new Date(at).toISOString().slice(5, 7)) - 1])
    }),
  )
  assert.deepEqual(['Europe/London', 'Europe/Paris'].map(usualWeather), ['long-term mean', 'unknown'])
})

test('the same air is damper in colder weather, so that winter is not assumed in summer', () => {
  fc.assert(
    fc.property(
      fc.record({
        temperature: fc.integer({ min: 10, max: 26 }),
        humidity: fc.integer({ min: 30, max: 95 }),
        colder: fc.double({ min: -10, max: 25, noNaN: true }),
        by: fc.double({ min: 0, max: 15, noNaN: true }),
      }),
      ({ temperature, humidity, colder, by }) => {
        const at = (outside: number) => risk(hours(168, { temperature, humidity, outside }))
        assert.ok(at(colder).humidDays >= at(colder + by).humidDays)
        assert.ok(at(colder).meanTemperature === at(colder + by).meanTemperature)
      },
    ),
    { numRuns: 50 },
  )
})

/** A week of a room up to a day, without measured weather. */
const assumedWeek = (
  day: string,
  assumed: Parameters<typeof outsideOf>[2],
  air = { temperature: 18, humidity: 66 },
) => {
  const until = Date.parse(day)
  const week = Array.from({ length: 168 }, (_, ago) => {
    const at = until - (ago + 1) * hour
    return { ...air, at, ...outsideOf(at, undefined, assumed) }
  })
  return dampRisk(week, { now: until, isSeason: false, figures: { ...dampDefaults, outside: assumed } })
}

test('the reason states the assumed weather, and a room with unknown weather is not assessed', () => {
  const july = assumedWeek('2026-07-20T00:00:00Z', 'long-term mean')
  assert.equal(july.level, 'low')
  assert.match(july.reason, / Assumed outside temperature: about 17 °C in July \(long-term mean\)\.$/)
  const january = assumedWeek('2026-01-20T00:00:00Z', 'long-term mean')
  assert.equal(january.level, 'high')
  assert.match(january.reason, / Assumed outside temperature: about 4 °C in January \(long-term mean\)\.$/)
  assert.match(
    assumedWeek('2026-09-03T00:00:00Z', 'long-term mean').reason,
    / Assumed outside temperature: about 16 °C in August and 14 °C in September/,
  )
  assert.match(assumedWeek('2026-07-20T00:00:00Z', 12).reason, / Assumed outside temperature: 12 °C\.$/)
  assert.doesNotMatch(risk(hours(168, {})).reason, /assumed/i)
  const unknown = assumedWeek('2026-07-20T00:00:00Z', 'unknown')
  assert.deepEqual(
    [unknown.level, unknown.index, unknown.reason],
    ['not assessed', 0, 'The outside temperature is known for 0 of the last 168 hours; 118 are needed.'],
  )
})

test('a cell has the level assessed at its end, or none without an assessment', () => {
  // Dry for five weeks, wet for three, and two days of the latter without readings.
  const known = hours(56 * 24, (ago) => ({ humidity: ago < 21 * 24 ? 82 : 50 })).filter(
    ({ at }) => at < now - 12 * 24 * hour || at >= now - 10 * 24 * hour,
  )
  const inOrder = known.toSorted((a, b) => a.at - b.at)
  const range = { from: now - 28 * 24 * hour, to: now }
  const cells = dampCells(inOrder, range, dampDefaults)
  const length = dampCellHours(range) * hour
  assert.equal(cells.length, Math.ceil((range.to - range.from) / length))
  for (const [at, cell] of cells.entries()) {
    const end = Math.min(range.from + (at + 1) * length, now)
    const isMeasured = inOrder.some((one) => one.at >= end - length && one.at < end)
    const { level } = dampRisk(
      inOrder.filter((one) => one.at < end),
      { now: end, isSeason: true },
    )
    assert.equal(cell, isMeasured && level !== 'not assessed' ? level : null, new Date(end).toISOString())
  }
  assert.deepEqual([...new Set(cells)], ['low', 'watch', 'high', null])
})
