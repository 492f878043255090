import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { FiguresInForce, LawContext } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { openDeadlines, runningDeadlines } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import type {
  AwaabsLawEntry,
  AwaabsLawFigures,
  AwaabsLawHazard,
  Coverage,
  KnownOfCase,
} from '@caretaker/rules/properties/awaabs-law.ts'
import {
  awaabsLawFigureNames,
  awaabsLawHazardNames,
  casesOf,
  correctedSteps,
  daysFault,
  knownOfCase,
  stagesOf,
  withinLaw,
} from '@caretaker/rules/properties/awaabs-law.ts'
import type { AwaabsLawStatus } from '@caretaker/rules/properties/details.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { dueRulesOf } from '../compliance/figures.ts'

const Figures = z.partialRecord(z.enum(awaabsLawFigureNames), z.number()).catch({})
const Settings = z.object({
  awaabsLaw: Figures.default({}),
  awaabsLawBefore: z.array(z.object({ until: z.string(), figures: Figures })).catch([]),
})

/** The tenant's figures over time, oldest first; none is laxer than the law. */
export function awaabsLawIn(settings: Record<string, unknown>): FiguresInForce[] {
  const { awaabsLaw, awaabsLawBefore } = Settings.parse(settings)
  return [
    ...awaabsLawBefore.map(({ until, figures }) => ({ until: Date.parse(until), figures: withinLaw(figures) })),
    { until: null, figures: withinLaw(awaabsLaw) },
  ]
}

/** The figures of the tenant that are in force now. */
export async function awaabsLawFiguresOf(tx: TenantTx): Promise<AwaabsLawFigures> {
  return awaabsLawIn(await settingsOf(tx)).at(-1)!.figures
}

async function settingsOf(tx: TenantTx): Promise<Record<string, unknown>> {
  const { settings } = await tx
    .selectFrom('tenant')
    .select('settings')
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return settings
}

/** The day from which the law covers each hazard, by the installation's settings. */
export async function coverageOf(tx: TenantTx): Promise<Coverage> {
  const rows = await tx
    .selectFrom('awaabs_law_hazard')
    .select(['name', 'source', sql<Day | null>`to_char(covered_from, 'YYYY-MM-DD')`.as('from')])
    .execute()
  return Object.fromEntries(rows.map(({ name, from, source }) => [name, { from, source }]))
}

/** Everything needed to compute the deadlines of a tenant's cases. */
export async function lawContextOf(tx: TenantTx): Promise<LawContext> {
  const { zone } = await dueRulesOf(tx)
  return { figures: awaabsLawIn(await settingsOf(tx)), coverage: await coverageOf(tx), zone }
}

/** An entry as it is stored. */
export interface StoredEntry extends AwaabsLawEntry {
  at: number | null
  hazard: AwaabsLawHazard | null
  emergency: boolean | null
  enteredAt: number
  enteredBy: string
  dueOn: Day | null
  corrects: string | null
  undoes: string | null
  reason: string | null
}

/** The entries of the cases of properties, by property, in the order in which they were entered. */
export async function entriesOfHomes(
  tx: TenantTx,
  propertyIds: readonly string[],
): Promise<Map<string, StoredEntry[]>> {
  const rows = await tx
    .selectFrom('awaabs_law_step')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`property_id = any(${propertyIds}::uuid[])`)
    .orderBy('entered_at')
    .orderBy('id')
    .select([
      ...(['id', 'property_id', 'status', 'hazard', 'entered_at', 'entered_by_name', 'corrects', 'emergency'] as const),
      ...(['happened_at', 'reason', 'takes_back'] as const),
      sql<Day>`to_char(happened_on, 'YYYY-MM-DD')`.as('happened'),
      sql<Day | null>`to_char(due_on, 'YYYY-MM-DD')`.as('due'),
    ])
    .execute()
  const entries = rows.map((row) => ({
    ...{ home: row.property_id, id: row.id, status: row.status, on: row.happened },
    at: row.happened_at && +row.happened_at,
    hazard: awaabsLawHazardNames.find((name) => name === row.hazard) ?? null,
    ...{ emergency: row.emergency, corrects: row.corrects, undoes: row.takes_back, reason: row.reason },
    ...{ enteredAt: +row.entered_at, enteredBy: row.entered_by_name, dueOn: row.due },
  }))
  return new Map(
    [...Map.groupBy(entries, ({ home }) => home)].map(([home, some]) => [
      home,
      some.map(({ home: _, ...entry }) => entry),
    ]),
  )
}

