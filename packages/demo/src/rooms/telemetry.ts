import { arrayOf, copyRows, insertSelect, map } from '../copy.ts'
import type { DeviceSeeder } from '../seeding.ts'
import { historyOf } from './history.ts'

/** Creates readings. They are sent as one row for each series; the database splits them and makes the roll-ups. */
export const seedTelemetry: DeviceSeeder = async ({ client, world, now, historyDays }, devices) => {
  const tenant = world.plan.id
  const histories = devices.flatMap((device) => historyOf(device, now, historyDays))
  if (!histories.length) return
  const { rows: series } = await client.query<{ id: number; device: string; metric: string }>(
    `insert into series (tenant_id, device_id, metric)
     select $1, device, metric from unnest($2::uuid[], $3::text[]) as given (device, metric)
     returning id, device_id as device, metric`,
    [tenant, histories.map(({ deviceId }) => deviceId), histories.map(({ metric }) => metric)],
  )
  const ids = new Map(series.map(({ id, device, metric }) => [`${device} ${metric}`, id]))
  await client.query(
    'create temporary table seed_history (series_id bigint, start_at timestamptz, step interval, readings float8[])',
  )
  await copyRows(
    client,
    'seed_history',
    ['series_id', 'start_at', 'step', 'readings'],
    map(histories, ({ deviceId, metric, start, step, values }) => [
      ids.get(`${deviceId} ${metric}`),
      new Date(start),
      `${step / 1000} seconds`,
      arrayOf(values),
    ]),
  )
  await client.query('analyze seed_history')
  const readings = `
    select series_id, start_at + step * (n - 1) as at, value
    from seed_history cross join lateral unnest(readings) with ordinality as reading (value, n)
    where value is not null`
  await insertSelect(
    client,
    `point (tenant_id, series_id, at, value) select $1, series_id, at, value from (${readings}) as reading`,
    [tenant],
  )
  // As the device link creates them, so that the next reading continues where these end.
  await insertSelect(
    client,
    `hourly (tenant_id, series_id, hour, n, total, low, high, last_at, last_value)
     select $1, series_id, date_bin('1 hour', at, timestamptz 'epoch') as hour,
       count(*), sum(value), min(value), max(value), max(at), (array_agg(value order by at desc))[1]
     from (${readings}) as reading group by series_id, hour order by series_id, hour`,
    [tenant],
  )
  await client.query('drop table seed_history')
}
