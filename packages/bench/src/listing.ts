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

/**
 * Pages, counts, polls and files at the API in a tenant of 100,000 devices: milliseconds of calls one after the other.
 * `--devices N` changes the size of the tenant, `--tenants N` adds others of the same size, `--runs N` says how often each
 * call is made; `--ingest N` lets devices send N messages a second meanwhile; `--data FOLDER` keeps the database there
 * for another time. The listing of homes is asked in the same ways, of 200,000 unless `--homes N` says otherwise; `--only homes` asks
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
      ...ownServer,
    },
  })
  const world = { devices: Number(values.devices), tenants: Number(values.tenants) }
  const { data: kept, server, machines } = values
  await inEstate({ ...world, kept, server, machines }, async (estate) => {
    if (Number(values.homes)) await addHomes(estate, Number(values.homes))
    if (values.only === 'homes') return reportHomes(await measureHomes(estate, Number(values.runs)))
    const load = values.ingest && (await ingestInto(estate.test.context, estate.tenant, Number(values.ingest)))
    const figures = await measure(estate, Number(values.runs))
    report(figures, world, load ? await load.stop() : undefined)
    reportHomes(await measureHomes(estate, Number(values.runs)))
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

async function measure({ tenant, call }: Estate, runs: number): Promise<Figures> {
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
  const lights = await choicesOf('EmergencyLights')
  const ofLights = new Set<string>(fieldsOf(listings.EmergencyLights, false).map((field) => field.fieldId))
  for (const listing of ['EmergencyLights', 'Boilers'] as const) {
    const body = { tenant, listing }
    const pages = Math.ceil((await call(fetchViewData, { body })).data!.total / 100)
    const first = () => call(fetchViewData, { body })
    const firsts: number[] = []
    const cases: Case[] =
      listing === 'EmergencyLights'
        ? [...casesOf(listing, fieldsOf(listings[listing], false), pages, lights), ...mixedCases(lights)]
        : casesOf(
            listing,
            fieldsOf(listings[listing], false).filter((field) => !ofLights.has(field.fieldId)),
            pages,
            await choicesOf(listing),
          )
    for (const { name, body } of cases) {
      const other = () => call(fetchViewData, { body: { tenant, ...body } })
      const [base, samples] = (await timed(runs, first, other)) as [number[], number[]]
      firsts.push(...base)
      put(name, samples).ratio = rounded(percentile(samples, 0.5) / percentile(base, 0.5), 2)
    }
    put(`${listing} page 1`, firsts)
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
  const page = figures['EmergencyLights page 1']!
  const most = ingest ? limits.ingest : limits.alone
  console.log(
    `listing: the default page p50 ${page.p50}, p95 ${page.p95}, p99 ${page.p99} ms; of ${compared.length} other ways the slowest p95 ${p95} ms (${slowest}; must be at most ${most}), p99 ${p99} ms (${tail}); a later page ÷ the first ${later} (${limits.laterPage}), furthest ${ratio} (${furthest}; ${limits.ratio}); dashboard p95 ${figures['dashboard']!.p95} ms (${limits.dashboard}), has the view changed ${figures['has the view changed']!.p95} ms (${limits.poll})`,
  )
}
