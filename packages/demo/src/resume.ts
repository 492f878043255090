import type pg from 'pg'
import type { DemoTenant } from './fixtures.ts'
import { ensureFleet } from './fleet.ts'
import { minute } from './plan/device.ts'
import { tenantPlans } from './plan/tenants.ts'

export interface ResumeOptions {
  owner: pg.Pool
  /** Devices of the largest tenant. */
  devices: number
  now: Date
  dataDir: string
}

/** Prepares an existing demo for another start. */
export async function resumeDemo({ owner, devices, now, dataDir }: ResumeOptions): Promise<void> {
  const quiet = await ensureFleet({ owner, devices, dataDir })
  for (const { id } of tenantPlans) await markAsHeard(owner, id, { quiet, now })
}

/**
 * Skips the time during which the demo was stopped, for quiet devices and those that are not simulated: devices that
 * reported shortly before the stop count as having just reported. A device without its own or its parent's key cannot
 * be real.
 *
 * @param quiet ids of the devices that the simulator only keeps connected
 */
async function markAsHeard(
  owner: pg.Pool,
  tenant: DemoTenant,
  { quiet: kept, now }: { quiet: string[]; now: Date },
): Promise<void> {
  const client = await owner.connect()
  try {
    await client.query('begin')
    await client.query(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${tenant}'`)
    const { rows: quiet } = await client.query<{ id: string; heard: Date | null; drops: Date[] }>(
      `select link.device_id as id, heard_at as heard, drops
       from device_link as link
       join device_route as route on route.device_id = link.device_id and route.key_revoked_at is null and route.uninstalled_at is null
       left join device_route as parent on parent.device_id = route.parent_id
       where link.tenant_id = $1
         and (link.device_id = any($2::uuid[]) or route.key_hash is null and parent.key_hash is null)`,
      [tenant, kept],
    )
    const last = Math.max(...quiet.map(({ heard }) => heard?.getTime() ?? -Infinity))
    const still = now.getTime() - last
    if (still > 10 * minute && Number.isFinite(still)) {
      const later = (at: Date) => new Date(at.getTime() + still)
      const heard = quiet.map(({ id, ...link }) => ({
        device_id: id,
        heard_at: link.heard && later(link.heard),
        drops: link.drops.map(later),
      }))
      await client.query(
        `update device_link as link set heard_at = given.heard_at, drops = given.drops
         from jsonb_to_recordset($2::jsonb) as given (device_id uuid, heard_at timestamptz, drops timestamptz[])
         where link.tenant_id = $1 and link.device_id = given.device_id`,
        [tenant, JSON.stringify(heard)],
      )
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}
