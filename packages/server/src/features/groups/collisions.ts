import type { DarkNight, GroupRow } from '@caretaker/contract/groups.ts'
import { dayAfter } from '@caretaker/rules/calendar/days.ts'
import type { DarkNight as Night, GroupRun, TestedGroup } from '@caretaker/rules/lighting/collisions.ts'
import { darkNights, freeStarts, isMovable, recharge } from '@caretaker/rules/lighting/collisions.ts'
import { lengthOf, startOf, localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { lightsIn } from './store.ts'
import { lightsAgain } from './wanting.ts'

const day = 86_400_000
/** The time after the start of a T180 in which another one leaves the lights of both without charge. */
const nightLength = lengthOf('T180') + recharge

/** The same local time some days after a start. */
export const laterDay = (start: number, zone: string) => (days: number) => {
  const local = localTimeAt(start, zone)
  return startOf(`${dayAfter(local.slice(0, 10), days)}${local.slice(10)}`, zone)
}

export function nightInWords(night: Night, more: { buildingName: string; move: DarkNight['move'] }): DarkNight {
  return {
    building: night.building,
    lights: [...new Map(night.runs.map(({ group }) => [group.id, group.lights])).values()].reduce((a, b) => a + b, 0),
    runs: night.runs
      .toSorted((a, b) => a.startsAt - b.startsAt || a.group.name.localeCompare(b.group.name, 'en-GB'))
      .map(({ group, startsAt }) => ({
        groupId: group.id,
        groupName: group.name,
        testDate: new Date(startsAt).toISOString(),
        lights: group.lights,
      })),
    ...more,
  }
}

/**
 * The nights of the coming year in which the planned tests of groups leave a building without a charged light; first
 * those that can be resolved by moving one of the groups.
 */
export async function comingCollisions(tx: TenantTx, now: Date, rows: readonly GroupRow[]): Promise<DarkNight[]> {
  const planned = await tx
    .selectFrom('test_run')
    .select(['group_id', 'starts_at', 'repeats'])
    .where('tenant_id', '=', tx.tenant)
    .where('test_type', '=', 'T180')
    .where('state', '<>', 'cancelled')
    .where('starts_at', '>', new Date(+now - nightLength))
    .where('starts_at', '<', new Date(+now + 366 * day + nightLength))
    .orderBy('starts_at')
    .execute()
  const groups = rows.map(asTested)
  const byId = new Map(groups.map((group) => [group.id, group]))
  const again = await lightsAgain(
    tx,
    planned.flatMap((run) => run.repeats ?? []),
  )
  const runOf = (run: (typeof planned)[number]): GroupRun[] => {
    const group = byId.get(run.group_id)
    const lights = run.repeats === null ? group?.lights : again.get(run.repeats)?.length
    return group && lights ? [{ testType: 'T180', startsAt: +run.starts_at, group: { ...group, lights } }] : []
  }
  const runs = planned.flatMap(runOf)
  const repeats = planned.filter((run) => run.repeats !== null).flatMap(runOf)
  if (!runs.length) return []
  /** Nights that have passed, or begin after the year, are not coming collisions. */
  const isComing = ({ runs: night }: Night) => {
    const [first, last] = [night[0]!.startsAt, night.at(-1)!.startsAt]
    return last > +now - lengthOf('T180') && first < +now + 366 * day
  }
  const lights = await lightsIn(tx, [...new Set(runs.map(({ group }) => group.building))])
  const zone = await zoneOf(tx)
  const nameOf = new Map(rows.map((row) => [row.building, row.buildingName]))
  return darkNights(runs, (building) => lights.get(building) ?? Infinity)
    .filter(isComing)
    .toSorted((a, b) => Number(isMovable(b)) - Number(isMovable(a)))
    .map((night) =>
      nightInWords(night, {
        buildingName: nameOf.get(night.building) ?? '',
        move: wayOut(night, groups, { zone, repeats, lights: lights.get(night.building) ?? 0 }),
      }),
    )
}

/** A group from its row, with its installed lights. */
const asTested = (row: GroupRow): TestedGroup => ({
  id: row.groupId,
  name: row.groupName,
  building: row.building,
  lights: row.passed + row.warning + row.failed,
  t180Start: row.t180StartDate,
  alsoTypes: row.alsoTypes,
})

/** The last of the groups, and the first night in which it could be tested instead. */
function wayOut(
  night: Night,
  groups: readonly TestedGroup[],
  { zone, repeats, lights }: { zone: string; repeats: readonly GroupRun[]; lights: number },
): DarkNight['move'] {
  const { group, startsAt } = night.runs.at(-1)!
  if (!isMovable(night)) return null
  const neighbours = groups.filter((one) => one.building === night.building && one.id !== group.id)
  const wanted = { group, rivals: [], neighbours, lightsInBuilding: lights }
  const free = freeStarts(startsAt, wanted, { zone, repeats, laterDay: laterDay(startsAt, zone) })
  return free.length ? { groupName: group.name, t180StartDate: localTimeAt(free.at(-1)!, zone) } : null
}
