import type { BulkResult } from '@caretaker/contract/actions.ts'
import { refusals } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData, tagsAllow } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { StoredRun } from '../../bulk/subject.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

const mostFailures = 1000

type Failure = BulkResult & { serial: string; name: string }

/** The failed items of a bulk action, with names where the actor may see them. */
export const failuresOf = (tx: TenantTx, actor: Actor, { id, subject }: Pick<StoredRun, 'id' | 'subject'>) =>
  subject === 'property' ? failedHomes(tx, actor, id) : failedDevices(tx, actor, id)

async function failedHomes(tx: TenantTx, actor: Actor, runId: string): Promise<Failure[]> {
  const rows = await tx
    .selectFrom('bulk_item as part')
    .leftJoin('property', (join) =>
      join.on('property.tenant_id', '=', tx.tenant).onRef('property.id', '=', 'part.item_id'),
    )
    .where('part.tenant_id', '=', tx.tenant)
    .where('bulk_action_id', '=', runId)
    .where('state', '=', 'failed')
    .select(['part.item_id', 'message', 'reference', 'address', 'access_rights_tag_id as tag'])
    .orderBy('part.item_id')
    .limit(mostFailures)
    .execute()
  return rows.map(({ item_id: deviceId, message, reference, address, tag }) => {
    const isSeen = reference !== null && tagsAllow(actor, { accessRightsTags: tag ? [tag] : [] })
    return {
      ...{ deviceId, state: 'failed' as const, message: isSeen ? message : refusals['not found'].text },
      ...{ serial: isSeen ? reference : '', name: isSeen && !hidesPersonalData(actor) ? (address ?? '') : '' },
    }
  })
}

async function failedDevices(tx: TenantTx, actor: Actor, runId: string): Promise<Failure[]> {
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
