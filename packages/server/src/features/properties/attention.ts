import { sql } from 'kysely'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasFeature, hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { AttentionList } from '@caretaker/rules/properties/attention.ts'
import { dampRiskList, legalDeadlineList } from '@caretaker/rules/properties/attention.ts'
import type { DampLevel } from '@caretaker/rules/properties/damp.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { countRows, rowsWanted, zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { openDeadlinesOf } from './law-cases.ts'
import { propertyList } from './list.ts'
import { runningDeadlines } from '@caretaker/rules/properties/awaabs-deadlines.ts'

/** A home in a count of what needs attention. */
export interface AttentionHome {
  propertyId: string
  propertyReference: string
  /** Null under HideCustomerPersonalData. */
  address: string | null
}

/** A home with the deadline that is next: its step, when it is due, and from when that is late. */
export interface HomeWithDeadline extends AttentionHome {
  step: string
  isEmergency: boolean
  /** The first instant of the day, or the hour of an emergency. */
  dueAt: string
  lateAt: string
}

export interface HomeWithDamp extends AttentionHome {
  level: DampLevel
  since: string | null
}

/** A count, its worst two homes, and the filter of the list of Properties that gives exactly this count. */
export interface Attention<Home> {
  count: number
  worst: Home[]
  list: AttentionList
}

/**
 * Homes that the actor may see with a deadline of Awaab's Law that is overdue, or due within 10 working days, and how many of them
 * are late. Undefined where the client has no Awaab's Law. Read from the index of due dates.
 */
export async function legalDeadlines(
  tx: TenantTx,
  actor: Actor,
  now = Date.now(),
): Promise<(Attention<HomeWithDeadline> & { late: number; due: number }) | undefined> {
  if (!can(actor, 'see properties') || !hasFeature(actor, 'AwaabsLaw')) return undefined
  const zone = await zoneOf(tx)
  const list = legalDeadlineList(dayAt(now, zone))
  const wanted = wantedOf(list)
  const count = await countRows(propertyList, tx, actor, wanted)
  const rows = await rowsWanted(propertyList, tx, actor, wanted)
  const { late } = await rows
    .where('property.awaabs_law_late_at', '<=', new Date(now))
    .select(sql<number>`count(*)`.as('late'))
    .executeTakeFirstOrThrow()
  const worst = await homes(
    tx,
    rows.select('property.id').orderBy('property.awaabs_law_late_at').orderBy('property.reference').limit(2),
  )
  const deadlines = await openDeadlinesOf(
    tx,
    worst.map(({ id }) => id),
  )
  const told = worst.map((home) => {
    const next = runningDeadlines(deadlines.get(home.id) ?? [], zone)[0]
    return {
      ...asShown(actor, home),
      step: next?.step ?? home.awaabs_law_status,
      isEmergency: next?.isEmergency ?? false,
      dueAt: home.awaabs_law_due_at!.toISOString(),
      lateAt: home.awaabs_law_late_at!.toISOString(),
    }
  })
  return {
    count,
    ...{ late: Number(late), due: count - Number(late), list },
    worst: told.toSorted((a, b) => (a.lateAt < b.lateAt ? -1 : 1)),
  }
}

/** Homes that the actor may see at high or severe risk of damp and mould. */
export async function homesAtDampRisk(tx: TenantTx, actor: Actor): Promise<Attention<HomeWithDamp> | undefined> {
  if (!can(actor, 'see properties')) return undefined
  const list = dampRiskList()
  const wanted = wantedOf(list)
  const count = await countRows(propertyList, tx, actor, wanted)
  const rows = await rowsWanted(propertyList, tx, actor, wanted)
  const worst = await homes(
    tx,
    rows
      .select('property.id')
      .orderBy('property.damp_rank', 'desc')
      .orderBy('property.damp_since')
      .orderBy('property.reference')
      .limit(2),
  )
  const told = worst.toSorted((a, b) => b.damp_rank - a.damp_rank || +(a.damp_since ?? 0) - +(b.damp_since ?? 0))
  return {
    ...{ count, list },
    worst: told.map((home) => ({
      ...asShown(actor, home),
      ...{ level: home.damp_level, since: home.damp_since?.toISOString() ?? null },
    })),
  }
}

const wantedOf = ({ filters, sorts }: AttentionList) => ({ listing: 'Properties' as const, filters, sorts, search: '' })

/** The few that are chosen are read whole; the choice itself is made by an index. */
const homes = (tx: TenantTx, ids: unknown) =>
  tx
    .selectFrom('property')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(array(${ids}))`)
    .select(['id', 'reference', 'address', 'awaabs_law_status', 'awaabs_law_due_at', 'awaabs_law_late_at'])
    .select(['damp_level', 'damp_rank', 'damp_since'])
    .execute()

const asShown = (actor: Actor, home: { id: string; reference: string; address: string }): AttentionHome => ({
  propertyId: home.id,
  propertyReference: home.reference,
  address: hidesPersonalData(actor) ? null : home.address,
})
