import { execFile } from 'node:child_process'
import { root } from './child.mjs'

/** The serious vulnerabilities of the shipped packages, one line each, or why they are unknown. */
export type Advice = { holes: string[] } | { unknown: string }

interface Finding {
  severity: string
  range?: string
  via?: (string | { title?: string; url?: string })[]
}

const serious = ['high', 'critical']

/** Parses the output of `npm audit --json`. */
export function readAudit(output: string): Advice {
  let report: { vulnerabilities?: Record<string, Finding>; message?: string; error?: { summary?: string } }
  try {
    report = JSON.parse(output) as typeof report
  } catch {
    return { unknown: 'npm audit gave no answer' }
  }
  const { vulnerabilities } = report
  if (!vulnerabilities) return { unknown: report.message ?? (report.error?.summary || 'the registry gave no answer') }
  const holes = Object.entries(vulnerabilities)
    .filter(([, { severity }]) => serious.includes(severity))
    .map(([name, { severity, range, via = [] }]) => {
      const known = via.flatMap((one) => (typeof one === 'string' ? `through ${one}` : [one.title, one.url]))
      return [`${name} ${range ?? ''} (${severity})`, ...known.filter(Boolean)].join(', ')
    })
  return { holes }
}

/** Asks npm's configured registry about the locked packages, without development dependencies. */
export function askRegistry(patience = 20_000): Promise<Advice> {
  const args = [
    'audit',
    '--omit=dev',
    '--json',
    '--package-lock-only',
    '--fetch-retries=0',
    `--fetch-timeout=${patience}`,
  ]
  return new Promise((resolve) => {
    const options = {
      cwd: root,
      timeout: patience + 5000,
      maxBuffer: 64 * 1024 * 1024,
      shell: process.platform === 'win32',
    }
    execFile('npm', args, options, (error, output) =>
      resolve(
        error && !output
          ? { unknown: error.killed ? 'npm audit took too long' : error.message.split('\n')[0]! }
          : readAudit(output),
      ),
    )
  })
}
