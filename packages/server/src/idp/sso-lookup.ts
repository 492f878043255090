import { domainOf } from '@caretaker/rules/identity/single-sign-on.ts'
import type { Accounts } from '../identity/accounts-in-transaction.ts'
import { endSessionsOfClient } from './browser-sessions.ts'

/** The client and its connection that an e-mail domain was verified for. */
export interface DomainOwner {
  tenant: string
  connectionId: string
  /** Whether its users cannot use a password. */
  isRequired: boolean
}

const columns = `tenant_id as tenant, connection_id as "connectionId", is_required as "isRequired"`

/** The owner of the domain of an e-mail address; undefined unless a client has verified it. */
export async function ownerOfAddress(accounts: Accounts, email: string): Promise<DomainOwner | undefined> {
  const { rows } = await accounts.query<DomainOwner>(`select ${columns} from idp.sso_lookup where domain = $1`, [
    domainOf(email),
  ])
  return rows[0]
}

/** Whether any client of the installation can use single sign-on. */
export async function hasSso(accounts: Accounts): Promise<boolean> {
  const { rows } = await accounts.query<{ found: boolean }>('select exists (select from idp.sso_lookup) as found', [])
  return rows[0]!.found
}

/** The connections of a client with a verified domain. */
export async function connectionsOfTenant(accounts: Accounts, tenant: string): Promise<DomainOwner[]> {
  const { rows } = await accounts.query<DomainOwner>(
    `select distinct ${columns} from idp.sso_lookup where tenant_id = $1 order by 2`,
    [tenant],
  )
  return rows
}

/** The client of a connection; undefined unless the connection has a verified domain. */
export async function tenantOfConnection(accounts: Accounts, connectionId: string): Promise<string | undefined> {
  const { rows } = await accounts.query<{ tenant: string }>(
    'select tenant_id as tenant from idp.sso_lookup where connection_id = $1 limit 1',
    [connectionId],
  )
  return rows[0]?.tenant
}

/** The verified domains of a client. */
export async function verifiedDomains(accounts: Accounts, tenant: string): Promise<Set<string>> {
  const { rows } = await accounts.query<{ domain: string }>('select domain from idp.sso_lookup where tenant_id = $1', [
    tenant,
  ])
  return new Set(rows.map(({ domain }) => domain))
}

/** Makes a client the owner of a domain; false if another client is. */
export async function claimDomain(
  accounts: Accounts,
  domain: string,
  { tenant, connectionId, isRequired }: DomainOwner,
): Promise<boolean> {
  const { rowCount } = await accounts.query(
    `insert into idp.sso_lookup (domain, tenant_id, connection_id, is_required) values ($1, $2, $3, $4)
     on conflict (domain) do update set connection_id = excluded.connection_id, is_required = excluded.is_required
       where sso_lookup.tenant_id = excluded.tenant_id`,
    [domain, tenant, connectionId, isRequired],
  )
  return rowCount === 1
}

export async function releaseDomain(accounts: Accounts, tenant: string, domain: string): Promise<void> {
  await accounts.query('delete from idp.sso_lookup where tenant_id = $1 and domain = $2', [tenant, domain])
}

export async function requireSso(accounts: Accounts, { tenant, connectionId, isRequired }: DomainOwner): Promise<void> {
  await accounts.query(
    'update idp.sso_lookup set is_required = $3 where tenant_id = $1 and connection_id = $2 and is_required <> $3',
    [tenant, connectionId, isRequired],
  )
}

/** Removes the domains and identities of a connection. */
export async function forgetConnection(accounts: Accounts, tenant: string, connectionId: string): Promise<void> {
  for (const table of ['sso_lookup', 'federated_identity'])
    await accounts.query(`delete from idp.${table} where tenant_id = $1 and connection_id = $2`, [tenant, connectionId])
}

/** Removes the domains and identities of a client that is being removed, and ends the sessions of its connections. */
export async function forgetTenant(accounts: Accounts, tenant: string): Promise<void> {
  await endSessionsOfClient(accounts, tenant)
  for (const table of ['sso_lookup', 'federated_identity'])
    await accounts.query(`delete from idp.${table} where tenant_id = $1`, [tenant])
}

/** Whether anyone has signed in with a connection. */
export async function isProven(accounts: Accounts, connectionId: string): Promise<boolean> {
  const { rows } = await accounts.query<{ found: boolean }>(
    'select exists (select from idp.federated_identity where connection_id = $1) as found',
    [connectionId],
  )
  return rows[0]!.found
}

/** The account that a subject of a connection's provider has signed in to. */
export async function accountOfSubject(
  accounts: Accounts,
  connectionId: string,
  subject: string,
): Promise<string | undefined> {
  const { rows } = await accounts.query<{ account: string }>(
    'select account_id as account from idp.federated_identity where connection_id = $1 and subject = $2',
    [connectionId, subject],
  )
  return rows[0]?.account
}

interface Identity {
  tenant: string
  connectionId: string
  issuer: string
  subject: string
  account: string
}

/**
 * Links a subject to an account, whose e-mail counts as verified: the client vouches for the addresses in its domains.
 */
export async function linkSubject(
  accounts: Accounts,
  { tenant, connectionId, issuer, subject, account }: Identity,
): Promise<void> {
  await accounts.query(
    `insert into idp.federated_identity (connection_id, subject, tenant_id, account_id, issuer) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [connectionId, subject, tenant, account, issuer],
  )
  await accounts.query('update idp.account set email_verified = true where id = $1 and not email_verified', [account])
}
