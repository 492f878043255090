import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { topic, upChannels } from '@caretaker/contract/mqtt/topics.ts'
import { admissionRefusal } from '@caretaker/rules/devices/keys.ts'
import { saltOf } from './device-keys.ts'
import { isHashOf, mosquittoHash, saltIn } from './mosquitto-password.ts'
import type { ingestUserOf } from './permissions.ts'
import { deviceIdShape } from './sign-in.ts'

/** The contents of mosquitto's password and access control files. */
export interface MosquittoFiles {
  passwords: string
  acl: string
}

export interface MosquittoAccess extends MosquittoFiles {
  /** Devices with a password in the file. */
  devices: number
  /** Devices whose keys were made by an earlier version: their passwords are not known to the file. */
  withoutHash: string[]
}

interface Row {
  deviceId: string
  tenant: string
  parentId: string | null
  keyHash: Buffer | null
  mosquittoHash: string | null
  isUninstalled: boolean
  isRevoked: boolean
}

/** What follows this line in the access control file is replaced; what precedes it belongs to the operator. */
const marker = '# Written by caretaker mqtt export-acl: changes below this line are lost.'
/** Routes read by one statement. */
const atOnce = 10_000

/**
 * The files that let an external mosquitto decide as the embedded broker does. Users in the current files that are not
 * devices stay. A device whose key has no hash for mosquitto keeps its current line if it was added by hand.
 */
export async function mosquittoAccess(
  owner: pg.Pool,
  ingest: ReturnType<typeof ingestUserOf>,
  present: MosquittoFiles,
): Promise<MosquittoAccess> {
  const routes = await readRoutes(owner)
  const before = new Map(linesOf(present.passwords).map((line) => [userOf(line), line]))
  const refused = refusedIn(routes)
  const lines = [...before].filter(([user]) => !deviceIdShape.test(user) && user !== ingest?.username)
  if (ingest)
    lines.unshift([ingest.username, `${ingest.username}:${hashOf(ingest.password, before.get(ingest.username))}`])
  const withoutHash: string[] = []
  let devices = 0
  for (const { deviceId, keyHash, mosquittoHash: hash } of routes.values()) {
    if (!keyHash || refused.has(deviceId)) continue
    const isOfThisKey = hash !== null && saltIn(hash)?.equals(saltOf(keyHash))
    const line = isOfThisKey ? `${deviceId}:${hash}` : hash === null ? byHand(before.get(deviceId)) : undefined
    if (line === undefined) withoutHash.push(deviceId)
    else {
      devices++
      lines.push([deviceId, line])
    }
  }
  return {
    passwords: lines.map(([, line]) => `${line}\n`).join(''),
    acl: [...ownPart(present.acl), marker, ...aclLines(routes, refused, ingest?.username)]
      .map((line) => `${line}\n`)
      .join(''),
    devices,
    withoutHash,
  }
}

function* aclLines(
  routes: ReadonlyMap<string, Row>,
  refused: ReadonlySet<string>,
  ingest: string | undefined,
): Generator<string> {
  for (const channel of upChannels) yield `pattern write ${topic('%u', channel)}`
  yield `pattern read ${topic('%u', 'commands')}`
  if (ingest !== undefined) {
    yield `user ${ingest}`
    for (const channel of upChannels) yield `topic read ${topic('+', channel)}`
    yield `topic write ${topic('+', 'commands')}`
  }
  const children = Map.groupBy(
    [...routes.values()].filter(({ deviceId, parentId }) => parentId !== null && !refused.has(deviceId)),
    ({ parentId }) => parentId!,
  )
  for (const [parentId, served] of children) {
    const parent = routes.get(parentId)
    if (!parent?.keyHash || refused.has(parentId)) continue
    yield `user ${parentId}`
    for (const { deviceId, tenant } of served) {
      if (tenant !== parent.tenant) continue
      for (const channel of upChannels) yield `topic write ${topic(deviceId, channel)}`
      yield `topic readwrite ${topic(deviceId, 'commands')}`
    }
  }
}

/** The devices whose messages the embedded broker would refuse. */
function refusedIn(routes: ReadonlyMap<string, Row>): Set<string> {
  const isRefused = ({ keyHash, parentId, tenant, isUninstalled, isRevoked }: Row) => {
    const gateway = routes.get(parentId ?? '')
    const isGatewayRefused = gateway?.tenant === tenant && (gateway.isUninstalled || gateway.isRevoked)
    return admissionRefusal({ hasKey: keyHash !== null, isUninstalled, isRevoked, isGatewayRefused }) !== undefined
  }
  return new Set([...routes.values()].filter(isRefused).map(({ deviceId }) => deviceId))
}

async function readRoutes(owner: pg.Pool): Promise<Map<string, Row>> {
  const routes = new Map<string, Row>()
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const { rows } = await owner.query<Row>(
      `select device_id as "deviceId", tenant_id as tenant, parent_id as "parentId", key_hash as "keyHash",
         mosquitto_hash as "mosquittoHash", uninstalled_at is not null as "isUninstalled",
         key_revoked_at is not null as "isRevoked"
       from device_route where device_id > $1 order by device_id limit $2`,
      [after, atOnce],
    )
    for (const row of rows) routes.set(row.deviceId, row)
    if (rows.length < atOnce) return routes
    after = rows.at(-1)!.deviceId
  }
}

/** A line that this program did not write: one of its own, of a device without a hash, belongs to a former key. */
const byHand = (line: string | undefined) => (line?.includes(':$7$1$') ? undefined : line)

/** A password's hash has a random salt: the current hash is kept if it matches. */
function hashOf(password: string, line: string | undefined): string {
  const present = line?.slice(line.indexOf(':') + 1)
  return present && isHashOf(present, password) ? present : mosquittoHash(password, randomBytes(12), iterations)
}
/** As many as `mosquitto_passwd` uses: this password was chosen by a person. */
const iterations = 101

function ownPart(acl: string): string[] {
  const lines = acl.split('\n')
  const end = lines.indexOf(marker)
  const own = end < 0 ? lines : lines.slice(0, end)
  return own.slice(0, own.findLastIndex((line) => line.trim() !== '') + 1)
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.includes(':'))
const userOf = (line: string) => line.slice(0, line.indexOf(':'))
