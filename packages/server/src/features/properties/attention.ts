import { sql } from 'kysely'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { HomeCaseName } from '@caretaker/rules/properties/attention.ts'
import { runningDeadlines } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import type { DampLevel } from '@caretaker/rules/properties/damp.ts'
import type { HeatingState } from '@caretaker/rules/properties/heating.ts'
import type { Rows } from '../../lists/source.ts'
import type { Wanted } from '../../lists/read.ts'
import { rowsWanted, zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { openDeadlinesOf } from './law-cases.ts'
import { propertyList } from './list.ts'

/** A property that needs attention, as a card shows it. Fields that do not concern the case are null. */
export interface HomeItem {
  propertyId: string
  propertyReference: string
  /** Null under HideCustomerPersonalData. */
  address: string | null
  /** The state of the checks that the case is about. */
  check: ComplianceState | null
  /** The day of the failed check, or the due date; null if no check was ever made. */
  day: Day | null
  heating: HeatingState | null
  damp: DampLevel | null
  /** The next deadline of Awaab's Law. */
  deadline: {
    step: string
    isEmergency: boolean
    /** The start of the day, or the hour of an emergency; ISO 8601. */
    dueAt: string
    lateAt: string
  } | null
  /** Since when the heating is off, or the risk of damp is high; ISO 8601. */
  since: string | null
  /** The number of residents; null if unknown, and under HideCustomerPersonalData. */
  people: number | null
}

/** The sort order of each case that puts the worst properties first. */
const worstFirst: Record<HomeCaseName, string> = {
  'legal deadlines': 'property.awaabs_law_late_at',
  'gas failed': 'property.gas_failed_on',
  'gas overdue': 'property.gas_rank desc, property.gas_check_due_at',
  'gas due': 'property.gas_check_due_at',
  'water treatments': 'property.water_rank desc, property.water_check_due_at',
  'damp risk': 'property.damp_rank desc, property.damp_since',
  'heating off': 'property.heating_since',
  'void at risk': 'property.heating_since',
}

/**
 * The two worst of the properties that need attention for a case, and how many of all these properties are past their
 * deadline: null if the case is not about deadlines of Awaab's Law.
 */
export async function worstHomes(
  tx: TenantTx,
  actor: Actor,
  { name, wanted, count }: { name: HomeCaseName; wanted: Omit<Wanted<'Properties'>, 'listing'>; count: number },
  now = Date.now(),
): Promise<{ late: number | null; worst: HomeItem[] }> {
  const isLegal = name === 'legal deadlines'
  if (count === 0) return { late: isLegal ? 0 : null, worst: [] }
  const homes = await rowsWanted(propertyList, tx, actor, { listing: 'Properties', ...wanted })
  const late = isLegal ? await lateOf(homes, now) : null
  const order = sql.raw(worstFirst[name])
  const ids = homes.select('property.id').orderBy(order).orderBy('property.id').limit(2)
  return { late, worst: await worstOf(tx, actor, { name, ids, order, zone: await zoneOf(tx) }) }
}

type Homes = Rows<'property'>

async function lateOf(homes: Homes, now: number): Promise<number> {
  const { late } = await homes
    .where('property.awaabs_law_late_at', '<=', new Date(now))
    .select(sql<number>`count(*)`.as('late'))
    .executeTakeFirstOrThrow()
  return Number(late)
}

async function worstOf(
  tx: TenantTx,
  actor: Actor,
  { name, ids, order, zone }: { name: HomeCaseName; ids: unknown; order: ReturnType<typeof sql.raw>; zone: string },
): Promise<HomeItem[]> {
  // The two are chosen by index; only then are their rows read in full.
  const rows = await tx
    .selectFrom('property')
    .where('property.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`property.id = any(array(${ids}))`)
    .select(['property.id', 'reference', 'address', 'number_of_inhabitants'])
    .select(['gas_check_state', 'water_check_state', 'gas_check_due_at', 'water_check_due_at'])
    .select(['heating_state', 'heating_since', 'damp_level', 'damp_since'])
    .select(['awaabs_law_status', 'awaabs_law_due_at', 'awaabs_law_late_at'])
    .select(sql<Day | null>`to_char(gas_failed_on, 'YYYY-MM-DD')`.as('gas_failed_day'))
    .select(sql<Day | null>`to_char(water_failed_on, 'YYYY-MM-DD')`.as('water_failed_day'))
    .orderBy(order)
    .orderBy('property.id')
    .execute()
  const homes = rows.map(({ id }) => id)
  const deadlines = name === 'legal deadlines' ? await openDeadlinesOf(tx, homes) : new Map<string, never[]>()
  const hidden = hidesPersonalData(actor)
  return rows.map((row) => {
    const item: HomeItem = {
      ...{ propertyId: row.id, propertyReference: row.reference, address: hidden ? null : row.address },
      ...{ check: null, day: null, heating: null, damp: null, deadline: null, since: null },
      people: hidden ? null : row.number_of_inhabitants,
    }
    const since = (at: Date | null) => at?.toISOString() ?? null
    switch (name) {
      case 'legal deadlines': {
        const next = runningDeadlines(deadlines.get(row.id) ?? [], zone)[0]
        const deadline = {
          step: next?.step ?? row.awaabs_law_status,
          isEmergency: next?.isEmergency ?? false,
          dueAt: row.awaabs_law_due_at!.toISOString(),
          lateAt: row.awaabs_law_late_at!.toISOString(),
        }
        return { ...item, deadline }
      }
      case 'damp risk':
        return { ...item, damp: row.damp_level, since: since(row.damp_since) }
      case 'heating off':
      case 'void at risk':
        return { ...item, heating: row.heating_state, since: since(row.heating_since) }
      case 'water treatments': {
        const due = row.water_check_due_at
        return { ...item, check: row.water_check_state, day: row.water_failed_day ?? (due && dayAt(+due, zone)) }
      }
      default: {
        const due = row.gas_check_due_at
        return { ...item, check: row.gas_check_state, day: row.gas_failed_day ?? (due && dayAt(+due, zone)) }
      }
    }
  })
}
