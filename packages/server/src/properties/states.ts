import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { dampLevels } from '@caretaker/rules/properties/damp.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { recordEach } from './record.ts'

/** A statement's rows. */
type Rows = RawBuilder<unknown>
const idsOf = ({ rows }: { rows: { id: string }[] }) => rows.map(({ id }) => id)

/** Writes the worst damp levels that differ. `worst` selects `id`, `rank` and `since`. */
export async function setDampLevels(tx: TenantTx, worst: Rows): Promise<void> {
  const changed = await sql<{ id: string }>`
    with home as (${worst})
    update property set damp_level = (${[...dampLevels]}::text[])[home.rank + 1], damp_rank = home.rank, damp_since = home.since
    from home
    where property.tenant_id = ${tx.tenant} and property.id = home.id
      and (property.damp_rank, property.damp_since) is distinct from (home.rank, home.since)
    returning property.id`.execute(tx)
  recordEach(tx, 'PropertyDampChanged', idsOf(changed))
}

/** Writes heating states that differ. Instants in ISO 8601. */
export async function setHeatingStates(
  tx: TenantTx,
  states: readonly { id: string; state: string | null; since: string | null }[],
): Promise<void> {
  if (!states.length) return
  await sql`
    update property set heating_state = next.state, heating_since = next.since
    from json_to_recordset(${JSON.stringify(states)}::json) as next (id uuid, state text, since timestamptz)
    where property.tenant_id = ${tx.tenant} and property.id = next.id`.execute(tx)
  recordEach(
    tx,
    'PropertyHeatingChanged',
    states.map(({ id }) => id),
  )
}

/** Writes since when properties have been near freezing. `differing` selects `id` and `is_cold`. Returns whether any did. */
export async function setFrost(tx: TenantTx, differing: Rows, now: Date): Promise<boolean> {
  const changed = idsOf(
    await sql<{ id: string }>`
      with differing as (${differing})
      update property set frost_since = case when differing.is_cold then ${now}::timestamptz end from differing
      where property.tenant_id = ${tx.tenant} and property.id = differing.id returning property.id`.execute(tx),
  )
  recordEach(tx, 'PropertyFrostChanged', changed)
  return changed.length > 0
}

/**
 * Writes the worst device status and the status set of the locked properties; returns how many. `worst` selects
 * `property_id`, `status`, `severity` and `set`. A property whose set is not stored is left unchanged.
 */
export async function setWorstStatuses(tx: TenantTx, propertyIds: readonly string[], worst: Rows): Promise<number> {
  // Materialized: a distributed database refuses `concat_ws`, which depends on session settings, in an update.
  const changed = idsOf(
    await sql<{ id: string }>`
      with worst as materialized (${worst})
      update property set device_status = worst.status, device_severity = coalesce(worst.severity, 0), status_set = worst.set
      from unnest(${propertyIds}::uuid[]) as home (id) left join worst on worst.property_id = home.id
      where property.tenant_id = ${tx.tenant} and property.id = home.id and (worst.set is null or exists (
        select from status_set where status_set.tenant_id = ${tx.tenant} and status_set.id = worst.set))
      returning property.id`.execute(tx),
  )
  recordEach(tx, 'PropertyStatusChanged', changed)
  return changed.length
}

/** The tag set of a property whose devices have no tags. */
export const noTags = '00000000-0000-0000-0000-000000000000'

/** Writes the tag sets of the locked properties that differ. `sets` defines the query `sets` of `property_id` and `id`. */
export async function setTagSets(tx: TenantTx, propertyIds: readonly string[], sets: Rows): Promise<void> {
  const changed = await sql<{ id: string }>`
    with ${sets}
    update property set tag_set = coalesce(sets.id, ${noTags}::uuid)
    from unnest(${propertyIds}::uuid[]) as home (id) left join sets on sets.property_id = home.id
    where property.tenant_id = ${tx.tenant} and property.id = home.id
      and property.tag_set is distinct from coalesce(sets.id, ${noTags}::uuid)
    returning property.id`.execute(tx)
  recordEach(tx, 'PropertyDeviceTagsChanged', idsOf(changed))
}

/**
 * Writes the locked properties' next Awaab's Law deadlines; the caller announces the changes to the cases. Instants in
 * ISO 8601.
 */
export async function setLawDeadlines(
  tx: TenantTx,
  next: readonly { id: string; dueAt: string | null; lateAt: string | null }[],
): Promise<void> {
  await sql`
    update property set awaabs_law_due_at = next.due_at, awaabs_law_late_at = next.late_at
    from unnest(${next.map(({ id }) => id)}::uuid[], ${next.map(({ dueAt }) => dueAt)}::timestamptz[],
      ${next.map(({ lateAt }) => lateAt)}::timestamptz[]) as next (id, due_at, late_at)
    where property.tenant_id = ${tx.tenant} and property.id = next.id
      and (property.awaabs_law_due_at is distinct from next.due_at
        or property.awaabs_law_late_at is distinct from next.late_at)`.execute(tx)
}
