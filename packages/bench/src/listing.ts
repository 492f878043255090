import { parseArgs } from 'node:util'
import { getTenantDashboardData, getWorklist } from '@caretaker/contract/dashboard.ts'
import { fetchViewData, getFieldChoices, shouldUpdateDevice, shouldUpdateView } from '@caretaker/contract/devices.ts'
import { exportListing } from '@caretaker/contract/devices.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { fieldsOf } from '@caretaker/rules/lists/list.ts'
import type { Estate } from './estate.ts'
import { inEstate } from './estate.ts'
import { percentile, rounded, timed } from './figures.ts'
import { ownServer } from './own-server.ts'
import { addHomes, measureHomes, reportHomes } from './listing-homes.ts'
import { ingestInto } from './listing-ingest.ts'
import type { Case } from './listing-cases.ts'
import { casesOf, mixedCases } from './listing-cases.ts'
import { listings } from '@caretaker/rules/devices/list.ts'

const limits = { alone: 60, ingest: 150, ratio: 3, laterPage: 2, dashboard: 60, poll: 3 }
/** Of the slowest call in a hundred, without and with messages of devices. */
const tails = { alone: 100, ingest: 250 }
const names = Object.keys(listings) as ListingName[]

/**
 * Pages of all eight listings, counts, polls and files at the API in a tenant of 100,000 devices: milliseconds of calls one after the other.
 * `--devices N` changes the size of the tenant; with `--tenants N` there are so many of mixed size, of `--devices` on average, and the
 * largest is asked (`--tenants 200 --devices 5000` are a million). `--runs N` says how often each call is made, `--listings A,B` which
 * listings are asked alone, and `--ways PATTERN` in which ways. Ends with 1 where a call is beyond its bound. `--ingest N` lets devices send N messages a second meanwhile; `--data FOLDER` keeps the database there
 * for another time. The listing of homes is asked in the same ways, of 200,000 unless `--homes N` says otherwise, and not at all of 0; `--only homes` asks
 * for nothing else. `--server URL` and `--machines N` are those of the bench of ingest. Each other way to ask for a listing takes turns with its default page, so that both meet the same
 * weather: the ratio is that of the medians.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      devices: { type: 'string', default: '100000' },
      tenants: { type: 'string', default: '1' },
      runs: { type: 'string', default: '50' },
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
  const { data: kept, server, machines } = values
  await inEstate({ ...world, kept, server, machines }, async (estate) => {
    if (Number(values.homes)) await addHomes(estate, Number(values.homes))
    const ofHomes = async () => reportHomes(await measureHomes(estate, Number(values.runs), new RegExp(values.ways)))
    if (values.only === 'homes') return ofHomes()
    const load = values.ingest && (await ingestInto(estate.test.context, estate.tenant, Number(values.ingest)))
    const figures = await measure(estate, { runs: Number(values.runs), asked, ways: new RegExp(values.ways) })
    report(figures, world, load ? await load.stop() : undefined)
    if (Number(values.homes)) await ofHomes()
  })
}

interface Figure {
  p50: number
  p95: number
  p99: number
  /** Times the default page of its listing. */
  ratio?: number
}
type Figures = Record<string, Figure>

interface Asking {
  runs: number
  asked: readonly ListingName[]
  ways: RegExp
}

