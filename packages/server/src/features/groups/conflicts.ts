import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { dayAfter, dayAt } from '@caretaker/rules/calendar/days.ts'
import {
  darkNightAt,
  freeStarts,
  isStartBlocked,
  isMovable,
  nightChoices,
  nightStart,
  overlapping,
} from '@caretaker/rules/lighting/collisions.ts'
import { darkText, darkTitle } from '@caretaker/rules/lighting/start-words.ts'
import type { LightBefore } from '@caretaker/rules/lighting/runs.ts'
import { chargedBy } from '@caretaker/rules/lighting/runs.ts'
import {
  isLocalTime,
  lengthOf,
  leastAhead,
  movedStart,
  nextT180,
  plannedNow,
  questionOf,
  shortNotice,
  shownStart,
  startFault,
  startOf,
  localTimeAt,
} from '@caretaker/rules/lighting/plan.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { laterDay, nightInWords } from './collisions.ts'
import type { RepeatedRun } from './again.ts'
import { repeatsOf } from './again.ts'
import { buildingNamed, groupNamed, hanging, lightProducts, lightsIn, testedGroups } from './store.ts'

const day = 86_400_000

/** A group that is about to be saved. */
interface Asked {
  groupName: string
  building?: string | undefined
  t180StartDate: string | Date
  deviceIds: readonly string[]
  alsoTypes: readonly TestType[]
  ofBuilding: boolean
}

/** Reads the charge of lights, by id. */
export type ChargeOf = (tx: TenantTx, deviceIds: readonly string[], zone: string) => Promise<Map<string, LightBefore>>

/** The start in the tenant's local time, in whichever form it was sent. */
export const localStart = (start: string | Date, zone: string) =>
  typeof start === 'string' ? start : localTimeAt(+start, zone)

/** The conflicts of a group with other tests, and when it would be tested. */
export async function conflictsOf(
  tx: TenantTx,
  actor: Actor,
  asked: Asked,
  { now, chargeOf }: { now: Date; chargeOf: ChargeOf },
) {
  const zone = await zoneOf(tx)
  const own = await groupNamed(tx, asked.groupName)
  const home = await buildingNamed(tx, asked.building ?? own?.building_id ?? '')
  const building = home?.id ?? ''
  const given = localStart(asked.t180StartDate, zone)
  const t180Start = given === own?.start ? given : shownStart(given, zone)
  const clocks = { now: +now, zone }
  const fault = t180Start === own?.start ? undefined : startFault(t180Start, clocks)
  const lights = await lightsConcerned(tx, actor, asked, building)
  const nothing = {
    ...{ fault: fault ?? null, conflicts: [], runs: [], t180: null, night: null, freeStarts: [] },
    ...{ moved: null, question: null, nights: [], freeNight: null },
  }
  if (!isLocalTime(given)) return nothing

  const chosen = new Set(asked.deviceIds)
  const others = lights.filter((light) => light.group_id !== null && light.group_id !== own?.id)
  const neighbours = home ? await testedGroups(tx, { building }) : []
  const known = new Map(neighbours.map((group) => [group.id, group]))
  const strange = [...new Set(others.map((light) => light.group_id!))].filter((id) => !known.has(id))
  for (const group of strange.length ? await testedGroups(tx, { ids: strange }) : []) known.set(group.id, group)

  const rhythm = { t180Start, alsoTypes: asked.alsoTypes }
  const start = nextT180(rhythm, clocks)
  const rivalsOf = (some: typeof others) =>
    [...new Set(some.map((light) => light.group_id!))].map((id) => known.get(id)!)
  // Repeated tests, including those of the group itself, count as conflicts within the span in which free starts are
  // searched.
  const span = { from: Math.min(start, +now) - 2 * day, to: Math.max(start, +now) + 62 * day }
  const repeats = await repeatsOf(tx, [...known.values()], span)
  const met = overlapping(start, rivalsOf(others), { zone, repeats })

  const leaving = Map.groupBy(
    others.filter((light) => chosen.has(light.id)),
    (light) => light.group_id!,
  )
  const size = lights.filter((light) => chosen.has(light.id) && light.hangs).length
  const wanted = {
    group: { id: own?.id ?? '', name: asked.groupName, building, lights: size, ...rhythm },
    rivals: rivalsOf(others.filter((light) => chosen.has(light.id))),
    repeated: repeats.filter((run) => run.deviceIds.some((id) => chosen.has(id))),
    neighbours: neighbours
      .filter((group) => group.id !== own?.id)
      .map((group) => ({ ...group, lights: group.lights - (leaving.get(group.id)?.length ?? 0) })),
    lightsInBuilding: home ? ((await lightsIn(tx, [building])).get(building) ?? 0) : 0,
  }
  const stays = (run: RepeatedRun) => run.deviceIds.filter((id) => chosen.has(id) === (run.group.id === own?.id)).length
  const place = { zone, repeats: repeats.map((run) => ({ ...run, group: { ...run.group, lights: stays(run) } })) }
  const night = darkNightAt(start, wanted, place)
  const isMended = night !== undefined && isMovable(night)
  const isFree = !isMended && !isStartBlocked(start, wanted, zone)
  const free = isFree ? [] : freeStarts(start, wanted, { ...place, laterDay: laterDay(start, zone) })
  const freeLocalStarts = free.map((at) => localTimeAt(at, zone))
  const before = await chargeOf(tx, [...chosen], zone)
  const charging = lights.flatMap((light) => {
    const until = chosen.has(light.id) ? chargedBy(before.get(light.id) ?? { isInstalled: true }, +now) : undefined
    return until === undefined ? [] : [{ light, until }]
  })
  const ofChosen = (id: string) => others.filter((light) => light.group_id === id && chosen.has(light.id)).length
  const today = dayAt(+now, zone)
  const { shown, free: freeNight } = nightChoices(
    {
      ...wanted,
      rivals: wanted.rivals.map((group) => ({ ...group, lights: ofChosen(group.id) })),
      repeated: wanted.repeated.map((run) => ({
        ...run,
        group: { ...run.group, lights: run.deviceIds.filter((id) => chosen.has(id)).length },
      })),
    },
    {
      ...{ ...place, now: +now, notice: shortNotice, chargedBy: charging.map(({ until }) => until) },
      nightOf: (days) => startOf(`${dayAfter(today, days)}T${nightStart}`, zone),
    },
  )
  const found = questionOf(rhythm, own?.start, clocks)
  const dark = lights.filter((light) => chosen.has(light.id) && !(found?.isOfJoining && light.group_id === own?.id))
  const question = dark.length ? found?.question : undefined
  return {
    ...nothing,
    conflicts: met.flatMap((run) => {
      const { group, testType, startsAt } = run
      // A repeated test concerns only the lights that missed it.
      const again = repeats.find((one) => one === run)?.deviceIds
      return others
        .filter((light) => light.group_id === group.id && (again === undefined || again.includes(light.id)))
        .map((light) => ({
          deviceId: light.id,
          groupName: group.name,
          testDate: new Date(startsAt).toISOString(),
          duration: minutesOf[testType],
          testType,
        }))
    }),
    // Includes the requested T180, however late it begins.
    runs: plannedNow(rhythm, { ...clocks, to: Math.max(+now + leastAhead, start + 1) }).map(
      ({ testType, startsAt }) => ({
        testDate: new Date(startsAt).toISOString(),
        duration: minutesOf[testType],
        testType,
      }),
    ),
    t180: { from: new Date(start).toISOString(), to: new Date(start + lengthOf('T180')).toISOString() },
    night: night
      ? nightInWords(night, {
          buildingName: home?.name ?? '',
          move:
            isMended && freeLocalStarts.length
              ? { groupName: asked.groupName, t180StartDate: freeLocalStarts.at(-1)! }
              : null,
        })
      : null,
    freeStarts: freeLocalStarts,
    moved: given === own?.start ? null : (movedStart(given, zone)?.text ?? null),
    question: question
      ? {
          isSoon: question.isSoon,
          isByDay: question.isByDay,
          lights: dark.length,
          from: new Date(question.from).toISOString(),
          to: new Date(question.to).toISOString(),
          chargedBy: new Date(question.chargedBy).toISOString(),
          title: darkTitle(dark.length, floorsOf(dark).length),
          text: darkText(question, clocks),
          floors: floorsOf(dark),
          charging: charging
            .filter(({ until }) => until > question.from)
            .map(({ light, until }) => ({
              deviceId: light.id,
              deviceName: light.name,
              until: new Date(until).toISOString(),
            })),
        }
      : null,
    nights: shown.map((one) => ({
      t180StartDate: localTimeAt(one.start, zone),
      from: new Date(one.start).toISOString(),
      isFree: one.isFree,
      taken: one.taken.map(({ group, testType }) => ({ groupName: group.name, testType, lights: group.lights })),
      charging: one.charging,
      isDark: one.isDark,
    })),
    freeNight: freeNight === undefined ? null : localTimeAt(freeNight, zone),
  }
}

