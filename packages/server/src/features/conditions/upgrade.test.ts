import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import { migrate } from '../../postgres/migrate.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { emptyDatabase } from '../../testing/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await emptyDatabase()
  const earlier = Object.entries(migrations).filter(([name]) => name < '0021')
  await migrate(database.owner, { migrations: Object.fromEntries(earlier) })
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North')`)
})
afterAll(() => database.drop())

interface Before {
  product?: string
  status: string
  fault?: string
  heard?: boolean
  /** Type and result of its tests, one a day, the oldest first. */
  tests?: [type: string, result: string, states?: object][]
}

const devices: Record<string, Before> = {
  'a flick test passed after the long one failed': {
    status: 'Ok',
    tests: [
      ['T180', 'Failed', { Battery: 'Failed' }],
      ['T0', 'Passed'],
    ],
  },
  'the long one passed after it had failed': {
    status: 'Ok',
    tests: [
      ['T180', 'Failed', { Battery: 'Failed' }],
      ['T180', 'Passed'],
    ],
  },
  'never tested': { status: 'Ok' },
  'a light whose test waits': { status: 'Ok', tests: [['T0', 'AwaitingAnalysis']] },
  'only the device failed': { status: 'FailedEquipment', tests: [['T0', 'Failed', { Emered: 'Failed', Lamp: 'Ok' }]] },
  degraded: { status: 'PreventativeMaintenance', tests: [['T60', 'Degraded', { Battery: 'Degraded' }]] },
  'failed, and nobody knows why': { status: 'FailedEquipment', tests: [['T0', 'Passed']] },
  'in stock': { status: 'Inventory' },
  disabled: { status: 'DisabledOther', tests: [['T180', 'Failed', { Lamp: 'Failed' }]] },
  'a boiler with a fault': { product: 'BX', status: 'FailedEquipment', fault: 'EA' },
  'a boiler that works': { product: 'BX', status: 'Ok' },
  'a boiler that was never heard': { product: 'BX', status: 'Ok', heard: false },
  'a repaired boiler': { product: 'BX', status: 'RepairedEquipment' },
}

test('what stood before reasons were kept is explained as far as it can be, and nothing passes that has not', async () => {
  const names = Object.keys(devices)
  for (const [at, [name, { product = 'EM', status, fault, heard = true, tests = [] }]] of Object.entries(
    devices,
  ).entries()) {
    const id = `00000000-0000-4000-8000-0000000000${String(at).padStart(2, '0')}`
    const listing = product === 'EM' ? 'EmergencyLights' : 'Boilers'
    await database.owner.query(
      `insert into device (tenant_id, id, serial, product, name, listing, status, severity, connection_status, reported, status_at)
       values ('north', $1, $2, $3, $4, $5, $6, 2, $7, $8, '2026-01-01')`,
      [
        id,
        `${product}${at}`,
        product,
        name,
        listing,
        status,
        heard ? 'Connected' : 'neverconnected',
        fault ? { faultCode: fault, fault: { description: 'No flame' } } : {},
      ],
    )
    for (const [day, [type, result, states = {}]] of tests.entries())
      await database.owner.query(
        `insert into emergency_test values ('north', gen_random_uuid(), $1, $2, $3, $4, '', $5, '[]')`,
        [id, type, `2026-02-0${day + 1}`, result, states],
      )
  }
  await migrate(database.owner)
  const { rows } = await database.owner.query<{
    name: string
    status: string
    severity: number
    kinds: string[] | null
  }>(
    `select name, status, severity, (select array_agg(kind || ' ' || key order by kind) from condition where tenant_id = 'north' and device_id = device.id) as kinds
     from device where tenant_id = 'north'`,
  )
  const found = Object.fromEntries(
    rows.map((row) => [row.name, [row.status, ...(row.kinds ?? []).map((kind) => kind.trim())]]),
  )
  assert.deepEqual(Object.fromEntries(names.map((name) => [name, found[name]])), {
    'a flick test passed after the long one failed': ['FailedEquipment', 'testFailed T180'],
    'the long one passed after it had failed': ['Ok'],
    'never tested': ['Installed', 'neverTested'],
    'a light whose test waits': ['Installed', 'neverTested'],
    'only the device failed': ['FailedDevice', 'deviceTestFailed T0'],
    degraded: ['PreventativeMaintenance', 'testDegraded T60'],
    'failed, and nobody knows why': ['FailedEquipment', 'equipmentBroken'],
    'in stock': ['Inventory', 'inStock'],
    disabled: ['DisabledOther', 'disabledOther', 'testFailed T180'],
    'a boiler with a fault': ['FailedEquipment', 'fault boiler EA'],
    'a boiler that works': ['Ok'],
    'a boiler that was never heard': ['Installed', 'neverHeard'],
    'a repaired boiler': ['RepairedEquipment', 'equipmentRepaired'],
  })
  for (const { name, status, severity } of rows)
    if (found[name]![0] !== devices[name]!.status)
      assert.equal(severity, { FailedEquipment: 5, FailedDevice: 3, Installed: 4 }[status], name)
})
