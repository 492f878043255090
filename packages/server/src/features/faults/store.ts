import { sql } from 'kysely'
import type { BoilerFault } from '@caretaker/contract/faults.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { faultIn } from '@caretaker/rules/devices/fault.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import type { KnownFault } from '@caretaker/rules/faults/faults.ts'
import { boilerFaultSources, endedBy } from '@caretaker/rules/faults/faults.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { listResets } from '../commands/store.ts'
import { idsBelow } from '../devices/below.ts'
import { readable } from '../devices/visible.ts'

/** Maximum number of ended faults listed for a device: as many as are kept. */
const mostListed = 500

interface Range {
  from?: Date | undefined
  to?: Date | undefined
}

/** Ids of the autofills connected through a boiler's module, as far as the actor may see them. */
export async function autofillsBelow(tx: TenantTx, actor: Actor, deviceId: string): Promise<string[]> {
  const below = await idsBelow(tx, deviceId)
  if (!below.length) return []
  const autofills = await readable(tx, actor)
    .where(sql<boolean>`device.id = any(${below}::uuid[])`)
    .where('device.product', 'in', productsOfFamily('autofill'))
    .select('device.id')
    .execute()
  return autofills.map(({ id }) => id)
}

/** The faults of these devices within a range, newest first, each with the reset that ended it. */
export async function listFaults(
  tx: TenantTx,
  deviceIds: readonly string[],
  { from, to }: Range,
): Promise<BoilerFault[]> {
  const rows = await tx
    .selectFrom('condition')
    .innerJoin('device', (join) =>
      join.on('device.tenant_id', '=', tx.tenant).onRef('device.id', '=', 'condition.device_id'),
    )
    .select(['condition.id', 'device_id', 'key', 'began_at', 'ended_at', 'evidence', 'serial', 'reported'])
    .where('condition.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`condition.device_id = any(${deviceIds}::uuid[])`)
    .where('kind', '=', 'fault')
    .$if(from !== undefined, (query) =>
      query.where(sql<boolean>`(condition.ended_at is null or condition.ended_at >= ${from}::timestamptz)`),
    )
    .$if(to !== undefined, (query) => query.where('began_at', '<', to!))
    .orderBy('began_at', 'desc')
    .orderBy('condition.id')
    .limit((mostListed + 1) * deviceIds.length)
    .execute()
  if (!rows.length) return []
  const resets = Map.groupBy(await listResets(tx, deviceIds, rows.at(-1)!.began_at), ({ deviceId }) => deviceId)
  return rows.map((row): BoilerFault => {
    const [source, code] = parts(row.key)
    const now = row.ended_at === null ? faultIn(row.reported) : null
    const fault: KnownFault = {
      faultCode: code,
      description: row.evidence.description ?? null,
      timestamp: row.began_at.toISOString(),
      faultSource: boilerFaultSources.find((one) => one === source) ?? 'boiler',
      // For an open fault, the device's last report decides.
      isResettable: (now?.code === code ? now.isResettable : row.evidence.isResettable) ?? false,
      deviceId: row.device_id,
      endedAt: row.ended_at?.toISOString() ?? null,
    }
    const own = resets.get(row.device_id) ?? []
    const reset = endedBy(fault, own)
    return {
      ...fault,
      faultId: row.id,
      serialNumber: row.serial,
      endedByReset: reset !== undefined,
      resetBy: reset?.requestedBy ?? null,
      resets: own.filter(({ createdAt }) => isDuring(fault, createdAt)).length,
    }
  })
}

/** The source and code in the key of a fault condition. */
const parts = (key: string): [string, string] => [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)]

function isDuring({ timestamp, endedAt }: KnownFault, createdAt: Command['createdAt']): boolean {
  const at = Date.parse(createdAt)
  return at >= Date.parse(timestamp) && (endedAt === null || at <= Date.parse(endedAt))
}
