import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { changed } from '@caretaker/server/changes/changed.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import type { WatchOrder } from './alerts-worker.ts'
import { percentile, rounded } from './figures.ts'

const tenant = 'north'
const batchesASecond = 10
/** As the product is to be: behind a change in ms, and how much slower a write may be for the worker. */
const mostBehind = 2000
const mostSlowdown = 1.1
/** Times that changes come without the worker and then with it. */
const turns = 4
/** What was not told after so many ms counts as lost. */
const mostPatience = 8 * 60_000

/**
 * Alerts: how far the worker is behind changes of devices, what it costs whoever writes them, and whether an e-mail is lost or
 * doubled when it is killed. `--devices`, `--definitions`, `--changes` a second, for `--seconds`; then `--kills` of it.
 */
export async function run(args: string[]): Promise<void> {
  const option = (usual: number) => ({ type: 'string', default: String(usual) }) as const
  const { values } = parseArgs({
    args,
    options: {
      ...{ devices: option(100_000), definitions: option(1000), changes: option(1000) },
      ...{ seconds: option(20), kills: option(100) },
    },
  })
  const [devices, definitions, changes] = [Number(values.devices), Number(values.definitions), Number(values.changes)]
  // What a device is seen to have become is told apart from nothing that it was before.
  if (changes * Number(values.seconds) > devices / 2)
    throw new Error('each device may change once: fewer changes or seconds')
  const app = await testApp()
  await app.addTenant(tenant)
  await furnish(app, devices, definitions)
  const { alone, together } = await measure(app, { changes, seconds: Number(values.seconds) / turns })
  const killed = await killing(app, Number(values.kills))

  const result = {
    bench: 'alerts',
    ...{ devices, definitions, changesPerSecond: changes },
    behindMs: { p50: percentile(together.behind, 0.5), p95: percentile(together.behind, 0.95) },
    writeMs: { alone: percentile(alone.wrote, 0.5), together: percentile(together.wrote, 0.5) },
    ...killed,
  }
  console.log(JSON.stringify(result, null, 2))
  console.log(
    `alerts: p95 ${result.behindMs.p95} ms behind the change (at most ${mostBehind}); a write of ${changes / batchesASecond} changes takes ${result.writeMs.together} ms, ${result.writeMs.alone} ms without the worker (at most ${mostSlowdown} times as long); ${killed.kills} kills lost ${killed.lost} and doubled ${killed.doubled} of ${killed.mails} e-mails (none)`,
  )
  const isSlow = result.behindMs.p95 > mostBehind || result.writeMs.together > mostSlowdown * result.writeMs.alone
  if (isSlow || killed.lost || killed.doubled || killed.orphans) process.exitCode = 1
  await app.close()
}

/** Lights in houses of forty, each with a tag; the rules are spread over the tags. */
async function furnish({ database }: TestApp, devices: number, definitions: number): Promise<void> {
  const { owner } = database
  const tags = Math.max(1, Math.ceil(definitions / 5))
  await owner.query(
    `insert into building (tenant_id, id, name) select $1, gen_random_uuid(), 'House ' || n from generate_series(1, $2::int) n`,
    [tenant, Math.ceil(devices / 40)],
  )
  await owner.query(
    `insert into tag (tenant_id, id, name) select $1, gen_random_uuid(), 'T' || n from generate_series(1, $2::int) n`,
    [tenant, tags],
  )
  await owner.query(
    `with house as (select id, row_number() over () as n, count(*) over () as total from building where tenant_id = $1)
     insert into device (tenant_id, id, serial, product, name, listing, status, severity, connection_status, connection_at, building_id)
     select $1, gen_random_uuid(), 'EM' || d, 'EM', 'Light ' || d, 'EmergencyLights', 'Ok', 2, 'Connected', now() - interval '1 day', house.id
     from generate_series(1, $2::int) d join house on house.n = d % house.total + 1`,
    [tenant, devices],
  )
  await owner.query(
    `with numbered as (select id, row_number() over () as n from device where tenant_id = $1),
       kind as (select id, row_number() over () as n from tag where tenant_id = $1)
     insert into device_tag (tenant_id, device_id, tag_id)
     select $1, numbered.id, kind.id from numbered join kind on kind.n = numbered.n % $2::int + 1`,
    [tenant, tags],
  )
  await owner.query(
    `with kind as (select id, row_number() over () as n from tag where tenant_id = $1)
     insert into alert_definition (tenant_id, id, tag_id, delay, delay_unit, notification_type, notification_target, trigger_type,
       trigger_condition)
     select $1, gen_random_uuid(), kind.id, 5 + d / $3::int, 'mins', 'EMAIL', 'crew@north.test', 'CONNECTIONSTATUS', 'NotConnected'
     from generate_series(0, $2::int - 1) d join kind on kind.n = d % $3::int + 1`,
    [tenant, definitions, tags],
  )
  await owner.query('analyze device, device_tag, alert_definition')
}

/** Turns the connection of some devices, and says so as the ingest does. */
async function turn({ database }: TestApp, ids: readonly string[]): Promise<void> {
  await inTenant(database.db, tenant, async (tx) => {
    await sql`
      update device set connection_at = ${new Date()},
        connection_status = case when connection_status = 'Connected' then 'NotConnected' else 'Connected' end
      where tenant_id = ${tenant} and id = any(${ids}::uuid[])`.execute(tx)
    await changed(tx, 'device', ids)
  })
}

interface Pace {
  changes: number
  seconds: number
}
interface Churned {
  /** How long each write took, and how far the worker was behind one device of each. */
  wrote: number[]
  behind: number[]
}

