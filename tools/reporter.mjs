// The Vitest reporter: prints one line per file and the details of each failure, and writes results/unit.json after every file,
// so that an interrupted run keeps its results.
import { stripVTControlCharacters } from 'node:util'
import { endReport, fileName, keepTimes, mergeResults, runTime } from './results.mjs'

const quietPeriod = 60_000
/**
 * A file without any event for this time, in ms, is blocking its process, because each test and hook may take half of
 * it.
 */
const longestSilence = 600_000

/** @implements {import('vitest/node').Reporter} */
export default class ResultsReporter {
  /** @type {import('./results.mjs').Result[]} */
  results = []
  /** Seconds of each finished file, including imports and hooks. */
  times = {}
  /** The files that are running, with their start times. */
  running = new Map()
  /** The output of each file. */
  output = new Map()
  lastEvent = Date.now()
  /** The time of the last event of each running file. */
  heard = new Map()
  /** In `npm test`, the failures of all parts are printed at its end. */
  isPartOfRun = process.env.CARETAKER_RUN !== undefined

  /** @param {import('vitest/node').Vitest} vitest */
  onInit(vitest) {
    this.vitest = vitest
  }

  onTestRunStart() {
    this.watch = setInterval(() => this.lookAtRunning(), quietPeriod).unref()
  }

  onTestModuleQueued({ moduleId }) {
    this.hear(moduleId)
    this.running.set(fileName(moduleId), Date.now())
  }

  onTestCaseReady({ module }) {
    this.hear(module.moduleId)
  }

  onTestCaseResult({ module }) {
    this.hear(module.moduleId)
  }

  onHookStart({ entity }) {
    this.hear((entity.type === 'module' ? entity : entity.module).moduleId)
  }

  hear(moduleId) {
    this.lastEvent = Date.now()
    this.heard.set(fileName(moduleId), this.lastEvent)
  }

  onUserConsoleLog({ content, taskId }) {
    const task = taskId === undefined ? undefined : this.vitest?.state.idMap.get(taskId)
    const file = task ? fileName(task.file.filepath) : ''
    this.output.set(file, (this.output.get(file) ?? '') + content)
  }

  onTestModuleEnd(module) {
    this.lastEvent = Date.now()
    const file = fileName(module.moduleId)
    const seconds = (Date.now() - (this.running.get(file) ?? Date.now())) / 1000
    this.running.delete(file)
    this.times[file] = Math.round(seconds * 1000) / 1000
    const found = resultsOf(module)
    this.keep(found.map(({ error: _, ...result }) => ({ ...result, file, at: runTime() })))
    keepTimes('unit', this.times)
    process.stdout.write(fileReport(file, found, seconds, this.output.get(file) ?? ''))
    this.output.delete(file)
  }

  onTestRunEnd(modules, unhandledErrors) {
    clearInterval(this.watch)
    const ended = modules.map(({ moduleId }) => fileName(moduleId)).filter((file) => this.running.has(file))
    if (!this.vitest?.isCancelling) for (const file of ended) this.fail(file, 'the process of the file ended')
    for (const error of unhandledErrors) {
      // Vitest reports the end of a process a second time, without a file.
      if (ended.length && error.message?.startsWith('[vitest-pool]')) continue
      const file = error.VITEST_TEST_PATH ? fileName(String(error.VITEST_TEST_PATH)) : 'vitest.config.ts'
      this.fail(file, reasonOf(error), error)
    }
    if (!this.isPartOfRun) process.stdout.write(`\n${endReport(this.results)}\n`)
  }

  /** Adds results to those that this run already has for the same file. */
  keep(found) {
    this.results.push(...found)
    mergeResults('unit', this.results)
  }

  /** Records a file's failure that belongs to none of its tests. */
  fail(file, reason, error) {
    const failure = { title: 'the file runs to its end', status: /** @type {const} */ ('failed'), seconds: 0, reason }
    if (this.results.some((known) => known.file === file && known.title === failure.title && known.reason === reason))
      return
    this.keep([{ ...failure, file, at: runTime() }])
    process.stdout.write(fileReport(file, [{ ...failure, error }], 0, this.output.get(file) ?? ''))
  }

