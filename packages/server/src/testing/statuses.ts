import type { TenantTx } from '../postgres/tenant.ts'
import type { Happening } from '../features/conditions/store.ts'
import { happened } from '../features/conditions/store.ts'

/** Makes devices fail or work again, like a person setting conditions. */
export async function setStatus(
  tx: TenantTx,
  deviceIds: string | readonly string[],
  status: 'Ok' | 'FailedEquipment' | 'FailedDevice',
): Promise<void> {
  const at = Date.now()
  const kinds = { FailedEquipment: 'equipmentBroken', FailedDevice: 'deviceBroken' } as const
  await happened(
    tx,
    [deviceIds].flat().flatMap((deviceId): Happening[] =>
      status === 'Ok'
        ? Object.values(kinds).map((kind) => ({
            deviceId,
            occurrence: { what: 'ended', at, kind, cause: 'ended by a person' },
          }))
        : [{ deviceId, occurrence: { what: 'set', at, kind: kinds[status] } }],
    ),
  )
}
