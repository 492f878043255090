import { parseArgs } from 'node:util'
import { getTenantDashboardData, getWorklist } from '@caretaker/contract/dashboard.ts'
import { fetchViewData, getFieldChoices, shouldUpdateDevice, shouldUpdateView } from '@caretaker/contract/devices.ts'
import { exportListing } from '@caretaker/contract/exports.ts'
import { fieldsOf } from '@caretaker/rules/views/fields.ts'
import type { ListingName } from '@caretaker/rules/views/listings.ts'
import type { Estate } from './estate.ts'
import { inEstate } from './estate.ts'
import { percentile, rounded, timed } from './figures.ts'
import { ingestInto } from './listing-ingest.ts'
import type { Case } from './listing-cases.ts'
import { casesOf, mixedCases } from './listing-cases.ts'

const limits = { alone: 60, ingest: 150, ratio: 3, laterPage: 2, dashboard: 60, poll: 3 }

/**
 * Pages, counts, polls and files at the API in a tenant of 100,000 devices: milliseconds of calls one after the other.
 * `--devices N` changes the size of the tenant, `--runs N` how often each call is made; `--ingest N` lets devices send N
 * messages a second meanwhile; `--data FOLDER` keeps the database there for another time.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      devices: { type: 'string', default: '100000' },
      runs: { type: 'string', default: '50' },
      ingest: { type: 'string' },
      data: { type: 'string' },
    },
  })
  const devices = Number(values.devices)
  await inEstate(
    devices,
    async (estate) => {
      const load = values.ingest && (await ingestInto(estate.test.context, estate.tenant, Number(values.ingest)))
      const figures = await measure(estate, Number(values.runs))
      report(figures, devices, load ? await load.stop() : undefined)
    },
    values.data,
  )
}

interface Figure {
  p50: number
  p95: number
  /** Times the p95 of the default page of its listing. */
  ratio?: number
}
type Figures = Record<string, Figure>

async function measure({ tenant, call }: Estate, runs: number): Promise<Figures> {
  const figures: Figures = {}
  const take = async (name: string, work: () => Promise<unknown>) => {
    const samples = await timed(runs, work)
    figures[name] = { p50: rounded(percentile(samples, 0.5)), p95: rounded(percentile(samples, 0.95)) }
    return figures[name]
  }
  const choicesOf = async (listing: ListingName) => {
    const choices = new Map<string, string[]>()
    for (const { fieldId, dataType, viewFilterable } of fieldsOf(listing, false))
      if (viewFilterable && dataType.startsWith('string'))
        choices.set(fieldId, (await call(getFieldChoices, { body: { tenant, listing, fieldId } })).data!)
    return choices
  }
  const lights = await choicesOf('EmergencyLights')
  const ofLights = new Set(fieldsOf('EmergencyLights', false).map((field) => field.fieldId))
  for (const listing of ['EmergencyLights', 'Boilers'] as const) {
    const body = { tenant, listing }
    const pages = Math.ceil((await call(fetchViewData, { body })).data!.total / 100)
    const base = await take(`${listing} page 1`, () => call(fetchViewData, { body }))
    const cases: Case[] =
      listing === 'EmergencyLights'
        ? [...casesOf(listing, pages, lights, () => true), ...mixedCases(lights)]
        : casesOf(listing, pages, await choicesOf(listing), (field) => !ofLights.has(field.fieldId))
    for (const one of cases) {
      const figure = await take(one.name, () => call(fetchViewData, { body: { tenant, ...one.body } }))
      figure.ratio = rounded(figure.p95 / base.p95, 2)
    }
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
    const columns = fieldsOf('EmergencyLights', false).flatMap((field) => (field.viewable ? field.fieldId : []))
    await call(exportListing, { body: { tenant, listing: 'EmergencyLights', columns, format } })
    const taken = rounded(performance.now() - start)
    figures[`all lights as ${format}`] = { p50: taken, p95: taken }
  }
  return figures
}

function report(figures: Figures, devices: number, ingest: object | undefined): void {
  console.log(JSON.stringify({ devices, ...(ingest && { ingest }), figures }, null, 2))
  const compared = Object.entries(figures).filter(([, figure]) => figure.ratio !== undefined)
  const worst = (of: (figure: Figure) => number, kind = /./) =>
    compared.filter(([name]) => kind.test(name)).toSorted(([, one], [, other]) => of(other) - of(one))[0]!
  const [slowest, { p95 }] = worst((figure) => figure.p95)
  const [furthest, { ratio }] = worst((figure) => figure.ratio!, /^\w+ (sort|filter)/)
  const [, { ratio: later }] = worst((figure) => figure.ratio!, /^\w+ page/)
  const page = figures['EmergencyLights page 1']!
  const most = ingest ? limits.ingest : limits.alone
  console.log(
    `listing: p95 of the default page ${page.p95} ms, of the slowest of ${compared.length} other ways ${p95} ms (${slowest}; must be at most ${most}); a later page ÷ the first ${later} (${limits.laterPage}), furthest ${ratio} (${furthest}; ${limits.ratio}); dashboard ${figures['dashboard']!.p95} ms (${limits.dashboard}), has the view changed ${figures['has the view changed']!.p95} ms (${limits.poll})`,
  )
}
