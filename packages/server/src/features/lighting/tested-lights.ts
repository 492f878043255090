import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { hasWords } from '../../lists/words.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible } from '../devices/visible.ts'

/** The lights whose tests are shown. */
export interface LightFilter {
  /** Words of their names, serial numbers, buildings, floors and rooms. */
  text?: string | undefined
  buildingId?: string | undefined
  groupId?: string | undefined
}

/** The emergency lights that the actor may see and that meet a filter, as a query. */
export function lightsThat(tx: TenantTx, actor: Actor, { text = '', buildingId, groupId }: LightFilter) {
  let query = visible(tx.selectFrom('device'), actor)
    .where('device.listing', '=', 'EmergencyLights')
    .where('device.product', 'in', productsOfFamily('emered'))
    .where(hasWords([sql`device.search_form`], text))
  if (buildingId) query = query.where('device.building_id', '=', buildingId)
  if (groupId) query = query.where(isInGroup(sql`device.id`, [groupId], tx.tenant, actor))
  return query
}

/** Whether a light is in one of these groups. Groups are hidden from limited users. */
export const isInGroup = (light: RawBuilder<unknown>, ids: readonly string[], tenant: string, actor: Actor) =>
  sql<boolean>`${light} in (select member.device_id from light_group_member as member
    where member.tenant_id = ${tenant} and member.group_id = any(${ids}::uuid[]) and ${can(actor, 'see test schedules')})`

/** Up to this many ids are read first, so that the database knows their number; more would take longer to send. */
const mostNamed = 5000

/** Whether a test is of one of these lights. */
export async function isOfLights(tx: TenantTx, lights: ReturnType<typeof lightsThat>, test: 'test' | 'emergency_test') {
  const light = sql.ref(`${test}.device_id`)
  const ids = lights.select('device.id')
  const { rows } = await sql<{ ids: string[] | null }>`
    select case when count(*) <= ${mostNamed} then coalesce(array_agg(id), '{}') end as ids
    from (${ids.limit(mostNamed + 1)}) as light`.execute(tx)
  const [found] = rows
  // `is true` keeps the planner, which underestimates the lights, from looking up the tests of each one.
  return found!.ids ? sql<boolean>`${light} = any(${found!.ids}::uuid[])` : sql<boolean>`(${light} in (${ids})) is true`
}
