import { audit } from '../../audit/audit.ts'
import type { Recorded } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { announceRoutes } from '../../mqtt/route-changes.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { begun } from '../conditions/begun.ts'
import { happened } from '../conditions/store.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deviceSubject } from '../devices/held.ts'

/**
 * Puts a held device that is not in service into service. One that was uninstalled is admitted again, with the key and the
 * gateway that it had.
 */
export async function install(tx: TenantTx, person: Recorded, device: HeldDevice): Promise<void> {
  const { deviceId } = device
  const route = await tx
    .updateTable('device_route')
    .set({ uninstalled_at: null })
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .returning('parent_id')
    .executeTakeFirst()
  const gateway = route?.parent_id && (await findGateway(tx, route.parent_id))
  if (gateway)
    await tx
      .updateTable('device')
      .set({ parent_id: gateway.id })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', deviceId)
      .execute()
  await happened(
    tx,
    begun('Installed', device.product, person).map((occurrence) => ({ deviceId, occurrence })),
  )
  await announceRoutes(tx, [deviceId])
  for (const subject of ['device', 'device state'] as const) await changed(tx, subject, [deviceId])
  await audit(tx, {
    ...{ person, action: 'device installed', subject: deviceSubject(device) },
    before: { status: device.status },
    after: { status: 'Installed' },
  })
}

const findGateway = (tx: TenantTx, id: string) =>
  tx.selectFrom('device').select('id').where('tenant_id', '=', tx.tenant).where('id', '=', id).executeTakeFirst()
