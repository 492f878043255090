import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getBulkAction, startBulkAction } from '@caretaker/contract/actions.ts'
import { createApiKey, getApiKeys, revokeApiKey } from '@caretaker/contract/api-keys.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import {
  createUser,
  deleteUser,
  listUsers,
  resetUserPassword,
  updateUserDetails,
  updateUserRole,
  updateUserTags,
} from '@caretaker/contract/people.ts'
import { getProductNames } from '@caretaker/contract/products.ts'
import { takesKeys } from '@caretaker/contract/route.ts'
import { routes } from '@caretaker/contract/routes.ts'
import { getClientSettings, getSession, getTenants } from '@caretaker/contract/session.ts'
import { getTenantTags, tenantCreateTag } from '@caretaker/contract/tags.ts'
import { createViewDefinition, getViewDefinitions } from '@caretaker/contract/views.ts'
import { getWebhooks } from '@caretaker/contract/webhooks.ts'
import { callsOfKey, longestKeyDays, mostKeys } from '@caretaker/rules/api-keys/api-keys.ts'
import { isVendorAction } from '@caretaker/rules/rights/can.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { eventually } from '../../testing/device-link.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const day = 86_400_000
let app: TestApp
let east: string
let west: string
let inTheWest: string
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) {
    await app.addTenant(id)
    await app.addMember(id, `manager@${id}.test`, 'Manager')
  }
  east = await addAccessRightsTag(app, tenant, 'east')
  west = await addAccessRightsTag(app, tenant, 'west')
  for (const [email, role, tags] of [
    ['guest@north.test', 'Guest', []],
    ['engineer@north.test', 'LightingEngineer', []],
    ['limited@north.test', 'Manager', [east]],
    ['developer@north.test', 'Developer', []],
  ] as const)
    await app.addMember(tenant, email, role, [...tags])
  await addDevice(app, tenant, { product: 'EM', name: 'Light in the east', accessRightsTagId: east })
  inTheWest = await addDevice(app, tenant, { product: 'EM', name: 'Light in the west', accessRightsTagId: west })
})
afterAll(() => app.close())

type New = {
  name: string
  role: 'Guest' | 'Manager' | 'LightingEngineer'
  tagIds: string[]
  expiresInDays: number
  administersUsers?: boolean
  managesIntegrations?: boolean
}
let counter = 0
const wanted = (bend: Partial<New> = {}): New => ({
  ...{ name: `Key ${++counter}`, role: 'Guest', tagIds: [], expiresInDays: 30 },
  ...bend,
})
const make = (bend: Partial<New> = {}, email = manager, of = tenant) =>
  app.send(createApiKey, { params: { tenant: of }, body: wanted(bend) }, email)
const made = async (bend: Partial<New> = {}) => {
  const { status, body } = await make(bend)
  assert.equal(status, 201, JSON.stringify(body))
  return body as { key: string; apiKey: { id: string; name: string; expiresAt: string } }
}
const by = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
const lights = { tenant, listing: 'EmergencyLights' as const }
const listed = (key: string, of = tenant) =>
  app.send(fetchViewData, { body: { ...lights, tenant: of } } as never, undefined, by(key))
const keys = async (email = manager) => app.send(getApiKeys, { params: { tenant } }, email)

test('a manager creates a key, which is shown once and calls with the rights of its role', async () => {
  const { key, apiKey } = await made({ name: '  Energy   dashboard ' })
  assert.match(key, /^caretaker_north_[\w-]{43}$/)
  assert.equal(apiKey.name, 'Energy dashboard')
  assert.ok(Math.abs(Date.parse(apiKey.expiresAt) - Date.now() - 30 * day) < 60_000)
  const answer = await listed(key)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.equal(answer.body.data!.rows.length, 2)
  // A guest's key changes nothing.
  const tried = await app.send(tenantCreateTag, { body: { tenant, name: 'New' } }, undefined, by(key))
  assert.equal(tried.status, 403)
  const { body } = await keys()
  assert.ok(!JSON.stringify(body).includes(key.slice(20)))
  const newest = body.results[0]!
  assert.equal(newest.createdBy, 'manager')
  assert.equal(newest.state, 'active')
  assert.ok(Date.now() - Date.parse(newest.lastUsedAt!) < 60_000)
  const { rows } = await app.database.owner.query<{ text: string }>(
    `select row_to_json(k)::text as text from api_key k`,
  )
  assert.ok(rows.every(({ text }) => !text.includes(key.slice(20))))
})

