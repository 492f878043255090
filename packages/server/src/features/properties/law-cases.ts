import { sql } from 'kysely'
import type { AwaabsLawCase, Property } from '@caretaker/contract/properties.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { Due, LawContext, LawDeadline } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import {
  caseNumberText,
  deadlinesOf,
  lateFrom,
  preventiveWorksDue,
  runningDeadlines,
} from '@caretaker/rules/properties/awaabs-deadlines.ts'
import type { LawCase } from '@caretaker/rules/properties/awaabs-law.ts'
import {
  awaabsLawHazardNames,
  casesOf,
  correctedSteps,
  emergencyOf,
  hazardOf,
  nearTo,
} from '@caretaker/rules/properties/awaabs-law.ts'
import { caseRecordKinds } from '@caretaker/rules/properties/awaabs-records.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { setLawDeadlines } from '../../properties/states.ts'
import type { StoredEntry } from './awaabs-law.ts'
import { entriesOfHomes, lawContextOf } from './awaabs-law.ts'

const homesAtOnce = 300

/** Recomputes what is derived from the entries of these properties: cases, deadlines, and the next deadline. */
export async function refreshCases(tx: TenantTx, propertyIds: readonly string[]): Promise<void> {
  const context = await lawContextOf(tx)
  for (let at = 0; at < propertyIds.length; at += homesAtOnce)
    await refreshSome(tx, propertyIds.slice(at, at + homesAtOnce), context)
}

/** Recomputes all cases of the tenant after its figures, its time zone or the covered hazards changed. */
export async function recomputeCases(tx: TenantTx): Promise<void> {
  const rows = await tx
    .selectFrom('awaabs_law_step')
    .select('property_id')
    .distinct()
    .where('tenant_id', '=', tx.tenant)
    .orderBy('property_id')
    .execute()
  if (!rows.length) return
  await refreshCases(
    tx,
    rows.map((row) => row.property_id),
  )
  await changed(tx, 'property', null)
}

async function refreshSome(tx: TenantTx, homes: readonly string[], context: LawContext): Promise<void> {
  const { zone } = context
  // Locked, so that nobody adds an entry between reading the entries and writing the results.
  await sql`select id from property where tenant_id = ${tx.tenant} and id = any(${homes}::uuid[])
    order by id for no key update`.execute(tx)
  const entries = await entriesOfHomes(tx, homes)
  const cases = [...entries].flatMap(([home, some]) => casesOf(some).map((one) => ({ home, one })))
  await writeCases(tx, cases)
  await tx
    .deleteFrom('awaabs_law_deadline')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`property_id = any(${homes}::uuid[])`)
    .execute()
  const next = new Map<string, LawDeadline>()
  const rows = cases.flatMap(({ home, one }) => {
    const deadlines = deadlinesOf(one, context)
    const [soonest] = runningDeadlines(deadlines, zone)
    if (soonest) next.set(home, soonest)
    return deadlines.map((deadline, place) => ({
      ...{ tenant_id: tx.tenant, case_id: one.id, place, property_id: home },
      ...columnsOf(deadline),
    }))
  })
  if (rows.length) await tx.insertInto('awaabs_law_deadline').values(rows).execute()
  await setLawDeadlines(
    tx,
    homes.map((id) => {
      const due = next.get(id)?.due
      return {
        id,
        dueAt: due ? new Date(due.at ?? startOfDay(due.on, zone)).toISOString() : null,
        lateAt: due ? new Date(lateFrom(due, zone)).toISOString() : null,
      }
    }),
  )
}

