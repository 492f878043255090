import assert from 'node:assert/strict'
import { test } from 'vitest'
import pino from 'pino'
import { openOutageLog } from './outage-log.ts'

test('an outage is logged when it begins, once a minute while it lasts, and when it is over', () => {
  const lines: { level: number; msg: string; reason?: string; seconds?: number }[] = []
  const log = pino({ level: 'warn', base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) })
  let now = 0
  const outage = openOutageLog(log, 'the broker', () => now)
  outage.worked()
  assert.deepEqual(lines, [])
  for (; now < 150_000; now += 1000) outage.failed('ECONNREFUSED')
  outage.worked()
  outage.worked()
  assert.deepEqual(lines.splice(0), [
    { level: 50, reason: 'ECONNREFUSED', msg: 'the broker is unreachable: retrying until it responds' },
    { level: 50, reason: 'ECONNREFUSED', seconds: 60, msg: 'the broker is still unreachable' },
    { level: 50, reason: 'ECONNREFUSED', seconds: 120, msg: 'the broker is still unreachable' },
    { level: 40, seconds: 150, msg: 'the broker is reachable again' },
  ])
  outage.failed('ECONNRESET')
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['the broker is unreachable: retrying until it responds'],
  )
})
