import { parseArgs } from 'node:util'
import type { Spread } from './figures.ts'
import { spreadOf } from './figures.ts'
import { inBrowser } from './in-browser.ts'
import { roundsOf } from './rounds.ts'

interface Live {
  pages: number
  /** Of them those that show a device that speaks. */
  lookers: number
  messagesPerSecond: number
  /** Messages that were not acknowledged. */
  unsaid: number
  /** What the other pages heard, asked and fetched. */
  others: { events: number; polls: number; fetched: number; failed: number }
  /** Ms of each round. */
  paintedMs: Record<'reading' | 'state' | 'answer', number[]>
}

const most = 700

/**
 * From the moment at which a device sends a reading, a state or its answer to a command over MQTT until it is painted on its open page,
 * with 200 pages open, of which each asks every three seconds and fetches what changed, and devices that say 1,000 messages a second. Ends with 1 when it is
 * missed. `--pages N`, `--messages N` a second and `--rounds N` (100 at least) change what is measured.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '200' },
      messages: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '100' },
    },
  })
  const { paintedMs, ...figures } = await inBrowser<Live>('live', {
    BENCH_PAGES: values.pages,
    BENCH_MESSAGES: values.messages,
    BENCH_ROUNDS: String(roundsOf('rounds', values.rounds, 'p99')),
  })
  const spreads = Object.entries(paintedMs).map(([what, samples]): [string, Spread] => [what, spreadOf(samples)])
  console.log(JSON.stringify({ bench: 'live', ...figures, paintedMs: Object.fromEntries(spreads) }, null, 2))
  for (const [what, { p50, p95, p99 }] of spreads)
    console.log(`live: ${what} to painted p50 ${p50} ms, p95 ${p95} ms (must be at most ${most}), p99 ${p99} ms`)
  if (spreads.some(([, { p95 }]) => p95! > most)) process.exitCode = 1
}
