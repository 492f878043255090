import type { Db } from '../postgres/pool.ts'
import { inTenant } from '../postgres/tenant.ts'

/** A connection of a client to its OpenID Connect provider. */
export interface Connection {
  tenant: string
  id: string
  name: string
  issuer: string
  clientId: string
  /** Sealed for `secretOwner`. */
  secret: string
  checksSecondFactor: boolean
  createsMembers: boolean
  groupClaim: string
  changedAt: Date
}

export const secretOwner = ({ tenant, id }: Pick<Connection, 'tenant' | 'id'>): string =>
  `single sign-on ${tenant} ${id}`

/** A connection that can be used: its client is neither suspended nor being removed. */
export async function findConnection(db: Db, tenant: string, id: string): Promise<Connection | undefined> {
  const row = await inTenant(db, tenant, (tx) =>
    tx
      .selectFrom('sso_connection')
      .innerJoin('tenant', 'tenant.id', 'sso_connection.tenant_id')
      .select(['sso_connection.id', 'name', 'issuer', 'client_id as clientId', 'client_secret as secret'])
      .select(['checks_second_factor as checksSecondFactor', 'creates_members as createsMembers'])
      .select(['group_claim as groupClaim', 'changed_at as changedAt'])
      .where('sso_connection.tenant_id', '=', tx.tenant)
      .where('sso_connection.id', '=', id)
      .where('removal_began_at', 'is', null)
      .where('suspended_at', 'is', null)
      .executeTakeFirst(),
  )
  return row && { tenant, ...row }
}
