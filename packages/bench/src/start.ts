import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rounded } from './figures.ts'
import { inBrowser } from './in-browser.ts'
import { treeMemory } from './memory.ts'
import { freePortPair } from './ports.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Seconds until ready, and MB used by the whole process tree, with shared pages divided among processes. */
const most = { fresh: 30, later: 1.6, idleMB: 450, usedMB: 600 }
/** How long a start and a stop may take, in ms. */
const [startsWithin, stopsWithin] = [1_200_000, 30_000]
/** How long the product is idle before its memory is measured, in ms, so that memory used for the start has been freed. */
const idleFor = 60_000

interface Use {
  people: number
  pages: number
}

/**
 * The seconds from `npm start` to ready, in a fresh clone without packages, pages and data, and for a later start; and
 * the memory of the whole process tree, idle and after ten minutes of use in browsers (`--minutes N`, 0 for none).
 * Exits with 1 if a limit is exceeded.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { minutes: { type: 'string', default: '10' } } })
  const minutes = Number(values.minutes)
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  const clone = path.join(folder, 'clone')
  const ports = await freePortPair()
  const env = {
    ...process.env,
    CARETAKER_DATA: path.join(folder, 'data'),
    PORT: String(ports.http),
    MQTT_PORT: String(ports.mqtt),
  }
  try {
    execFileSync('git', ['clone', '--quiet', root, clone])
    const fresh = await start(clone, env)
    await fresh.stop()
    const later = await start(clone, env)
    let [use, idle, used] = [undefined as Use | undefined, { resident: 0, shared: 0 }, { resident: 0, shared: 0 }]
    try {
      await sleep(idleFor)
      idle = treeMemory(later.pid)
      if (minutes)
        use = await inBrowser<Use>('use', { CARETAKER_E2E_PORT: String(ports.http), BENCH_MINUTES: values.minutes })
      used = treeMemory(later.pid)
    } finally {
      await later.stop()
    }
    const memoryMB = { idle, ...(use && { afterUse: used }) }
    console.log(
      JSON.stringify({ fresh: fresh.seconds, later: later.seconds, minutes, ...(use && { use }), memoryMB }, null, 2),
    )
    const isSlow = fresh.seconds.all > most.fresh || later.seconds.all > most.later
    if (isSlow || idle.shared > most.idleMB || (use && used.shared > most.usedMB)) process.exitCode = 1
    const { packages, all } = fresh.seconds
    console.log(
      `start: a fresh clone is ready after ${all} s (must be at most ${most.fresh}), of which packages ${packages} s, the rest pages, data and the start; later ${later.seconds.all} s (at most ${most.later}); the whole process tree takes ${idle.shared} MB idle (at most ${most.idleMB})${use ? `, ${used.shared} MB after ${minutes} minutes in which ${use.people} people opened ${use.pages} pages (at most ${most.usedMB})` : ''}`,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Seconds {
  /** Seconds until the packages were installed; the rest is for pages, data and the start itself. */
  packages: number
  all: number
}

async function start(cwd: string, env: NodeJS.ProcessEnv) {
  const begun = performance.now()
  // In its own process group, so that all processes of a failed start can be ended together.
  const child = spawn('npm', ['start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const at = { packages: undefined as number | undefined, pages: undefined as number | undefined }
  const { promise, resolve, reject } = Promise.withResolvers<Seconds>()
  let output = ''
  const timer = setTimeout(
    () => reject(new Error(`it was not ready within ${startsWithin} ms: ${output}`)),
    startsWithin,
  )
  child.once('exit', () => reject(new Error(`it did not start: ${output}`)))
  child.stderr.on('data', (chunk) => {
    process.stderr.write(chunk)
    output += String(chunk)
    if (output.includes('Installing the packages')) at.packages ??= performance.now()
    if (output.includes('Building the web pages')) at.pages ??= performance.now()
  })
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
    if (!output.includes('Caretaker is ready')) return
    const isFresh = at.packages !== undefined && at.pages !== undefined
    resolve({
      packages: isFresh ? rounded((at.pages! - at.packages!) / 1000) : 0,
      all: rounded((performance.now() - begun) / 1000),
    })
  })
  try {
    return {
      seconds: await promise,
      pid: child.pid!,
      stop: async () => {
        const ended = once(child, 'exit', { signal: AbortSignal.timeout(stopsWithin) })
        child.kill('SIGTERM')
        await ended
      },
    }
  } catch (error) {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}
