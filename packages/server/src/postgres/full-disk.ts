import fs from 'node:fs'
import { lastComplaint } from './embedded-program.ts'

const full = /No space left on device|Disk quota exceeded/
/** Of the database, and of the system. */
const codes = new Set(['53100', 'ENOSPC', 'EDQUOT'])
/** What queries fail with when the server behind them gives up, as Postgres does when it cannot write its log of changes. */
const goneAway = /Connection terminated|ECONNRE|terminating connection|server closed|not yet accepting|recovery mode/

/** Whether something failed because a disk is full; `log` is that of the embedded database, which says why it went away. */
export function isFullDisk(error: unknown, log: string): boolean {
  if (!(error instanceof Error)) return false
  const { code, cause, errors } = error as Error & { code?: string; errors?: unknown[] }
  if (codes.has(code ?? '') || full.test(error.message)) return true
  if (goneAway.test(`${code} ${error.message}`) && full.test(lastComplaint(endOf(log)))) return true
  return [cause, ...(errors ?? [])].some((inner) => isFullDisk(inner, log))
}

function endOf(log: string): string {
  try {
    return fs.readFileSync(log, 'utf8').slice(-20_000)
  } catch {
    return ''
  }
}
