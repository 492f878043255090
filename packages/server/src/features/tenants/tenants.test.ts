import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { sql } from 'kysely'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getCapabilities, getFeatures, switchCapability, switchFeature } from '@caretaker/contract/tenants.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.addTenant('north')
  await app.addTenant('south')
  for (const role of roles) await app.addMember('north', `${role}@north.test`.toLowerCase(), role)
})
afterAll(() => app.close())

const isOn = async (feature: string, tenant: string, email: string) => {
  const { body } = await app.send(getFeatures, { params: { tenant } }, email)
  return body.areas.flatMap((area) => area.features).find((one) => one.name === feature)?.isEnabled
}
const turn = (isEnabled: boolean, tenant = 'north', email = 'developer@north.test') =>
  app.send(switchFeature, { params: { tenant, feature: 'AwaabsLaw' }, body: { isEnabled } }, email)

test('a developer switches a feature on and off, and the audit has one entry for each change', async () => {
  const { status, body } = await turn(true)
  assert.equal(status, 200)
  const answered = body.areas.flatMap((area) => area.features).find((one) => one.name === 'AwaabsLaw')
  assert.equal(answered?.isEnabled, true)
  assert.equal(await isOn('AwaabsLaw', 'north', 'guest@north.test'), true)
  assert.equal((await turn(true)).status, 200)
  assert.equal((await turn(false)).status, 200)
  assert.equal(await isOn('AwaabsLaw', 'north', 'guest@north.test'), false)

  const audit = await app.send(getAudit, { params: { tenant: 'north' }, query: {} }, 'developer@north.test')
  const entries = audit.body.results.filter((entry) => entry.action === 'feature switched')
  assert.deepEqual(
    entries.map(({ userName, before, after }) => ({ userName, before, after })),
    [
      { userName: 'developer', before: { AwaabsLaw: true }, after: { AwaabsLaw: false } },
      { userName: 'developer', before: { AwaabsLaw: false }, after: { AwaabsLaw: true } },
    ],
  )
})

test('a developer of one client switches a capability in another one, without being a member', async () => {
  const { status, body } = await app.send(
    switchCapability,
    { params: { tenant: 'south', capability: 'ViewProperties' }, body: { isEnabled: true } },
    'developer@north.test',
  )
  assert.equal(status, 200)
  assert.equal(body.properties.ViewProperties, true)
  const { body: north } = await app.send(getCapabilities, { params: { tenant: 'north' } }, 'guest@north.test')
  assert.equal(north.properties.ViewProperties, false)
})

test('nobody else switches anything, in their own client or another', async () => {
  for (const role of roles.filter((one) => one !== 'Developer'))
    for (const tenant of ['north', 'south', 'nowhere'])
      assert.equal((await turn(true, tenant, `${role}@north.test`.toLowerCase())).status, 403, `${role} ${tenant}`)
  assert.equal((await turn(true, 'nowhere')).status, 404)
  assert.equal(await isOn('AwaabsLaw', 'north', 'guest@north.test'), false)
})

test("the application's role cannot write flags, and the function accepts only developers", async () => {
  const { db } = app.context
  const personOf = async (email: string) =>
    (await db.selectFrom('person').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id
  const refused = /permission denied|only a developer|not behind the wall/
  await assert.rejects(
    inTenant(db, 'north', (tx) =>
      tx.insertInto('tenant_feature').values({ tenant_id: 'north', feature: 'Surveys' }).execute(),
    ),
    refused,
  )
  const call = (tenant: string, client: string, person: string) =>
    inTenant(db, tenant, (tx) =>
      sql`select switch_tenant_flag(${person}::uuid, ${client}, 'feature', 'Surveys', true)`.execute(tx),
    )
  await assert.rejects(call('north', 'north', await personOf('admin@north.test')), refused)
  await assert.rejects(call('north', 'south', await personOf('developer@north.test')), refused)
  assert.equal(await isOn('Surveys', 'north', 'guest@north.test'), false)
  await call('north', 'north', await personOf('developer@north.test'))
  assert.equal(await isOn('Surveys', 'north', 'guest@north.test'), true)
})
