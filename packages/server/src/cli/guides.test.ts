import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, test } from 'vitest'
import { startDeviceLink } from '../mqtt/device-link.ts'
import { makeKey } from '../testing/api-key.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { emptyDatabase } from '../testing/database.ts'
import { eventually } from '../testing/device-link.ts'
import type { Provider } from '../testing/sign-in.ts'
import { startProvider } from '../testing/sign-in.ts'
import { addDevice } from '../testing/furnish/devices.ts'
import { openShell } from '../testing/operator-shell.ts'
import { skipBecause } from '../testing/skipping.ts'
import { ensureTestTools } from '../../../../tools/install.mjs'

const execute = promisify(execFile)
const guides = path.resolve(import.meta.dirname, '../../../../docs/guides')
const manager = 'priya@northgate.test'

let world: TestApp
let provider: Provider
let shell: Awaited<ReturnType<typeof openShell>>
beforeAll(async () => {
  world = await testApp()
  await world.addTenant('northgate', { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  await world.addMember('northgate', manager, 'Manager')
  await addDevice(world, 'northgate', { product: 'EM' })
  await addDevice(world, 'northgate', { product: 'EM', status: 'FailedEquipment' })
  provider = await startProvider(world.database)
  shell = await openShell()
})
afterAll(async () => {
  shell.close()
  await provider.app.close()
  await world.close()
})

/** The commands of a guide, line by line. */
function commandsOf(guide: string): string[] {
  const text = readFileSync(path.join(guides, guide), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) => block!.trimEnd().split('\n'))
}

test('every guide with commands is run here', () => {
  const having = readdirSync(guides).filter((file) => file.endsWith('.md') && commandsOf(file).length > 0)
  assert.deepEqual(having.sort(), ['connections.md', 'integrator.md', 'operator.md'])
})

test('the commands of the operator guide work in order', async () => {
  const lines = commandsOf('operator.md')
  const commands = lines.filter((line) => line.startsWith('npm run caretaker -- '))
  // The remaining line starts the server, which prints its database.
  assert.deepEqual(
    lines.filter((line) => !commands.includes(line)).map((line) => line.split('=')[0]),
    ['export DATABASE_URL', 'npm start'],
  )
  const env = { DATABASE_URL: world.database.url }
  const printed: string[] = []
  for (const line of commands) printed.push(await shell.run(line, { env }))
  assert.match(printed.join(''), /seaview\s+Seaview Homes/)
  assert.equal(printed.join('').match(/\/account\/password\//g)?.length, 2)
  const { rows } = await world.database.owner.query(
    `select serial, (select suspended_at from tenant where id = 'seaview') as suspended from device where tenant_id = 'seaview'`,
  )
  assert.deepEqual(rows, [{ serial: 'EM1000123X', suspended: null }])
})

test('the commands of the integrator guide run unchanged in one shell', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-guide-'))
  try {
    await world.database.owner.query(
      `insert into property (tenant_id, id, reference, address1, town, postcode)
       values ('northgate', gen_random_uuid(), 'NG-1', '1 Mill Lane', 'Leeds', 'LS6 1AB')`,
    )
    const key = await makeKey(world, 'northgate', manager)
    const lines = commandsOf('integrator.md')
    // The packages that it installs come from tools/openapi, in the versions of this repository.
    const [install] = lines.filter((line) => line.startsWith('npm install '))
    const packages = install!.split(' ').slice(2)
    assert.deepEqual(packages, ['oazapfts', '@oazapfts/runtime'])
    symlinkSync(await ensureTestTools('openapi'), path.join(folder, 'node_modules'), 'junction')
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
    const [, program] = /^Save this as `lights.ts`:\n\n```ts\n(.*?)^```$/ms.exec(
      readFileSync(path.join(guides, 'integrator.md'), 'utf8'),
    )!
    writeFileSync(path.join(folder, 'lights.ts'), program!)
    const script = lines.filter((line) => line !== install).join('\n')
    const typed = script
      .replace('http://localhost:8080', provider.origin)
      .replace("'your API key'", `'${key}'`)
      .replace(/^node /m, `"${process.execPath}" `)
    assert.ok(typed.includes(provider.origin) && typed.includes(key))
    const { stdout } = await execute('bash', ['-euc', typed], { cwd: folder, timeout: 60_000 })
    assert.match(stdout, /"isSuccessful":true.*"status":"queued"/s)
    assert.match(stdout, /data: \{"everything":false,"changes":\[\{"subject":"[\w ]+"/)
    assert.match(stdout, /^2 emergency lights$/m)
    const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')
    assert.equal((JSON.parse(read('failed.json')) as { data: { total: number } }).data.total, 1)
    assert.equal((JSON.parse(read('lights.json')) as { data: { total: number } }).data.total, 2)
    assert.equal((JSON.parse(read('changed.json')) as { numberOfRoom: number }).numberOfRoom, 4)
    assert.match(read('lights.csv'), /Serial.*Status\W+\n?.*EM1/s)
  } finally {
    await world.database.owner.query(`delete from property where reference = 'NG-1'`)
    rmSync(folder, { recursive: true, force: true })
  }
})

const manual = readFileSync(path.resolve(guides, '../operations.md'), 'utf8')

test('the commands of the manual for a new installation work, including those in its text', async () => {
  const [, section] = /^## A new installation\n([^]*?)^## /m.exec(manual)!
  const [begin, clients] = [...section!.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, lines]) => lines!.trim().split('\n'))
  const database = await emptyDatabase()
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-manual-'))
  const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="10" height="10"/></svg>'
  for (const name of ['logo.svg', 'logo-dark.svg']) writeFileSync(path.join(folder, name), logo)
  const env = { DATABASE_URL: database.url, CARETAKER_DATA: folder }
  const run = (line: string) => shell.run(line, { cwd: folder, env })
  try {
    assert.deepEqual(
      begin!.map((line) => line.split('=')[0]),
      ['export DATABASE_URL', 'npm run caretaker -- migrate', 'npm start'],
    )
    await run(begin![1]!)
    assert.ok(clients!.length >= 7)
    for (const line of clients!) await run(line)

    // The buildings and properties that the text assumes.
    await database.owner.query(`
      insert into access_rights_tag (tenant_id, id, display_name) values ('northgate', gen_random_uuid(), 'Everybody')
        on conflict do nothing`)
    await database.owner.query(`
      insert into building (tenant_id, id, name) values ('northgate', '00000000-0000-4000-8000-000000000001', 'Alder House')`)
    await database.owner.query(`
      insert into floor (tenant_id, id, building_id, number, name)
      values ('northgate', gen_random_uuid(), '00000000-0000-4000-8000-000000000001', 2, 'Second floor')`)
    await database.owner.query(`
      insert into property (tenant_id, id, reference, address1, town, postcode)
      values ('northgate', gen_random_uuid(), 'NG-000482', '1 Mill Lane', 'Leeds', 'LS6 1AB')`)
    await database.owner.query(
      `insert into tag (tenant_id, id, name) values ('northgate', gen_random_uuid(), 'NightTest')`,
    )
    const printed = [...section!.matchAll(/`((?:tenant|device|resident|alert) [^`]+)`/g)].map(([, line]) =>
      line!.replaceAll(/\s+/g, ' '),
    )
    // A command quoted without its options appears in full elsewhere in the text.
    const whole = printed.filter((line) => line.includes(' --'))
    assert.ok(whole.length >= 9, whole.join('\n'))
    for (const line of whole)
      // A client that was suspended just now cannot be removed yet.
      if (line.startsWith('tenant remove'))
        await assert.rejects(run(`npm run caretaker -- ${line}`), /can be removed from/)
      else await run(`npm run caretaker -- ${line}`)
    const { rows } = await database.owner.query(
      `select room, building_name as building, (select suspended_at is not null from tenant where id = 'northgate') as closed
       from device where tenant_id = 'northgate'`,
    )
    assert.deepEqual(rows, [{ room: 'Hall', building: 'Alder House', closed: true }])
    await run('npm run caretaker -- tenant resume --tenant northgate')
    const alerts = await run('npm run caretaker -- alert list --tenant northgate')
    assert.match(alerts, /NightTest: Lamp dark/)
    const [id] = alerts
      .split('\n')
      .find((line) => line.includes('NightTest'))!
      .split(/\s/)
    await run(`npm run caretaker -- alert remove --tenant northgate --id ${id}`)
    assert.doesNotMatch(await run('npm run caretaker -- alert list --tenant northgate'), /NightTest/)
    assert.equal((await database.owner.query(`select from resident where tenant_id = 'northgate'`)).rowCount, 1)
  } finally {
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the commands of the manual for imports and postcodes work', async () => {
  const lines = [...manual.matchAll(/`(npm run caretaker -- (?:import|postcodes import) [^`]+)`/g)].map(
    ([, line]) => line!,
  )
  const [bringIn, template, undo, places, ...others] = lines
  assert.deepEqual(others, [])
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-lists-'))
  const env = { DATABASE_URL: world.database.url, CARETAKER_DATA: folder }
  const run = (line: string) => shell.run(line, { cwd: folder, env })
  const homes = async () =>
    (await world.database.owner.query(`select from property where tenant_id = 'northgate' and archived_at is null`))
      .rowCount
  try {
    writeFileSync(
      path.join(folder, 'homes.csv'),
      'Property reference,Address 1,Town,Postcode\nNG-7,1 Mill Lane,Leeds,LS6 1AB\n',
    )
    const list = bringIn!.replace('homes.xlsx', 'homes.csv')
    await run(list)
    assert.equal(await homes(), 0, 'without --yes nothing is made')
    const [id] = /[\da-f]{8}-[\da-f-]{27}/.exec(await run(`${list} --yes`))!
    assert.equal(await homes(), 1)
    await run(undo!.replace('ID', id))
    assert.equal(await homes(), 0)
    const workbook = (await run(template!)).trim().split('\n').at(-1)!
    assert.ok(readdirSync(folder).includes(workbook), workbook)
    writeFileSync(
      path.join(folder, 'ONSPD.csv'),
      'pcd,pcd2,pcds,dointr,doterm,oscty,lat,long\nx,x,LS6 1AB,200001,,E1,53.81,-1.56\n',
    )
    await run(places!)
    const { rows } = await world.database.owner.query<{ n: number }>('select count(*)::int as n from postcode')
    assert.equal(rows[0]!.n, 1)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

const client = spawnSync('mosquitto_pub', ['--help']).error ? 'mosquitto_pub is not here' : false

test('your own device connects as the README describes', skipBecause(client), async () => {
  const readme = readFileSync(path.resolve(guides, '../../README.md'), 'utf8')
  const [, block] = /^```sh\n(npm run --silent caretaker -- device add[^]*?)^```/m.exec(readme)!
  const [add, ...publish] = block!.trimEnd().split('\n')
  const link = await startDeviceLink({
    ...world.context,
    config: { ...world.context.config, mqtt: { ...world.context.config.mqtt, port: 0 } },
  })
  try {
    const stdout = await shell.run(add!, { env: { DATABASE_URL: world.database.url } })
    const { deviceId, username, password } = JSON.parse(stdout) as Record<string, string>
    assert.equal(username, deviceId)
    const output = publish.join('\n').replaceAll('DEVICE_ID', deviceId!).replace('PASSWORD', password!)
    await execute('bash', ['-euc', output.replace('-h localhost', `-h 127.0.0.1 -p ${link.port}`)], { timeout: 20_000 })
    const stored = async () =>
      (
        await world.database.owner.query<{ value: number }>(
          `select last_value as value from hourly join series on series.tenant_id = hourly.tenant_id and series.id = series_id
           where device_id = $1`,
          [deviceId],
        )
      ).rows
    assert.deepEqual(await eventually(stored, (rows) => rows.length > 0), [{ value: 3.9 }])
  } finally {
    await link.stop()
  }
})

const withoutJq = spawnSync('jq', ['--version']).error ? 'jq is not here' : false

test('the commands of the guide to connections store readings in a property', skipBecause(withoutJq), async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-guide-'))
  const property = randomUUID()
  await world.database.owner.query(
    `insert into property (tenant_id, id, reference, address1, postcode) values ('northgate', $1, 'NG-9', '9 Elm Road', 'LS6 1AB')`,
    [property],
  )
  try {
    const key = await makeKey(world, 'northgate', manager)
    const typed = commandsOf('connections.md')
      .join('\n')
      .replace('http://localhost:8080', provider.origin)
      .replace("'your API key'", `'${key}'`)
      .replace("'id of a property'", property)
    assert.ok([provider.origin, key, property].every((value) => typed.includes(value)))
    await execute('bash', ['-euc', typed], { cwd: folder, timeout: 60_000 })
    const { rows } = await world.database.owner.query(
      `select metric, last_value as value from hourly
       join series on series.tenant_id = hourly.tenant_id and series.id = series_id
       join device on device.tenant_id = series.tenant_id and device.id = device_id
       where property_id = $1 and metric in ('temperature', 'humidity') order by metric, value`,
      [property],
    )
    assert.deepEqual(rows, [
      { metric: 'humidity', value: 51 },
      { metric: 'humidity', value: 51.2 },
      { metric: 'temperature', value: 20.5 },
      { metric: 'temperature', value: 20.5 },
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
