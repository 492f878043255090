import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { rounded } from './figures.ts'

/** Shares of the time of all cores, between 0 and 1; null outside Linux. */
export interface IdleTime {
  /** Idle. */
  idle: number
  /** Idle, but waiting for a disk. */
  disk: number
}

/** Starts counting; each call returns the shares since the previous one. */
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

/** Ticks of all cores, in the order of proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. */
function coreTimes(): number[] | undefined {
  try {
    const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    return first.split(/\s+/).slice(1, 9).map(Number)
  } catch {
    return undefined
  }
}

/** The process id of the main process of the embedded database in a data folder. */
export function embeddedProcess(folder: string): number {
  const place = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(
    (name) => path.basename(name) === 'postmaster.pid',
  )
  if (!place) throw new Error(`No database runs in ${folder}`)
  return Number(readFileSync(path.join(folder, place), 'utf8').split('\n')[0])
}
