import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'vitest'
import type { FleetConnection } from '@caretaker/contract/mqtt/fleet.ts'
import { decode } from '@caretaker/rules/connectors/decoding.ts'
import { readEnvelope } from '@caretaker/rules/connectors/envelopes.ts'
import { httpDownlink, setPointControl } from '@caretaker/rules/connectors/downlinks.ts'
import { startNetworkServer } from './network-server.ts'
import type { Posted } from './sensors.ts'
import { deviceList, messageOf, runSensors } from './sensors.ts'

const now = Date.parse('2026-11-29T12:00:00Z')
const moment = { now, startedAt: now - 60_000, count: 3 }
const id = (digit: number) => `${digit}0000000-0000-4000-8000-000000000000`
const sensor = (deviceKey: string, name: string, model: FleetConnection['sensors'][number]['model']) => ({
  ...{ deviceKey, name, model, reportingInterval: 600 },
})
const chirpstack: FleetConnection = {
  ...{ connectionId: id(1), kind: 'chirpstack', key: 'key of ChirpStack' },
  sensors: [sensor('24E124136B000101', 'Bedroom', 'EM300-TH'), sensor('24E124136B000104', 'Door', 'WS301')],
}
const zigbee: FleetConnection = {
  ...{ connectionId: id(2), kind: 'zigbee2mqtt', key: 'key of Zigbee2MQTT' },
  sensors: [
    sensor('0x00124b0029f10a01', 'office/thermometer', 'SNZB-02D'),
    sensor('0x00124b0029f10a02', 'office/window', 'SNZB-04'),
  ],
}

/** Reads a message as the portal does. */
function readBy({ kind }: FleetConnection, { query, body }: { query: string; body: unknown }) {
  const { event, topic } = Object.fromEntries(new URLSearchParams(query))
  const read = readEnvelope(kind, { payload: body, now, ...(event && { event }), ...(topic && { topic }) })
  assert.ok('messages' in read, JSON.stringify(read))
  return read.messages
}

test('an uplink is one that ChirpStack sends, and the built-in decoder reads its payload', () => {
  const [bedroom, door] = chirpstack.sensors.map((one) => readBy(chirpstack, messageOf(chirpstack, one, moment))[0]!)
  assert.equal(bedroom!.deviceKey, '24E124136B000101')
  assert.equal(bedroom!.name, 'Bedroom')
  assert.equal(bedroom!.sequence, 3)
  const [climate, contact] = [bedroom!, door!].map((message) => decode(message, 'ChirpStack').samples[0]!.values)
  const { temperature, humidity } = climate!
  assert.ok(Number(temperature) > 10 && Number(temperature) < 30, JSON.stringify(climate))
  assert.ok(Number(humidity) > 30 && Number(humidity) < 80, JSON.stringify(climate))
  assert.match(String(contact!['magnet_status']), /^(open|close)$/)
})

test('a Zigbee state and the device list are ones that Zigbee2MQTT publishes', () => {
  const [state] = readBy(zigbee, messageOf(zigbee, zigbee.sensors[0]!, moment))
  assert.equal(state!.name, 'office/thermometer')
  assert.equal(state!.measuredAt, now)
  assert.deepEqual(Object.keys(state!.object!).toSorted(), ['battery', 'humidity', 'temperature'])
  const listed = readBy(zigbee, deviceList(zigbee)!)
  assert.deepEqual(
    listed.map(({ deviceKey, maker, model }) => [deviceKey, maker, model]),
    [
      ['00124B0029F10A01', 'SONOFF', 'SNZB-02D'],
      ['00124B0029F10A02', 'SONOFF', 'SNZB-04'],
    ],
  )
})

test('the API of ChirpStack takes the downlink of the portal, and the next uplink reports the set point', async () => {
  const hall = { ...sensor('24E124136B000103', 'Hall', 'WT201'), reportingInterval: 1 }
  const connection = { ...chirpstack, sensors: [hall, chirpstack.sensors[0]!], apiToken: 'token' }
  const valuesOf = (posted: Posted) =>
    decode(readBy(connection, posted)[0]!, 'ChirpStack', { maker: 'Milesight', model: 'WT201' }).samples[0]!.values
  const values = valuesOf(messageOf(connection, hall, moment))
  assert.deepEqual([values['temperature_target'], values['temperature_control_mode']], [19, 'heat'])

  const posted: Posted[] = []
  const portal = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(parts).toString())
      posted.push({ query: request.url!.split('?')[1]!, body })
      response.writeHead(202).end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(portal, 'listening')
  const sensors = runSensors([connection], {
    ...{ web: `http://127.0.0.1:${(portal.address() as AddressInfo).port}`, clock: Date.now, firstWithin: 100 },
    log: assert.fail,
  })
  const network = await startNetworkServer([connection, zigbee], sensors.receive)
  const send = async (deviceKey: string, celsius: number, token = 'token') => {
    const control = setPointControl({
      ...{ kind: 'chirpstack', deviceKey, maker: 'Milesight', model: 'WT201', lastValues: values, mapping: null },
    })
    const made = control!.contentOf(celsius)
    assert.ok('content' in made)
    const call = httpDownlink({ kind: 'chirpstack', id: 'c1', deviceKey, address: {}, content: made.content })
    assert.ok(typeof call !== 'string')
    const { status } = await fetch(`http://127.0.0.1:${network.port}${call.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [call.header]: `Bearer ${token}` },
      body: JSON.stringify(call.body),
    })
    return status
  }
  const reports = async (celsius: number) => {
    const isHall = ({ body }: Posted) => JSON.stringify(body).includes('"deviceName":"Hall"')
    while (!posted.some((one) => isHall(one) && valuesOf(one)['temperature_target'] === celsius))
      await new Promise((resolve) => setTimeout(resolve, 20))
  }
  try {
    await reports(19)
    assert.equal(await send(hall.deviceKey, 21), 200)
    await reports(21)
    assert.equal(await send(hall.deviceKey, 20.5), 200)
    await reports(20.5)
    assert.equal(await send(hall.deviceKey, 22, 'another'), 401)
    assert.equal(await send('24E124136B000999', 22), 404)
  } finally {
    sensors.stop()
    network.stop()
    portal.closeAllConnections()
    portal.close()
  }
})

test('every sensor posts with the key of its connection, and a failure is logged once', async () => {
  const posted: string[] = []
  const server = createServer((request, response) => {
    posted.push(`${request.url} ${String(request.headers['x-connection-key'])}`)
    request.resume().on('end', () => response.writeHead(posted.length > 2 ? 503 : 202).end('{}'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const lines: string[] = []
  const often = { ...zigbee, sensors: zigbee.sensors.map((one) => ({ ...one, reportingInterval: 1 })) }
  const sensors = runSensors([often], {
    ...{ web: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, clock: Date.now, firstWithin: 100 },
    log: (line) => lines.push(line),
  })
  try {
    while (posted.length < 6) await new Promise((resolve) => setTimeout(resolve, 20))
  } finally {
    sensors.stop()
    server.closeAllConnections()
    server.close()
  }
  assert.ok(
    posted.every((one) => one.startsWith(`/api/connections/${id(2)}/uplink?topic=zigbee2mqtt`)),
    posted[0],
  )
  assert.ok(
    posted.every((one) => one.endsWith('key of Zigbee2MQTT')),
    posted[0],
  )
  assert.equal(lines.length, 1, lines.join('\n'))
  assert.match(lines[0]!, /does not accept messages: it responded 503/)
})
