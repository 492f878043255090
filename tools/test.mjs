// `npm test`: everything, from an empty checkout on. `npm test -- --only unit`, `npm test -- --only e2e` and `npm test -- part/of/a/path`
// run less and put their results beside the kept ones.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { check } from './check.mjs'
import { childEnv, refuse, root, run } from './child.mjs'
import { chromiumPath } from './chromium.mjs'
import { ensureBuilt, node24, nodeFlags, underNode24 } from './install.mjs'
import './with-parent.mjs'
import { mergeResults, readResults, resultsFolder, runTime, timeReport } from './results.mjs'

const usage = 'npm test [-- [--only unit|e2e] [part of a path …]]'
const playwrightConfig = path.join(root, 'packages', 'e2e', 'playwright.config.ts')
const unitFolders = [
  'tools',
  'packages/rules',
  'packages/contract',
  'packages/server',
  'packages/demo',
  'packages/simulator',
  'packages/web',
  'packages/bench',
]
/** A single test that hangs longer than this fails. */
const testTimeout = 300_000

let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (interrupted = true))

const { only, filters } = readArguments(process.argv.slice(2))
await underNode24(import.meta.url)
process.env.CARETAKER_RUN = new Date().toISOString()

const everything = filters.length === 0
const matches = (file) => everything || filters.some((filter) => file.includes(filter))
const unitFiles =
  only === 'e2e' ? [] : unitFolders.flatMap((folder) => filesBelow(folder, /\.test\.tsx?$/)).filter(matches)
const specFiles = only === 'unit' ? [] : filesBelow('packages/e2e', /\.spec\.tsx?$/).filter(matches)

// What a complete run does not find again is no longer true.
if (everything)
  for (const name of only ? [only] : ['unit', 'e2e'])
    rmSync(path.join(resultsFolder(), `${name}.json`), { force: true })

/** @type {{ name: string, seconds: number }[]} */
const phases = []
if (everything && only !== 'e2e') await timed('format, lint and types', checkHouse)
await timed('web pages', buildWeb)
if (unitFiles.length && !interrupted) await timed('unit and server tests', runUnit)
if (specFiles.length && !interrupted) await timed('browser tests', runBrowserTests)
if (only !== 'unit' && everything && !existsSync(playwrightConfig))
  console.log('\nThe browser tests were left out: packages/e2e/playwright.config.ts is not there yet.')
await conclude()

