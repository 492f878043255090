import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { decode } from '@caretaker/rules/connectors/decoding.ts'
import { bytesOf } from '@caretaker/rules/connectors/values.ts'
import type { SensorMessage } from '@caretaker/rules/connectors/types.ts'
import { mapMessage } from '@caretaker/server/connectors/decode.ts'
import { openConnectorIntake } from '@caretaker/server/connectors/intake.ts'
import { createSandbox } from '@caretaker/server/connectors/sandbox.ts'
import type { KnownConnection } from '@caretaker/server/connectors/sensors.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import { percentile, rounded } from './figures.ts'
import { inDatabase, ownServer } from './own-server.ts'

const limits = { decodedPerSecond: 5000, delayBesideHostileMs: 50 }
const reportEvery = 600_000
/** Messages in one body. */
const perBody = 500

/**
 * Connections in three parts: built-in decoders with mapping, on one thread; the delay of a client's codec beside the hostile codecs of
 * others, as the difference to the same codec alone at p99; and `--sensors` 1,000 sensors with `--reports` 144 reports each, a day at one every ten minutes, stored as fast as
 * possible. Exits with 1 if a figure misses its limit, or if a reading is missing or doubled. `--seconds` 5 for each of the first two.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sensors: { type: 'string', default: '1000' },
      reports: { type: 'string', default: '144' },
      seconds: { type: 'string', default: '5' },
      ...ownServer,
    },
  })
  const seconds = Number(values.seconds)
  const decodedPerSecond = measureDecoders(seconds)
  const alone = await measureCodec(seconds, 0)
  const beside = await measureCodec(seconds, 40)
  const delay = rounded(Math.max(0, beside.p99 - alone.p99))
  await inDatabase(values, async ({ url }) => {
    const day = await storeDay(url, { sensors: Number(values.sensors), reports: Number(values.reports) })
    console.log(JSON.stringify({ decodedPerSecond, alone, beside, day, limits }, undefined, 2))
    const faults = [
      ...(decodedPerSecond < limits.decodedPerSecond ? [`only ${decodedPerSecond} uplinks decoded a second`] : []),
      ...(delay > limits.delayBesideHostileMs ? [`a delay of ${delay} ms at p99 beside hostile codecs`] : []),
      ...(day.missing || day.doubled ? [`${day.missing} readings missing, ${day.doubled} doubled`] : []),
    ]
    if (faults.length) process.exitCode = 1
    console.log(
      `connections: ${decodedPerSecond} uplinks decoded a second, ${delay} ms delay at p99 beside hostile codecs, ` +
        `${day.storedPerSecond} stored a second${faults.length ? `. Too much: ${faults.join('; ')}` : ''}`,
    )
  })
}

interface Vector {
  vendor: string
  model: string
  fPort: number | null
  data: string | null
}

function uplinks(): { message: SensorMessage; named: { maker: string; model: string } }[] {
  const file = new URL('../../server/src/connectors/samples/vectors.jsonl', import.meta.url)
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const { vendor, model, fPort, data } = JSON.parse(line) as Vector
      const bytes = data === null ? undefined : bytesOf(data)
      if (!bytes) return []
      const message: SensorMessage = {
        ...{ kind: 'uplink', deviceKey: '24E124128C140733', receivedAt: Date.now(), radio: {}, bytes },
        ...(fPort !== null && { fPort }),
      }
      return [{ message, named: { maker: vendor, model } }]
    })
}

function measureDecoders(seconds: number): number {
  const all = uplinks()
  const [begun, now] = [performance.now(), Date.now()]
  let count = 0
  while (performance.now() - begun < seconds * 1000)
    for (const { message, named } of all) {
      mapMessage({ mapping: null }, message, decode(message, 'ChirpStack', named), now)
      count++
    }
  return Math.round(count / ((performance.now() - begun) / 1000))
}

const hostile = [
  'while (true);',
  'const all = []; while (true) all.push(new Array(1e5).fill(1))',
  "return { data: /^(a+)+$/.test('a'.repeat(40) + 'b') }",
  'const again = () => again(); return again()',
  "let text = 'x'; while (true) text += text",
  'Object.prototype.data = 1; Array.prototype.push = null; throw 1',
  'return { get data() { while (true); } }',
  'return { data: new Array(1e6).fill({ a: 1 }) }',
].map((body) => `function decodeUplink(input) { ${body} }`)
const usual = 'function decodeUplink({ bytes }) { return { data: { temperature: bytes[0] / 10 } } }'

/** The time from message to result of one client's codec, while hostile codecs of as many other clients run without a pause. */
async function measureCodec(seconds: number, attackers: number): Promise<{ count: number; p50: number; p99: number }> {
  const sandbox = createSandbox()
  const bytes = Uint8Array.of(200)
  const ask = (tenant: string, source: string) =>
    sandbox.decode(tenant, { source, bytes, fPort: 1, recvTime: Date.now() })
  const until = performance.now() + seconds * 1000
  const attack = async (at: number) => {
    while (performance.now() < until) await ask(`hostile ${at}`, hostile[at % hostile.length]!)
  }
  await ask('north', usual)
  const attacks = Array.from({ length: attackers }, (_, at) => attack(at))
  const taken: number[] = []
  while (performance.now() < until) {
    const begun = performance.now()
    const { errors } = await ask('north', usual)
    if (errors.length) throw new Error(errors.join())
    taken.push(performance.now() - begun)
  }
  await Promise.all(attacks)
  await sandbox.close()
  return { count: taken.length, p50: rounded(percentile(taken, 0.5)), p99: rounded(percentile(taken, 0.99)) }
}

