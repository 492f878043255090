import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getBulkAction, startBulkAction, undoBulkAction } from '@caretaker/contract/actions.ts'
import { getEmered } from '@caretaker/contract/devices.ts'
import { addStandardLuminaire } from '@caretaker/contract/equipment.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { doBulkActions } from './job.ts'

let app: TestApp
const tenant = 'north'
const [engineer, manager, boilers] = ['engineer@north.test', 'manager@north.test', 'boilers@north.test']
const [court, otherBuilding, ground, group, former] = Array.from({ length: 5 }, () => randomUUID()) as [
  ...[string, string, string, string, string],
]
let lights: string[]

beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) await app.addTenant(id)
  await app.addMember(tenant, engineer, 'LightingEngineer')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, boilers, 'BoilerEngineer')
  const { owner } = app.database
  for (const [id, name] of [
    [court, 'Beech Hill Court'],
    [otherBuilding, 'Alder House'],
  ])
    await owner.query(`insert into building (tenant_id, id, name, address) values ($1, $2, $3, '1 Mill Lane')`, [
      tenant,
      id,
      name,
    ])
  await owner.query(
    `insert into floor (tenant_id, id, building_id, name, number) values ($1, $2, $3, 'Ground floor', 0)`,
    [tenant, ground, court],
  )
  for (const [id, name] of [
    [group, 'Stairs'],
    [former, 'Old stairs'],
  ])
    await owner.query(
      `insert into light_group (tenant_id, id, name, name_key, building_id, t180_start, created_at)
       values ($1, $2, $3, lower($3), $4, '2026-12-30 02:00', now())`,
      [tenant, id, name, court],
    )
  lights = []
  for (let light = 0; light < 200; light++) lights.push(await addDevice(app, tenant, { name: `Light ${light}` }))
  await owner.query(`update device set building_id = $2, building_name = 'Alder House' where tenant_id = $1`, [
    tenant,
    otherBuilding,
  ])
})
afterAll(() => app.close())

const start = (body: object, email = engineer) =>
  app.send(startBulkAction, { body: { tenant, selection: { deviceIds: lights }, ...body } as never }, email)

/** Acts on all of them, and returns the finished run. */
async function doAll(body: object, email = engineer) {
  const { status, body: answer } = await start(body, email)
  assert.equal(status, 200, JSON.stringify(answer))
  await doBulkActions(app.context)
  const id = answer.data!.bulkActionId
  const { body: now } = await app.send(getBulkAction, { body: { tenant, bulkActionId: id } }, email)
  return { id, ...now.data! }
}
const undo = async (bulkActionId: string, email = engineer) =>
  (await app.send(undoBulkAction, { body: { tenant, bulkActionId } }, email)).body.data
const light = async (id: string) => (await app.send(getEmered, { body: { tenant, deviceId: id } }, engineer)).body.data!
const countOf = async (condition: string) => {
  const { rows } = await app.database.owner.query<{ count: string }>(
    `select count(*) from device left join emergency_equipment as box on box.tenant_id = device.tenant_id and box.device_id = device.id
     left join light_group_member as member on member.tenant_id = device.tenant_id and member.device_id = device.id
     where device.tenant_id = $1 and ${condition}`,
    [tenant],
  )
  return Number(rows[0]!.count)
}

test('200 lights are moved to a building and a floor at once, and back', async () => {
  const { id, run } = await doAll({ action: 'move lights', settings: { buildingId: court, floorId: ground } })
  assert.deepEqual([run.done, run.failed, run.canUndo, run.names], [200, 0, true, ['Beech Hill Court, Ground floor']])
  assert.equal(await countOf(`building_name = 'Beech Hill Court' and floor_name = 'Ground floor'`), 200)
  // A light that has since been moved elsewhere stays there.
  await app.database.owner.query(`update device set floor_id = null, floor_name = null where id = $1`, [lights[0]])
  assert.deepEqual(await undo(id), { restored: 199, skipped: 1 })
  assert.equal(await countOf(`building_name = 'Alder House'`), 199)
  await doAll({ action: 'move lights', settings: { buildingId: court, floorId: ground } })
})