test('a key with access rights tags sees what has them, and nothing else', async () => {
  const { key } = await made({ role: 'Manager', tagIds: [west] })
  const { body } = await listed(key)
  assert.deepEqual(
    body.data!.rows.map(({ deviceId }) => deviceId),
    [inTheWest],
  )
})

test('only managers who see the whole client create, see and revoke keys', async () => {
  const { apiKey } = await made()
  for (const email of ['guest@north.test', 'engineer@north.test', 'limited@north.test']) {
    assert.equal((await make({}, email)).status, 403, email)
    assert.equal((await keys(email)).status, 403, email)
    const revoked = await app.send(revokeApiKey, { params: { tenant, keyId: apiKey.id } }, email)
    assert.equal(revoked.status, 403, email)
  }
  assert.equal((await make({}, 'manager@south.test')).status, 404)
  const foreign = await app.send(revokeApiKey, { params: { tenant: 'south', keyId: apiKey.id } }, 'manager@south.test')
  assert.equal(foreign.status, 404)
})

test('a key manages keys and webhooks only if a manager allowed it, and gives no more rights than its own', async () => {
  const plain = await made({ role: 'Manager', administersUsers: true })
  const byKey = (key: string, bend: Partial<New> = {}) =>
    app.send(createApiKey, { params: { tenant }, body: wanted(bend) }, undefined, by(key))
  const refused = [
    await byKey(plain.key),
    await app.send(getApiKeys, { params: { tenant } }, undefined, by(plain.key)),
    await app.send(revokeApiKey, { params: { tenant, keyId: plain.apiKey.id } }, undefined, by(plain.key)),
    await app.send(getWebhooks, { params: { tenant } }, undefined, by(plain.key)),
  ]
  assert.deepEqual(
    refused.map(({ status }) => status),
    [403, 403, 403, 403],
  )

  const { key, apiKey } = await made({ role: 'Manager', managesIntegrations: true, expiresInDays: 2, name: 'Deploy' })
  const created = await byKey(key, { role: 'Guest', expiresInDays: 30 })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { id, createdBy, creatorRemoved, expiresAt } = created.body.apiKey
  assert.deepEqual([createdBy, creatorRemoved, expiresAt], ['Deploy (API key)', false, apiKey.expiresAt])
  const listedKeys = await app.send(getApiKeys, { params: { tenant } }, undefined, by(key))
  assert.equal(listedKeys.body.results.find((one) => one.id === id)?.creatorRemoved, false)
  for (const bend of [{ administersUsers: true }, { managesIntegrations: true }])
    assert.equal((await byKey(key, { role: 'Manager', ...bend })).status, 400, JSON.stringify(bend))
  assert.equal((await app.send(getWebhooks, { params: { tenant } }, undefined, by(key))).status, 200)
  const other = await app.send(getApiKeys, { params: { tenant: 'south' } }, undefined, by(key))
  assert.equal(other.status, 404)
  assert.equal((await app.send(revokeApiKey, { params: { tenant, keyId: id } }, undefined, by(key))).status, 204)
  // Only managers' keys that see everything can have the right.
  const unfit: Partial<New>[] = [{ role: 'Guest' }, { role: 'Manager', tagIds: [east] }]
  for (const bend of unfit) assert.equal((await make({ ...bend, managesIntegrations: true })).status, 400)
})

