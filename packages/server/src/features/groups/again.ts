import { sql } from 'kysely'
import type { RepeatedTest } from '@caretaker/rules/lighting/again.ts'
import { againStart, isRepeated, mostGraceDays, repeatedTests } from '@caretaker/rules/lighting/again.ts'
import type { GroupRun, TestedGroup } from '@caretaker/rules/lighting/collisions.ts'
import type { RunState } from '@caretaker/rules/lighting/runs.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { repeatRun } from '../../test-runs/plan.ts'
import { lightsIn, testedGroups } from './store.ts'
import { lightsAgain } from './wanting.ts'

const day = 86_400_000

/**
 * Plans the missed tests of a group's lights again, one attempt at a time (`rules/lighting/again.ts`). The decision
 * is read from stored data, so repeating the call plans nothing twice.
 */
export async function planAgain(tx: TenantTx, now: Date): Promise<number> {
  const { rows: missed } = await sql<MissedRun>`
    select run.id, run.group_id, run.test_type, run.starts_at, greatest(run.starts_at, (
        select max(starts_at) from test_run as try where try.tenant_id = ${tx.tenant} and try.repeats = run.id
      )) as last_try
    from test_run as run join light_group on light_group.tenant_id = ${tx.tenant} and light_group.id = run.group_id
    where run.tenant_id = ${tx.tenant} and (${sql.join(
      Object.entries(repeatedTests).map(
        ([type, { graceDays }]) =>
          sql`(run.test_type = ${type} and run.starts_at > ${new Date(+now - (graceDays + 1) * day)}::timestamptz)`,
      ),
      sql` or `,
    )})
      and run.starts_at <= ${now} and run.state = 'over' and run.repeats is null
      and not exists (
        select from test_run as open
        where open.tenant_id = ${tx.tenant} and open.repeats = run.id and open.state in ('planned', 'running'))
      -- The newest of a group whose start was moved stands for the ones before it.
      and not exists (
        select from test_run as later
        where later.tenant_id = ${tx.tenant} and later.group_id = run.group_id and later.test_type = run.test_type
          and later.repeats is null and later.starts_at > run.starts_at and later.starts_at <= ${now})
    order by run.starts_at, run.id for update of run skip locked`.execute(tx)
  const lights = await lightsAgain(
    tx,
    missed.map(({ id }) => id),
  )
  const wanting = missed.filter(({ id }) => lights.has(id))
  if (!wanting.length) return 0
  const zone = await zoneOf(tx)
  let planned = 0
  // One after the other, because each plan restricts the next.
  for (const run of wanting) {
    const startsAt = await freeNight(tx, run, { now, zone, lights: lights.get(run.id)!.length })
    if (startsAt === undefined) continue
    const again = { startsAt: new Date(startsAt), deviceIds: lights.get(run.id)! }
    if (await repeatRun(tx, run, again)) planned++
  }
  return planned
}

interface Run {
  id: string
  group_id: string
  test_type: TestType
  starts_at: Date
  state: RunState
  repeats: string | null
}

interface MissedRun {
  id: string
  group_id: string
  test_type: RepeatedTest
  starts_at: Date
  last_try: Date
}

/** The repeated tests that are planned. */
export interface Again {
  /** The lights that still need the test of a run, or of the run that it repeats. */
  lights(run: Run): string[]
  /** When the lights of a run that has ended repeat its test. */
  at(run: Run): Date | undefined
}

/** How long after a run of that type it may be repeated, in ms, with a day of tolerance for clock changes. */
const grace = ({ test_type: type }: Pick<Run, 'test_type'>) =>
  isRepeated(type) ? (repeatedTests[type].graceDays + 1) * day : 0

