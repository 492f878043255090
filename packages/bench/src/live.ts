import { parseArgs } from 'node:util'
import { inBrowser } from './in-browser.ts'

interface Live {
  pages: number
  /** Of them those that show a device that speaks. */
  lookers: number
  messagesPerSecond: number
  /** Messages that were not acknowledged. */
  unsaid: number
  /** What the other pages heard, asked and fetched. */
  others: { events: number; polls: number; fetched: number; failed: number }
  paintedMs: Record<'reading' | 'state' | 'answer', { p50: number; p95: number; p99: number; longest: number }>
}

const most = 700

/**
 * From the moment at which a device sends a reading, a state or its answer to a command over MQTT until it is painted on its open page,
 * with 200 pages open, of which each asks every three seconds and fetches what changed, and devices that say 1,000 messages a second. Ends with 1 when it is
 * missed. `--pages N`, `--messages N` a second and `--rounds N` change what is measured.
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
  const figures = await inBrowser<Live>('live', {
    BENCH_PAGES: values.pages,
    BENCH_MESSAGES: values.messages,
    BENCH_ROUNDS: values.rounds,
  })
  console.log(JSON.stringify({ bench: 'live', ...figures }, null, 2))
  for (const [what, { p50, p95, p99 }] of Object.entries(figures.paintedMs))
    console.log(`live: ${what} to painted p50 ${p50} ms, p95 ${p95} ms (must be at most ${most}), p99 ${p99} ms`)
  if (Object.values(figures.paintedMs).some(({ p95 }) => p95 > most)) process.exitCode = 1
}
