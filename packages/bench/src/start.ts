import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@caretaker/server/testing/ports.ts'
import { rounded } from './figures.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Seconds from `npm start` to ready, packages in place: the first start with its seeding, and a later one; and idle memory. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  const env = {
    ...process.env,
    CARETAKER_DATA: path.join(folder, 'data'),
    PORT: String(await freePort()),
    MQTT_PORT: String(await freePort()),
  }
  try {
    const first = await start(env)
    await first.stop()
    const later = await start(env)
    // Idle is what is left when the start has been forgotten.
    await new Promise((resolve) => setTimeout(resolve, 60_000))
    const memory = treeMemory(later.pid)
    await later.stop()
    console.log(JSON.stringify({ first: first.seconds, later: later.seconds, memoryMB: memory }, null, 2))
    console.log(
      `start: ready after ${first.seconds} s at first (must be at most 60), ${later.seconds} s later (at most 10); the whole process tree idles at ${memory.shared} MB (at most 700)`,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function start(env: NodeJS.ProcessEnv) {
  const begun = performance.now()
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const chunk of child.stdout) {
    said += String(chunk)
    if (said.includes('Caretaker is ready')) break
  }
  if (!said.includes('Caretaker is ready')) throw new Error(`It did not start: ${said}`)
  const seconds = rounded((performance.now() - begun) / 1000)
  return {
    seconds,
    pid: child.pid!,
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Memory of a process and all below it in MB: `resident` counts shared pages in each, `shared` divides them fairly (PSS). */
function treeMemory(pid: number): { resident: number; shared: number } {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It ended meanwhile.
    }
  const below = (wanted: number): number[] => [
    wanted,
    ...[...parents].filter(([, parent]) => parent === wanted).flatMap(([child]) => below(child)),
  ]
  const kB = (text: string, field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
  const tree = below(pid).map((one) => readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))
  const sum = (field: string) => Math.round(tree.reduce((total, text) => total + kB(text, field), 0) / 1000)
  return { resident: sum('Rss'), shared: sum('Pss') }
}
