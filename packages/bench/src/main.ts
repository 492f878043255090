import { SettingError } from '@caretaker/server/config.ts'

/**
 * `npm run bench -- NAME [options]`: each benchmark prints JSON and a last line with its figure, and exits with 1 if the figure
 * exceeds its limit.
 */
const benches = [
  'ingest',
  'listing',
  'telemetry',
  'live',
  'start',
  'bundle',
  'alerts',
  'import',
  'connections',
  'connections-day',
]

const [name = '', ...args] = process.argv.slice(2)
if (benches.includes(name)) {
  try {
    const { run } = (await import(`./${name}.ts`)) as { run(args: string[]): Promise<void> }
    await run(args)
    // A benchmark that exceeded its limit has set the exit code to 1.
    process.exit(process.exitCode ?? 0)
  } catch (error) {
    console.error(error instanceof SettingError ? error.message : error)
    process.exit(1)
  }
} else {
  console.error(`Usage: npm run bench -- NAME, where NAME is one of ${benches.join(', ')}`)
  process.exit(1)
}
