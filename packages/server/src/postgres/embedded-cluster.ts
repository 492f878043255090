import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { SettingError } from '../config.ts'
import type { Places } from './embedded-places.ts'
import { run, type Programs, type RunAs } from './embedded-program.ts'
import { firstError } from './full-disk.ts'

const unfinished = 'postgres-new-'

/** Left by a first start that was killed midway. */
export function removeUnfinished({ folder }: Places): void {
  for (const name of fs.readdirSync(folder)) {
    if (name.startsWith(unfinished)) removeTogether(path.join(folder, name))
  }
}

/**
 * `rmSync` returns without an error and leaves files behind when something in the folder vanishes meanwhile, for
 * example while an orphaned `initdb` cleans up.
 */
function removeTogether(folder: string): void {
  for (let attempt = 1; attempt <= 50 && fs.existsSync(folder); attempt++) {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

export function isMissing(cluster: string): boolean {
  return !fs.existsSync(cluster) || fs.readdirSync(cluster).length === 0
}

/** Creates the cluster in a temporary folder and renames it, so that it is either complete or missing. */
export async function createCluster(places: Places, programs: Programs, runAs: RunAs): Promise<void> {
  const workshop = fs.mkdtempSync(path.join(places.folder, unfinished))
  const password = randomBytes(18).toString('base64url')
  const passwordCopy = path.join(workshop, 'password')
  try {
    fs.writeFileSync(passwordCopy, password, { mode: 0o600 })
    if (runAs.ids) for (const place of [workshop, passwordCopy]) fs.chownSync(place, runAs.ids.uid, runAs.ids.gid)
    await initialise(programs, runAs, workshop)
    fs.writeFileSync(places.passwordFile, password, { mode: 0o600, flush: true })
    fs.rmSync(places.cluster, { recursive: true, force: true })
    fs.renameSync(path.join(workshop, 'cluster'), places.cluster)
  } finally {
    removeTogether(workshop)
  }
}

async function initialise(programs: Programs, runAs: RunAs, workshop: string): Promise<void> {
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const access = ['--username=app', '--auth=scram-sha-256', '--pwfile=password']
  // Run from inside: after `removeUnfinished` a leftover `initdb` has no folder in which to recreate it.
  const child = run(programs.path('initdb'), ['-D', 'cluster', ...access, ...locale], runAs, 'pipe', workshop)
  // initdb prints each step; if this process is killed, the closed pipe ends it at the next step.
  child.stdout!.resume()
  let complaint = ''
  child.stderr!.on('data', (text: Buffer) => (complaint = (complaint + text).slice(0, 20_000)))
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0) throw new SettingError(`The database cannot be created in ${workshop}: ${firstError(complaint)}`)
}

/** Throws a SettingError if the folder was created by another version or is incomplete. */
export function checkCluster(places: Places, { major }: Programs): void {
  const broken = (why: string) =>
    new SettingError(
      `The data folder ${places.dataDir} is damaged: ${why}. Restore a backup into a new data folder (CARETAKER_DATA)`,
    )
  const versionFile = path.join(places.cluster, 'PG_VERSION')
  if (!fs.existsSync(versionFile)) throw broken(`${versionFile} is missing`)
  const found = fs.readFileSync(versionFile, 'utf8').trim()
  if (found !== major) {
    throw new SettingError(
      `The data folder ${places.dataDir} was created by PostgreSQL ${found}, but this version of Caretaker includes ${major}: ` +
        'restore a backup into a new data folder (CARETAKER_DATA)',
    )
  }
  if (!fs.existsSync(places.passwordFile)) throw broken(`${places.passwordFile} is missing`)
  // Postgres refuses a folder that others can enter, as copied folders often are.
  fs.chmodSync(places.cluster, 0o700)
}
