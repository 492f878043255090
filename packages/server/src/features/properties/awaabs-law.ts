import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Property } from '@caretaker/contract/properties.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { startOfDay } from '@caretaker/rules/calendar/days.ts'
import type {
  AwaabsLawEntry,
  AwaabsLawFigures,
  AwaabsLawHazard,
  KnownOfCase,
} from '@caretaker/rules/properties/awaabs-law.ts'
import {
  awaabsLawDue,
  awaabsLawHazardNames,
  awaabsLawFigureFault,
  awaabsLawFigureNames,
  correctedSteps,
  defaultAwaabsLaw,
  knownOfCase,
  nearTo,
  openCase,
  preventiveWorksDue,
  stagesOf,
  stepDayFault,
} from '@caretaker/rules/properties/awaabs-law.ts'
import type { AwaabsLawStatus } from '@caretaker/rules/properties/details.ts'
import type { Recorded } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reckoningOf } from '../compliance/figures.ts'

const Figure = (name: keyof AwaabsLawFigures) =>
  z
    .number()
    .refine((value) => awaabsLawFigureFault(name, value) === undefined)
    .optional()
    .catch(undefined)
const Settings = z.object({
  awaabsLaw: z.object(
    Object.fromEntries(awaabsLawFigureNames.map((name) => [name, Figure(name)])) as Record<
      keyof AwaabsLawFigures,
      ReturnType<typeof Figure>
    >,
  ),
})

/** The tenant's own figures where its settings have any, and the usual ones. */
export async function awaabsLawFiguresOf(tx: TenantTx): Promise<AwaabsLawFigures> {
  const { settings } = await tx
    .selectFrom('tenant')
    .select('settings')
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return awaabsLawIn(settings)
}

/** The figures that stand in the settings of a tenant. */
export function awaabsLawIn(settings: Record<string, unknown>): AwaabsLawFigures {
  const own = Settings.safeParse(settings).data?.awaabsLaw
  const said = Object.entries(own ?? {}).filter(([, value]) => value !== undefined)
  return { ...defaultAwaabsLaw, ...Object.fromEntries(said) }
}

/** The steps of a home's cases in the order in which they were entered. */
async function historyOf(tx: TenantTx, propertyId: string): Promise<Property['awaabsLawHistory']> {
  const rows = await tx
    .selectFrom('awaabs_law_step')
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', propertyId)
    .orderBy('entered_at')
    .orderBy('id')
    .select([
      ...(['id', 'status', 'hazard', 'entered_at', 'entered_by_name', 'corrects', 'emergency'] as const),
      sql<Day>`to_char(happened_on, 'YYYY-MM-DD')`.as('happened'),
      sql<Day | null>`to_char(due_on, 'YYYY-MM-DD')`.as('due'),
    ])
    .execute()
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    happenedOn: row.happened,
    hazard: awaabsLawHazardNames.find((name) => name === row.hazard) ?? null,
    enteredAt: row.entered_at.toISOString(),
    enteredBy: row.entered_by_name,
    dueOn: row.due,
    corrects: row.corrects,
    emergency: row.emergency,
  }))
}

type Case = Pick<Property, 'awaabsLawHistory' | 'awaabsLawDueDate' | 'awaabsLawNearDate' | 'awaabsLawPreventiveDate'>

/** What is told of any home where the organisation does not have Awaab's Law. */
export const untold: Case & Pick<Property, 'awaabsLawStatus'> = {
  awaabsLawStatus: 'None',
  awaabsLawHistory: [],
  awaabsLawDueDate: null,
  awaabsLawNearDate: null,
  awaabsLawPreventiveDate: null,
}

/** A home's cases as its page tells them. */
export async function caseOf(tx: TenantTx, propertyId: string, dueOn: Day | null): Promise<Case> {
  const awaabsLawHistory = await historyOf(tx, propertyId)
  const figures = await awaabsLawFiguresOf(tx)
  const steps = correctedSteps(awaabsLawHistory.map((entry) => ({ ...entry, on: entry.happenedOn })))
  return {
    awaabsLawHistory,
    awaabsLawDueDate: dueOn,
    awaabsLawNearDate: dueOn && nearTo(dueOn, figures),
    awaabsLawPreventiveDate: preventiveWorksDue(steps, figures),
  }
}

/** What somebody says of a home's case. */
export interface SaidOfCase {
  /** The status from now on, where it is another one. */
  status?: AwaabsLawStatus | undefined
  hazard?: AwaabsLawHazard | undefined
  emergency?: boolean | undefined
  happenedOn?: Day | undefined
  corrects?: string | undefined
}

export interface Entry {
  status: AwaabsLawStatus
  hazard: AwaabsLawHazard | null
  emergency: boolean | null
  on: Day
  corrects: string | null
  /** The day by which the step is to be done that it is about. */
  due: Day | null
}

/** What an entry comes to: the case as it is known with it. */
export interface Entered {
  entry: Entry
  /** From when its step is so, and by when that is due; null where there is no case any more. */
  stage: Day | null
  due: Day | null
  /** The day that is corrected, as it was known. */
  was: Day | null
}

/**
 * What is to be entered for what was said of a held home; refuses a day that cannot be, and what says nothing of a case. Undefined
 * where nothing was said.
 */
