import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { emptyDatabase, testDatabase } from '@caretaker/server/testing/database.ts'
import { loadedModules, programUnderTest, reportLoaded } from '@caretaker/server/testing/program.ts'
import { signInAs } from '@caretaker/server/testing/sign-in.ts'
import { holdsDemo } from '@caretaker/server/world.ts'
import { demoPassword, demoPeople } from './fixtures.ts'

const { settings, start, fails, folder } = programUnderTest(new URL('./main.ts', import.meta.url))
const small = { CARETAKER_DEMO_DEVICES: '200' }

test('a small demo starts, its users can be found, and it cannot become a production installation afterwards', async () => {
  const demo = { CARETAKER_DATA: path.join(folder, 'demo') }
  const env = await settings({ ...demo, ...small, CARETAKER_DEMO: 'on' })
  const server = await start(env, [], reportLoaded)
  assert.equal(server.startupOutput, `Caretaker is ready at http://localhost:${env.PORT}\n`, server.errorOutput())
  const bad = await fetch(`http://127.0.0.1:${env.PORT}/api/session`, { headers: { authorization: 'Bearer a.b.c' } })
  assert.equal(bad.status, 401)
  assert.equal(await server.stop(), 0)
  assert.ok(loadedModules(server.errorOutput(), 'demo').includes('world.ts'))
  await fails(
    await settings(demo),
    /contains the demo, whose passwords are published\. Set CARETAKER_DEMO=on .*first save .*backup FILE.*export of a client.*Then "npm run reset" deletes everything in /,
  )
})

test("with an organisation's database there is no demo unless requested", async () => {
  const database = await testDatabase()
  const { CARETAKER_DEMO: _, ...unset } = await settings()
  const env = { ...unset, ...small, DATABASE_URL: database.url, CARETAKER_DATA: path.join(folder, 'own') }
  try {
    const real = await start(env, [], reportLoaded)
    assert.match(real.startupOutput, /is ready at .*\nNobody can sign in yet/, real.errorOutput())
    assert.equal(await real.stop(), 0)
    assert.deepEqual(loadedModules(real.errorOutput(), 'demo'), ['main.ts'], 'nothing of the demo is even loaded')
    for (const table of ['tenant', 'person', 'device', 'idp.account'])
      assert.equal((await database.owner.query(`select from ${table}`)).rowCount, 0, table)
    assert.ok(!existsSync(path.join(folder, 'own', 'simulator-fleet.json')))

    const asked = await start({ ...env, CARETAKER_DEMO: 'on' })
    assert.match(asked.startupOutput, /is ready/, asked.errorOutput())
    assert.equal(await asked.stop(), 0)
    assert.equal(await holdsDemo(database.owner), true)
    await fails(env, /passwords are published. Set CARETAKER_DEMO=on, or use another database/)
  } finally {
    await database.drop()
  }
})

test('the demo does not create the schema in a database that is not its own', async () => {
  const database = await emptyDatabase()
  try {
    await fails(await settings({ DATABASE_URL: database.url, CARETAKER_DEMO: 'on' }), /The database is empty/)
  } finally {
    await database.drop()
  }
})

test('if other machines can connect, by HTTP or MQTT, the demo does not start by default', async () => {
  const { CARETAKER_DEMO: _, ...unset } = await settings({ CARETAKER_DATA: path.join(folder, 'exposed') })
  for (const [exposed, by] of [
    [{ HOST: '0.0.0.0', CARETAKER_ORIGIN: 'https://x.example' }, 'HOST 0.0.0.0'],
    [{ CARETAKER_ORIGIN: 'https://x.example' }, 'CARETAKER_ORIGIN https://x.example'],
    [{ MQTT_HOST: '0.0.0.0' }, 'MQTT_HOST 0.0.0.0'],
  ] as const)
    await fails(
      { ...unset, ...exposed },
      new RegExp(`\\(${by}\\): set CARETAKER_DEMO=off .* or CARETAKER_DEMO=on for a demo with random passwords`),
    )
  assert.ok(!existsSync(path.join(folder, 'exposed')), 'nothing is made before')
})

test('a demo that other machines can reach has random passwords, printed once, even if it had the published one', async () => {
  const env = {
    ...(await settings({ CARETAKER_DATA: path.join(folder, 'demo'), CARETAKER_DEMO: 'on' })),
    ...{ ...small, MQTT_PUBLIC_URL: 'mqtt://devices.example' },
  }
  const origin = `http://localhost:${env.PORT}`
  const signsIn = async (email: string, password: string) => {
    try {
      await signInAs(origin, { email, password })
      return true
    } catch (error) {
      assert.match((error as Error).message, /no redirect: 401 /)
      return false
    }
  }
  const printed = (text: string) =>
    new Map([...text.matchAll(/^ {2}(\S+@\S+) +(\S+)$/gm)].map(([, email, password]) => [email!, password!]))

  const first = await start(env)
  const passwords = printed(first.startupOutput)
  assert.deepEqual([...passwords.keys()].sort(), demoPeople.map(({ email }) => email).sort(), first.errorOutput())
  assert.equal(new Set(passwords.values()).size, demoPeople.length)
  assert.ok([...passwords.values()].every((password) => password.length >= 20))
  const [email] = demoPeople.map((person) => person.email)
  assert.equal(await signsIn(email!, passwords.get(email!)!), true)
  assert.equal(await signsIn(email!, demoPassword), false)
  assert.equal(await first.stop(), 0)

  const second = await start(env)
  assert.equal(second.startupOutput, `Caretaker is ready at ${origin}\n`, second.errorOutput())
  assert.equal(await signsIn(email!, passwords.get(email!)!), true, 'passwords stay')
  const program = fileURLToPath(new URL('./new-passwords.ts', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', env })
  assert.equal(status, 0, stderr)
  const later = printed(stdout)
  assert.equal(later.size, demoPeople.length)
  assert.equal(await signsIn(email!, passwords.get(email!)!), false)
  assert.equal(await signsIn(email!, later.get(email!)!), true)
  assert.equal(await second.stop(), 0)
})
