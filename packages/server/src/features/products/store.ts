import type { EquipmentLists } from '@caretaker/rules/lighting/equipment.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** The tenant's own equipment lists, where they differ from the defaults. */
export async function ownEquipmentLists(tx: TenantTx): Promise<Partial<EquipmentLists>> {
  const rows = await tx
    .selectFrom('equipment_list')
    .select(['list', 'choices'])
    .where('tenant_id', '=', tx.tenant)
    .execute()
  return Object.fromEntries(rows.map(({ list, choices }) => [list, choices]))
}
