import { randomBytes, randomUUID } from 'node:crypto'
import type { SsoConnection, SsoDomain, SsoSettings } from '@caretaker/contract/single-sign-on.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { AuditAction, Changed } from '@caretaker/rules/audit/audit.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { RecordFault } from '@caretaker/rules/identity/single-sign-on.ts'
import {
  afterRecordCheck,
  domainFault,
  mostSsoConnections,
  mostSsoDomains,
  proofPrefix,
  recordEndsAt,
} from '@caretaker/rules/identity/single-sign-on.ts'
import { addressFault } from '@caretaker/rules/webhooks/webhooks.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { Context } from '../../context.ts'
import { accountsIn } from '../../identity/accounts-in-transaction.ts'
import { endProviderSessions } from '../../idp/browser-sessions.ts'
import {
  claimDomain,
  forgetConnection,
  isProven,
  releaseDomain,
  requireSso,
  verifiedDomains,
} from '../../idp/sso-lookup.ts'
import { redirectUriOf } from '../../idp/sso-provider.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { record } from '../../projections/record.ts'
import type { ConnectionRow, DomainRow } from './store.ts'
import { informManagers } from './record-emails.ts'
import * as store from './store.ts'

interface Asking {
  tx: TenantTx
  context: Pick<Context, 'config'>
  person: Recorded
}

const wrong = (field: string, message: string) => refuse('invalid', message, [{ field, message }])

/** Otherwise a wrong setting of the provider would lock out all users. */
const notProven = 'cannot be set before someone has signed in with this connection. Sign in with it once, then set it.'

const withoutSlash = (issuer: string) => issuer.replace(/\/$/, '')

/** Single sign-on of clients needs the embedded provider, which all sessions come from. */
export function expectEmbedded({ config }: Pick<Context, 'config'>): void {
  if (!config.oidc.embedded)
    throw refuse('refused', 'The identity provider of this installation signs people in. Set up single sign-on there.')
}

function settingsOf(row: ConnectionRow): SsoSettings {
  return {
    ...{ name: row.name, issuer: row.issuer, clientId: row.client_id, isRequired: row.is_required },
    ...{ checksSecondFactor: row.checks_second_factor, createsMembers: row.creates_members },
    groupClaim: row.group_claim,
  }
}

function domainOfRow(row: DomainRow, verified: ReadonlySet<string>): SsoDomain {
  // A client that came from another installation has to verify its domains here.
  const verifiedAt = verified.has(row.domain) ? row.verified_at : null
  const { fault, missing_since: missingSince } = row
  return {
    ...{ domain: row.domain, record: recordText(row.proof), fault, isByOperator: row.verified_by_operator },
    verifiedAt: verifiedAt?.toISOString() ?? null,
    checkedAt: row.checked_at?.toISOString() ?? null,
    missingSince: missingSince?.toISOString() ?? null,
    endsAt: verifiedAt && missingSince ? recordEndsAt(missingSince).toISOString() : null,
  }
}

/** The text that the DNS TXT record of a domain has to contain. */
export const recordText = (proof: string) => `${proofPrefix}${proof}`

export async function connections({ tx, context }: Omit<Asking, 'person'>): Promise<SsoConnection[]> {
  const rows = await store.connectionRows(tx)
  if (!rows.length) return []
  const domains = await store.domainRows(tx)
  const verified = context.config.oidc.embedded ? await verifiedDomains(accountsIn(tx), tx.tenant) : new Set<string>()
  return rows.map((row) => ({
    ...settingsOf(row),
    ...{ id: row.id, createdAt: row.created_at.toISOString(), createdBy: row.created_by },
    redirectUri: redirectUriOf(context.config.origin, row.id),
    backChannelUri: `${context.config.origin}/login/sso/back-channel/${row.id}`,
    domains: domains.filter((one) => one.connection_id === row.id).map((one) => domainOfRow(one, verified)),
  }))
}

async function connection(asking: Asking, id: string): Promise<SsoConnection> {
  return (await connections(asking)).find((one) => one.id === id)!
}

export async function expectConnection(tx: TenantTx, id: string): Promise<ConnectionRow> {
  const row = await store.holdConnection(tx, id)
  if (!row) throw refuse('not found')
  return row
}

function note({ tx, person }: Asking, action: AuditAction, about: { before?: object; after?: object }): void {
  const { before, after } = about as { before?: Changed; after?: Changed }
  const tenant = { tenantId: tx.tenant, tenantName: tx.tenant }
  const changes = { before: before ?? null, after: after ?? null }
  record(tx, [{ type: 'SignInSettingsChanged', action, by: person, ...tenant, ...changes }])
}

function expectIssuer(issuer: string, mayBePlain: boolean): void {
  const fault = addressFault(issuer, { mayBePlain })
  if (fault) throw wrong('issuer', fault)
  if (issuer.includes('?') || issuer.includes('/.well-known/'))
    throw wrong('issuer', 'must be the issuer alone, without /.well-known/openid-configuration')
}

