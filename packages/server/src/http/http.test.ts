import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, test } from 'vitest'
import { fetchViewData, getEmered } from '@caretaker/contract/devices.ts'
import { getSession, getTenants, logError } from '@caretaker/contract/session.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { getCapabilities, getFeatures, getTenantInfo } from '@caretaker/contract/tenants.ts'
import { featureGroups } from '@caretaker/rules/identity/features.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { isDistributed } from '../testing/database.ts'
import { addAccessRightsTag, addDevice } from '../testing/furnish/devices.ts'
import { skipBecause } from '../testing/skipping.ts'

let app: TestApp
const manager = 'manager@north.test'
beforeAll(async () => {
  app = await testApp()
  await app.addTenant('north', { features: ['HomeHub', 'SystemDebug'], capabilities: ['ViewProperties'] })
  await app.addTenant('south')
  await app.addTenant('apart')
  await app.addMember('north', manager, 'Manager')
  await app.addMember('south', manager, 'Guest')
})
afterAll(() => app.close())

const inject = (token: string | undefined, url = '/api/session') =>
  app.app.inject({ url, headers: token === undefined ? {} : { authorization: token } })

test('a token that is missing, malformed, expired, of another issuer, audience or kind, or unsigned: 401 and no data [core-7-2 est-7-2]', async () => {
  const good = await app.token(manager)
  const wrong = [
    undefined,
    '',
    'Bearer',
    `Basic ${good}`,
    `Bearer ${good.slice(0, -6)}AAAAAA`,
    `Bearer ${await app.token(manager, { exp: 1 })}`,
    `Bearer ${await app.token(manager, { iss: 'https://other.test' })}`,
    `Bearer ${await app.token(manager, { aud: 'other' })}`,
    `Bearer ${await app.token(manager, { header: { typ: 'JWT' } })}`,
    `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.x`,
  ]
  for (const token of wrong) {
    const response = await inject(token)
    assert.equal(response.statusCode, 401, token?.slice(0, 40))
    assert.deepEqual(response.json(), { message: 'Unauthorized.', domainErrors: [], validationErrors: [] })
  }
  assert.equal((await inject(`Bearer ${good}`)).statusCode, 200)
})

test('the session names exactly the tenants of the person with role and tags in each [core-1-2 core-3-2]', async () => {
  const { body } = await app.send(getSession, {}, manager)
  assert.equal(body.email, manager)
  assert.deepEqual(
    body.tenants.map(({ id, name, role, tags }) => ({ id, name, role, tags })),
    [
      { id: 'north', name: 'north', role: 'Manager', tags: [] },
      { id: 'south', name: 'south', role: 'Guest', tags: [] },
    ],
  )
})

test('GetTenants answers in the version 1 envelope [core-7.1-3 core-7.1-20]', async () => {
  const { status, body } = await app.send(getTenants, { body: { tenant: null } }, manager)
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body).sort(), ['data', 'isSuccessful', 'message', 'reason'])
  assert.deepEqual(
    body.data!.map((tenant) => tenant.id),
    ['north', 'south'],
  )
})

test('GetTenantInfo has id, name, contacts and settings [core-7.1-4 core-3-4]', async () => {
  const { body } = await app.send(getTenantInfo, { body: { tenant: 'NORTH' } }, manager)
  const { id, name, contacts, settings } = body.data!
  assert.deepEqual({ id, name, contacts, settings }, { id: 'north', name: 'north', contacts: '', settings: {} })
})

test('the features come in their groups, a missing flag is off [core-7.3-10 core-3-38 core-3-48 core-3-49 core-3-50 core-3-51 core-3-52 core-3-53 core-3-54 core-3-55]', async () => {
  const { body } = await app.send(getFeatures, { params: { tenant: 'north' } }, manager)
  const expected = {
    Properties: [
      'PropertyCentric',
      'ManagedService',
      'HideDeviceTab',
      'PropertyRecords',
      'VoidFlag',
      'Surveys',
      'AuditTab',
      'AwaabsLaw',
      'PropertyContext',
    ],
    System: ['SystemDebug', 'HideCustomerPersonalData'],
    Residents: ['ManageResidentAccess'],
    HomeApp: ['ManageApplication'],
    Boilers: ['HideTelemetryTab', 'HideEditPropertyAndResidentFields', 'NewListingView'],
    Reporting: ['ReportHistory', 'ReportScheduling', 'ReportPageWithTab'],
    Portal: ['HomeHub'],
    Installation: ['BcmAndGatewayDualInstall'],
  }
  assert.deepEqual(featureGroups, expected)
  assert.deepEqual(
    Object.fromEntries(body.areas.map((area) => [area.name, area.features.map((feature) => feature.name)])),
    expected,
  )
  const on = body.areas.flatMap((area) => area.features).filter((feature) => feature.isEnabled)
  assert.deepEqual(on.map((feature) => feature.name).sort(), ['HomeHub', 'SystemDebug'])
})

