import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Replied } from '@caretaker/contract/route.ts'
import type { searchEverything } from '@caretaker/contract/search.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { hidesPersonalData, isLimited } from '@caretaker/rules/identity/actor.ts'
import { readable } from '../devices/visible.ts'
import { escaped } from '../../lists/conditions.ts'
import { listViews } from '../views/store.ts'

type Found = NonNullable<Replied<typeof searchEverything>['data']>

/** Best first: what begins with the text, then what has a word that does, then the others. */
const closeness = (name: RawBuilder<unknown>, wanted: string) =>
  sql`case when starts_with(lower(${name}), ${wanted}) then 0
    when strpos(lower(${name}), ${` ${wanted}`}) > 0 then 1 else 2 end`

/** Homes in use by reference, address and post code, as far as the actor sees homes. */
export async function findHomes(
  tx: TenantTx,
  actor: Actor,
  wanted: string,
  most: number,
): Promise<Found['properties']> {
  if (!can(actor, 'see properties')) return { total: 0, items: [] }
  const hidden = hidesPersonalData(actor)
  const pattern = `%${escaped(wanted)}%`
  const own = isLimited(actor) ? sql`and access_rights_tag_id = any(${[...actor.tags]}::uuid[])` : sql``
  const inAddress = sql`or address_folded || ' ' || postcode_folded like ${pattern} or address_folded || ', ' || postcode_folded like ${pattern}`
  const { rows } = await sql<{
    id: string
    reference: string
    address: string
    postcode: string
    gas: ComplianceState | null
    total: number
  }>`
    select id, reference, address, postcode, gas_check_state as gas, count(*) over () as total from property
    where tenant_id = ${tx.tenant} and archived_at is null ${own}
      and (reference_folded like ${pattern} ${hidden ? sql`` : inAddress})
    order by ${closeness(sql`reference`, wanted)}, ${hidden ? sql`` : sql`${closeness(sql`address`, wanted)},`} reference_folded, id
    limit ${most}`.execute(tx)
  return {
    total: rows[0]?.total ?? 0,
    items: rows.map((row) => ({
      propertyId: row.id,
      propertyReference: row.reference,
      address: hidden ? null : [row.address, row.postcode].filter(Boolean).join(', ') || null,
      gasSafety: row.gas,
    })),
  }
}

/** Buildings by name and address: all of them for whoever sees buildings, else those in which one sees a device. */
export async function findBuildings(
  tx: TenantTx,
  actor: Actor,
  wanted: string,
  most: number,
): Promise<Found['buildings']> {
  const hidden = hidesPersonalData(actor)
  const pattern = `%${escaped(wanted)}%`
  const within = readable(tx, actor)
    .where(sql<boolean>`device.building_id = building.id`)
    .select('device.id')
  const { rows } = await sql<{ id: string; name: string; address: string; postcode: string; total: number }>`
    select id, name, address, postcode, count(*) over () as total
    from building
    where tenant_id = ${tx.tenant}
      and (lower(name) like ${pattern} ${hidden ? sql`` : sql`or lower(address || ' ' || postcode) like ${pattern}`})
      and (${can(actor, 'see buildings')} or exists (${within}))
    order by ${closeness(sql`name`, wanted)}, lower(name)
    limit ${most}`.execute(tx)
  const ids = rows.map((row) => row.id)
  const worst = new Map<string, DeviceStatus>(await worstIn(tx, actor, ids))
  return {
    total: rows[0]?.total ?? 0,
    items: rows.map((row) => ({
      buildingId: row.id,
      name: row.name,
      address: hidden ? null : [row.address, row.postcode].filter(Boolean).join(', ') || null,
      status: worst.get(row.id) ?? null,
    })),
  }
}

/** The status of the worst device in each building, of those that the actor may see. */
async function worstIn(tx: TenantTx, actor: Actor, buildings: string[]): Promise<[string, DeviceStatus][]> {
  if (!buildings.length) return []
  const rows = await readable(tx, actor)
    .where(sql<boolean>`building_id = any(${buildings}::uuid[])`)
    .distinctOn('building_id')
    .select(['building_id', 'status'])
    .orderBy('building_id')
    .orderBy('severity', 'desc')
    .execute()
  return rows.map((row) => [row.building_id!, row.status])
}

/** Users of the tenant by name, and by e-mail for whoever administers them. */
export async function findPeople(tx: TenantTx, actor: Actor, wanted: string, most: number): Promise<Found['people']> {
  if (!can(actor, 'see users')) return { total: 0, items: [] }
  const administers = can(actor, 'administer users')
  const pattern = `%${escaped(wanted)}%`
  const { rows } = await sql<{ userId: string; name: string; email: string; role: Role; total: number }>`
    select id as "userId", name, email, role, count(*) over () as total
    from membership
    where tenant_id = ${tx.tenant}
      and (lower(name) like ${pattern} ${administers ? sql`or lower(email) like ${pattern}` : sql``})
    order by ${closeness(sql`name`, wanted)}, lower(name), id
    limit ${most}`.execute(tx)
  const items = rows.map(({ total: _, ...row }) => ({ ...row, email: administers ? row.email : null }))
  return { total: rows[0]?.total ?? 0, items }
}

/** Views that the actor sees, by name; the same way round as everything else. */
export async function findViews(tx: TenantTx, actor: Actor, wanted: string, most: number): Promise<Found['views']> {
  const views = (await listViews(tx, actor)).filter((view) => view.label.toLowerCase().includes(wanted))
  const rank = ({ label }: (typeof views)[number]) => {
    const place = ` ${label.toLowerCase()}`.indexOf(` ${wanted}`)
    return place < 0 ? 2 : Math.min(place, 1)
  }
  const best = views.toSorted((a, b) => rank(a) - rank(b)).slice(0, most)
  const items = best.map(({ viewId, label, root, private: isPrivate, builtIn }) => ({
    viewId,
    label,
    root,
    private: isPrivate,
    builtIn,
  }))
  return { total: views.length, items }
}
