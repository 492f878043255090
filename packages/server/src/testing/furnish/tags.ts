import { randomUUID } from 'node:crypto'
import type { Furnishing } from './context.ts'
import { nextNumber, write } from './context.ts'
import type { Devices } from './devices.ts'
import { addAccessRightsTag } from './devices.ts'
import type { Estate } from './estate.ts'

export type Tags = Awaited<ReturnType<typeof furnishTags>>

/** Tags, the items that have them, and derived data. */
export async function furnishTags(
  furnishing: Furnishing,
  { light, boiler, gateway, powerSwitch, sensors, newLight }: Devices,
  { property }: Estate,
) {
  const { test, tenant, secret } = furnishing
  const [tagId, keptTag] = [randomUUID(), randomUUID()]
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('tag')
      .values([
        { tenant_id: tenant, id: tagId, name: secret },
        { tenant_id: tenant, id: keptTag, name: `${secret} kept` },
      ])
      .execute()
    await tx
      .insertInto('device_tag')
      .values(
        [light, boiler, gateway, powerSwitch, ...sensors].map((device_id) => ({
          ...{ tenant_id: tenant, device_id, tag_id: keptTag },
        })),
      )
      .execute()
    const set = { id: randomUUID(), tag_id: keptTag, product: 'BX' as const, access_rights_tag_id: null }
    await tx
      .insertInto('tag_set')
      .values({ tenant_id: tenant, ...set })
      .execute()
    await tx
      .updateTable('property')
      .set({ tag_set: set.id, status_set: set.id })
      .where('tenant_id', '=', tenant)
      .where('id', '=', property)
      .execute()
    const worst = { place: 1, product: 'BX' as const, access_rights_tag_id: null, status: 'Ok' as const, severity: 2 }
    await tx
      .insertInto('status_set')
      .values({ tenant_id: tenant, id: set.id, ...worst })
      .execute()
    await tx.insertInto('property_retagged').values({ tenant_id: tenant, property_id: property }).execute()
  })
  return {
    tag: tagId,
    /** A tag of devices that no call removes. */
    keptTag,
    /** A light with both tags. */
    newTaggedLight: async () => {
      const device_id = await newLight()
      await write(furnishing, (tx) =>
        tx
          .insertInto('device_tag')
          .values([tagId, keptTag].map((tag_id) => ({ tenant_id: tenant, device_id, tag_id })))
          .execute(),
      )
      return device_id
    },
    newTag: async () => {
      const id = randomUUID()
      const name = `T${nextNumber()}`
      await write(furnishing, (tx) => tx.insertInto('tag').values({ tenant_id: tenant, id, name }).execute())
      return id
    },
    newAccessRightsTag: () => addAccessRightsTag(test, tenant, `Patch ${nextNumber()}`),
  }
}
