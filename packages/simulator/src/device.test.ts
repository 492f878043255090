import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import { changes, nextReport, simulateDevice } from './device.ts'
import type { Nature } from './models/model.ts'
import { nature } from './models/testing.ts'
import type { Schedule } from './schedule.ts'

const start = Date.UTC(2026, 10, 20, 9)

/** A schedule whose clock is advanced by the test. */
function quickSchedule(): Schedule & { clock: () => number; pass: (seconds: number) => void } {
  let now = start
  let entries: { time: number; task: () => void }[] = []
  return {
    clock: () => now,
    at: (time, task) => void entries.push({ time, task }),
    stop: () => (entries = []),
    pass(seconds) {
      const end = now + seconds * 1000
      for (;;) {
        const due = entries.filter(({ time }) => time <= end).sort((a, b) => a.time - b.time)[0]
        if (!due) break
        entries = entries.filter((entry) => entry !== due)
        now = Math.max(now, due.time)
        due.task()
      }
      now = end
    },
  }
}

function atWork(rest: Partial<Nature> & { model: Nature['model'] }, interval = 60, isQuiet = false) {
  const schedule = quickSchedule()
  const sent: { channel: UpChannel; body: Record<string, never>; at: number }[] = []
  const device = simulateDevice({
    nature: nature(rest),
    isQuiet,
    interval,
    schedule,
    clock: schedule.clock,
    speed: 1,
    seed: 'test',
    send: ({ channel, payload }) => sent.push({ channel, body: JSON.parse(payload), at: schedule.clock() }),
  })
  device.begin()
  const on = (channel: UpChannel) => sent.filter((one) => one.channel === channel).map(({ body }) => body)
  return { device, sent, on, pass: schedule.pass, clock: schedule.clock }
}

const commandId = 'c0000000-0000-4000-8000-000000000001'
const command = (rest: object = {}) =>
  JSON.stringify({ commandId, name: 'runTest', args: { testType: 'T0' }, expiresAt: start + 900_000, ...rest })

test('a device reports once in each interval, at its own offset', () => {
  const { sent, pass } = atWork({ model: 'multiDot' })
  pass(3600)
  const times = sent.filter(({ channel }) => channel === 'telemetry').map(({ at }) => at)
  assert.ok(times.length >= 60 && times.length <= 62, `${times.length}`)
  for (const [index, time] of times.entries()) if (index > 1) assert.equal(Math.round(time - times[index - 1]!), 60_000)
  assert.notEqual(nextReport(start, 60, 'one'), nextReport(start, 60, 'two'))
  assert.ok(nextReport(start, 60, 'one') > start && nextReport(start, 60, 'one') <= start + 60_000)
})

test('the reports of a fleet are spread evenly over the interval', () => {
  const tenths = Array<number>(10).fill(0)
  for (let index = 0; index < 2000; index++) {
    const tenth = Math.floor((nextReport(start, 60, `device ${index}`) - start) / 6000)
    tenths[Math.min(9, tenth)] = tenths[Math.min(9, tenth)]! + 1
  }
  for (const count of tenths) assert.ok(count > 140 && count < 260, tenths.join(' '))
})

test('a device reports its full state first, and then only changes unless the server may have lost the state', () => {
  const { device, on, pass } = atWork({ model: 'boiler', story: 'boiler lockout' })
  pass(1800)
  assert.equal(on('state').length, 1)
  assert.equal(on('events').length, 1)
  device.repeat()
  pass(120)
  assert.deepEqual(on('state')[1], on('state')[0])
  assert.deepEqual(changes({ a: 1, b: { c: true } }, { a: 1, b: { c: false } }), { b: { c: true } })
})

test('a device without measurements repeats its state, to show that it is online', () => {
  const { on, pass } = atWork({ model: 'liftMonitor' })
  pass(600)
  assert.ok(on('state').length >= 10)
  assert.equal(on('telemetry').length, 0)
})

test('a quiet device only reports its presence until a command wakes it', () => {
  const { device, sent, on, pass, clock } = atWork({ model: 'emered', traits: { firmware: '1.9.4' } }, 600, true)
  pass(3600)
  assert.ok(on('state').length >= 6)
  for (const state of on('state')) assert.deepEqual(state, { firmware: '1.9.4' })
  assert.deepEqual(
    sent.filter(({ channel }) => channel !== 'state'),
    [],
  )
  device.receive(command({ expiresAt: clock() + 900_000 }))
  pass(20)
  assert.deepEqual(on('replies'), [{ commandId, status: 'confirmed' }])
  assert.equal(on('tests').at(-1)!['result'], 'Passed')
  pass(600)
  assert.ok(on('telemetry').length > 0, 'it reports what it measures from then on')
})

test('a flick test is confirmed within three seconds, awaits analysis, and has its result ten seconds later', () => {
  const { device, sent, on, pass, clock } = atWork({ model: 'emered' }, 600)
  pass(30)
  const ordered = clock()
  device.receive(command())
  pass(4)
  assert.deepEqual(on('replies'), [{ commandId, status: 'confirmed' }])
  const replied = sent.find(({ channel }) => channel === 'replies')!.at - ordered
  assert.ok(replied >= 500 && replied <= 3000, `${replied} ms`)
  assert.equal(on('tests').length, 1)
  assert.equal(on('tests')[0]!['result'], undefined)
  pass(13)
  const [first, last] = on('tests')
  assert.equal(last!['eventId'], first!['eventId'])
  assert.equal(last!['result'], 'Passed')
  assert.ok(on('telemetry').length >= 5, 'it is heard while the lamp is lit')
})

