import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, test } from 'vitest'
import { getTenantDashboardData } from '@caretaker/contract/dashboard.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { createViewDefinition } from '@caretaker/contract/views.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../testing/furnish/devices.ts'

let app: TestApp
const tenant = 'north'
const [manager, colleague, limited, boilers, stranger] = [
  'manager@north.test',
  'colleague@north.test',
  'limited@north.test',
  'boilers@north.test',
  'manager@south.test',
]
beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addTenant('south')
  const patch = await addAccessRightsTag(app, tenant, 'East Patch')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, colleague, 'Manager')
  await app.addMember(tenant, limited, 'Manager', [patch])
  await app.addMember(tenant, boilers, 'BoilerEngineer')
  await app.addMember('south', stranger, 'Manager')
  await addDevice(app, tenant, { name: 'Stair', accessRightsTagId: patch })
  await addDevice(app, tenant, { name: 'Corridor' })
  // A first look caches who has signed in before.
  for (const email of [manager, colleague, limited, boilers, stranger]) await ask(email)
})
afterAll(() => app.close())

const ask = (email: string, body: object = {}) =>
  app.send(fetchViewData, { body: { tenant, listing: 'EmergencyLights', ...body } }, email)
type Answer = Awaited<ReturnType<typeof ask>>
const namesOf = ({ body }: Answer) => body.data?.rows.map((row) => row.deviceDisplayName).toSorted()

/** Holds the first reading of a list until others have called; returns all responses and the number of readings. */
async function meanwhile<A>(calls: () => Promise<A>[]): Promise<{ answers: A[]; readings: number }> {
  const { feed } = app.app
  const { now } = feed
  let readings = 0
  feed.now = async (tx) => {
    if (readings++ === 0) await sleep(500)
    return now(tx)
  }
  try {
    const answers = await Promise.all(calls())
    return { answers, readings }
  } finally {
    feed.now = now
  }
}

test("simultaneous identical calls are answered in few readings, each by the caller's own rights", async () => {
  const people = [manager, colleague, limited, boilers, stranger]
  const askers = Array.from({ length: 40 }, (_, n) => people[n % people.length]!)
  const { answers, readings } = await meanwhile(() => askers.map((email) => ask(email)))
  for (const [at, answered] of answers.entries()) {
    const email = askers[at]!
    const status = { [boilers]: 403, [stranger]: 404 }[email] ?? 200
    assert.equal(answered.status, status, email)
    if (status === 200) assert.deepEqual(namesOf(answered), email === limited ? ['Stair'] : ['Corridor', 'Stair'])
  }
  assert.ok(readings < 12, `${readings} readings`)
})

test('if a reading fails, people with other rights still get a response', async () => {
  const { feed } = app.app
  const { now } = feed
  let readings = 0
  feed.now = async (tx) => {
    readings++
    if (readings === 1) await sleep(500)
    if (readings === 2) throw new Error('away')
    return now(tx)
  }
  try {
    const people = [manager, colleague, limited, colleague, limited]
    const answers = await Promise.all(people.map((email) => ask(email)))
    const statusesOf = (isLimited: boolean) =>
      new Set(answers.flatMap(({ status }, at) => ((people[at] === limited) === isLimited ? status : [])))
    const [some, others] = [statusesOf(true), statusesOf(false)]
    assert.ok(some.has(500) !== others.has(500))
    assert.deepEqual(some.has(500) ? others : some, new Set([200]))
  } finally {
    feed.now = now
  }
})

test('a response includes changes made before the call, also while others are being answered', async () => {
  const { answers } = await meanwhile(() => [
    ask(manager),
    (async () => {
      await sleep(100)
      await addDevice(app, tenant, { name: 'Lobby' })
      return ask(colleague)
    })(),
  ])
  assert.deepEqual(namesOf(answers[1]!), ['Corridor', 'Lobby', 'Stair'])
})

test('a personal view is not shared, even with simultaneous calls', async () => {
  const made = await app.send(
    createViewDefinition,
    {
      body: {
        tenant,
        view: { root: 'emered', label: 'Mine', private: true, columns: ['serial'], filters: [], sorts: [] },
      },
    },
    manager,
  )
  const { viewId } = made.body.data!
  const people = [manager, colleague, manager, colleague, manager]
  const { answers } = await meanwhile(() => people.map((email) => ask(email, { viewId })))
  assert.deepEqual(
    answers.map(({ status }) => status),
    people.map((email) => (email === manager ? 200 : 404)),
  )
})

test('a shared response is compressed only for clients that accept it', async () => {
  for (let n = 0; n < 20; n++) await addDevice(app, tenant, { name: `Light ${n}` })
  const authorization = `Bearer ${await app.token(manager)}`
  const raw = (encoding: string) =>
    app.app.inject({
      method: 'POST',
      url: fetchViewData.path,
      headers: { authorization, 'accept-encoding': encoding },
      payload: { tenant, listing: 'EmergencyLights' },
    })
  const encodings = ['gzip, deflate, br', 'identity', 'gzip', 'identity', 'gzip;q=0', 'gzip']
  const { answers } = await meanwhile(() => encodings.map(raw))
  const bodies = answers.map(({ headers, rawPayload }) => {
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
    const isPacked = headers['content-encoding'] === 'gzip'
    if (isPacked) assert.equal(headers.vary, 'accept-encoding')
    return { isPacked, text: (isPacked ? gunzipSync(rawPayload) : rawPayload).toString() }
  })
  assert.deepEqual(
    bodies.map(({ isPacked }) => isPacked),
    [true, false, true, false, false, true],
  )
  // The first caller got a separate response, and the others a shared one.
  assert.equal(new Set(bodies.map(({ text }) => text)).size, 2)
  assert.equal(JSON.parse(bodies[0]!.text).data.total, 23)
})

test("dashboard counts also follow each caller's own rights", async () => {
  const people = Array.from({ length: 12 }, (_, n) => [manager, limited, boilers, stranger][n % 4]!)
  const answers = await Promise.all(
    people.map((email) => app.send(getTenantDashboardData, { body: { tenant } }, email)),
  )
  const alone = new Map<string, unknown>()
  for (const email of new Set(people))
    alone.set(email, (await app.send(getTenantDashboardData, { body: { tenant } }, email)).body)
  for (const [at, { body }] of answers.entries()) assert.deepEqual(body, alone.get(people[at]!), people[at])
  assert.notDeepEqual(alone.get(manager), alone.get(limited))
})
