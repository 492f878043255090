import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, test } from 'vitest'
import {
  addConnection,
  addSensors,
  changeSetPoint,
  getNewSensors,
  getSetPoint,
} from '@caretaker/contract/connections.ts'
import { getDeviceCommands } from '@caretaker/contract/lighting.ts'
import type { Fleet } from '@caretaker/contract/mqtt/fleet.ts'
import { sendDownlinks } from '@caretaker/server/connectors/downlinks.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { demoConnections } from './fixtures.ts'
import { newConnections } from './fleet.ts'
import { startSimulator } from './simulator.ts'

const tenant = demoConnections.tenant
const manager = 'manager@north.test'
const folder = mkdtempSync(path.join(tmpdir(), 'simulator-'))
let app: TestApp
let web: string

beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addMember(tenant, manager, 'Manager')
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  web = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

/** Waits up to 20 s. */
async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  for (let left = 200; left; left--) {
    const found = await find()
    if (found !== undefined) return found
    await sleep(100)
  }
  return assert.fail('nothing was found')
}

test('a set point of the demo thermostat reaches the simulated ChirpStack and is confirmed by its next uplink', async () => {
  const downlink = { url: demoConnections.api, token: demoConnections.apiToken }
  const body = { kind: 'chirpstack', name: demoConnections.chirpstack, downlink }
  const added = await app.send(addConnection, { params: { tenant }, body } as never, manager)
  assert.equal(added.status, 201)
  const [{ sensors, ...demo }] = newConnections() as [ReturnType<typeof newConnections>[number]]
  const thermostat = sensors.find(({ model }) => model === 'WT201')!
  const device = { deviceId: randomUUID(), serial: 'MG1', product: 'MG', password: 'key' } as const
  const fleet: Fleet = {
    devices: [
      {
        ...{
          ...device,
          username: device.deviceId,
          reportingInterval: 60,
          parentId: null,
          model: 'gateway',
          traits: {},
        },
      },
    ],
    connections: [
      {
        ...{ ...demo, connectionId: added.body.connection.id, key: added.body.key! },
        sensors: [{ ...thermostat, reportingInterval: 1 }],
      },
    ],
  }
  const file = path.join(folder, 'fleet.json')
  writeFileSync(file, JSON.stringify(fleet))
  const simulator = startSimulator(file, 'mqtt://127.0.0.1:9', web)
  try {
    const sensor = await until(async () => {
      const { results } = (await app.send(getNewSensors, { params: { tenant }, query: {} as never }, manager)).body
      return results.find(({ deviceKey }) => deviceKey === thermostat.deviceKey)
    })
    const propertyId = randomUUID()
    await app.database.owner.query(
      `insert into property (tenant_id, id, reference, address1, postcode) values ($2, $1, 'NG-1', '1 Elm Road', 'LS6 1AB')`,
      [propertyId, tenant],
    )
    const placed = await app.send(
      addSensors,
      { params: { tenant }, body: { propertyId, sensors: [{ sensorId: sensor.id, room: 'Living room' }] } },
      manager,
    )
    const { deviceId } = placed.body.added[0]!
    const shown = async () => (await app.send(getSetPoint, { params: { tenant, deviceId } }, manager)).body
    assert.deepEqual([(await shown()).reported, (await shown()).refusal], [19, null])
    assert.equal(
      (await app.send(changeSetPoint, { params: { tenant, deviceId }, body: { setPoint: 21 } }, manager)).status,
      200,
    )
    const ask = async (...call: Parameters<typeof simulator.answer>) => until(async () => simulator.answer(...call))
    await sendDownlinks(app.context, { publish: async () => assert.fail(), ask })
    const command = async () =>
      (await app.send(getDeviceCommands, { body: { tenant, deviceId } }, manager)).body.data![0]!
    assert.notEqual((await command()).status, 'failed', (await command()).message ?? '')
    await until(async () => ((await command()).status === 'confirmed' ? true : undefined))
    assert.deepEqual([(await shown()).reported, (await shown()).desired], [21, 21])
    assert.equal(simulator.answer('https://other.example/api', {}), undefined)
  } finally {
    await simulator.stop()
  }
})
