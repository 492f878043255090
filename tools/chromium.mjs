import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { isMain, root, run } from './child.mjs'
import { installPackages, isDebian, isRoot } from './debian.mjs'

/**
 * The tests' Chromium arguments: no calls to Google's services, and no sandbox if run as root, because Chromium would
 * not start with one.
 */
export const launchArgs = [
  ...(isRoot() ? ['--no-sandbox'] : []),
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--disable-gpu',
  '--no-first-run',
]

// The headless shell comes first, because the tests take a third less time with it.
const systemNames = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
]
const systemPlaces = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Whether the file exists and starts. A stub, or a binary without its libraries, is not accepted. */
function runs(file) {
  if (!file || !existsSync(file)) return false
  // On Windows the browser prints nothing on the console.
  if (process.platform === 'win32') return true
  return spawnSync(file, ['--version', '--no-sandbox'], { timeout: 20_000, stdio: 'ignore' }).status === 0
}

function systemChromium() {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  const named = folders.flatMap((folder) => systemNames.map((name) => path.join(folder, name)))
  return [...named, ...systemPlaces].find(runs)
}

async function playwrightChromium() {
  try {
    const { chromium } = await import('playwright-core')
    const file = chromium.executablePath()
    return runs(file) ? file : undefined
  } catch {
    return undefined
  }
}

async function installByPlaywright() {
  const cli = path.join(root, 'node_modules', 'playwright-core', 'cli.js')
  await run(process.execPath, [cli, 'install', 'chromium'], { capture: true, timeout: 240_000 })
  return playwrightChromium()
}

async function installByDebian() {
  if (!isDebian() || !isRoot()) return undefined
  // Older Debian releases have only the full browser.
  if (!(await installPackages(['chromium-headless-shell']))) await installPackages(['chromium'])
  return systemChromium()
}

/**
 * The Chromium for the browser tests: CHROMIUM_PATH, Playwright's own, the system's, a Debian package or Playwright's
 * download.
 * @param {{ install?: boolean }} [options] with `install: false`, nothing is installed
 * @returns {Promise<string | undefined>} undefined if none is available
 */
export async function chromiumPath({ install = true } = {}) {
  const named = process.env.CHROMIUM_PATH
  if (named) {
    if (!runs(named)) throw new Error(`CHROMIUM_PATH names ${named}, which is not a working Chromium.`)
    return named
  }
  const present = (await playwrightChromium()) ?? systemChromium()
  if (present || !install) return present
  console.error('Installing Chromium …')
  const ways = isRoot() ? [installByDebian, installByPlaywright] : [installByPlaywright, installByDebian]
  for (const way of ways) {
    const file = await way()
    if (file) return file
  }
  return undefined
}

if (isMain(import.meta.url)) {
  const file = await chromiumPath()
  console.log(file ?? 'No Chromium could be found or installed. Install one, or set CHROMIUM_PATH to its file.')
  process.exitCode = file ? 0 : 1
}
