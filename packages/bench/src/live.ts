import { parseArgs } from 'node:util'
import type { Spread } from './figures.ts'
import { spreadOf } from './figures.ts'
import { inBrowser } from './in-browser.ts'
import { roundsOf } from './rounds.ts'

interface Live {
  pages: number
  /** The number of these pages that show a reporting device. */
  devicePages: number
  messagesPerSecond: number
  /** Messages without an acknowledgement. */
  notSent: number
  /** What the other pages received and requested. */
  others: { events: number; polls: number; fetched: number; failed: number }
  /** Ms of each round. */
  paintedMs: Record<'reading' | 'state' | 'answer', number[]>
}

const most = 700

/**
 * Measures the time from a device sending a reading, a state or its reply to a command over MQTT until it is painted on its open
 * page, with 200 open pages that poll every three seconds and fetch changes, and devices that send 1,000 messages a second. Exits
 * with 1 if a limit is exceeded. `--pages N`, `--messages N` a second and `--rounds N` (at least 100) change the load.
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
