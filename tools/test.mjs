// `npm test`: everything, starting from an empty checkout. `npm test -- --only PART` and `npm test -- part/of/a/path`
// run less and add their results to the stored ones.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { check } from './check.mjs'
import { childEnv, refuse, root, run } from './child.mjs'
import { chromiumPath } from './chromium.mjs'
import { ensureBuilt, node24, nodeFlags, underNode24 } from './install.mjs'
import './with-parent.mjs'
import { endReport, mergeResults, readResults, resultLine, resultsFolder, runTime, timeReport } from './results.mjs'

/** The Vitest projects of a part; all of them for `unit`. The other parts are `checks` and `e2e`. */
const projectsOf = {
  unit: [],
  pure: ['rules', 'contract', 'web'],
  server: ['server', 'alone'],
  components: ['components'],
}
const partNames = ['checks', ...Object.keys(projectsOf), 'e2e']
const usage =
  `npm test [-- [--only ${partNames.join('|')}] [--watch] [--coverage] [--changed REF] [--shard 1/4] ` +
  '[--shuffle | --seed NUMBER] [part of a path …]]'
const playwrightConfig = path.join(root, 'packages', 'e2e', 'playwright.config.ts')
const unitFolders = [
  'tools',
  'packages/rules',
  'packages/contract',
  'packages/client',
  'packages/server',
  'packages/demo',
  'packages/simulator',
  'packages/web',
  'packages/bench',
]
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')

let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (interrupted = true))

const { only, filters, isWatching, withCoverage, changedSince, shard, seed } = readArguments(process.argv.slice(2))
await underNode24(import.meta.url)
process.env.CARETAKER_RUN = new Date().toISOString()

const everything = filters.length === 0 && !isWatching
const runsPart = (...names) => only === undefined || names.includes(only)
const runsUnit = only === undefined || only in projectsOf
/** Results of a shard, a project or the tests of a change are added to the stored ones; a complete run replaces them. */
const isWhole = everything && !shard && !changedSince && [undefined, 'unit', 'e2e'].includes(only)
const matches = (file) => filters.length === 0 || filters.some((filter) => file.includes(filter))
const unitFiles = runsUnit ? unitFolders.flatMap((folder) => filesBelow(folder, /\.test\.tsx?$/)).filter(matches) : []
const specFiles = runsPart('e2e') ? filesBelow('packages/e2e', /\.spec\.tsx?$/).filter(matches) : []

// A result that a complete run does not repeat is outdated.
if (isWhole)
  for (const name of only ? [only] : ['unit', 'e2e'])
    rmSync(path.join(resultsFolder(), `${name}.json`), { force: true })

/** @type {{ name: string, seconds: number }[]} */
const phases = []
// Only the first of several shards runs the checks.
if (everything && runsPart('checks', 'unit') && (!shard || shard.startsWith('1/')))
  await timed('format, lint and types', checkSources)
await timed('web pages', buildWeb)
if (unitFiles.length && !interrupted) await timed('unit and server tests', runUnit)
if (specFiles.length && !interrupted) await timed('browser tests', runBrowserTests)
if (!isWatching) await conclude()

