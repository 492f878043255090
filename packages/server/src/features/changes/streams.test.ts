import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, test } from 'vitest'
import { createApiKey, revokeApiKey } from '@caretaker/contract/api-keys.ts'
import type { ChangeEvent } from '@caretaker/contract/changes.ts'
import { streamChanges } from '@caretaker/contract/changes.ts'
import { deleteUser, updateUserRole, updateUserTags } from '@caretaker/contract/people.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { setDeviceAccessRightsTag, tenantCreateTag } from '@caretaker/contract/tags.ts'
import { createViewDefinition } from '@caretaker/contract/views.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { changed } from '../../changes/changed.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { setStatus } from '../../testing/statuses.ts'

let app: TestApp
/** Another process on the same database. */
let other: TestApp
let patch: string
const tenant = 'north'
const manager = 'manager@north.test'
const limited = 'limited@north.test'
const lighting = 'lighting@north.test'
const south = 'manager@south.test'
beforeAll(async () => {
  app = await testApp()
  other = await testApp({}, { ...app.database, drop: async () => {} })
  for (const one of [app, other]) await one.app.listen({ port: 0, host: '127.0.0.1' })
  for (const id of [tenant, 'south']) await app.addTenant(id)
  patch = await addAccessRightsTag(app, tenant, 'East Patch')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, limited, 'Manager', [patch])
  await app.addMember(tenant, lighting, 'LightingEngineer')
  await app.addMember('south', south, 'Manager')
  for (const email of [manager, limited, lighting, south]) await app.send(getSession, {}, email)
})
const open = new Set<http.ClientRequest>()
afterEach(() => {
  for (const one of open) one.destroy()
  open.clear()
})
afterAll(async () => {
  await other.app.close()
  await app.close()
})

interface Heard {
  position: string
  event: ChangeEvent
}

/** Opens a stream as a user; `next` waits for the next event that is not a keep-alive. */
async function listen(
  email: string,
  {
    on = app,
    at = tenant,
    device,
    position,
    age,
    claims,
    key,
  }: {
    on?: TestApp
    at?: string
    device?: string
    position?: string
    age?: number
    claims?: Record<string, unknown>
    /** An API key instead of a user. */
    key?: string
  } = {},
) {
  const { port } = on.app.server.address() as AddressInfo
  const url = new URL(streamChanges.path.replace('{tenant}', at), `http://127.0.0.1:${port}`)
  if (device) url.searchParams.set('device', device)
  if (age) url.searchParams.set('age', String(age))
  const authorization = `Bearer ${key ?? (await on.token(email, claims))}`
  const headers = { authorization, 'accept-encoding': 'gzip', ...(position && { 'last-event-id': position }) }
  const request = http.get(url, { agent: false, headers })
  open.add(request)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  response.on('error', () => {})
  const status = response.statusCode!
  const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>
  let text = ''
  const beats: number[] = []
  const event = async (): Promise<Heard | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (text.startsWith(':') && end >= 0) {
        text = text.slice(end + 2)
        beats.push(Date.now())
      } else if (end >= 0) {
        const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(text.slice(0, end))!
        text = text.slice(end + 2)
        return { position: id!, event: JSON.parse(data!) as ChangeEvent }
      }
      const chunk = await chunks.next()
      if (chunk.done) return undefined
      text += chunk.value
    }
  }
  const next = async (): Promise<Heard | undefined> => {
    const heard = await event()
    return !heard || heard.event.everything || heard.event.changes.length ? heard : next()
  }
  const first = status === 200 ? await event() : undefined
  return { status, headers: response.headers, first, next, beats, leave: () => request.destroy() }
}

const work = <T>(of: string, act: Parameters<typeof inTenant<T>>[2]) => inTenant(app.database.db, of, act)
const device = (ids: string[] | null, ...products: string[]) => ({
  subject: 'device',
  ids,
  products: ids && products,
})