export async function entryFor(
  tx: TenantTx,
  home: { id: string; awaabs_law_status: AwaabsLawStatus },
  { status, hazard, emergency, happenedOn, corrects }: SaidOfCase,
  today: Day,
): Promise<Entered | undefined> {
  const isSaid = status !== undefined || hazard !== undefined || emergency !== undefined
  if (!isSaid && !happenedOn && !corrects) return undefined
  const isOver = (status ?? home.awaabs_law_status) === 'None'
  if (hazard && isOver) throw wrong('awaabsLawHazard', noCase)
  if (emergency !== undefined && isOver) throw wrong('awaabsLawEmergency', noCase)
  if (corrects && (isSaid || !happenedOn)) throw wrong('awaabsLawCorrects', aloneCorrected)
  if (!isSaid && !corrects) throw wrong('awaabsLawHappenedOn', dayOfNothing)
  const entries = (await historyOf(tx, home.id)).map((entry) => ({ ...entry, on: entry.happenedOn }))
  const steps = correctedSteps<AwaabsLawEntry>(entries)
  const corrected = corrects ? openCase(steps).find(({ id }) => id === corrects) : undefined
  if (corrects && !corrected) throw wrong('awaabsLawCorrects', 'There is no such step in the open case')
  const on = happenedOn ?? today
  const fault = stepDayFault(steps, { on, today, corrected })
  // A case that was entered with a day to come, by other clocks, still goes on today.
  if (fault && happenedOn) throw wrong('awaabsLawHappenedOn', fault)
  const entry = {
    id: '',
    status: status ?? corrected?.status ?? home.awaabs_law_status,
    hazard: hazard ?? null,
    emergency: emergency ?? null,
    on,
    corrects: corrects ?? null,
  }
  const known = correctedSteps([...steps, entry])
  const figures = await awaabsLawFiguresOf(tx)
  const upTo = corrected ? known.slice(0, steps.indexOf(corrected) + 1) : known
  return {
    entry: { ...entry, due: awaabsLawDue(upTo, figures) },
    stage: stagesOf(known).at(-1)?.on ?? null,
    due: awaabsLawDue(known, figures),
    was: corrected?.on ?? null,
  }
}

/** A case as it stood: what is to be entered for it, the first first, and since when it was at its last step. */
export interface Again {
  entries: Entry[]
  since: Day
}

/**
 * What puts a home's case back to where it last stood at a status, with the days of then; undefined where it never did. One that was
 * closed since is entered as a whole, for what was said of its other steps counts as well.
 */
export async function caseAgain(tx: TenantTx, propertyId: string, status: AwaabsLawStatus): Promise<Again | undefined> {
  const steps = correctedSteps((await historyOf(tx, propertyId)).map((entry) => ({ ...entry, on: entry.happenedOn })))
  const at = steps.findLastIndex((step) => step.status === status)
  if (at < 0) return undefined
  const stood = steps.slice(0, at + 1)
  const due = awaabsLawDue(stood, await awaabsLawFiguresOf(tx))
  const { on: since } = stagesOf(stood).at(-1)!
  const isClosed = steps.slice(at).some((step) => step.status === 'None')
  const entries = isClosed
    ? openCase(stood).map((step) => ({ ...step, corrects: null, due: step.dueOn }))
    : [{ status, hazard: null, emergency: null, on: since, corrects: null, due }]
  entries.at(-1)!.due = due
  return { entries, since }
}

const noCase = 'That is said of a case that is open'
const aloneCorrected = 'A step is corrected by its true day alone'
const dayOfNothing = 'A day is said of a step that is entered or corrected'

const wrong = (field: string, message: string) => refuse('invalid', message, [{ field, message }])

/** What is known of a home's open case; null where it has none. */
export async function caseKnown(tx: TenantTx, propertyId: string): Promise<KnownOfCase | null> {
  return knownOfCase(
    correctedSteps((await historyOf(tx, propertyId)).map((entry) => ({ ...entry, on: entry.happenedOn }))),
  )
}

/** Writes an entry down. What was entered is never changed: a correction is another one. */
export async function enter(
  tx: TenantTx,
  person: Recorded,
  propertyId: string,
  { status, hazard, emergency, on, corrects, due }: Entry,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('awaabs_law_step')
    .values({
      ...{ tenant_id: tx.tenant, id: randomUUID(), property_id: propertyId, status, hazard, happened_on: on },
      ...{ entered_at: now, entered_by: person.id, entered_by_name: person.name, due_on: due, corrects, emergency },
    })
    .execute()
}

/** Counts anew by when the steps of open cases are due, because the tenant counts by other figures or clocks now. */
export async function settleCases(tx: TenantTx): Promise<void> {
  const { zone } = await reckoningOf(tx)
  const figures = await awaabsLawFiguresOf(tx)
  const { rows } = await sql<{ home: string; entries: AwaabsLawEntry[] }>`
    select property_id as home, json_agg(json_build_object('id', id, 'status', status, 'hazard', hazard, 'emergency', emergency,
      'corrects', corrects, 'on', to_char(happened_on, 'YYYY-MM-DD')) order by entered_at, id) as entries
    from awaabs_law_step
    where tenant_id = ${tx.tenant} and property_id in (
      select id from property where tenant_id = ${tx.tenant} and awaabs_law_status <> 'None')
    group by property_id`.execute(tx)
  if (!rows.length) return
  const due = rows.map(({ entries }) => awaabsLawDue(correctedSteps(entries), figures))
  await sql`
    update property set awaabs_law_due_at = told.due_at
    from unnest(${rows.map(({ home }) => home)}::uuid[],
      ${due.map((day) => day && new Date(startOfDay(day, zone)).toISOString())}::timestamptz[]) as told (id, due_at)
    where property.tenant_id = ${tx.tenant} and property.id = told.id
      and property.awaabs_law_due_at is distinct from told.due_at`.execute(tx)
  await changed(tx, 'property', null)
}