test('a key that was made with another one ends with it, and is marked once the user behind both is removed', async () => {
  const client = 'chains'
  const [leaver, stayer] = ['leaver@chains.test', 'stayer@chains.test']
  await app.addTenant(client)
  for (const email of [leaver, stayer]) await app.addMember(client, email, 'Manager')
  const params = { tenant: client }
  const manages: Partial<New> = { role: 'Manager', managesIntegrations: true }
  const [maker, other] = [
    (await make({ ...manages, name: 'Maker' }, leaver, client)).body,
    (await make({ ...manages, name: 'Other' }, leaver, client)).body,
  ]
  const child = async (key: unknown, name: string) => {
    const { status, body } = await app.send(
      createApiKey,
      { params, body: wanted({ name }) },
      undefined,
      by(key as string),
    )
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }
  const [one, two] = [await child(maker.key, 'Child one'), await child(other.key, 'Child two')]
  const marks = async () =>
    new Map(
      (await app.send(getApiKeys, { params }, stayer)).body.results.map((key) => [
        key.name,
        [key.state, key.creatorRemoved],
      ]),
    )
  assert.deepEqual((await marks()).get('Child one'), ['active', false])
  const users = (await app.send(listUsers, { params }, stayer)).body.results
  const { id } = users.find(({ email }) => email === leaver)!
  const removed = await app.send(deleteUser, { params: { tenant: client, id } }, stayer)
  assert.deepEqual(removed.body.apiKeys.map(({ name }) => name).toSorted(), [
    'Child one',
    'Child two',
    'Maker',
    'Other',
  ])
  assert.deepEqual(
    [...(await marks())].toSorted(([one], [other]) => one.localeCompare(other)),
    [
      ['Child one', ['active', true]],
      ['Child two', ['active', true]],
      ['Maker', ['active', true]],
      ['Other', ['active', true]],
    ],
  )
  assert.equal((await app.send(revokeApiKey, { params: { ...params, keyId: maker.apiKey!.id } }, stayer)).status, 204)
  assert.deepEqual(
    [(await listed(one.key as string, client)).status, (await listed(two.key as string, client)).status],
    [401, 200],
  )
  assert.deepEqual((await marks()).get('Child one'), ['revoked', true])
  const { rows } = await app.database.owner.query(
    `select from audit_entry where tenant_id = $1 and action = 'API key revoked' and subject_id = $2`,
    [client, one.apiKey!.id],
  )
  assert.equal(rows.length, 1)
})

test('a key that is revoked while it creates another one creates none', async () => {
  const { key, apiKey } = await made({ role: 'Manager', managesIntegrations: true })
  const name = `Late ${counter}`
  const client = await app.database.owner.connect()
  try {
    await client.query('begin')
    await client.query('select from tenant where id = $1 for no key update', [tenant])
    const creation = app.send(createApiKey, { params: { tenant }, body: wanted({ name }) }, undefined, by(key))
    await eventually(
      async () => {
        const waiting = await app.database.owner.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
        return waiting.rowCount
      },
      (waiting) => waiting === 1,
    )
    await client.query('update api_key set revoked_at = now() where id = $1', [apiKey.id])
    await client.query('commit')
    assert.equal((await creation).status, 401)
  } finally {
    client.release()
  }
  const { rows } = await app.database.owner.query('select from api_key where name = $1', [name])
  assert.equal(rows.length, 0)
})

test('software can query its own identity and client', async () => {
  const { key, apiKey } = await made({ name: 'Who', role: 'LightingEngineer', tagIds: [west] })
  const { status, body } = await app.send(getSession, {}, undefined, by(key))
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.name, body.email], ['Who (API key)', ''])
  assert.deepEqual(
    body.tenants.map(({ id, memberId, role, tags }) => [id, memberId, role, tags]),
    [[tenant, apiKey.id, 'LightingEngineer', [west]]],
  )
  const tenants = await app.send(getTenants, { body: {} }, undefined, by(key))
  assert.deepEqual(
    tenants.body.data!.map(({ id }) => id),
    [tenant],
  )
})