test('the capabilities come for devices and for properties [core-7.3-11 core-3-39 core-3-56 core-3-57]', async () => {
  const { body } = await app.send(getCapabilities, { params: { tenant: 'north' } }, manager)
  assert.deepEqual(body, { devices: { EditAccessRightsTags: false }, properties: { ViewProperties: true } })
})

test('a tenant without membership and a missing tenant get the same response', async () => {
  const answers = await Promise.all(
    ['apart', 'nowhere'].map((tenant) => app.send(getTenantInfo, { body: { tenant } }, manager)),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404],
  )
  assert.deepEqual(answers[0]!.body, answers[1]!.body)
})

test('removing a member or changing a role takes effect with the next call', async () => {
  const email = 'short@north.test'
  const id = await app.addMember('north', email, 'LightingEngineer')
  const list = () => app.send(fetchViewData, { body: { tenant: 'north', listing: 'EmergencyLights' } }, email)
  assert.equal((await list()).status, 200)
  await app.database.owner.query(`update membership set role = 'BoilerEngineer' where id = $1`, [id])
  assert.equal((await list()).status, 403)
  await app.database.owner.query('delete from membership where id = $1', [id])
  assert.equal((await list()).status, 404)
})

test('an unverified e-mail binds no invitation', async () => {
  const email = 'invited@north.test'
  await app.addMember('north', email, 'Manager')
  const tenantsAs = async (bend: Record<string, unknown>) => {
    const response = await inject(`Bearer ${await app.token(email, bend)}`)
    return (response.json() as { tenants: unknown[] }).tenants.length
  }
  assert.equal(await tenantsAs({ email_verified: false, sub: 'impostor' }), 0)
  assert.equal(await tenantsAs({ email_verified: true, sub: 'the invited' }), 1)
  assert.equal(await tenantsAs({ email_verified: true, sub: 'somebody later' }), 0)
})

test('an invalid body is 400 and names every wrong field', async () => {
  const { status, body } = await app.send(
    fetchViewData,
    { body: { tenant: 'north', listing: 'Nonsense', page: 0, search: 7 } } as never,
    manager,
  )
  assert.equal(status, 400)
  assert.equal(body.isSuccessful, false)
  assert.deepEqual(body.validationErrors.map((error: { field: string }) => error.field).sort(), [
    'listing',
    'page',
    'search',
  ])
})

test('arrays, objects, null, NUL and look-alikes in each field are 400, never 500', async () => {
  const device = await addDevice(app, 'north')
  const good = { tenant: 'north', deviceId: device }
  for (const field of ['tenant', 'deviceId'])
    for (const bad of [
      [],
      {},
      null,
      1,
      true,
      'a\u0000b',
      'nоrth',
      '',
      'x'.repeat(10_000),
      ['north'],
      "'; drop table device; --",
    ]) {
      const { status } = await app.send(getEmered, { body: { ...good, [field]: bad } } as never, manager)
      assert.equal(status, 400, `${field} = ${JSON.stringify(bad).slice(0, 40)}`)
    }
  assert.equal((await app.send(getEmered, { body: good }, manager)).status, 200)
})

const post = async (payload: string | Buffer, type = 'application/json') =>
  app.app.inject({
    method: 'POST',
    url: '/api/GetTenantInfo',
    headers: { authorization: `Bearer ${await app.token(manager)}`, 'content-type': type },
    payload,
  })

test('a body that is not JSON, too large or of another type is rejected', async () => {
  assert.equal((await post('{"tenant":')).statusCode, 400)
  assert.equal((await post('null')).statusCode, 400)
  assert.equal((await post('[]')).statusCode, 400)
  assert.equal((await post(JSON.stringify({ tenant: 'x'.repeat(300_000) }))).statusCode, 413)
  assert.equal((await post('<tenant/>', 'application/xml')).statusCode, 415)
})

test('an unknown path is a JSON 404 below /api', async () => {
  for (const url of ['/api/Nonsense', '/api', '/api/tenants/north/nonsense']) {
    const response = await app.app.inject({ url })
    assert.equal(response.statusCode, 404)
    assert.equal((response.json() as { message: string }).message, 'Not found.')
  }
})

