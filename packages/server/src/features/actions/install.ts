import type { Recorded } from '../../audit/audit.ts'
import { putIntoService } from '../../devices/install.ts'
import { announceRoutes } from '../../mqtt/route-changes.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { begun } from '../conditions/begun.ts'
import { happened } from '../conditions/store.ts'
import type { HeldDevice } from '../devices/held.ts'

/**
 * Puts a locked device into service. A device that was uninstalled is accepted again with its former key and gateway.
 */
export async function install(tx: TenantTx, person: Recorded, device: HeldDevice): Promise<void> {
  const { deviceId } = device
  await happened(
    tx,
    begun('Installed', device.product, person).map((occurrence) => ({ deviceId, occurrence })),
  )
  await announceRoutes(tx, [deviceId])
  await putIntoService(tx, person, device)
}
