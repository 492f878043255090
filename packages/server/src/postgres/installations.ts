import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Config } from '../config.ts'
import { isAlive, startOf } from './processes.ts'

/** What the operator's commands need to know of a server that this user runs on this machine. */
export type Installation = Pick<Config, 'dataDir' | 'origin' | 'mqtt'>

const user = process.getuid?.()
const folderOf = () => path.join(os.tmpdir(), `caretaker-${user ?? 'running'}`)

/** Says that this process serves a data folder; gives what takes it back. Where nothing can be written, nobody finds it. */
export function sayRunning({ dataDir, origin, mqtt }: Installation): () => void {
  const file = path.join(folderOf(), `${process.pid}.json`)
  try {
    fs.mkdirSync(folderOf(), { recursive: true, mode: 0o700 })
    fs.writeFileSync(file, JSON.stringify({ dataDir, origin, mqtt, ...processOf(process.pid) }))
  } catch {
    return () => {}
  }
  return () => fs.rmSync(file, { force: true })
}

const processOf = (pid: number) => ({ pid, start: startOf(pid) ?? null })

/** The servers that run now, in the order of their data folders. */
export function runningInstallations(): Installation[] {
  const folder = folderOf()
  const own = fs.statSync(folder, { throwIfNoEntry: false })
  // Whoever else may write there could lead the commands elsewhere.
  if (!own || (user !== undefined && (own.uid !== user || (own.mode & 0o022) !== 0))) return []
  return fs
    .readdirSync(folder)
    .flatMap((name) => readEntry(path.join(folder, name)) ?? [])
    .sort((a, b) => (a.dataDir < b.dataDir ? -1 : 1))
}

function readEntry(file: string): Installation | undefined {
  try {
    const { pid, start, ...installation } = JSON.parse(fs.readFileSync(file, 'utf8')) as Installation &
      ReturnType<typeof processOf>
    if (isAlive(pid) && processOf(pid).start === start) return installation
    fs.rmSync(file, { force: true })
  } catch {
    // Being written, or gone.
  }
  return undefined
}
