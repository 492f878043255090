import { openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isoTime } from '@caretaker/rules/calendar/days.ts'
import type { Context } from '../../../context.ts'
import { keepFile, stageFile } from '../../../files/files.ts'
import { zoneOf } from '../../../lists/read.ts'
import { releaseClaims, releaseWritten, whileRenewing } from '../../../postgres/claim.ts'
import { doDue } from '../../../postgres/due.ts'
import type { TenantTx } from '../../../postgres/tenant.ts'
import { inTenant } from '../../../postgres/tenant.ts'
import type { StoredExport } from './store.ts'
import { claimExport, forgetExports, nextExport, noteExport } from './store.ts'
import { writeExport } from './write.ts'

/**
 * Milliseconds for which a writer's claim on an export lasts, between progress reports and before another attempt.
 */
const claim = 120_000
const pace = 2000
const pause = 60_000
/** The columns of an unclaimed export. */
const unclaimed = { claimed_until: null, claimant: null } as const
/** Attempts before it is given up. */
const mostAttempts = 3

/** Writes pending exports, and deletes those beyond the retention period. Returns the number of actions. */
export function exportTenants(context: Context, stopping?: AbortSignal, now = () => new Date()): Promise<number> {
  const { db } = context
  return doDue(db, {
    work: 'export tenants',
    now: now(),
    run: async (tenant) => {
      let done = await inTenant(db, tenant, (tx) => forgetExports(tx, now()))
      while (!stopping?.aborted) {
        const wanted = await inTenant(db, tenant, (tx) =>
          claimExport(tx, now(), { until: new Date(+now() + claim), claimant: context.claimant?.() }),
        )
        if (!wanted) break
        await writeOne(context, tenant, wanted, now)
        done++
      }
      return done
    },
    next: nextExport,
  })
}

/** Makes exports claimed by processes that have ended due now; returns how many. */
export function releaseExports({ db }: Pick<Context, 'db'>, claimants: readonly number[]): Promise<number> {
  return releaseClaims(db, { work: 'export tenants', claimedFor: claim }, (tx, now) =>
    releaseWritten(tx, 'tenant_export', claimants, now),
  )
}

async function writeOne(context: Context, tenant: string, { id, ...wanted }: StoredExport, now: () => Date) {
  const { db, files, log } = context
  if (wanted.attempts > mostAttempts) {
    const over = { state: 'failed', fault: 'Something went wrong!', finished_at: now(), ...unclaimed } as const
    await inTenant(db, tenant, (tx) => noteExport(tx, id, over))
    return
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'caretaker-export-'))
  const place = path.join(folder, 'export.zip')
  const progress: { rows_written?: number; part?: string } = {}
  let isGone = false
  // Stored outside the reading transaction, which sees one snapshot and writes nothing.
  const renew = async () => {
    const note = { ...progress, claimed_until: new Date(+now() + claim) }
    isGone ||= !(await inTenant(db, tenant, (tx) => noteExport(tx, id, note)))
  }
  const onProgress = async (rows: number, part: string) => {
    if (isGone) throw new Gone()
    Object.assign(progress, { rows_written: rows, part })
  }
  try {
    const at = now()
    const write = async (tx: TenantTx) => ({
      zone: await zoneOf(tx),
      rows: await writeExport({
        ...{ tx, files, place, askedBy: wanted.person_name, now: at, onProgress },
        withReadings: wanted.with_readings,
      }),
    })
    const { rows, zone } = await whileRenewing(pace, renew, () => inTenant(db, tenant, write, 'repeatable read'))
    const name = `${tenant}-${isoTime(+at, zone).slice(0, 10)}.zip`
    progress.rows_written = rows
    await renew()
    // The export may have been deleted meanwhile.
    if (isGone) return
    const made = { referrer: 'tenant_export', allowed: [], maxBytes: Infinity, made: 'application/zip' } as const
    const content = new File([await openAsBlob(place)], name)
    const staged = await whileRenewing(pace, renew, () => stageFile(context, tenant, content, made))
    await inTenant(db, tenant, async (tx) => {
      if (!(await noteExport(tx, id, progress))) return
      const kept = await keepFile(tx, { id: wanted.person_id }, staged)
      const file = { file_id: kept.id, file_name: name, size: kept.size }
      await noteExport(tx, id, { state: 'done', finished_at: now(), ...unclaimed, part: null, ...file })
    })
  } catch (error) {
    if (error instanceof Gone) return
    log.error({ err: error, export: id }, 'a client could not be exported')
    await inTenant(db, tenant, (tx) => noteExport(tx, id, { claimed_until: new Date(+now() + pause), claimant: null }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The export was deleted. */
class Gone extends Error {}
