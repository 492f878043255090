import { hash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { Fleet, type FleetConnection, type FleetDevice } from '@caretaker/contract/mqtt/fleet.ts'
import { connectionKeyPrefix } from '@caretaker/rules/connections/connections.ts'
import { newKey } from '@caretaker/server/identity/secret-keys.ts'
import { demoId } from './chance.ts'
import { demoConnections } from './fixtures.ts'
import type { DemoDevice } from './plan/device.ts'
import { livelyDevicesOf, tenantPlans } from './plan/tenants.ts'

/** Keys by device id. Devices use the key itself; the database stores only its hash. */
export type Keys = Map<string, string>

export function keyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

/** A new random key for every device that connects itself, so that no two demos share keys. */
export function newKeys(devices: Iterable<DemoDevice>): Keys {
  const keys: Keys = new Map()
  for (const device of devices) if (device.life?.connects) keys.set(device.id, randomBytes(24).toString('base64url'))
  return keys
}

const minutes = 60
/** [DevEUI or IEEE address, name, model] */
const sensorsOf = {
  chirpstack: [
    ['24E124136B000101', 'Flat 3 bedroom', 'EM300-TH'],
    ['24E124136B000102', 'Flat 3 bathroom', 'EM300-TH'],
    ['24E124136B000103', 'Flat 7 thermostat', 'WT201'],
    ['24E124136B000104', 'Plant room door', 'WS301'],
  ],
  zigbee2mqtt: [
    ['0x00124b0029f10a01', 'office/thermometer', 'SNZB-02D'],
    ['0x00124b0029f10a02', 'office/window', 'SNZB-04'],
  ],
} as const

/** The connections of a new demo, with new random keys. */
export function newConnections(): FleetConnection[] {
  return (['chirpstack', 'zigbee2mqtt'] as const).map((kind) => ({
    connectionId: demoId(`${demoConnections.tenant} ${kind}`),
    kind,
    key: newKey(connectionKeyPrefix),
    ...(kind === 'chirpstack' && { apiToken: demoConnections.apiToken }),
    sensors: sensorsOf[kind].map(([deviceKey, name, model]) => ({
      ...{ deviceKey, name, model },
      // New users who change a set point wait for the next message.
      reportingInterval: (model === 'WT201' ? 1 : 10) * minutes,
    })),
  }))
}

/**
 * The devices that the simulator runs: those with a scenario and, in a demo that is not too large, all other connected
 * ones.
 *
 * @param devices of the largest tenant
 * @param now when the demo was seeded, in ms since the epoch
 */
export function livelyDevices(devices: number, now: number): DemoDevice[] {
  return tenantPlans.flatMap((plan) => livelyDevicesOf(plan, devices, now))
}

/** The path of the simulator's fleet file. */
export function fleetFile(dataDir: string): string {
  return path.join(dataDir, 'simulator-fleet.json')
}

export function writeFleet(
  dataDir: string,
  devices: readonly DemoDevice[],
  { keys, connections }: { keys: Keys; connections: readonly FleetConnection[] },
): Fleet {
  const known = new Set(devices.map((device) => device.id))
  const fleet: Fleet = Fleet.parse({
    devices: devices
      .filter((device) => keys.has(device.id) || !device.life!.connects)
      .map((device) => member(device, keys, known)),
    connections,
  })
  const file = fleetFile(dataDir)
  // Without an embedded database the folder may not exist yet.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${file}.draft`
  writeFileSync(draft, `${JSON.stringify(fleet, null, 1)}\n`, { mode: 0o600 })
  renameSync(draft, file)
  return fleet
}

function member(device: DemoDevice, keys: Keys, known: Set<string>): FleetDevice {
  const { life, place } = device
  return {
    deviceId: device.id,
    serial: device.serial,
    product: device.product,
    username: device.id,
    password: keys.get(device.id) ?? null,
    reportingInterval: life!.interval,
    parentId: device.parentId && known.has(device.parentId) ? device.parentId : null,
    model: life!.model,
    ...(life!.isQuiet && { isQuiet: true }),
    ...(device.story && { story: device.story }),
    traits: {
      home: device.home,
      ...(place && { latitude: place.latitude, longitude: place.longitude }),
      ...device.traits,
    },
  }
}

interface FleetOptions {
  owner: pg.Pool
  /** The number of devices of the largest tenant when the demo was seeded. Devices beyond this number are left out. */
  devices: number
  dataDir: string
}

/**
 * Makes sure that the fleet file exists and that its keys match the database; otherwise gives the devices new keys.
 * Devices that were deleted or moved since the demo was seeded, or whose key was replaced or revoked, are left out.
 * Returns the ids of the quiet devices.
 */
export async function ensureFleet({ owner, devices: size, dataDir }: FleetOptions): Promise<string[]> {
  const { rows: tenants } = await owner.query<{ created_at: Date }>(
    `select created_at from tenant where id = 'northgate'`,
  )
  const devices = livelyDevices(size, tenants[0]!.created_at.getTime())
  const { rows } = await owner.query<{ id: string; parent: string | null; hash: Buffer | null }>(
    `select device_id as id, parent_id as parent, key_hash as hash from device_route
     where device_id = any($1) and key_made_at is null and key_revoked_at is null`,
    [devices.map((device) => device.id)],
  )
  const routes = new Map(rows.map((row) => [row.id, row]))
  const before = readFleet(dataDir)
  const known = await connectionsOfDemo(owner)
  if (fits(before, routes, known)) return quietOf(before)
  const kept = devices.filter((device) => routes.get(device.id)?.parent === device.parentId)
  const keys = newKeys(kept)
  await owner.query(
    `update device_route set key_hash = given.hash
     from unnest($1::uuid[], $2::bytea[]) as given (id, hash) where device_id = given.id`,
    [[...keys.keys()], [...keys.values()].map(keyHash)],
  )
  // Devices whose gateway is missing are left out.
  const fleet = writeFleet(
    dataDir,
    kept.filter((device) => device.life!.connects || keys.has(device.parentId!)),
    { keys, connections: await renewConnections(owner, known) },
  )
  return quietOf(fleet)
}

/** The hashes of the demo's connections whose keys no user has replaced, by id. */
async function connectionsOfDemo(owner: pg.Pool): Promise<Map<string, Buffer>> {
  const ids = newConnections().map(({ connectionId }) => connectionId)
  const rows = await inDemoTenant(owner, async (client) => {
    const found = await client.query<{ id: string; hash: Buffer }>(
      `select id, key_hash as hash from connection
       join connection_route on connection_route.connection_id = connection.id
       where connection.tenant_id = $1 and id = any($2) and key_created_at = created_at and key_hash is not null`,
      [demoConnections.tenant, ids],
    )
    return found.rows
  })
  return new Map(rows.map(({ id, hash: stored }) => [id, stored]))
}

/** Gives connections new keys. */
async function renewConnections(owner: pg.Pool, known: ReadonlyMap<string, Buffer>): Promise<FleetConnection[]> {
  const renewed = newConnections().filter(({ connectionId }) => known.has(connectionId))
  await inDemoTenant(owner, async (client) => {
    for (const { connectionId, key } of renewed) {
      await client.query('update connection_route set key_hash = $2 where connection_id = $1', [
        connectionId,
        keyHash(key),
      ])
      await client.query('update connection set key_ending = $3 where tenant_id = $1 and id = $2', [
        ...[demoConnections.tenant, connectionId, key.slice(-4)],
      ])
    }
  })
  return renewed
}

async function inDemoTenant<T>(owner: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await owner.connect()
  try {
    await client.query('begin')
    await client.query(
      `set local citus.propagate_set_commands = 'local'; set local app.tenant = '${demoConnections.tenant}'`,
    )
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}

const quietOf = ({ devices }: Fleet) => devices.filter(({ isQuiet }) => isQuiet).map(({ deviceId }) => deviceId)

function readFleet(dataDir: string): Fleet | undefined {
  try {
    return Fleet.parse(JSON.parse(readFileSync(fleetFile(dataDir), 'utf8')))
  } catch {
    // A missing, truncated or outdated file is written again.
    return undefined
  }
}

function fits(
  fleet: Fleet | undefined,
  routes: Map<string, { hash: Buffer | null }>,
  connections: ReadonlyMap<string, Buffer>,
): fleet is Fleet {
  return (
    fleet !== undefined &&
    fleet.connections.every(({ connectionId, key }) => connections.get(connectionId)?.equals(keyHash(key))) &&
    fleet.devices.every(({ deviceId, password }) => {
      const known = routes.get(deviceId)
      return known && (password === null || known.hash?.equals(keyHash(password)))
    })
  )
}
