// The reporter of `node --test`: one line a file, the whole story of a failure, and results/unit.json, written after every file so that an
// interrupted run leaves what it found.
import path from 'node:path'
import { inspect } from 'node:util'
import { fileName, keepTimes, mergeResults, runTime } from './results.mjs'

const quietPeriod = 60_000
const printed = new Set(['test:stdout', 'test:stderr', 'test:diagnostic'])
const reported = new Set([...printed, 'test:start', 'test:pass', 'test:fail'])

export default async function* reporter(source) {
  const results = []
  const running = new Set()
  /** Seconds of each file that has ended, its process and hooks included. */
  const times = {}
  let file = newFile(undefined)
  let stack = []
  // A hung file would otherwise hang the run without a name.
  let lastEvent = Date.now()
  const watch = setInterval(() => {
    if (Date.now() - lastEvent >= quietPeriod && running.size)
      process.stderr.write(`still running: ${[...running].join(', ')}\n`)
  }, quietPeriod)
  watch.unref()

  function close() {
    if (!file.results.length) return ''
    results.push(...file.results)
    mergeResults('unit', results)
    return fileReport(file)
  }

  for await (const { type, data } of source) {
    lastEvent = Date.now()
    if (type === 'test:dequeue' && isFileItself(data)) running.add(fileName(entryOf(data)))
    if (type === 'test:complete' && isFileItself(data)) {
      running.delete(fileName(entryOf(data)))
      times[fileName(entryOf(data))] = Math.round(data.details.duration_ms) / 1000
      keepTimes('unit', times)
    }
    if (type === 'test:summary' || type === 'test:interrupted') mergeResults('unit', [...results, ...file.results])
    if (!reported.has(type) || !entryOf(data)) continue
    if (entryOf(data) !== file.path) {
      yield close()
      file = newFile(entryOf(data))
      stack = []
    }
    if (printed.has(type)) {
      file.output += `${data.message.trimEnd()}\n`
    } else if (type === 'test:start') {
      stack = [...stack.slice(0, data.nesting), { name: data.name, children: 0 }]
      if (data.nesting > 0) stack[data.nesting - 1].children++
    } else {
      const title = stack
        .slice(0, data.nesting + 1)
        .map((level) => level.name)
        .join(' › ')
      const found = resultOf(type === 'test:pass', data, title, stack[data.nesting]?.children ?? 0)
      if (found) file.results.push({ ...found, file: fileName(file.path), at: runTime() })
      if (found?.status === 'failed')
        file.failures += failureReport(found, isFileItself(data) ? undefined : data.details.error)
      if (data.nesting === 0) file.seconds += data.details.duration_ms / 1000
    }
  }
  clearInterval(watch)
  yield close()
}

const newFile = (name) => ({ path: name, results: [], output: '', failures: '', seconds: 0 })

/** The file that was run: a test may be defined in a helper which that file imports. */
const entryOf = (data) => data.entryFile ?? data.file

/** The runner reports a file as a test of that name when it holds no tests or when its process failed. */
const isFileItself = (data) =>
  data.nesting === 0 && data.file !== undefined && path.resolve(data.name) === entryOf(data)

/** Only what was really checked counts: a group stands for its members and is counted only for a failure of its own, such as a hook's. */
function resultOf(passed, data, title, children) {
  const seconds = Math.round(data.details.duration_ms) / 1000
  if (isFileItself(data)) {
    const { failureType, exitCode, signal } = data.details.error ?? {}
    if (failureType === 'subtestsFailed') return undefined
    const reason = passed
      ? 'the file holds no tests'
      : `the process of the file ended with ${signal ?? `code ${exitCode}`}`
    return { title: 'the file runs to its end', status: 'failed', seconds, reason }
  }
  if (data.skip !== undefined && passed) {
    return { title, status: 'skipped', seconds, reason: typeof data.skip === 'string' ? data.skip : 'no reason given' }
  }
  if (passed) return children > 0 || data.details.type === 'suite' ? undefined : { title, status: 'passed', seconds }
  if (data.todo !== undefined) return { title, status: 'skipped', seconds, reason: 'not done yet' }
  if (data.details.error?.failureType === 'subtestsFailed' && children > 0) return undefined
  return { title, status: 'failed', seconds, reason: reasonOf(data.details.error) }
}

function reasonOf(error) {
  const cause = error?.cause ?? error
  return String(cause?.message ?? cause).slice(0, 2000)
}

const indent = (text, by) => text.trimEnd().replaceAll(/^/gm, by)

function failureReport(result, error) {
  const cause = error?.cause ?? error ?? result.reason
  const story = typeof cause === 'string' ? cause : inspect(cause, { depth: 4 })
  const lines = story.split('\n').filter((line) => !/^\s+at .*node:(internal|async_hooks)/.test(line))
  return `    ✗ ${result.title}\n${indent(lines.slice(0, 60).join('\n'), '      ')}\n`
}

function fileReport({ path: name, results, output, failures, seconds }) {
  const count = (status) => results.filter((result) => result.status === status).length
  const parts = [
    `${count('passed')} passed`,
    count('failed') && `${count('failed')} failed`,
    count('skipped') && `${count('skipped')} skipped`,
  ]
  const head = `${failures ? 'FAILED' : 'ok    '} ${fileName(name)}: ${parts.filter(Boolean).join(', ')} (${seconds.toFixed(1)} s)\n`
  if (!failures) return head
  const said = output.trim()
    ? `    printed by the file:\n${indent(output.split('\n').slice(-80).join('\n'), '      ')}\n`
    : ''
  return head + failures + said
}
