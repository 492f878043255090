import fs from 'node:fs'
import type { Config } from '../config.ts'
import { placesIn } from './embedded-places.ts'

/** In the words of the system, and of Postgres where a write ends early without a refusal of the system. */
const full = /No space left on device|Disk quota exceeded|could not (?:extend|write) .*wrote only \d+ of \d+ bytes/
/** Segments of memory that processes share lie on a file system of their own, with its own size. */
const sharedMemory = /shared memory/
/** Of the database, and of the system. */
const codes = new Set(['53100', 'ENOSPC', 'EDQUOT'])
/** What queries fail with when the server behind them gives up, as Postgres does when it cannot write its log of changes. */
const goneAway = /Connection terminated|ECONNRE|terminating connection|server closed|not yet accepting|recovery mode/
/** Milliseconds after which a line of the log is no reason for a failure. */
const recent = 60_000

/**
 * What to say where something failed because a disk, or the memory that the processes of the database share, is full; undefined for
 * any other failure. The log of the embedded database says why it went away.
 */
export function explainFullDisk(
  error: unknown,
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
): string | undefined {
  const reason = lackOfSpace(error, databaseUrl ? undefined : placesIn(dataDir, dataDir).log)
  if (reason === undefined) return undefined
  if (sharedMemory.test(reason))
    return 'Shared memory is full: give the database more of it (/dev/shm; in a container --shm-size), then start again.'
  return `The disk is full: make room ${databaseUrl ? 'for the database' : `in the data folder ${dataDir}`}, then start again.`
}

/** The message that tells of the lack; empty where only a code does. */
function lackOfSpace(error: unknown, log: string | undefined): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, cause, errors } = error as Error & { code?: string; errors?: unknown[] }
  if (codes.has(code ?? '') || full.test(error.message)) return error.message
  if (log !== undefined && goneAway.test(`${code} ${error.message}`)) {
    const line = recentLackIn(endOf(log), new Date())
    if (line !== undefined) return line
  }
  for (const inner of [cause, ...(errors ?? [])]) {
    const reason = lackOfSpace(inner, log)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** The last line of a log of the embedded database, whose times are UTC, that tells of a lack of space and is recent. */
export function recentLackIn(log: string, now: Date): string | undefined {
  return log.split('\n').findLast((line) => {
    const at = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d+) UTC/.exec(line)
    return at && full.test(line) && now.getTime() - Date.parse(`${at[1]}T${at[2]}Z`) < recent
  })
}

/**
 * The line of a program's output that says why it failed, without time and process: that of a lack of space; else the first error, for
 * later ones follow from it; else what it prints besides routine messages, which may be one sentence over several lines.
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