  /** Fails a hung file by name; otherwise the run would hang. */
  lookAtRunning() {
    if (Date.now() - this.lastEvent >= quietPeriod && this.running.size)
      process.stderr.write(`still running: ${[...this.running.keys()].join(', ')}\n`)
    for (const file of this.running.keys()) {
      if (Date.now() - this.heard.get(file) < longestSilence) continue
      this.fail(file, `nothing was heard of it for ${longestSilence / 60_000} minutes`)
      process.exit(1)
    }
  }
}

/**
 * The results of a file's tests, with errors of groups and of the file itself.
 * @param {import('vitest/node').TestModule} module
 */
function resultsOf(module) {
  const found = []
  const add = (title, status, seconds, error, reason) =>
    found.push({ title, status, seconds, error, ...(reason !== undefined && { reason }) })
  const fail = (title, errors, seconds = 0) =>
    add(title, 'failed', seconds, errors[0], errors.map(reasonOf).join('\n').slice(0, 2000))
  if (module.errors().length) fail('the file runs to its end', module.errors())
  for (const suite of module.children.allSuites()) if (suite.errors().length) fail(titleOf(suite), suite.errors())
  for (const test of module.children.allTests()) {
    const title = titleOf(test)
    const seconds = Math.round(test.diagnostic()?.duration ?? 0) / 1000
    const result = test.result()
    if (result.state === 'passed') add(title, 'passed', seconds)
    else if (result.state === 'failed') fail(title, result.errors, seconds)
    else if (result.state === 'skipped') {
      const reason = result.note ?? test.meta().skipReason
      if (reason === undefined && hasFailed(test.parent))
        add(title, 'failed', seconds, undefined, 'did not run: a hook of its group failed')
      else add(title, 'skipped', seconds, undefined, reason ?? 'no reason given')
    } else add(title, 'failed', seconds, undefined, 'did not end')
  }
  return found
}

const hasFailed = (suite) => suite.errors().length > 0 || (suite.type === 'suite' && hasFailed(suite.parent))

/** The title, preceded by the titles of the groups around it. */
const titleOf = ({ name, parent }) => (parent.type === 'suite' ? `${titleOf(parent)} › ${name}` : name)

const reasonOf = (error) =>
  stripVTControlCharacters(String(error?.message ?? error))
    .replace(/^No test suite found in file .*/, 'the file holds no tests')
    .slice(0, 2000)

const indent = (text, by) => text.trimEnd().replaceAll(/^/gm, by)

function storyOf(error) {
  const places = (error.stacks ?? []).map(({ method, file, line, column }) =>
    `    at ${method} (${fileName(file)}:${line}:${column})`.replace('at  (', 'at ('),
  )
  const head = `${error.name ?? 'Error'}: ${error.message}`
  const lines = [head, ...(places.length ? places : [error.stack?.split('\n').slice(1).join('\n') ?? ''])]
  if (error.diff && !error.message.includes('\n')) lines.push(error.diff)
  if (error.cause) lines.push(`caused by ${storyOf(error.cause)}`)
  return stripVTControlCharacters(lines.filter(Boolean).join('\n'))
}

function failureReport({ title, error, reason }) {
  const story = error ? storyOf(error) : reason
  return `    ✗ ${title}\n${indent(story.split('\n').slice(0, 60).join('\n'), '      ')}\n`
}

function fileReport(file, found, seconds, output) {
  const count = (status) => found.filter((result) => result.status === status).length
  const parts = [
    `${count('passed')} passed`,
    count('failed') && `${count('failed')} failed`,
    count('skipped') && `${count('skipped')} skipped`,
  ]
  const failed = found.filter(({ status }) => status === 'failed')
  const head = `${failed.length ? 'FAILED' : 'ok    '} ${file}: ${parts.filter(Boolean).join(', ')} (${seconds.toFixed(1)} s)\n`
  if (!failed.length) return head
  const printed = stripVTControlCharacters(output)
  const last = printed.trim()
    ? `    printed by the file:\n${indent(printed.split('\n').slice(-80).join('\n'), '      ')}\n`
    : ''
  return head + failed.map(failureReport).join('') + last
}