/** @returns {{ only?: string, filters: string[] }} */
function readArguments(args) {
  /** @type {{ only?: string, filters: string[] }} */
  const read = { filters: [] }
  for (let at = 0; at < args.length; at++) {
    if (args[at] === '--only') read.only = args[++at]
    else if (args[at].startsWith('-')) refuse(`Unknown option ${args[at]}: ${usage}`)
    else read.filters.push(args[at].replaceAll('\\', '/').replace(/^\.\//, ''))
  }
  if (read.only !== undefined && !['unit', 'e2e'].includes(read.only)) refuse(`Unknown part ${read.only}: ${usage}`)
  return read
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

/** Keeps a result that no test runner reports. */
function note(name, title, file, ok, seconds, reason) {
  const status = ok ? 'passed' : 'failed'
  const same = (kept) => kept.file === file && kept.title === title
  mergeResults(name, [{ title, file, status, seconds, ...(ok ? {} : { reason }), at: runTime() }], same)
}

async function checkHouse() {
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
  // A page that somebody is in the middle of must not stand between others and their own tests.
  if (!everything && !specFiles.length) return
  const begun = Date.now()
  if (!(await ensureBuilt())) {
    note(
      only ?? 'unit',
      'the web pages are built',
      'packages/web/vite.config.ts',
      false,
      (Date.now() - begun) / 1000,
      'vite build failed',
    )
  }
}

/** One database server for all test files, each of which makes a database of its own in it: a given one, or the embedded. */
async function startDatabase() {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, stop: async () => {} }
  const program = path.join(root, 'packages', 'server', 'src', 'testing', 'server.ts')
  const child = spawn(node24(), [...nodeFlags, program], { env: childEnv(), stdio: ['pipe', 'pipe', 'inherit'] })
  return new Promise((resolve) => {
    const stop = () => new Promise((ended) => child.once('exit', ended) && child.stdin.end())
    child.stdout.once('data', (line) => resolve({ url: String(line).trim(), stop }))
    child.once('exit', () => resolve({ url: '', stop: async () => {} }))
  })
}

async function runUnit() {
  console.log(`\nUnit and server tests (${unitFiles.length} files)`)
  const needsDatabase = (file) => /^packages\/(server|demo)\//.test(file)
  const database = unitFiles.some(needsDatabase) ? await startDatabase() : undefined
  const env = childEnv(database?.url ? { CARETAKER_TEST_DATABASE: database.url } : {})
  const code = await runNodeTests(unitFiles, 2, env)
  const failed = everything && !interrupted ? failedUnitTests() : []
  const again = [...new Set(failed.map(({ file }) => file))]
  // Many failures are no accident, and are told at once.
  if (again.length > 0 && again.length <= 3) {
    console.log(`\nOnce more, alone: ${again.join(', ')}`)
    noteRunner('unit', 'node --test', 'tools/test.mjs', await runNodeTests(again, 1, env))
    noteFlaky(failed)
  } else noteRunner('unit', 'node --test', 'tools/test.mjs', code)
  await database?.stop()
}

async function runNodeTests(files, concurrency, env) {
  const reporter = path.join(root, 'tools', 'reporter.mjs')
  const { code } = await run(
    node24(),
    [
      ...nodeFlags,
      '--import',
      new URL('./time-limit.mjs', import.meta.url).href,
      '--test',
      `--test-concurrency=${concurrency}`,
      `--test-timeout=${testTimeout}`,
      `--test-reporter=${process.platform === 'win32' ? new URL('./reporter.mjs', import.meta.url).href : reporter}`,
      '--test-reporter-destination=stdout',
      ...files,
    ],
    { env },
  )
  return code
}

function failedUnitTests() {
  return readResults('unit').filter(
    ({ at, status, file }) => at === runTime() && status === 'failed' && unitFiles.includes(file),
  )
}

/** What failed and passed when its file was run again is told at the end: a test that depends on chance is a bug to mend. */
function noteFlaky(failed) {
  const reason = 'failed at first, and passed when its file was run again, alone'
  for (const { file, title } of failed) {
    const isIt = (kept) => kept.file === file && kept.title === title && kept.status === 'passed'
    const passed = readResults('unit').filter(isIt)
    mergeResults(
      'unit',
      passed.map((result) => ({ ...result, reason })),
      isIt,
    )
  }
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
  const { code } = await run(node24(), [cli, 'test', '--config', playwrightConfig, ...chosen], {
    env: childEnv({ CHROMIUM_PATH: chromium }),
    // The runner takes its servers down when interrupted, and leaves them running when terminated.
    stopBy: 'SIGINT',
  })
  noteRunner('e2e', 'playwright test', 'tools/test.mjs', code)
}

/** A runner that fails without a failed test, for instance because it could not start, is a failure all the same. */
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
  const lineOf = ({ file, title, reason }) => `  ${file}: ${title}${reason ? ` (${reason.split('\n')[0]})` : ''}`
  const lines = (status) => having(status).map(lineOf)
  if (having('skipped').length) console.log(`\nSkipped:\n${lines('skipped').join('\n')}`)
  const flaky = having('passed').filter(({ reason }) => reason)
  if (flaky.length) console.log(`\nFlaky, to be mended:\n${flaky.map(lineOf).join('\n')}`)
  if (having('failed').length) console.log(`\nFailed:\n${lines('failed').join('\n')}`)
  if (everything) {
    const { summary } = await import('./spec.ts')
    console.log(`\n${summary()}`)
  }
  console.log(`\n${timeReport(phases.filter(({ seconds }) => seconds >= 0.1))}`)
  if (interrupted) console.log('\nInterrupted: not everything ran.')
  console.log(`\n${having('passed').length} passed, ${having('failed').length} failed`)
  process.exitCode = having('failed').length || !having('passed').length || interrupted ? 1 : 0
}