test('listeners hear at once, on every process, what changed in their client', async () => {
  const light = await addDevice(app, tenant)
  const [here, there] = [await listen(manager), await listen(manager, { on: other })]
  assert.equal(here.headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.equal(here.headers['content-encoding'], undefined)
  assert.equal(here.headers['x-accel-buffering'], 'no')
  assert.match(here.headers['content-security-policy'] as string, /default-src 'self'/)
  assert.deepEqual(here.first!.event, { everything: false, changes: [] })
  await work(tenant, (tx) => setStatus(tx, light, 'FailedEquipment'))
  for (const stream of [here, there]) assert.deepEqual((await stream.next())!.event.changes, [device([light], 'EM')])
})

test("changes of another client never arrive, and another client's stream is not found", async () => {
  const [mine, theirs] = [await addDevice(app, tenant), await addDevice(app, 'south')]
  const [north, southern] = [await listen(manager), await listen(south, { at: 'south' })]
  await work('south', (tx) => setStatus(tx, theirs, 'FailedEquipment'))
  assert.deepEqual((await southern.next())!.event.changes, [device([theirs], 'EM')])
  // A change named in the wrong client reaches nobody.
  await work(tenant, (tx) => changed(tx, 'device', [theirs]))
  await work(tenant, (tx) => setStatus(tx, mine, 'FailedEquipment'))
  assert.deepEqual((await north.next())!.event.changes, [device([mine], 'EM')])
  assert.equal((await listen(south)).status, 404)
  assert.equal((await listen(manager, { at: 'nowhere' })).status, 404)
})

test('a limited user hears of no device outside their tags, and an engineer of none of other areas', async () => {
  const [hidden, shown] = [await addDevice(app, tenant), await addDevice(app, tenant, { accessRightsTagId: patch })]
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  const streams = { limited: await listen(limited), lighting: await listen(lighting), manager: await listen(manager) }
  await work(tenant, (tx) => changed(tx, 'device', [hidden, boiler]))
  await work(tenant, (tx) => changed(tx, 'device', [hidden, shown]))
  const heard = new Set<string>()
  assert.deepEqual((await streams.limited.next())!.event.changes, [device([shown], 'EM')])
  while (heard.size < 2)
    for (const change of (await streams.lighting.next())!.event.changes) for (const id of change.ids!) heard.add(id)
  assert.deepEqual([...heard].toSorted(), [hidden, shown].toSorted())
})

test('a limited user hears that visible devices changed when one gains or loses their tag, not for other tags', async () => {
  const light = await addDevice(app, tenant)
  const elsewhere = await addAccessRightsTag(app, tenant, 'West Patch')
  const stream = await listen(limited)
  const give = (accessRightsTagId: string | null) =>
    app.send(setDeviceAccessRightsTag, { params: { tenant, deviceId: light }, body: { accessRightsTagId } }, manager)
  assert.equal((await give(elsewhere)).status, 204)
  assert.equal((await give(patch)).status, 204)
  const gained = (await stream.next())!.event.changes
  assert.ok(gained.some(({ subject, ids }) => subject === 'device' && ids === null))
  const counted = await work(tenant, (tx) =>
    tx.selectFrom('change').select('ids').where('tenant_id', '=', tenant).where('subject', '=', 'reach').execute(),
  )
  assert.deepEqual(counted.map(({ ids }) => ids!.toSorted()).slice(-2), [[elsewhere], [patch, elsewhere].toSorted()])
  assert.equal((await give(null)).status, 204)
  assert.ok((await stream.next())!.event.changes.some(({ ids }) => ids === null))
})

test('changes shown only on a device page reach only users with that page open', async () => {
  const [one, two] = [await addDevice(app, tenant), await addDevice(app, tenant)]
  const [page, listing] = [await listen(manager, { device: one }), await listen(manager)]
  await work(tenant, (tx) => changed(tx, 'device readings', [one, two]))
  await work(tenant, (tx) => changed(tx, 'device state', [two]))
  await work(tenant, (tx) => changed(tx, 'device', [two]))
  assert.deepEqual(
    (await page.next())!.event.changes.find(({ subject }) => subject === 'device readings'),
    {
      subject: 'device readings',
      ids: [one],
      products: ['EM'],
    },
  )
  assert.deepEqual((await listing.next())!.event.changes, [device([two], 'EM')])
})

test('a page of several devices hears of each of them that the user sees, and of no other', async () => {
  const [one, two, three] = await Promise.all(
    ['BX', 'TH', 'TH'].map((product) => addDevice(app, tenant, { product: product as 'BX' })),
  )
  const theirs = await addDevice(app, 'south', { product: 'BX' })
  const page = await listen(manager, { device: [one, two, theirs].join() })
  await work(tenant, (tx) => changed(tx, 'device readings', [two!, three!, theirs]))
  await work(tenant, (tx) => changed(tx, 'device readings', [one!]))
  const heard: string[] = []
  while (heard.length < 2) heard.push(...(await page.next())!.event.changes.flatMap(({ ids }) => ids ?? []))
  assert.deepEqual(heard.toSorted(), [one!, two!].toSorted())
  for (const wrong of ['nonsense', Array.from({ length: 51 }, () => one).join()])
    assert.equal((await listen(manager, { device: wrong })).status, 400)
})

test('personal views reach their owner; users and the audit those who may see them', async () => {
  const streams = { owner: await listen(lighting), manager: await listen(manager) }
  const view = (isPrivate: boolean) =>
    app.send(
      createViewDefinition,
      {
        body: {
          tenant,
          view: {
            root: 'emered',
            label: crypto.randomUUID(),
            private: isPrivate,
            columns: ['serial'],
            filters: [],
          },
        },
      },
      lighting,
    )
  assert.equal((await view(true)).status, 200)
  assert.ok((await streams.owner.next())!.event.changes.some(({ subject }) => subject === 'view'))
  const tag = await app.send(tenantCreateTag, { body: { tenant, name: 'Heard' } }, manager)
  assert.equal(tag.body.isSuccessful, true)
  const subjects = (await streams.manager.next())!.event.changes.map(({ subject }) => subject)
  assert.deepEqual(subjects, ['tag'])
  assert.equal((await view(false)).status, 200)
  assert.deepEqual(
    (await streams.manager.next())!.event.changes.map(({ subject }) => subject),
    ['view'],
  )
})

test('missed changes are sent on reconnection, or that there were too many', async () => {
  const light = await addDevice(app, tenant)
  const stream = await listen(manager)
  stream.leave()
  await work(tenant, (tx) => setStatus(tx, light, 'FailedEquipment'))
  const back = await listen(manager, { position: stream.first!.position, on: other })
  assert.deepEqual(back.first!.event, { everything: false, changes: [device([light], 'EM')] })
  assert.notEqual(back.first!.position, stream.first!.position)
  const again = await listen(manager, { position: back.first!.position })
  assert.deepEqual(again.first!.event.changes, [])
  for (const position of ['1:1:-0', 'rubbish'])
    assert.deepEqual((await listen(manager, { position })).first!.event, { everything: true, changes: [] })
  const shownBefore = await listen(manager, { age: 60_000 })
  assert.ok(shownBefore.first!.event.changes.some(({ ids }) => ids?.includes(light)))
})

test('nothing is lost or sent twice while changes come as fast as possible', async () => {
  const lights = await Promise.all(Array.from({ length: 40 }, () => addDevice(app, tenant)))
  const stream = await listen(manager)
  const announced: string[] = []
  const all = Promise.all(lights.map((light) => work(tenant, (tx) => setStatus(tx, light, 'FailedEquipment'))))
  while (announced.length < lights.length)
    announced.push(...(await stream.next())!.event.changes.flatMap(({ ids }) => ids!))
  await all
  assert.deepEqual(announced.toSorted(), lights.toSorted())
})

test('an open stream sends a keep-alive every two seconds, so that a lost connection is noticed', async () => {
  const stream = await listen(manager)
  const light = await addDevice(app, tenant)
  const next = stream.next()
  const began = Date.now()
  while (stream.beats.length < 2) await new Promise((resolve) => setTimeout(resolve, 50))
  assert.ok(Date.now() - began < 5_000)
  await work(tenant, (tx) => setStatus(tx, light, 'FailedEquipment'))
  assert.deepEqual((await next)!.event.changes, [device([light], 'EM')])
})

const colleague = async (role: Role, tags: string[] = []) => {
  const email = `${crypto.randomUUID()}@north.test`
  const id = await app.addMember(tenant, email, role, tags)
  await app.send(getSession, {}, email)
  return { id, email }
}

test("the stream of a removed user ends, and nobody else's", async () => {
  const { id, email } = await colleague('Guest')
  const [theirs, mine] = [await listen(email), await listen(manager)]
  const elsewhere = await listen(email, { on: other })
  assert.equal((await app.send(deleteUser, { params: { tenant, id } }, manager)).status, 200)
  assert.equal(await theirs.next(), undefined)
  assert.equal(await elsewhere.next(), undefined)
  assert.ok(await mine.next())
  assert.equal((await listen(email)).status, 404)
})

test('a user whose rights changed reloads everything, and then hears by the new rights', async () => {
  const { id, email } = await colleague('Manager')
  const light = await addDevice(app, tenant)
  const stream = await listen(email)
  assert.equal(
    (await app.send(updateUserTags, { params: { tenant, id }, body: { tags: [patch] } }, manager)).status,
    204,
  )
  assert.deepEqual((await stream.next())!.event, { everything: true, changes: [] })
  await work(tenant, (tx) => setStatus(tx, light, 'FailedEquipment'))
  assert.equal(
    (await app.send(updateUserRole, { params: { tenant, id }, body: { role: 'Guest' } }, manager)).status,
    204,
  )
  assert.deepEqual((await stream.next())!.event, { everything: true, changes: [] })
})

test("software listens with an API key, within the key's rights and until it is revoked", async () => {
  const body = { name: 'Dashboard', role: 'LightingEngineer' as const, tagIds: [patch], expiresInDays: 30 }
  const made = await app.send(createApiKey, { params: { tenant }, body }, manager)
  const { key, apiKey } = made.body
  const [stream, elsewhere] = [await listen('', { key }), await listen('', { key, on: other })]
  assert.equal((await listen('', { key, at: 'south' })).status, 404)
  const hidden = await addDevice(app, tenant)
  const seen = await addDevice(app, tenant, { accessRightsTagId: patch })
  for (const id of [hidden, seen]) await work(tenant, (tx) => setStatus(tx, id, 'FailedEquipment'))
  const heard = JSON.stringify((await stream.next())!.event)
  assert.ok(heard.includes(seen) && !heard.includes(hidden))
  await app.send(revokeApiKey, { params: { tenant, keyId: apiKey.id } }, manager)
  const end = async (one: typeof stream) => {
    while (await one.next());
  }
  await Promise.all([end(stream), end(elsewhere)])
  assert.equal((await listen('', { key })).status, 401)
})

test('a stream ends with its token', async () => {
  const stream = await listen(manager, { claims: { exp: Math.ceil(Date.now() / 1000) + 2 } })
  assert.ok(stream.first)
  assert.equal(await stream.next(), undefined)
})

test('without a token there is no stream, and one person has at most thirty', async () => {
  const { port } = app.app.server.address() as AddressInfo
  const path = streamChanges.path.replace('{tenant}', tenant)
  assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 401)
  const { email } = await colleague('Guest')
  const streams = await Promise.all(Array.from({ length: 30 }, () => listen(email)))
  assert.ok(streams.every(({ status }) => status === 200))
  assert.equal((await listen(email)).status, 429)
})

test('opening a stream needs no second connection, and the first of a client waits for nothing', async () => {
  await app.addTenant('quiet')
  await app.addMember('quiet', 'manager@quiet.test', 'Manager')
  const before = app.logged.length
  assert.equal((await listen('manager@quiet.test', { at: 'quiet' })).status, 200)
  assert.deepEqual(app.logged.slice(before), [])
})

test('a stopping process ends its streams', async () => {
  const third = await testApp({}, { ...app.database, drop: async () => {} })
  await third.app.listen({ port: 0, host: '127.0.0.1' })
  const stream = await listen(manager, { on: third })
  await third.app.close()
  assert.equal(await stream.next(), undefined)
  assert.equal(third.app.server.listening, false)
})

test('it continues when the connection for announcements breaks', async () => {
  const light = await addDevice(app, tenant)
  const stream = await listen(manager)
  const { rowCount } = await app.database.owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'caretaker-changes' and datname = current_database()`,
  )
  assert.ok(rowCount! >= 1)
  await work(tenant, (tx) => setStatus(tx, light, 'FailedEquipment'))
  assert.deepEqual((await stream.next())!.event.changes, [device([light], 'EM')])
})
