import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, test } from 'vitest'
import type { MqttClient } from 'mqtt'
import { connect } from 'mqtt'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { openPool } from '../postgres/pool.ts'
import { eventually, hashKey } from '../testing/device-link.ts'
import type { LinkServerReady } from '../testing/link-server.ts'
import { freePort } from '../testing/mosquitto.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-crash-'))
// The database may run as another user.
chmodSync(folder, 0o755)
let server: ChildProcess | undefined
const clients: MqttClient[] = []
afterAll(async () => {
  for (const client of clients) client.end(true)
  server?.kill('SIGKILL')
  await (await startEmbedded(folder)).stop()
  rmSync(folder, { recursive: true, force: true })
})

async function start(port: number): Promise<LinkServerReady> {
  server = fork(new URL('../testing/link-server.ts', import.meta.url), [folder, String(port)])
  const ended = once(server, 'exit').then(() => assert.fail('the server did not start'))
  const [ready] = (await Promise.race([once(server, 'message'), ended])) as [LinkServerReady]
  ended.catch(() => {})
  return ready
}

async function kill(): Promise<void> {
  server!.kill('SIGKILL')
  await once(server!, 'exit')
}

interface Speaker {
  id: string
  sent: number[]
  acknowledged: number[]
  stop(): Promise<void>
}

/** A device that keeps eight readings in flight, resends them after each lost connection, and logs acknowledgements. */
function speak(port: number, id: string, key: string, base: number): Speaker {
  const client = connect({ host: '127.0.0.1', port, clientId: id, username: id, password: key, reconnectPeriod: 100 })
  client.on('error', () => {})
  clients.push(client)
  const [sent, acknowledged]: [number[], number[]] = [[], []]
  let going = true
  const talk = async () => {
    while (going) {
      const ts = base + sent.length
      sent.push(ts)
      const body = JSON.stringify({ ts, values: { temperature: 20, humidity: 50 } })
      await client.publishAsync(topic(id, 'telemetry'), body, { qos: 1 })
      acknowledged.push(ts)
    }
  }
  const talks = Promise.all(Array.from({ length: 8 }, talk))
  return {
    id,
    sent,
    acknowledged,
    stop: async () => {
      going = false
      await talks
      client.end(true)
    },
  }
}

test('after kill -9 of the server and the database under load, every acknowledged reading is stored exactly once', async () => {
  const port = await freePort()
  let { url } = await start(port)
  const setUp = openPool(url, 'owner', 1)
  const devices = Array.from({ length: 6 }, (_, n) => ({
    id: randomUUID(),
    key: randomBytes(12).toString('hex'),
    tenant: n % 2 ? 'north' : 'south',
  }))
  await setUp.query(`insert into tenant (id, display_name) values ('north', 'North'), ('south', 'South')`)
  for (const { id, key, tenant } of devices) {
    await setUp.query(
      `insert into device (tenant_id, id, serial, product, name, status, severity) values ($1, $2, $3, 'ED', 'Dot', 'Ok', 2)`,
      [tenant, id, `ED${id}`],
    )
    await setUp.query('insert into device_route (device_id, tenant_id, key_hash) values ($1, $2, $3)', [
      id,
      tenant,
      hashKey(key),
    ])
  }
  await setUp.end()

  const base = Date.now() - 3_600_000
  const speakers = devices.map(({ id, key }) => speak(port, id, key, base))
  const countAcknowledged = () =>
    Promise.resolve(speakers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0))
  const underLoad = async () => {
    const before = await countAcknowledged()
    await eventually(countAcknowledged, (count) => count > before + 100, 20_000)
    await sleep(Math.random() * 300)
  }
  const postmaster = () => Number(readFileSync(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  const disasters = {
    server: async () => {
      await kill()
      ;({ url } = await start(port))
    },
    database: async () => {
      process.kill(postmaster(), 'SIGKILL')
      await sleep(Math.random() * 200)
      await kill()
      ;({ url } = await start(port))
    },
    // A killed backend makes Postgres disconnect everyone and recover; the server continues afterwards.
    backend: async () => {
      const pool = openPool(url, 'owner', 1)
      const { rows } = await pool.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'caretaker-app' order by state = 'active' desc limit 1`,
      )
      await pool.end()
      process.kill(rows[0]!.pid, 'SIGKILL')
    },
  }
  for (const disaster of ['server', 'backend', 'database', 'server', 'backend'] as const) {
    await underLoad()
    await disasters[disaster]()
  }
  await underLoad()
  await Promise.all(speakers.map((speaker) => speaker.stop()))

  const pool = openPool(url, 'owner', 1)
  for (const { id, sent, acknowledged } of speakers) {
    const { rows } = await pool.query<{ times: string[]; summed: number }>(
      `select array_agg((extract(epoch from at) * 1000)::bigint::text order by at) as times,
        (select sum(n)::int from hourly where hourly.series_id = series.id) as summed
       from point join series on series.tenant_id = point.tenant_id and series.id = series_id where device_id = $1 group by series.id`,
      [id],
    )
    assert.equal(rows.length, 2)
    for (const { times, summed } of rows) {
      const stored = times.map(Number)
      assert.deepEqual(
        acknowledged.filter((ts) => !stored.includes(ts)),
        [],
        'lost',
      )
      assert.equal(new Set(stored).size, stored.length, 'doubled')
      assert.ok(stored.every((ts) => sent.includes(ts)))
      assert.equal(summed, stored.length, 'the roll-up counts each once')
    }
  }
  await pool.end()
  server!.send('stop')
  await once(server!, 'exit')
})
