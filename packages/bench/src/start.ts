import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@caretaker/server/testing/ports.ts'
import { rounded } from './figures.ts'
import { treeMemory } from './memory.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Seconds until ready, at first and when warm; MB of the whole process tree, shared pages divided fairly. */
const most = { first: 60, later: 4, memory: 450 }

/**
 * Seconds from `npm start` to ready, packages in place: the first start with its seeding, and a later one; and idle memory. Ends with 1
 * where one of them is beyond its bound.
 */
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
    if (first.seconds > most.first || later.seconds > most.later || memory.shared > most.memory) process.exitCode = 1
    console.log(
      `start: ready after ${first.seconds} s at first (must be at most ${most.first}), ${later.seconds} s later (at most ${most.later}); the whole process tree idles at ${memory.shared} MB (at most ${most.memory})`,
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
