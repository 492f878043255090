import type pg from 'pg'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { type DemoTenant, demoPassword, demoPeople, demoTenants, smallestDemo } from '@caretaker/contract/demo.ts'
import { SettingError } from '../config.ts'
import { hashPassword } from '../idp/password.ts'
import { ensurePartitions } from '../postgres/partitions.ts'
import { demoId } from './chance.ts'
import { writeRows } from './copy.ts'
import { day } from './device.ts'
import { ensureFleet, livelyDevices, newKeys, writeFleet, type Keys } from './fleet.ts'
import { longestHistory } from './history.ts'
import { licenceColumns, licencesOf } from './licences.ts'
import { accessRightsTagId, tenantPlans, worldOf, type TenantWorld } from './tenants.ts'
import { writeDevices } from './write-devices.ts'

export { ensureFleet }

export interface SeedOptions {
  /** The owner of the tables; it need not be able to pass row security. */
  owner: pg.Pool
  /** Devices of the largest tenant; the others follow. */
  devices: number
  /** All times of the world are relative to this one. */
  now: Date
  /** The name under which the embedded provider's people are kept; see the configuration. */
  issuer: string
  /** Where the simulator's file goes. */
  dataDir: string
  /** Days that readings go back at most; tests need fewer than people. */
  historyDays?: number
  log?: (line: string) => void
}

const accountId = (email: string) => demoId(`account ${email}`)
const personId = (email: string) => demoId(`person ${email}`)

/** Whether the database holds the demo world, whole: it is written in one transaction. */
export async function isSeeded(owner: pg.Pool | pg.ClientBase): Promise<boolean> {
  const { rows } = await owner.query<{ found: boolean }>(
    'select exists (select from idp.account where id = $1) as found',
    [accountId(demoPeople[0]!.email)],
  )
  return rows[0]!.found
}

/**
 * Fills an empty database with the demo world, and writes the simulator's file. An interrupted seed leaves nothing
 * behind. Throws a SettingError for a database that is somebody's own.
 */
