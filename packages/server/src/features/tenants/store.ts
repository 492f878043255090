import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { ListedTenant, TenantSetup } from '@caretaker/contract/tenant-administration.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Capability, Feature } from '@caretaker/rules/identity/features.ts'
import { licenceEnd } from '@caretaker/rules/properties/licences.ts'
import { changed } from '../../changes/changed.ts'
import type { Person } from '../../identity/person.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { naturally } from '../../postgres/natural-order.ts'
import { versionOf } from '../../edit-version.ts'

export async function tenantInfo(tx: TenantTx) {
  const row = await tx.selectFrom('tenant').selectAll().where('id', '=', tx.tenant).executeTakeFirstOrThrow()
  return {
    id: row.id,
    name: row.id,
    displayName: row.display_name,
    contacts: row.contacts,
    timeZone: row.time_zone,
    settings: row.settings,
  }
}

/** The features and capabilities of the tenant. */
export async function flagsOf(tx: TenantTx): Promise<{ features: Feature[]; capabilities: Capability[] }> {
  const features = await tx.selectFrom('tenant_feature').select('feature').where('tenant_id', '=', tx.tenant).execute()
  const capabilities = await tx
    .selectFrom('tenant_capability')
    .select('capability')
    .where('tenant_id', '=', tx.tenant)
    .execute()
  return {
    features: features.map((row) => row.feature),
    capabilities: capabilities.map((row) => row.capability),
  }
}

/**
 * Switches a feature or capability of the tenant on or off. The application's own role cannot: a database function
 * does, which checks that the person is a developer, and writes the audit.
 */
export async function switchFlag(
  tx: TenantTx,
  person: Pick<Person, 'id'>,
  kind: 'feature' | 'capability',
  flag: Feature | Capability,
  on: boolean,
): Promise<void> {
  const { rows } = await sql<{ switched: boolean }>`
    select switch_tenant_flag(${person.id}::uuid, ${tx.tenant}, ${kind}, ${flag}, ${on}) as switched`.execute(tx)
  if (!rows[0]!.switched) return
  await changed(tx, 'client', null)
  await changed(tx, 'audit', null)
}

const listed = ['id', 'display_name', 'contacts', 'suspended_at', 'suspended_reason'] as const

interface ListedRow {
  id: string
  display_name: string
  contacts: string
  suspended_at: Date | null
  suspended_reason: string | null
}

const asListed = (row: ListedRow): ListedTenant => ({
  id: row.id,
  name: row.display_name,
  contact: row.contacts,
  suspension: row.suspended_at && { since: row.suspended_at.toISOString(), reason: row.suspended_reason ?? '' },
})

/** Every tenant by name. */
export async function listTenants(db: Db): Promise<ListedTenant[]> {
  const rows = await db
    .selectFrom('tenant')
    .where('removal_began_at', 'is', null)
    .select(listed)
    .orderBy(naturally(sql`display_name`))
    .orderBy('id')
    .execute()
  return rows.map(asListed)
}

/**
 * The tenant's own row, locked until the transaction ends, so that changes are made one after the other. Refuses if
 * there is none.
 */
export async function holdTenant(tx: TenantTx) {
  const row = await tx.selectFrom('tenant').selectAll().where('id', '=', tx.tenant).forUpdate().executeTakeFirst()
  if (!row) throw refuse('not found')
  return row
}

/** Also read with each device route (`mqtt/routes.ts`). */
export const keepsUnknownMetrics = (settings: Record<string, unknown>): boolean =>
  settings['keepsUnknownMetrics'] === true

type TenantRow = Awaited<ReturnType<typeof holdTenant>>

/** The fields of a tenant that its vendor edits together. */
const editedIn = ({ display_name, contacts, time_zone, settings }: TenantRow) => ({
  ...{ display_name, contacts, time_zone },
  keepsUnknownMetrics: keepsUnknownMetrics(settings),
})

export const editedOfTenant = async (tx: TenantTx) => editedIn(await holdTenant(tx))

