import { createHash, randomUUID } from 'node:crypto'
import { buildingKey } from '@caretaker/rules/buildings/building.ts'
import { keyOf } from '../../files/keys.ts'
import type { Furnishing } from './context.ts'
import { nextNumber, write } from './context.ts'
import type { Devices } from './devices.ts'

export type Estate = Awaited<ReturnType<typeof furnishEstate>>

/** Buildings with floors and plans, and properties; the devices are in them. */
export async function furnishEstate(furnishing: Furnishing, { boiler, newLight }: Devices) {
  const { test, tenant, secret, accessRightsTag: tag } = furnishing
  const [building, floor, annexe, property] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  await write(furnishing, async (tx) => {
    for (const [id, name] of [
      [building, 'house'],
      [annexe, 'annexe'],
    ] as const)
      await tx
        .insertInto('building')
        .values({ tenant_id: tenant, id, name: `${secret} ${name}`, address: secret, responsible_person: secret })
        .execute()
    await tx
      .insertInto('floor')
      .values({ tenant_id: tenant, id: randomUUID(), building_id: annexe, number: 0, name: `${secret} ground floor` })
      .execute()
    // The address of the other property is not changed by any call.
    for (const [id, name, postcode] of [
      [property, 'home', 'LS6 1AB'],
      [randomUUID(), 'other home', 'LS6 2BD'],
      [randomUUID(), 'archived home', 'LS6 3EF'],
    ] as const)
      await tx
        .insertInto('property')
        .values({
          ...{ tenant_id: tenant, id, reference: `${secret} ${name}`, address1: secret, postcode },
          ...{ latitude: null, longitude: null, access_rights_tag_id: tag },
          archived_at: name === 'archived home' ? new Date() : null,
        })
        .execute()
    await tx
      .insertInto('floor')
      .values({ tenant_id: tenant, id: floor, building_id: building, number: 1, name: `${secret} floor` })
      .execute()
    await tx
      .updateTable('device')
      .set({
        building_id: building,
        floor_id: floor,
        latitude: 53.8,
        longitude: -1.5,
        reported: { relays: { 1: true }, takesSchedules: true },
      })
      .where('tenant_id', '=', tenant)
      .execute()
    await tx
      .updateTable('device')
      .set({
        property_id: property,
        monitoring: 'HeatPump',
        location: secret,
        power_clamps: JSON.stringify({ 1: secret }),
      })
      .where('tenant_id', '=', tenant)
      .where('id', '=', boiler)
      .execute()
  })
  const estate = {
    /** The building and floor of every device. */
    ...{ building, floor },
    /** Another building, with a floor. */
    annexe,
    /** A property with the boiler in it. */
    property,
    /** Another building with one floor that has a plan. */
    newBuilding: async () => {
      const [id, floor, plan] = [randomUUID(), randomUUID(), randomUUID()]
      const name = `${secret} ${id}`
      await write(furnishing, async (tx) => {
        await tx
          .insertInto('building')
          .values({ tenant_id: tenant, id, name, compared_name: buildingKey(name), latitude: 53.8, longitude: -1.5 })
          .execute()
        const ground = { id: floor, building_id: id, number: 0, name: `${secret} ground` }
        await tx
          .insertInto('floor')
          .values({ tenant_id: tenant, ...ground })
          .execute()
        const file = { referrer: 'floor_plan', name: `${secret}.svg`, content_type: 'image/svg+xml' } as const
        await tx
          .insertInto('file')
          .values({
            ...{ tenant_id: tenant, id: plan, ...file, size: secret.length, created_at: new Date(), created_by: null },
            sha256: createHash('sha256').update(plan).digest(),
          })
          .execute()
        await tx
          .insertInto('floor_plan')
          .values({ tenant_id: tenant, floor_id: floor, file_id: plan, name: file.name, uploaded_at: new Date() })
          .execute()
      })
      await test.context.files.put(keyOf(tenant, plan), new Blob([secret]))
      return { building: id, floor }
    },
    /** A property without devices. */
    newProperty: async (archived?: 'archived') => {
      const id = randomUUID()
      await write(furnishing, (tx) =>
        tx
          .insertInto('property')
          .values({
            ...{ tenant_id: tenant, id, reference: `${secret} ${nextNumber()}`, address1: secret, postcode: 'LS6 1AB' },
            ...{ access_rights_tag_id: null, archived_at: archived ? new Date() : null },
          })
          .execute(),
      )
      return id
    },
    /** A light installed in the annexe. */
    newPlacedLight: async () => {
      const id = await newLight()
      await test.database.owner.query(
        `update device set building_id = $2, floor_id = (select id from floor where tenant_id = $1 and building_id = $2)
         where tenant_id = $1 and id = $3`,
        [tenant, annexe, id],
      )
      return id
    },
  }
  await estate.newBuilding()
  return estate
}
