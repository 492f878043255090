import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { SsoSettings } from '@caretaker/contract/single-sign-on.ts'
import type { Reseal } from '../../idp/renew-keys.ts'
import { secretOwner } from '../../idp/sso-connections.ts'
import type { Database } from '../../postgres/database.ts'
import { naturally } from '../../postgres/natural-order.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

export type ConnectionRow = Omit<Selectable<Database['sso_connection']>, 'tenant_id' | 'client_secret'>
export type DomainRow = Omit<Selectable<Database['sso_domain']>, 'tenant_id'>

const ofConnection = (tx: TenantTx) =>
  tx
    .selectFrom('sso_connection')
    .select(['id', 'name', 'issuer', 'client_id', 'is_required', 'checks_second_factor', 'creates_members'])
    .select(['group_claim', 'created_at', 'created_by', 'changed_at'])
    .where('tenant_id', '=', tx.tenant)

export async function connectionRows(tx: TenantTx): Promise<ConnectionRow[]> {
  return ofConnection(tx)
    .orderBy(naturally(sql`name`))
    .orderBy('id')
    .execute()
}

/** A connection, locked until the transaction ends. */
export async function holdConnection(tx: TenantTx, id: string): Promise<ConnectionRow | undefined> {
  return ofConnection(tx).where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Serialises concurrent additions, so that the limits hold. */
export async function holdClient(tx: TenantTx): Promise<void> {
  await tx.selectFrom('tenant').select('id').where('id', '=', tx.tenant).forNoKeyUpdate().executeTakeFirst()
}

/** The client's display name and time zone. */
export async function clientNamed(tx: TenantTx): Promise<{ client: string; zone: string }> {
  return tx
    .selectFrom('tenant')
    .select(['display_name as client', 'time_zone as zone'])
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
}

export const columnsOf = (settings: SsoSettings) => ({
  ...{ name: settings.name, issuer: settings.issuer, client_id: settings.clientId },
  ...{ is_required: settings.isRequired, checks_second_factor: settings.checksSecondFactor },
  ...{ creates_members: settings.createsMembers, group_claim: settings.groupClaim },
})

export async function insertConnection(tx: TenantTx, row: ConnectionRow & { client_secret: string }): Promise<void> {
  await tx
    .insertInto('sso_connection')
    .values({ tenant_id: tx.tenant, ...row })
    .execute()
}

export async function updateConnection(
  tx: TenantTx,
  id: string,
  to: Partial<ConnectionRow & { client_secret: string }>,
): Promise<void> {
  await tx.updateTable('sso_connection').set(to).where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
}

/** Encrypts the secrets of all connections with another key. */
export async function resealConnections(tx: TenantTx, reseal: Reseal): Promise<void> {
  const rows = await tx
    .selectFrom('sso_connection')
    .select(['id', 'client_secret'])
    .where('tenant_id', '=', tx.tenant)
    .forUpdate()
    .execute()
  for (const { id, client_secret: stored } of rows)
    await updateConnection(tx, id, { client_secret: reseal(secretOwner({ tenant: tx.tenant, id }), stored) })
}

export async function deleteConnection(tx: TenantTx, id: string): Promise<void> {
  await tx.deleteFrom('sso_connection').where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
}

export async function domainRows(tx: TenantTx): Promise<DomainRow[]> {
  return tx
    .selectFrom('sso_domain')
    .select(['domain', 'connection_id', 'proof', 'verified_at', 'checked_at', 'verified_by_operator', 'fault'])
    .select(['missing_since', 'next_check_at'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy('domain')
    .execute()
}

const checkedDaily = (tx: TenantTx) =>
  tx
    .selectFrom('sso_domain')
    .where('tenant_id', '=', tx.tenant)
    .where('verified_at', 'is not', null)
    .where('verified_by_operator', '=', false)

/** The verified domains whose records are to be checked now. */
export async function domainsToCheck(
  tx: TenantTx,
  now: Date,
): Promise<Pick<DomainRow, 'domain' | 'connection_id' | 'proof'>[]> {
  return checkedDaily(tx)
    .where((eb) => eb.or([eb('next_check_at', 'is', null), eb('next_check_at', '<=', now)]))
    .select(['domain', 'connection_id', 'proof'])
    .orderBy('domain')
    .execute()
}

/** When the next record is to be checked; null if no domain is checked. */
export async function nextDomainCheck(tx: TenantTx): Promise<Date | null> {
  const { first } = await checkedDaily(tx)
    .select((eb) => eb.fn.min<Date | null>(eb.fn.coalesce('next_check_at', 'verified_at')).as('first'))
    .executeTakeFirstOrThrow()
  return first
}

export async function insertDomain(tx: TenantTx, row: DomainRow): Promise<void> {
  await tx
    .insertInto('sso_domain')
    .values({ tenant_id: tx.tenant, ...row })
    .execute()
}

export async function updateDomain(tx: TenantTx, domain: string, to: Partial<DomainRow>): Promise<void> {
  await tx.updateTable('sso_domain').set(to).where('tenant_id', '=', tx.tenant).where('domain', '=', domain).execute()
}

export async function deleteDomain(tx: TenantTx, domain: string): Promise<void> {
  await tx.deleteFrom('sso_domain').where('tenant_id', '=', tx.tenant).where('domain', '=', domain).execute()
}

export async function insertSsoMember(
  tx: TenantTx,
  { membershipId, connectionId, now }: { membershipId: string; connectionId: string; now: Date },
): Promise<void> {
  await tx
    .insertInto('sso_member')
    .values({ tenant_id: tx.tenant, membership_id: membershipId, connection_id: connectionId, created_at: now })
    .execute()
}

/** Whether single sign-on has created a member. */
export async function isSsoMember(tx: TenantTx, membershipId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('sso_member')
    .select('membership_id')
    .where('tenant_id', '=', tx.tenant)
    .where('membership_id', '=', membershipId)
    .executeTakeFirst()
  return row !== undefined
}
