import assert from 'node:assert/strict'
import { afterAll, beforeAll, onTestFinished, test, vi } from 'vitest'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { eventually } from '../testing/device-link.ts'
import { addDevice } from '../testing/furnish/devices.ts'
import { openRoutes } from './routes.ts'

let app: TestApp
let devices: string[]
beforeAll(async () => {
  app = await testApp()
  await app.addTenant('north')
  devices = []
  for (let n = 0; n < 30; n++) devices.push(await addDevice(app, 'north'))
  await app.database.owner.query(
    `insert into device_route (device_id, tenant_id) select id, tenant_id from device on conflict do nothing`,
  )
})
afterAll(() => app.close())

/** Routes on a database that records each query and can fail on request. */
function watched({ failing = 0 } = {}) {
  const asked: number[] = []
  const db = app.database.db.withPlugin({
    transformQuery: ({ node }) => {
      asked.push(asked.length)
      if (asked.length <= failing) throw new Error('away')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { routes: openRoutes(db), asked }
}

test('routes requested in quick succession are fetched together, and a single one immediately', async () => {
  const { routes, asked } = watched()
  assert.equal((await routes.find(devices[0]!))?.tenant, 'north')
  assert.equal(asked.length, 1)
  const found = devices.map(async (id) => {
    // Each in its own tick, as messages arrive.
    await new Promise(setImmediate)
    return routes.find(id)
  })
  assert.deepEqual([...new Set((await Promise.all(found)).map((route) => route?.tenant))], ['north'])
  assert.ok(asked.length <= 4, `${asked.length} questions`)
})

test('a message does not overtake earlier ones of its device, however its route becomes known', async () => {
  const { routes } = watched()
  const order: string[] = []
  const waits = [
    routes.find(devices[0]!).then(() => order.push('first')),
    routes.find(devices[0]!).then(() => order.push('second')),
  ]
  await routes.refresh([devices[0]!])
  assert.equal(routes.known(devices[0]!)?.tenant, 'north')
  await Promise.resolve()
  order.push('known')
  await Promise.all(waits)
  assert.deepEqual(order, ['first', 'second', 'known'])
})

test('a failed lookup rejects all its callers, and the next lookup queries again', async () => {
  const { routes } = watched({ failing: 1 })
  const [one, same] = [routes.find(devices[0]!), routes.find(devices[0]!)]
  await assert.rejects(one, /away/)
  await assert.rejects(same, /away/)
  assert.equal((await routes.find(devices[0]!))?.tenant, 'north')
  assert.equal(await routes.find(crypto.randomUUID()), null)
})

test('cached routes expire although the system clock is set back: a revoked key ends in time', async () => {
  const routes = openRoutes(app.database.db, { maxAge: 50 })
  await routes.find(devices[0]!)
  assert.ok(routes.known(devices[0]!))
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 86_400_000 })
  await eventually(
    async () => routes.known(devices[0]!),
    (route) => route === undefined,
  )
})
