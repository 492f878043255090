import type pg from 'pg'

/** The number of rows in a batch, the same as in a full batch of the device link. */
const [series, perSeries] = [600, 8]

/**
 * The rows per second that several connections together insert in full, committed batches into a table with the
 * readings' columns and key. Each connection writes its own series.
 */
export async function bareInsert(owner: pg.Pool, connections: number, seconds: number): Promise<number> {
  await owner.query(`create table bare (tenant_id text not null, series_id bigint not null, at timestamptz not null,
    value double precision not null, primary key (tenant_id, series_id, at))`)
  const from = performance.now()
  const until = from + seconds * 1000
  const counts = await Promise.all(
    Array.from({ length: connections }, (_, at) => insertUntil(owner, until, at * series)),
  )
  const taken = (performance.now() - from) / 1000
  await owner.query('drop table bare')
  return counts.reduce((sum, count) => sum + count, 0) / taken
}

async function insertUntil(owner: pg.Pool, until: number, firstSeries: number): Promise<number> {
  const client = await owner.connect()
  try {
    let rows = 0
    for (let clock = Date.now(); performance.now() < until; clock += perSeries) {
      const [ids, at, value]: [number[], number[], number[]] = [[], [], []]
      for (let id = 1; id <= series; id++)
        for (let n = 0; n < perSeries; n++) {
          ids.push(firstSeries + id)
          at.push(clock + n)
          value.push(18 + (n % 7) / 10)
        }
      await client.query(
        `insert into bare select $1, id, to_timestamp(ms / 1000), value
         from unnest($2::bigint[], $3::float8[], $4::float8[]) as reading (id, ms, value)`,
        ['tenant-1', `{${ids.join()}}`, `{${at.join()}}`, `{${value.join()}}`],
      )
      rows += ids.length
    }
    return rows
  } finally {
    client.release()
  }
}