test('200 lights get a standard luminaire and a battery date, and undo restores their former ones', async () => {
  const { owner } = app.database
  await owner.query(
    `insert into emergency_equipment (tenant_id, device_id, name, lamp_type, inverter_type, battery_type, battery_voltage, battery_capacity)
     values ($1, $2, 'Bulkhead', 'T5', 'Remote', 'Lead Acid', 12, 7)`,
    [tenant, lights[1]],
  )
  const luminaire = {
    ...{ name: 'Escape 3 h', lampType: 'LED', inverterType: 'Integral' },
    ...{ batteryType: 'Nickel Cadmium' as const, batteryVoltage: 3.6, batteryCapacity: 4 },
  }
  const { luminaireId } = (await app.send(addStandardLuminaire, { body: { tenant, ...luminaire } }, manager)).body.data!
  const set = await doAll({ action: 'set luminaire', settings: { luminaireId } })
  assert.deepEqual([set.run.done, set.run.names], [200, ['Escape 3 h']])
  assert.equal(await countOf(`box.name = 'Escape 3 h' and box.battery_voltage = 3.6`), 200)
  await owner.query(
    `insert into repair_form (tenant_id, id, device_id, at, part, parts, description, repaired_by, repaired_on, person_name)
     values ($1, gen_random_uuid(), $2, now(), 'equipment', '{"battery":true}', '', 'Sam', '2026-05-01', 'Sam')`,
    [tenant, lights[2]],
  )
  const day = await doAll({ action: 'set battery day', settings: { batteryDay: '2026-02-01' } })
  assert.deepEqual([day.run.done, day.run.failed], [199, 1])
  assert.equal(day.failures[0]!.message, 'A repair of the battery was recorded for 01/05/2026.')
  assert.equal((await light(lights[5]!)).equipment.batterySince, '2026-02-01')
  assert.deepEqual(await undo(day.id), { restored: 199, skipped: 0 })
  assert.equal((await light(lights[5]!)).equipment.batterySince, null)
  assert.deepEqual(await undo(set.id), { restored: 200, skipped: 0 })
  const { equipment } = await light(lights[1]!)
  assert.deepEqual([equipment.luminaireName, equipment.batteries[0]!.voltage], ['Bulkhead', 12])
  assert.equal((await light(lights[5]!)).equipment.luminaireName, null)
})

test('200 lights get a status with its reason, and lose it again', async () => {
  const settings = { condition: 'maintenance', reason: 'Batch of weak batteries' }
  const { id, run } = await doAll({ action: 'set status', settings })
  assert.deepEqual([run.done, run.failed], [200, 0])
  assert.equal(await countOf(`status = 'PreventativeMaintenance'`), 200)
  const { rows } = await app.database.owner.query(
    `select count(*)::int as count from condition where tenant_id = $1 and kind = 'maintenance' and evidence ->> 'note' = $2`,
    [tenant, settings.reason],
  )
  assert.equal(rows[0].count, 200)
  assert.deepEqual(await undo(id), { restored: 200, skipped: 0 })
  assert.equal(await countOf(`status = 'PreventativeMaintenance'`), 0)
})

test('200 lights join a group from others, and return; a light without a floor is reported', async () => {
  const { owner } = app.database
  await owner.query(
    `insert into light_group_member (tenant_id, device_id, group_id, added_at) values ($1, $2, $3, now())`,
    [tenant, lights[3], former],
  )
  await owner.query(`update device set floor_id = null, floor_name = null where id = $1`, [lights[4]])
  const { id, run, failures } = await doAll({ action: 'add to group', settings: { groupId: group } })
  assert.deepEqual([run.done, run.failed, run.names], [199, 1, ['Stairs']])
  assert.match(failures[0]!.message!, /is not on a floor\./)
  assert.equal(await countOf(`member.group_id = '${group}'`), 199)
  assert.deepEqual(await undo(id), { restored: 199, skipped: 0 })
  assert.deepEqual(
    [await countOf(`member.group_id = '${group}'`), await countOf(`member.group_id = '${former}'`)],
    [0, 1],
  )
})

test("settings are refused if something is missing, of another client, or not the user's to set", async () => {
  for (const [status, body, email] of [
    [400, { action: 'set status', settings: { condition: 'maintenance' } }],
    [400, { action: 'move lights', settings: { buildingId: randomUUID() } }],
    [400, { action: 'move lights', settings: { buildingId: otherBuilding, floorId: ground } }],
    [400, { action: 'set luminaire', settings: { luminaireId: randomUUID() } }],
    [400, { action: 'add to group', settings: { groupId: randomUUID() } }],
    [400, { action: 'flick test', settings: { groupId: group } }],
    [403, { action: 'set battery day', settings: { batteryDay: '2026-02-01' } }, boilers],
    [404, { tenant: 'south', action: 'set battery day', settings: { batteryDay: '2026-02-01' } }],
  ] as const)
    assert.equal((await start(body, email)).status, status, JSON.stringify(body))
})