export async function seedDemo(options: SeedOptions): Promise<void> {
  const { owner, now, devices, log = () => {} } = options
  if (devices < smallestDemo)
    throw new SettingError(`The demo world needs ${smallestDemo} devices at least: set CARETAKER_DEMO_DEVICES.`)
  await ensurePartitions(owner, now, new Date(now.getTime() - longestHistory * day))
  const lively = livelyDevices(now.getTime())
  const keys = newKeys(lively)
  const client = await owner.connect()
  try {
    await client.query('begin')
    if (await write(client, options, keys)) {
      await client.query('commit')
      writeFleet(options.dataDir, lively, keys)
    } else await client.query('rollback')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
  // The first people must not wait for the planner to learn what is there.
  await owner.query(`analyze ${tables.join(', ')}`)
  // Listings are read from indexes alone once the table is known to be tidy.
  await owner.query('vacuum device')
  log('Analysed')
}

const tables = [
  'tenant',
  'person',
  'membership',
  'tag',
  'building',
  'floor',
  'property',
  'device',
  'device_tag',
  'device_link',
  'device_route',
  'series',
  'point',
  'hourly',
  'event',
  'emergency_test',
  'licence',
]

/** Writes everything in the transaction of the client; false when another process was quicker. */
async function write(client: pg.PoolClient, options: SeedOptions, keys: Keys): Promise<boolean> {
  const { now, devices, historyDays = longestHistory, log = () => {} } = options
  await client.query(`select pg_advisory_xact_lock(hashtext('caretaker demo'))`)
  if (await isSeeded(client)) return false
  const { rowCount: others } = await client.query('select from tenant limit 1')
  if (others)
    throw new SettingError(
      'The database already holds clients of its own: set CARETAKER_DEMO=off, or use an empty database for the demo.',
    )
  // Sorting and hashing whole tables is rare here and worth the memory for once; nobody waits for this log.
  await client.query(`set local work_mem = '64MB'; set local synchronous_commit = off`)
  await writePeople(client, options)
  for (const plan of tenantPlans) {
    await client.query(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${plan.id}'`)
    const world = worldOf(plan, devices, now.getTime())
    await writeTenant(client, world, now)
    const written = await writeDevices(client, world, keys, now.getTime(), historyDays)
    log(`${demoTenants[plan.id]}: ${written.devices} devices, ${written.points} readings, ${written.tests} tests`)
  }
  return true
}

async function writePeople(client: pg.PoolClient, { issuer, now }: SeedOptions): Promise<void> {
  await writeRows(
    client,
    'tenant',
    ['id', 'display_name', 'contacts', 'created_at'],
    tenantPlans.map((plan) => [plan.id, demoTenants[plan.id], plan.contacts, now]),
  )
  await writeRows(
    client,
    'person',
    ['id', 'issuer', 'subject', 'email', 'email_verified', 'name', 'created_at'],
    demoPeople.map(({ email, name }) => [personId(email), issuer, accountId(email), email, true, name, now]),
  )
  // One hash for all of them: the password is published anyway.
  const hash = await hashPassword(demoPassword)
  await writeRows(
    client,
    'idp.account',
    ['id', 'email', 'name', 'password_hash', 'email_verified', 'created_at'],
    demoPeople.map(({ email, name }) => [accountId(email), email, name, hash, true, now]),
  )
}

async function writeTenant(client: pg.PoolClient, { plan, buildings, properties }: TenantWorld, now: Date) {
  const { id } = plan
  const tagId = accessRightsTagId(id)
  const write = (table: string, columns: string[], rows: Parameters<typeof writeRows>[3]) =>
    writeRows(client, table, ['tenant_id', ...columns], rows)
  await write(
    'tenant_feature',
    ['feature'],
    plan.features.map((feature) => [id, feature]),
  )
  await write(
    'tenant_capability',
    ['capability'],
    plan.capabilities.map((capability) => [id, capability]),
  )
  await write(
    'access_rights_tag',
    ['id', 'display_name', 'protected'],
    plan.accessRightsTags.map((name) => [id, tagId(name), name, name === 'Default']),
  )
  await write(
    'tag',
    ['id', 'name'],
    plan.tags.map((name) => [id, demoId(`${id} tag ${name}`), name]),
  )
  await write(
    'alert_definition',
    [
      'id',
      'tag_id',
      'delay',
      'delay_unit',
      'notification_type',
      'notification_target',
      'trigger_type',
      'trigger_condition',
    ],
    plan.alerts.map(({ tag, delay, delayUnit, target, trigger, condition }) => [
      id,
      demoId(`${id} alert ${tag} ${trigger}`),
      demoId(`${id} tag ${tag}`),
      delay,
      delayUnit,
      target ? 'EMAIL' : 'NONE',
      target ?? '',
      trigger,
      condition,
    ]),
  )
  await write(
    'membership',
    ['id', 'person_id', 'email', 'name', 'role', 'tag_ids', 'created_at'],
    demoPeople
      .filter(({ roles }) => roles[id])
      .map(({ email, name, roles, carries }) => {
        const tags = carries ? `{${tagId(carries)}}` : '{}'
        return [id, demoId(`${id} membership ${email}`), personId(email), email, name, roles[id]!, tags, now]
      }),
  )
  await write(
    'building',
    ['id', 'name', 'address', 'postcode', 'latitude', 'longitude'],
    buildings.map((building) => [
      id,
      building.id,
      building.name,
      building.address,
      building.postcode,
      building.latitude,
      building.longitude,
    ]),
  )
  await write(
    'floor',
    ['id', 'building_id', 'number', 'name'],
    buildings.flatMap((building) =>
      building.floors.map((floor) => [id, floor.id, building.id, floor.number, floor.name]),
    ),
  )
  await write(
    'property',
    [
      'id',
      'reference',
      'address1',
      'town',
      'county',
      'postcode',
      'latitude',
      'longitude',
      'void_flag',
      'access_rights_tag_id',
    ],
    properties.map((property) => [
      id,
      property.id,
      property.reference,
      property.line,
      property.town,
      property.county,
      property.postcode,
      property.latitude,
      property.longitude,
      property.isVoid ? 'Void' : 'NotVoid',
      property.patch && tagId(property.patch),
    ]),
  )
  if (plan.features.includes('ManagedService'))
    await write(
      'licence',
      licenceColumns,
      Array.from(licencesOf(id, properties, dayAt(now.getTime(), 'Europe/London')), (row) => [id, ...row]),
    )
}

export interface ResumeOptions {
  owner: pg.Pool
  now: Date
  dataDir: string
}

/** Makes a demo that was seeded earlier ready for another start. */
export async function resumeDemo({ owner, now, dataDir }: ResumeOptions): Promise<void> {
  await ensureFleet({ owner, dataDir })
  for (const { id } of tenantPlans) await hearAgain(owner, id, now)
}

/**
 * Lets the time that the demo stood still pass by for the devices that nobody plays: those that were heard shortly before
 * its end were heard just now. Without a key and without a parent that has one, none of them can be a real device.
 */
async function hearAgain(owner: pg.Pool, tenant: DemoTenant, now: Date): Promise<void> {
  const client = await owner.connect()
  try {
    await client.query('begin')
    await client.query(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${tenant}'`)
    await client.query(
      `with quiet as (
         select link.device_id, heard_at, drops
         from device_link as link
         join device_route as route on route.device_id = link.device_id and route.key_hash is null
         left join device_route as parent on parent.device_id = route.parent_id
         where link.tenant_id = $1 and parent.key_hash is null
       ), stood as (select $2::timestamptz - max(heard_at) as still from quiet)
       update device_link as link set
         heard_at = quiet.heard_at + still,
         drops = array(select at + still from unnest(quiet.drops) as drop (at))
       from quiet, stood
       where link.tenant_id = $1 and link.device_id = quiet.device_id and still > interval '10 minutes'`,
      [tenant, now],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}