/** The setup of a tenant; `personId` is the person asking. */
export async function tenantSetup(tx: TenantTx, personId: string): Promise<TenantSetup> {
  const row = await tx.selectFrom('tenant').selectAll().where('id', '=', tx.tenant).executeTakeFirstOrThrow()
  const managers = await tx
    .selectFrom('membership')
    .select(['id', 'name', 'email', 'person_id'])
    .where('tenant_id', '=', tx.tenant)
    .where('role', '=', 'Manager')
    .where(sql<boolean>`cardinality(tag_ids) = 0`)
    .orderBy(naturally(sql`name`))
    .orderBy('id')
    .execute()
  const own = await tx
    .selectFrom('membership')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  const { rows: counts } = await sql<TenantSetup['inUse']>`
    select (select count(*) from device where tenant_id = ${tx.tenant})::int as devices,
      (select count(*) from building where tenant_id = ${tx.tenant})::int as buildings,
      (select count(*) from property where tenant_id = ${tx.tenant})::int as properties,
      (select count(*) from membership where tenant_id = ${tx.tenant})::int as users`.execute(tx)
  return {
    ...asListed(row),
    timeZone: row.time_zone,
    keepsUnknownMetrics: keepsUnknownMetrics(row.settings),
    logo: logoOf(row.settings),
    ...(await flagsOf(tx)),
    licences: await licenceBatches(tx),
    inUse: counts[0]!,
    isOwn: own !== undefined,
    managers: managers.map(({ person_id, ...manager }) => ({ ...manager, hasSignedIn: person_id !== null })),
    version: versionOf(editedIn(row)),
  }
}

function logoOf({ logo }: Record<string, unknown>): TenantSetup['logo'] {
  const { light, dark } = (logo ?? {}) as Record<string, unknown>
  return typeof light === 'string' ? { light, dark: typeof dark === 'string' ? dark : light } : null
}

async function licenceBatches(tx: TenantTx): Promise<TenantSetup['licences']> {
  const { rows } = await sql<{ type: string; start: string; period: number; total: number; assigned: number }>`
    select type, to_char(start_on, 'YYYY-MM-DD') as start, period_months as period,
      count(*)::int as total, count(property_id)::int as assigned
    from licence where tenant_id = ${tx.tenant}
    group by type, start_on, period_months order by start_on desc, type, period_months`.execute(tx)
  return rows.map(({ type, start, period, total, assigned }) => ({
    ...{ type, total, assigned, startOn: start, periodMonths: period },
    endOn: licenceEnd({ start, period }),
  }))
}

/** The fields that distinguish purchases of licences. */
export interface Batch {
  type: string
  startOn: string
  periodMonths: number
}

export async function countBatch(tx: TenantTx, batch: Batch): Promise<{ assigned: number; free: number }> {
  const { rows } = await sql<{ assigned: number; free: number }>`
    select count(property_id)::int as assigned, (count(*) - count(property_id))::int as free
    from licence where tenant_id = ${tx.tenant} and type = ${batch.type} and start_on = ${batch.startOn}::date
      and period_months = ${batch.periodMonths}`.execute(tx)
  return rows[0]!
}

export async function addLicences(tx: TenantTx, { type, startOn, periodMonths }: Batch, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => randomUUID())
  await sql`
    insert into licence (tenant_id, id, type, property_id, start_on, period_months)
    select ${tx.tenant}, id, ${type}, null, ${startOn}::date, ${periodMonths} from unnest(${ids}::uuid[]) as id
    on conflict do nothing`.execute(tx)
}

/** Deletes unassigned licences. */
export async function dropLicences(tx: TenantTx, batch: Batch, count: number): Promise<void> {
  await sql`
    delete from licence where tenant_id = ${tx.tenant} and id in (
      select id from licence where tenant_id = ${tx.tenant} and type = ${batch.type} and property_id is null
        and start_on = ${batch.startOn}::date and period_months = ${batch.periodMonths}
      order by id limit ${count} for update)`.execute(tx)
}
