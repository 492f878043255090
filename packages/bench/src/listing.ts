import { parseArgs } from 'node:util'
import { getTenantDashboardData, getWorklist } from '@caretaker/contract/dashboard.ts'
import {
  exportListing,
  fetchViewData,
  getFieldChoices,
  shouldUpdateDevice,
  shouldUpdateView,
} from '@caretaker/contract/devices.ts'
import type { Route } from '@caretaker/contract/route.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { fieldsOf } from '@caretaker/rules/lists/list.ts'
import type { Estate } from './estate.ts'
import { inEstate } from './estate.ts'
import { rounded, spreadOf } from './figures.ts'
import type { Case } from './listing-cases.ts'
import { casesOf, mixedCases } from './listing-cases.ts'
import { addHomes, measureHomes, reportHomes } from './listing-homes.ts'
import { ingestInto } from './listing-ingest.ts'
import type { Expected, Figure } from './listing-turns.ts'
import { Callers } from './listing-turns.ts'
import { ownServer } from './own-server.ts'
import { roundsOf } from './rounds.ts'

/**
 * Times in ms on two otherwise idle cores, which four callers share with the server and the database; p99 covers all
 * calls. Higher limits apply while devices send messages.
 */
const limits = { p95: 150, p99: 250, dashboard: 150, poll: 15, ratio: 3, laterPage: 2 }
const withIngest = { p95: 300, p99: 500 }
const names = Object.keys(listings) as ListingName[]
/** The devices of a demo whose emergency light listing has 100,000 rows: 43 of 100 devices are emergency lights. */
const devicesFor100000Lights = 232_500

/**
 * Pages of all eight listings, counts, polls and files, requested by several concurrent callers over real sockets
 * (`--callers 4`), from a client whose emergency light listing has 100,000 rows. The rows of the first and some later
 * pages are compared with plain SQL, and those of all responses with the first response to the same call. Each other
 * query takes turns with the first page of its listing; the ratio is the median of the ratios of single turns.
 *
 * `--devices N` changes the size of the client. With `--tenants N` there are N clients of mixed size, `--devices` on average, and
 * the largest is queried (`--tenants 200 --devices 5000` is a million). `--runs N` sets how often each call is made, `--listings
 * A,B` limits the listings, and `--ways PATTERN` the queries. With `--ingest N`, devices send N messages a second meanwhile;
 * `--data FOLDER` keeps the database for later runs. The properties listing is queried in the same ways, with 200,000 properties
 * unless `--homes N` sets another number, and not at all with 0; `--only homes` skips everything else. `--server URL` and `--machines N`
 * are the same as for the ingest benchmark. Exits with 1 if a call exceeds its limit.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      devices: { type: 'string', default: String(devicesFor100000Lights) },
      tenants: { type: 'string', default: '1' },
      callers: { type: 'string', default: '4' },
      runs: { type: 'string', default: '40' },
      ingest: { type: 'string' },
      data: { type: 'string' },
      homes: { type: 'string', default: '200000' },
      only: { type: 'string' },
      ways: { type: 'string', default: '.' },
      listings: { type: 'string', default: names.join() },
      ...ownServer,
    },
  })
  const asked = names.filter((name) => values.listings.split(',').includes(name))
  const world = { devices: Number(values.devices), tenants: Number(values.tenants) }
  const [turns, ways] = [roundsOf('runs', values.runs, 'p95'), new RegExp(values.ways)]
  const { data: kept, server, machines } = values
  await inEstate({ ...world, kept, server, machines }, async (estate) => {
    const homes = Number(values.homes)
    if (homes) await addHomes(estate, homes)
    const open = (isMoving: boolean) => new Callers({ estate, callers: Number(values.callers), turns, isMoving })
    if (values.only !== 'homes') {
      const load = values.ingest
        ? await ingestInto(estate.test.context, estate.tenant, Number(values.ingest))
        : undefined
      const callers = open(load !== undefined)
      const measured = await measure(estate, callers, { asked, ways })
      await callers.close()
      report(measured, { ...world, callers: Number(values.callers) }, load && (await load.stop()))
    }
    if (!homes) return
    const callers = open(false)
    reportHomes(await measureHomes(estate, callers, ways), limits.p95)
    await callers.close()
  })
}

interface Measured {
  figures: Record<string, Figure>
  /** Rows of each queried listing, counted by plain SQL. */
  rows: Partial<Record<ListingName, number>>
  /** p99 of all other queries together. */
  p99: number | null
  /** Responses whose rows had changed since the first one, while devices were sending. */
  differing: number
}

