import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { deletedAtOnce, doDue, inBatches } from '../../postgres/due.ts'
import { dropPartitions } from '../../postgres/partitions.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { packedHoursKept } from './hours.ts'
import { hasSeries, seriesOf } from './walk.ts'

const day = 86_400_000
/** Hours and days are kept five times as long as the readings they sum up. */
const rollUpFactor = 5

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * day)

/** Deletes telemetry beyond its retention period. Returns what was deleted. */
export async function forgetTelemetry(
  { config, db, owner }: Pick<Context, 'config' | 'db' | 'owner'>,
  now = new Date(),
): Promise<{ partitions: string[]; packed: number; hours: number; days: number }> {
  const partitions = await dropPartitions(owner, daysBefore(now, config.telemetryDays), now)
  const oldest = daysBefore(now, config.telemetryDays * rollUpFactor)
  let [packed, hours, days] = [0, 0, 0]
  await doDue(db, {
    work: 'forget telemetry',
    now,
    run: async (tenant) => {
      const before = packed + hours + days
      for await (const series of seriesOf(db, tenant)) {
        const some = (table: Kept, column: 'hour' | 'day', before = oldest) =>
          inBatches(() => inTenant(db, tenant, (tx) => deleteSome(tx, table, column, series, before)))
        packed += await some('packed_day', 'day', daysBefore(now, config.telemetryDays))
        hours += await some('hourly', 'hour')
        // A day is deleted when the last of its hours is.
        await some('packed_roll_up', 'day', daysBefore(oldest, 1))
        days += await some('daily', 'day')
        await some(
          'packed_hours',
          'day',
          daysBefore(now, Math.min(packedHoursKept, config.telemetryDays * rollUpFactor)),
        )
      }
      return packed + hours + days - before
    },
    next: async (tx) => ((await hasSeries(tx)) ? now : null),
  })
  return { partitions, packed, hours, days }
}

/** Tables with rows per series and time. */
type Kept = 'packed_day' | 'hourly' | 'packed_roll_up' | 'packed_hours' | 'daily'

async function deleteSome(
  tx: TenantTx,
  table: Kept,
  column: 'hour' | 'day',
  series: number[],
  oldest: Date,
): Promise<number> {
  const [from, at] = [sql.table(table), sql.ref(column)]
  const { numAffectedRows } = await sql`
    delete from ${from} where tenant_id = ${tx.tenant} and (series_id, ${at}) in (
      select series_id, ${at} from ${from}
      where tenant_id = ${tx.tenant} and series_id = any(${series}::bigint[]) and ${at} < ${oldest}
      limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}
