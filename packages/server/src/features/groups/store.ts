import { sql } from 'kysely'
import type { GroupDetails, GroupRow, TenantEmered } from '@caretaker/contract/groups.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import { displayGroups } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { TestedGroup } from '@caretaker/rules/lighting/collisions.ts'
import { groupKey } from '@caretaker/rules/lighting/groups.ts'
import { endOf } from '@caretaker/rules/lighting/plan.ts'
import { components, minutesOf, testTypes } from '@caretaker/rules/lighting/tests.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible } from '../devices/visible.ts'
import { testsUnderWay } from './under-way.ts'
import { wantsAgain } from './wanting.ts'
import { naturally } from '../../postgres/natural-order.ts'

export const lightProducts = productsOfFamily('emered')
const [passed, warning] = [[...displayGroups.Passed], [...displayGroups.Warning]] as readonly string[][]
const failed: readonly string[] = [...displayGroups.Failed, ...displayGroups.FailedDevice]
/** Statuses of installed lights. */
export const hanging = [...passed!, ...warning!, ...failed]

const isHanging = sql<boolean>`device.status = any(${hanging}::text[])`
const start = sql<string>`to_char(light_group.t180_start, 'YYYY-MM-DD"T"HH24:MI')`.as('start')

/** Groups with the facts for finding conflicts: these, or those of a building. */
export async function testedGroups(
  tx: TenantTx,
  { ids, building }: { ids?: readonly string[]; building?: string },
): Promise<TestedGroup[]> {
  const rows = await tx
    .selectFrom('light_group')
    .select(['light_group.id', 'light_group.name', 'building_id', 'also_types', start])
    .select(
      sql<string>`(
        select count(*) from light_group_member as member
        join device on device.tenant_id = ${tx.tenant} and device.id = member.device_id
        where member.tenant_id = ${tx.tenant} and member.group_id = light_group.id and ${isHanging})`.as('lights'),
    )
    .where('light_group.tenant_id', '=', tx.tenant)
    .$if(ids !== undefined, (all) => all.where(sql<boolean>`light_group.id = any(${ids!}::uuid[])`))
    .$if(building !== undefined, (all) => all.where('building_id', '=', building!))
    .orderBy(naturally(sql`name_key`))
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    building: row.building_id,
    lights: Number(row.lights),
    t180Start: row.start,
    alsoTypes: row.also_types,
  }))
}

/** The number of installed lights in each of these buildings, in any group or none. */
export async function lightsIn(tx: TenantTx, buildings: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('device')
    .select(['building_id', sql<string>`count(*)`.as('lights')])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`building_id = any(${buildings}::uuid[])`)
    .where(sql<boolean>`product = any(${lightProducts}::text[])`)
    .where(isHanging)
    .groupBy('building_id')
    .execute()
  return new Map(rows.map((row) => [row.building_id!, Number(row.lights)]))
}

