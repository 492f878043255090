import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { endOtherBrowserSessions } from '@caretaker/contract/account.ts'
import { createApiKey } from '@caretaker/contract/api-keys.ts'
import { runT0Test } from '@caretaker/contract/lighting.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import {
  createAccessRightsTag,
  deleteAccessRightsTag,
  getTenantTags,
  tenantCreateTag,
} from '@caretaker/contract/tags.ts'
import { addWebhook, updateWebhook } from '@caretaker/contract/webhooks.ts'
import { keysOfCaller, largestResponse, responsesOfTenant } from '@caretaker/rules/api-keys/idempotency.ts'
import { forgetIdempotencyKeys } from '../idempotency/retention.ts'
import { storeResponse, takeKey } from '../idempotency/store.ts'
import { outsideTransaction } from '../postgres/scope.ts'
import { inTenant } from '../postgres/tenant.ts'
import { makeKey } from '../testing/api-key.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { addDevice } from '../testing/furnish/devices.ts'
import { onceInSteps } from './idempotency.ts'

const tenant = 'north'
const manager = 'manager@north.test'
let app: TestApp
let light: string
beforeAll(async () => {
  app = await testApp({ CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1' })
  for (const id of [tenant, 'south']) {
    await app.addTenant(id)
    await app.addMember(id, `manager@${id}.test`, 'Manager')
  }
  await app.addMember(tenant, 'second@north.test', 'Manager')
  light = await addDevice(app, tenant, { product: 'EM', name: '1 Elm Road' })
})
afterAll(() => app.close())

interface Sent {
  params?: Record<string, string>
  body?: object
  form?: Record<string, string>
}
/** Makes a call with an Idempotency-Key; a caller is a user's e-mail or an API key. */
async function call(route: AnyRoute, { params = {}, body, form }: Sent, key: string | undefined, caller = manager) {
  const bearer = caller.includes('@') ? await app.token(caller) : caller
  const data = new FormData()
  for (const [name, value] of Object.entries(form ?? {})) data.append(name, value)
  const encoded = form && new Response(data)
  const answer = await app.app.inject({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name]!),
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(encoded && { 'content-type': encoded.headers.get('content-type')! }),
    },
    payload: encoded ? Buffer.from(await encoded.arrayBuffer()) : body,
  })
  return { status: answer.statusCode, text: answer.body, replayed: answer.headers['idempotency-replayed'] }
}
const newTag = (name: string, of = tenant): Sent => ({ body: { tenant: of, name } })
const tags = async () => {
  const { body } = await app.send(getTenantTags, { body: { tenant } }, manager)
  return body.data!.tags.map(({ name }) => name)
}

test('the same call with the same key returns the stored response and changes nothing again', async () => {
  const key = randomUUID()
  const first = await call(tenantCreateTag, newTag('Lobby'), key)
  assert.deepEqual([first.status, first.replayed], [200, undefined])
  const second = await call(tenantCreateTag, newTag('Lobby'), key)
  assert.deepEqual(second, { ...first, replayed: 'true' })
  // Quotes are part of the header's syntax, not of the key.
  assert.equal((await call(tenantCreateTag, newTag('Lobby'), `"${key}"`)).replayed, 'true')
  assert.equal((await tags()).filter((name) => name === 'Lobby').length, 1)

  const [creation, deletion] = [randomUUID(), randomUUID()]
  const create = () => call(createAccessRightsTag, { params: { tenant }, body: { displayName: 'Depot' } }, creation)
  const created = await create()
  assert.equal(created.status, 201)
  assert.deepEqual(await create(), { ...created, replayed: 'true' })
  const { id } = JSON.parse(created.text) as { id: string }
  const remove = () => call(deleteAccessRightsTag, { params: { tenant, id } }, deletion)
  assert.deepEqual(await remove(), { status: 204, text: '', replayed: undefined })
  assert.deepEqual(await remove(), { status: 204, text: '', replayed: 'true' })

  const form = { tenant, deviceId: light }
  const test = randomUUID()
  const queued = await call(runT0Test, { form }, test)
  assert.equal(queued.status, 200, queued.text)
  assert.deepEqual(await call(runT0Test, { form }, test), { ...queued, replayed: 'true' })
})

test('another request with the same key is refused with 422, and an invalid key with 400', async () => {
  const key = randomUUID()
  assert.equal((await call(tenantCreateTag, newTag('Attic'), key)).status, 200)
  const other = await call(tenantCreateTag, newTag('Cellar'), key)
  assert.equal(other.status, 422)
  assert.match(other.text, /was used for another request/)
  assert.ok(!(await tags()).includes('Cellar'))
  for (const wrong of ['short', 'x'.repeat(201), 'with a space in its text'])
    assert.equal((await call(tenantCreateTag, newTag('Cellar'), wrong)).status, 400, wrong)
})

