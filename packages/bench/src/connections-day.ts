import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { addConnection, addSensors, sendUplink } from '@caretaker/contract/connections.ts'
import { connectionKeyHeader, mostAddedAtOnce } from '@caretaker/rules/connections/connections.ts'
import { connections } from '@caretaker/server/features/connections/service.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import { percentile, rounded } from './figures.ts'
import { inDatabase, ownServer } from './own-server.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const reportEvery = 600_000
const hour = 3_600_000
const day = 24 * hour
/** Every 50th message is sent again with the same id, as by a network server that missed the response. */
const repeatedEvery = 50

/**
 * A simulated day of one connection: `--sensors` 1,000 sensors that report every ten minutes. With `--perBody` 1 each
 * message is an uplink of ChirpStack, posted to the webhook of the server; with more, each body of generic JSON has
 * that many messages. Only the waiting between reports is skipped, by advancing the clock of the process. Exits with 1
 * if an acknowledged message is missing, stored twice or leaves a gap, if a message is refused, or if the connection is
 * ever judged silent. `--atOnce` 100 is the number of messages in flight.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sensors: { type: 'string', default: '1000' },
      atOnce: { type: 'string', default: '100' },
      hours: { type: 'string', default: '24' },
      perBody: { type: 'string', default: '1' },
      ...ownServer,
    },
  })
  const size = {
    sensors: Number(values.sensors),
    reports: (Number(values.hours) * hour) / reportEvery,
    perBody: Number(values.perBody),
  }
  await inDatabase(values, async ({ url }) => {
    const clock = simulateClock(Date.now() - day)
    const database = openPools(url)
    await migrate(database.owner)
    const app = await testApp({ CARETAKER_DATA: tmpdir() }, database)
    try {
      const result = await sendDay(app, clock, size, Number(values.atOnce))
      const faults = faultsOf(result, size)
      console.log(JSON.stringify({ ...size, ...result }, undefined, 2))
      if (faults.length) process.exitCode = 1
      console.log(
        `connections-day: ${result.acknowledged} uplinks acknowledged at ${result.perSecond} a second, ${result.stored.points} stored${
          faults.length ? `. Faults: ${faults.join('; ')}` : ', none missing, none twice, no gap'
        }`,
      )
    } finally {
      await app.close()
      clock.restore()
    }
  })
}

interface Clock {
  moveTo(at: number): void
  restore(): void
}

/** Replaces `Date`, with which the server measures limits, intervals and times of receipt; starts at `start`, in ms. */
function simulateClock(start: number): Clock {
  const real = Date
  let ahead = start - real.now()
  const now = () => real.now() + ahead
  globalThis.Date = new Proxy(real, {
    construct: (target, given: unknown[]) => Reflect.construct(target, given.length ? given : [now()]) as Date,
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  })
  return {
    moveTo: (at) => {
      ahead = at - real.now()
    },
    restore: () => {
      globalThis.Date = real
    },
  }
}

interface Size {
  sensors: number
  reports: number
  perBody: number
}

const genericPaths = { deviceKey: 'id', time: 'at', values: 'v', items: 'items', maker: 'maker', model: 'model' }

type Result = Awaited<ReturnType<typeof sendDay>>

async function sendDay(app: TestApp, clock: Clock, { sensors, reports, perBody }: Size, atOnce: number) {
  await app.addTenant(tenant)
  await app.addMember(tenant, manager, 'Manager')
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.app.server.address() as AddressInfo
  const kind = perBody === 1 ? { kind: 'chirpstack' } : { kind: 'generic-json', paths: genericPaths }
  const added = await app.send(addConnection, { params: { tenant }, body: { ...kind, name: 'Day' } } as never, manager)
  const { connection, key } = added.body
  const agent = new http.Agent({ keepAlive: true, maxSockets: atOnce })
  const path = sendUplink.path.replace('{connectionId}', connection.id)
  const post = (body: string) => postTo({ port, path: `${path}?event=up`, key: key!, agent }, body)

  const begun = Date.now()
  const counts = { Stored: 0, Waiting: 0, Duplicate: 0, refused: 0 }
  const other = new Map<string, number>()
  const taken: number[] = []
  const sendOnce = async (body: string) => {
    const from = performance.now()
    const { status, results } = await post(body)
    taken.push(performance.now() - from)
    if (status !== 202) counts.refused++
    for (const result of results)
      if (result in counts) counts[result as 'Stored']++
      else other.set(result, (other.get(result) ?? 0) + 1)
  }
  let silent = 0
  let sending = 0
  for (let report = 0; report < reports; report++) {
    clock.moveTo(begun + report * reportEvery)
    const from = performance.now()
    let next = 0
    const sender = async () => {
      for (let first = next; first < sensors; first = next) {
        next += perBody
        const body = perBody === 1 ? uplink(first, report) : genericBody(first, Math.min(next, sensors), report)
        await sendOnce(body)
        if ((first / perBody + report) % repeatedEvery === 0) await sendOnce(body)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, sender))
    sending += performance.now() - from
    if (report === 0) await addAll(app, connection.id)
    else if (report % (hour / reportEvery) === 0) {
      silent += Number(await isSilent(app, connection.id))
      console.error(`${report / (hour / reportEvery)} h, ${counts.Stored + counts.Waiting} acknowledged`)
    }
  }
  agent.destroy()
  const acknowledged = counts.Stored + counts.Waiting
  return {
    ...{ acknowledged, duplicates: counts.Duplicate, refused: counts.refused, other: Object.fromEntries(other) },
    ...{ seconds: rounded(sending / 1000), perSecond: Math.round((acknowledged * 1000) / sending) },
    ...{ p50: rounded(percentile(taken, 0.5)), p99: rounded(percentile(taken, 0.99)), silent },
    stored: await storedOf(app),
  }
}

