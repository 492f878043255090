import { randomUUID } from 'node:crypto'
import { keyOf } from '../../files/keys.ts'
import type { Furnishing } from './context.ts'
import { write } from './context.ts'
import type { Devices } from './devices.ts'

/** Repair forms and notes of devices. */
export async function furnishMaintenance(
  furnishing: Furnishing,
  { light, boiler, gateway, liftMonitor, peopleCounter }: Devices,
): Promise<{ repairPhoto: () => Promise<{ repairId: string; photoId: string }>; repair: string }> {
  const { test, tenant, secret } = furnishing
  const [repair, photo, file] = [randomUUID(), randomUUID(), randomUUID()]
  const now = new Date()
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('repair_form')
      .values(
        [light, boiler, gateway, liftMonitor, peopleCounter].map((device_id) => ({
          ...{
            tenant_id: tenant,
            id: device_id === light ? repair : randomUUID(),
            device_id,
            at: now,
            part: 'equipment' as const,
          },
          ...{ parts: '{"battery":true,"inverter":false,"lamp":false}', description: secret },
          ...{ repaired_by: secret, repaired_on: '2026-01-01', person_id: null, person_name: secret },
          ...{ repaired_time: '10:00', battery_fitted_on: '2026-01-01' },
          replaced: JSON.stringify([{ part: 'battery', model: secret, quantity: 1 }]),
        })),
      )
      .execute()
    await tx
      .insertInto('file')
      .values({
        ...{ tenant_id: tenant, id: file, referrer: 'repair_photo', name: `${secret}.png`, content_type: 'image/png' },
        ...{ size: secret.length, sha256: Buffer.alloc(32), created_at: now, created_by: null },
      })
      .execute()
    const repairs = await tx.selectFrom('repair_form').select('id').where('tenant_id', '=', tenant).execute()
    await tx
      .insertInto('repair_photo')
      .values(
        repairs.map(({ id }) => ({
          ...{ tenant_id: tenant, id: id === repair ? photo : randomUUID(), repair_id: id, file_id: file },
          ...{ name: `${secret}.png`, added_at: now },
        })),
      )
      .execute()
    await tx
      .insertInto('device_note')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), device_id: light, at: now, note: secret },
        ...{ person_id: null, person_name: secret },
      })
      .execute()
  })
  return {
    /** A repair of the light. */
    repair,
    /** A photograph of it, whose file is in the store. */
    repairPhoto: async () => {
      await test.context.files.put(keyOf(tenant, file), new Blob([secret]))
      return { repairId: repair, photoId: photo }
    },
  }
}
