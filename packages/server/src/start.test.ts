import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { test } from 'vitest'
import { migrations } from './migrations/index.ts'
import { migrate } from './postgres/migrate.ts'
import { emptyDatabase, testDatabase } from './testing/database.ts'
import { freePort } from './testing/ports.ts'
import { openOperator } from './testing/operator.ts'
import { loadedModules, programUnderTest, reportLoaded } from './testing/program.ts'

const { settings, start, fails, folder } = programUnderTest(new URL('./main.ts', import.meta.url))

test('it starts without the demo, responds, and stops cleanly', async () => {
  const env = await settings()
  const server = await start(env)
  assert.match(
    server.startupOutput,
    new RegExp(`^Caretaker is ready at http://localhost:${env.PORT}\n`),
    server.errorOutput(),
  )
  const ready = await fetch(`http://127.0.0.1:${env.PORT}/readyz`)
  const works = { api: true, ingest: true, worker: true }
  assert.deepEqual(await ready.json(), { status: 'ready', database: true, writable: true, ...works, reasons: [] })
  assert.equal(await server.stop(), 0)
  await assert.rejects(fetch(`http://127.0.0.1:${env.PORT}/livez`))
})

test('with outbound messages off the log reports it at startup', async () => {
  const database = await testDatabase()
  try {
    const server = await start(await settings({ DATABASE_URL: database.url, CARETAKER_OUTBOUND: 'off' }), ['worker'])
    assert.match(server.startupOutput, /is ready/, server.errorOutput())
    await server.stop()
    assert.match(server.startupOutput, /CARETAKER_OUTBOUND is off: no e-mails or webhooks are sent/)
  } finally {
    await database.drop()
  }
})

test('secrets come from files, and an unknown setting is named with the nearest known one', async () => {
  const database = await testDatabase()
  try {
    const file = path.join(folder, 'database-url')
    writeFileSync(file, `${database.url}\n`, { mode: 0o600 })
    const env = await settings({ DATABASE_URL_FILE: file, CARETAKER_OUTBOND: 'off' })
    const server = await start(env, ['worker'])
    assert.match(server.startupOutput, /is ready/, server.errorOutput())
    await server.stop()
    assert.match(server.startupOutput, /CARETAKER_OUTBOND is not a setting: did you mean CARETAKER_OUTBOUND\?/)
    await fails({ ...env, DATABASE_URL: database.url }, /DATABASE_URL and DATABASE_URL_FILE are both set/, ['worker'])
  } finally {
    await database.drop()
  }
})

test('ended before it is ready it leaves no database running', async () => {
  const data = path.join(folder, 'early')
  const pidFile = path.join(data, 'postgres', 'postmaster.pid')
  const starting = start(await settings({ CARETAKER_DATA: data }), [], [], (child) => {
    const look = setInterval(() => {
      if (!existsSync(pidFile)) return
      clearInterval(look)
      child.kill('SIGINT')
    }, 5)
  })
  const { startupOutput, errorOutput, ended } = await starting
  assert.equal((await ended)[0], 0, errorOutput())
  assert.deepEqual([startupOutput, errorOutput()], ['', ''])
  assert.equal(existsSync(pidFile), false)
  // The next start continues from there.
  const server = await start(await settings({ CARETAKER_DATA: data }))
  assert.match(server.startupOutput, /is ready/, server.errorOutput())
  assert.equal(await server.stop(), 0)
})

test('a port in use is one clear line, before a database is created', async () => {
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const port = String((busy.address() as AddressInfo).port)
  const fresh = { CARETAKER_DATA: path.join(folder, 'fresh') }
  for (const setting of ['PORT', 'MQTT_PORT', 'HEALTH_PORT'])
    await fails(
      await settings({ ...fresh, [setting]: port }),
      new RegExp(`Port ${port} is in use. Set ${setting} to a free one`),
    )
  busy.close()
  const free = String(await freePort())
  await fails(
    await settings({ ...fresh, PORT: free, MQTT_PORT: free }),
    new RegExp(`Port ${free} is in use. Set MQTT_`),
  )
  await fails(
    await settings({ ...fresh, MQTT_HOST: '203.0.113.9' }),
    /203.0.113.9 is not an address .* Correct MQTT_HOST/,
  )
  assert.ok(!existsSync(fresh.CARETAKER_DATA))
})

test('a second server on the same data folder is rejected', async () => {
  const server = await start(await settings())
  await fails(await settings(), /data folder .* is in use by process/)
  assert.equal(await server.stop(), 0)
})

test('wrong settings, an unknown part, a file as data folder and an unreachable database are reported', async () => {
  await fails(await settings({ PORT: 'many' }), /Wrong setting. PORT/)
  await fails(await settings(), /Unknown part dance/, ['dance'])
  const file = path.join(folder, 'file')
  writeFileSync(file, '')
  await fails(await settings({ CARETAKER_DATA: path.join(file, 'data') }), /file/)
  await fails(await settings({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }), /DATABASE_URL/)
  await fails(await settings({ OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_AUDIENCE: 'x' }), /OIDC_ISSUER/)
})

