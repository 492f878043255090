import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, test } from 'vitest'
import { getAppResident } from '@caretaker/contract/residents.ts'
import { uninstall } from '../features/actions/uninstall.ts'
import { holdDevices } from '../features/devices/held.ts'
import { isAlive } from '../postgres/processes.ts'
import { inTenant } from '../postgres/tenant.ts'
import { testApp } from '../testing/app.ts'
import { png } from '../testing/certificate-files.ts'
import type { TestDatabase } from '../testing/database.ts'
import { emptyDatabase, testDatabase } from '../testing/database.ts'
import type { TestOperator } from '../testing/operator.ts'
import { openOperator } from '../testing/operator.ts'

const program = fileURLToPath(new URL('./main.ts', import.meta.url))
let database: TestDatabase
let operator: TestOperator
beforeAll(async () => {
  database = await testDatabase()
  operator = openOperator({ DATABASE_URL: database.url, CARETAKER_ORIGIN: 'http://localhost:8080' })
})
afterAll(() => database.drop())

/** Runs the command in a separate process. */
function caretaker(args: string[], env: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    env: { ...process.env, DATABASE_URL: database.url, ...env },
  })
  return { status, stdout, stderr }
}
/** With environment settings that differ from the file. */
const operatorWith = (env: Record<string, string>) => openOperator({ DATABASE_URL: database.url, ...env })
const done = async (...args: string[]) => {
  const { code, stdout, stderr } = await operator.run(args)
  assert.equal(code, 0, stderr)
  return stdout
}
const refused = async (args: string[], reason: RegExp, by = operator) => {
  const { code, stderr } = await by.run(args)
  assert.notEqual(code, 0)
  assert.match(stderr, reason)
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace')
}