test('a key belongs to its caller in one client: no other caller gets the response', async () => {
  const key = randomUUID()
  assert.equal((await call(tenantCreateTag, newTag('Roof'), key)).status, 200)
  const second = await call(tenantCreateTag, newTag('Roof'), key, 'second@north.test')
  assert.deepEqual([JSON.parse(second.text).isSuccessful, second.replayed], [false, undefined])
  const software = await call(tenantCreateTag, newTag('Roof'), key, await makeKey(app, tenant, manager))
  assert.equal(software.replayed, undefined)
  const south = await call(tenantCreateTag, newTag('Roof', 'south'), key, 'manager@south.test')
  assert.deepEqual([south.status, south.replayed], [200, undefined])
  assert.equal((await call(tenantCreateTag, newTag('Roof'), key, 'manager@south.test')).status, 404)
})

test('a rejected call does not use up its key', async () => {
  const key = randomUUID()
  await call(tenantCreateTag, newTag('Garage'), undefined)
  const taken = await call(tenantCreateTag, newTag('Garage'), key)
  assert.equal(JSON.parse(taken.text).isSuccessful, false)
  await app.database.owner.query(`delete from tag where name = 'Garage'`)
  const now = await call(tenantCreateTag, newTag('Garage'), key)
  assert.deepEqual([JSON.parse(now.text).isSuccessful, now.replayed], [true, undefined])
})

const keyed = async (key: string) => {
  const { rows } = await app.database.owner.query<{ id: string }>('select id from person where email = $1', [manager])
  return { personId: rows[0]!.id, key, requestHash: Buffer.alloc(32) }
}

test('a call is refused with 409 while another one with its key is in progress, and made if that one fails', async () => {
  const key = randomUUID()
  let attempt: Awaited<ReturnType<typeof call>> | undefined
  await assert.rejects(
    inTenant(app.database.db, tenant, async (tx) => {
      await takeKey(tx, await keyed(key), new Date())
      attempt = await outsideTransaction(() => call(tenantCreateTag, newTag('Porch'), key))
      // As when the process is killed before its commit.
      throw new Error('killed')
    }),
    /killed/,
  )
  assert.equal(attempt!.status, 409)
  assert.match(attempt!.text, /is in progress/)
  assert.deepEqual([(await call(tenantCreateTag, newTag('Porch'), key)).status], [200])
})

test('of simultaneous calls with one key, one changes something', async () => {
  const key = randomUUID()
  const answers = await Promise.all(Array.from({ length: 5 }, () => call(tenantCreateTag, newTag('Bike'), key)))
  for (const { status, text } of answers) assert.ok(status === 409 || JSON.parse(text).isSuccessful, text)
  assert.equal((await tags()).filter((name) => name === 'Bike').length, 1)
  assert.equal((await call(tenantCreateTag, newTag('Bike'), key)).replayed, 'true')
})

test('a call in several steps is never made twice: if its process stops, its repetition is refused', async () => {
  const key = randomUUID()
  const hook: Sent = {
    params: { tenant },
    body: { name: 'Hook', url: 'http://127.0.0.1:9/', events: ['test.finished'] },
  }
  const first = await call(addWebhook, hook, key)
  assert.equal(first.status, 201, first.text)
  const { endpoint } = JSON.parse(first.text) as { endpoint: { id: string } }
  const change: Sent = {
    params: { tenant, endpointId: endpoint.id },
    body: { ...hook.body, name: 'New', enabled: true },
  }
  const changing = randomUUID()
  const changed = await call(updateWebhook, change, changing)
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(await call(updateWebhook, change, changing), { ...changed, replayed: 'true' })
  await app.database.owner.query('update idempotency_key set status = null, response = null')
  const running = await call(addWebhook, hook, key)
  assert.deepEqual([running.status, JSON.parse(running.text).message.includes('is in progress')], [409, true])
  await app.database.owner.query(`update idempotency_key set started_at = started_at - interval '5 minutes'`)
  const lost = await call(addWebhook, hook, key)
  assert.equal(lost.status, 409)
  assert.match(lost.text, /ended without a result/)
  const { rows } = await app.database.owner.query('select from webhook_endpoint')
  assert.equal(rows.length, 1)
  // A rejected call releases the key.
  const [bad, again] = [{ ...hook, body: { ...hook.body, url: 'ftp://x/' } }, randomUUID()]
  assert.equal((await call(addWebhook, bad, again)).status, 400)
  assert.equal((await call(addWebhook, hook, again)).status, 201)
})

test('a call in several steps that fails before its first change releases its key', async () => {
  for (const hasChanged of [false, true]) {
    const one = await keyed(randomUUID())
    const once = onceInSteps(
      { route: updateWebhook, reply: {} as never, keyed: one },
      (work) => inTenant(app.database.db, tenant, work),
      async () => {
        throw new Error('connection lost')
      },
      () => hasChanged,
    )
    await assert.rejects(once, /connection lost/)
    const again = inTenant(app.database.db, tenant, (tx) => takeKey(tx, one, new Date()))
    await (hasChanged ? assert.rejects(again, /is in progress/) : again)
  }
})

