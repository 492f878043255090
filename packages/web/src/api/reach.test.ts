import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import { isServing, watchReach } from './reach.ts'

/** A watch on a simulated server, with a fake clock and given random numbers. */
function watched(random = () => 1) {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.parse('2026-11-20T10:00:00Z') })
  const server = { isThere: true, asked: [] as number[] }
  const watch = watchReach({
    probe: async () => {
      server.asked.push(Date.now())
      if (!server.isThere) throw new TypeError('Failed to fetch')
      return true
    },
    random,
  })
  const flush = () => new Promise((resolve) => setImmediate(resolve))
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 50) {
      vi.advanceTimersByTime(50)
      await flush()
    }
  }
  return { watch, server, flush, pass }
}

test('one failed call does not count as a lost connection while the server answers', async () => {
  const { watch, server, flush } = watched()
  watch.suspect()
  watch.suspect()
  await flush()
  assert.equal(server.asked.length, 1)
  assert.equal(watch.current().lost, false)
})

test('a server that does not answer is lost at once, as of the last contact', async () => {
  const { watch, server, flush, pass } = watched()
  await pass(2000)
  watch.heard()
  const heardAt = Date.now()
  await pass(3000)
  server.isThere = false
  let notified = 0
  watch.subscribe(() => notified++)
  watch.suspect()
  await flush()
  assert.deepEqual(watch.current(), { lost: true, heardAt })
  assert.equal(notified, 1)
})

test('a lost server is polled less and less often, and is back with its first answer', async () => {
  const { watch, server, flush, pass } = watched()
  server.isThere = false
  watch.suspect()
  await flush()
  await pass(62_000)
  const gaps = server.asked.map((at, index) => at - (server.asked[index - 1] ?? at)).slice(1)
  assert.deepEqual(gaps, [1000, 2000, 4000, 8000, 15_000, 15_000, 15_000])
  server.isThere = true
  await pass(15_000)
  assert.equal(watch.current().lost, false)
  const asked = server.asked.length
  await pass(30_000)
  assert.equal(server.asked.length, asked, 'nobody asks a server that is there')
})

test('data from another source also ends the lost state', async () => {
  const { watch, server, flush } = watched()
  server.isThere = false
  watch.suspect()
  await flush()
  watch.heard()
  assert.equal(watch.current().lost, false)
})

test('when the network returns, the server is tried within a second, whatever the pause was', async () => {
  const { watch, server, flush, pass } = watched()
  server.isThere = false
  watch.suspect()
  await flush()
  await pass(31_000)
  server.isThere = true
  watch.hurry()
  await pass(1000)
  assert.equal(watch.current().lost, false)
})

test('a thousand pages do not reconnect at the same moment', async () => {
  let chance = 0
  const pages = 1000
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 })
  let isThere = false
  const backAt: number[] = []
  for (let page = 0; page < pages; page++) {
    const random = () => (chance = (chance * 16_807 + 11) % 2_147_483_647) / 2_147_483_647
    const watch = watchReach({
      probe: async () => {
        if (!isThere) throw new TypeError('Failed to fetch')
        return true
      },
      random,
    })
    watch.subscribe(() => !watch.current().lost && backAt.push(Date.now()))
    watch.suspect()
  }
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 100) {
      vi.advanceTimersByTime(100)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await pass(20_000)
  isThere = true
  await pass(16_000)
  assert.equal(backAt.length, pages)
  const inOneSecond = Math.max(...backAt.map((at) => backAt.filter((one) => one >= at && one < at + 1000).length))
  assert.ok(inOneSecond < pages / 4, `${inOneSecond} within one second`)
})

test('a server that answers calls counts as reachable, even if its process reports other problems', async () => {
  const isServingWith = (status: number, body: unknown) => isServing(Response.json(body, { status }))
  assert.equal(await isServingWith(200, { status: 'ready' }), true)
  assert.equal(await isServingWith(503, { status: 'not ready', writable: true, api: true, ingest: false }), true)
  assert.equal(await isServingWith(503, { status: 'not ready', writable: false, api: true }), false)
  assert.equal(await isServingWith(503, { status: 'not ready', writable: true, api: false }), false)
  // A proxy without a server behind it, and one that does not know the path.
  assert.equal(await isServing(new Response('<h1>503</h1>', { status: 503 })), false)
  assert.equal(await isServing(new Response('', { status: 404 })), true)
})
