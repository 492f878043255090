import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { TenantExport } from '@caretaker/contract/tenant-exports.ts'
import { exportKeptDays } from '@caretaker/rules/tenants/exports.ts'
import { changed } from '../../../changes/changed.ts'
import type { Claim } from '../../../postgres/claim.ts'
import { claimOldest } from '../../../postgres/claim.ts'
import { makeDue } from '../../../postgres/due.ts'
import type { TenantTx } from '../../../postgres/tenant.ts'

/** The channel that notifies the worker of an ordered export. */
export const exportWaiting = 'tenant_export_waiting'

const kept = exportKeptDays * 86_400_000

const exportsOf = (tx: TenantTx) => tx.selectFrom('tenant_export').selectAll().where('tenant_id', '=', tx.tenant)
export type StoredExport = Awaited<ReturnType<typeof storedExport>>

const asTenantExport = (row: StoredExport): TenantExport => ({
  exportId: row.id,
  state: row.state,
  rows: row.rows_written,
  part: row.part,
  fault: row.fault,
  fileName: row.file_name,
  size: row.size,
  readings: row.with_readings,
  askedBy: row.person_name,
  askedAt: row.asked_at.toISOString(),
  finishedAt: row.finished_at?.toISOString() ?? null,
  keptUntil: new Date(+(row.finished_at ?? row.asked_at) + kept).toISOString(),
})

export async function storedExport(tx: TenantTx, id: string) {
  const row = await exportsOf(tx).where('id', '=', id).executeTakeFirst()
  if (!row) throw refuse('not found')
  return row
}

export async function listExports(tx: TenantTx): Promise<TenantExport[]> {
  return (await exportsOf(tx).orderBy('asked_at', 'desc').orderBy('id').execute()).map(asTenantExport)
}

/** Orders an export from the worker; one at a time per tenant. */
export async function orderExport(
  tx: TenantTx,
  person: { id: string; name: string },
  { readings, now }: { readings: boolean; now: Date },
): Promise<TenantExport> {
  const open = await exportsOf(tx).where('finished_at', 'is', null).executeTakeFirst()
  if (open) throw refuse('conflict', `An export of this client is being written, requested by ${open.person_name}.`)
  const id = randomUUID()
  await tx
    .insertInto('tenant_export')
    .values({
      ...{ tenant_id: tx.tenant, id, person_id: person.id, person_name: person.name },
      ...{ state: 'waiting', asked_at: now, with_readings: readings },
    })
    .execute()
  await makeDue(tx, 'export tenants')
  await sql`select pg_notify(${exportWaiting}, ${tx.tenant})`.execute(tx)
  await changed(tx, 'client', null)
  return asTenantExport(await storedExport(tx, id))
}

export async function deleteExport(tx: TenantTx, id: string) {
  const deleted = await storedExport(tx, id)
  await tx.deleteFrom('tenant_export').where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
  await changed(tx, 'client', null)
  return deleted
}

export async function claimExport(tx: TenantTx, now: Date, claim: Claim): Promise<StoredExport | undefined> {
  const id = await claimOldest(tx, 'tenant_export', now, claim)
  return id === undefined ? undefined : storedExport(tx, id)
}

/** Stores the state of an export; false if it was deleted meanwhile. */
export async function noteExport(
  tx: TenantTx,
  id: string,
  note: Partial<
    Pick<
      StoredExport,
      | 'rows_written'
      | 'part'
      | 'claimed_until'
      | 'claimant'
      | 'state'
      | 'fault'
      | 'finished_at'
      | 'file_id'
      | 'file_name'
      | 'size'
    >
  >,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('tenant_export')
    .set(note)
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await changed(tx, 'client', null)
  return numUpdatedRows > 0n
}

/** Deletes exports beyond the retention period; returns how many. */
export async function forgetExports(tx: TenantTx, now: Date): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('tenant_export')
    .where('tenant_id', '=', tx.tenant)
    .where('finished_at', '<=', new Date(+now - kept))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** When the worker is next due. */
export async function nextExport(tx: TenantTx): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(case when finished_at is null then coalesce(claimed_until, asked_at)
      else finished_at + make_interval(hours => ${exportKeptDays * 24}) end) as at
    from tenant_export where tenant_id = ${tx.tenant}`.execute(tx)
  return rows[0]?.at ?? null
}