/** With the worker and without it in turns, so that whatever else the machine does is part of both. */
async function measure(app: TestApp, pace: Pace): Promise<{ alone: Churned; together: Churned }> {
  const { rows } = await app.database.owner.query<{ id: string }>(
    'select id from device where tenant_id = $1 order by id',
    [tenant],
  )
  const half = Math.floor(rows.length / 2)
  const [alone, together]: Churned[] = [0, 1].map(() => ({ wrote: [], behind: [] }))
  const devices = { unwatched: circle(rows.slice(0, half)), watched: circle(rows.slice(half)) }
  for (let turn = 0; turn < turns; turn++) {
    await churn(app, pace, devices.unwatched, alone!, false)
    const worker = await startWorker({ url: app.database.url, tenant, speed: 1, zero: 0 })
    await caughtUp(app, new Date())
    await churn(app, pace, devices.watched, together!, true)
    worker.kill('SIGKILL')
    await once(worker, 'exit')
  }
  return { alone: alone!, together: together! }
}

/** Some of these at a time, and of the first again after the last. */
function circle(rows: readonly { id: string }[]): (count: number) => string[] {
  let next = 0
  return (count) => Array.from({ length: count }, () => rows[next++ % rows.length]!.id)
}

async function churn(
  app: TestApp,
  { changes, seconds }: Pace,
  some: (count: number) => string[],
  { wrote, behind }: Churned,
  isWatched: boolean,
): Promise<void> {
  const size = Math.round(changes / batchesASecond)
  /** One device of each batch, and when its change was committed. */
  const waiting = new Map<string, number>()
  let isOver = false
  const looking = (async () => {
    while (isWatched && (!isOver || waiting.size)) {
      const { rows: seen } = await app.database.owner.query<{ id: string }>(
        `select device_id as id from device_spell where tenant_id = $1 and device_id = any($2) and kind = 'CONNECTIONSTATUS'
           and key = 'NotConnected'`,
        [tenant, [...waiting.keys()]],
      )
      for (const { id } of seen) {
        behind.push(Date.now() - waiting.get(id)!)
        waiting.delete(id)
      }
      // Seldom enough to take little from what is measured.
      await sleep(100)
    }
  })()
  for (let batch = 0; batch < seconds * batchesASecond; batch++) {
    const due = performance.now() + 1000 / batchesASecond
    const ids = some(size)
    const begun = performance.now()
    await turn(app, ids)
    wrote.push(rounded(performance.now() - begun))
    if (isWatched) waiting.set(ids[0]!, Date.now())
    await sleep(Math.max(0, due - performance.now()))
  }
  isOver = true
  await looking
}

async function startWorker(order: WatchOrder): Promise<ChildProcess> {
  const worker = fork(fileURLToPath(new URL('./alerts-worker.ts', import.meta.url)), [JSON.stringify(order)])
  await once(worker, 'message')
  return worker
}

/** Until everything that had changed by then is looked at, at first all devices. */
async function caughtUp({ database }: TestApp, by: Date): Promise<void> {
  for (;;) {
    const { rows } = await database.owner.query(
      'select from alert_progress where tenant_id = $1 and position is not null and done_until >= $2',
      [tenant, by],
    )
    if (rows.length) return
    await sleep(100)
  }
}

/** Kills the worker again and again while devices fall silent, in a clock of its own; then counts what was told of them. */
async function killing(app: TestApp, kills: number) {
  const { owner } = app.database
  const { rows } = await owner.query<{ id: string }>(
    `select id from device where tenant_id = $1 and connection_status = 'Connected' order by id limit 2000`,
    [tenant],
  )
  const order = { url: app.database.url, tenant, speed: 60, zero: Date.now() }
  let worker = await startWorker(order)
  const step = Math.max(1, Math.floor(rows.length / Math.max(1, kills)))
  for (let time = 0; time < kills; time++) {
    await turn(
      app,
      rows.slice(time * step, (time + 1) * step).map(({ id }) => id),
    )
    await sleep(50 + Math.random() * 400)
    worker.kill('SIGKILL')
    worker = await startWorker(order)
  }
  const touched = rows.slice(0, kills * step).map(({ id }) => id)
  // Delays of ten minutes and the wait for others, in sixty times the speed; and all that fell silent before is told as well.
  let told = await countTold(app, touched)
  for (const end = Date.now() + mostPatience; told.lost && Date.now() < end; told = await countTold(app, touched))
    await sleep(5000)
  worker.kill('SIGKILL')
  return { kills, ...told }
}

async function countTold({ database: { owner } }: TestApp, touched: readonly string[]) {
  const { rows: found } = await owner.query<{ mails: number; doubled: number; lost: number; orphans: number }>(
    `with rule as (
       select device_tag.device_id, alert_definition.id from device_tag
       join alert_definition on alert_definition.tenant_id = $1 and alert_definition.tag_id = device_tag.tag_id
       where device_tag.tenant_id = $1 and device_tag.device_id = any($2::uuid[])
     ), told as (
       select alert.definition_id, alert.device_id, count(distinct mail_id) as n
       from alert join alert_mail on alert_mail.tenant_id = $1 and alert_id = alert.id and kind = 'told'
       where alert.tenant_id = $1 and device_id = any($2::uuid[]) group by 1, 2
     )
     select (select count(*) from mail where tenant_id = $1)::int as mails,
       (select count(*) from told where n > 1)::int as doubled,
       (select count(*) from rule where not exists (
         select from told where told.device_id = rule.device_id and told.definition_id = rule.id))::int as lost,
       (select count(*) from mail where tenant_id = $1 and not exists (
         select from alert_mail where alert_mail.tenant_id = $1 and mail_id = mail.id))::int as orphans`,
    [tenant, touched],
  )
  return found[0]!
}