async function expectName(tx: TenantTx, name: string, id?: string): Promise<ConnectionRow[]> {
  await store.holdClient(tx)
  const rows = await store.connectionRows(tx)
  if (rows.some((row) => row.id !== id && row.name.toLowerCase() === name.toLowerCase()))
    throw wrong('name', 'Another connection has this name.')
  return rows
}

export const newConnectionId = () => randomUUID()

/** Adds a connection whose secret is sealed already. */
export async function addConnection(
  asking: Asking,
  { id, secret, ...settings }: SsoSettings & { id: string; secret: string },
  now: Date,
): Promise<SsoConnection> {
  const { tx, context, person } = asking
  expectIssuer(settings.issuer, context.config.webhookNetworks.length > 0)
  if (settings.isRequired) throw wrong('isRequired', notProven)
  const others = await expectName(tx, settings.name)
  if (others.length >= mostSsoConnections)
    throw refuse('conflict', `A client can have at most ${mostSsoConnections} connections for single sign-on.`)
  await store.insertConnection(tx, {
    ...{ id, client_secret: secret, ...store.columnsOf(settings) },
    ...{ created_at: now, created_by: person.name, changed_at: now },
  })
  note(asking, 'single sign-on added', { after: { ...settings } })
  return connection(asking, id)
}

export async function updateConnection(
  asking: Asking,
  id: string,
  settings: SsoSettings,
  now: Date,
): Promise<SsoConnection> {
  const { tx } = asking
  await expectName(tx, settings.name, id)
  const before = settingsOf(await expectConnection(tx, id))
  // The secret and the subjects of people belong to the issuer.
  if (withoutSlash(settings.issuer) !== withoutSlash(before.issuer))
    throw wrong('issuer', 'cannot be changed. Add a connection for the new issuer and remove this one.')
  if (settings.isRequired && !before.isRequired && !(await isProven(accountsIn(tx), id)))
    throw wrong('isRequired', notProven)
  const changes = differences({ ...before }, { ...settings })
  if (!changes) return connection(asking, id)
  await store.updateConnection(tx, id, { ...store.columnsOf(settings), changed_at: now })
  await requireSso(accountsIn(tx), { tenant: tx.tenant, connectionId: id, isRequired: settings.isRequired })
  note(asking, 'single sign-on changed', {
    before: { connection: before.name, ...changes.before },
    after: { connection: settings.name, ...changes.after },
  })
  return connection(asking, id)
}

export async function replaceSecret(asking: Asking, id: string, secret: string, now: Date): Promise<void> {
  const { name } = await expectConnection(asking.tx, id)
  await store.updateConnection(asking.tx, id, { client_secret: secret, changed_at: now })
  note(asking, 'single sign-on secret replaced', { after: { connection: name } })
}

/** Removes a connection; the browsers that it has signed in are signed out. */
export async function removeConnection(asking: Asking, id: string): Promise<void> {
  const { tx } = asking
  const row = await expectConnection(tx, id)
  const accounts = accountsIn(tx)
  await forgetConnection(accounts, tx.tenant, id)
  await endProviderSessions(accounts, { connectionId: id })
  await store.deleteConnection(tx, id)
  note(asking, 'single sign-on removed', { before: { connection: row.name, ...settingsOf(row) } })
}

/** The state of a domain whose record was not missing in a daily check. */
const unchecked = { fault: null, missing_since: null, next_check_at: null } as const

export async function addDomain(asking: Asking, id: string, domain: string): Promise<SsoDomain> {
  const { tx, context } = asking
  const fault = domainFault(domain, context.config.vendorDomain)
  if (fault) throw wrong('domain', fault)
  await store.holdClient(tx)
  const { name } = await expectConnection(tx, id)
  const domains = await store.domainRows(tx)
  if (domains.some((one) => one.domain === domain)) throw wrong('domain', 'is already in the list')
  if (domains.length >= mostSsoDomains)
    throw refuse('conflict', `A client can have at most ${mostSsoDomains} domains for single sign-on.`)
  const row: DomainRow = {
    ...{ domain, connection_id: id, proof: randomBytes(18).toString('base64url') },
    ...{ verified_at: null, checked_at: null, verified_by_operator: false, ...unchecked },
  }
  await store.insertDomain(tx, row)
  note(asking, 'single sign-on domain added', { after: { connection: name, domain } })
  return domainOfRow(row, new Set())
}

async function expectDomain(tx: TenantTx, id: string, domain: string): Promise<DomainRow> {
  const row = (await store.domainRows(tx)).find((one) => one.domain === domain && one.connection_id === id)
  if (!row) throw refuse('not found')
  return row
}

/** The record that verifies a domain. */
export async function recordOf(tx: TenantTx, id: string, domain: string): Promise<string> {
  await expectConnection(tx, id)
  return recordText((await expectDomain(tx, id, domain)).proof)
}

