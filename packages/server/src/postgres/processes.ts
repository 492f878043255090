import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

/**
 * What the system tells about a process by its id. Ids are used again, in containers after every restart, so that an id found
 * in a file left behind says little until the process behind it has been looked at.
 */

export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  // A zombie answers signals but does nothing any more; without a parent that collects it, it stays for ever.
  return linuxStat(pid)?.state !== 'Z'
}

/** Tells two processes of the same id apart; undefined where the system does not say. */
export function startOf(pid: number): string | undefined {
  if (process.platform === 'darwin') return ps(pid, 'lstart')
  return linuxStat(pid)?.start
}

/** The name of the program, e.g. `postgres`; undefined where the system does not say. */
export function programOf(pid: number): string | undefined {
  if (process.platform === 'darwin') return ps(pid, 'comm')?.split('/').pop()
  return quietly(() => fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim())
}

/** Undefined where the system does not say, which is so for other people's processes too. */
export function workingFolderOf(pid: number): string | undefined {
  return quietly(() => fs.readlinkSync(`/proc/${pid}/cwd`))
}

function linuxStat(pid: number): { state: string; start: string } | undefined {
  const text = quietly(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (!text) return undefined
  // The second field is the program in brackets and may hold spaces and brackets: count from its end (proc(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0]!, start: fields[19]! }
}

function ps(pid: number, column: string): string | undefined {
  return spawnSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() || undefined
}

function quietly<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