/** The entries of one property. */
export const entriesOf = async (tx: TenantTx, propertyId: string): Promise<StoredEntry[]> =>
  (await entriesOfHomes(tx, [propertyId])).get(propertyId) ?? []

/** A change to a property's case, entered by a user or a list. */
export interface CaseChange {
  /** The new status, if it changes. */
  status?: AwaabsLawStatus | undefined
  hazard?: AwaabsLawHazard | undefined
  emergency?: boolean | undefined
  on?: Day | undefined
  /** The instant in ms; it is within the day `on`. */
  at?: number | undefined
  corrects?: string | undefined
  reason?: string | undefined
  /** Reopens the last case. */
  reopen?: true | undefined
}

/** An entry that is about to be written. */
export interface Entry {
  id: string
  status: AwaabsLawStatus
  hazard: AwaabsLawHazard | null
  emergency: boolean | null
  on: Day
  at: number | null
  corrects: string | null
  undoes: string | null
  reason: string | null
  enteredAt: number
  /** The day of the next deadline after it; null when none is running. */
  dueOn: Day | null
}

const wrong = (field: string, message: string) => refuse('invalid', message, [{ field, message }])

/** The entries that result from changes, in order; refuses changes that contradict the case or its dates. */
export function entriesFor(
  stored: readonly AwaabsLawEntry[],
  changes: readonly CaseChange[],
  { now, context }: { now: number; context: LawContext },
): Entry[] {
  const { zone } = context
  const today = dayAt(now, zone)
  const made: Entry[] = []
  for (const [place, change] of changes.entries()) {
    const all = [...stored, ...made]
    const last = casesOf(all).at(-1)
    const open = last && !last.closing ? last : undefined
    const entry = entryFor(change, { last, open, today, now: now + place, zone })
    made.push(entry)
    entry.dueOn = runningDeadlines(openDeadlines([...all, entry], context), zone)[0]?.due.on ?? null
  }
  // Dates are compared only after all changes, because a correction may move several.
  const isDated = changes.some(({ on, at }) => on !== undefined || at !== undefined)
  const [current] = casesOf([...stored, ...made]).slice(-1)
  const fault =
    isDated && current && daysFault([...current.steps, ...(current.closing ? [current.closing] : [])], today)
  if (fault) throw wrong('awaabsLawHappenedOn', fault)
  return made
}

type LawCase = ReturnType<typeof casesOf>[number]

interface Situation {
  last: LawCase | undefined
  open: LawCase | undefined
  today: Day
  now: number
  zone: string
}

