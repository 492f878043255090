import { execFileSync, spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Runs a file of `packages/e2e/benches` against the product with its demo, in a browser, and returns what it reports. With
 * CARETAKER_E2E_PORT it uses the product that runs there.
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

/** The one that the browser tests use. */
function chromium(): string {
  return execFileSync(process.execPath, [path.join(root, 'tools/chromium.mjs')], { encoding: 'utf8' }).trim()
}
