import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import type { History, Rule, Interval } from './engine.ts'
import { episodesOf, gatewayGrace, previewOf, sendings, usualPace } from './engine.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const forever: Interval = { began: 0, seen: 0, ended: null }
const spell = (began: number, ended: number | null = null, seen = began): Interval => ({ began, seen, ended })
const { wait, interval, clearing } = usualPace
const rule = (bend: Partial<Rule> = {}): Rule => ({
  ...{ delay: hour, from: 0, atOnce: false, ofSilence: false, pace: usualPace },
  ...bend,
})
const history = (active: Interval[], bend: Partial<History> = {}): History => ({
  ...{ subjectId: 'a', place: 'house', inScope: [forever], active, muted: [], gatewayOffline: [] },
  isBehind: (bend.gatewayOffline?.length ?? 0) > 0,
  ...bend,
})
const notifications = (histories: History[], bend: Partial<Rule> = {}, until = 100 * day) =>
  sendings(rule(bend), histories, until).map(({ at, kind, episodes }) => [
    kind,
    at / minute,
    episodes.map((one) => one.subjectId).join(''),
  ])

test('an alert is sent once after the delay, and its end once after it has stayed over', () => {
  assert.deepEqual(notifications([history([spell(0, 3 * hour)])]), [
    ['told', 62, 'a'],
    ['over', 212, 'a'],
  ])
  assert.deepEqual(notifications([history([spell(0)])]), [['told', 62, 'a']])
})

test('a condition that ends before its delay sends nothing, not even its end', () => {
  assert.deepEqual(notifications([history([spell(0, hour)])]), [])
  assert.deepEqual(notifications([history([spell(0, hour + 1)])]).length, 2)
})

test('without a delay the e-mail is sent at once, apart from the short wait for others', () => {
  assert.deepEqual(notifications([history([spell(0)])], { delay: 0 }), [['told', wait / minute, 'a']])
  assert.deepEqual(notifications([history([spell(0)])], { delay: 0, atOnce: true }), [['told', 0, 'a']])
})

test('the delay starts when the condition began, but not before it was known', () => {
  assert.deepEqual(notifications([history([spell(0, null, 30 * minute)])]), [['told', 62, 'a']])
  assert.deepEqual(notifications([history([spell(0, null, 5 * hour)])]), [['told', 302, 'a']])
})

test('a device that gets the tag later, or an older condition than the rule, is notified from then on', () => {
  assert.deepEqual(notifications([history([spell(0)], { inScope: [spell(2 * hour)] })]), [['told', 122, 'a']])
  assert.deepEqual(notifications([history([spell(0)])], { from: 3 * hour }), [['told', 182, 'a']])
})

test('without the tag nothing is sent, and removing it ends an alert', () => {
  assert.deepEqual(notifications([history([spell(0)], { inScope: [] })]), [])
  const [one] = episodesOf(rule(), history([spell(0)], { inScope: [{ began: 0, seen: 0, ended: 5 * hour }] }))
  assert.equal(one!.ended, 5 * hour)
})

test('an alert ends at once when the device leaves the scope, and is sent again when it returns', () => {
  const tagged = [spell(0, 5 * hour), spell(5 * hour + 10 * minute)]
  const [first, second] = episodesOf(rule(), history([spell(0)], { inScope: tagged }))
  assert.deepEqual([first!.ended, first!.over], [5 * hour, 5 * hour])
  assert.deepEqual([second!.seen, second!.due, second!.ended], [5 * hour + 10 * minute, 5 * hour + 10 * minute, null])
  const [mended] = episodesOf(rule(), history([spell(0, 4 * hour)], { inScope: [spell(0, 5 * hour)] }))
  assert.equal(mended!.over, 4 * hour + clearing, 'what ended by itself stays open for a while')
})

test('a condition that returns within half an hour continues the same alert', () => {
  const active = [spell(0, 2 * hour), spell(2 * hour + clearing - minute, 4 * hour)]
  assert.deepEqual(notifications([history(active)]), [
    ['told', 62, 'a'],
    ['over', 272, 'a'],
  ])
  const later = [spell(0, 2 * hour), spell(2 * hour + clearing + minute, 4 * hour)]
  assert.equal(notifications([history(later)]).length, 4)
})

test('an interrupted delay starts again', () => {
  assert.deepEqual(notifications([history([spell(0, 50 * minute), spell(55 * minute)])]), [['told', 117, 'a']])
})

test('at the fourth time within a day an alert is unstable: sent, and over only after a quiet day', () => {
  const every = (n: number) => spell(n * 2 * hour, n * 2 * hour + 10 * minute)
  const sent = notifications([history([0, 1, 2, 3, 4, 5].map(every))], { delay: 0 })
  assert.equal(sent.filter(([kind]) => kind === 'told').length, 4)
  assert.deepEqual(sent.at(-1), ['over', (10 * hour + 10 * minute + day + wait) / minute, 'a'])
  const episodes = episodesOf(rule({ delay: 0 }), history([0, 1, 2, 3, 4, 5].map(every)))
  assert.deepEqual(
    episodes.map((one) => one.unstable),
    [false, false, false, true],
  )
})

