import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import type { TestDatabase } from '../testing/database.ts'
import { addDevice } from '../testing/furnish/devices.ts'
import { refreshPlaces } from './copied-places.ts'
import { inTenant } from '../postgres/tenant.ts'

const tenant = 'north'
let app: TestApp
let database: TestDatabase
beforeAll(async () => {
  app = await testApp()
  database = app.database
  await app.addTenant(tenant)
  await furnish()
})
afterAll(() => app.close())

/** Two buildings and two properties with devices, one of each kind of place, and one device without a place. */
async function furnish(): Promise<void> {
  const [alder, birch, ground, flat, hut] = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const insert = (table: string, columns: string, rows: unknown[][]) =>
    Promise.all(
      rows.map((row) =>
        database.owner.query(
          `insert into ${table} (tenant_id, ${columns}) values ($1, ${row.map((_, at) => `$${at + 2}`).join(', ')})`,
          [tenant, ...row],
        ),
      ),
    )
  await insert('building', 'id, name, address, postcode', [
    [alder, 'Alder House', '1 Mill Lane', 'LS6 1AA'],
    [birch, 'Birch House', '', ''],
  ])
  await insert('floor', 'id, building_id, number, name', [
    [ground, alder, 0, 'Ground floor'],
    [randomUUID(), birch, 1, 'First floor'],
  ])
  await insert('property', 'id, reference, address1, town, county, postcode', [
    [flat, 'N-1', '2 Mill Lane', 'Leeds', 'West Yorkshire', 'LS6 1AB'],
    [hut, 'N-2', '', '', '', ''],
  ])
  const places = [
    { building_id: alder, floor_id: ground },
    { building_id: alder, property_id: flat },
    { building_id: alder, property_id: hut },
    { building_id: birch },
    { property_id: flat },
    {},
  ]
  for (const place of places) {
    const id = await addDevice(app, tenant)
    await inTenant(database.db, tenant, async (tx) => {
      if (Object.keys(place).length)
        await tx.updateTable('device').set(place).where('tenant_id', '=', tenant).where('id', '=', id).execute()
      await refreshPlaces(tx, tenant, [id])
    })
  }
}

interface Place {
  id: string
  copies: (string | number | null)[]
  joined: (string | number | null)[]
}

/** The copied place of every device, with the values of its building, floor and property. */
async function places(): Promise<Place[]> {
  const { rows } = await database.owner.query<Record<string, string | number | null> & { id: string }>(
    `select device.id, building_name, floor_number, floor_name, property_reference, device.address, device.postcode,
       building.name, floor.number, floor.name as level, property.reference,
       building.address as building_address, building.postcode as building_postcode,
       address1, address2, address3, town, county, property.postcode as property_postcode
     from device
     left join building on building.id = building_id and building.tenant_id = device.tenant_id
     left join floor on floor.id = floor_id and floor.tenant_id = device.tenant_id
     left join property on property.id = property_id and property.tenant_id = device.tenant_id
     where device.tenant_id = $1`,
    [tenant],
  )
  return rows.map((row) => {
    const home = ['address1', 'address2', 'address3', 'town', 'county'].map((part) => row[part]).filter(Boolean)
    return {
      id: row.id,
      copies: ['building_name', 'floor_number', 'floor_name', 'property_reference', 'address', 'postcode'].map(
        (column) => row[column]!,
      ),
      joined: [
        row['name']!,
        row['number']!,
        row['level']!,
        row['reference']!,
        home.join(', ') || row['building_address'] || null,
        row['property_postcode'] || row['building_postcode'] || null,
      ],
    }
  })
}

async function assertCopied(): Promise<Place[]> {
  const all = await places()
  for (const { id, copies, joined } of all) assert.deepEqual(copies, joined, id)
  return all
}

test('every device has the place of its building, floor and property', async () => {
  const all = await assertCopied()
  assert.equal(all.length, 6)
  for (const at of [0, 1, 2, 3, 4, 5]) {
    assert.ok(all.some(({ copies }) => copies[at] !== null))
    assert.ok(all.some(({ copies }) => copies[at] === null))
  }
})

test('a rename and a new address reach all devices of the place, or the given ones', async () => {
  const before = new Map((await places()).map(({ id, copies }) => [id, copies]))
  await inTenant(database.db, tenant, async (tx) => {
    await tx
      .updateTable('building')
      .set({ name: 'Renamed House', address: '', postcode: 'ZZ1 1ZZ' })
      .where('tenant_id', '=', tenant)
      .where('name', '=', 'Alder House')
      .execute()
    await tx
      .updateTable('floor')
      .set({ name: 'Basement' })
      .where('tenant_id', '=', tenant)
      .where('number', '=', 0)
      .execute()
    await tx.updateTable('property').set({ address2: 'Top flat', county: '' }).where('tenant_id', '=', tenant).execute()
    await refreshPlaces(tx, tenant)
  })
  const all = await assertCopied()
  assert.ok(all.some(({ copies }) => copies[0] === 'Renamed House' && copies[4] === null))
  assert.ok(all.some(({ copies }) => copies[2] === 'Basement'))
  const moved = all.find(({ id, copies }) => copies[0] === 'Renamed House' && before.get(id)![0] === 'Alder House')!
  await inTenant(database.db, tenant, async (tx) => {
    const elsewhere = await tx
      .selectFrom('building')
      .select('id')
      .where('tenant_id', '=', tenant)
      .where('name', '<>', 'Renamed House')
      .executeTakeFirstOrThrow()
    await tx
      .updateTable('device')
      .set({ building_id: elsewhere.id, floor_id: null })
      .where('tenant_id', '=', tenant)
      .where('id', '=', moved.id)
      .execute()
    await refreshPlaces(tx, tenant, [])
    assert.equal(
      (
        await tx
          .selectFrom('device')
          .select('building_name')
          .where('tenant_id', '=', tenant)
          .where('id', '=', moved.id)
          .executeTakeFirstOrThrow()
      ).building_name,
      'Renamed House',
    )
    await refreshPlaces(tx, tenant, [moved.id])
  })
  await assertCopied()
})

test('only rows that differ are written', async () => {
  const versions = async () => (await database.owner.query('select id, xmin from device order by id')).rows
  const before = await versions()
  await inTenant(database.db, tenant, (tx) => refreshPlaces(tx, tenant))
  assert.deepEqual(await versions(), before)
})
