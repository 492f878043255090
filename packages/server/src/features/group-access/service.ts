import { differences } from '@caretaker/rules/audit/audit.ts'
import type { GroupAccess } from '@caretaker/rules/identity/group-access.ts'
import type { Recorded } from '../../audit/audit.ts'
import { groupAccessTable } from '../../identity/group-access.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { record } from '../../projections/record.ts'
import { chosenAccessRightsTag, listAccessRightsTags } from '../tags/store.ts'
import * as store from './store.ts'

interface Asking {
  tx: TenantTx
  person: Recorded
}

/** Replaces the roles assigned by groups of the client's directory; returns whether anything changed. */
export async function setGroupAccess({ tx, person }: Asking, table: readonly GroupAccess[]): Promise<boolean> {
  await store.holdTable(tx)
  for (const [row, { tags }] of table.entries())
    for (const tag of tags) await chosenAccessRightsTag(tx, tag, `rows.${row}.tags`)
  const names = new Map((await listAccessRightsTags(tx)).map(({ id, displayName }) => [id, displayName]))
  const described = (rows: readonly GroupAccess[]) => ({
    groups: rows.map(({ group, role, tags }) => ({ group, role, accessRightsTags: tags.map((tag) => names.get(tag)) })),
  })
  const changes = differences(described(await groupAccessTable(tx)), described(table))
  if (!changes) return false
  await store.replaceTable(tx, table)
  const tenant = { tenantId: tx.tenant, tenantName: tx.tenant }
  record(tx, [{ type: 'SignInSettingsChanged', action: 'group access changed', by: person, ...tenant, ...changes }])
  return true
}