function faultsOf(result: Result, { sensors, reports }: Size): string[] {
  const { acknowledged, refused, other, silent, stored } = result
  const sent = sensors * reports
  const strange = Object.entries(other)
  return [
    ...(refused || strange.length
      ? [`${refused} messages refused, ${strange.map(([name, count]) => `${count} × ${name}`).join()}`]
      : []),
    ...(acknowledged === sent ? [] : [`${acknowledged} of ${sent} messages acknowledged as new`]),
    ...(stored.instants === acknowledged ? [] : [`${acknowledged - stored.instants} acknowledged messages missing`]),
    ...(stored.points === stored.instants ? [] : [`${stored.points - stored.instants} readings stored twice`]),
    ...(stored.series === sensors && stored.gaps === 0 ? [] : [`${stored.gaps} gaps in ${stored.series} series`]),
    ...(silent ? [`judged silent ${silent} times`] : []),
  ]
}

/** An uplink of a Milesight EM300-TH: battery, temperature and humidity. */
function uplink(sensor: number, report: number): string {
  const tenths = 150 + ((sensor + report) % 100)
  const bytes = [0x01, 0x75, 90, 0x03, 0x67, tenths & 255, tenths >> 8, 0x04, 0x68, 100 + (report % 40)]
  const devEui = `24e124136b${sensor.toString(16).padStart(6, '0')}`
  return JSON.stringify({
    ...{ deduplicationId: randomUUID(), time: new Date().toISOString() },
    deviceInfo: { devEui, deviceName: `Sensor ${sensor}`, deviceProfileName: 'Milesight EM300-TH' },
    ...{ devAddr: '00189440', fCnt: report, fPort: 85, data: Buffer.from(bytes).toString('base64') },
    rxInfo: [{ gatewayId: '24e124fffef51234', rssi: -80, snr: 7 }],
  })
}

/** A body with one message from each of these sensors. */
function genericBody(from: number, to: number, report: number): string {
  const at = Date.now()
  const items = Array.from({ length: to - from }, (_, place) => ({
    ...{ id: `sensor ${from + place}`, at: at + place },
    v: { temperature: 15 + ((from + place + report) % 10), humidity: 50 + (report % 20) },
  }))
  return JSON.stringify({ maker: 'Acme', model: 'Climate', items })
}

/** Adds all new sensors to a property, as a user does. */
async function addAll(app: TestApp, connectionId: string): Promise<void> {
  const propertyId = randomUUID()
  await app.database.owner.query(
    `insert into property (tenant_id, id, reference, address1, postcode) values ($2, $1, 'NG-1', '1 Elm Road', 'LS6 1AB')`,
    [propertyId, tenant],
  )
  const { rows } = await app.database.owner.query<{ id: string }>('select id from sensor where connection_id = $1', [
    connectionId,
  ])
  for (let from = 0; from < rows.length; from += mostAddedAtOnce) {
    const sensors = rows.slice(from, from + mostAddedAtOnce).map(({ id }) => ({ sensorId: id, room: 'Hall' }))
    const { status, body } = await app.send(addSensors, { params: { tenant }, body: { propertyId, sensors } }, manager)
    if (status !== 201) throw new Error(JSON.stringify(body))
  }
}

async function isSilent(app: TestApp, id: string): Promise<boolean> {
  const all = await inTenant(app.database.db, tenant, (tx) => connections(tx, new Date()))
  return all.find((one) => one.id === id)!.state === 'No messages'
}

/** The numbers of stored temperatures, of their distinct instants per sensor, and of missing reports in between. */
async function storedOf(app: TestApp) {
  const { rows } = await app.database.owner.query<{ points: number; instants: number; series: number; gaps: number }>(
    `with own as (
       select point.series_id, point.at, lag(point.at) over (partition by point.series_id order by point.at) as before
       from point join series on series.tenant_id = point.tenant_id and series.id = series_id
       where metric = 'temperature')
     select count(*)::int as points, count(distinct (series_id, at))::int as instants,
       count(distinct series_id)::int as series,
       count(*) filter (where extract(epoch from at - before) > $1)::int as gaps
     from own`,
    [(reportEvery / 1000) * 1.5],
  )
  return rows[0]!
}

interface Target {
  port: number
  path: string
  key: string
  agent: http.Agent
}

function postTo({ port, path, key, agent }: Target, body: string): Promise<{ status: number; results: string[] }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', [connectionKeyHeader]: key }
    const request = http.request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.on('end', () => {
        const { results } = JSON.parse(text || '{}') as { results?: { result: string }[] }
        resolve({ status: response.statusCode!, results: results?.map(({ result }) => result) ?? [] })
      })
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}
