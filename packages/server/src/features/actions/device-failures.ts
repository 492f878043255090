import type { BulkResult } from '@caretaker/contract/actions.ts'
import { refusals } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

const mostFailures = 1000

/** The devices of a bulk action that failed, with their names where the actor may see them. */
export async function failuresOf(
  tx: TenantTx,
  actor: Actor,
  runId: string,
): Promise<(BulkResult & { serial: string; name: string })[]> {
  const rows = await tx
    .selectFrom('bulk_item as part')
    .leftJoin('device', (join) => join.on('device.tenant_id', '=', tx.tenant).onRef('device.id', '=', 'part.item_id'))
    .where('part.tenant_id', '=', tx.tenant)
    .where('bulk_action_id', '=', runId)
    .where('state', '=', 'failed')
    .select(['part.item_id', 'message', 'serial', 'device.name', 'product', 'status', 'access_rights_tag_id'])
    .orderBy('part.item_id')
    .limit(mostFailures)
    .execute()
  return rows.map((row) => {
    const visible =
      row.product !== null &&
      can(actor, 'see device', {
        product: row.product,
        status: row.status!,
        inWholesale: false,
        accessRightsTags: row.access_rights_tag_id ? [row.access_rights_tag_id] : [],
      })
    return {
      deviceId: row.item_id,
      state: 'failed' as const,
      message: visible ? row.message : refusals['not found'].text,
      serial: visible ? row.serial! : '',
      name: visible ? row.name! : '',
    }
  })
}
