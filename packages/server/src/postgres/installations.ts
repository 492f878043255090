import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isAlive, startOf } from './processes.ts'

const user = process.getuid?.()
const folderOf = () => path.join(os.tmpdir(), `caretaker-${user ?? 'running'}`)

/**
 * Registers this process as the server of a data folder; returns the function that unregisters it. If nothing can be
 * written, commands do not find the installation.
 */
export function registerRunning(dataDir: string): () => void {
  const file = path.join(folderOf(), `${process.pid}.json`)
  try {
    fs.mkdirSync(folderOf(), { recursive: true, mode: 0o700 })
    fs.writeFileSync(file, JSON.stringify({ dataDir, ...processOf(process.pid) }))
  } catch {
    return () => {}
  }
  return () => fs.rmSync(file, { force: true })
}

const processOf = (pid: number) => ({ pid, start: startOf(pid) ?? null })

/** The data folders of the servers that this user runs on this machine, sorted. */
export function runningInstallations(): string[] {
  const folder = folderOf()
  const own = fs.statSync(folder, { throwIfNoEntry: false })
  // Another user who can write there could redirect the commands.
  if (!own || (user !== undefined && (own.uid !== user || (own.mode & 0o022) !== 0))) return []
  return fs
    .readdirSync(folder)
    .flatMap((name) => readEntry(path.join(folder, name)) ?? [])
    .sort()
}

function readEntry(file: string): string | undefined {
  try {
    const entry = JSON.parse(fs.readFileSync(file, 'utf8')) as { dataDir: string } & ReturnType<typeof processOf>
    if (isAlive(entry.pid) && processOf(entry.pid).start === entry.start) return entry.dataDir
    fs.rmSync(file, { force: true })
  } catch {
    // Being written, or removed.
  }
  return undefined
}
