import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { rounded } from './figures.ts'

/** Seconds of processor that some work took, which a busy machine changes little: of this process, and of a database server. */
export interface CpuSeconds {
  own: number
  /** Null where the system does not tell: outside Linux. */
  database: number | null
}

/** Clock ticks of a second, in which Linux tells times of processes. */
const ticks = 100

/** Begins to count; the answer tells what was used since. `server` is the id of the database's first process. */
export function cpuSince(server: number): () => CpuSeconds {
  const own = process.cpuUsage()
  const database = secondsBelow(server)
  return () => {
    const { user, system } = process.cpuUsage(own)
    const now = secondsBelow(server)
    return {
      own: rounded((user + system) / 1_000_000),
      database: now === null || database === null ? null : rounded(now - database),
    }
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

/** Seconds that a process and its children used, those that ended included. */
function secondsBelow(pid: number): number | null {
  let used = 0
  let isKnown = false
  for (const name of entries().filter((entry) => /^\d+$/.test(entry)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      // After the name in brackets: the third field is the state, the fourth the parent.
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
      const [user, system, childUser, childSystem] = fields.slice(11, 15) as [number, number, number, number]
      if (Number(name) === pid) [used, isKnown] = [used + user + system + childUser + childSystem, true]
      else if (fields[1] === pid) used += user + system
    } catch {
      // It ended meanwhile.
    }
  return isKnown ? used / ticks : null
}

function entries(): string[] {
  try {
    return readdirSync('/proc')
  } catch {
    return []
  }
}