/** Writes cases; a new one gets the next number. */
async function writeCases(tx: TenantTx, cases: readonly { home: string; one: LawCase<StoredEntry> }[]): Promise<void> {
  if (!cases.length) return
  const known = await tx
    .selectFrom('awaabs_law_case')
    .select(['id', 'number'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${cases.map(({ one }) => one.id)}::uuid[])`)
    .execute()
  const numbers = new Map(known.map(({ id, number }) => [id, number]))
  const added = cases
    .filter(({ one }) => !numbers.has(one.id))
    .toSorted((a, b) => a.one.entries[0]!.enteredAt - b.one.entries[0]!.enteredAt || (a.one.id < b.one.id ? -1 : 1))
  if (added.length) {
    // Serialised, so that no two cases get the same number.
    await tx.selectFrom('tenant').select('id').where('id', '=', tx.tenant).forNoKeyUpdate().execute()
    const { last } = await tx
      .selectFrom('awaabs_law_case')
      .where('tenant_id', '=', tx.tenant)
      .select(sql<number>`coalesce(max(number), 0)`.as('last'))
      .executeTakeFirstOrThrow()
    for (const [at, { one }] of added.entries()) numbers.set(one.id, last + 1 + at)
  }
  await tx
    .insertInto('awaabs_law_case')
    .values(
      cases.map(({ home, one }) => ({
        ...{ tenant_id: tx.tenant, id: one.id, property_id: home, number: numbers.get(one.id)! },
        ...caseColumns(one),
      })),
    )
    .onConflict((same) =>
      same.columns(['tenant_id', 'id']).doUpdateSet((eb) => ({
        status: eb.ref('excluded.status'),
        hazard: eb.ref('excluded.hazard'),
        aware_on: eb.ref('excluded.aware_on'),
        aware_at: eb.ref('excluded.aware_at'),
        emergency: eb.ref('excluded.emergency'),
        closed_on: eb.ref('excluded.closed_on'),
        close_reason: eb.ref('excluded.close_reason'),
      })),
    )
    .execute()
}

const instant = (at: number | null | undefined) => (at === null || at === undefined ? null : new Date(at))

/** The columns of a case except its number. */
export const caseColumns = ({ steps, closing }: LawCase) => ({
  ...{ status: closing ? ('None' as const) : steps.at(-1)!.status, hazard: hazardOf(steps) },
  ...{ aware_on: steps[0]!.on, aware_at: instant(steps[0]!.at), emergency: emergencyOf(steps) !== undefined },
  ...{ closed_on: closing?.on ?? null, close_reason: closing?.reason ?? null },
})

/** The columns of a deadline. */
export function columnsOf({ step, isEmergency, due, lawDue, otherDue, done, ended, moved }: LawDeadline) {
  return {
    ...{ step, is_emergency: isEmergency, due_on: due.on, due_at: instant(due.at) },
    ...{ law_due_on: lawDue?.on ?? null, law_due_at: instant(lawDue?.at) },
    ...{ other_due_on: otherDue?.on ?? null, other_due_at: instant(otherDue?.at) },
    ...{ done_on: done?.on ?? null, done_at: instant(done?.at) },
    ...{ ended_on: ended?.on ?? null, ended_at: instant(ended?.at) },
    ...{ moved_at: instant(moved?.at), moved_reason: moved?.reason ?? null },
  }
}

const dayOf = (column: string) => sql<Day | null>`to_char(${sql.ref(column)}, 'YYYY-MM-DD')`

/** The columns of a deadline as queries read them. */
export const deadlineColumns = [
  ...(['awaabs_law_deadline.case_id', 'awaabs_law_deadline.property_id', 'awaabs_law_deadline.step'] as const),
  ...(['is_emergency', 'due_at', 'law_due_at', 'other_due_at', 'done_at', 'ended_at', 'moved_at'] as const),
  'moved_reason' as const,
  sql<Day>`to_char(due_on, 'YYYY-MM-DD')`.as('due_day'),
  dayOf('law_due_on').as('law_due_day'),
  dayOf('other_due_on').as('other_due_day'),
  dayOf('done_on').as('done_day'),
  dayOf('ended_on').as('ended_day'),
] as const

interface DeadlineRow {
  step: LawDeadline['step']
  is_emergency: boolean
  due_day: Day
  due_at: Date | null
  law_due_day: Day | null
  law_due_at: Date | null
  other_due_day: Day | null
  other_due_at: Date | null
  done_day: Day | null
  done_at: Date | null
  ended_day: Day | null
  ended_at: Date | null
  moved_at: Date | null
  moved_reason: string | null
}

export function deadlineIn(row: DeadlineRow): LawDeadline {
  const due = (on: Day | null, at: Date | null): Due | null => (on === null ? null : { on, at: at && +at })
  return {
    step: row.step,
    isEmergency: row.is_emergency,
    due: due(row.due_day, row.due_at)!,
    lawDue: due(row.law_due_day, row.law_due_at),
    otherDue: due(row.other_due_day, row.other_due_at),
    done: due(row.done_day, row.done_at),
    ended: due(row.ended_day, row.ended_at),
    moved: row.moved_at && { at: +row.moved_at, reason: row.moved_reason },
  }
}

const deadlines = (tx: TenantTx) =>
  tx.selectFrom('awaabs_law_deadline').where('awaabs_law_deadline.tenant_id', '=', tx.tenant).select(deadlineColumns)

/** The deadlines of the open cases of properties, by property. */
export async function openDeadlinesOf(
  tx: TenantTx,
  propertyIds: readonly string[],
): Promise<Map<string, LawDeadline[]>> {
  const rows = await deadlines(tx)
    .innerJoin('awaabs_law_case', (join) =>
      join
        .on('awaabs_law_case.tenant_id', '=', tx.tenant)
        .onRef('awaabs_law_case.id', '=', 'awaabs_law_deadline.case_id'),
    )
    .where(sql<boolean>`awaabs_law_deadline.property_id = any(${propertyIds}::uuid[])`)
    .where('awaabs_law_case.status', '<>', 'None')
    .orderBy('place')
    .execute()
  return new Map([...Map.groupBy(rows, (row) => row.property_id)].map(([home, some]) => [home, some.map(deadlineIn)]))
}

type CasesOfHome = Pick<
  Property,
  'awaabsLawHistory' | 'awaabsLawCases' | 'awaabsLawDueDate' | 'awaabsLawNearDate' | 'awaabsLawPreventiveDate'
>

/** Shown for every property of a client without Awaab's Law. */
export const withoutLaw: CasesOfHome & Pick<Property, 'awaabsLawStatus'> = {
  awaabsLawStatus: 'None',
  awaabsLawHistory: [],
  awaabsLawCases: [],
  awaabsLawDueDate: null,
  awaabsLawNearDate: null,
  awaabsLawPreventiveDate: null,
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
const shown = (due: Due | null) => due && { on: due.on, at: iso(due.at) }

export const deadlineShape = (one: LawDeadline) => ({
  ...{ step: one.step, isEmergency: one.isEmergency, due: shown(one.due)!, lawDue: shown(one.lawDue) },
  ...{ otherDue: shown(one.otherDue), done: shown(one.done), ended: shown(one.ended) },
  moved: one.moved && { at: iso(one.moved.at)!, reason: one.moved.reason },
})

/** The cases of a property for its page, newest first, with the history of all entries. */
export async function casesOfHome(tx: TenantTx, propertyId: string): Promise<CasesOfHome> {
  const entries = (await entriesOfHomes(tx, [propertyId])).get(propertyId) ?? []
  const context = await lawContextOf(tx)
  const rows = await tx
    .selectFrom('awaabs_law_case')
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', propertyId)
    .select(['id', 'number', 'status', 'hazard', 'aware_at', 'emergency', 'close_reason'])
    .select([sql<Day>`to_char(aware_on, 'YYYY-MM-DD')`.as('aware_day'), dayOf('closed_on').as('closed_day')])
    .orderBy('number', 'desc')
    .execute()
  const all = await deadlines(tx).where('property_id', '=', propertyId).orderBy('place').execute()
  const counts = await tx
    .selectFrom('awaabs_law_record')
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', propertyId)
    .select(['case_id', 'kind', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy(['case_id', 'kind'])
    .execute()
  const last = casesOf(entries).at(-1)
  const open = last && !last.closing ? deadlinesOf(last, context) : []
  const [next] = runningDeadlines(open, context.zone)
  return {
    awaabsLawHistory: entries.map((entry) => ({
      ...{ id: entry.id, status: entry.status, happenedOn: entry.on, happenedAt: iso(entry.at), hazard: entry.hazard },
      ...{ enteredAt: iso(entry.enteredAt)!, enteredBy: entry.enteredBy, dueOn: entry.dueOn, corrects: entry.corrects },
      ...{ emergency: entry.emergency, undoes: entry.undoes, reason: entry.reason },
    })),
    awaabsLawCases: rows.map((row): AwaabsLawCase => {
      const hazard = awaabsLawHazardNames.find((name) => name === row.hazard) ?? null
      const of = (kind: (typeof caseRecordKinds)[number]) =>
        counts.find((one) => one.case_id === row.id && one.kind === kind)?.count ?? 0
      return {
        ...{ caseId: row.id, number: caseNumberText(row.number), status: row.status, hazard },
        aware: { on: row.aware_day, at: row.aware_at?.toISOString() ?? null },
        ...{ isEmergency: row.emergency, closedOn: row.closed_day, closeReason: row.close_reason },
        coverage: (hazard && context.coverage[hazard]) ?? null,
        deadlines: all.filter((one) => one.case_id === row.id).map((one) => deadlineShape(deadlineIn(one))),
        records: { note: of('note'), photograph: of('photograph'), file: of('file'), readings: of('readings') },
      }
    }),
    awaabsLawDueDate: next?.due.on ?? null,
    awaabsLawNearDate: next ? nearTo(next.due.on, context.figures.at(-1)!.figures) : null,
    awaabsLawPreventiveDate: preventiveWorksDue(last, context),
  }
}

/** The step of these entries' open case; 'None' without an open case. */
export const statusOf = (entries: readonly StoredEntry[]) => correctedSteps(entries).at(-1)?.status ?? 'None'
