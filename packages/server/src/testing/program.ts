import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { freePort } from './ports.ts'

/** Node flags that make a program list the modules it loads on standard error. */
export const reportLoaded = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) {
      if (url.includes('/packages/')) process.stderr.write('loaded ' + url + '\\n')
      return next(url, context)
    } })`)}`,
]
/** The modules of a package among them, by their paths in it. */
export const loadedModules = (errorOutput: string, name: string) =>
  [...errorOutput.matchAll(/^loaded .*\/packages\/(.+?)\/src\/(.+)$/gm)]
    .flatMap(([, owner, file]) => (owner === name ? [file!] : []))
    .sort()

/** A program as started by users, for the tests of a file; its data folder is deleted with them. */
export function programUnderTest(program: URL) {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-start-'))
  // A failed test may leave programs running.
  const running = new Map<ChildProcess, Promise<unknown>>()
  afterAll(async () => {
    for (const child of running.keys()) child.kill('SIGTERM')
    await Promise.all(running.values())
    rmSync(folder, { recursive: true, force: true })
  })

  async function settings(more: Record<string, string> = {}) {
    return {
      ...process.env,
      PORT: String(await freePort()),
      MQTT_PORT: String(await freePort()),
      CARETAKER_DATA: path.join(folder, 'data'),
      CARETAKER_DEMO: 'off',
      ...more,
    }
  }

  /**
   * Starts the program and returns its output until it was ready or ended; `meanwhile` runs as soon as the program
   * runs.
   */
  async function start(
    env: NodeJS.ProcessEnv,
    args: string[] = [],
    flags: string[] = [],
    meanwhile?: (child: ChildProcess) => void,
  ) {
    const child = spawn(process.execPath, [...flags, fileURLToPath(program), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    meanwhile?.(child)
    const ended = once(child, 'exit') as Promise<[number | null]>
    running.set(
      child,
      ended.then(() => running.delete(child)),
    )
    let startupOutput = ''
    let errors = ''
    child.stderr.on('data', (chunk) => (errors += String(chunk)))
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk) => {
        startupOutput += String(chunk)
        if (startupOutput.includes('is ready')) resolve()
      })
      void ended.then(() => resolve())
    })
    return {
      startupOutput,
      /** Its output so far, which includes the log. */
      output: () => startupOutput,
      errorOutput: () => errors,
      ended,
      stop: async () => {
        child.kill('SIGTERM')
        return (await ended)[0]
      },
    }
  }

  /** A start that must fail with one line, no stack trace and a non-zero exit code. */
  async function fails(env: NodeJS.ProcessEnv, reason: RegExp, args: string[] = []) {
    const { ended, errorOutput } = await start(env, args)
    const [code] = await ended
    assert.equal(code, 1)
    assert.match(errorOutput(), reason)
    const lines = errorOutput().trim().split('\n')
    // Versions that load oidc-provider at startup print its warning about a Node version that is not yet LTS.
    const own = lines.filter((line) => line && !line.startsWith('oidc-provider WARNING: Unsupported runtime'))
    assert.equal(own.length, 1, errorOutput())
  }

  return { folder, settings, start, fails }
}
