import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './child.mjs'

/**
 * One executed test. `file` is relative to the repository, with slashes; `at` names the run (ISO time of its beginning).
 * @typedef {{ title: string, file: string, status: 'passed' | 'failed' | 'skipped', seconds: number, reason?: string, at: string }} Result
 */

/** Where results are kept; the reporters' own tests put theirs elsewhere. */
export const resultsFolder = () => process.env.CARETAKER_RESULTS ?? path.join(root, 'results')

/** The time that marks the results of one run, the same for every reporter in it. */
export const runTime = () => (process.env.CARETAKER_RUN ??= new Date().toISOString())

/** A file's name as results bear it. */
export const fileName = (file) => path.relative(root, file).split(path.sep).join('/')

/**
 * The kept results, or none.
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
 * Puts the results of a run in the place of what `replaces` picks from the kept ones; those of other files stay, unless the file is gone.
 * @param {'unit' | 'e2e'} name
 * @param {readonly Result[]} results
 * @param {(kept: Result) => boolean} [replaces] by default everything of the files that appear in `results`
 */
export function mergeResults(name, results, replaces) {
  const files = new Set(results.map((result) => result.file))
  const replaced = replaces ?? ((kept) => files.has(kept.file))
  const kept = readResults(name).filter((result) => !replaced(result) && existsSync(path.join(root, result.file)))
  const folder = resultsFolder()
  mkdirSync(folder, { recursive: true })
  const target = path.join(folder, `${name}.json`)
  // Written beside and renamed: a reader, or a kill in mid-write, never meets half a file.
  writeFileSync(`${target}.${process.pid}`, `${JSON.stringify([...kept, ...results], null, 1)}\n`)
  renameSync(`${target}.${process.pid}`, target)
}
