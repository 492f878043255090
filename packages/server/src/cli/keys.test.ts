import assert from 'node:assert/strict'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import { Secret, TOTP } from 'otpauth'
import pg from 'pg'
import { downlinkTokenOwner } from '../connectors/downlinks.ts'
import { acceptAppCode, beginApp, confirmApp } from '../idp/factors.ts'
import { seal, unseal } from '../idp/sealed.ts'
import { findConnection, secretOwner } from '../idp/sso-connections.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { openOperator } from '../testing/operator.ts'
import { makeAccount, signInAs, startProvider } from '../testing/sign-in.ts'

let database: TestDatabase
const priya = { email: 'priya@north.test', password: 'a long password' }
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const connection = { tenant: 'north', id: '0198c1a0-0000-7000-8000-000000000000' }
const foreign = { tenant: 'north', id: '0198c1a0-0000-7000-8000-000000000001' }

/** Adds a connection whose secret is stored as given. */
async function addConnection({ tenant, id }: typeof connection, stored: string): Promise<void> {
  await database.owner.query(
    `insert into sso_connection (tenant_id, id, name, issuer, client_id, client_secret, is_required, checks_second_factor,
       creates_members, group_claim, created_at, created_by, changed_at)
     values ($1, $2, $4, 'https://id.north.example', 'caretaker', $3, false, false, false, 'groups', now(), 'x', now())`,
    [tenant, id, stored, `connection ${id}`],
  )
}
const storedSecret = async ({ tenant, id }: typeof connection) =>
  (await findConnection(database.product.db, tenant, id))!.secret

test('renew-keys replaces all keys, encrypts secrets again and ends all sessions', async () => {
  const id = await makeAccount(database, priya.email, priya.password)
  const server = await startProvider(database)
  onTestFinished(async () => {
    await server.app.close()
  })
  const { tokens } = await signInAs(server.origin, priya)
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North')`)
  const adding = { account: { id, email: priya.email }, place: 'session of a test' } as const
  const { key } = await beginApp(database.idp, adding)
  const codeAt = (timestamp: number) => new TOTP({ secret: Secret.fromBase32(key), digits: 6 }).generate({ timestamp })
  const first = codeAt(Date.now() - 30_000)
  assert.ok(await confirmApp(database.idp, adding, { code: first, isFirst: true }))
  await addConnection(connection, await seal(database.idp, secretOwner(connection), Buffer.from('a secret')))
  await addConnection(foreign, 'v1.of.another.installation')
  await database.owner.query(
    `insert into connection (tenant_id, id, kind, transport, name, created_at, created_by, downlink, downlink_token)
     values ($1, $2, 'chirpstack', 'webhook', 'Sensors', now(), 'x', '{"url": "https://chirpstack.example"}', $3)`,
    ['north', connection.id, await seal(database.idp, downlinkTokenOwner(connection), Buffer.from('a token'))],
  )
  const before = await storedSecret(connection)

  const names = async () =>
    (await database.owner.query<{ name: string; value: unknown }>('select name, value from idp.secret')).rows
  const former = await names()

  const { code, stdout, stderr } = await openOperator({ DATABASE_URL: database.url }).run(['renew-keys'])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /Restart all processes/)
  assert.notEqual(await storedSecret(connection), before)
  assert.equal(await storedSecret(foreign), 'v1.of.another.installation')

  // As after a restart: with connections that do not know the former key.
  const idp = new pg.Pool({ connectionString: database.url })
  try {
    assert.equal((await unseal(idp, secretOwner(connection), await storedSecret(connection))).toString(), 'a secret')
    const { rows } = await database.owner.query<{ token: string }>('select downlink_token as token from connection')
    assert.equal((await unseal(idp, downlinkTokenOwner(connection), rows[0]!.token)).toString(), 'a token')
    assert.ok(await acceptAppCode(idp, id, codeAt(Date.now())))
  } finally {
    await idp.end()
  }
  const next = await startProvider(database)
  try {
    const later = await names()
    for (const { name, value } of former.filter((one) => /key|jwks/.test(one.name)))
      assert.notDeepEqual(later.find((one) => one.name === name)?.value, value, name)
    const authorization = `Bearer ${tokens.access_token}`
    assert.equal((await fetch(`${next.origin}/api/session`, { headers: { authorization } })).status, 401)
    const { rowCount } = await database.owner.query('select from idp.browser_session')
    assert.equal(rowCount, 0)
  } finally {
    await next.app.close()
  }
})