test('a new client gets its first manager and its feature flags', async () => {
  await done('tenant', 'add', '--id', 'seaford', '--name', 'Seaford Trust')
  assert.match(await done('tenant', 'list'), /seaford\s+Seaford Trust/)
  const add = ['tenant', 'add', '--id', 'named', '--name']
  await refused([...add, '   '], /one line of at most 100 characters[^]*must not be blank/)
  await refused([...add, ''], /must not be blank/)
  await refused([...add, 'Oak\u200BHomes'], /must be one line of visible characters/)
  await refused([...add, 'www.oak.test'], /must not contain a web address/)
  // A right-to-left name does not reorder the rest of its line, and is stored as written.
  const hebrew = '\u05D0\u05DC\u05D5\u05DF'
  assert.match(await done(...add, hebrew), new RegExp(`^\u2068${hebrew}\u2069 was added`))
  assert.match(await done('tenant', 'list'), new RegExp(`named\\s+\u2068${hebrew}\u2069`))
  assert.ok((await done('tenant', 'list', '--json')).includes(`"${hebrew}"`))
  const link = JSON.parse(
    await done('user', 'invite', '--tenant', 'seaford', '--email', 'Ann@Seaford.test', '--json'),
  ) as {
    link: string
  }
  assert.match(link.link, /^http:\/\/localhost:8080\/account\/password\/[\w-]{20,}$/)
  await done('feature', 'set', '--tenant', 'seaford', '--area', 'Portal', '--name', 'HomeHub', '--on')
  await done('feature', 'set', '--tenant', 'seaford', '--name', 'SystemDebug', '--on')
  await done('feature', 'set', '--tenant', 'seaford', '--name', 'SystemDebug', '--off')
  await done('capability', 'set', '--tenant', 'seaford', '--name', 'ViewProperties', '--on')
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
  // Operator changes appear in the client's audit log too; commands that change nothing do not.
  await done('feature', 'set', '--tenant', 'seaford', '--name', 'HomeHub', '--on')
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

test('a client is removed after its suspension and grace period, when its ID is typed again', async () => {
  await done('tenant', 'add', '--id', 'ended', '--name', 'Ended Homes')
  await done('device', 'add', '--tenant', 'ended', '--serial', 'EM1234567E')
  const remove = ['tenant', 'remove', '--tenant', 'ended']
  await refused([...remove, '--yes', 'ended'], /ended is active\. Suspend it first, and remove it after 30 days/)
  await done('tenant', 'suspend', '--tenant', 'ended', '--reason', 'Contract ended')
  await refused([...remove, '--yes', 'ended'], /can be removed from 2/)
  await database.owner.query(`update tenant set suspended_at = now() - interval '31 days' where id = 'ended'`)
  await refused(remove, /caretaker backup FILE --tenant ended.*Nothing was removed/s)
  await refused([...remove, '--yes', 'seaford'], /Nothing was removed/)
  assert.match(await done(...remove, '--yes', 'ended'), /^ended is removed: \d+ rows and 0 files deleted/)
  await refused(remove, /There is no client ended/)
  assert.doesNotMatch(await done('tenant', 'list'), /ended/)
  assert.match(await done('tenant', 'list', '--removed'), /ended\s+Ended Homes: removed 2.* by \S+@\S+, \d+ rows/)
})

test('unknown metrics of a client are kept or rejected, and the audit log records the change', async () => {
  await done('tenant', 'add', '--id', 'gauges', '--name', 'Gauges Ltd')
  const kept = async () =>
    (
      await database.owner.query<{ kept: boolean | null }>(
        `select settings -> 'keepsUnknownMetrics' as kept from tenant where id = 'gauges'`,
      )
    ).rows[0]!.kept
  await done('tenant', 'unknown-metrics', '--tenant', 'gauges', '--on')
  assert.equal(await kept(), true)
  await done('tenant', 'unknown-metrics', '--tenant', 'gauges', '--off')
  assert.equal(await kept(), false)
  const { rows } = await database.owner.query<{ after: unknown }>(
    `select after from audit_entry where tenant_id = 'gauges' and action = 'client changed' order by at`,
  )
  assert.deepEqual(
    rows.map(({ after }) => after),
    [{ keepsUnknownMetrics: true }, { keepsUnknownMetrics: false }],
  )
  await refused(['tenant', 'unknown-metrics', '--tenant', 'gauges'], /--on or --off/)
  await refused(['tenant', 'unknown-metrics', '--tenant', 'nobody', '--on'], /no client nobody/)
})

test('a client gets its own logo, and its name back; it is suspended and resumed', async () => {
  await done('tenant', 'add', '--id', 'logos', '--name', 'Logos Ltd')
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-logo-'))
  try {
    const light = path.join(folder, 'light.svg')
    const dark = path.join(folder, 'dark.PNG')
    writeFileSync(light, '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><path/></svg>')
    writeFileSync(dark, png)
    const stored = async () =>
      (await database.owner.query<{ settings: object }>(`select settings from tenant where id = 'logos'`)).rows[0]
        ?.settings
    await done('tenant', 'logo', '--tenant', 'logos', '--light', light, '--dark', dark)
    const encoded = (text: string) => Buffer.from(text).toString('base64')
    assert.deepEqual(await stored(), {
      logo: {
        light: `data:image/svg+xml;base64,${encoded('<svg xmlns="http://www.w3.org/2000/svg"><path></path></svg>')}`,
        dark: `data:image/png;base64,${png.toString('base64')}`,
      },
    })
    await done('tenant', 'logo', '--tenant', 'logos', '--none')
    assert.deepEqual(await stored(), {})
    writeFileSync(dark, 'no picture')
    await refused(['tenant', 'logo', '--tenant', 'logos', '--light', dark], /must be an SVG, PNG or WebP/)
    await refused(['tenant', 'logo', '--tenant', 'logos'], /--light FILE or --none/)
    await refused(['tenant', 'logo', '--tenant', 'logos', '--light', path.join(folder, 'x.svg')], /cannot be read/)
    await refused(['tenant', 'logo', '--tenant', 'logos', '--light', '/etc/passwd'], /not an SVG, PNG or WebP/)
    await refused(['tenant', 'logo', '--tenant', 'nobody', '--light', light], /no client nobody/)
    await done('tenant', 'suspend', '--tenant', 'logos', '--reason', 'Unpaid')
    const suspended = async () =>
      (
        await database.owner.query<{ reason: string | null }>(
          `select suspended_reason as reason from tenant where id = 'logos' and suspended_at is not null`,
        )
      ).rows
    assert.deepEqual(await suspended(), [{ reason: 'Unpaid' }])
    await done('tenant', 'resume', '--tenant', 'logos')
    assert.deepEqual(await suspended(), [])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('an alert rule with a fixed address is added for a client, and deleted again', async () => {
  await done('tenant', 'add', '--id', 'alerted', '--name', 'Alerted')
  await database.owner.query(`insert into tag (tenant_id, id, name) values ('alerted', gen_random_uuid(), 'NightTest')`)
  const defaults = (await done('alert', 'list', '--tenant', 'alerted')).trim().split('\n')
  assert.deepEqual(defaults.map((line) => line.split('  ').slice(1).join(', ')).toSorted(), [
    'predefined, Emergency lights: Light failed, nobody',
    'predefined, Emergency lights: Light inhibited, nobody',
    'predefined, Emergency lights: Light unstable, nobody',
    'predefined, Emergency lights: No contact, nobody',
    'predefined, Emergency lights: Test missed, nobody',
    'predefined, Emergency lights: Test overdue, nobody',
  ])
  assert.equal(await done('alert', 'add-defaults', '--tenant', 'alerted'), '', 'it has them all')
  for (const line of defaults) await done('alert', 'remove', '--tenant', 'alerted', '--id', line.split('  ')[0]!)
  await database.owner.query(`delete from audit_entry where tenant_id = 'alerted' and action = 'alert deleted'`)
  const add = ['alert', 'add', '--tenant', 'alerted', '--tag', 'NightTest', '--condition', 'lampDark']
  const [id] = (await done(...add, '--to', 'desk@vendor.test', '--fixed')).split('  ')
  await done(...add, '--delay', '2', '--unit', 'hours')
  assert.deepEqual(
    (await done('alert', 'list', '--tenant', 'alerted'))
      .trim()
      .split('\n')
      .map((line) => line.split('  ').slice(1).join(', '))
      .sort(),
    [
      'predefined, NightTest: Lamp dark for 2 hours, nobody',
      'predefined, NightTest: Lamp dark, desk@vendor.test, fixed',
    ],
  )
  await refused([...add, '--fixed'], /E-mail address is required/)
  await refused([...add, '--to', 'nobody'], /not an e-mail address/)
  await refused(['alert', 'add', '--tenant', 'alerted', '--tag', 'Other', '--condition', 'lampDark'], /no tag Other/)
  await refused(
    ['alert', 'add', '--tenant', 'alerted', '--tag', 'NightTest', '--condition', 'x'],
    /condition from the list/,
  )
  await refused(['alert', 'list', '--tenant', 'nobody'], /no client nobody/)
  await database.owner.query(
    `update alert_definition set defined_by_tenant = true where tenant_id = 'alerted' and delay = 2`,
  )
  const own = (await database.owner.query<{ id: string }>(`select id from alert_definition where delay = 2`)).rows[0]!
    .id
  await refused(['alert', 'remove', '--tenant', 'alerted', '--id', own], /belongs to the client, who can delete it/)
  await done('alert', 'remove', '--tenant', 'alerted', '--id', id!)
  assert.match(await done('alert', 'list', '--tenant', 'alerted'), new RegExp(`^${own}  own  .*\n$`))
  const { rows } = await database.owner.query<{ value: string }>(
    `select concat_ws(', ', person_name, action, subject_name) as value from audit_entry
     where tenant_id = 'alerted' and action like 'alert %' order by at`,
  )
  assert.deepEqual(
    rows.map(({ value }) => value),
    [
      'Operator, alert created, NightTest: Lamp dark',
      'Operator, alert created, NightTest: Lamp dark for 2 hours',
      'Operator, alert deleted, NightTest: Lamp dark',
    ],
  )
})

test('a client gets its own figures for due checks, and the defaults back', async () => {
  await done('tenant', 'add', '--id', 'checks', '--name', 'Checks')
  const figures = (...args: string[]) => ['tenant', 'compliance', '--tenant', 'checks', '--type', 'GasSafety', ...args]
  await database.owner.query(
    `insert into property (tenant_id, id, reference, last_gas_safety_check_on, gas_check_due_at)
     values ('checks', gen_random_uuid(), 'H1', '2026-01-10', '2027-01-10'), ('checks', gen_random_uuid(), 'H2', null, null)`,
  )
  const homes = async () =>
    (
      await database.owner.query<{ due: Date | null }>(
        `select gas_check_due_at as due from property where tenant_id = 'checks' order by reference`,
      )
    ).rows.map(({ due }) => due?.toISOString().slice(0, 10) ?? null)
  assert.equal(
    await done(...figures('--months', '6', '--notice', '14')),
    'checks: GasSafety every 6 months, window 2 months, notice 14 days\n',
  )
  assert.deepEqual(await homes(), ['2026-07-09', null], 'at midnight of summer time')
  assert.match(await done(...figures('--window', '0')), /every 6 months, window 0 months, notice 14 days/)
  await refused(figures('--window', '6'), /Window must be shorter than months/)
  await refused(figures('--months', '0'), /Months must be a whole number from 1 to 120/)
  await refused(figures(), /--usual/)
  assert.match(await done(...figures('--usual')), /every 12 months, window 2 months, notice 30 days/)
  assert.deepEqual(await homes(), ['2027-01-10', null])
  const { rows } = await database.owner.query(
    `select before, after from audit_entry where tenant_id = 'checks' and action = 'compliance figures changed' order by at`,
  )
  assert.deepEqual(rows[0], { before: { months: 12, notice: 30 }, after: { months: 6, notice: 14 } })
})

test("a client gets its own working days under Awaab's Law, and the statutory ones back", async () => {
  await done('tenant', 'add', '--id', 'hazards', '--name', 'Hazards')
  const days = (...args: string[]) => ['tenant', 'awaabs-law', '--tenant', 'hazards', ...args]
  assert.equal(
    await done(...days('--investigation', '5')),
    'hazards: investigation 5 working days, summary 3 working days, repairs 5 working days, emergency 24 hours, preventive 12 weeks, notice 2 working days\n',
  )
  assert.match(
    await done(...days('--repairs', '4', '--emergency', '12')),
    /investigation 5 .*repairs 4 .*emergency 12 hours/,
  )
  await refused(days('--summary', '4'), /1 to 3 working days: the law allows no more than 3/)
  await refused(days(), /--usual/)
  assert.match(await done(...days('--usual')), /investigation 10 .*summary 3 .*repairs 5 .*emergency 24/)
  const { rows } = await database.owner.query(
    `select before, after from audit_entry where tenant_id = 'hazards' and action like 'Awaab%' order by at`,
  )
  assert.deepEqual(rows[0], { before: { investigation: 10 }, after: { investigation: 5 } })
})

test('a client gets its own figures for damp and mould, and the defaults back', async () => {
  await done('tenant', 'add', '--id', 'walls', '--name', 'Walls')
  const figures = (...args: string[]) => ['tenant', 'damp', '--tenant', 'walls', ...args]
  assert.match(await done(...figures('--surface-factor', '0.6', '--outside=-3')), /surfaceFactor 0.6.*outside -3/)
  await refused(figures('--surface-factor', '2'), /surfaceFactor must be from 0.3 to 0.95/)
  await refused(figures('--surface-factor', 'much'), /surfaceFactor must be from/)
  await refused(figures('--watch-days', '6'), /not more than highDays/)
  await refused(figures(), /--usual/)
  assert.match(await done(...figures('--usual')), /surfaceFactor 0.75.*outside long-term mean/)
  assert.match(await done(...figures('--surface-factor', '0.7')), /surfaceFactor 0.7,.*outside long-term mean/)
  assert.match(await done(...figures('--outside', '5')), /surfaceFactor 0.7,.*outside 5/)
})

test('a provisioned device gets a key that is shown once and stored as a hash', async () => {
  await done('tenant', 'add', '--id', 'kent', '--name', 'Kent Homes')
  const one = JSON.parse(await done('device', 'add', '--tenant', 'kent', '--serial', 'EM1000123X', '--json')) as Record<
    string,
    string
  >
  assert.deepEqual(Object.keys(one).sort(), ['deviceId', 'mqttUrl', 'password', 'serial', 'username'])
  assert.equal(one.username, one.deviceId)
  assert.equal(one.mqttUrl, 'mqtt://localhost:1883')
  // With an external broker, devices are given its address without the credentials of the ingest.
  const elsewhere = operatorWith({ MQTT_URL: 'mqtts://ingest:secret@broker.example:8883' })
  const own = await elsewhere.run(['device', 'add', '--tenant', 'kent', '--serial', 'EM1000999X'])
  assert.match(own.stdout, /^address {3}mqtts:\/\/broker\.example:8883$/m)
  assert.doesNotMatch(own.stdout, /secret/)
  const { rows } = await database.owner.query<{ key_hash: Buffer; serial: string }>(
    'select key_hash, serial from device_route join device on id = device_id where device_id = $1',
    [one.deviceId],
  )
  assert.deepEqual(rows[0]!.key_hash, createHash('sha256').update(one.password!).digest())
  assert.equal(rows[0]!.serial, 'EM1000123X')
  const many = (
    await done(
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
  )
    .trim()
    .split('\n')
  assert.equal(new Set(many.map((line) => (JSON.parse(line) as { deviceId: string }).deviceId)).size, 25)
  // The help explains the format.
  assert.match(await done('device', 'add', '--help'), /one object per line[^]*JSON Lines/)
})

test('a device key is shown, replaced and revoked; all devices are listed; an uninstalled device is installed again', async () => {
  await done('tenant', 'add', '--id', 'essex', '--name', 'Essex Homes')
  const add = (serial: string, ...more: string[]) =>
    done('device', 'add', '--tenant', 'essex', '--serial', serial, ...more)
  await add('MG1000001X')
  const first = /^password {2}(\S+)$/m.exec(await add('EM2000001X', '--parent', 'MG1000001X'))![1]!
  const key = (...args: string[]) => done('device', 'key', '--tenant', 'essex', '--serial', 'EM2000001X', ...args)
  const hash = async () => {
    const { rows } = await database.owner.query<{ hash: Buffer | null }>(
      `select key_hash as hash from device_route join device on id = device_id where serial = 'EM2000001X'`,
    )
    return rows[0]!.hash
  }
  const printed = await key()
  assert.match(printed, /^key {7}active since 20\d\d-/m)
  assert.match(printed, /^heard {5}never$/m)
  assert.match(printed, /^gateway {3}MG1000001X$/m)
  assert.ok(!printed.includes(first))

  const replaced = JSON.parse(await key('--replace', '--json')) as Record<string, string>
  assert.notEqual(replaced.password, first)
  assert.deepEqual(await hash(), createHash('sha256').update(replaced.password!).digest())
  assert.equal(replaced.state, 'active')
  assert.match(await key('--revoke'), /^key {7}revoked 20\d\d-/m)
  assert.equal(await hash(), null)
  assert.match(await key('--revoke'), /revoked/)
  await refused(
    ['device', 'key', '--tenant', 'essex', '--serial', 'EM2000001X', '--replace', '--revoke'],
    /cannot be used with/,
  )
  await refused(['device', 'key', '--tenant', 'essex', '--serial', 'EM2000002X'], /no device EM2000002X/)
  await refused(['device', 'key', '--tenant', 'kent', '--serial', 'EM2000001X'], /no device EM2000001X in kent/)
  const { rows } = await database.owner.query(
    `select action, person_name from audit_entry where tenant_id = 'essex' and action like 'device key%' order by at`,
  )
  assert.deepEqual(rows, [
    { action: 'device key replaced', person_name: 'Operator' },
    { action: 'device key revoked', person_name: 'Operator' },
  ])

  const lines = (await done('device', 'list', '--tenant', 'essex')).trim().split('\n')
  assert.deepEqual(
    lines.map((line) => line.split('\t').toSpliced(1, 1)),
    [
      ['EM2000001X', 'EM', 'Installed', 'revoked', 'MG1000001X', 'never heard'],
      ['MG1000001X', 'MG', 'Installed', 'active', '-', 'never heard'],
    ],
  )
  const listed = (await done('device', 'list', '--tenant', 'essex', '--json')).trim().split('\n')
  assert.deepEqual(
    listed.map((line) => (JSON.parse(line) as { serialNumber: string }).serialNumber),
    ['EM2000001X', 'MG1000001X'],
  )

  const install = ['device', 'install', '--tenant', 'essex', '--serial', 'MG1000001X']
  await refused(install, /The device is already installed/)
  const gateway = await database.owner.query<{ id: string }>(`select id from device where serial = 'MG1000001X'`)
  await inTenant(database.db, 'essex', async (tx) =>
    uninstall(tx, { id: null, name: 'Ann' }, [...(await holdDevices(tx, [gateway.rows[0]!.id])).values()]),
  )
  assert.match(await done('device', 'key', '--tenant', 'essex', '--serial', 'MG1000001X'), /^refused {3}uninstalled/m)
  await refused(['device', 'add', '--tenant', 'essex', '--serial', 'MG1000001X'], /device install --tenant essex/)
  assert.match(await done(...install), /MG1000001X is installed/)
  const { rows: routes } = await database.owner.query(
    `select status, uninstalled_at from device join device_route on device_id = id where serial = 'MG1000001X'`,
  )
  assert.deepEqual(routes, [{ status: 'Installed', uninstalled_at: null }])
})

test('a resident is added as pending or approved; an app key is shown once and valid until it is replaced', async () => {
  await done('tenant', 'add', '--id', 'mill', '--name', 'Mill Homes')
  await done('tenant', 'add', '--id', 'other', '--name', 'Other Homes')
  await database.owner.query(
    `insert into property (tenant_id, id, reference, address1, postcode) values ('mill', gen_random_uuid(), 'M-1', '1 Mill Lane', 'LS6 1AB')`,
  )
  const add = (tenant: string, userId: string, ...more: string[]) => [
    ...['resident', 'add', '--tenant', tenant, '--user-id', userId, '--email', 'Ann@homes.test', '--name', 'Ann Mill'],
    ...['--property', 'm-1', '--postcode', 'ls61ab', ...more],
  ]
  const [first, second] = [
    await done('resident', 'key', '--tenant', 'mill'),
    await done('resident', 'key', '--tenant', 'mill'),
  ]
  assert.match(await done(...add('mill', 'auth0|ann')), /Ann Mill waits for approval at m-1/)
  const app = await testApp({}, { ...database, drop: async () => {} })
  try {
    const sees = async (key: string, userId = 'auth0|ann', tenant = 'mill') => {
      const headers = { authorization: `Bearer ${key.trim()}` }
      const { status, body } = await app.send(getAppResident, { params: { tenant, userId } }, undefined, { headers })
      return status === 200 ? body.residences.map(({ address }) => address) : status
    }
    assert.deepEqual(await sees(first), [null])
    assert.match(await done(...add('mill', 'auth0|ann', '--approved')), /is approved/)
    assert.match(await done(...add('mill', 'auth0|ben', '--approved')), /is approved/)
    for (const who of ['auth0|ann', 'auth0|ben']) assert.deepEqual(await sees(second, who), ['1 Mill Lane'])
    const third = await done('resident', 'key', '--tenant', 'mill', '--instead')
    assert.deepEqual([await sees(first), await sees(second), await sees(third)], [401, 401, ['1 Mill Lane']])
    assert.equal(await sees(third, 'auth0|ann', 'other'), 401)
  } finally {
    await app.app.close()
  }
  const { rows } = await database.owner.query<{ kept: string }>(
    `select to_jsonb(resident_app_key)::text as kept from resident_app_key`,
  )
  assert.ok(rows.length && rows.every(({ kept }) => !kept.includes(second.trim())))
  const { rows: printed } = await database.owner.query<{ action: string; person_name: string }>(
    `select distinct action, person_name from audit_entry where tenant_id = 'mill' and action like 'resident%' order by 1`,
  )
  assert.deepEqual(
    printed.map(({ action, person_name: person }) => `${person}: ${action}`),
    ['Operator: resident access approved', 'Operator: resident access requested', 'Operator: resident app key added'],
  )
  await refused(add('other', 'auth0|ann'), /There is no property m-1 at ls61ab in other/)
  await refused(add('nowhere', 'auth0|ann'), /no client nowhere/)
  await refused(add('mill', 'two words'), /the id of a user of the resident app/)
  await refused(['resident', 'key', '--tenant', 'nowhere'], /no client nowhere/)
})

test('errors are reported in one line', async () => {
  await refused(['device', 'add', '--tenant', 'nowhere', '--serial', 'EM1000999X'], /There is no client nowhere/)
  await refused(['device', 'add', '--tenant', 'kent', '--serial', 'EM1000123X'], /already in kent/)
  await refused(['device', 'add', '--tenant', 'kent', '--serial', 'QQ1'], /serial number/)
  await refused(['device', 'add', '--tenant', 'kent'], /either --serial or --count/)
  await refused(['device', 'add', '--tenant', 'kent', '--serial', 'EM1000124X', '--status', 'Shiny'], /no status Shiny/)
  await refused(['feature', 'set', '--tenant', 'kent', '--name', 'Nonsense', '--on'], /no feature Nonsense/)
  await refused(
    ['feature', 'set', '--tenant', 'kent', '--area', 'System', '--name', 'HomeHub', '--on'],
    /no feature HomeHub in System/,
  )
  await refused(['feature', 'set', '--tenant', 'kent', '--name', 'HomeHub'], /--on or --off/)
  await refused(['capability', 'set', '--tenant', 'kent', '--name', 'Everything', '--on'], /Allowed choices/)
  await refused(['tenant', 'add', '--id', 'Bad Id', '--name', 'x'], /lower-case/)
  await refused(['tenant', 'add', '--id', 'kent', '--name', 'again'], /already exists/)
  await refused(['tenant', 'add', '--id', 'mars', '--name', 'Mars', '--time-zone', 'Mars/Olympus'], /Unknown time zone/)
  await refused(['user', 'invite', '--tenant', 'kent', '--email', 'nobody'], /e-mail/)
  await refused(['nonsense'], /unknown command/)
  await refused(
    ['tenant', 'list'],
    /cannot be reached/,
    operatorWith({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }),
  )
  await refused(['tenant', 'list'], /Wrong setting. PORT/, operatorWith({ PORT: 'many' }))
  await refused(['reset'], /DATABASE_URL is set/)
})

test('migrating an up-to-date database changes nothing', async () => {
  assert.match(await done('migrate'), /up to date/)
})

test("an organisation's own database is migrated by one command; all others refuse to run before that", async () => {
  const empty = await emptyDatabase()
  const own = operatorWith({ DATABASE_URL: empty.url })
  try {
    await refused(['tenant', 'list'], /is empty: run "npm run caretaker -- migrate"/, own)
    assert.match((await own.run(['migrate'])).stdout, /^Applied 0297-baseline, /)
    assert.equal((await own.run(['tenant', 'list'])).code, 0)
    await empty.owner.query(`insert into kysely_migration values ('9999-later', '')`)
    await refused(['tenant', 'list'], /schema is too new/, own)
    await refused(['migrate'], /schema is too new/, own)
  } finally {
    await empty.drop()
  }
})

test('without DATABASE_URL it works on the embedded database of the data folder, running or not', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-cli-'))
  const env = { TMPDIR: folder, CARETAKER_DATA: path.join(folder, 'data'), DATABASE_URL: '' }
  try {
    await refused(
      ['tenant', 'list'],
      /^There is no installation in .*data\. Set CARETAKER_DATA .* or start the server first/,
      operatorWith(env),
    )
    assert.ok(!existsSync(env.CARETAKER_DATA), 'none is made by accident')
    makeInstallation(env.CARETAKER_DATA)
    const { status, stderr } = caretaker(['tenant', 'add', '--id', 'north', '--name', 'North'], env)
    assert.deepEqual([status, stderr], [0, `Using the installation in ${env.CARETAKER_DATA}.\n`])
    assert.match(caretaker(['tenant', 'list'], env).stdout, /^north\s+North/)
    assert.equal(caretaker(['reset'], env).status, 0)
    await refused(['tenant', 'list'], /There is no installation/, operatorWith(env))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Creates an installation as the first start of a server does. */
function makeInstallation(dataDir: string) {
  const source = `
    import { startEmbedded } from ${JSON.stringify(import.meta.resolve('../postgres/embedded.ts'))}
    await (await startEmbedded(${JSON.stringify(dataDir)})).stop()`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
}

test('a command finds the only running server and its addresses from any folder; with several it asks which one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-cli-'))
  const env = { ...process.env, TMPDIR: folder, CARETAKER_DATA: '', DATABASE_URL: '' }
  const at = (args: string[], more: Record<string, string> = {}) =>
    spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8', env: { ...env, ...more } })
  const serve = async (name: string, port: string) => {
    const dataDir = path.join(folder, name)
    const source = `
      import { openDatabase } from ${JSON.stringify(import.meta.resolve('../postgres/open.ts'))}
      import { prepareSchema } from ${JSON.stringify(import.meta.resolve('../postgres/migrate.ts'))}
      import { openPool } from ${JSON.stringify(import.meta.resolve('../postgres/pool.ts'))}
      import { loadConfig } from ${JSON.stringify(import.meta.resolve('../config.ts'))}
      import { storeAddresses } from ${JSON.stringify(import.meta.resolve('../addresses.ts'))}
      const database = await openDatabase(loadConfig())
      const owner = openPool(database.url, 'owner', 1)
      await prepareSchema(owner, true)
      await storeAddresses(owner, loadConfig())
      process.on('SIGTERM', async () => (await database.stop(), process.exit(0)))
      console.log('ready')
      setInterval(() => {}, 60_000)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
      env: { ...env, CARETAKER_DATA: dataDir, PORT: port },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    return { dataDir, child, ended: once(child, 'exit') }
  }
  const servers: Awaited<ReturnType<typeof serve>>[] = []
  try {
    const [first] = [await serve('first', '9871')]
    servers.push(first)
    const added = at(['tenant', 'add', '--id', 'north', '--name', 'North'])
    assert.deepEqual([added.status, added.stderr], [0, `Using the running installation in ${first.dataDir}.\n`])
    const invited = at(['user', 'invite', '--tenant', 'north', '--email', 'a@b.test'])
    assert.match(invited.stdout, /http:\/\/localhost:9871\/account\/password/)
    assert.ok(!existsSync(path.join(folder, 'data')))
    const wrong = at(['tenant', 'list'], { CARETAKER_DATA: path.join(folder, 'other') })
    assert.match(wrong.stderr, /There is no installation in .*other \(running: .*first\)\. Set CARETAKER_DATA/)
    servers.push(await serve('second', '9872'))
    const several = at(['tenant', 'list'])
    assert.notEqual(several.status, 0)
    assert.match(
      several.stderr,
      /Several installations are running here, in .*first and in .*second\. Set CARETAKER_DATA/,
    )
    assert.match(at(['tenant', 'list'], { CARETAKER_DATA: first.dataDir }).stdout, /^north/)
  } finally {
    for (const { child, ended } of servers) {
      child.kill('SIGTERM')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a device is placed; an invalid place is reported in one line', async () => {
  await done('tenant', 'add', '--id', 'places', '--name', 'Places')
  await done('device', 'add', '--tenant', 'places', '--serial', 'EM1000777X')
  await database.owner.query(
    `insert into building (tenant_id, id, name) values ('places', gen_random_uuid(), 'Alder House')`,
  )
  await database.owner.query(
    `insert into floor (tenant_id, id, building_id, number, name)
     select tenant_id, gen_random_uuid(), id, 2, 'Second' from building where tenant_id = 'places'`,
  )
  const place = (...args: string[]) => ['device', 'place', '--tenant', 'places', '--serial', 'EM1000777X', ...args]
  await done(...place('--building', 'alder house', '--floor', '2', '--room', 'Hall', '--lat', '53.8', '--long=-1.5'))
  const where = async () =>
    (
      await database.owner.query<{ it: string }>(
        `select concat_ws(', ', building_name, floor_name, room, latitude, longitude) as it from device where serial = 'EM1000777X'`,
      )
    ).rows[0]!.it
  assert.equal(await where(), 'Alder House, Second, Hall, 53.8, -1.5')
  await done(...place('--room', ''))
  assert.equal(await where(), 'Alder House, Second, 53.8, -1.5')
  await refused(place('--building', 'Nowhere'), /There is no building Nowhere in places/)
  await refused(place('--floor', '9'), /There is no floor 9 in the building/)
  await refused(place('--property', 'X-1'), /There is no property X-1 in places/)
  await refused(place('--lat', '53.8'), /--lat and --long together/)
  await refused(place('--lat', '153.8', '--long', '0'), /degrees from -90 to 90/)
  await refused(
    ['device', 'place', '--tenant', 'places', '--serial', 'EM1000778X', '--room', 'x'],
    /no device EM1000778X/,
  )
  const { rows } = await database.owner.query(
    `select person_name, after from audit_entry where tenant_id = 'places' and action = 'device moved' order by at`,
  )
  assert.deepEqual(rows.at(-1), { person_name: 'Operator', after: { room: null } })
  assert.equal(rows.length, 2)
})

test('a reset stops the database left by a killed app, and deletes its folder', async () => {
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
