import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getSession } from '@caretaker/contract/session.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south', 'west']) await app.addTenant(id)
})
afterAll(() => app.close())

/** The clients in a user's own session. */
async function clientsOf(email: string, claims: Record<string, unknown> = {}): Promise<string[]> {
  const { status, body } = await app.send(getSession, {}, email, { claims })
  assert.equal(status, 200)
  return body.tenants.map((tenant) => tenant.id)
}

test('a session contains the time zone of each client', async () => {
  const email = 'far@north.test'
  await app.database.owner.query(`update tenant set time_zone = 'Pacific/Auckland' where id = 'west'`)
  for (const tenant of ['north', 'west']) await invite(tenant, email)
  const { body } = await app.send(getSession, {}, email)
  assert.deepEqual(
    body.tenants.map(({ id, timeZone }) => [id, timeZone]),
    [
      ['north', 'Europe/London'],
      ['west', 'Pacific/Auckland'],
    ],
  )
})

/** An invitation whose person is unknown. */
async function invite(tenant: string, email: string): Promise<void> {
  const id = crypto.randomUUID()
  const client = await app.database.owner.connect()
  await client.query('begin')
  await client.query(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${tenant}'`)
  await client.query(`insert into membership (tenant_id, id, email, name, role) values ($1, $2, $3, 'x', 'Guest')`, [
    tenant,
    id,
    email,
  ])
  await client.query('insert into invitation (tenant_id, membership_id, email) values ($1, $2, $3)', [
    tenant,
    id,
    email,
  ])
  await client.query('commit')
  client.release()
}

test('a known person is linked to an invitation at the next call', async () => {
  const email = 'known@north.test'
  assert.deepEqual(await clientsOf(email), [])
  await invite('north', email)
  assert.deepEqual(await clientsOf(email), ['north'])
  await invite('south', email)
  assert.deepEqual(await clientsOf(email), ['north', 'south'])
})

test('an e-mail is linked only once it is verified', async () => {
  const email = 'later@north.test'
  await invite('north', email)
  assert.deepEqual(await clientsOf(email, { email_verified: false }), [])
  assert.deepEqual(await clientsOf(email, { email_verified: false }), [])
  assert.deepEqual(await clientsOf(email, { email_verified: true }), ['north'])
  // From now on the database has it.
  await invite('south', email)
  assert.deepEqual(await clientsOf(email, { email_verified: false }), ['north', 'south'])
})

test('a verified e-mail that differs from the known one links nothing of the known one', async () => {
  const email = 'mine@north.test'
  await invite('north', email)
  assert.deepEqual(await clientsOf(email, { email_verified: false, sub: 'a person' }), [])
  assert.deepEqual(await clientsOf('other@north.test', { email_verified: true, sub: 'a person' }), [])
})

test('an existing member stays one member, and nobody stays invited forever', async () => {
  const email = 'twice@north.test'
  assert.deepEqual(await clientsOf(email), [])
  await invite('west', email)
  assert.deepEqual(await clientsOf(email), ['west'])
  await app.database.owner.query(`update membership set email = 'new@north.test' where email = $1`, [email])
  await invite('west', email)
  assert.deepEqual(await clientsOf(email), ['west'])
  assert.deepEqual(await clientsOf(email), ['west'])
  const query = (text: string) => app.database.owner.query(text, [email])
  assert.equal((await query(`select from membership where tenant_id = 'west' and email = $1`)).rowCount, 0)
  assert.equal(
    (
      await query(
        `select from membership where tenant_id = 'west' and email = 'new@north.test' and person_id is not null and $1 <> ''`,
      )
    ).rowCount,
    1,
  )
  const entries = await query(
    `select from audit_entry where tenant_id = 'west' and action = 'user deleted' and before->>'email' = $1`,
  )
  assert.equal(entries.rowCount, 1)
})