test('stored responses are encrypted, and deleted after 24 hours', async () => {
  await app.database.owner.query('delete from idempotency_key')
  const key = randomUUID()
  const make = () => call(tenantCreateTag, newTag('Secret'), key)
  const first = await make()
  assert.equal(first.status, 200, first.text)
  assert.deepEqual(await make(), { ...first, replayed: 'true' })
  const { rows } = await app.database.owner.query<{ response: Buffer; key_hash: Buffer }>(
    'select * from idempotency_key',
  )
  assert.equal(rows.length, 1)
  for (const part of [rows[0]!.response, rows[0]!.key_hash])
    for (const text of [key, 'Secret']) assert.ok(!part.includes(text))

  await app.database.owner.query(`update idempotency_key set started_at = started_at - interval '25 hours'`)
  const late = await make()
  assert.deepEqual([JSON.parse(late.text).isSuccessful, late.replayed], [false, undefined], 'the name is already used')
  await app.database.owner.query(`update due set due_at = 'epoch' where work = 'forget idempotency keys'`)
  assert.equal(await forgetIdempotencyKeys(app.database.db), 1)
  const { rows: left } = await app.database.owner.query(`select from due where work = 'forget idempotency keys'`)
  assert.deepEqual(left, [])
})

test('a response with a secret is never stored: its repetition changes nothing and returns 409', async () => {
  await app.database.owner.query('delete from idempotency_key')
  const key = randomUUID()
  const wanted = { name: 'Once', role: 'Guest', tagIds: [], expiresInDays: 1 }
  const make = () => call(createApiKey, { params: { tenant }, body: wanted }, key)
  const first = await make()
  assert.equal(first.status, 201, first.text)
  const second = await make()
  assert.deepEqual([second.status, second.replayed], [409, undefined])
  assert.match(second.text, /contained a secret, which is returned only once/)
  const { rows } = await app.database.owner.query<{ response: Buffer | null }>('select response from idempotency_key')
  assert.deepEqual(rows, [{ response: null }])
  const made = await app.database.owner.query(`select from api_key where name = 'Once'`)
  assert.equal(made.rowCount, 1)
})

test('a response that is too large, or of too many calls, is not stored: its repetition changes nothing and returns 409', async () => {
  const key = randomUUID()
  const large = await keyed(key)
  await inTenant(app.database.db, tenant, async (tx) => {
    await takeKey(tx, large, new Date())
    await storeResponse(tx, large, { status: 200, body: JSON.stringify('x'.repeat(largestResponse)) })
  })
  await assert.rejects(
    inTenant(app.database.db, tenant, (tx) => takeKey(tx, large, new Date())),
    /too large to be kept/,
  )
  const counted = createHash('sha256').update(`idempotency responses\n${tenant}`).digest('base64url')
  await app.database.owner.query('update throttle set count = $2 where key = $1', [counted, responsesOfTenant.most])
  const many = randomUUID()
  assert.equal((await call(tenantCreateTag, newTag('Many'), many)).status, 200)
  const repeated = await call(tenantCreateTag, newTag('Many'), many)
  assert.deepEqual([repeated.status, repeated.text.includes('too many such calls within a day')], [409, true])
  assert.equal((await tags()).filter((name) => name === 'Many').length, 1)
  // Other clients are not affected.
  const south = randomUUID()
  for (const replayed of [undefined, 'true'])
    assert.equal((await call(tenantCreateTag, newTag('Few', 'south'), south, 'manager@south.test')).replayed, replayed)
  await app.database.owner.query('delete from throttle')
})

test('a caller sends a limited number of keys a day, and gets an error beyond it', async () => {
  const { personId } = await keyed('')
  const counted = createHash('sha256').update(`idempotency keys\n${personId}`).digest('base64url')
  await call(tenantCreateTag, newTag('Before'), randomUUID())
  await app.database.owner.query('update throttle set count = $2 where key = $1', [counted, keysOfCaller.most])
  const refused = await call(tenantCreateTag, newTag('Limit'), randomUUID())
  assert.deepEqual([refused.status, JSON.parse(refused.text).message], [429, keysOfCaller.message])
  assert.equal((await call(tenantCreateTag, newTag('Limit'), undefined)).status, 200)
  await app.database.owner.query('delete from throttle')
})

test('calls that only read ignore the header, and calls that cannot be repeated refuse it', async () => {
  const key = randomUUID()
  const read = () => call(getTenantTags, { body: { tenant } }, key)
  assert.deepEqual([(await read()).status, (await read()).replayed], [200, undefined])
  const personal = await call(endOtherBrowserSessions, {}, key)
  assert.equal(personal.status, 400)
  assert.match(personal.text, /does not accept an Idempotency-Key/)
})
