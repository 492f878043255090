import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { test, vi } from 'vitest'
import type { MqttClient } from 'mqtt'
import { connectAsync } from 'mqtt'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { openLog } from './log.ts'
import { markLost } from './postgres/lost.ts'
import { testDatabase } from './testing/database.ts'
import { eventually } from './testing/device-link.ts'
import { openOperator } from './testing/operator.ts'
import { programUnderTest } from './testing/program.ts'

interface Line {
  level: number
  msg: string
  seconds?: number
  failures?: number
  reason?: string
}

test('a database outage is logged when it begins, once a minute, and when it ends', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'Date'], now: 0 })
  try {
    const lines: Line[] = []
    const { log, reconnected } = openLog('warn', { write: (line) => lines.push(JSON.parse(line) as Line) })
    const taken = () => lines.splice(0).map(({ msg, seconds, failures }) => ({ msg, seconds, failures }))
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    log.error({ err: refused }, 'another service is away')
    log.error({ err: new Error('timeout exceeded when trying to connect') }, 'all connections are in use')
    assert.equal(taken().length, 2, 'what tells of no outage is written as before')

    reconnected()
    markLost(refused)
    log.error({ err: refused }, 'jobs')
    assert.equal(lines[0]?.reason, 'connect ECONNREFUSED')
    assert.match(taken()[0]!.msg, /^the database is unreachable/)
    for (const err of [
      // As the job queue copies it.
      { ...refused, message: refused.message },
      Object.assign(new Error('terminating connection'), { code: '57P01' }),
      Object.assign(new Error('the database system is starting up'), { code: '57P03' }),
      new Error('Connection terminated unexpectedly'),
      new Error('timeout exceeded when trying to connect'),
      new AggregateError([refused, new Error('Connection terminated unexpectedly')], 'some of it failed'),
    ])
      log.child({ reqId: 1 }).warn({ err }, 'a part')
    vi.advanceTimersByTime(59_000)
    assert.deepEqual(taken(), [])
    log.error({ err: new AggregateError([refused, new Error('a bug')]) }, 'something else')
    log.error('without an error')
    assert.deepEqual(
      taken().map(({ msg }) => msg),
      ['something else', 'without an error'],
    )
    vi.advanceTimersByTime(1000)
    assert.deepEqual(taken(), [{ msg: 'the database is still unreachable', seconds: 60, failures: 7 }])
    // A connection that breaks again immediately has not ended the outage.
    reconnected()
    log.error({ err: refused }, 'jobs')
    vi.advanceTimersByTime(10_000)
    assert.deepEqual(taken(), [])
    reconnected()
    reconnected()
    vi.advanceTimersByTime(2000)
    assert.deepEqual(taken(), [{ msg: 'the database is reachable again', seconds: 72, failures: 8 }])
    vi.advanceTimersByTime(120_000)
    assert.deepEqual(taken(), [])
    log.error({ err: refused }, 'jobs')
    assert.equal(taken().length, 1, 'the next outage is another one')
  } finally {
    vi.useRealTimers()
  }
})

const { settings, start } = programUnderTest(new URL('./main.ts', import.meta.url))

/** A route to a database that can be cut: open connections break, and new ones break immediately. */
async function severable(url: string) {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  let isCut = false
  let refused = 0
  const server = createServer((socket) => {
    if (isCut) {
      refused++
      socket.destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const way = new URL(url)
  way.hostname = '127.0.0.1'
  way.port = String((server.address() as AddressInfo).port)
  return {
    url: way.href,
    refused: () => refused,
    cut: () => {
      isCut = true
      for (const socket of open) socket.destroy()
    },
    restore: () => (isCut = false),
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

test('while the database is unreachable no part fills the log: calls, jobs, ingest and listeners', async () => {
  const database = await testDatabase()
  const way = await severable(database.url)
  const env = await settings({ DATABASE_URL: way.url, CARETAKER_LOG: 'warn' })
  let device: MqttClient | undefined
  try {
    const server = await start(env)
    const operator = openOperator({ DATABASE_URL: database.url })
    const command = async (line: string) => {
      const { stdout, stderr } = await operator.run(line.split(' '))
      assert.ok(stdout, stderr)
      return stdout
    }
    await command('tenant add --id north --name North')
    const { deviceId, password } = JSON.parse(
      await command('device add --tenant north --serial EM1000001X --json'),
    ) as Record<string, string>
    const url = `mqtt://127.0.0.1:${env.MQTT_PORT}`
    const client = (device = await connectAsync(url, { username: deviceId!, password: password!, protocolVersion: 5 }))
    const publishReading = (ts: number) =>
      client.publishAsync(topic(deviceId!, 'telemetry'), JSON.stringify({ ts, values: { batteryVoltage: 4 } }), {
        qos: 1,
      })
    await publishReading(Date.now() - 1000)
    const lines = () =>
      server
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Line)
    assert.deepEqual(lines(), [])

    way.cut()
    const waiting = publishReading(Date.now())
    const call = async () =>
      (
        await fetch(`http://127.0.0.1:${env.PORT}/account/password`, {
          method: 'POST',
          body: new URLSearchParams({ email: 'a@north.test', connection: 'embedded' }),
        })
      ).status
    assert.equal(await call(), 503)
    await eventually(
      async () => way.refused(),
      (attempts) => attempts >= 30,
      60_000,
    )
    way.restore()
    await waiting
    await eventually(
      async () => lines().map(({ msg }) => msg),
      (output) => output.includes('the database is reachable again'),
      30_000,
    )
    const written = lines()
    assert.deepEqual(
      written.filter(({ msg }) => !/^the database is (?:unreachable: .*|still unreachable|reachable again)$/.test(msg)),
      [],
    )
    assert.ok(written.length <= 3 && written.at(-1)!.failures! > 20, JSON.stringify(written))
    assert.equal(await server.stop(), 0)
  } finally {
    device?.end(true)
    way.close()
    await database.drop()
  }
})
