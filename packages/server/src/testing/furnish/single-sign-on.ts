import { randomUUID } from 'node:crypto'
import type { Furnishing } from './context.ts'
import { nextNumber, write } from './context.ts'

/** Single sign-on: a connection with a domain, and a member whom it has created. */
export async function furnishSingleSignOn(furnishing: Furnishing) {
  const newSsoConnection = () => addConnection(furnishing)
  const newSsoDomain = (connectionId: string) => addDomain(furnishing, connectionId)
  const ssoConnection = await newSsoConnection()
  await write(furnishing, async (tx) => {
    const member = await tx
      .selectFrom('membership')
      .select('id')
      .where('tenant_id', '=', tx.tenant)
      .where('role', '=', 'Guest')
      .limit(1)
      .executeTakeFirstOrThrow()
    await tx
      .insertInto('sso_member')
      .values({
        ...{ tenant_id: tx.tenant, membership_id: member.id },
        ...{ connection_id: ssoConnection, created_at: new Date() },
      })
      .execute()
  })
  return { ssoConnection, ssoDomain: await newSsoDomain(ssoConnection), newSsoConnection, newSsoDomain }
}

async function addConnection(furnishing: Furnishing): Promise<string> {
  const { tenant, secret } = furnishing
  const [id, at] = [randomUUID(), new Date()]
  await write(furnishing, (tx) =>
    tx
      .insertInto('sso_connection')
      .values({
        ...{ tenant_id: tenant, id, name: `${secret} ${nextNumber()}`, issuer: `https://${secret}.test` },
        ...{ client_id: secret, client_secret: secret, is_required: false, checks_second_factor: false },
        ...{ creates_members: false, group_claim: 'groups', created_at: at, created_by: secret, changed_at: at },
      })
      .execute(),
  )
  return id
}

async function addDomain(furnishing: Furnishing, connectionId: string): Promise<string> {
  const { tenant, secret } = furnishing
  const domain = `d${nextNumber()}.${secret}.test`
  await write(furnishing, (tx) =>
    tx
      .insertInto('sso_domain')
      .values({ ...{ tenant_id: tenant, domain, connection_id: connectionId, proof: secret }, verified_at: null })
      .execute(),
  )
  return domain
}
