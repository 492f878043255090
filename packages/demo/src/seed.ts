import type pg from 'pg'
import { SettingError } from '@caretaker/server/config.ts'
import type { FileStore } from '@caretaker/server/context.ts'
import { downlinkTokenOwner } from '@caretaker/server/connectors/downlinks.ts'
import { openStore } from '@caretaker/server/files/store.ts'
import { seal } from '@caretaker/server/idp/sealed.ts'
import { makeAllDue } from '@caretaker/server/postgres/due.ts'
import { ensurePartitions } from '@caretaker/server/postgres/partitions.ts'
import { holdsDemo } from '@caretaker/server/world.ts'
import { demoConnections, smallestDemo } from './fixtures.ts'
import { livelyDevices, newConnections, newKeys, writeFleet } from './fleet.ts'
import type { FleetConnection } from '@caretaker/contract/mqtt/fleet.ts'
import { day } from './plan/device.ts'
import { tenantPlans, worldOf } from './plan/tenants.ts'
import { seedAlerts } from './rooms/alerts.ts'
import { seedBuildings } from './rooms/buildings.ts'
import { seedCommands } from './rooms/commands.ts'
import { seedDevices } from './rooms/devices.ts'
import { seedEquipment, seedStandardLuminaires } from './rooms/equipment.ts'
import { seedCompliance } from './rooms/compliance.ts'
import { seedEvents } from './rooms/events.ts'
import { longestHistory } from './rooms/history.ts'
import { seedGroups } from './rooms/groups.ts'
import { seedDeviceLicences, seedLicences } from './rooms/licences.ts'
import { seedConditions } from './rooms/conditions.ts'
import { seedConnections } from './rooms/connections.ts'
import { seedIntegrations } from './rooms/integrations.ts'
import { seedLighting } from './rooms/lighting.ts'
import { seedMaintenance } from './rooms/maintenance.ts'
import { seedMessages } from './rooms/messages.ts'
import { seedMembers, seedPersons } from './rooms/people.ts'
import { seedPhotographs } from './rooms/photographs.ts'
import { seedProperties } from './rooms/properties.ts'
import { seedResidents } from './rooms/residents.ts'
import { seedTags } from './rooms/tags.ts'
import { seedTelemetry } from './rooms/telemetry.ts'
import { seedClients, seedFlags } from './rooms/tenants.ts'
import type { DeviceSeeder, Seeder, Seeding } from './seeding.ts'
import { writerOf } from './seeding.ts'

/** The seeders of a tenant, ordered so that referenced rows are written first. */
const seeders: readonly Seeder[] = [
  seedFlags,
  seedTags,
  seedStandardLuminaires,
  seedMembers,
  seedBuildings,
  seedProperties,
  seedLicences,
  seedPhotographs,
  seedResidents,
  seedIntegrations,
  seedConnections,
]
/** The seeders of device data, starting with the devices. */
const deviceSeeders: readonly DeviceSeeder[] = [
  seedDevices,
  seedDeviceLicences,
  seedEvents,
  seedTelemetry,
  seedLighting,
  seedGroups,
  seedEquipment,
  seedConditions,
  seedCommands,
  seedMaintenance,
  seedCompliance,
  seedMessages,
  seedAlerts,
]
/** The number of devices in a batch, so that a demo with a hundred thousand devices is never in memory as a whole. */
const devicesAtOnce = 5000

export interface SeedOptions {
  /** The owner of the tables, who need not be able to bypass row security. */
  owner: pg.Pool
  /** The number of devices of the largest tenant; the other tenants' sizes follow from it. */
  devices: number
  /** All times of the demo are relative to this one. */
  now: Date
  /** The issuer of the embedded identity provider's accounts; see the configuration. */
  issuer: string
  /** The folder for the fleet file, and for uploaded files unless another store is configured. */
  dataDir: string
  files?: FileStore
  /** The longest history of readings in days; tests need fewer. */
  historyDays?: number
}

/**
 * Fills an empty database with the demo, and writes the fleet file. An interrupted seed leaves nothing behind. Throws a
 * SettingError for a database with other data.
 */
export async function seedDemo(options: SeedOptions): Promise<void> {
  const { owner, now, devices } = options
  if (devices < smallestDemo)
    throw new SettingError(`The demo world needs ${smallestDemo} devices at least: set CARETAKER_DEMO_DEVICES.`)
  await ensurePartitions(owner, now, new Date(now.getTime() - longestHistory * day))
  const lively = livelyDevices(devices, now.getTime())
  const keys = newKeys(lively)
  const connections = newConnections()
  const downlinkTokens = await sealTokens(owner, connections)
  const tables = new Set(['tenant', 'person', 'series', 'point', 'hourly'])
  const client = await owner.connect()
  try {
    await client.query('begin')
    if (await write(client, options, { keys, connections, downlinkTokens }, tables)) {
      await client.query('commit')
      writeFleet(options.dataDir, lively, { keys, connections })
    } else await client.query('rollback')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
  // The first users must not have to wait for the planner's statistics, nor for autovacuum, which would rewrite all
  // tables in the first minutes.
  await owner.query(`vacuum (analyze) ${[...tables].join(', ')}`)
}

/** The tokens with which connections send downlinks, encrypted with the key of the installation. */
async function sealTokens(owner: pg.Pool, connections: readonly FleetConnection[]): Promise<Map<string, string>> {
  const sealed = new Map<string, string>()
  for (const { connectionId, apiToken } of connections)
    if (apiToken !== undefined) {
      const of = downlinkTokenOwner({ tenant: demoConnections.tenant, id: connectionId })
      sealed.set(connectionId, await seal(owner, of, Buffer.from(apiToken)))
    }
  return sealed
}

/** Writes everything in the client's transaction; false when another process was faster. */
async function write(
  client: pg.PoolClient,
  options: SeedOptions,
  given: Pick<Seeding, 'keys' | 'connections' | 'downlinkTokens'>,
  tables: Set<string>,
): Promise<boolean> {
  const { now, devices, issuer, historyDays = longestHistory, dataDir } = options
  const { files = openStore({ filesUrl: undefined, dataDir }) } = options
  await client.query(`select pg_advisory_xact_lock(hashtext('caretaker demo'))`)
  if (await holdsDemo(client)) return false
  const { rowCount: others } = await client.query('select from tenant limit 1')
  if (others)
    throw new SettingError(
      'The database already holds clients of its own: set CARETAKER_DEMO=off, or use an empty database for the demo.',
    )
  // Sorting and hashing whole tables is rare here and justifies the memory; the log need not be synchronous.
  await client.query(`set local work_mem = '64MB'; set local synchronous_commit = off`)
  await seedClients(client, now)
  await seedPersons(client, issuer, now)
  for (const plan of tenantPlans) {
    await client.query(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${plan.id}'`)
    const world = worldOf(plan, devices, now.getTime())
    await makeAllDue(client, plan.id)
    const seeding = {
      ...{ ...given, client, world, historyDays, files, now: now.getTime() },
      write: writerOf(client, plan.id, tables),
    }
    for (const seed of seeders) await seed(seeding)
    let from = 0
    for (const some of chunked(world.devices(), devicesAtOnce)) {
      for (const seed of deviceSeeders) await seed(seeding, some, from)
      from += some.length
    }
  }
  return true
}

function* chunked<T>(items: Iterable<T>, size: number): Iterable<T[]> {
  let chunk: T[] = []
  for (const item of items) {
    chunk.push(item)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length) yield chunk
}
