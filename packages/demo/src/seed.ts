import type pg from 'pg'
import { SettingError } from '@caretaker/server/config.ts'
import type { FileStore } from '@caretaker/server/context.ts'
import { openStore } from '@caretaker/server/files/store.ts'
import { makeAllDue } from '@caretaker/server/postgres/due.ts'
import { ensurePartitions } from '@caretaker/server/postgres/partitions.ts'
import { holdsDemo } from '@caretaker/server/world.ts'
import { smallestDemo } from './fixtures.ts'
import { livelyDevices, newKeys, writeFleet, type Keys } from './fleet.ts'
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
import type { DeviceSeeder, Seeder } from './seeding.ts'
import { writerOf } from './seeding.ts'

/** What a tenant has, in the order in which the tables need each other. */
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
]
/** What hangs on devices, the devices first. */
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
/** So many devices at a time: the world of a hundred thousand never stands in memory whole. */
const devicesAtOnce = 5000

export interface SeedOptions {
  /** The owner of the tables; it need not be able to pass row security. */
  owner: pg.Pool
  /** Devices of the largest tenant; the others follow. */
  devices: number
  /** All times of the world are relative to this one. */
  now: Date
  /** The name under which the embedded provider's people are kept; see the configuration. */
  issuer: string
  /** Where the simulator's file goes, and the files of records unless another store is named. */
  dataDir: string
  files?: FileStore
  /** Days that readings go back at most; tests need fewer than people. */
  historyDays?: number
}

/**
 * Fills an empty database with the demo world, and writes the simulator's file. An interrupted seed leaves nothing
 * behind. Throws a SettingError for a database that is somebody's own.
 */
export async function seedDemo(options: SeedOptions): Promise<void> {
  const { owner, now, devices } = options
  if (devices < smallestDemo)
    throw new SettingError(`The demo world needs ${smallestDemo} devices at least: set CARETAKER_DEMO_DEVICES.`)
  await ensurePartitions(owner, now, new Date(now.getTime() - longestHistory * day))
  const lively = livelyDevices(devices, now.getTime())
  const keys = newKeys(lively)
  const tables = new Set(['tenant', 'person', 'series', 'point', 'hourly'])
  const client = await owner.connect()
  try {
    await client.query('begin')
    if (await write(client, options, keys, tables)) {
      await client.query('commit')
      writeFleet(options.dataDir, lively, keys)
    } else await client.query('rollback')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
  // The first people must not wait for the planner to learn what is there, nor for the disk while the database tidies tables by itself:
  // within their first minutes it would write all of them once more.
  await owner.query(`vacuum (analyze) ${[...tables].join(', ')}`)
}

/** Writes everything in the transaction of the client; false when another process was quicker. */
async function write(client: pg.PoolClient, options: SeedOptions, keys: Keys, tables: Set<string>): Promise<boolean> {
  const { now, devices, issuer, historyDays = longestHistory, dataDir } = options
  const { files = openStore({ filesUrl: undefined, dataDir }) } = options
  await client.query(`select pg_advisory_xact_lock(hashtext('caretaker demo'))`)
  if (await holdsDemo(client)) return false
  const { rowCount: others } = await client.query('select from tenant limit 1')
  if (others)
    throw new SettingError(
      'The database already holds clients of its own: set CARETAKER_DEMO=off, or use an empty database for the demo.',
    )
  // Sorting and hashing whole tables is rare here and worth the memory for once; nobody waits for this log.
  await client.query(`set local work_mem = '64MB'; set local synchronous_commit = off`)
  await seedClients(client, now)
  await seedPersons(client, issuer, now)
  for (const plan of tenantPlans) {
    await client.query(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${plan.id}'`)
    const world = worldOf(plan, devices, now.getTime())
    await makeAllDue(client, plan.id)
    const seeding = {
      ...{ client, world, keys, historyDays, files, now: now.getTime() },
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