test('paths match without regard to letter case', async () => {
  const authorization = `Bearer ${await app.token(manager)}`
  const response = await app.app.inject({ url: '/API/Internal/Tenants/north/FEATURES', headers: { authorization } })
  assert.equal(response.statusCode, 200)
})

test('a full disk is a 503 that names the reason', async () => {
  await app.database.owner.query(`
    create function no_space() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger no_space before insert on tag for each row when (new.name = 'NoSpace')
      execute function no_space()`)
  await app.addMember('north', 'full@north.test', 'Developer')
  const answer = await app.send(tenantCreateTag, { body: { tenant: 'north', name: 'NoSpace' } }, 'full@north.test')
  assert.equal(answer.status, 503)
  assert.match(JSON.stringify(answer.body), /The disk of the server is full, so nothing was saved/)
})

test('too many calls are 429, and the log names the caller', async () => {
  const limited = await testApp({ CARETAKER_RATE_LIMIT: '3' })
  try {
    const statuses = []
    for (let call = 0; call < 5; call++) statuses.push((await limited.app.inject({ url: '/api/settings' })).statusCode)
    assert.deepEqual(statuses, [200, 200, 200, 429, 429])
    const lines = limited.logged.filter((line) => line.includes('exceeded the limit of calls'))
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { caller: string }).caller),
      ['127.0.0.1'],
    )
  } finally {
    await limited.close()
  }
})

test('a caller has one allowance per minute across all processes, and other callers have their own', async () => {
  const limited = await testApp({ CARETAKER_RATE_LIMIT: '60' })
  const second = await testApp({ CARETAKER_RATE_LIMIT: '60' }, limited.database)
  const call = async ({ app: answering }: TestApp, remoteAddress: string) =>
    (await answering.inject({ url: '/api/settings', remoteAddress })).statusCode
  try {
    await second.app.ready()
    let taken = 0
    for (; (await call(limited, '198.51.100.1')) === 200; taken++);
    assert.ok(taken >= 60 && taken < 65, `${taken} calls`)
    // Within a second the other process is notified.
    for (; (await call(second, '198.51.100.1')) === 200; taken++) await sleep(100)
    assert.ok(taken < 100, `${taken} calls`)
    for (const answering of [limited, second]) assert.equal(await call(answering, '198.51.100.2'), 200)
  } finally {
    await second.app.close()
    await limited.close()
  }
})

const rendering = { tenant: 'north', message: 'Cannot read x', stack: 'at y', componentStack: 'in Z' }
const report = (body: Partial<typeof rendering>, email = manager) =>
  app.send(logError, { body: { ...rendering, ...body } }, email)

test('LogError takes message, stack and component stack, is recorded with tenant and user and answered 204, within its size [core-7.1-32 est-7.4-3]', async () => {
  assert.equal((await report({})).status, 204)
  const { rows } = await app.database.owner.query(
    'select tenant_id, message, stack, component_stack, person_id from client_error',
  )
  const [{ person_id: person, ...kept }, ...more] = rows
  assert.deepEqual(more, [])
  assert.ok(person)
  assert.deepEqual(kept, { tenant_id: 'north', message: 'Cannot read x', stack: 'at y', component_stack: 'in Z' })
  for (const [field, length] of [
    ['message', 1000],
    ['stack', 4000],
    ['componentStack', 4000],
  ] as const) {
    assert.equal((await report({ [field]: 'x'.repeat(length) })).status, 204)
    assert.equal((await report({ [field]: 'x'.repeat(length + 1) })).status, 400, field)
  }
  assert.equal((await report({ stack: 'x'.repeat(20_000) })).status, 413)
})

test("LogError only accepts the names of the user's own clients", async () => {
  const before = await app.database.owner.query('select from client_error')
  for (const tenant of ['apart', 'nowhere']) assert.equal((await report({ tenant })).status, 404, tenant)
  assert.equal((await app.database.owner.query('select from client_error')).rowCount, before.rowCount)
  assert.equal((await report({ tenant: 'south' })).status, 204)
  assert.equal((await app.send(logError, { body: { ...rendering, tenant: null } }, manager)).status, 204)
})

test("LogError records up to fifty errors per person and day, also for simultaneous calls, independently of other people's", async () => {
  const busy = 'busy@north.test'
  await app.addMember('north', busy, 'Guest')
  assert.equal((await report({}, busy)).status, 204)
  const statuses = (await Promise.all(Array.from({ length: 59 }, () => report({}, busy)))).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 204).length, 49)
  assert.equal(statuses.filter((status) => status === 429).length, 10)
  assert.equal((await report({})).status, 204)
  await app.database.owner.query(`update throttle set since = since - interval '25 hours'`)
  assert.equal((await report({}, busy)).status, 204)
})