test('a data folder that cannot be created is reported in one line', async () => {
  const nowhere = process.platform === 'linux' ? '/proc/caretaker/data' : path.join(folder, 'file', 'data')
  await fails(await settings({ CARETAKER_DATA: nowhere }), /^The data folder .* cannot be used: /)
})

test('a disk that is full at the first start is reported in one line, at any stage', async (t) => {
  const disk = path.join(folder, 'disk')
  mkdirSync(disk, { mode: 0o755 })
  const small = (size: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', disk]).status === 0
  if (!small('1m')) return t.skip('no file system of its own can be mounted here')
  spawnSync('umount', [disk])
  // The disk fills up while the cluster is created, while its schema is created, or not at all.
  for (const size of ['10m', '20m', '37m', '41m', '42m']) {
    small(size)
    try {
      const server = await start(await settings({ CARETAKER_DATA: path.join(disk, 'data') }))
      if (server.startupOutput.includes('is ready')) assert.equal(await server.stop(), 0)
      else {
        assert.equal((await server.ended)[0], 1)
        assert.equal(
          server.errorOutput(),
          `The disk is full: make room in the data folder ${path.join(disk, 'data')}, then start again.\n`,
          size,
        )
      }
    } finally {
      // The database may take a moment to end.
      while (spawnSync('umount', [disk]).status !== 0) await sleep(50)
    }
  }
})

test("a start does not change an organisation's own database, and for an empty one it explains how to begin", async () => {
  const database = await emptyDatabase()
  const own = { DATABASE_URL: database.url }
  try {
    await fails(await settings(own), /The database is empty: run "npm run caretaker -- migrate", then start again/)
    await fails(await settings(own), /The database is empty/, ['worker'])
    assert.equal((await database.owner.query(`select from pg_class where relname = 'tenant'`)).rowCount, 0)
    await migrate(database.owner)
    const server = await start(await settings(own))
    assert.match(server.startupOutput, /Nobody can sign in yet/, server.errorOutput())
    assert.equal(await server.stop(), 0)
    await database.owner.query(`delete from kysely_migration where name = $1`, [Object.keys(migrations).at(-1)])
    await fails(await settings(own), /schema is too old .* run "npm run caretaker -- migrate"/)
    await database.owner.query(`insert into kysely_migration values ($1, ''), ('9999-later', '')`, [
      Object.keys(migrations).at(-1),
    ])
    await fails(await settings(own), /schema is too new .*9999-later/)
  } finally {
    await database.drop()
  }
})

test('the first user is created with the commands printed at startup, which are then no longer printed', async () => {
  const env = await settings()
  const server = await start(env)
  const commands = [...server.startupOutput.matchAll(/npm run caretaker -- (.+)/g)].map(([, command]) => command!)
  assert.equal(commands.length, 2, server.startupOutput)
  const operator = fileURLToPath(new URL('./cli/main.ts', import.meta.url))
  let link = ''
  for (const command of commands) {
    const args = [...command.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
    const { status, stdout, stderr } = spawnSync(process.execPath, [operator, ...args], { encoding: 'utf8', env })
    assert.equal(status, 0, stderr)
    link = /http\S+/.exec(stdout)?.[0] ?? link
  }
  const page = await fetch(link)
  assert.equal(page.status, 200)
  assert.match(await page.text(), /<form/)
  const again = '/account/password/never-given-out'
  assert.notEqual((await fetch(new URL(again, link))).status, 200, 'another link opens nothing')
  assert.equal(await server.stop(), 0)
  const later = await start(env)
  assert.equal(later.startupOutput, `Caretaker is ready at http://localhost:${env.PORT}\n`)
  assert.equal(await later.stop(), 0)
})

test('commands use the addresses that the server was started with, wherever they run on its database', async () => {
  const database = await testDatabase()
  const shell = { DATABASE_URL: database.url }
  const command = async (line: string, env: Record<string, string> = shell) => {
    const { stdout, stderr } = await openOperator(env).run(line.split(' '))
    return stdout + stderr
  }
  const invite = (email: string) => `user invite --tenant north --email ${email}`
  try {
    await command('tenant add --id north --name North')
    // Before the first start they are unknown.
    const unknownAddress = /\nThe address of this installation is not known yet: .* CARETAKER_ORIGIN .*\n$/
    const early = await command(invite('early@north.test'))
    assert.match(early, /valid for 3 days:\n\/account\/password\/[\w-]+\n/)
    assert.match(early, unknownAddress)
    const device = await command('device add --tenant north --serial EM1000000X')
    assert.match(device, /^address {3}not known yet$/m)
    assert.match(device, unknownAddress)
    assert.doesNotMatch(early + device, /localhost/)
    assert.doesNotMatch(await command('tenant list'), unknownAddress)

    const addresses = { CARETAKER_ORIGIN: 'https://homes.example', MQTT_PUBLIC_URL: 'mqtts://devices.example:8884/' }
    const server = await start(await settings({ DATABASE_URL: database.url, ...addresses }))
    assert.match(server.startupOutput, /is ready at https:\/\/homes.example/, server.errorOutput())
    assert.match(await command(invite('a@north.test')), /\nhttps:\/\/homes\.example\/account\/password\/[\w-]+\n/)
    assert.equal(await server.stop(), 0)
    // They are also known while the server is stopped, and a setting of the shell takes precedence.
    assert.match(
      await command('device add --tenant north --serial EM1000001X'),
      /^address {3}mqtts:\/\/devices\.example:8884$/m,
    )
    assert.match(
      await command(invite('b@north.test'), { ...shell, CARETAKER_ORIGIN: 'https://other.example' }),
      /\nhttps:\/\/other\.example\/account/,
    )
  } finally {
    await database.drop()
  }
})

test('without a demo in the installation it explains how to start', async () => {
  await fails(await settings({ CARETAKER_DEMO: 'on' }), /no demo in this installation: set CARETAKER_DEMO=off/)
})

test('parts start by name, and each reports whether it is live, whether it is ready, and its metrics', async () => {
  const counted = { ingest: 'caretaker_messages_waiting', worker: 'process_cpu_seconds_total' }
  for (const [part, figure] of Object.entries(counted)) {
    const server = await start(await settings(), [part], reportLoaded)
    const [, port] =
      new RegExp(`^Caretaker is ready: ${part}, health on port (\\d+)\n`).exec(server.startupOutput) ?? []
    assert.ok(port, server.startupOutput + server.errorOutput())
    const get = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`)
      return { status: answer.status, text: await answer.text() }
    }
    assert.deepEqual(await get('/livez'), { status: 200, text: '{"status":"alive"}' })
    const ready = `{"status":"ready","database":true,"writable":true,"${part}":true,"reasons":[]}`
    assert.deepEqual(await get('/readyz'), { status: 200, text: ready })
    const metrics = await get('/metrics')
    assert.ok(metrics.text.includes(figure), `${part} counts ${figure}`)
    assert.equal((await get('/api/session')).status, 404)
    assert.equal(await server.stop(), 0)
    await assert.rejects(fetch(`http://127.0.0.1:${port}/livez`))
    const modules = loadedModules(server.errorOutput(), 'server')
    const entrances = { api: 'app.ts', ingest: 'mqtt/device-link.ts', worker: 'jobs/jobs.ts' }
    assert.deepEqual(
      Object.entries(entrances).flatMap(([name, file]) => (modules.includes(file) ? [name] : [])),
      [part],
      'no modules of other parts',
    )
  }
})

test('a process with api serves its metrics on a separate port, and not to callers of the API', async () => {
  const free = String(await freePort())
  const env = await settings({ HEALTH_PORT: free })
  const server = await start(env)
  assert.match(server.startupOutput, /^Caretaker is ready at /, server.errorOutput())
  await fetch(`http://127.0.0.1:${env.PORT}/api/settings`)
  assert.equal((await fetch(`http://127.0.0.1:${env.PORT}/metrics`)).status, 404)
  const figures = await (await fetch(`http://127.0.0.1:${free}/metrics`)).text()
  assert.match(figures, /caretaker_http_seconds_count{method="GET",route="\/api\/settings",status="200"} 1/)
  assert.equal(await server.stop(), 0)
})

test('a server that other machines can reach does not start without its public address', async () => {
  await fails(await settings({ HOST: '0.0.0.0' }), /HOST 0.0.0.0 can be called from elsewhere: set CARETAKER_ORIGIN/)
})

test('the health port is a setting, and a port in use is one clear line', async () => {
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const { port } = busy.address() as AddressInfo
  await fails(
    await settings({ HEALTH_PORT: String(port) }),
    new RegExp(`Port ${port} is in use. Set HEALTH_PORT to a free one`),
    ['worker'],
  )
  busy.close()
  const free = String(await freePort())
  const server = await start(await settings({ HEALTH_PORT: free }), ['worker'])
  assert.match(
    server.startupOutput,
    new RegExp(`^Caretaker is ready: worker, health on port ${free}\n`),
    server.errorOutput(),
  )
  assert.equal(await server.stop(), 0)
})

test('other users of the machine can read nothing in the data folder, nor what an earlier version left readable', async () => {
  const data = path.join(folder, 'closed')
  const files = path.join(data, 'files', 'north')
  mkdirSync(files, { recursive: true, mode: 0o755 })
  writeFileSync(path.join(files, 'certificate'), 'x', { mode: 0o644 })
  const env = await settings({ CARETAKER_DATA: data })
  const server = await start(env)
  const operator = fileURLToPath(new URL('./cli/main.ts', import.meta.url))
  const backup = [operator, 'backup', path.join(data, 'backup.zip')]
  const { status, stderr } = spawnSync(process.execPath, backup, { encoding: 'utf8', env })
  assert.equal(status, 0, stderr)
  const open = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter(
    (name) => ((lstatSync(path.join(data, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  )
  assert.deepEqual(open, [])
  assert.ok(existsSync(path.join(data, 'caretaker.lock')) && existsSync(path.join(files, 'certificate')))
  assert.equal(await server.stop(), 0)
})
