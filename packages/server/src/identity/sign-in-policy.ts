import type { Role } from '@caretaker/rules/identity/roles.ts'
import { internalRoles } from '@caretaker/rules/identity/roles.ts'
import type { Obligation, SignInPolicy } from '@caretaker/rules/identity/sign-in-policy.ts'
import { obligationOf, policyOf } from '@caretaker/rules/identity/sign-in-policy.ts'
import type { Context } from '../context.ts'
import type { Db } from '../postgres/pool.ts'
import { asPerson, inTenant } from '../postgres/tenant.ts'

type Needs = Pick<Context, 'config' | 'db'>

interface Membership {
  tenant: string
  role: Role
  settings: Record<string, unknown>
}

/** The sign-in policy in a client's settings. */
export const policyIn = (settings: Record<string, unknown>, demo: boolean): SignInPolicy =>
  policyOf(settings['signInPolicy'] as Partial<SignInPolicy> | undefined, demo)

/**
 * The combined policy of all clients of an account at the embedded provider, including those it is invited to. If the
 * provider of a client has checked a second factor, only the other clients can need one.
 */
export async function obligationOfAccount(
  needs: Needs,
  account: { id: string; email: string },
  checkedFor?: string,
): Promise<Obligation> {
  const memberships = await membershipsOfAccount(needs, account)
  const others = memberships.filter(({ tenant }) => tenant !== checkedFor)
  const { needsSecondFactor } = combined(others, needs.config.demo)
  return { ...combined(memberships, needs.config.demo), needsSecondFactor }
}

const combined = (memberships: readonly Membership[], demo: boolean): Obligation =>
  obligationOf(memberships.map(({ role, settings }) => ({ role, policy: policyIn(settings, demo) })))

/** Whether an account has a role of the vendor's staff in any client. */
export async function isStaffAccount(needs: Needs, account: { id: string; email: string }): Promise<boolean> {
  return (await membershipsOfAccount(needs, account)).some(({ role }) => internalRoles.includes(role))
}

async function membershipsOfAccount({ config, db }: Needs, account: { id: string; email: string }) {
  const person = await db
    .selectFrom('person')
    .select('id')
    .where('issuer', '=', config.oidc.directory)
    .where('subject', '=', account.id)
    .executeTakeFirst()
  return [...(person ? await membershipsOf(db, person.id) : []), ...(await invitedTo(db, account.email))]
}

/** The combined policy of all clients of a person. */
export async function obligationOfPerson({ config, db }: Needs, personId: string): Promise<Obligation> {
  return combined(await membershipsOf(db, personId), config.demo)
}

async function membershipsOf(db: Db, personId: string): Promise<Membership[]> {
  return asPerson(db, personId, (transaction) =>
    transaction
      .selectFrom('membership')
      .innerJoin('tenant', 'tenant.id', 'membership.tenant_id')
      .select(['tenant_id as tenant', 'role', 'settings'])
      .where('person_id', '=', personId)
      .execute(),
  )
}

async function invitedTo(db: Db, email: string): Promise<Membership[]> {
  const invitations = await db
    .selectFrom('invitation')
    .select(['tenant_id', 'membership_id'])
    .where('email', '=', email)
    .execute()
  const found = []
  for (const { tenant_id, membership_id } of invitations)
    found.push(
      ...(await inTenant(db, tenant_id, (tx) =>
        tx
          .selectFrom('membership')
          .innerJoin('tenant', 'tenant.id', 'membership.tenant_id')
          .select(['tenant_id as tenant', 'role', 'settings'])
          .where('membership.tenant_id', '=', tx.tenant)
          .where('membership.id', '=', membership_id)
          .execute(),
      )),
    )
  return found
}