function readArguments(args) {
  const { values, positionals } = parse(args)
  const { only, watch: isWatching = false, coverage: withCoverage = false, changed, shard, shuffle, seed } = values
  if (only !== undefined && !partNames.includes(only)) refuse(`Unknown part ${only}: ${usage}`)
  if (shard !== undefined && !isShard(shard)) refuse(`${shard} is not a shard such as 1/4: ${usage}`)
  if (seed !== undefined && !/^\d{1,9}$/.test(seed)) refuse(`The seed ${seed} is not a number: ${usage}`)
  return {
    only: only ?? (isWatching || withCoverage ? 'unit' : undefined),
    filters: positionals.map((filter) => filter.replaceAll('\\', '/').replace(/^\.\//, '')),
    isWatching,
    withCoverage,
    changedSince: changed,
    shard,
    seed: seed ?? (shuffle ? String(Math.floor(Math.random() * 1e9)) : undefined),
  }
}

function parse(args) {
  const text = /** @type {const} */ ({ type: 'string' })
  const flag = /** @type {const} */ ({ type: 'boolean' })
  const options = { only: text, changed: text, shard: text, seed: text, shuffle: flag, watch: flag, coverage: flag }
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    return refuse(`${error.message}: ${usage}`)
  }
}

function isShard(text) {
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  return Number(part) >= 1 && Number(part) <= Number(parts)
}

/** @returns {string[]} */
function filesBelow(folder, pattern) {
  const full = path.join(root, folder)
  if (!existsSync(full)) return []
  return readdirSync(full, { withFileTypes: true })
    .flatMap((entry) => {
      if (['node_modules', 'dist'].includes(entry.name)) return []
      if (entry.isDirectory()) return filesBelow(`${folder}/${entry.name}`, pattern)
      return pattern.test(entry.name) ? [`${folder}/${entry.name}`] : []
    })
    .sort()
}

async function timed(name, phase) {
  const begun = Date.now()
  await phase()
  phases.push({ name, seconds: (Date.now() - begun) / 1000 })
}

/** Stores a result that no test runner reports. */
function note(name, title, file, ok, seconds, reason) {
  const status = ok ? 'passed' : 'failed'
  const same = (kept) => kept.file === file && kept.title === title
  mergeResults(name, [{ title, file, status, seconds, ...(ok ? {} : { reason }), at: runTime() }], same)
}

async function checkSources() {
  console.log('Format, lint and types')
  const begun = Date.now()
  const failed = (await check()).filter(({ ok }) => !ok).map((outcome) => outcome.name)
  note(
    'unit',
    'format, lint and types',
    'tools/check.mjs',
    !failed.length,
    (Date.now() - begun) / 1000,
    `failed: ${failed.join(', ')}`,
  )
}

async function buildWeb() {
  // A page that someone is still editing must not keep other developers from running their own tests.
  if (!specFiles.length && !(everything && runsPart('unit', 'server'))) return
  const begun = Date.now()
  if (!(await ensureBuilt())) {
    note(
      only === 'e2e' ? 'e2e' : 'unit',
      'the web pages are built',
      'packages/web/vite.config.ts',
      false,
      (Date.now() - begun) / 1000,
      'vite build failed',
    )
  }
}

async function runUnit() {
  console.log(`\nUnit and server tests (${unitFiles.length} files)`)
  if (seed !== undefined) console.log(`In random order: repeat it with --seed ${seed}`)
  const args = [isWatching ? 'watch' : 'run', ...filters]
  for (const project of projectsOf[only] ?? []) args.push(`--project=${project}`)
  if (changedSince) args.push(`--changed=${changedSince}`, '--passWithNoTests')
  if (isWatching) args.push('--reporter=default')
  if (withCoverage) args.push('--coverage')
  if (shard) args.push(`--shard=${shard}`)
  const env = childEnv(seed === undefined ? {} : { CARETAKER_TEST_SEED: seed })
  const { code } = await run(node24(), [...nodeFlags, vitest, ...args], { env })
  if (!isWatching) noteRunner('unit', 'vitest', 'tools/test.mjs', code)
}

async function runBrowserTests() {
  console.log(`\nBrowser tests (${specFiles.length} files)`)
  const chromium = await chromiumPath()
  if (!chromium) {
    note(
      'e2e',
      'a Chromium is there',
      'tools/chromium.mjs',
      false,
      0,
      'none found or installable: install one or set CHROMIUM_PATH',
    )
    return
  }
  const cli = path.join(root, 'node_modules', '@playwright', 'test', 'cli.js')
  const chosen = everything ? [] : specFiles.map((file) => file.replaceAll(/[.+*?()[\]{}^$|\\]/g, String.raw`\$&`))
  const options = [
    ...(changedSince ? [`--only-changed=${changedSince}`, '--pass-with-no-tests'] : []),
    ...(shard ? [`--shard=${shard}`] : []),
    ...(seed === undefined ? [] : [`--shuffle=${seed}`]),
  ]
  const { code } = await run(node24(), [cli, 'test', '--config', playwrightConfig, ...options, ...chosen], {
    env: childEnv({ CHROMIUM_PATH: chromium }),
    // The runner stops its servers when interrupted, but leaves them running when terminated.
    stopBy: 'SIGINT',
  })
  noteRunner('e2e', 'playwright test', 'tools/test.mjs', code)
}

/** A runner that fails without a failed test, for instance because it could not start, counts as a failure. */
function noteRunner(name, title, file, code) {
  const explained = readResults(name).some(
    (result) => result.at === runTime() && result.status === 'failed' && result.file !== 'tools/check.mjs',
  )
  if (code !== 0 && !explained) note(name, title, file, false, 0, `the runner ended with code ${code}`)
}

async function conclude() {
  const names = ['unit', 'e2e']
  const results = names.flatMap((name) => readResults(name)).filter((result) => result.at === runTime())
  const having = (status) => results.filter((result) => result.status === status)
  const list = (heading, some) => some.length && console.log(`\n${[heading, ...some.map(resultLine)].join('\n')}`)
  list('Skipped:', having('skipped'))
  list(
    'Flaky, to be fixed:',
    having('passed').filter(({ reason }) => reason),
  )
  if (isWhole) {
    const { summary } = await import('./spec.ts')
    console.log(`\n${summary()}`)
  }
  console.log(`\n${timeReport(phases.filter(({ seconds }) => seconds >= 0.1))}`)
  if (interrupted) console.log('\nInterrupted: not everything ran.')
  console.log(`\n${endReport(results)}`)
  const isEmpty = !having('passed').length && !changedSince
  process.exitCode = having('failed').length || isEmpty || interrupted ? 1 : 0
}
