import { Refusal } from '@caretaker/contract/refusal.ts'
import { operator as person } from '../audit/audit.ts'
import { verifyDomain } from '../features/single-sign-on/service.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Operator } from './operator.ts'
import { expectTenant, OperatorError } from './operator.ts'

/** Makes a client the owner of an e-mail domain of its single sign-on, for example where it cannot set a DNS record. */
export async function verifySsoDomain(
  operator: Operator,
  { tenant, domain }: { tenant: string; domain: string },
): Promise<void> {
  const { db, owner, config } = operator
  await expectTenant(operator, tenant)
  try {
    await inTenant(db, tenant, (tx) => verifyDomain({ tx, context: { config }, person }, owner, domain, new Date()))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const isUnknown = error.code === 'not found'
    throw new OperatorError(isUnknown ? `${tenant} has not added ${domain} under Settings, Sign-in.` : error.message)
  }
}
