import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData, isLimited, seesEverything } from '@caretaker/rules/identity/actor.ts'
import type { ReportFormat, ReportType } from '@caretaker/rules/reports/kinds.ts'
import { monthText } from '@caretaker/rules/reports/months.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { csvType } from '../../spreadsheets/csv.ts'
import { xlsxType } from '../../spreadsheets/xlsx.ts'
import { gatherMonth, knownMonth } from './months.ts'
import type { Counted } from './rows.ts'
import { reportRows, unplacedDevices } from './rows.ts'
import type { Wanted } from './store.ts'
import { expectReport } from './store.ts'
import type { About } from './table.ts'

const types: Record<ReportFormat, string> = { xlsx: xlsxType, csv: csvType }

/** A report that is about to be written. */
export interface Report {
  about: About
  file: { name: string; type: string }
  rows: AsyncIterable<readonly Counted<never>[]>
}

/**
 * Gathers the month of a report, in a transaction before the report's own; refuses a report that the actor may not see.
 */
export async function prepareReport(tx: TenantTx, actor: Actor, wanted: Wanted, now: Date): Promise<void> {
  await expectReport(tx, actor, wanted, now)
  // Cases are reported in their current state, so nothing of the month has to be gathered.
  if (wanted.month && wanted.reportType !== 'AwaabsLaw')
    await gatherMonth(tx, wanted.month, { now, hasClimate: wanted.reportType !== 'Overview' })
}

/** Opens a prepared report for reading within the transaction; refuses a report that the actor may not see. */
export async function openReport(
  tx: TenantTx,
  { actor, person, wanted, now }: { actor: Actor; person: { name: string }; wanted: Wanted; now: Date },
): Promise<Report> {
  const { reportType: type, month, tagIds, format } = wanted
  const tags = await expectReport(tx, actor, wanted, now)
  const known = month && type !== 'AwaabsLaw' ? await knownMonth(tx, month, now) : null
  const client = await tx
    .selectFrom('tenant')
    .select(['display_name as name', 'time_zone as zone'])
    .where('id', '=', tx.tenant)
    .executeTakeFirst()
  if (!client) throw refuse('not found')
  const about: About = {
    ...{ type, client: client.name, zone: client.zone, known, month, tags },
    ...{ writtenBy: person.name, writtenAt: now },
    isLimited: isLimited(actor) && !seesEverything(actor),
    hidesPersonal: hidesPersonalData(actor),
    ...(type === 'Overview' && known?.isRunning && tags.length === 0 && { unplaced: await unplacedDevices(tx, actor) }),
  }
  return {
    about,
    file: { name: fileName(type, wanted, dayAt(+now, client.zone)), type: types[format] },
    rows: reportRows(tx, type, { actor, month, tagIds }),
  }
}

/** A report without a month is named by the day on which it was written. */
function fileName(type: ReportType, { month, format }: Wanted, today: Day): string {
  return `${month ? monthText(month) : today}-${type}.${format}`
}
