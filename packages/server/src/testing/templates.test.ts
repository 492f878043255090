import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { onTestFinished, test, vi } from 'vitest'
import { testDatabase } from './database.ts'
import { openTestServer } from './nodes.ts'

test('a template of another checkout is dropped a day after its last use, unless it is in use', async () => {
  const first = await testDatabase()
  onTestFinished(() => first.drop())
  const address = new URL(first.url)
  address.pathname = '/postgres'
  const server = await openTestServer(address.href)
  const name = (kind: string) => `caretaker_template_${kind}_${randomBytes(4).toString('hex')}`
  const [stale, used, locked, unknown] = ['stale', 'used', 'locked', 'unknown'].map(name) as [
    string,
    string,
    string,
    string,
  ]
  onTestFinished(async () => {
    for (const one of [stale, used, locked, unknown]) await server.drop(one)
    await server.close()
  })
  const now = Date.now() / 1000
  await server.locked(stale, async (coordinator) => {
    for (const one of [stale, used, locked, unknown]) await server.create(one)
    await coordinator.query(`comment on database ${used} is '${now - 80_000}'`)
    await coordinator.query(`comment on database ${locked} is '${now - 90_000}'`)
  })
  const here = () =>
    server.locked(used, async (coordinator) => {
      const { rows } = await coordinator.query<{ name: string }>(
        'select datname as name from pg_database where datname = any($1)',
        [[stale, used, locked, unknown]],
      )
      return rows.map((row) => row.name).sort()
    })
  const another = () => testDatabase().then((database) => database.drop())

  // Tests in other processes look for stale templates too, and one of them may be dropping it.
  const expectHere = (...names: string[]) =>
    vi.waitFor(async () => assert.deepEqual(await here(), names.sort()), 10_000)

  await server.locked(locked, async (coordinator) => {
    await coordinator.query(`comment on database ${stale} is '${now - 90_000}'`)
    await another()
    await expectHere(locked, unknown, used)
  })
  await another()
  await expectHere(unknown, used)
})
