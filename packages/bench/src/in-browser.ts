import { execFileSync, spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Runs a file of `packages/e2e/benches` in a browser against the product with its demo, and returns its report. With
 * CARETAKER_E2E_PORT it uses the product that runs on that port.
 */
export async function inBrowser<Figures>(name: string, env: Record<string, string> = {}): Promise<Figures> {
  const child = spawn(
    process.execPath,
    [
      path.join(root, 'node_modules/@playwright/test/cli.js'),
      ...['test', '--config', 'packages/e2e/bench.config.ts', `benches/${name}.bench`],
    ],
    {
      cwd: root,
      env: { ...process.env, CHROMIUM_PATH: chromium(), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let output = ''
  for await (const chunk of child.stdout) output += String(chunk)
  const figures = /^.*figures (\{.*\})$/m.exec(output)?.[1]
  if (!figures) throw new Error(`The bench reported no figures:\n${output}`)
  return JSON.parse(figures) as Figures
}

/** The browser of the browser tests. */
function chromium(): string {
  return execFileSync(process.execPath, [path.join(root, 'tools/chromium.mjs')], { encoding: 'utf8' }).trim()
}
