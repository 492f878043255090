import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import { telemetryLimits } from '@caretaker/contract/telemetry.ts'
import type { Monitoring } from '@caretaker/rules/devices/monitoring.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { MeasuringDevice } from '@caretaker/rules/telemetry/views.ts'
import { leadingFirst } from '@caretaker/rules/telemetry/views.ts'
import type { Database } from '../../postgres/database.ts'
import { prepared } from '../../postgres/prepared.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** A device whose readings are shown with those of its property. */
export interface HomeDevice extends MeasuringDevice {
  /** Seconds. */
  reportingInterval: number
  /** The highest heating temperature that it reports, in °C. */
  chMax: number | null
}

/**
 * The device, followed by the others of its property that the actor sees: those connected through it or through the
 * same module, and those in the same property. Refuses as `findDevice` does.
 */
export async function findHome(tx: TenantTx, actor: Actor, deviceId: string): Promise<HomeDevice[]> {
  const one = await tx
    .selectFrom('device')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', deviceId)
    .select(['parent_id', 'property_id'])
    .modifyEnd(prepared)
    .executeTakeFirst()
  if (!one) throw refuse('not found')
  // Two queries: planning one statement for all of it takes longer than running both.
  const modules = one.parent_id ? [deviceId, one.parent_id] : [deviceId]
  const among = (device: ExpressionBuilder<Database, 'device'>) =>
    device.or([
      device('id', 'in', modules),
      device('parent_id', 'in', modules),
      ...(one.property_id ? [device('property_id', '=', one.property_id)] : []),
    ])
  const home = await devicesAmong(tx, actor, among, deviceId)
  if (home[0]?.id !== deviceId) throw refuse('not found')
  return home
}

/**
 * The devices of a property that the actor sees, with those connected through them, the leading one first. The caller
 * checks access to the property.
 */
export async function devicesOfHome(tx: TenantTx, actor: Actor, propertyId: string): Promise<HomeDevice[]> {
  const own = sql`select id from device where tenant_id = ${tx.tenant} and property_id = ${propertyId}`
  const among = sql<boolean>`id in (
    ${own}
    union select child.id from (${own}) as one join device as child
      on child.tenant_id = ${tx.tenant} and child.parent_id = one.id)`
  return leadingFirst(await devicesAmong(tx, actor, () => among))
}

/** Devices that the actor sees, the named one first, then by serial number. */
async function devicesAmong(
  tx: TenantTx,
  actor: Actor,
  among: (device: ExpressionBuilder<Database, 'device'>) => Expression<SqlBool>,
  first?: string,
): Promise<HomeDevice[]> {
  const rows = await tx
    .selectFrom('device')
    .where('tenant_id', '=', tx.tenant)
    .where(among)
    .orderBy(sql`id is distinct from ${first ?? null}::uuid`)
    .orderBy('serial')
    .limit(telemetryLimits.devices)
    .select([
      'id',
      'name',
      'product',
      'model',
      'monitoring',
      'room',
      'location',
      'power_clamps',
      'status',
      'in_wholesale',
      'access_rights_tag_id',
      'reporting_interval',
      sql`reported->'chMax'`.as('ch_max'),
    ])
    .modifyEnd(prepared)
    .execute()
  return rows.flatMap((row): HomeDevice[] => {
    const { id, product, status, in_wholesale: inWholesale, access_rights_tag_id: tag } = row
    if (!can(actor, 'see device', { product, status, inWholesale, accessRightsTags: tag ? [tag] : [] })) return []
    return [
      {
        id,
        name: row.name,
        product,
        model: row.model,
        monitoring: row.monitoring as Monitoring | null,
        place: row.room ?? row.location,
        clamps: row.power_clamps as Record<string, string> | null,
        reportingInterval: row.reporting_interval,
        chMax: typeof row.ch_max === 'number' ? row.ch_max : null,
      },
    ]
  })
}
