import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { emptyDatabase, testDatabase } from '@caretaker/server/testing/database.ts'
import { programUnderTest } from '@caretaker/server/testing/program.ts'
import { holdsDemo } from '@caretaker/server/world.ts'

const { settings, start, fails, folder } = programUnderTest(new URL('./main.ts', import.meta.url))
const small = { CARETAKER_DEMO_DEVICES: '200' }

/** Node's flags to say on standard error which files of the demo are loaded. */
const tellLoaded = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) {
      if (url.includes('/demo/src/')) process.stderr.write('loaded ' + url.split('/demo/src/')[1] + '\\n')
      return next(url, context)
    } })`)}`,
]
const loaded = (complaint: string) => [...complaint.matchAll(/^loaded (.+)$/gm)].map(([, file]) => file!).sort()

test('the demo, small: ready, its people can be found, and it refuses to become real afterwards', async () => {
  const demo = { CARETAKER_DATA: path.join(folder, 'demo') }
  const env = await settings({ ...demo, ...small, CARETAKER_DEMO: 'on' })
  const server = await start(env, [], tellLoaded)
  assert.equal(server.said, `Caretaker is ready at http://localhost:${env.PORT}\n`, server.complaint())
  const bad = await fetch(`http://127.0.0.1:${env.PORT}/api/session`, { headers: { authorization: 'Bearer a.b.c' } })
  assert.equal(bad.status, 401)
  assert.equal(await server.stop(), 0)
  assert.ok(loaded(server.complaint()).includes('world.ts'))
  await fails(await settings(demo), /holds the demo world, whose passwords are published. Run npm run reset/)
})

test('with a database of an organisation there is no demo, unless it is asked for', async () => {
  const database = await testDatabase()
  const { CARETAKER_DEMO: _, ...unset } = await settings()
  const env = { ...unset, ...small, DATABASE_URL: database.url, CARETAKER_DATA: path.join(folder, 'own') }
  try {
    const real = await start(env, [], tellLoaded)
    assert.match(real.said, /is ready at .*\nNobody can sign in yet/, real.complaint())
    assert.equal(await real.stop(), 0)
    assert.deepEqual(loaded(real.complaint()), ['main.ts'], 'nothing of the demo is even loaded')
    for (const table of ['tenant', 'person', 'device', 'idp.account'])
      assert.equal((await database.owner.query(`select from ${table}`)).rowCount, 0, table)
    assert.ok(!existsSync(path.join(folder, 'own', 'simulator-fleet.json')))

    const asked = await start({ ...env, CARETAKER_DEMO: 'on' })
    assert.match(asked.said, /is ready/, asked.complaint())
    assert.equal(await asked.stop(), 0)
    assert.equal(await holdsDemo(database.owner), true)
    await fails(env, /passwords are published. Set CARETAKER_DEMO=on, or use another database/)
  } finally {
    await database.drop()
  }
})

test('the demo does not make the schema of a database that is not its own', async () => {
  const database = await emptyDatabase()
  try {
    await fails(await settings({ DATABASE_URL: database.url, CARETAKER_DEMO: 'on' }), /The database is empty/)
  } finally {
    await database.drop()
  }
})
