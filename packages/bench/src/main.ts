import { SettingError } from '@caretaker/server/config.ts'

/** `npm run bench -- NAME [options]`: each bench prints JSON and one last line with its figure, and ends with 1 where that is beyond its bound. */
const benches = ['ingest', 'listing', 'telemetry', 'live', 'start', 'bundle', 'alerts', 'import']

const [name = '', ...args] = process.argv.slice(2)
if (benches.includes(name)) {
  try {
    const { run } = (await import(`./${name}.ts`)) as { run(args: string[]): Promise<void> }
    await run(args)
    // A bench whose figure is missed has set it to 1.
    process.exit(process.exitCode ?? 0)
  } catch (error) {
    console.error(error instanceof SettingError ? error.message : error)
    process.exit(1)
  }
} else {
  console.error(`Usage: npm run bench -- NAME, where NAME is one of ${benches.join(', ')}`)
  process.exit(1)
}
