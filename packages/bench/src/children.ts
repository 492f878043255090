import type { ChildProcess, Serializable } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A child process that takes orders and reports. Every wait has a time limit. */
export interface Child<Report> {
  pid: number
  send(order: Serializable): void
  /** The next report in order; rejects after a number of ms, or if the process has exited. */
  next(within: number): Promise<Report>
  /** The next report that matches; earlier reports are dropped. */
  find<Wanted extends Report>(fits: (report: Report) => report is Wanted, within: number): Promise<Wanted>
  /** Kills it, as `kill -9` does. */
  kill(): Promise<void>
}

/** How long a killed process may take to exit, in ms. */
const endsWithin = 10_000

/** Starts a file in this folder. */
export function startChild<Report>(file: string, ...args: string[]): Child<Report> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args)
  const reports: Report[] = []
  let wake = () => {}
  child.on('message', (report: Report) => {
    reports.push(report)
    wake()
  })
  child.on('exit', () => wake())
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const next = async (within: number): Promise<Report> => {
    const end = performance.now() + within
    while (!reports.length) {
      if (hasEnded()) throw new Error(`${file} has ended`)
      const left = end - performance.now()
      if (left <= 0) throw new Error(`${file} reported nothing within ${within} ms`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return reports.shift()!
  }
  return {
    pid: child.pid!,
    send: (order) => void child.send(order),
    next,
    find: async <Wanted extends Report>(fits: (report: Report) => report is Wanted, within: number) => {
      for (const end = performance.now() + within; ;) {
        const report = await next(end - performance.now())
        if (fits(report)) return report
      }
    },
    kill: () => end(child),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(endsWithin) })
  child.kill('SIGKILL')
  await ended
}

/** Resolves once `holds` returns true; rejects with the name of the condition after a number of ms. */
export async function waitUntil(what: string, holds: () => Promise<boolean>, within: number): Promise<void> {
  for (const end = performance.now() + within; !(await holds());) {
    if (performance.now() > end) throw new Error(`${what}: not within ${within} ms`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