/** @param of only these lights */
export async function againOf(tx: TenantTx, runs: readonly Run[], of?: ReadonlySet<string>): Promise<Again> {
  const root = (run: Run) => run.repeats ?? run.id
  const isMissed = (run: Run) => run.state === 'over' && +run.starts_at > Date.now() - grace(run)
  const due = runs.filter((run) => isRepeated(run.test_type) && (run.repeats !== null || isMissed(run)))
  const wanting = await lightsAgain(tx, [...new Set(due.map(root))])
  const lights = (run: Run) => (wanting.get(root(run)) ?? []).filter((id) => of === undefined || of.has(id))
  const wanted = due.filter((run) => isMissed(run) && lights(run).length > 0)
  const groups = [...new Set(wanted.map((run) => run.group_id))]
  if (!groups.length) return { lights, at: () => undefined }
  const planned = await tx
    .selectFrom('test_run')
    .select(['group_id', 'test_type', 'starts_at'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`group_id = any(${groups}::uuid[])`)
    .where('test_type', 'in', [...new Set(wanted.map((run) => run.test_type))])
    .where('state', 'in', ['planned', 'running'])
    .orderBy('starts_at')
    .execute()
  const at = (run: Run) => {
    const next = planned.find(
      (one) => one.group_id === run.group_id && one.test_type === run.test_type && one.starts_at > run.starts_at,
    )
    const isSoon = next && +next.starts_at <= +run.starts_at + grace(run)
    return wanted.includes(run) && isSoon ? next.starts_at : undefined
  }
  return { lights, at }
}

/** A run that repeats a missed one, with the lights that still need it. */
export interface RepeatedRun extends GroupRun {
  deviceIds: readonly string[]
}

/** The repeated runs of these groups in a time span, planned or running; they belong to no schedule. */
export async function repeatsOf(
  tx: TenantTx,
  groups: readonly TestedGroup[],
  { from, to }: { from: number; to: number },
): Promise<RepeatedRun[]> {
  const byId = new Map(groups.map((group) => [group.id, group]))
  const runs = await tx
    .selectFrom('test_run')
    .select(['group_id', 'test_type', 'starts_at', 'repeats'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`group_id = any(${[...byId.keys()]}::uuid[])`)
    .where('state', 'in', ['planned', 'running'])
    .where('repeats', 'is not', null)
    .where('starts_at', '>', new Date(from))
    .where('starts_at', '<', new Date(to))
    .orderBy('starts_at')
    .execute()
  const wanting = await lightsAgain(tx, [...new Set(runs.map((run) => run.repeats!))])
  return runs.flatMap((run): RepeatedRun[] => {
    const deviceIds = wanting.get(run.repeats!) ?? []
    const group = { ...byId.get(run.group_id)!, lights: deviceIds.length }
    return deviceIds.length ? [{ testType: run.test_type, startsAt: +run.starts_at, group, deviceIds }] : []
  })
}

async function freeNight(
  tx: TenantTx,
  run: MissedRun,
  { now, zone, lights }: { now: Date; zone: string; lights: number },
): Promise<number | undefined> {
  const [known] = await testedGroups(tx, { ids: [run.group_id] })
  if (!known) return undefined
  const group: TestedGroup = { ...known, lights }
  const all = await testedGroups(tx, { building: group.building })
  const span = { from: +run.starts_at - 3 * day, to: +run.starts_at + (mostGraceDays + 3) * day }
  const own = await tx
    .selectFrom('test_run')
    .select(['test_type', 'starts_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('group_id', '=', group.id)
    .where('state', 'in', ['planned', 'running'])
    .where('starts_at', '>', new Date(span.from))
    .where('starts_at', '<', new Date(span.to))
    .execute()
  return againStart(
    {
      testType: run.test_type,
      startsAt: +run.starts_at,
      lastTry: +run.last_try,
      rhythm: group,
      own: own.map((one) => ({ testType: one.test_type, startsAt: +one.starts_at })),
      wanted: {
        group,
        rivals: [],
        neighbours: all.filter((one) => one.id !== group.id),
        lightsInBuilding: (await lightsIn(tx, [group.building])).get(group.building) ?? 0,
      },
      repeats: await repeatsOf(tx, all, span),
    },
    { now: +now, zone },
  )
}
