import { sql } from 'kysely'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { HomeCaseName, HomeCaseView } from '@caretaker/rules/properties/attention.ts'
import { homeCaseView } from '@caretaker/rules/properties/attention.ts'
import type { HeatingState } from '@caretaker/rules/properties/heating.ts'
import { countRows, rowsWanted, zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { propertyList } from './list.ts'

/** A home that needs attention, as a card names it. */
export interface HomeItem {
  propertyId: string
  propertyReference: string
  /** Null under HideCustomerPersonalData. */
  address: string | null
  /** The state of the checks that the case is about; null for heating. */
  check: ComplianceState | null
  /** The day of the failed check, or by which the check is or was due; null where none was ever made, and for heating. */
  day: Day | null
  heating: HeatingState | null
  /** Since when the heating is off, in ISO 8601. */
  since: string | null
  /** How many people live there; null where that is not known. */
  people: number | null
}

export interface HomeCase extends HomeCaseView {
  case: HomeCaseName
  count: number
  /** The two worst. */
  worst: HomeItem[]
}

/** The order in which the worst come first. */
const worstFirst: Record<HomeCaseName, string> = {
  'gas failed': 'property.gas_failed_on',
  'gas overdue': 'property.gas_rank desc, property.gas_check_due_at',
  'gas due': 'property.gas_check_due_at',
  'water treatments': 'property.water_rank desc, property.water_check_due_at',
  'heating off': 'property.heating_since',
}

/** How many homes that the actor sees need attention for a case, and the two worst: as many as the list shows with these filters. */
export async function homesNeeding(tx: TenantTx, actor: Actor, name: HomeCaseName): Promise<HomeCase> {
  const view = homeCaseView(name)
  const wanted = { listing: 'Properties' as const, ...view, search: '' }
  const count = await countRows(propertyList, tx, actor, wanted)
  return { case: name, count, ...view, worst: count === 0 ? [] : await worstOf(tx, actor, name, wanted) }
}

async function worstOf(
  tx: TenantTx,
  actor: Actor,
  name: HomeCaseName,
  wanted: HomeCaseView & { listing: 'Properties'; search: string },
): Promise<HomeItem[]> {
  const order = sql.raw(worstFirst[name])
  const homes = await rowsWanted(propertyList, tx, actor, wanted)
  const worst = homes.select('property.id').orderBy(order).orderBy('property.id').limit(2)
  const zone = await zoneOf(tx)
  const rows = await tx
    .selectFrom('property')
    .where('property.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`property.id = any(array(${worst}))`)
    .select([
      'property.id',
      'reference',
      'address',
      'gas_check_state',
      'water_check_state',
      'gas_check_due_at',
      'water_check_due_at',
    ])
    .select(['heating_state', 'heating_since', 'number_of_inhabitants'])
    .select(sql<Day | null>`to_char(gas_failed_on, 'YYYY-MM-DD')`.as('gas_failed_day'))
    .select(sql<Day | null>`to_char(water_failed_on, 'YYYY-MM-DD')`.as('water_failed_day'))
    .orderBy(order)
    .orderBy('property.id')
    .execute()
  const hidden = hidesPersonalData(actor)
  const isHeating = name === 'heating off'
  const isWater = name === 'water treatments'
  return rows.map((row) => {
    const due = isWater ? row.water_check_due_at : row.gas_check_due_at
    const failed = isWater ? row.water_failed_day : row.gas_failed_day
    return {
      propertyId: row.id,
      propertyReference: row.reference,
      address: hidden ? null : row.address,
      check: isHeating ? null : isWater ? row.water_check_state : row.gas_check_state,
      day: isHeating ? null : (failed ?? (due && dayAt(+due, zone))),
      heating: isHeating ? row.heating_state : null,
      since: isHeating ? (row.heating_since?.toISOString() ?? null) : null,
      people: row.number_of_inhabitants,
    }
  })
}