/** The id and name of a building; undefined for a text that is not an id. */
export async function buildingNamed(tx: TenantTx, id: string): Promise<{ id: string; name: string } | undefined> {
  return tx
    .selectFrom('building')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id::text = ${id}`)
    .executeTakeFirst()
}

const groupColumns = (tx: TenantTx) =>
  tx
    .selectFrom('light_group')
    .innerJoin('building', (join) =>
      join.on('building.tenant_id', '=', tx.tenant).onRef('building.id', '=', 'light_group.building_id'),
    )
    .where('light_group.tenant_id', '=', tx.tenant)
    .select(['light_group.id', 'light_group.name', 'building_id', 'building.name as building_name', 'building.address'])
    .select(['also_types', 'version', start])

/** All groups by name, with the states of their lights and the next test. */
export async function groupRows(tx: TenantTx, actor: Actor): Promise<GroupRow[]> {
  const rows = await groupColumns(tx)
    .orderBy(naturally(sql`name_key`))
    .execute()
  const { rows: counts } = await sql<{
    group_id: string
    lights: string
    passed: string
    warning: string
    failed: string
  }>`
    select member.group_id, count(*) as lights,
      count(*) filter (where device.status = any(${passed}::text[])) as passed,
      count(*) filter (where device.status = any(${warning}::text[])) as warning,
      count(*) filter (where device.status = any(${failed}::text[])) as failed
    from light_group_member as member
    join device on device.tenant_id = ${tx.tenant} and device.id = member.device_id
    where member.tenant_id = ${tx.tenant}
    group by member.group_id`.execute(tx)
  const countsOf = new Map(counts.map((row) => [row.group_id, row]))
  const planned = await tx
    .selectFrom('test_run as next')
    .distinctOn(['group_id', 'test_type'])
    .select(['group_id', 'test_type', 'starts_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('state', '=', 'planned')
    .where(
      sql<boolean>`(next.repeats is null or exists (
        select from test_run_light as light
        join test_run as run on run.tenant_id = ${tx.tenant} and run.id = light.run_id
        where light.tenant_id = ${tx.tenant} and light.run_id = next.repeats and ${wantsAgain(tx)}))`,
    )
    .orderBy('group_id')
    .orderBy('test_type')
    .orderBy('starts_at')
    .execute()
  const nextOf = Map.groupBy(planned, (run) => run.group_id)
  const missedOf = new Map((await missedT180s(tx)).map((row) => [row.group_id, row]))
  return rows.map((row) => {
    const count = countsOf.get(row.id)
    const missed = missedOf.get(row.id)
    return {
      groupId: row.id,
      groupName: row.name,
      building: row.building_id,
      buildingName: row.building_name,
      address: hidesPersonalData(actor) ? '' : row.address,
      t180StartDate: row.start,
      alsoTypes: row.also_types,
      version: row.version,
      lights: Number(count?.lights ?? 0),
      passed: Number(count?.passed ?? 0),
      warning: Number(count?.warning ?? 0),
      failed: Number(count?.failed ?? 0),
      next: (nextOf.get(row.id) ?? [])
        .toSorted(
          (a, b) => +a.starts_at - +b.starts_at || testTypes.indexOf(a.test_type) - testTypes.indexOf(b.test_type),
        )
        .map((run) => ({
          testDate: run.starts_at.toISOString(),
          duration: minutesOf[run.test_type],
          testType: run.test_type,
        })),
      missed: missed ? { testDate: missed.starts_at.toISOString(), lights: missed.lights } : null,
    }
  })
}

/** The last T180 of each group that some of its lights still need. */
async function missedT180s(tx: TenantTx): Promise<{ group_id: string; starts_at: Date; lights: number }[]> {
  const { rows } = await sql<{ group_id: string; starts_at: Date; lights: number }>`
    select run.group_id, run.starts_at, count(*)::int as lights
    from test_run as run
    join test_run_light as light on light.tenant_id = ${tx.tenant} and light.run_id = run.id
    where run.tenant_id = ${tx.tenant} and run.test_type = 'T180' and run.repeats is null and run.state = 'over'
      and not exists (
        select from test_run as later
        where later.tenant_id = ${tx.tenant} and later.group_id = run.group_id and later.test_type = 'T180'
          and later.repeats is null and later.state = 'over' and later.starts_at > run.starts_at)
      and ${wantsAgain(tx)}
    group by run.id, run.group_id, run.starts_at`.execute(tx)
  return rows
}

/** The row of the group with a name, ignoring case. */
export const groupNamed = (tx: TenantTx, name: string) =>
  groupColumns(tx).where('name_key', '=', groupKey(name)).executeTakeFirst()

/** The ids of the lights of a group. */
export async function membersOf(tx: TenantTx, groupId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('light_group_member')
    .select('device_id')
    .where('tenant_id', '=', tx.tenant)
    .where('group_id', '=', groupId)
    .orderBy('device_id')
    .execute()
  return rows.map((row) => row.device_id)
}

/** One group with its lights by floor, from the top, and their states; undefined if the name is unknown. */
export async function groupInFull(tx: TenantTx, name: string, now: Date): Promise<GroupDetails | undefined> {
  const row = await groupNamed(tx, name)
  if (!row) return undefined
  const lights = await tx
    .selectFrom('light_group_member as member')
    .innerJoin('device', (join) =>
      join.on('device.tenant_id', '=', tx.tenant).onRef('device.id', '=', 'member.device_id'),
    )
    .where('member.tenant_id', '=', tx.tenant)
    .where('member.group_id', '=', row.id)
    .select(['device.id', 'device.name', 'status', 'connection_status', 'floor_name', 'floor_number'])
    .orderBy(sql`floor_number desc nulls last`)
    .orderBy('severity', 'desc')
    .orderBy('device.name')
    .orderBy('device.id')
    .execute()
  const ids = lights.map((light) => light.id)
  const lastT180 = await tx
    .selectFrom('emergency_test')
    .distinctOn('device_id')
    .select(['device_id', 'result', 'started_at'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${ids}::uuid[])`)
    .where('test_type', '=', 'T180')
    .orderBy('device_id')
    .orderBy('started_at', 'desc')
    .orderBy('event_id')
    .execute()
  const yearAgo = new Date(now)
  yearAgo.setUTCFullYear(yearAgo.getUTCFullYear() - 1)
  return {
    groupId: row.id,
    groupName: row.name,
    building: row.building_id,
    buildingName: row.building_name,
    t180StartDate: row.start,
    alsoTypes: row.also_types,
    version: row.version,
    deviceIds: ids,
    members: lights.map((light) => ({
      deviceId: light.id,
      deviceName: light.name,
      deviceStatus: light.status,
      floor: light.floor_name,
      floorNumber: light.floor_number,
    })),
    lastT180: { passed: lastT180.filter(({ result }) => result === 'Passed').length, of: lastT180.length },
    failedParts: await failedParts(tx, ids),
    connected: lights.filter((light) => light.connection_status === connectionStates.online).length,
    withoutT180: lights.length - lastT180.filter((test) => test.started_at >= yearAgo).length,
    running: (await testsUnderWay(tx, row.id)).map(({ testType, startedAt, lights: open }) => ({
      testType,
      startedAt: startedAt.toISOString(),
      endsAt: new Date(endOf({ testType, startsAt: +startedAt })).toISOString(),
      lights: open,
    })),
  }
}

