import { hash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { Fleet, type FleetDevice } from '@caretaker/contract/mqtt/fleet.ts'
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

/**
 * The devices that the simulator runs: those with a story, and in a demo that is not too large all other connected ones.
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

export function writeFleet(dataDir: string, devices: readonly DemoDevice[], keys: Keys): Fleet {
  const known = new Set(devices.map((device) => device.id))
  const fleet: Fleet = Fleet.parse({
    devices: devices
      .filter((device) => keys.has(device.id) || !device.life!.connects)
      .map((device) => member(device, keys, known)),
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
  /** Devices of the largest tenant when the demo was seeded. Devices that do not fit are left out. */
  devices: number
  dataDir: string
}

/**
 * Makes sure that the fleet file exists and that its keys match the database; otherwise gives the devices new keys. Devices that
 * were deleted or moved since the demo was seeded, or whose key was replaced or revoked, are left out. Returns the ids of the quiet
 * devices.
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
  if (fits(before, routes)) return quietOf(before)
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
    keys,
  )
  return quietOf(fleet)
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

function fits(fleet: Fleet | undefined, routes: Map<string, { hash: Buffer | null }>): fleet is Fleet {
  return (
    fleet !== undefined &&
    fleet.devices.every(({ deviceId, password }) => {
      const known = routes.get(deviceId)
      return known && (password === null || known.hash?.equals(keyHash(password)))
    })
  )
}
