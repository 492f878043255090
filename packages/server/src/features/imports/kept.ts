import { createHash } from 'node:crypto'
import { headingsKey } from '@caretaker/rules/imports/columns.ts'
import type { ImportFound, ImportWishes, KeptReading } from '@caretaker/rules/imports/life.ts'
import { mostReadings, readingToKeep } from '@caretaker/rules/imports/life.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** Manual mappings of a list, kept for the next one with the same header. */

const hashOf = (headers: readonly string[]) => createHash('sha256').update(headingsKey(headers)).digest()

/** The kept mappings of the client, by header. */
export async function keptReadings(tx: TenantTx): Promise<(headers: readonly string[]) => KeptReading | undefined> {
  const rows = await tx
    .selectFrom('data_import_reading')
    .select(['headings', 'columns', 'building_from_name as buildingFromName', 'answers'])
    .where('tenant_id', '=', tx.tenant)
    .execute()
  const kept = new Map(rows.map(({ headings, ...reading }) => [headings.toString('hex'), reading]))
  return (headers) => kept.get(hashOf(headers).toString('hex'))
}

/** Keeps the manual mappings of a list that is imported. */
export async function keepReadings(
  tx: TenantTx,
  { found, wishes }: { found: Pick<ImportFound, 'sheets'>; wishes: ImportWishes },
  now: Date,
): Promise<void> {
  const keptFor = await keptReadings(tx)
  const rows = found.sheets.flatMap((sheet) => {
    const headers = sheet.mapping?.headers ?? []
    const reading = readingToKeep(sheet, wishes, keptFor(headers))
    return reading ? [{ headings: hashOf(headers), ...reading }] : []
  })
  for (const { headings, columns, buildingFromName, answers } of rows) {
    const mappingColumns = {
      columns: JSON.stringify(columns),
      building_from_name: buildingFromName,
      answers: JSON.stringify(answers),
      used_at: now,
    }
    await tx
      .insertInto('data_import_reading')
      .values({ tenant_id: tx.tenant, headings, ...mappingColumns })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'headings']).doUpdateSet(mappingColumns))
      .execute()
  }
  if (rows.length === 0) return
  const oldest = await tx
    .selectFrom('data_import_reading')
    .select('used_at')
    .where('tenant_id', '=', tx.tenant)
    .orderBy('used_at', 'desc')
    .offset(mostReadings)
    .limit(1)
    .executeTakeFirst()
  if (oldest)
    await tx
      .deleteFrom('data_import_reading')
      .where('tenant_id', '=', tx.tenant)
      .where('used_at', '<=', oldest.used_at)
      .execute()
}
