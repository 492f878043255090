import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { SettingError } from '../config.ts'
import type { Places } from './embedded-places.ts'
import { run, type Programs, type RunAs } from './embedded-program.ts'
import { firstError } from './full-disk.ts'

const unfinished = 'postgres-new-'

/** Left by a first start that was killed in the middle. */
export function removeUnfinished({ folder }: Places): void {
  for (const name of fs.readdirSync(folder)) {
    if (name.startsWith(unfinished)) removeTogether(path.join(folder, name))
  }
}

/**
 * `rmSync` returns without an error and leaves the rest when something in the folder vanishes meanwhile, as it does
 * while an `initdb` whose starter was killed clears up after itself.
 */
function removeTogether(folder: string): void {
  for (let attempt = 1; attempt <= 50 && fs.existsSync(folder); attempt++) {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

export function isMissing(cluster: string): boolean {
  return !fs.existsSync(cluster) || fs.readdirSync(cluster).length === 0
}

/** Makes the cluster beside its place and moves it there in one step, so that it is there whole or not at all. */
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
  // From inside: after `removeUnfinished` a straggler of a killed start has nowhere to make its folder anew.
  const child = run(programs.path('initdb'), ['-D', 'cluster', ...access, ...locale], runAs, 'pipe', workshop)
  // initdb reports each step: with nobody left to read it, because this process was killed, it ends at the next step.
  child.stdout!.resume()
  let complaint = ''
  child.stderr!.on('data', (text: Buffer) => (complaint = (complaint + text).slice(0, 20_000)))
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0) throw new SettingError(`The database cannot be made in ${workshop}: ${firstError(complaint)}`)
}

/** Throws a SettingError when the folder was made by another version or is not whole. */
export function checkCluster(places: Places, { major }: Programs): void {
  const broken = (why: string) =>
    new SettingError(
      `The data folder ${places.dataDir} is broken: ${why}. Restore a backup into a new data folder (CARETAKER_DATA)`,
    )
  const versionFile = path.join(places.cluster, 'PG_VERSION')
  if (!fs.existsSync(versionFile)) throw broken(`${versionFile} is missing`)
  const found = fs.readFileSync(versionFile, 'utf8').trim()
  if (found !== major) {
    throw new SettingError(
      `The data folder ${places.dataDir} was made by PostgreSQL ${found}, this version of Caretaker brings ${major}: ` +
        'restore a backup into a new data folder (CARETAKER_DATA)',
    )
  }
  if (!fs.existsSync(places.passwordFile)) throw broken(`${places.passwordFile} is missing`)
  // Postgres refuses a folder that others can enter, which a folder that was copied often is.
  fs.chmodSync(places.cluster, 0o700)
}
