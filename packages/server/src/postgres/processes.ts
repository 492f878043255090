import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

/**
 * Process information from the operating system. Ids are reused, in containers after every restart, so an id from a
 * leftover file must be checked against the actual process.
 */

export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  // A zombie answers signals but does nothing; without a parent that collects it, it stays forever.
  return linuxStat(pid)?.state !== 'Z'
}

/** The start time, which distinguishes two processes with the same id; undefined if the system does not provide it. */
export function startOf(pid: number): string | undefined {
  if (process.platform === 'darwin') return ps(pid, 'lstart')
  return linuxStat(pid)?.start
}

/** The name of the program, for example `postgres`; undefined if the system does not provide it. */
export function programOf(pid: number): string | undefined {
  if (process.platform === 'darwin') return ps(pid, 'comm')?.split('/').pop()
  return quietly(() => fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim())
}

/** Undefined if the system does not provide it, as for other users' processes. */
export function workingFolderOf(pid: number): string | undefined {
  return quietly(() => fs.readlinkSync(`/proc/${pid}/cwd`))
}

function linuxStat(pid: number): { state: string; start: string } | undefined {
  const text = quietly(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (!text) return undefined
  // The second field is the program name in brackets and may contain spaces and brackets: count from its end
  // (proc(5)).
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
