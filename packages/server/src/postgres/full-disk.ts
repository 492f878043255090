import fs from 'node:fs'
import type { Config } from '../config.ts'
import { placesIn } from './embedded-places.ts'

/** Messages of the operating system, and of Postgres when a write ends early without a system error. */
const full = /No space left on device|Disk quota exceeded|could not (?:extend|write) .*wrote only \d+ of \d+ bytes/
/** Shared memory segments are on a file system of their own, with its own size. */
const sharedMemory = /shared memory/
/** Error codes of Postgres and of the operating system. */
const codes = new Set(['53100', 'ENOSPC', 'EDQUOT'])
/** Errors of queries when the server goes away, as it does when it cannot write its write-ahead log. */
const connectionLost =
  /Connection terminated|ECONNRE|terminating connection|server closed|not yet accepting|recovery mode/
/** In ms: older log lines do not explain a failure. */
const recent = 60_000

/** Whether an error, or one that caused it, states that a disk is full. Works without the log of the database. */
export const isFullDisk = (error: unknown): boolean => lackOfSpace(error, undefined) !== undefined

/**
 * The text to show for a failure caused by a full disk or full shared memory; undefined for other failures. The log
 * of the embedded database is consulted if the server has gone away.
 */
export function explainFullDisk(
  error: unknown,
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
): string | undefined {
  const reason = lackOfSpace(error, databaseUrl ? undefined : placesIn(dataDir, dataDir).log)
  if (reason === undefined) return undefined
  if (sharedMemory.test(reason))
    return 'Shared memory is full: increase it for the database (/dev/shm; in a container --shm-size), then start again.'
  return `The disk is full: make room ${databaseUrl ? 'for the database' : `in the data folder ${dataDir}`}, then start again.`
}

/** The message about missing space; empty if only an error code shows it. */
function lackOfSpace(error: unknown, log: string | undefined): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, cause, errors } = error as Error & { code?: string; errors?: unknown[] }
  if (codes.has(code ?? '') || full.test(error.message)) return error.message
  if (log !== undefined && connectionLost.test(`${code} ${error.message}`)) {
    const line = recentLackIn(endOf(log), new Date())
    if (line !== undefined) return line
  }
  for (const inner of [cause, ...(errors ?? [])]) {
    const reason = lackOfSpace(inner, log)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** The last recent line about missing space in a log of the embedded database (times in UTC). */
export function recentLackIn(log: string, now: Date): string | undefined {
  return log.split('\n').findLast((line) => {
    const at = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d+) UTC/.exec(line)
    return at && full.test(line) && now.getTime() - Date.parse(`${at[1]}T${at[2]}Z`) < recent
  })
}

/**
 * The line of a program's output that explains its failure, without time and process id: one about missing space;
 * otherwise the first error, because later ones follow from it; otherwise the output without routine messages, which
 * may be one sentence on several lines.
 */
export function firstError(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim())
  const others = lines.filter((one) => !/\b(?:LOG|HINT|DETAIL|WARNING):|warning:|initdb: removing/.test(one))
  const line =
    lines.find((one) => full.test(one)) ??
    lines.find((one) => /FATAL|PANIC|\berror\b/i.test(one)) ??
    (others.slice(0, 3).join(' ') || lines.at(-1)) ??
    'no reason given'
  return line.replace(/^(?:.*\.\.\. )?[\d-]+ [\d:.]+ \w+ \[\d+\] /, '').trim()
}

function endOf(log: string): string {
  try {
    return fs.readFileSync(log, 'utf8').slice(-20_000)
  } catch {
    return ''
  }
}
