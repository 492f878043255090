import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { getMapBuildings, getMapDevices } from '@caretaker/contract/maps.ts'
import { frameOf } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import type { Estate } from './estate.ts'
import { inEstate } from './estate.ts'
import { percentile, rounded } from './figures.ts'
import { inBrowser } from './in-browser.ts'

/** Milliseconds, kilobytes as gzip and frames a second: what an answer of a map may cost, and how a browser shows it. */
const limits = { answer: 120, kB: 1500, firstPainted: 1200, frames: 50, floor: 400 }
/** Of a page of 1440 by 960, beside its list. */
const size = { width: 1060, height: 900 }
const middle = { lat: 53.8, lng: -1.55 }

/**
 * A client with 50,000 devices in 20,000 buildings, some in a town and some over the whole country: what its maps answer at each
 * zoom, one call after the other, and how large the answers are. Then in a browser, with the demo: from the address to the first
 * marker, frames a second while the map is dragged, and from the press to a floor with 500 pins. Ends with 1 where one of them is beyond
 * its bound. `--devices N`, `--buildings N`, `--runs N` for each zoom, `--data FOLDER` keeps the database for another time;
 * `--painted N` rounds in the browser, 0 for none.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      devices: { type: 'string', default: '50000' },
      buildings: { type: 'string', default: '20000' },
      runs: { type: 'string', default: '10' },
      data: { type: 'string' },
      painted: { type: 'string', default: '10' },
    },
  })
  const [devices, buildings] = [Number(values.devices), Number(values.buildings)]
  const figures: Record<string, Figure> = {}
  // Of the pages alone.
  if (Number(values.runs) === 0) return inBrowserToo(values.painted)
  await inEstate({ devices, kept: values.data }, async (estate) => {
    await scatter(estate, buildings)
    for (const [name, route] of [
      ['devices', getMapDevices],
      ['buildings', getMapBuildings],
    ] as const)
      figures[name] = await measure(estate, route, Number(values.runs))
  })
  console.log(JSON.stringify({ devices, buildings, figures }, null, 2))
  const told = Object.entries(figures).map(
    ([name, { p95, slowest, kB }]) => `${name} p95 ${p95} ms (zoom ${slowest}), at most ${kB} kB`,
  )
  console.log(`map: ${told.join('; ')} (must be at most ${limits.answer} ms, ${limits.kB} kB)`)
  if (Object.values(figures).some(({ p95, kB }) => p95 > limits.answer || kB > limits.kB)) process.exitCode = 1
  if (Number(values.painted) > 0) await inBrowserToo(values.painted)
}

interface Painted {
  renderer: string
  firstPaintedMs: { p50: number; p95: number }
  frames: { perSecond: number; longest: number }
  pins: number
  floorMs: { p50: number; p95: number }
}

async function inBrowserToo(rounds: string): Promise<void> {
  const painted = await inBrowser<Painted>('map', { BENCH_ROUNDS: rounds })
  console.log(JSON.stringify(painted, null, 2))
  const { renderer, firstPaintedMs, frames, pins, floorMs } = painted
  const isOver =
    firstPaintedMs.p95 > limits.firstPainted || frames.perSecond < limits.frames || floorMs.p95 > limits.floor
  if (isOver) process.exitCode = 1
  console.log(
    `map in a browser (${renderer}): first painted p95 ${firstPaintedMs.p95} ms (must be at most ${limits.firstPainted}); ${frames.perSecond} frames/s while dragged, the longest ${frames.longest} ms (at least ${limits.frames}/s); a floor with ${pins} pins p95 ${floorMs.p95} ms (at most ${limits.floor})`,
  )
}

interface Figure {
  /** Over all zooms; and the zoom whose own is the worst. */
  p50: number
  p95: number
  slowest: number
  /** The largest answer, as gzip. */
  kB: number
  zooms: Record<number, number>
}
/** Every other one in a town of 12 by 12 km, the others over the country; each device in one of the buildings. */
async function scatter({ database: { owner }, tenant }: Estate, buildings: number): Promise<void> {
  await owner.query(
    `insert into building (tenant_id, id, name, latitude, longitude)
     select $1, gen_random_uuid(), 'Bench ' || n,
       case when n % 2 = 0 then $3 + (random() - 0.5) * 0.11 else 51 + random() * 5 end,
       case when n % 2 = 0 then $4 + (random() - 0.5) * 0.18 else -4 + random() * 4 end
     from generate_series(1, $2::int - (select count(*) from building where tenant_id = $1)) as n`,
    [tenant, buildings, middle.lat, middle.lng],
  )
  await owner.query(
    `with numbered as (select id, latitude, longitude, row_number() over (order by id) as n from building where tenant_id = $1),
       spread as (select id, row_number() over (order by id) % (select count(*) from numbered) + 1 as n from device where tenant_id = $1)
     update device set building_id = numbered.id, floor_id = null,
       latitude = numbered.latitude + (random() - 0.5) * 0.0004, longitude = numbered.longitude + (random() - 0.5) * 0.0006
     from spread join numbered using (n) where device.tenant_id = $1 and device.id = spread.id`,
    [tenant],
  )
  await owner.query('vacuum analyze building, device')
}

async function measure(
  { tenant, call }: Estate,
  route: typeof getMapDevices | typeof getMapBuildings,
  runs: number,
): Promise<Figure> {
  const zooms: Record<number, number[]> = {}
  let largest = 0
  for (let run = -2; run < runs; run++)
    for (let zoom = 1; zoom <= mapZooms.most; zoom++) {
      // Somewhere else each time, by steps that are the same in each run of the bench.
      const at = { lat: middle.lat + ((run * 7) % 10) / 200, lng: middle.lng + ((run * 3) % 10) / 120, zoom }
      const body = { tenant, frame: frameOf(at, size), zoom }
      const start = performance.now()
      const answer = await call(route, { body })
      const taken = performance.now() - start
      if (run < 0) continue
      ;(zooms[zoom] ??= []).push(taken)
      largest = Math.max(largest, gzipSync(JSON.stringify(answer)).length)
    }
  const all = Object.values(zooms).flat()
  const worst = Object.entries(zooms).map(
    ([zoom, samples]) => [Number(zoom), rounded(percentile(samples, 0.95))] as const,
  )
  return {
    p50: rounded(percentile(all, 0.5)),
    p95: rounded(percentile(all, 0.95)),
    slowest: worst.toSorted(([, a], [, b]) => b - a)[0]![0],
    kB: rounded(largest / 1000),
    zooms: Object.fromEntries(worst),
  }
}
