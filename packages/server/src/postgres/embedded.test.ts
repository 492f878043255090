import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import { Client } from 'pg'
import { SettingError } from '../config.ts'
import { createCluster } from './embedded-cluster.ts'
import { placesIn } from './embedded-places.ts'
import { bundledPrograms, chooseUser } from './embedded-program.ts'
import { findRunning, lockDataDir, startEmbedded, type Embedded } from './embedded.ts'
import { isAlive } from './processes.ts'
import { skipBecause } from '../testing/skipping.ts'

const root = process.getuid?.() === 0

/** The data folder of a stopped server, for tests that do not need a first start. */
const pristine = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'caretaker-postgres-')), 'data')
beforeAll(async () => (await startEmbedded(pristine)).stop())
afterAll(() => fs.rmSync(path.dirname(pristine), { recursive: true }))

test('starts on an empty folder, keeps its rows across a restart and leaves no process behind', async () => {
  const dataDir = temporaryFolder('missing/data')
  assert.equal(await findRunning(dataDir), undefined)
  const first = await started(dataDir)
  assert.equal(first.adopted, false)
  await query(first.url, 'create table kept (n int)')
  await query(first.url, 'insert into kept values (1)')
  assert.equal(await findRunning(dataDir), first.url)
  assert.equal(fs.statSync(path.join(dataDir, 'postgres-password')).mode & 0o777, 0o600)
  const pid = serverPid(dataDir)
  await first.stop()
  assert.equal(isAlive(pid), false)
  assert.equal(await findRunning(dataDir), undefined)
  await first.stop()

  const second = await started(dataDir)
  assert.equal(second.adopted, false)
  assert.deepEqual(await query(second.url, 'select n from kept'), [{ n: 1 }])
  const show = async (name: string) => (await query(second.url, `show ${name}`))[0]![name]
  assert.equal(await show('listen_addresses'), '127.0.0.1')
  assert.equal(await show('shared_buffers'), '128MB')
  assert.equal(await show('fsync'), 'on')
  const sorted = await query(
    second.url,
    `select string_agg(w, '' order by w) as words from unnest('{b,ä,a,B}'::text[]) w`,
  )
  assert.deepEqual(sorted, [{ words: 'Babä' }])
  await assert.rejects(query(second.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1'), { code: '28P01' })
})

test('takes over folder and server from a killed app, but not from a running one', async () => {
  const dataDir = usedFolder()
  const app = await appProcess(dataDir)
  const message = new RegExp(`^The data folder ${dataDir} is in use by process ${app.pid}\\. `)
  assert.throws(
    () => lockDataDir(dataDir),
    (error) => error instanceof SettingError && message.test(error.message),
  )
  app.kill('SIGKILL')
  await once(app, 'exit')
  onTestFinished(lockDataDir(dataDir))
  const pid = serverPid(dataDir)
  assert.equal(isAlive(pid), true)
  const adopted = await started(dataDir)
  assert.equal(adopted.adopted, true)
  assert.equal(serverPid(dataDir), pid)

  // A copy of a folder in use names the running server in its pid file and has the same password.
  const copy = path.join(path.dirname(dataDir), 'copy')
  fs.cpSync(dataDir, copy, { recursive: true })
  assert.equal(await findRunning(copy), undefined)
  const own = await started(copy)
  assert.equal(own.adopted, false)
  assert.notEqual(own.url, adopted.url)
  await own.stop()
  await adopted.stop()
  assert.equal(isAlive(pid), false)
})

test('a pid file that names another process is ignored; a full log is rotated', async () => {
  const dataDir = usedFolder()
  const first = await started(dataDir)
  const pidFile = path.join(dataDir, 'postgres/postmaster.pid')
  const left = fs.readFileSync(pidFile, 'utf8').split('\n')
  await first.stop()
  const stranger = net.createServer().listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  onTestFinished(() => void stranger.close())
  left[0] = String(process.pid)
  left[3] = String((stranger.address() as net.AddressInfo).port)
  fs.writeFileSync(pidFile, left.join('\n'))
  assert.equal(await findRunning(dataDir), undefined)
  const log = path.join(dataDir, 'postgres.log')
  fs.writeFileSync(log, 'old\n'.repeat(1_500_000))
  assert.equal((await started(dataDir)).adopted, false)
  assert.ok(fs.statSync(log).size < 100_000)
  assert.ok(fs.existsSync(`${log}.1`))
})

test('a database that is killed while the app runs restarts at the same address with every committed row', async () => {
  const dataDir = usedFolder()
  const first = await started(dataDir)
  await query(first.url, 'create table acknowledged as select 1 as n')
  let over = false
  const busy = query(first.url, 'select count(*) from generate_series(1, 3000000)')
    .catch(() => undefined)
    .finally(() => (over = true))
  const seen = `select 1 from pg_stat_activity where state = 'active' and query like '%series(%' and pid <> pg_backend_pid()`
  await until(async () => over || (await query(first.url, seen)).length > 0)
  await query(first.url, 'insert into acknowledged values (2)')
  process.kill(serverPid(dataDir), 'SIGKILL')
  const kept = () => query(first.url, 'select n from acknowledged order by n').catch(() => undefined)
  await until(async () => (await kept()) !== undefined)
  assert.deepEqual(await kept(), [{ n: 1 }, { n: 2 }])
  await busy
  const pid = serverPid(dataDir)
  await first.stop()
  assert.equal(isAlive(pid), false)
})

test('a first start that was killed midway does not damage the folder', async () => {
  const dataDir = temporaryFolder('data')
  const app = spawnApp(dataDir)
  onTestFinished(() => void app.kill('SIGKILL'))
  await until(() => {
    assert.equal(app.exitCode, null)
    return fs.existsSync(dataDir) && fs.readdirSync(dataDir).some((name) => name.startsWith('postgres-new-'))
  })
  app.kill('SIGKILL')
  await once(app, 'exit')
  assert.equal(fs.existsSync(path.join(dataDir, 'postgres')), false)
  await started(dataDir)
  assert.deepEqual(fs.readdirSync(dataDir).sort(), ['caretaker.lock', 'postgres', 'postgres-password', 'postgres.log'])
})

test('a damaged data folder is rejected with the reason', async () => {
  const dataDir = usedFolder()
  const refusedWithout = async (file: string, message: RegExp) => {
    const place = path.join(dataDir, file)
    fs.renameSync(place, `${place}.away`)
    await refused(dataDir, message)
    fs.renameSync(`${place}.away`, place)
  }
  await refusedWithout('postgres/PG_VERSION', /is damaged: .*PG_VERSION is missing/)
  await refusedWithout('postgres-password', /is damaged: .*postgres-password is missing/)
  await refusedWithout(
    'postgres/global/pg_control',
    /does not start in .*: .*pg_control": No such file.*\(see .*postgres\.log\)/,
  )
  await refusedWithout('postgres/pg_wal', /does not start in .*: FATAL: .*"pg_wal" does not exist/)
  fs.writeFileSync(path.join(dataDir, 'postgres/PG_VERSION'), '14\n')
  await refused(dataDir, /was created by PostgreSQL 14, but this version of Caretaker includes 18/)
})

test(
  'a failed initdb is reported by its first error, not its last line',
  skipBecause(process.platform === 'win32' && 'Windows has no ulimit'),
  async () => {
    const folder = temporaryFolder('.')
    const programs = bundledPrograms()
    const places = placesIn(folder, fs.realpathSync(folder))
    const runAs = chooseUser(programs, places.folder, places.cluster)
    // No file may exceed 100 kB, which the first tables do.
    const limited = { ...runAs, prefix: [...runAs.prefix, 'sh', '-c', 'ulimit -f 200; exec "$0" "$@"'] }
    await assert.rejects(createCluster(places, programs, limited), (error: Error) => {
      assert.match(error.message, /^The database cannot be created in .*: .*(?:File too large|wrote only \d+ of)/)
      return true
    })
  },
)

test('a data folder that is not writable is rejected with the reason', async () => {
  const parent = temporaryFolder('.')
  const file = path.join(parent, 'file')
  fs.writeFileSync(file, '')
  await refused(file, /cannot be used: part of its path is a file/)
  await refused(path.join(file, 'data'), /cannot be used: part of its path is a file/)
  assert.throws(() => lockDataDir(file), SettingError)
  if (root) return
  fs.chmodSync(parent, 0o555)
  await refused(parent, /cannot be used: permission denied/)
  await refused(path.join(parent, 'data'), /cannot be used: permission denied/)
})

test('on a platform without bundled programs the error asks for an external database', () => {
  assert.throws(() => bundledPrograms('sunos', 'sparc'), {
    name: 'SettingError',
    message: /No PostgreSQL is bundled for sunos-sparc.*set DATABASE_URL/,
  })
})

test(
  'root runs the database as another user, also below a closed folder',
  skipBecause(!root && 'not root'),
  async () => {
    const dataDir = usedFolder()
    // Passable for everyone, then closed again: the files change owner.
    for (const mode of [0o711, 0o700]) {
      fs.chmodSync(path.dirname(dataDir), mode)
      const server = await started(dataDir)
      assert.deepEqual(await query(server.url, 'select 1 as here'), [{ here: 1 }])
      await server.stop()
    }
  },
)

test('a data folder can be claimed once, and again after it is released', () => {
  const dataDir = temporaryFolder('data')
  const unlock = lockDataDir(dataDir)
  assert.throws(() => lockDataDir(dataDir), { message: new RegExp(`in use by process ${process.pid}\\. Stop`) })
  unlock()
  const unlockAgain = lockDataDir(dataDir)
  unlock()
  assert.match(fs.readFileSync(path.join(dataDir, 'caretaker.lock'), 'utf8'), new RegExp(`^${process.pid}\n`))
  unlockAgain()
  assert.equal(fs.existsSync(path.join(dataDir, 'caretaker.lock')), false)
})

test(
  'a claim is taken over if its process id belongs to another process',
  skipBecause(process.platform !== 'linux' && 'process ids are looked up in /proc'),
  () => {
    const dataDir = temporaryFolder('data')
    fs.mkdirSync(dataDir)
    fs.writeFileSync(path.join(dataDir, 'caretaker.lock'), `${process.ppid}\n1\n`)
    lockDataDir(dataDir)()
  },
)

/** A path in a temporary folder that is removed after the test. */
function temporaryFolder(name: string): string {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'caretaker-postgres-'))
  onTestFinished(() => {
    fs.chmodSync(folder, 0o700)
    fs.rmSync(folder, { recursive: true, maxRetries: 5 })
  })
  return path.join(folder, name)
}

