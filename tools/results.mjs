import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './child.mjs'

/**
 * One executed test. `file` is relative to the repository, with slashes; `at` names the run (ISO time of its beginning).
 * @typedef {{ title: string, file: string, status: 'passed' | 'failed' | 'skipped', seconds: number, reason?: string, at: string }} Result
 */

/** The folder of the results; the reporters' own tests use another. */
export const resultsFolder = () => process.env.CARETAKER_RESULTS ?? path.join(root, 'results')

/** The start time that marks the results of one run, the same for every reporter in it. */
export const runTime = () => (process.env.CARETAKER_RUN ??= new Date().toISOString())

/** A file's name as it appears in results. */
export const fileName = (file) => path.relative(root, file).split(path.sep).join('/')

/**
 * The stored results, or an empty list.
 * @param {'unit' | 'e2e'} name
 * @param {string} [folder]
 * @returns {Result[]}
 */
export function readResults(name, folder = resultsFolder()) {
  try {
    return JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8'))
  } catch {
    return []
  }
}

/**
 * Replaces the stored results that `replaces` selects with the results of a run. Results of other files stay, unless
 * their file no longer exists.
 * @param {'unit' | 'e2e'} name
 * @param {readonly Result[]} results
 * @param {(kept: Result) => boolean} [replaces] by default, all results of the files that appear in `results`
 */
export function mergeResults(name, results, replaces) {
  const files = new Set(results.map((result) => result.file))
  const replaced = replaces ?? ((kept) => files.has(kept.file))
  const kept = readResults(name).filter((result) => !replaced(result) && existsSync(path.join(root, result.file)))
  const folder = resultsFolder()
  mkdirSync(folder, { recursive: true })
  const target = path.join(folder, `${name}.json`)
  // Written to a temporary file and renamed, so that no reader ever gets half a file.
  writeFileSync(`${target}.${process.pid}`, `${JSON.stringify([...kept, ...results], null, 1)}\n`)
  renameSync(`${target}.${process.pid}`, target)
}

/**
 * Stores how many seconds each file of this run took, including its process and hooks, if the runner measures it.
 * @param {'unit' | 'e2e'} name
 * @param {Record<string, number>} seconds by the file's name
 */
export function keepTimes(name, seconds) {
  mkdirSync(resultsFolder(), { recursive: true })
  const known = readTimes(name)
  writeFileSync(timesFile(name), JSON.stringify({ at: runTime(), seconds: { ...known, ...seconds } }))
}

const timesFile = (name) => path.join(resultsFolder(), `${name}-times.json`)

/** The durations that runners of this run have stored so far. */
function readTimes(name) {
  try {
    const { at, seconds } = JSON.parse(readFileSync(timesFile(name), 'utf8'))
    return at === runTime() ? seconds : {}
  } catch {
    return {}
  }
}

/**
 * Seconds of each file in this run, slowest first: as measured by its runner, otherwise the sum of its tests.
 * @param {'unit' | 'e2e'} name
 * @returns {{ file: string, seconds: number }[]}
 */
export function fileTimes(name) {
  /** @type {Map<string, number>} */
  const times = new Map()
  for (const { file, seconds, at } of readResults(name))
    if (at === runTime()) times.set(file, (times.get(file) ?? 0) + seconds)
  for (const [file, seconds] of Object.entries(readTimes(name))) times.set(file, seconds)
  return [...times].map(([file, seconds]) => ({ file, seconds })).sort((a, b) => b.seconds - a.seconds)
}

/**
 * A report of where a run spent its time: its phases in order, then the slowest files of each kind of test.
 * @param {readonly { name: string, seconds: number }[]} phases
 * @param {number} [slowest] number of files of each kind
 */
export function timeReport(phases, slowest = 8) {
  const line = (seconds, name) => `  ${clock(seconds).padStart(8)}  ${name}`
  const total = phases.reduce((sum, { seconds }) => sum + seconds, 0)
  const files = /** @type {const} */ (['unit', 'e2e']).flatMap((name) => fileTimes(name).slice(0, slowest))
  return [
    `Time: ${clock(total)}`,
    ...phases.map(({ name, seconds }) => line(seconds, name)),
    ...(files.length ? ['The slowest files:', ...files.map(({ file, seconds }) => line(seconds, file))] : []),
  ].join('\n')
}

const clock = (seconds) =>
  seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`

const longestReason = 240
/** If all tests of a file fail for the same reason, the first failures are enough. */
const mostFailures = 12

/**
 * The failed tests with the beginning of their reasons, and the total count. Printed last, because a truncated log keeps its
 * end.
 * @param {readonly Result[]} results
 */
export function endReport(results) {
  const failed = results.filter(({ status }) => status === 'failed')
  const files = [...new Set(failed.map(({ file }) => file))]
  const lines = files.flatMap((file) => {
    const own = failed.filter((result) => result.file === file)
    const left = own.length - mostFailures
    return [...own.slice(0, mostFailures).map(resultLine), ...(left > 0 ? [`  ${file}: ${left} more failed`] : [])]
  })
  const passed = results.filter(({ status }) => status === 'passed').length
  return [...(lines.length ? ['Failed:', ...lines, ''] : []), `${passed} passed, ${failed.length} failed`].join('\n')
}

/**
 * A failed test in one line. The first line of an assertion's message is mostly the same, so the compared values after it are
 * included.
 * @param {Result} result
 */
export function resultLine({ file, title, reason = '' }) {
  const text = reason
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ')
  const short = text.length > longestReason ? `${text.slice(0, longestReason)}…` : text
  return `  ${file}: ${title}${short && ` (${short})`}`
}
