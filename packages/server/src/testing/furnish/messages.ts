import { randomUUID } from 'node:crypto'
import type { Furnishing } from './context.ts'
import { write } from './context.ts'
import type { Devices } from './devices.ts'

/** Device messages: stored, set aside and rejected. */
export async function furnishMessages(
  furnishing: Furnishing,
  { light, boiler, gateway, powerSwitch }: Devices,
): Promise<void> {
  const { tenant, secret } = furnishing
  const now = new Date()
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('bad_message')
      .values({
        tenant_id: tenant,
        device_id: light,
        channel: 'state',
        reason: 'not JSON',
        detail: '',
        payload: secret,
        parts: JSON.stringify([{ path: 'mains', reason: 'not a number' as const, detail: secret }]) as never,
      })
      .execute()
    await tx
      .insertInto('device_message')
      .values({
        ...{ tenant_id: tenant, device_id: light, at: now, id: randomUUID(), channel: 'state' },
        ...{ payload: JSON.stringify({ secret }), bytes: 20, was: null },
      })
      .execute()
    await tx
      .insertInto('refused_message')
      .values(
        [light, boiler, gateway, powerSwitch].map((device_id) => ({
          ...{ tenant_id: tenant, device_id, reason: 'too large' as const },
          ...{ count: 1, first_at: now, last_at: now },
        })),
      )
      .execute()
  })
}
