import { sql } from 'kysely'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/**
 * Ends the open alerts of devices, and of their properties, that no longer have any tag of their rule: an alert that
 * was not notified yet is deleted with its queued e-mails, the others end. The worker would do the same in its next
 * round.
 */
export async function endUncovered(tx: TenantTx, deviceIds: readonly string[], now: Date): Promise<void> {
  const { rows } = await sql<{ id: string; wasNotified: boolean }>`
    select alert.id, alert.told_at is not null or alert.held is not distinct from 'muted' as "wasNotified"
    from alert
    join alert_definition as rule on rule.tenant_id = ${tx.tenant} and rule.id = alert.definition_id
    where alert.tenant_id = ${tx.tenant} and alert.closed_at is null and (rule.tag_id is not null or rule.scope_tags <> '{}')
      and (alert.device_id = any(${deviceIds}::uuid[]) or alert.property_id = any(array(
        select property_id from device where tenant_id = ${tx.tenant} and id = any(${deviceIds}::uuid[]))))
      and not exists (
        select from device_tag as tag
        join device on device.tenant_id = ${tx.tenant} and device.id = tag.device_id
        where tag.tenant_id = ${tx.tenant} and (device.id = alert.device_id or device.property_id = alert.property_id)
          and (tag.tag_id = rule.tag_id or tag.tag_id = any(rule.scope_tags)))
    order by alert.id
    for update of alert`.execute(tx)
  if (!rows.length) return
  const ids = (wasNotified: boolean) => rows.filter((row) => row.wasNotified === wasNotified).map(({ id }) => id)
  await sql`delete from alert where tenant_id = ${tx.tenant} and id = any(${ids(false)}::uuid[])`.execute(tx)
  await sql`
    update alert set ended_at = coalesce(ended_at, ${now}), over_at = coalesce(over_at, ${now}), ending = 'tag taken off',
      closed_at = ${now}, next_at = null
    where tenant_id = ${tx.tenant} and id = any(${ids(true)}::uuid[])`.execute(tx)
  await changed(tx, 'alert', null)
}