test('API responses are not cached, and neither are refusals', async () => {
  const asked = [
    await inject(`Bearer ${await app.token(manager)}`),
    await inject(`Bearer ${await app.token(manager)}`, '/api/tenants/north/users'),
    await inject(`Bearer ${await app.token(manager)}`, '/api/tenants/apart/users'),
    await inject(undefined),
    await inject(undefined, '/api/settings'),
    await inject(undefined, '/api/Nonsense'),
    await post('{"tenant":"north"}'),
    await post('{'),
  ]
  assert.deepEqual(
    asked.map(({ statusCode }) => statusCode),
    [200, 200, 404, 401, 200, 404, 200, 400],
  )
  for (const { headers, raw } of asked) assert.equal(headers['cache-control'], 'no-store', raw.req.url)
})

test('an unexpected error is a bare 500 with an id', async () => {
  const broken = await testApp()
  try {
    await broken.addTenant('north')
    await broken.addMember('north', manager, 'Manager')
    await broken.database.owner.query('drop table tenant_feature')
    const { status, body } = await broken.send(getTenantInfo, { body: { tenant: 'north' } }, manager)
    assert.equal(status, 500)
    assert.equal(body.message, 'Server error.')
    assert.match(body.errorId, /^[0-9a-f-]{36}$/)
    assert.ok(!JSON.stringify(body).includes('tenant_feature'))
  } finally {
    await broken.close()
  }
})

test('every response has a strict content security policy and nosniff', async () => {
  const { headers } = await app.app.inject({ url: '/api/settings' })
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /script-src 'self'(;|$)/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.match(policy, /base-uri 'none'/)
  assert.match(policy, /object-src 'none'/)
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['referrer-policy'], 'same-origin')
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
})

test('the address for boiler resets is in the web settings, and the content policy allows its host [dev-7actions-2]', async () => {
  const own = await app.app.inject({ url: '/api/settings' })
  assert.equal(JSON.parse(own.body).resetUrl, '/api/BoilerReset')
  const resetUrl = 'https://resets.example.org/boilers?key=1'
  const other = await testApp({ CARETAKER_RESET_URL: resetUrl })
  try {
    const { headers, body } = await other.app.inject({ url: '/api/settings' })
    assert.equal(JSON.parse(body).resetUrl, resetUrl)
    assert.match(String(headers['content-security-policy']), /connect-src 'self' https:\/\/resets\.example\.org(;|$)/)
  } finally {
    await other.close()
  }
})