async function measure(
  estate: Estate,
  callers: Callers,
  { asked, ways }: { asked: readonly ListingName[]; ways: RegExp },
): Promise<Measured> {
  const { tenant, manager } = estate
  const figures: Measured['figures'] = {}
  const counts: Measured['rows'] = {}
  for (const listing of asked) {
    const body = { tenant, listing }
    const shown = (await manager.call(fetchViewData, { body })).data!.rows.length
    const expected = await rowsBySql(estate, listing, shown, 1)
    counts[listing] = expected.total
    const first = { name: `${listing} page 1`, body, expected }
    const firsts: number[] = []
    const choices = await choicesOf(estate, listing)
    const pages = Math.max(1, Math.ceil(expected.total / shown))
    const cases: Case[] = [
      ...casesOf(listing, fieldsOf(listings[listing], false), pages, choices),
      ...(listing === 'EmergencyLights' ? mixedCases(choices) : []),
    ]
    for (const { name, body: own } of cases.filter(({ name }) => ways.test(name))) {
      const isLaterPage = own.page !== undefined && !own.sorts && !own.filters && !own.search
      const way = {
        ...{ name, body: { tenant, ...own } },
        ...(isLaterPage && { expected: await rowsBySql(estate, listing, shown, own.page!) }),
      }
      const { figure, firsts: some } = await callers.ask(fetchViewData, manager, way, first)
      figures[name] = figure
      firsts.push(...some)
    }
    if (firsts.length) figures[first.name] = spreadOf(firsts)
  }
  const p99 = spreadOf(callers.all).p99
  const take = async (name: string, route: Route, body: object) => {
    figures[name] = (await callers.ask(route, manager, { name, body: { tenant, ...body } })).figure
  }
  await take('dashboard', getTenantDashboardData, {})
  await take('work list', getWorklist, {})
  const now = Date.now()
  await take('has the view changed', shouldUpdateView, { deviceTypes: ['EM', 'EL'], date: now })
  const { rows } = (await manager.call(fetchViewData, { body: { tenant, listing: 'EmergencyLights' } })).data!
  await take('has the device changed', shouldUpdateDevice, { deviceId: rows[0]!.deviceId, date: now })
  for (const format of ['csv', 'xlsx'] as const) figures[`all lights as ${format}`] = await exportLights(estate, format)
  return { figures, rows: counts, p99, differing: callers.differing }
}

async function choicesOf({ tenant, manager }: Estate, listing: ListingName): Promise<Map<string, string[]>> {
  const choices = new Map<string, string[]>()
  for (const { fieldId, dataType, viewFilterable } of fieldsOf(listings[listing], false))
    if (viewFilterable && dataType.startsWith('string'))
      choices.set(fieldId, (await manager.call(getFieldChoices, { body: { tenant, listing, fieldId } })).data!)
  return choices
}

/** A page of a listing in its default order. */
async function rowsBySql(
  { tenant, database: { owner } }: Estate,
  listing: ListingName,
  size: number,
  page: number,
): Promise<Expected> {
  const { rows } = await owner.query<{ ids: string[]; total: number }>(
    `select (select count(*)::int from device where tenant_id = $1 and product = any($2)) as total, array(
       select id from device where tenant_id = $1 and product = any($2) order by severity desc, serial limit $3 offset $4) as ids`,
    [tenant, listings[listing].products, size, (page - 1) * size],
  )
  return rows[0]!
}

/** One download of all lights with all columns; it must have a line for each of them. */
async function exportLights({ tenant, origin, manager }: Estate, format: 'csv' | 'xlsx'): Promise<Figure> {
  const columns = fieldsOf(listings.EmergencyLights, false).flatMap((field) => (field.viewable ? field.fieldId : []))
  const begun = performance.now()
  const response = await fetch(origin + exportListing.path, {
    method: exportListing.method,
    headers: { authorization: await manager.authorization(), 'content-type': 'application/json' },
    body: JSON.stringify({ tenant, listing: 'EmergencyLights', columns, format }),
  })
  if (response.status !== 200) throw new Error(`${exportListing.path}: ${response.status} ${await response.text()}`)
  const file = await response.bytes()
  const taken = performance.now() - begun
  if (format === 'csv') {
    const { total } = (await manager.call(fetchViewData, { body: { tenant, listing: 'EmergencyLights' } })).data!
    const lines = Buffer.from(file).toString().trimEnd().split('\r\n').length - 1
    if (lines !== total) throw new Error(`the file has ${lines} lights, the listing ${total}`)
  }
  return spreadOf([taken])
}

function report(
  { figures, rows, p99, differing }: Measured,
  world: { devices: number; tenants: number; callers: number },
  ingest: object | undefined,
): void {
  console.log(JSON.stringify({ ...world, rows, ...(ingest && { ingest, differing }), figures }, null, 2))
  const compared = Object.entries(figures).filter(([, figure]) => figure.ratio !== undefined)
  const worst = (of: (figure: Figure) => number, kind = /./) =>
    compared.filter(([name]) => kind.test(name)).toSorted(([, one], [, other]) => of(other) - of(one))[0]
  const most = ingest ? withIngest : limits
  const [dashboard, poll] = [figures['dashboard']!.p95!, figures['has the view changed']!.p95!]
  const [slowest = '', slow] = worst((figure) => figure.p95!) ?? []
  const [furthest = '', far] = worst((figure) => figure.ratio!, /^\w+ (sort|filter)/) ?? []
  const later = worst((figure) => figure.ratio!, /^\w+ page/)?.[1].ratio
  const isSlow = (slow?.p95 ?? 0) > most.p95 || (p99 ?? 0) > most.p99
  if (isSlow || (!ingest && (dashboard > limits.dashboard || poll > limits.poll))) process.exitCode = 1
  for (const [listing, count] of Object.entries(rows)) {
    const first = figures[`${listing} page 1`]
    if (first)
      console.log(`listing: ${listing}, ${count} rows: page 1 p50 ${first.p50} ms, p95 ${first.p95}, p99 ${first.p99}`)
  }
  console.log(
    `listing: ${world.callers} callers at once; of ${compared.length} other ways the slowest p95 ${slow?.p95} ms (${slowest}; must be at most ${most.p95}), p99 of all ${p99} ms (at most ${most.p99}); a later page ÷ the first ${later} (${limits.laterPage}), furthest ${far?.ratio} (${furthest}; ${limits.ratio}); dashboard p95 ${rounded(dashboard)} ms (${limits.dashboard}), has the view changed ${poll} ms (${limits.poll})`,
  )
}
