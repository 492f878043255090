import { randomBytes, randomUUID } from 'node:crypto'
import { audit } from '../../audit/audit.ts'
import { storeResponse, takeKey } from '../../idempotency/store.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../app.ts'
import type { Furnishing } from './context.ts'

/** Users, API keys and a call that was made with an Idempotency-Key. */
export async function furnishPeople({ test, tenant, secret, accessRightsTag: tag }: Furnishing) {
  const newApiKey = () => addApiKey(test, tenant, `${secret} ${randomUUID()}`, tag)
  await newApiKey()
  const callerOf = async () => {
    const { rows } = await test.database.owner.query<{ id: string; person: string | null }>(
      `select id, person_id as person from membership where tenant_id = $1
       order by email = $2 desc, created_at limit 1`,
      [tenant, `manager@${tenant}.test`],
    )
    return rows[0]!
  }
  const newViewing = async () => addViewing(test, tenant, secret, await callerOf())
  await newViewing()
  await addIdempotencyKey(test, tenant, secret)
  return {
    newUser: () => test.addMember(tenant, `${randomUUID()}@${tenant}.test`, 'Guest'),
    /** A user who has created an API key. */
    newKeyMaker: () => addKeyMaker(test, tenant, { key: `${secret} ${randomUUID()}`, tag }),
    newApiKey,
    /** The id of the member who makes most calls: manager@ if it exists, else the first manager. */
    caller: async () => (await callerOf()).id,
    /** That member's view of the portal as another user. */
    newViewing,
  }
}

async function addViewing(
  test: TestApp,
  tenant: string,
  secret: string,
  viewer: { id: string; person: string | null },
): Promise<string> {
  const id = randomUUID()
  await inTenant(test.database.db, tenant, (tx) =>
    tx
      .insertInto('viewing')
      .values({
        ...{ tenant_id: tenant, id, person_id: viewer.person ?? randomUUID(), person_name: secret, session_id: null },
        ...{ membership_id: viewer.id, rights: '', began_at: new Date(), ends_at: new Date(Date.now() + 600_000) },
      })
      .execute(),
  )
  return id
}

async function addApiKey(test: TestApp, tenant: string, name: string, tag: string): Promise<string> {
  const [id, personId] = [randomUUID(), randomUUID()]
  await test.database.owner.query(
    `insert into person (id, issuer, subject, email, name) values ($1, 'api key', $2, '', $3)`,
    [personId, id, `${name} (API key)`],
  )
  await inTenant(test.database.db, tenant, (tx) =>
    tx
      .insertInto('api_key')
      .values({
        ...{ tenant_id: tenant, id, person_id: personId, name: name.slice(0, 60), key_hash: randomBytes(32) },
        ...{ role: 'Guest', tag_ids: [tag], created_at: new Date(), created_by: name },
        expires_at: new Date(Date.now() + 86_400_000),
      })
      .execute(),
  )
  return id
}

async function addIdempotencyKey(test: TestApp, tenant: string, secret: string): Promise<void> {
  const call = { personId: randomUUID(), key: `${secret} ${randomUUID()}`, requestHash: randomBytes(32) }
  await inTenant(test.database.db, tenant, async (tx) => {
    await takeKey(tx, call, new Date())
    await storeResponse(tx, call, { status: 200, body: JSON.stringify({ secret }) })
  })
}

async function addKeyMaker(test: TestApp, tenant: string, { key, tag }: { key: string; tag: string }): Promise<string> {
  const [personId, email] = [randomUUID(), `${randomUUID()}@${tenant}.test`]
  await test.database.owner.query(
    `insert into person (id, issuer, subject, email, name) values ($1, 'embedded', $2, $3, 'Key maker')`,
    [personId, personId, email],
  )
  const member = await test.addMember(tenant, email, 'Guest')
  const id = await addApiKey(test, tenant, key, tag)
  const by = { id: personId, name: 'Key maker' }
  const subject = { type: 'API key', id, name: key } as const
  await inTenant(test.database.db, tenant, (tx) => audit(tx, { person: by, action: 'API key made', subject }))
  return member
}