test('an alert in a void property is recorded, and sent after the release if it is still active', () => {
  const muted = [spell(0, 8 * hour)]
  assert.deepEqual(notifications([history([spell(0)], { muted })]), [['told', 482, 'a']])
  assert.deepEqual(notifications([history([spell(0, 7 * hour)], { muted })]), [])
  const [held] = episodesOf(rule(), history([spell(0)], { muted: [spell(0)] }))
  assert.deepEqual([held!.due, held!.held], [null, 'muted'])
})

test('an alert sent before its property became void ends when the device reports the end', () => {
  const sent = notifications([history([spell(0, 4 * hour)], { muted: [spell(2 * hour)] })])
  assert.deepEqual(
    sent.map(([kind]) => kind),
    ['told', 'over'],
  )
})

const silence = { ofSilence: true } as const

test('lights connected through a silent gateway send no alerts of their own', () => {
  const lights = ['b', 'c'].map((subjectId) =>
    history([spell(0, 5 * hour)], { subjectId, gatewayOffline: [spell(0, 4 * hour)] }),
  )
  const gateway = history([spell(0, 4 * hour)], { subjectId: 'a' })
  assert.deepEqual(notifications([gateway, ...lights], silence), [
    ['told', 62, 'a'],
    ['over', 272, 'a'],
  ])
})

test('a light that stays silent after its gateway returned sends its own alert after its reporting time', () => {
  const light = history([spell(0)], { gatewayOffline: [spell(0, 4 * hour)] })
  assert.deepEqual(notifications([light], silence), [['told', 302, 'a']])
  assert.deepEqual(notifications([light], { ...silence, delay: 0 }), [['told', 272, 'a']])
})

test('a light waits until the silence of its gateway can be known', () => {
  const light = history([spell(0)], { gatewayOffline: [spell(0, null, minute)] })
  assert.deepEqual(notifications([light], { ...silence, delay: 0 }), [])
  assert.ok(gatewayGrace >= minute)
})

test('rules about other conditions send alerts although the gateway is silent', () => {
  assert.deepEqual(notifications([history([spell(0)], { gatewayOffline: [spell(0)] })]), [['told', 62, 'a']])
})

test('alerts that become due together in one place share an e-mail, later ones the next', () => {
  const lights = [0, 1, 2, 3, 30].map((n) => history([spell(n * minute)], { subjectId: String.fromCharCode(97 + n) }))
  assert.deepEqual(notifications(lights), [
    ['told', 62, 'abc'],
    ['told', 62 + interval / minute, 'd'],
    ['told', 92, String.fromCharCode(97 + 30)],
  ])
  const elsewhere = history([spell(0)], { subjectId: 'z', place: 'other' })
  assert.equal(notifications([lights[0]!, elsewhere]).length, 2)
})

test('an outage of four hundred lights sends one e-mail', () => {
  const lights = Array.from({ length: 400 }, (_, n) => history([spell(0)], { subjectId: `l${n}` }))
  const sent = sendings(rule(), lights, day)
  assert.equal(sent.length, 1)
  assert.equal(sent[0]!.episodes.length, 400)
})

test('the preview counts e-mails by day, for the last thirty days only', () => {
  const now = 40 * day
  const active = [spell(5 * day, 5 * day + 2 * hour), spell(11 * day, 11 * day + 2 * hour), spell(now - 2 * hour)]
  const { days, count, latest } = previewOf(rule(), [history(active)], now)
  assert.equal(days.length, 30)
  assert.deepEqual([days[1], days[29], count], [1, 1, 2])
  assert.deepEqual(latest, { at: now - hour + wait, subjectId: 'a', subjects: 1 })
})

const spells = fc
  .array(
    fc.record({ gap: fc.integer({ min: 1, max: 90 }), length: fc.integer({ min: 1, max: 300 }), late: fc.nat(20) }),
    {
      maxLength: 8,
    },
  )
  .map((parts) => {
    let at = 0
    return parts.map(({ gap, length, late }): Interval => {
      const seen = at + (gap + late) * minute
      const ended = seen + length * minute
      const one = { began: at + gap * minute, seen, ended }
      at = ended
      return one
    })
  })
const someHistory = fc.record({
  subjectId: fc.constantFrom('a', 'b', 'c', 'd'),
  place: fc.constantFrom('house', 'other'),
  inScope: fc.oneof(fc.constant([forever]), spells),
  active: spells,
  muted: fc.oneof(fc.constant([]), spells),
  isBehind: fc.constant(true),
  gatewayOffline: fc.oneof(fc.constant([]), spells),
})
const someRule = fc.record({
  delay: fc.integer({ min: 0, max: 120 }).map((n) => n * minute),
  from: fc.constant(0),
  atOnce: fc.boolean(),
  ofSilence: fc.boolean(),
  pace: fc.constant(usualPace),
})
const upTo = (at: number) => (all: readonly Interval[]) =>
  all
    .filter((one) => one.seen <= at)
    .map((one) => ({ ...one, ended: one.ended !== null && one.ended <= at ? one.ended : null }))

