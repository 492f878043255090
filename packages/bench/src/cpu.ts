import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { rounded } from './figures.ts'

/** Shares of all cores' time, between 0 and 1; null outside Linux. */
export interface IdleTime {
  /** Nothing to do. */
  idle: number
  /** Nothing to do but wait for a disk. */
  disk: number
}

/** Begins to count; each call returns the shares since the one before. */
export function idleTimes(): () => IdleTime | null {
  let before = coreTimes()
  return () => {
    const now = coreTimes()
    const shareOf = (field: number) => {
      const all = now!.reduce((sum, ticks, at) => sum + ticks - before![at]!, 0)
      return rounded((now![field]! - before![field]!) / all, 2)
    }
    const shares = before && now && { idle: shareOf(3), disk: shareOf(4) }
    before = now
    return shares ?? null
  }
}

/** Ticks of all cores, as proc_stat(5) lists them: user, nice, system, idle, iowait, irq, softirq, steal. */
function coreTimes(): number[] | undefined {
  try {
    const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    return first.split(/\s+/).slice(1, 9).map(Number)
  } catch {
    return undefined
  }
}

/** The first process of the embedded server of a data folder. */
export function embeddedProcess(folder: string): number {
  const place = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(
    (name) => path.basename(name) === 'postmaster.pid',
  )
  if (!place) throw new Error(`No database runs in ${folder}`)
  return Number(readFileSync(path.join(folder, place), 'utf8').split('\n')[0])
}