test('a command that arrives twice is run once and answered twice', () => {
  const { device, on, pass } = atWork({ model: 'emered' })
  device.receive(command())
  device.receive(command())
  pass(30)
  assert.equal(on('replies').length, 1)
  device.receive(command())
  pass(30)
  assert.deepEqual(on('replies'), [
    { commandId, status: 'confirmed' },
    { commandId, status: 'confirmed' },
  ])
  assert.equal(on('tests').length, 2, 'the beginning and the end of one test')
})

test('an unknown command fails with a reason, including names of built-in object properties', () => {
  for (const name of ['danceTango', 'toString', '__proto__']) {
    const { device, on, pass } = atWork({ model: 'emered' })
    device.receive(command({ name }))
    pass(5)
    assert.equal(on('replies')[0]!['status'], 'failed')
    assert.equal(on('replies')[0]!['message'], `TEST1 does not know ${name}`)
  }
  const { device, on, pass } = atWork({ model: 'boiler' })
  device.receive(command())
  pass(5)
  assert.equal(on('replies')[0]!['status'], 'failed')
})

test('a command that expired in transit or on the device is neither run nor answered', () => {
  const { device, on, pass, clock } = atWork({ model: 'emered' })
  device.receive(command({ expiresAt: clock() - 1 }))
  device.receive(command({ expiresAt: clock() + 100 }))
  pass(60)
  assert.deepEqual([on('replies'), on('tests')], [[], []])
  device.receive(command())
  pass(5)
  assert.equal(on('replies').length, 1, 'the same command sent again in time is run')
})

test('invalid messages on the commands topic change nothing', () => {
  const { device, on, pass } = atWork({ model: 'emered' })
  for (const payload of ['', 'null', '[]', '{', '{"commandId":7}', command({ commandId: 'x' }), command({ args: 1 })])
    device.receive(payload)
  pass(60)
  assert.deepEqual(on('replies'), [])
})

test('a silenced device neither sends nor receives; a running test ends afterwards', () => {
  const { device, sent, on, pass } = atWork({ model: 'emered' })
  device.receive(command())
  pass(5)
  device.silence(true)
  const before = sent.length
  device.receive(command({ commandId: commandId.replace('c', 'd') }))
  pass(300)
  assert.equal(sent.length, before)
  device.silence(false)
  pass(70)
  assert.equal(on('tests').at(-1)!['result'], 'Passed')
  assert.equal(on('replies').length, 1)
})

test('a device switched off during a test reports the interruption', () => {
  const { device, on, pass } = atWork({ model: 'emered' })
  device.interrupt()
  device.receive(command({ args: { testType: 'T180' } }))
  pass(30)
  device.interrupt()
  assert.deepEqual(
    on('tests').map(({ result }) => result),
    [undefined, 'Indeterminate'],
  )
})

test('a device responds to its next commands as instructed: refused, silent, late, twice, with another value, and then normally', () => {
  const { device, on, pass, clock } = atWork({ model: 'boiler', traits: { chMax: 60 } })
  pass(60)
  const id = (digit: number) => `c0000000-0000-4000-8000-00000000000${digit}`
  const set = (digit: number, chSetPoint: number) =>
    device.receive(
      command({ commandId: id(digit), name: 'setChMax', args: { chSetPoint }, expiresAt: clock() + 10_000 }),
    )
  const answers = ['refuse', 'silent', { way: 'late', seconds: 60 }, 'twice', 'other']
  device.receive(command({ commandId: id(9), name: 'rehearse', args: { answers } }))
  const statusesOf = (digit: number) =>
    on('replies')
      .filter(({ commandId }) => commandId === id(digit))
      .map(({ status }) => status as unknown)
  const chMax = () =>
    on('state')
      .flatMap((state) => ('chMax' in state ? [state['chMax'] as number] : []))
      .at(-1)
  const results = [51, 52, 53, 54, 55, 56].map((value, digit) => {
    set(digit, value)
    pass(5)
    const soon = statusesOf(digit).length
    // The server repeats an unanswered command, and the device stays silent each time.
    set(digit, value)
    pass(75)
    return [soon, statusesOf(digit)[0], chMax()]
  })
  assert.deepEqual(results, [
    [1, 'failed', 60],
    [0, undefined, 60],
    [0, 'confirmed', 53],
    [2, 'confirmed', 54],
    [1, 'confirmed', 52],
    [1, 'confirmed', 56],
  ])
  assert.deepEqual(statusesOf(9), [], 'what tells it is no command')
})

test('a device instructed to do something else, without a value to set, confirms and does nothing', () => {
  const { device, on, pass } = atWork({ model: 'emered' })
  pass(60)
  device.receive(command({ commandId: commandId.replace('c', 'd'), name: 'rehearse', args: { answers: ['other'] } }))
  device.receive(command({ name: 'leaveNetwork', args: {} }))
  pass(60)
  assert.deepEqual(on('replies'), [{ commandId, status: 'confirmed' }])
  assert.ok(on('state').every((state) => state['networkJoined'] !== (false as never)))
})