test('a key administers users only if its creator allowed it, and within its role and tags', async () => {
  const params = { tenant }
  const person = (email: string, bend: object = {}) => ({
    params,
    body: { name: 'Somebody', email, role: 'Guest' as const, tags: [], ...bend },
  })
  const plain = await made({ role: 'Manager' })
  const seen = await app.send(listUsers, { params }, undefined, by(plain.key))
  assert.equal(seen.status, 200)
  assert.ok(seen.body.results.every(({ email, canChange }) => email === null && !canChange))
  assert.equal((await app.send(createUser, person('plain@north.test'), undefined, by(plain.key))).status, 403)

  const { key } = await made({ role: 'Manager', administersUsers: true, name: 'Staff list' })
  const created = await app.send(createUser, person('joiner@north.test'), undefined, by(key))
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { id } = created.body
  const one = { params: { tenant, id } }
  const steps = [
    await app.send(
      updateUserDetails,
      { ...one, body: { name: 'Joiner', email: 'joined@north.test' } },
      undefined,
      by(key),
    ),
    await app.send(updateUserTags, { ...one, body: { tags: [east] } }, undefined, by(key)),
    await app.send(updateUserRole, { ...one, body: { role: 'LightingEngineer' } }, undefined, by(key)),
    await app.send(resetUserPassword, one, undefined, by(key)),
  ]
  assert.deepEqual(
    steps.map(({ status }) => status),
    [204, 204, 204, 204],
    JSON.stringify(steps.map(({ body }) => body)),
  )
  const listed = await app.send(listUsers, { params }, undefined, by(key))
  const joined = listed.body.results.find((user) => user.id === id)!
  assert.deepEqual(
    [joined.name, joined.email, joined.role, joined.tags],
    ['Joiner', 'joined@north.test', 'LightingEngineer', [east]],
  )
  // Nobody with a higher role, and no vendor staff.
  const developer = listed.body.results.find(({ role }) => role === 'Developer')!
  assert.equal((await app.send(deleteUser, { params: { tenant, id: developer.id } }, undefined, by(key))).status, 403)
  assert.equal(
    (await app.send(createUser, person('admin@north.test', { role: 'Admin' }), undefined, by(key))).status,
    403,
  )
  assert.equal((await app.send(deleteUser, one, undefined, by(key))).status, 200)
  const { body } = await app.send(getAudit, { params, query: {} } as never, 'developer@north.test')
  for (const action of ['user created', 'user role changed', 'user deleted'])
    assert.ok(
      body.results.some((entry) => entry.action === action && JSON.stringify(entry).includes('Staff list (API key)')),
      action,
    )

  const narrow = await made({ role: 'Manager', administersUsers: true, tagIds: [east] })
  assert.equal((await app.send(createUser, person('wide@north.test'), undefined, by(narrow.key))).status, 403)
  assert.equal((await make({ role: 'Guest', administersUsers: true })).status, 400)
})

test('a key of one client has no access to another, and no key counts as the vendor', async () => {
  const { key } = await made({ role: 'Manager' })
  assert.equal((await listed(key, 'south')).status, 404)
  // Rewritten for another client, the key is invalid.
  assert.equal((await listed(key.replace('caretaker_north_', 'caretaker_south_'), 'south')).status, 401)
  for (const [name, route] of Object.entries(routes))
    if (isVendorAction(route.may)) assert.equal(takesKeys(route), false, name)
  assert.equal((await app.send(getProductNames, {}, undefined, by(key))).status, 200)
})

test('software has its own data as people do: views, and bulk actions that it can follow', async () => {
  const { key } = await made({ role: 'Manager' })
  const another = await made({ role: 'Manager' })
  const view = {
    root: 'emered' as const,
    label: 'Of a key',
    columns: ['serial' as const],
    filters: [],
  }
  const kept = await app.send(
    createViewDefinition,
    { body: { tenant, view: { ...view, private: true } } },
    undefined,
    by(key),
  )
  assert.equal(kept.status, 200, JSON.stringify(kept.body))
  const labels = async (bearer: string) => {
    const { body } = await app.send(getViewDefinitions, { body: { tenant } }, undefined, by(bearer))
    return JSON.stringify(body).includes('Of a key')
  }
  assert.deepEqual([await labels(key), await labels(another.key)], [true, false])
  const started = await app.send(
    startBulkAction,
    { body: { tenant, action: 'flick test', selection: { deviceIds: [inTheWest] } } },
    undefined,
    by(key),
  )
  assert.equal(started.status, 200, JSON.stringify(started.body))
  const { bulkActionId } = started.body.data!
  const follow = async (bearer: string) =>
    (await app.send(getBulkAction, { body: { tenant, bulkActionId } }, undefined, by(bearer))).status
  assert.deepEqual([await follow(key), await follow(another.key)], [200, 404])
})