function usedFolder(): string {
  const dataDir = temporaryFolder('data')
  fs.cpSync(pristine, dataDir, { recursive: true })
  return dataDir
}

async function started(dataDir: string): Promise<Embedded> {
  const server = await startEmbedded(dataDir)
  onTestFinished(() => server.stop())
  return server
}

/** Another running app on this folder; the database server that it starts outlives it. */
async function appProcess(dataDir: string): Promise<ChildProcess> {
  const app = spawnApp(dataDir)
  onTestFinished(async () => {
    app.kill('SIGKILL')
    if (await findRunning(dataDir)) await (await startEmbedded(dataDir)).stop()
  })
  const ready = once(app.stdout!, 'data').then(() => true)
  assert.ok(await Promise.race([ready, once(app, 'exit').then(() => false)]), 'the app has ended')
  return app
}

function spawnApp(dataDir: string): ChildProcess {
  const program = `
    import { lockDataDir, startEmbedded } from ${JSON.stringify(import.meta.resolve('./embedded.ts'))}
    lockDataDir(${JSON.stringify(dataDir)})
    const { url } = await startEmbedded(${JSON.stringify(dataDir)})
    console.log(url)
    setInterval(() => {}, 60_000)`
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

async function refused(dataDir: string, message: RegExp): Promise<void> {
  await assert.rejects(startEmbedded(dataDir), (error) => {
    assert.ok(error instanceof SettingError, String(error))
    assert.match(error.message, message)
    assert.doesNotMatch(error.message, /\n/)
    return true
  })
}

function serverPid(dataDir: string): number {
  return Number.parseInt(fs.readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5)
}
