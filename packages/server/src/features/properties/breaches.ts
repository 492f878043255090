import { sql } from 'kysely'
import type { Breach } from '@caretaker/contract/awaabs-law.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAfter } from '@caretaker/rules/calendar/days.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData, isLimited } from '@caretaker/rules/identity/actor.ts'
import type { BreachState } from '@caretaker/rules/properties/breach-states.ts'
import { breachState, orderBreaches, summariseDeadlines } from '@caretaker/rules/properties/awaabs-breaches.ts'
import { caseNumberText } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { awaabsLawHazardNames } from '@caretaker/rules/properties/awaabs-law.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { deadlineColumns, deadlineIn, deadlineShape } from './law-cases.ts'
import { naturally } from '../../postgres/natural-order.ts'

export interface RegisterWanted {
  from: Day
  to: Day
  patch?: string | undefined
}

/** Longest period in days, which bounds the size of an answer. */
const longestPeriod = 5 * 366

/** Deadlines due in a period, in properties that the actor may see, archived ones included. */
async function deadlinesDue(
  tx: TenantTx,
  actor: Actor,
  { from, to, patches }: Omit<RegisterWanted, 'patch'> & { patches: readonly string[] },
) {
  const rows = await tx
    .selectFrom('awaabs_law_deadline')
    .innerJoin('awaabs_law_case', (join) =>
      join
        .on('awaabs_law_case.tenant_id', '=', tx.tenant)
        .onRef('awaabs_law_case.id', '=', 'awaabs_law_deadline.case_id'),
    )
    .innerJoin('property', (join) =>
      join.on('property.tenant_id', '=', tx.tenant).onRef('property.id', '=', 'awaabs_law_deadline.property_id'),
    )
    .leftJoin('access_rights_tag', (join) =>
      join
        .on('access_rights_tag.tenant_id', '=', tx.tenant)
        .onRef('access_rights_tag.id', '=', 'property.access_rights_tag_id'),
    )
    .where('awaabs_law_deadline.tenant_id', '=', tx.tenant)
    .where('awaabs_law_deadline.due_on', '>=', sql<Date>`${from}::date`)
    .where('awaabs_law_deadline.due_on', '<=', sql<Date>`${to}::date`)
    .$if(isLimited(actor), (some) => some.where('property.access_rights_tag_id', 'in', [...actor.tags]))
    .$if(patches.length > 0, (some) =>
      some.where(sql<boolean>`property.access_rights_tag_id = any(${[...patches]}::uuid[])`),
    )
    .select(deadlineColumns)
    .select(['awaabs_law_case.number', 'awaabs_law_case.hazard', 'awaabs_law_case.emergency', 'close_reason'])
    .select(['property.reference', 'property.address', 'property.archived_at', 'property.access_rights_tag_id'])
    .select('access_rights_tag.display_name as patch_name')
    .select(sql<Day | null>`to_char(closed_on, 'YYYY-MM-DD')`.as('closed_day'))
    .orderBy('awaabs_law_deadline.due_on', 'desc')
    .execute()
  const hidden = hidesPersonalData(actor)
  return rows.map((row) => ({
    ...deadlineIn(row),
    ...{ propertyId: row.property_id, propertyReference: row.reference, address: hidden ? null : row.address },
    ...{ isArchived: row.archived_at !== null, caseId: row.case_id, number: caseNumberText(row.number) },
    patch: row.access_rights_tag_id ? { id: row.access_rights_tag_id, name: row.patch_name ?? '' } : null,
    hazard: awaabsLawHazardNames.find((name) => name === row.hazard) ?? null,
    ...{ isEmergencyCase: row.emergency, closedOn: row.closed_day, closeReason: row.close_reason },
  }))
}

