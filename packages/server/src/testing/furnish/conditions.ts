import { randomUUID } from 'node:crypto'
import { happened, openConditions } from '../../features/conditions/store.ts'
import type { Furnishing } from './context.ts'
import { write } from './context.ts'
import type { Devices } from './devices.ts'

/** Faults and events of the boiler, and conditions set by a person. */
export async function furnishConditions(furnishing: Furnishing, { boiler, newLight }: Devices) {
  const { tenant, secret } = furnishing
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('event')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        device_id: boiler,
        start_at: new Date(),
        end_at: null,
        severity: 'High',
        category: 'Lockout',
        description: secret,
      })
      .execute()
    const fault = { source: 'boiler', code: 'EA', evidence: { description: secret } } as const
    await happened(tx, [
      { deviceId: boiler, occurrence: { what: 'fault', at: 1, ...fault } },
      { deviceId: boiler, occurrence: { what: 'fault gone', at: 2 } },
    ])
  })
  const newCondition = async () => {
    const deviceId = await newLight()
    const by = { id: null, name: `${secret} person` }
    const conditionId = await write(furnishing, async (tx) => {
      await happened(tx, [
        { deviceId, occurrence: { what: 'set', at: 1, kind: 'deviceBroken', evidence: { by } } },
        { deviceId, occurrence: { what: 'ended', at: 2, kind: 'deviceBroken', cause: 'ended by a person' } },
        { deviceId, occurrence: { what: 'set', at: 3, kind: 'maintenance', evidence: { by } } },
      ])
      return (await openConditions(tx, [deviceId])).get(deviceId)![0]!.id
    })
    return { deviceId, conditionId }
  }
  return {
    /** A light with a condition set by a person, and with another one that has ended. */
    conditionedLight: (await newCondition()).deviceId,
    newCondition,
  }
}
