import { Refusal } from '@caretaker/contract/refusal.ts'
import { operator as person } from '../audit/audit.ts'
import { releaseVerified, verifyDomain } from '../features/single-sign-on/service.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Operator } from './operator.ts'
import { expectTenant, OperatorError } from './operator.ts'

/** Makes a client the owner of an e-mail domain of its single sign-on, for example where it cannot set a DNS record. */
export async function verifySsoDomain(
  operator: Operator,
  { tenant, domain }: { tenant: string; domain: string },
): Promise<void> {
  const { config } = operator
  await ofDomain(operator, { tenant, domain }, (tx) =>
    verifyDomain({ tx, context: { config }, person }, domain, new Date(), { byOperator: true }),
  )
}

/**
 * Takes an e-mail domain from a client's single sign-on: its users can use passwords again, and another client can
 * verify it.
 */
export async function releaseSsoDomain(
  operator: Operator,
  { tenant, domain }: { tenant: string; domain: string },
): Promise<void> {
  const { config } = operator
  await ofDomain(operator, { tenant, domain }, (tx) => releaseVerified({ tx, context: { config }, person }, domain))
}

async function ofDomain(
  operator: Operator,
  { tenant, domain }: { tenant: string; domain: string },
  work: (tx: TenantTx) => Promise<void>,
): Promise<void> {
  await expectTenant(operator, tenant)
  try {
    await inTenant(operator.db, tenant, work)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const isUnknown = error.code === 'not found'
    throw new OperatorError(isUnknown ? `${tenant} has not added ${domain} under Settings, Sign-in.` : error.message)
  }
}
