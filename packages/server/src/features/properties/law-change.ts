import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { startOfDay } from '@caretaker/rules/calendar/days.ts'
import { caseNumberText } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { casesOf } from '@caretaker/rules/properties/awaabs-law.ts'
import { changeOf } from '@caretaker/rules/properties/awaabs-history.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { updateProperty } from '../../properties/details.ts'
import type { CaseChange } from './awaabs-law.ts'
import { enter, entriesFor, entriesOf, lawContextOf, stageSince } from './awaabs-law.ts'
import { refreshCases } from './law-cases.ts'

interface Changing {
  tx: TenantTx
  person: Recorded
}

/** Changes the case of a locked property: adds each entry, recomputes what follows, and records each in the audit. */
export async function changeCase(
  { tx, person }: Changing,
  home: { id: string; reference: string; version: number },
  changes: readonly CaseChange[],
  now: Date,
): Promise<void> {
  const stored = await entriesOf(tx, home.id)
  const context = await lawContextOf(tx)
  const made = entriesFor(stored, changes, { now: +now, context })
  for (const entry of made) await enter(tx, person, home.id, entry)
  const all = [...stored, ...made]
  const stage = stageSince(all)
  await updateProperty(tx, home, {
    awaabs_law_status: stage?.status ?? 'None',
    awaabs_law_since: new Date(stage ? (stage.at ?? startOfDay(stage.on, context.zone)) : now),
  })
  await refreshCases(tx, [home.id])
  const numbers = await numbersOf(tx, home.id)
  const subject = { type: 'property', id: home.id, name: home.reference } as const
  for (const [at, entry] of made.entries()) {
    const known = [...stored, ...made.slice(0, at + 1)]
    const number = numbers.get(casesOf(known).at(-1)?.id ?? '')
    const { what, before, after } = changeOf(entry, known, context.zone)
    const named = { awaabsLawCase: number === undefined ? null : caseNumberText(number) }
    await audit(tx, {
      ...{ person, action: actions[what], subject, before },
      after: { ...named, ...after, ...(entry.reason && { reason: entry.reason }) },
    })
  }
}

const actions = {
  opened: "Awaab's Law case opened",
  step: "Awaab's Law step entered",
  back: "Awaab's Law step taken up again",
  date: "Awaab's Law date corrected",
  case: "Awaab's Law case changed",
  closed: "Awaab's Law case closed",
  reopened: "Awaab's Law case reopened",
} as const satisfies Record<string, AuditAction>

async function numbersOf(tx: TenantTx, propertyId: string): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('awaabs_law_case')
    .select(['id', 'number'])
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', propertyId)
    .execute()
  return new Map(rows.map(({ id, number }) => [id, number]))
}
