import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { dampLevels } from '@caretaker/rules/properties/damp.ts'
import { assessDamp } from '@caretaker/server/features/damp/assess.ts'
import { makeDue } from '@caretaker/server/postgres/due.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { rounded } from './figures.ts'

const mostSeconds = 30
const tenant = 'north'
const roomsOfHome = 3
/** Of each room there are the hours that a run reads; of those whose turn it is to be reckoned anew, all six weeks. */
const weeks = 6
const hour = 3_600_000

/**
 * How long an hour's assessment of damp and mould takes in a tenant of 100,000 rooms, whose homes measure the weather as well: a
 * run adds an hour to each room and reckons a 168th of them from six weeks. `--rooms N` changes the number.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { rooms: { type: 'string', default: '100000' } } })
  const rooms = Number(values.rooms)
  const test = await testApp()
  try {
    await test.addTenant(tenant)
    const now = Math.floor(Date.now() / hour) * hour
    await fill(test, rooms, now)
    await inTenant(test.database.db, tenant, (tx) => makeDue(tx, 'assess damp', new Date(0)))
    const begun = performance.now()
    const assessed = await assessDamp(test.database.db, new Date(now))
    const seconds = rounded((performance.now() - begun) / 1000)
    if (assessed !== rooms) throw new Error(`${assessed} of ${rooms} rooms were assessed`)
    const { rows } = await test.database.owner.query<{ level: string; rooms: number }>(
      'select level, count(*)::int as rooms from damp_room group by 1 order by 1',
    )
    console.log(JSON.stringify({ rooms, seconds, levels: rows }))
    if (seconds > mostSeconds) process.exitCode = 1
    console.log(`mould: ${rooms} rooms brought up to date in ${seconds} s (must be at most ${mostSeconds})`)
  } finally {
    await test.close()
  }
}

/** Homes with a sensor in each of their rooms and one outside, as they stand an hour before `now`. */
async function fill({ database: { owner, db } }: TestApp, rooms: number, now: number): Promise<void> {
  const homes = Math.ceil(rooms / roomsOfHome)
  const id = (block: number, n: string) => `('00000000-0000-4000-800${block}-' || lpad((${n})::text, 12, '0'))::uuid`
  const before = new Date(now - hour)
  const since = new Date(now - weeks * 7 * 24 * hour)
  const run = (text: string, values: unknown[] = []) => owner.query(text, values)
  await run(`insert into property (tenant_id, id, reference) select '${tenant}', ${id(0, 'n')}, 'H' || n
    from generate_series(1, ${homes}) n`)
  await run(`insert into device (tenant_id, id, serial, product, name, status, severity, property_id, room)
    select '${tenant}', ${id(1, 'n')}, 'MD' || n, 'MD', 'Sensor ' || n, 'Ok', 2, ${id(0, `1 + n % ${homes}`)}, 'Room ' || n % ${roomsOfHome}
    from generate_series(1, ${rooms}) n`)
  await run(`insert into device (tenant_id, id, serial, product, name, status, severity, property_id)
    select '${tenant}', ${id(2, 'n')}, 'BX' || n, 'BX', 'Boiler ' || n, 'Ok', 2, ${id(0, 'n')} from generate_series(1, ${homes}) n`)
  await run(`insert into series (tenant_id, device_id, metric) select tenant_id, id, metric
    from device, unnest(array['temperature', 'humidity']) metric where product = 'MD'`)
  await run(
    `insert into series (tenant_id, device_id, metric) select tenant_id, id, 'outsideTemperature' from device where product = 'BX'`,
  )
  const reads = (which: string, from: Date, to: Date) =>
    run(
      `insert into hourly (tenant_id, series_id, hour, n, total, low, high, last_at, last_value)
       select '${tenant}', id, at, 4, 4 * value, value, value, at, value from series,
         generate_series($1::timestamptz, $2, interval '1 hour') at,
         lateral (select case metric when 'temperature' then 14 + id % 8 when 'humidity' then 40 + id % 45 else 4 end::float8 as value) one
       where ${which} order by at, id`,
      [from, new Date(+to - hour)],
    )
  // The one that the product assesses stands for all others.
  const first = `device_id in (${id(1, '1')}, ${id(2, '1')})`
  await reads(first, since, before)
  await run('analyze property, device, series, hourly')
  await inTenant(db, tenant, (tx) => makeDue(tx, 'assess damp', new Date(0)))
  await run(`update device set property_id = null where product = 'MD' and id <> ${id(1, '1')}`)
  await assessDamp(db, before)
  await run(`update device set property_id = ${id(0, `1 + substr(serial, 3)::int % ${homes}`)} where product = 'MD'`)
  // Whose turn it is: those that were reckoned longest ago.
  const turns = Math.ceil(rooms / 168)
  await run(
    `insert into damp_room (tenant_id, device_id, level, reason, since, pressing_since, cold, cold_reason, mean_temperature,
       mean_humidity, humid_days, mould_index, assumed, hours, mould, dry, until, reckoned_at)
     select room.tenant_id, device.id, level, reason, since, pressing_since, cold, cold_reason, mean_temperature, mean_humidity,
       humid_days, mould_index, assumed, hours, mould, dry, until, until - (case when substr(device.serial, 3)::int <= ${turns} then 168 else 12 end) * interval '1 hour'
     from damp_room room, device where device.product = 'MD' and device.id <> room.device_id`,
  )
  // Their homes say so already.
  await run(
    `update property set (damp_level, damp_rank, damp_since) =
    (select level, array_position($1::text[], level) - 1, since from damp_room limit 1)`,
    [[...dampLevels]],
  )
  const theirTurn = `device_id in (select id from device where product = 'MD' and substr(serial, 3)::int between 2 and ${turns})`
  await reads(theirTurn, since, before)
  await reads('true', before, new Date(now))
  await run('vacuum analyze damp_room, hourly, series, device, property')
}