interface Check {
  id: string
  domain: string
  /** Why the record was not found; null if it was. */
  fault: RecordFault | null
}

/** Records that a manager has had the DNS record of a domain checked. */
export async function noteCheck(asking: Asking, { id, domain, fault }: Check, now: Date): Promise<SsoDomain> {
  const { tx } = asking
  await store.holdClient(tx)
  await expectConnection(tx, id)
  await expectDomain(tx, id, domain)
  if (!fault) await verifyDomain(asking, domain, now)
  await noteRecord(asking, { domain, fault }, now)
  return domainOfRow(await expectDomain(tx, id, domain), await verifiedDomains(accountsIn(tx), tx.tenant))
}

/**
 * Records the result of a check. A verified domain whose record stays missing for the grace period is taken from the
 * client; a domain that an operator has verified is not.
 */
export async function noteRecord(asking: Asking, { domain, fault }: Omit<Check, 'id'>, now: Date): Promise<void> {
  const { tx } = asking
  const { row, name } = await holdDomain(tx, domain)
  const checked = { fault, ...(fault !== 'no answer' && { checked_at: now }) }
  const isVerified = row.verified_at && (await verifiedDomains(accountsIn(tx), tx.tenant)).has(domain)
  const isChecked = isVerified && !row.verified_by_operator
  const { missingSince, nextCheckAt, isOver } = afterRecordCheck(isChecked ? row.missing_since : null, fault, now)
  const next = { ...checked, next_check_at: nextCheckAt, ...(isChecked && { missing_since: missingSince }) }
  await store.updateDomain(tx, domain, next)
  record(tx, [{ type: 'DomainRecordChecked', nextCheckAt: isChecked ? nextCheckAt : null }])
  if (!isChecked) return
  if (isOver) {
    await releaseVerified(asking, domain)
    await informManagers(asking, { domain, connection: name, fault: fault!, endsAt: null })
  } else if (fault && missingSince && !row.missing_since) {
    const endsAt = recordEndsAt(missingSince)
    const after = { connection: name, domain, fault, endsAt: endsAt.toISOString() }
    note(asking, 'single sign-on record missing', { after })
    await informManagers(asking, { domain, connection: name, fault, endsAt })
  } else if (!missingSince && row.missing_since)
    note(asking, 'single sign-on record found', { after: { connection: name, domain } })
}

/** Makes the client the owner of a domain in its list. */
export async function verifyDomain(
  asking: Asking,
  domain: string,
  now: Date,
  { byOperator = false }: { byOperator?: boolean } = {},
): Promise<void> {
  const { tx } = asking
  const accounts = accountsIn(tx)
  const { row, name, isRequired } = await holdDomain(tx, domain)
  const isVerified = row.verified_at && (await verifiedDomains(accounts, tx.tenant)).has(domain)
  if (isVerified && (row.verified_by_operator || !byOperator)) return
  if (!(await claimDomain(accounts, domain, { tenant: tx.tenant, connectionId: row.connection_id, isRequired })))
    throw refuse('conflict', 'Another client has verified this domain. Ask the operator of Caretaker.')
  await store.updateDomain(tx, domain, { ...unchecked, verified_at: now, verified_by_operator: byOperator })
  note(asking, 'single sign-on domain verified', { after: { connection: name, domain } })
}

/**
 * A domain in the client's list, with its connection locked: it may be removed, or added to another connection,
 * meanwhile.
 */
async function holdDomain(tx: TenantTx, domain: string) {
  await store.holdClient(tx)
  const found = (await store.domainRows(tx)).find((one) => one.domain === domain)
  if (!found) throw refuse('not found')
  const { id, name, is_required: isRequired } = await expectConnection(tx, found.connection_id)
  return { row: await expectDomain(tx, id, domain), name, isRequired }
}

/** Takes a domain from a client, which keeps it in its list and can verify it again. */
export async function releaseVerified(asking: Asking, domain: string): Promise<void> {
  const { tx } = asking
  const { row, name } = await holdDomain(tx, domain)
  const accounts = accountsIn(tx)
  await releaseDomain(accounts, tx.tenant, domain)
  await endProviderSessions(accounts, { connectionId: row.connection_id })
  await store.updateDomain(tx, domain, { verified_at: null, verified_by_operator: false, next_check_at: null })
  note(asking, 'single sign-on domain removed', { before: { connection: name, domain } })
}

/** Removes a domain; the browsers that its connection has signed in are signed out. */
export async function removeDomain(asking: Asking, id: string, domain: string): Promise<void> {
  const { tx } = asking
  const { name } = await expectConnection(tx, id)
  await expectDomain(tx, id, domain)
  const accounts = accountsIn(tx)
  await releaseDomain(accounts, tx.tenant, domain)
  await endProviderSessions(accounts, { connectionId: id })
  await store.deleteDomain(tx, domain)
  note(asking, 'single sign-on domain removed', { before: { connection: name, domain } })
}
