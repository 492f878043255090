import { parseArgs } from 'node:util'
import { inBrowser } from './in-browser.ts'

const mostMs = 300

interface Painted {
  rounds: number
  homeMs: { p50: number; p95: number }
  homeWithSensorsMs: { p50: number; p95: number }
}

/**
 * The page of a home, in a browser with the demo: from the press on its row until its name and its cards are painted, of any
 * home, and of one whose sensors fill the cards of its rooms too. `--rounds N` says how often each is pressed.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '20' } } })
  const figures = await inBrowser<Painted>('home', { BENCH_ROUNDS: values.rounds })
  const { homeMs, homeWithSensorsMs } = figures
  console.log(JSON.stringify({ bench: 'home', ...figures }, null, 2))
  console.log(
    `home: painted p50 ${homeMs.p50} ms, p95 ${homeMs.p95} ms, with its rooms p95 ${homeWithSensorsMs.p95} ms (must be at most ${mostMs})`,
  )
  if (Math.max(homeMs.p95, homeWithSensorsMs.p95) > mostMs) process.exitCode = 1
}
