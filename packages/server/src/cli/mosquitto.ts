import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MosquittoAccess } from '../mqtt/mosquitto-files.ts'
import { mosquittoAccess } from '../mqtt/mosquitto-files.ts'
import { ingestUserOf } from '../mqtt/permissions.ts'
import { routesChanged } from '../mqtt/route-changes.ts'
import { openBulletin } from '../postgres/bulletin.ts'
import type { Operator } from './operator.ts'
import { OperatorError } from './operator.ts'

export interface MosquittoOptions {
  /** The folder of the files `passwords` and `acl`. */
  mosquitto: string
  watch?: true
  /** The shell command that makes mosquitto read the files again. */
  reload?: string
}

interface Reports {
  print(line: string): void
  complain(line: string): void
}

/** How often the files are compared with the database without a notification, in ms. */
const lookEvery = 10_000
/** How long further notifications are awaited, in ms: many keys are often changed at once. */
const gathering = 200

/** Writes mosquitto's files; with `watch`, again whenever devices or their keys change, until the signal. */
export async function exportMosquitto(
  operator: Operator,
  options: MosquittoOptions,
  { print, complain }: Reports,
  signal: AbortSignal,
): Promise<void> {
  const folder = await stat(options.mosquitto).catch(() => undefined)
  if (!folder?.isDirectory()) throw new OperatorError(`${options.mosquitto} is not a folder.`)
  let reported = ''
  // Mosquitto has not read the files yet, or the command failed.
  let isUnread = false
  const update = async () => {
    const { access, changed } = await writeFiles(operator, options.mosquitto)
    isUnread ||= changed
    if (isUnread && options.reload) await reload(options.reload)
    isUnread = false
    const line = summary(access)
    if (changed || line !== reported) print(line)
    if (line !== reported && access.withoutHash.length) complain(lackLine(access.withoutHash))
    reported = line
  }
  await update()
  if (!options.watch) return
  let change = Promise.withResolvers<void>()
  const bulletin = await openBulletin({
    pool: operator.owner,
    name: 'caretaker-mosquitto',
    channels: [routesChanged],
    onNotification: () => change.resolve(),
  })
  const over = signal.aborted ? Promise.resolve() : once(signal, 'abort')
  while (!signal.aborted) {
    await Promise.race([change.promise, sleep(lookEvery, undefined, { ref: false }), over])
    if (signal.aborted) break
    await Promise.race([sleep(gathering), over])
    change = Promise.withResolvers<void>()
    await update().catch((error: unknown) =>
      complain(`Not updated: ${error instanceof Error ? error.message : String(error)}`),
    )
  }
  await bulletin.stop()
}

const devicesWord = (count: number) => `${count} ${count === 1 ? 'device' : 'devices'}`
const summary = ({ devices, withoutHash }: MosquittoAccess) =>
  `${devicesWord(devices)} written${withoutHash.length ? `, ${withoutHash.length} left out` : ''}`
const shown = 10

const lackLine = (ids: readonly string[]) =>
  `Keys created by an earlier version cannot be written for mosquitto: ${ids.slice(0, shown).join(', ')}${
    ids.length > shown ? ` and ${ids.length - shown} more` : ''
  }. Add them with mosquitto_passwd, replace them (device key --replace), or let the broker ask by HTTP.`

async function writeFiles(
  { owner, config }: Operator,
  folder: string,
): Promise<{ access: MosquittoAccess; changed: boolean }> {
  const files = { passwords: path.join(folder, 'passwords'), acl: path.join(folder, 'acl') }
  const present = { passwords: await textOf(files.passwords), acl: await textOf(files.acl) }
  const access = await mosquittoAccess(owner, ingestUserOf(config.mqttUrl), present)
  let changed = false
  for (const name of ['acl', 'passwords'] as const) {
    if (access[name] === present[name]) continue
    await replaceFile(files[name], access[name])
    changed = true
  }
  return { access, changed }
}

const textOf = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw new OperatorError(`${file} cannot be read (${error.code ?? error.message}).`)
  })

/** Replaces a file in one step. Owner and permissions stay; those of a new file are the folder's owner and 0640. */
async function replaceFile(file: string, content: string): Promise<void> {
  const { uid, gid } = await stat(file).catch(() => stat(path.dirname(file)))
  const mode = (await stat(file).catch(() => undefined))?.mode ?? 0o640
  const unfinished = `${file}.unfinished`
  try {
    await writeFile(unfinished, content, { mode: 0o600 })
    await chown(unfinished, uid, gid).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPERM') throw error
    })
    await chmod(unfinished, mode & 0o777)
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw new OperatorError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)}).`)
  }
}

async function reload(command: string): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new OperatorError(`The files are written, but --reload ended with ${code ?? 'a signal'}.`)
}
