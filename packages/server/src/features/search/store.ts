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
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { isFound, searchForm as searchFormOf, searchWords } from '@caretaker/rules/texts/search-form.ts'
import { searchConditions } from '../../lists/search.ts'
import { hasWords, searchForm } from '../../lists/words.ts'
import { readable, visibleProperties } from '../devices/visible.ts'
import { propertyList } from '../properties/list.ts'
import { findViewsNamed } from '../views/store.ts'
import { naturally } from '../../postgres/natural-order.ts'

type Found = NonNullable<Replied<typeof searchEverything>['data']>

/** Best first: names that begin with the text, then those with such a word, then the others. */
const closeness = (name: RawBuilder<unknown>, typed: string) => {
  const [form, wanted] = [searchForm(name), searchWords(typed).join(' ')]
  return sql`case when starts_with(${form}, ${wanted}) then 0 when strpos(${form}, ${` ${wanted}`}) > 0 then 1 else 2 end`
}

/** Properties that their list also finds by the text, as far as the actor sees properties. */
export async function findHomes(tx: TenantTx, actor: Actor, typed: string, most: number): Promise<Found['properties']> {
  if (!can(actor, 'see properties')) return { total: 0, items: [] }
  const hidden = hidesPersonalData(actor)
  const conditions = await searchConditions(propertyList, tx, actor, typed)
  if (conditions.length === 0) return { total: 0, items: [] }
  const matching = conditions
    .reduce((rows, one) => rows.where(one), visibleProperties(tx, actor))
    .select(['property.id', sql<number>`count(*) over ()`.as('total')])
    .orderBy(closeness(sql`property.reference`, typed))
    .$if(!hidden, (all) => all.orderBy(closeness(sql`property.address`, typed)))
    .orderBy(naturally(sql`property.reference_folded`))
    .orderBy('property.id')
    .limit(most)
  const { rows } = await sql<{
    id: string
    reference: string
    address: string
    postcode: string
    gas: ComplianceState | null
    total: number
  }>`
    select property.id, reference, address, postcode, gas_check_state as gas, found.total
    from (select id, total, row_number() over () as place from (${matching}) as matching) as found
    join property on property.tenant_id = ${tx.tenant} and property.id = found.id order by place`.execute(tx)
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

/** Buildings by name and address: all of them for users who see buildings, otherwise those with a visible device. */
export async function findBuildings(
  tx: TenantTx,
  actor: Actor,
  typed: string,
  most: number,
): Promise<Found['buildings']> {
  const hidden = hidesPersonalData(actor)
  const within = readable(tx, actor)
    .where(sql<boolean>`device.building_id = building.id`)
    .select('device.id')
  const { rows } = await sql<{ id: string; name: string; address: string; postcode: string; total: number }>`
    select id, name, address, postcode, count(*) over () as total
    from building
    where tenant_id = ${tx.tenant}
      and ${hasWords([searchForm(hidden ? sql`name` : sql`name || ' ' || address || ' ' || postcode`)], typed)}
      and (${can(actor, 'see buildings')} or exists (${within}))
    order by ${closeness(sql`name`, typed)}, ${naturally(sql`name`)}
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

/** Users of the tenant by name, and by e-mail if the actor administers users. */
export async function findPeople(tx: TenantTx, actor: Actor, typed: string, most: number): Promise<Found['people']> {
  if (!can(actor, 'see users')) return { total: 0, items: [] }
  const administers = can(actor, 'administer users')
  const { rows } = await sql<{ userId: string; name: string; email: string; role: Role; total: number }>`
    select id as "userId", name, email, role, count(*) over () as total
    from membership
    where tenant_id = ${tx.tenant}
      and ${hasWords([searchForm(administers ? sql`name || ' ' || email` : sql`name`)], typed)}
    order by ${closeness(sql`name`, typed)}, ${naturally(sql`name`)}, id
    limit ${most}`.execute(tx)
  const items = rows.map(({ total: _, ...row }) => ({ ...row, email: administers ? row.email : null }))
  return { total: rows[0]?.total ?? 0, items }
}

/** Views that the actor sees, by name; ordered like everything else. */
export async function findViews(tx: TenantTx, actor: Actor, typed: string, most: number): Promise<Found['views']> {
  const { builtIn, saved, total } = await findViewsNamed(tx, actor, {
    isNamed: (label) => isFound(typed, [label]),
    named: hasWords([searchForm(sql`label`)], typed),
    order: closeness(sql`label`, typed),
    most,
  })
  const wanted = searchWords(typed).join(' ')
  const rank = ({ label }: { label: string }) => {
    const place = ` ${searchFormOf(label)}`.indexOf(` ${wanted}`)
    return place < 0 ? 2 : Math.min(place, 1)
  }
  return { total, items: [...builtIn, ...saved].toSorted((a, b) => rank(a) - rank(b)).slice(0, most) }
}
