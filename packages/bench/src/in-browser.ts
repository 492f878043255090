import { execFileSync, spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBuilt } from './bundle.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Runs a file of `packages/e2e/benches` against the product with its demo, in a browser, and gives what it tells. With
 * CARETAKER_E2E_PORT it uses the product that `fixtures/serve.ts` has started there.
 */
export async function inBrowser<Figures>(name: string, env: Record<string, string> = {}): Promise<Figures> {
  if (!isBuilt()) throw new Error('The web pages are not built: `npm start` or `npm test` builds them.')
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
  let said = ''
  for await (const chunk of child.stdout) said += String(chunk)
  const told = /^.*figures (\{.*\})$/m.exec(said)?.[1]
  if (!told) throw new Error(`It did not end well:\n${said}`)
  return JSON.parse(told) as Figures
}

/** The one that the browser tests use. */
function chromium(): string {
  return execFileSync(process.execPath, [path.join(root, 'tools/chromium.mjs')], { encoding: 'utf8' }).trim()
}