test('the content policy allows the hosts of the map settings and no others, and a map file is served by ranges', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'caretaker-map-'))
  const file = path.join(folder, 'north.pmtiles')
  writeFileSync(file, 'PMTiles and more')
  const mapped = await testApp({
    MAP_STYLE_URL: 'https://styles.example.org/bright.json?key=1',
    MAP_SATELLITE_TILES: 'https://a.sky.example.org/{z}/{x}/{y}.jpg https://b.sky.example.org/{z}/{x}/{y}.jpg',
    MAP_HOSTS: 'https://glyphs.example.org',
    MAP_PMTILES: file,
  })
  try {
    const hosts =
      'https://styles.example.org https://a.sky.example.org https://b.sky.example.org https://glyphs.example.org'
    const directive = (policy: unknown, name: string) =>
      String(policy)
        .split(';')
        .find((one) => one.trim().startsWith(`${name} `))!
        .trim()
    const { headers, body } = await mapped.app.inject({ url: '/api/settings' })
    const policy = headers['content-security-policy']
    assert.equal(directive(policy, 'connect-src'), `connect-src 'self' ${hosts}`)
    assert.equal(directive(policy, 'img-src'), `img-src 'self' data: blob: ${hosts}`)
    assert.equal(directive(policy, 'script-src'), `script-src 'self'`)
    assert.equal(JSON.parse(body).map.pmtiles, '/map/tiles.pmtiles')
    const range = { range: 'bytes=0-6' }
    const part = await mapped.app.inject({ url: '/map/tiles.pmtiles', headers: range })
    assert.deepEqual([part.statusCode, part.body, part.headers['content-range']], [206, 'PMTiles', 'bytes 0-6/16'])
    // Without settings no other host is allowed.
    const plain = await app.app.inject({ url: '/api/settings' })
    assert.equal(directive(plain.headers['content-security-policy'], 'connect-src'), `connect-src 'self'`)
    const none = await app.app.inject({ url: '/map/tiles.pmtiles', headers: range })
    assert.ok(!none.body.startsWith('PMTiles'))
  } finally {
    await mapped.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('health and API documents are public, metrics are not', async () => {
  for (const url of ['/livez', '/readyz', '/api/openapi.json', '/api/docs'])
    assert.equal((await app.app.inject({ url })).statusCode, 200, url)
  assert.equal((await app.app.inject({ url: '/metrics' })).statusCode, 404)
})

test('metrics are served only with their token', async () => {
  const token = 'a token of the figures'
  const watched = await testApp({ CARETAKER_METRICS_TOKEN: token })
  try {
    const ask = (authorization?: string) =>
      watched.app.inject({ url: '/metrics', headers: authorization === undefined ? {} : { authorization } })
    const person = await watched.token(manager)
    for (const wrong of [undefined, '', token, `Basic ${token}`, `Bearer ${token}x`, `Bearer ${person}`])
      assert.equal((await ask(wrong)).statusCode, 401, wrong)
    await watched.app.inject({ url: '/livez' })
    const served = await ask(`Bearer ${token}`)
    assert.equal(served.statusCode, 200)
    assert.match(served.body, /caretaker_http_seconds_count/)
  } finally {
    await watched.close()
  }
})

const skip = (await isDistributed()) && 'a distributed database takes no policy that asks a function'
test(
  'after a temporary database failure a read is repeated and a write asks the caller to retry',
  skipBecause(skip),
  async () => {
    const refuse = async (times: number, code: string, text: string) =>
      app.database.owner.query(`
      create sequence refusals;
      grant usage on sequence refusals to public;
      create function may_pass() returns boolean language plpgsql volatile as $$
        begin
          if nextval('refusals') <= ${times} then raise exception using errcode = '${code}', message = '${text}'; end if;
          return true;
        end $$;
      create policy passing on membership as restrictive using (may_pass())`)
    const mend = () =>
      app.database.owner.query('drop policy passing on membership; drop function may_pass; drop sequence refusals')
    const calls = {
      read: () => app.send(getCapabilities, { params: { tenant: 'north' } }, manager),
      // Version 1 also reads by POST.
      readByPost: () => app.send(getTenantInfo, { body: { tenant: 'north' } }, manager),
      write: () => app.send(tenantCreateTag, { body: { tenant: 'north', name: randomUUID().slice(0, 8) } }, manager),
    }
    for (const [times, code, text, reading, writing] of [
      [1, '40001', 'shard for the given value does not exist', 200, 503],
      [3, '40P01', 'deadlock detected', 200, 503],
      [4, '40P01', 'deadlock detected', 503, 503],
      [1, 'XX000', 'could not find valid entry for shard 102008', 200, 503],
      [1, 'XX000', 'something else', 500, 500],
    ] as const)
      for (const [name, send] of Object.entries(calls)) {
        await refuse(times, code, text)
        try {
          assert.equal((await send()).status, name === 'write' ? writing : reading, `${name} ${times} ${code} ${text}`)
        } finally {
          await mend()
        }
        assert.equal((await send()).status, 200)
      }
  },
)

test('a limited user only sees items with one of their tags, counts included', async () => {
  const email = 'limited@south.test'
  const tag = await addAccessRightsTag(app, 'south', 'East Patch')
  await app.addMember('south', email, 'Manager', [tag])
  const seen = await addDevice(app, 'south', { accessRightsTagId: tag })
  const hidden = await addDevice(app, 'south')
  const page = await app.send(fetchViewData, { body: { tenant: 'south', listing: 'EmergencyLights' } }, email)
  assert.deepEqual(
    page.body.data!.rows.map((row) => row.deviceId),
    [seen],
  )
  assert.equal(page.body.data!.total, 1)
  assert.equal((await app.send(getEmered, { body: { tenant: 'south', deviceId: hidden } }, email)).status, 404)
  assert.equal((await app.send(getEmered, { body: { tenant: 'south', deviceId: seen } }, email)).status, 200)
})

const built = existsSync(new URL('../../../web/dist/index.html', import.meta.url))
test(
  "every address that is neither a call nor a file returns the app's page; a missing script does not",
  skipBecause(!built && 'the web pages are not built'),
  async () => {
    for (const url of ['/', '/north/EmergencyLights', '/north/EmergencyLights?page=2', '/callback?code=1']) {
      const response = await app.app.inject({ url })
      assert.equal(response.statusCode, 200, url)
      assert.match(response.body, /<!doctype html>/i)
    }
    assert.equal((await app.app.inject({ url: '/assets/gone.js' })).statusCode, 404)
  },
)
