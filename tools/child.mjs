// Plain JavaScript that Node 18 can parse: these files run before anything is installed.
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

/** Whether this module is the program that was started, and not imported by another. */
export const isMain = (url) => process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url)

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** The environment in which `node` means the repository's own Node, and no surrounding test run is visible. */
export function childEnv(extra = {}) {
  const env = { ...process.env, ...extra }
  const bin = path.join(root, 'node_modules', '.bin')
  const name = Object.keys(env).find((key) => key.toLowerCase() === 'path') ?? 'PATH'
  if (!(env[name] ?? '').split(path.delimiter).includes(bin)) env[name] = `${bin}${path.delimiter}${env[name] ?? ''}`
  // Compiled code is kept between starts: quicker, and a third less memory for the small programs.
  env.NODE_COMPILE_CACHE ??= path.join(root, 'node_modules', '.cache', 'node')
  delete env.NODE_TEST_CONTEXT
  return env
}

/**
 * Runs a program to its end, passing on the signals that this process gets. The answer's `code` is the exit code, 128 + number after a
 * signal, 127 when the program cannot be started; `output` holds what it printed when `capture` is set, else it prints for itself.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, capture?: boolean, stdio?: import('node:child_process').StdioOptions, timeout?: number, shell?: boolean, detached?: boolean, stopBy?: NodeJS.Signals }} [options] `stopBy` is the signal by which the
 * program stops tidily, where it knows one only
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, options = {}) {
  const { cwd = root, env = childEnv(), capture = false, timeout, shell = false, detached = false, stopBy } = options
  const stdio = capture ? ['ignore', 'pipe', 'pipe'] : (options.stdio ?? 'inherit')
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio, timeout, shell, detached })
    const listeners = forwarded.map((signal) => [
      signal,
      // A closed terminal is no reason to stop less tidily than on request.
      () => child.kill(stopBy ?? (signal === 'SIGHUP' ? 'SIGTERM' : signal)),
    ])
    for (const [signal, listener] of listeners) process.on(signal, listener)
    let output = ''
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    const end = (code) => {
      for (const [signal, listener] of listeners) process.off(signal, listener)
      resolve({ code, output })
    }
    child.on('error', (error) => {
      output += `${error.message}\n`
      end(127)
    })
    child.on('close', (code, signal) => end(code ?? 128 + (os.constants.signals[signal] ?? 0)))
  })
}

/**
 * Goes on as another Node program. Where the platform can, this process is replaced, so that there is one process less to keep and to
 * signal; elsewhere a child runs, and its exit code becomes ours.
 * @param {string} node
 * @param {readonly string[]} args
 * @param {{ detached?: boolean }} [options] `detached` keeps a child out of the terminal's group: Ctrl-C reaches it once, from us
 * @returns {Promise<never>}
 */
export async function become(node, args, { detached = false } = {}) {
  const all = ['--import', new URL('./with-parent.mjs', import.meta.url).href, ...args]
  if (typeof process.execve === 'function' && process.platform !== 'win32')
    process.execve(node, [node, ...all], childEnv())
  await import('./with-parent.mjs')
  const { code } = await run(node, all, { cwd: process.cwd(), detached: detached && process.platform !== 'win32' })
  process.exit(code)
}

/**
 * Says in one line why it cannot go on, and ends.
 * @param {string} line
 * @returns {never}
 */
export function refuse(line) {
  console.error(line)
  process.exit(1)
}