test('revoked, expired and invented keys are refused with the reason', async () => {
  const { key, apiKey } = await made()
  const revoke = () => app.send(revokeApiKey, { params: { tenant, keyId: apiKey.id } }, manager)
  assert.equal((await revoke()).status, 204)
  assert.equal((await revoke()).status, 204)
  const revoked = await listed(key)
  assert.deepEqual([revoked.status, revoked.body.message], [401, 'This API key was revoked.'])
  const late = await made()
  await app.database.owner.query('update api_key set expires_at = now() where id = $1', [late.apiKey.id])
  const expired = await listed(late.key)
  assert.deepEqual([expired.status, expired.body.message], [401, 'This API key has expired.'])
  const invented = await listed(`caretaker_north_${'a'.repeat(43)}`)
  assert.deepEqual([invented.status, invented.body.message], [401, 'Unauthorized.'])
  assert.equal((await listed(`caretaker_nowhere_${'a'.repeat(43)}`)).status, 401)
  const { body } = await keys()
  const states = new Map(body.results.map((one: { id: string; state: string }) => [one.id, one.state]))
  assert.deepEqual([states.get(apiKey.id), states.get(late.apiKey.id)], ['revoked', 'expired'])
})

test('a key anywhere in a URL is refused, with or without another one', async () => {
  const { key } = await made()
  for (const url of [
    `${getApiKeys.path.replace('{tenant}', tenant)}?api_key=${key}`,
    `${getClientSettings.path}?${key}`,
  ]) {
    const answer = await app.app.inject({ url, headers: { authorization: `Bearer ${key}` } })
    assert.equal(answer.statusCode, 400, url)
    assert.match(answer.json<{ message: string }>().message, /never in an address/)
  }
})

test('actions of a key are recorded in its name, and so are its creation and revocation', async () => {
  const { key, apiKey } = await made({ role: 'Manager', name: 'Import' })
  const tag = await app.send(tenantCreateTag, { body: { tenant, name: 'ByKey' } }, undefined, by(key))
  assert.equal(tag.status, 200, JSON.stringify(tag.body))
  await app.send(revokeApiKey, { params: { tenant, keyId: apiKey.id } }, manager)
  const { body } = await app.send(getAudit, { params: { tenant }, query: {} } as never, 'developer@north.test')
  const entries = body.results.map((entry) => JSON.stringify(entry))
  const has = (...parts: string[]) =>
    assert.ok(
      entries.some((entry) => parts.every((part) => entry.includes(part))),
      parts.join(),
    )
  has('tag created', 'Import (API key)', 'ByKey')
  has('API key made', '"manager"', 'Import')
  has('API key revoked', '"manager"', 'Import')
  assert.ok(entries.every((entry) => !entry.includes(key)))
})

test('a key that loses its rights loses them at the next call', async () => {
  const { key } = await made()
  await app.database.owner.query(
    `update tenant set suspended_at = now(), suspended_reason = 'unpaid' where id = 'north'`,
  )
  try {
    assert.equal((await listed(key)).status, 403)
  } finally {
    await app.database.owner.query(`update tenant set suspended_at = null, suspended_reason = null where id = 'north'`)
  }
  assert.equal((await listed(key)).status, 200)
})

test('invalid keys: more rights than the creator, a year and a day, a used name, tags of another client', async () => {
  const south = await addAccessRightsTag(app, 'south', 'south')
  await made({ name: 'Twice' })
  for (const [bend, field] of [
    [{ role: 'Developer' }, 'role'],
    [{ role: 'Admin' }, 'role'],
    [{ expiresInDays: longestKeyDays + 1 }, 'expiresInDays'],
    [{ expiresInDays: 0 }, 'expiresInDays'],
    [{ name: ' ' }, 'name'],
    [{ name: 'TWICE' }, 'name'],
    [{ tagIds: [south] }, 'tagIds'],
  ] as const) {
    const { status, body } = await make(bend as Partial<New>)
    assert.equal(status, 400, JSON.stringify(bend))
    assert.equal(body.validationErrors[0].field, field)
  }
  // Every key expires.
  const { expiresInDays: _, ...endless } = wanted()
  assert.equal((await app.send(createApiKey, { params: { tenant }, body: endless as never }, manager)).status, 400)
})

