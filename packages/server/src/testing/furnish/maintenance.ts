import { randomUUID } from 'node:crypto'
import type { Furnishing } from './context.ts'
import { write } from './context.ts'
import type { Devices } from './devices.ts'

/** Repair forms and notes of devices. */
export async function furnishMaintenance(
  furnishing: Furnishing,
  { light, boiler, gateway, liftMonitor, peopleCounter }: Devices,
): Promise<void> {
  const { tenant, secret } = furnishing
  const now = new Date()
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('repair_form')
      .values(
        [light, boiler, gateway, liftMonitor, peopleCounter].map((device_id) => ({
          ...{ tenant_id: tenant, id: randomUUID(), device_id, at: now, part: 'equipment' as const },
          ...{ parts: '{"battery":true,"inverter":false,"lamp":false}', description: secret },
          ...{ repaired_by: secret, repaired_on: '2026-01-01', person_id: null, person_name: secret },
          ...{ repaired_time: '10:00', battery_fitted_on: '2026-01-01' },
          replaced: JSON.stringify([{ part: 'battery', model: secret, quantity: 1 }]),
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
}
