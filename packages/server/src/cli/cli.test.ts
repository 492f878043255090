import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isAlive } from '../postgres/processes.ts'
import type { TestDatabase } from '../testing/database.ts'
import { emptyDatabase, testDatabase } from '../testing/database.ts'

const program = fileURLToPath(new URL('./main.ts', import.meta.url))
let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.drop())

function caretaker(args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    env: { ...process.env, DATABASE_URL: database.url, ...env },
  })
  return { status, stdout, stderr }
}
const done = (...args: string[]) => {
  const { status, stdout, stderr } = caretaker(args)
  assert.equal(status, 0, stderr)
  return stdout
}
const refused = (args: string[], reason: RegExp, env?: Record<string, string>) => {
  const { status, stderr } = caretaker(args, env)
  assert.notEqual(status, 0)
  assert.match(stderr, reason)
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace')
}

test('a new client gets its first manager and its flags', async () => {
  done('tenant', 'add', '--id', 'seaford', '--name', 'Seaford Trust')
  assert.match(done('tenant', 'list'), /seaford\s+Seaford Trust/)
  const link = JSON.parse(done('user', 'invite', '--tenant', 'seaford', '--email', 'Ann@Seaford.test', '--json')) as {
    link: string
  }
  assert.match(link.link, /^http:\/\/localhost:8080\/account\/password\/[\w-]{20,}$/)
  done('feature', 'set', '--tenant', 'seaford', '--area', 'Portal', '--name', 'HomeHub', '--on')
  done('feature', 'set', '--tenant', 'seaford', '--name', 'SystemDebug', '--on')
  done('feature', 'set', '--tenant', 'seaford', '--name', 'SystemDebug', '--off')
  done('capability', 'set', '--tenant', 'seaford', '--name', 'ViewProperties', '--on')
  const read = async (sql: string) => (await database.owner.query<{ value: string }>(sql)).rows.map((row) => row.value)
  assert.deepEqual(await read(`select feature as value from tenant_feature where tenant_id = 'seaford'`), ['HomeHub'])
  assert.deepEqual(await read(`select capability as value from tenant_capability where tenant_id = 'seaford'`), [
    'ViewProperties',
  ])
  assert.deepEqual(await read(`select email || ' ' || role as value from membership where tenant_id = 'seaford'`), [
    'ann@seaford.test Manager',
  ])
  assert.deepEqual(
    await read(`select display_name as value from access_rights_tag where tenant_id = 'seaford' and protected`),
    ['Default'],
  )
  // What the operator does stands in the client's record as well; what changes nothing does not.
  done('feature', 'set', '--tenant', 'seaford', '--name', 'HomeHub', '--on')
  assert.deepEqual(
    await read(
      `select concat_ws(', ', person_name, action, subject_name, before, after - 'timeZone' - 'contacts') as value
       from audit_entry where tenant_id = 'seaford' order by at`,
    ),
    [
      'Operator, client added, Seaford Trust, {"name": "Seaford Trust"}',
      'Operator, user created, ann@seaford.test, {"name": "ann@seaford.test", "role": "Manager", "email": "ann@seaford.test", "accessRightsTags": []}',
      'Operator, feature switched, seaford, {"HomeHub": false}, {"HomeHub": true}',
      'Operator, feature switched, seaford, {"SystemDebug": false}, {"SystemDebug": true}',
      'Operator, feature switched, seaford, {"SystemDebug": true}, {"SystemDebug": false}',
      'Operator, capability switched, seaford, {"ViewProperties": false}, {"ViewProperties": true}',
    ],
  )
})