/** The register of missed deadlines with its summary. */
export async function breachRegister(
  tx: TenantTx,
  actor: Actor,
  { from, to, patches = [] }: Omit<RegisterWanted, 'patch'> & { patches?: readonly string[] },
  now = Date.now(),
) {
  if (from > to || dayAfter(from, longestPeriod) < to)
    throw refuse('invalid', undefined, [{ field: 'to', message: 'Choose a period of at most five years' }])
  const zone = await zoneOf(tx)
  const deadlines = await deadlinesDue(tx, actor, { from, to, patches })
  const missed = deadlines.flatMap((one) => {
    const state = breachState(one, now, zone)
    return state ? [{ ...one, state }] : []
  })
  return { ...summariseDeadlines(deadlines, { from, to, now, zone }), rows: orderBreaches(missed), zone, now }
}

export type Register = Awaited<ReturnType<typeof breachRegister>>

/** A row of the register as calls return it. */
export const breachShape = (one: Register['rows'][number]): Breach => ({
  ...deadlineShape(one),
  ...{ propertyId: one.propertyId, propertyReference: one.propertyReference, address: one.address },
  ...{ isArchived: one.isArchived, caseId: one.caseId, number: one.number, patch: one.patch, hazard: one.hazard },
  ...{ isEmergencyCase: one.isEmergencyCase, closedOn: one.closedOn, closeReason: one.closeReason, state: one.state },
})

/** The patches that the actor may choose. */
export async function patchesOf(tx: TenantTx, actor: Actor): Promise<{ id: string; name: string }[]> {
  return tx
    .selectFrom('access_rights_tag')
    .where('tenant_id', '=', tx.tenant)
    .$if(isLimited(actor), (some) => some.where('id', 'in', [...actor.tags]))
    .select(['id', 'display_name as name'])
    .orderBy(naturally(sql`display_name`))
    .execute()
}

export const inState = (state: BreachState | undefined) => (one: { state: BreachState }) =>
  state === undefined || one.state === state

/** Cases open at some time in a period, with each of their deadlines; a case without any has one row. */
export async function casesInPeriod(
  tx: TenantTx,
  actor: Actor,
  { from, to, patches = [] }: { from: Day; to: Day; patches?: readonly string[] },
) {
  const rows = await tx
    .selectFrom('awaabs_law_case')
    .innerJoin('property', (join) =>
      join.on('property.tenant_id', '=', tx.tenant).onRef('property.id', '=', 'awaabs_law_case.property_id'),
    )
    .leftJoin('access_rights_tag', (join) =>
      join
        .on('access_rights_tag.tenant_id', '=', tx.tenant)
        .onRef('access_rights_tag.id', '=', 'property.access_rights_tag_id'),
    )
    .where('awaabs_law_case.tenant_id', '=', tx.tenant)
    .where('awaabs_law_case.aware_on', '<=', sql<Date>`${to}::date`)
    .where(sql<boolean>`(closed_on is null or closed_on >= ${from}::date)`)
    .$if(isLimited(actor), (some) => some.where('property.access_rights_tag_id', 'in', [...actor.tags]))
    .$if(patches.length > 0, (some) =>
      some.where(sql<boolean>`property.access_rights_tag_id = any(${[...patches]}::uuid[])`),
    )
    .select(['awaabs_law_case.id', 'number', 'status', 'hazard', 'emergency', 'aware_at', 'close_reason'])
    .select(['property.reference', 'property.address', 'property.postcode', 'display_name as patch'])
    .select(sql<Day>`to_char(aware_on, 'YYYY-MM-DD')`.as('aware_day'))
    .select(sql<Day | null>`to_char(closed_on, 'YYYY-MM-DD')`.as('closed_day'))
    .orderBy('number')
    .execute()
  const deadlines = await tx
    .selectFrom('awaabs_law_deadline')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`case_id = any(${rows.map(({ id }) => id)}::uuid[])`)
    .select(deadlineColumns)
    .orderBy('place')
    .execute()
  const ofCase = Map.groupBy(deadlines, (row) => row.case_id)
  return rows.map((row) => ({ ...row, deadlines: (ofCase.get(row.id) ?? []).map(deadlineIn) }))
}