async function measure({ tenant, call }: Estate, { runs, asked, ways }: Asking): Promise<Figures> {
  const figures: Figures = {}
  const put = (name: string, samples: number[]): Figure => {
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => rounded(percentile(samples, share)))
    return (figures[name] = { p50: p50!, p95: p95!, p99: p99! })
  }
  const take = async (name: string, work: () => Promise<unknown>) => put(name, (await timed(runs, work))[0]!)
  const choicesOf = async (listing: ListingName) => {
    const choices = new Map<string, string[]>()
    for (const { fieldId, dataType, viewFilterable } of fieldsOf(listings[listing], false))
      if (viewFilterable && dataType.startsWith('string'))
        choices.set(fieldId, (await call(getFieldChoices, { body: { tenant, listing, fieldId } })).data!)
    return choices
  }
  for (const listing of asked) {
    const body = { tenant, listing }
    const pages = Math.max(1, Math.ceil((await call(fetchViewData, { body })).data!.total / 100))
    const first = () => call(fetchViewData, { body })
    const firsts: number[] = []
    const choices = await choicesOf(listing)
    const cases: Case[] = [
      ...casesOf(listing, fieldsOf(listings[listing], false), pages, choices),
      ...(listing === 'EmergencyLights' ? mixedCases(choices) : []),
    ]
    for (const { name, body } of cases.filter(({ name }) => ways.test(name))) {
      const other = () => call(fetchViewData, { body: { tenant, ...body } })
      const [base, samples] = (await timed(runs, first, other)) as [number[], number[]]
      firsts.push(...base)
      put(name, samples).ratio = rounded(percentile(samples, 0.5) / percentile(base, 0.5), 2)
    }
    if (firsts.length) put(`${listing} page 1`, firsts)
  }
  await take('dashboard', () => call(getTenantDashboardData, { body: { tenant } }))
  await take('what needs somebody today', () => call(getWorklist, { body: { tenant } }))
  const now = Date.now()
  await take('has the view changed', () =>
    call(shouldUpdateView, { body: { tenant, deviceTypes: ['EM', 'EL'], date: now } }),
  )
  const { rows } = (await call(fetchViewData, { body: { tenant, listing: 'EmergencyLights' } })).data!
  const { deviceId } = rows[0]!
  await take('has the device changed', () => call(shouldUpdateDevice, { body: { tenant, deviceId, date: now } }))
  for (const format of ['csv', 'xlsx'] as const) {
    const start = performance.now()
    const columns = fieldsOf(listings.EmergencyLights, false).flatMap((field) => (field.viewable ? field.fieldId : []))
    await call(exportListing, { body: { tenant, listing: 'EmergencyLights', columns, format } })
    const taken = performance.now() - start
    put(`all lights as ${format}`, [taken])
  }
  return figures
}

function report(figures: Figures, world: { devices: number; tenants: number }, ingest: object | undefined): void {
  console.log(JSON.stringify({ ...world, ...(ingest && { ingest }), figures }, null, 2))
  const compared = Object.entries(figures).filter(([, figure]) => figure.ratio !== undefined)
  const worst = (of: (figure: Figure) => number, kind = /./) =>
    compared.filter(([name]) => kind.test(name)).toSorted(([, one], [, other]) => of(other) - of(one))[0]!
  const [slowest, { p95 }] = worst((figure) => figure.p95)
  const [tail, { p99 }] = worst((figure) => figure.p99)
  const [furthest, { ratio }] = worst((figure) => figure.ratio!, /^\w+ (sort|filter)/)
  const [, { ratio: later }] = worst((figure) => figure.ratio!, /^\w+ page/)
  const first = Object.entries(figures).find(([name]) => name.endsWith(' page 1'))!
  const most = ingest ? limits.ingest : limits.alone
  const longest = ingest ? tails.ingest : tails.alone
  const [dashboard, poll] = [figures['dashboard']!.p95, figures['has the view changed']!.p95]
  if (p95 > most || p99 > longest || (!ingest && (dashboard > limits.dashboard || poll > limits.poll)))
    process.exitCode = 1
  console.log(
    `listing: ${first[0]} p50 ${first[1].p50}, p95 ${first[1].p95}, p99 ${first[1].p99} ms; of ${compared.length} other ways the slowest p95 ${p95} ms (${slowest}; must be at most ${most}), p99 ${p99} ms (${tail}; at most ${longest}); a later page ÷ the first ${later} (${limits.laterPage}), furthest ${ratio} (${furthest}; ${limits.ratio}); dashboard p95 ${dashboard} ms (${limits.dashboard}), has the view changed ${poll} ms (${limits.poll})`,
  )
}