function entryFor(
  { status, hazard, emergency, on, at, corrects, reason, reopen }: CaseChange,
  { last, open, today, now, zone }: Situation,
): Entry {
  const isSet = status !== undefined || hazard !== undefined || emergency !== undefined
  const isOver = (status ?? open?.steps.at(-1)?.status ?? 'None') === 'None'
  if (hazard && isOver) throw wrong('awaabsLawHazard', noCase)
  if (emergency !== undefined && isOver) throw wrong('awaabsLawEmergency', noCase)
  if (at !== undefined && at > now) throw wrong('awaabsLawHappenedAt', 'A time cannot be later than now')
  if (at !== undefined && on !== undefined && dayAt(at, zone) !== on)
    throw wrong('awaabsLawHappenedAt', 'The time is on another day')
  const entry = {
    ...{ id: randomUUID(), hazard: hazard ?? null, emergency: emergency ?? null, reason: reason?.trim() || null },
    ...{ on: at !== undefined ? dayAt(at, zone) : (on ?? today), enteredAt: now, dueOn: null },
    // An entry made as it happens has its time; one for a given day has none.
    at: at ?? (on === undefined ? now : null),
  }
  if (reopen) {
    if (isSet || corrects || on || at !== undefined)
      throw wrong('awaabsLawReopen', 'Dates cannot be changed when a case is reopened')
    if (!last?.closing) throw wrong('awaabsLawReopen', 'There is no closed case to reopen')
    return { ...entry, status: last.steps.at(-1)!.status, corrects: null, undoes: last.closing.id }
  }
  if (corrects) {
    if (isSet || (on === undefined && at === undefined))
      throw wrong('awaabsLawCorrects', 'A correction must contain only the correct date of the step')
    const corrected = open?.steps.find(({ id }) => id === corrects)
    if (!corrected) throw wrong('awaabsLawCorrects', 'The open case does not have this step')
    if (!entry.reason) throw wrong('awaabsLawReason', 'Enter why the date is corrected')
    return { ...entry, status: corrected.status, corrects, undoes: null }
  }
  if (!isSet) throw wrong('awaabsLawHappenedOn', 'A date can only be entered with a step or a correction')
  if (status === 'None' && open && !entry.reason) throw wrong('awaabsLawReason', 'Enter why the case is closed')
  return { ...entry, status: status ?? open!.steps.at(-1)!.status, corrects: null, undoes: null }
}

const noCase = 'This requires an open case'

/** Writes an entry. Entries are never changed: a correction is another entry. */
export async function enter(tx: TenantTx, person: Recorded, propertyId: string, entry: Entry): Promise<void> {
  const { id, status, hazard, emergency, on, at, corrects, undoes, reason, enteredAt, dueOn } = entry
  await tx
    .insertInto('awaabs_law_step')
    .values({
      ...{ tenant_id: tx.tenant, id, property_id: propertyId, status, hazard, happened_on: on, emergency, corrects },
      ...{ happened_at: at === null ? null : new Date(at), reason, takes_back: undoes, due_on: dueOn },
      ...{ entered_at: new Date(enteredAt), entered_by: person.id, entered_by_name: person.name },
    })
    .execute()
}

/** Since when the open case has been at its step; null if there is no open case. */
export const stageSince = (entries: readonly AwaabsLawEntry[]) => stagesOf(correctedSteps(entries)).at(-1) ?? null

/** The values that restore a former state of a case, with the start of its step. */
export interface Again {
  entries: Entry[]
  since: Day
}

/**
 * The entries that return a case to the status before its last step, by reversing that step so that all dates are the
 * former ones. Undefined if it did not have that status.
 */
export async function caseAgain(
  tx: TenantTx,
  propertyId: string,
  status: AwaabsLawStatus,
  now: number,
): Promise<Again | undefined> {
  const stored = await entriesOf(tx, propertyId)
  const steps = correctedSteps(stored)
  const last = steps.at(-1)
  if (!last || steps.at(-2)?.status !== status) return undefined
  const context = await lawContextOf(tx)
  const entry: Entry = {
    ...{ id: randomUUID(), status, hazard: null, emergency: null, at: null, corrects: null, undoes: last.id },
    ...{ on: stageSince(steps.slice(0, -1))!.on, reason: 'The import was undone', enteredAt: now, dueOn: null },
  }
  const [next] = runningDeadlines(openDeadlines([...stored, entry], context), context.zone)
  return { entries: [{ ...entry, dueOn: next?.due.on ?? null }], since: entry.on }
}

/** The data of a property's open case; null if there is none. */
export async function caseKnown(tx: TenantTx, propertyId: string): Promise<KnownOfCase | null> {
  return knownOfCase(correctedSteps(await entriesOf(tx, propertyId)))
}
