import assert from 'node:assert/strict'
import { test } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { hashPassword } from './password.ts'
import { makeAccount, signInAs, startProvider } from '../testing/sign-in.ts'

test("where other machines can connect, the demo's published password is refused and other passwords work", async () => {
  const database = await testDatabase()
  const [demo, own] = [
    { email: 'dev@caretaker.example', password: 'caretaker' },
    { email: 'ann@north.test', password: 'correct horse battery' },
  ]
  await makeAccount(database, own.email, own.password)
  // Inserted as the demo's seeder does, without the strength check.
  await database.idp.query(
    'insert into idp.account (id, email, name, email_verified, password_hash) values ($1, $2, $2, true, $3)',
    [...[crypto.randomUUID(), demo.email, await hashPassword(demo.password)]],
  )
  const here = await startProvider(database)
  const exposed = await startProvider(database, { MQTT_HOST: '0.0.0.0' })
  try {
    assert.ok((await signInAs(here.origin, demo)).tokens.access_token, 'on a machine of its own it is good')
    for (const password of ['caretaker', 'ｃａｒｅｔａｋｅｒ'])
      await assert.rejects(signInAs(exposed.origin, { ...demo, password }), /no redirect: 401 /)
    assert.ok((await signInAs(exposed.origin, own)).tokens.access_token)
  } finally {
    await here.app.close()
    await exposed.app.close()
    await database.drop()
  }
})