/** Lights by their failed part, from their open conditions. */
async function failedParts(tx: TenantTx, deviceIds: readonly string[]): Promise<GroupDetails['failedParts']> {
  const rows = await tx
    .selectFrom('condition')
    .select(['device_id', 'states'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .where('ended_at', 'is', null)
    .where('states', 'is not', null)
    .execute()
  return Object.fromEntries(
    components.flatMap((part) => {
      const lights = new Set(rows.filter(({ states }) => states?.[part] === 'Failed').map((row) => row.device_id))
      return lights.size ? [[part, lights.size]] : []
    }),
  )
}

/** The emergency lights that the actor sees, by name; those of one building if given. */
export async function listEmereds(tx: TenantTx, actor: Actor, building?: string): Promise<TenantEmered[]> {
  const rows = await visible(tx.selectFrom('device'), actor)
    .where(sql<boolean>`device.product = any(${lightProducts}::text[])`)
    // A text that is not an id matches no building.
    .$if(building !== undefined, (all) => all.where(sql<boolean>`device.building_id::text = ${building!}`))
    .leftJoin('light_group_member as member', (join) =>
      join.on('member.tenant_id', '=', tx.tenant).onRef('member.device_id', '=', 'device.id'),
    )
    .leftJoin('light_group', (join) =>
      join.on('light_group.tenant_id', '=', tx.tenant).onRef('light_group.id', '=', 'member.group_id'),
    )
    .select(['device.id', 'device.name', 'serial', 'product', 'status', 'connection_status', 'device.building_id'])
    .select(['building_name', 'floor_id', 'floor_name', 'floor_number', 'room', 'latitude', 'longitude'])
    .select('light_group.name as group_name')
    .orderBy('device.name')
    .orderBy('device.id')
    .execute()
  const seesGroups = can(actor, 'see test schedules')
  return rows.map((row) => ({
    deviceId: row.id,
    deviceName: row.name,
    deviceProductId: row.product,
    serialNumber: row.serial,
    deviceStatus: row.status,
    connectionStatus: row.connection_status,
    building: row.building_id,
    buildingName: row.building_name,
    floor: row.floor_id,
    floorName: row.floor_name,
    floorNumber: row.floor_number,
    room: row.room,
    lat: row.latitude,
    lng: row.longitude,
    groupName: seesGroups ? row.group_name : null,
  }))
}
