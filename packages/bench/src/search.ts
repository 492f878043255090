import { parseArgs } from 'node:util'
import { searchEverything } from '@caretaker/contract/search.ts'
import type { Estate } from './estate.ts'
import { inEstate } from './estate.ts'
import { percentile, rounded, timed } from './figures.ts'

/** In ms. */
const most = 100
/** From what few devices have to what a third has: each takes another part of the work. */
const texts = ['em1000217', 'stairwell b', 'mill', 'leeds', 'stair', 'em', 'damp', 'nothing at all']

/**
 * The search over everything at the API in a tenant of 100,000 devices: p50 and p95 in ms of each text, one after the other.
 * `--devices N` changes the size of the tenant, `--data FOLDER` keeps it for the next time.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      devices: { type: 'string', default: '100000' },
      runs: { type: 'string', default: '50' },
      data: { type: 'string' },
    },
  })
  const measure = async ({ tenant, call }: Estate) => {
    const figures: Record<string, { found: number; p50: number; p95: number }> = {}
    for (const search of texts) {
      const sent = { body: { tenant, search } }
      const { data } = await call(searchEverything, sent)
      const [samples = []] = await timed(Number(values.runs), () => call(searchEverything, sent))
      figures[search] = {
        found: data!.devices!.total,
        p50: rounded(percentile(samples, 0.5)),
        p95: rounded(percentile(samples, 0.95)),
      }
    }
    const slowest = Math.max(...Object.values(figures).map(({ p95 }) => p95))
    console.log(JSON.stringify({ devices: Number(values.devices), figures }, null, 2))
    console.log(`search: the slowest of ${texts.length} texts, p95 ${slowest} ms (must be at most ${most})`)
    if (slowest > most) process.exitCode = 1
  }
  await inEstate({ devices: Number(values.devices), kept: values.data }, measure)
}