test('facts learned later do not change what was sent before', () => {
  fc.assert(
    fc.property(
      someRule,
      fc.uniqueArray(someHistory, { maxLength: 4, selector: (one) => one.subjectId }),
      fc.integer({ min: 0, max: 3000 }).map((n) => n * minute),
      (some, histories, at) => {
        const known = upTo(at)
        const then = histories.map((one) => ({
          ...{ ...one, inScope: known(one.inScope), active: known(one.active) },
          ...{ muted: known(one.muted), gatewayOffline: known(one.gatewayOffline) },
        }))
        const notifications = (all: History[]) =>
          sendings(some, all, at).map((one) => [
            one.at,
            one.kind,
            one.place,
            one.episodes.map((e) => [e.subjectId, e.seen]),
          ])
        assert.deepEqual(notifications(then), notifications(histories))
      },
    ),
    { numRuns: 500 },
  )
})

/**
 * A reference model that evaluates minute by minute without looking ahead: in each minute it sees the current state and
 * remembers what was sent. Slow.
 */
function naive(some: Rule, histories: readonly History[], until: number) {
  interface Memory {
    was: boolean
    /** The active interval at the last evaluation in which the rule covered it. */
    spell: Interval | undefined
    /** Start of the delay; null while inactive or already sent. */
    timer: number | null
    waitsForGateway: boolean
    sentAt: number[]
    /** The sent alert that is not over: when it ended, and how long it must stay ended. */
    open: { ended: number | null; clear: number } | null
  }
  const at = (spells: readonly Interval[], now: number) =>
    spells.find((one) => one.seen <= now && (one.ended === null || now < one.ended))
  const memory = new Map(
    histories.map((one): [History, Memory] => [
      one,
      { was: false, spell: undefined, timer: null, waitsForGateway: false, sentAt: [], open: null },
    ]),
  )
  const posts = new Map<string, { next: number | null; last: number; who: string[] }>()
  const sent: (string | number)[][] = []
  for (let now = 0; now <= until; now += minute) {
    const queue = (kind: 'told' | 'over', { place, subjectId }: History) => {
      const post = posts.get(`${kind} ${place}`) ?? { next: null, last: -Infinity, who: [] }
      posts.set(`${kind} ${place}`, post)
      post.next ??= some.atOnce ? now : Math.max(now + some.pace.wait, post.last + some.pace.interval)
      post.who.push(subjectId)
    }
    for (const [history, one] of memory) {
      const active = at(history.active, now)
      const is = active !== undefined && at(history.inScope, now) !== undefined
      if (one.open?.ended != null && now >= one.open.ended + one.open.clear) {
        queue('over', history)
        one.open = null
      }
      if (one.open) {
        if (is) one.open.ended = null
        else if (one.was && (one.spell!.ended ?? Infinity) > now) {
          // The rule no longer covers it, so the alert is over at once.
          queue('over', history)
          one.open = null
        } else one.open.ended ??= now
      } else if (is && !one.was) {
        one.timer =
          Math.max(active.began + some.delay, now, some.from) + (some.ofSilence && history.isBehind ? gatewayGrace : 0)
        one.waitsForGateway = false
      }
      if (!is) one.timer = null
      one.was = is
      if (is) one.spell = active
      if (one.timer === null || now < one.timer) continue
      const isGatewayOffline = some.ofSilence && at(history.gatewayOffline, now) !== undefined
      if (isGatewayOffline) one.waitsForGateway = true
      else if (one.waitsForGateway) {
        one.waitsForGateway = false
        one.timer = now + Math.max(some.delay, some.pace.clearing)
      } else if (!at(history.muted, now)) {
        const lately = one.sentAt.filter((time) => time > now - day).length
        one.sentAt.push(now)
        one.timer = null
        one.open = { ended: null, clear: lately >= 3 ? day : some.pace.clearing }
        queue('told', history)
      }
    }
    for (const [name, post] of posts) {
      if (post.next === null || post.next > now) continue
      const [kind, place] = name.split(' ') as [string, string]
      sent.push([now, kind, place, post.who.toSorted().join()])
      posts.set(name, { next: null, last: now, who: [] })
    }
  }
  return sent
}

test('for random histories the engine sends the same as an evaluation every minute without knowledge of the future', () => {
  fc.assert(
    fc.property(
      someRule,
      fc.uniqueArray(someHistory, { maxLength: 4, selector: (one) => one.subjectId }),
      (some, histories) => {
        const until = 9000 * minute
        const actual = sendings(some, histories, until).map(({ at, kind, place, episodes }) => [
          ...[
            at,
            kind,
            place,
            episodes
              .map(({ subjectId }) => subjectId)
              .toSorted()
              .join(),
          ],
        ])
        const sorted = (all: (string | number)[][]) => all.map((one) => one.join(' ')).toSorted()
        assert.deepEqual(sorted(actual), sorted(naive(some, histories, until)))
      },
    ),
    { numRuns: 200 },
  )
})