test('a client gets a logo of its own, and its name back', async () => {
  done('tenant', 'add', '--id', 'logos', '--name', 'Logos Ltd')
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-logo-'))
  try {
    const light = path.join(folder, 'light.svg')
    const dark = path.join(folder, 'dark.PNG')
    writeFileSync(light, '<svg xmlns="http://www.w3.org/2000/svg"/>')
    writeFileSync(dark, 'png')
    const stored = async () =>
      (await database.owner.query<{ settings: object }>(`select settings from tenant where id = 'logos'`)).rows[0]
        ?.settings
    done('tenant', 'logo', '--tenant', 'logos', '--light', light, '--dark', dark)
    const encoded = (text: string) => Buffer.from(text).toString('base64')
    assert.deepEqual(await stored(), {
      logo: {
        light: `data:image/svg+xml;base64,${encoded('<svg xmlns="http://www.w3.org/2000/svg"/>')}`,
        dark: `data:image/png;base64,${encoded('png')}`,
      },
    })
    done('tenant', 'logo', '--tenant', 'logos', '--none')
    assert.deepEqual(await stored(), {})
    refused(['tenant', 'logo', '--tenant', 'logos'], /--light FILE or --none/)
    refused(['tenant', 'logo', '--tenant', 'logos', '--light', path.join(folder, 'x.svg')], /cannot be read/)
    refused(['tenant', 'logo', '--tenant', 'logos', '--light', '/etc/passwd'], /no SVG, PNG or WebP/)
    refused(['tenant', 'logo', '--tenant', 'nobody', '--light', light], /no client nobody/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a device is provisioned: its key is given out once and kept as a hash', async () => {
  done('tenant', 'add', '--id', 'kent', '--name', 'Kent Homes')
  const one = JSON.parse(done('device', 'add', '--tenant', 'kent', '--serial', 'EM1000123X', '--json')) as Record<
    string,
    string
  >
  assert.deepEqual(Object.keys(one).sort(), ['deviceId', 'mqttUrl', 'password', 'serial', 'username'])
  assert.equal(one.username, one.deviceId)
  assert.equal(one.mqttUrl, 'mqtt://localhost:1883')
  const { rows } = await database.owner.query<{ key_hash: Buffer; serial: string }>(
    'select key_hash, serial from device_route join device on id = device_id where device_id = $1',
    [one.deviceId],
  )
  assert.deepEqual(rows[0]!.key_hash, createHash('sha256').update(one.password!).digest())
  assert.equal(rows[0]!.serial, 'EM1000123X')
  const many = done(
    'device',
    'add',
    '--tenant',
    'kent',
    '--count',
    '25',
    '--product',
    'MD',
    '--parent',
    'EM1000123X',
    '--json',
  )
    .trim()
    .split('\n')
  assert.equal(new Set(many.map((line) => (JSON.parse(line) as { deviceId: string }).deviceId)).size, 25)
})

test('what is wrong is said in one line', () => {
  refused(['device', 'add', '--tenant', 'nowhere', '--serial', 'EM1000999X'], /There is no client nowhere/)
  refused(['device', 'add', '--tenant', 'kent', '--serial', 'EM1000123X'], /already in kent/)
  refused(['device', 'add', '--tenant', 'kent', '--serial', 'QQ1'], /serial number/)
  refused(['device', 'add', '--tenant', 'kent'], /either --serial or --count/)
  refused(['device', 'add', '--tenant', 'kent', '--serial', 'EM1000124X', '--status', 'Shiny'], /no status Shiny/)
  refused(['feature', 'set', '--tenant', 'kent', '--name', 'Nonsense', '--on'], /no feature Nonsense/)
  refused(
    ['feature', 'set', '--tenant', 'kent', '--area', 'System', '--name', 'HomeHub', '--on'],
    /no feature HomeHub in System/,
  )
  refused(['feature', 'set', '--tenant', 'kent', '--name', 'HomeHub'], /--on or --off/)
  refused(['capability', 'set', '--tenant', 'kent', '--name', 'Everything', '--on'], /Allowed choices/)
  refused(['tenant', 'add', '--id', 'Bad Id', '--name', 'x'], /lower-case/)
  refused(['tenant', 'add', '--id', 'kent', '--name', 'again'], /there already/)
  refused(['tenant', 'add', '--id', 'mars', '--name', 'Mars', '--time-zone', 'Mars/Olympus'], /no time zone/)
  refused(['user', 'invite', '--tenant', 'kent', '--email', 'nobody'], /e-mail/)
  refused(['nonsense'], /unknown command/)
  refused(['tenant', 'list'], /cannot be reached/, { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
  refused(['tenant', 'list'], /Wrong setting. PORT/, { PORT: 'many' })
  refused(['reset'], /DATABASE_URL is set/)
})

test('migrating an up to date database changes nothing', () => {
  assert.match(done('migrate'), /up to date/)
})

test("an organisation's own database is migrated by the one command; every other refuses it before", async () => {
  const empty = await emptyDatabase()
  const env = { DATABASE_URL: empty.url }
  try {
    refused(['tenant', 'list'], /is empty: run "npm run caretaker -- migrate"/, env)
    assert.match(caretaker(['migrate'], env).stdout, /^Applied 0001-first-path, /)
    assert.equal(caretaker(['tenant', 'list'], env).status, 0)
    await empty.owner.query(`insert into kysely_migration values ('9999-later', '')`)
    refused(['tenant', 'list'], /schema is too new/, env)
    refused(['migrate'], /schema is too new/, env)
  } finally {
    await empty.drop()
  }
})

test('without DATABASE_URL it works on the embedded database of the data folder, running or not', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-cli-'))
  const env = { CARETAKER_DATA: path.join(folder, 'data'), DATABASE_URL: '' }
  try {
    assert.equal(caretaker(['tenant', 'add', '--id', 'north', '--name', 'North'], env).status, 0)
    assert.match(caretaker(['tenant', 'list'], env).stdout, /^north\s+North/)
    assert.equal(caretaker(['reset'], env).status, 0)
    assert.equal(caretaker(['tenant', 'list'], env).stdout, '')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a reset ends the database that a killed app has left behind, and deletes its folder', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-cli-'))
  const dataDir = path.join(folder, 'data')
  const env = { CARETAKER_DATA: dataDir, DATABASE_URL: '' }
  const source = `
    import { lockDataDir, startEmbedded } from ${JSON.stringify(import.meta.resolve('../postgres/embedded.ts'))}
    lockDataDir(${JSON.stringify(dataDir)})
    console.log((await startEmbedded(${JSON.stringify(dataDir)})).url)
    setInterval(() => {}, 60_000)`
  const app = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(app.stdout, 'data')
    const database = Number.parseInt(readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
    const { status, stderr } = caretaker(['reset'], env)
    assert.notEqual(status, 0)
    assert.match(stderr, /in use by process/)
    app.kill('SIGKILL')
    await once(app, 'exit')
    assert.ok(isAlive(database))
    assert.equal(caretaker(['reset'], env).status, 0)
    assert.ok(!isAlive(database))
    assert.ok(!existsSync(dataDir))
  } finally {
    app.kill('SIGKILL')
    caretaker(['reset'], env)
    rmSync(folder, { recursive: true, force: true })
  }
})