/** The number of these lights on each floor, from the lowest. */
function floorsOf(
  lights: readonly { floor_id: string | null; floor_name: string | null; floor_number: number | null }[],
) {
  const floors = Map.groupBy(lights, (light) => light.floor_id)
  return [...floors.values()]
    .toSorted((a, b) => (a[0]!.floor_number ?? 0) - (b[0]!.floor_number ?? 0))
    .map((some) => ({ floorName: some[0]!.floor_name ?? 'No floor', lights: some.length }))
}

/** The requested lights, each with its group; refused if the actor may not see one. */
async function lightsConcerned(tx: TenantTx, actor: Actor, { deviceIds, ofBuilding }: Asked, building: string) {
  const rows = await tx
    .selectFrom('device')
    .leftJoin('light_group_member as member', (join) =>
      join.on('member.tenant_id', '=', tx.tenant).onRef('member.device_id', '=', 'device.id'),
    )
    .where('device.tenant_id', '=', tx.tenant)
    .where((row) =>
      row.or([
        sql<boolean>`device.id = any(${deviceIds}::uuid[])`,
        sql<boolean>`${ofBuilding} and device.building_id::text = ${building} and device.product = any(${lightProducts}::text[])`,
      ]),
    )
    .select(['device.id', 'device.name', 'product', 'status', 'in_wholesale', 'floor_id', 'floor_name', 'floor_number'])
    .select(['access_rights_tag_id', 'member.group_id'])
    .select(sql<boolean>`device.status = any(${hanging}::text[])`.as('hangs'))
    .execute()
  const seen = new Set(
    rows
      .filter((row) =>
        can(actor, 'see device', {
          product: row.product,
          status: row.status,
          inWholesale: row.in_wholesale,
          accessRightsTags: row.access_rights_tag_id ? [row.access_rights_tag_id] : [],
        }),
      )
      .map((row) => row.id),
  )
  if (deviceIds.some((id) => !seen.has(id))) throw refuse('not found')
  return rows.filter((row) => seen.has(row.id))
}