test('each key has a rate limit per minute, independent of others', async () => {
  const [busy, quiet] = [await made(), await made()]
  const spend = `insert into throttle (key, count, since) values ($1, $2, now())
    on conflict (key) do update set count = excluded.count, since = excluded.since`
  const { createHash } = await import('node:crypto')
  const counted = createHash('sha256').update(`calls of api key\n${busy.apiKey.id}`).digest('base64url')
  await app.database.owner.query(spend, [counted, callsOfKey.most - 1])
  const call = async (key: string) => {
    const { statusCode, headers } = await app.app.inject({
      url: listUsers.path.replace('{tenant}', tenant),
      headers: { authorization: `Bearer ${key}` },
    })
    const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': left, 'x-ratelimit-reset': reset } = headers
    return { statusCode, limit: Number(limit), left: Number(left), reset: Number(reset), again: headers['retry-after'] }
  }
  const last = await call(busy.key)
  assert.deepEqual([last.limit, last.left, last.again], [callsOfKey.most, 0, undefined])
  const refused = await call(busy.key)
  assert.deepEqual([refused.statusCode, refused.limit, refused.left], [429, callsOfKey.most, 0])
  for (const seconds of [last.reset, refused.reset, Number(refused.again)])
    assert.ok(seconds > 30 && seconds <= 60, String(seconds))
  assert.equal((await listed(quiet.key)).status, 200)
  assert.equal((await app.send(getTenantTags, { body: { tenant } }, manager)).status, 200)
})

test('a client has a maximum number of keys', async () => {
  const { body } = await keys()
  const active = body.results.filter((one: { state: string }) => one.state === 'active').length
  for (let n = active; n < mostKeys; n++) await made()
  assert.equal((await make()).status, 409)
})

test('a key outlives the removal of its creator: the answer names it, and the list marks it', async () => {
  const client = 'leavers'
  const [leaver, stayer, limited] = ['leaver@leavers.test', 'stayer@leavers.test', 'limited@leavers.test']
  await app.addTenant(client)
  for (const email of [leaver, stayer]) await app.addMember(client, email, 'Manager')
  const tag = await addAccessRightsTag(app, client, 'tag')
  await app.addMember(client, limited, 'Manager', [tag])
  const users = async () => (await app.send(listUsers, { params: { tenant: client } }, stayer)).body.results
  const idOf = async (email: string) => (await users()).find((user) => user.email === email)!.id
  const remove = async (email: string, as: string) =>
    app.send(deleteUser, { params: { tenant: client, id: await idOf(email) } }, as)
  const { body: left } = await make({ name: 'Left behind', role: 'Manager' }, leaver, client)
  await make({ name: 'Of who stays' }, stayer, client)
  const { body: revoked } = await make({ name: 'Revoked' }, leaver, client)
  await app.send(revokeApiKey, { params: { tenant: client, keyId: revoked.apiKey!.id } }, stayer)
  const marks = async () =>
    (await app.send(getApiKeys, { params: { tenant: client } }, stayer)).body.results
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .map((key) => [key.name, key.creatorId, key.creatorRemoved])
  const [leaverId, stayerId] = [await idOf(leaver), await idOf(stayer)]
  assert.deepEqual(await marks(), [
    ['Left behind', leaverId, false],
    ['Of who stays', stayerId, false],
    ['Revoked', leaverId, false],
  ])
  const { status, body } = await remove(leaver, stayer)
  const { name, role, expiresAt, id } = left.apiKey!
  assert.deepEqual([status, body], [200, { apiKeys: [{ id, name, role, expiresAt }] }])
  assert.deepEqual(await marks(), [
    ['Left behind', null, true],
    ['Of who stays', stayerId, false],
    ['Revoked', null, true],
  ])
  assert.equal((await listed(left.key as string, client)).status, 200, 'it still works')

  // Users who may not see the keys of a client do not get them in this answer either.
  const [other, second] = ['other@leavers.test', 'second@leavers.test']
  for (const email of [other, second]) await app.addMember(client, email, 'Manager')
  await make({ name: 'Of the other' }, other, client)
  const tags = { params: { tenant: client, id: await idOf(other) }, body: { tags: [tag] } }
  assert.equal((await app.send(updateUserTags, tags, stayer)).status, 204)
  assert.deepEqual((await remove(other, limited)).body, { apiKeys: [] })
})