async function storeDay(url: string, { sensors, reports }: { sensors: number; reports: number }) {
  const database = openPools(url)
  await migrate(database.owner)
  const app = await testApp({ CARETAKER_DATA: tmpdir() }, database)
  try {
    await app.addTenant('north')
    const id = randomUUID()
    const insert = (text: string) => database.owner.query(text, [id])
    const paths = { deviceKey: 'id', time: 'at', values: 'v', items: 'items' }
    await database.owner.query(
      `insert into connection (tenant_id, id, kind, transport, name, paths, created_at, created_by)
       values ('north', $1, 'generic-json', 'webhook', 'Day', $2, now(), 'bench')`,
      [id, JSON.stringify(paths)],
    )
    await insert(`insert into connection_activity (tenant_id, connection_id) values ('north', $1)`)
    const intake = openConnectorIntake({ db: database.db, log: app.context.log }, () =>
      Promise.reject(new Error('no codec')),
    )
    const connection: KnownConnection = {
      ...{ id, tenant: 'north', kind: 'generic-json', name: 'Day', paused: false, paths },
    }
    const first = Date.now() - reports * reportEvery
    const send = async (report: number) => {
      for (let from = 0; from < sensors; from += perBody) {
        const items = Array.from({ length: Math.min(perBody, sensors - from) }, (_, n) => ({
          ...{ id: `sensor ${from + n}`, at: first + report * reportEvery + n },
          v: { temperature: 15 + ((report + n) % 10), humidity: 50 },
        }))
        await intake.receive(connection, { payload: { items } }, JSON.stringify(items))
      }
    }
    // The first messages create the sensors, which are then added as devices.
    await send(-1)
    await insert(`insert into device (tenant_id, id, serial, product, name, status, severity)
      select tenant_id, id, device_key, 'ADEY', device_key, 'Ok', 2 from sensor where connection_id = $1`)
    await insert(
      `insert into device_route (device_id, tenant_id) select id, tenant_id from sensor where connection_id = $1`,
    )
    await insert('update sensor set device_id = id, added_at = now() where connection_id = $1')
    const begun = performance.now()
    for (let report = 0; report < reports; report++) await send(report)
    await intake.drain(60_000)
    const seconds = (performance.now() - begun) / 1000
    const { rows } = await database.owner.query<{ points: number; instants: number }>(
      `select count(*)::int as points, count(distinct (series_id, at))::int as instants
       from point join series on series.tenant_id = point.tenant_id and series.id = series_id where metric = 'temperature'`,
    )
    const { points, instants } = rows[0]!
    const expected = sensors * reports
    return {
      ...{ messages: expected, seconds: rounded(seconds), storedPerSecond: Math.round(expected / seconds) },
      ...{ missing: expected - instants, doubled: points - instants },
    }
  } finally {
    await app.close()
  }
}
