import type { AccessAction } from '@caretaker/rules/audit/audit.ts'
import { audit } from '../audit/audit.ts'
import type { Context } from '../context.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Person } from './person.ts'
import { tenantsOf } from './person.ts'

type Needs = Pick<Context, 'config' | 'db' | 'log'>

/** How a sign-in attempt or a call ended. */
interface Access {
  action: AccessAction
  /** The caller's address; see `callerOf`. */
  caller: string
  reason?: string
}

interface SignIn extends Access {
  /** The account tried; undefined if there is none. */
  account: { id: string; email: string; name: string } | undefined
}

interface RefusedCall {
  person: Person
  caller: string
  call: string
  tenant: string | undefined
  reason: string
}

/** Written at every log level: for an unknown account this line is the only trace of the attempt. */
const logOf = ({ log }: Needs) => (log.level === 'silent' ? log : log.child({}, { level: 'info' }))

/** Actions that only the owner of an account can do; the others may be a stranger's attempts. */
const ownActions: ReadonlySet<AccessAction> = new Set([
  'signed in',
  'password changed',
  'second factor changed',
  'single sign-on linked',
  'session ended',
])

/**
 * Records a sign-in attempt or a new password in the log and in the audit of each client that the account is a member of. Never
 * throws: a failure to record must not prevent the sign-in.
 */
export async function recordSignIn(context: Needs, { account, ...access }: SignIn): Promise<void> {
  logOf(context).info({ ...access, account: account?.id ?? null }, 'sign-in')
  if (!account) return
  await safely(context, async () => {
    const { personId, members } = await membersOf(context, account)
    const isTheirs = ownActions.has(access.action)
    const person = isTheirs ? { id: personId, name: account.name } : { id: null, name: 'Unknown caller' }
    const { action, caller, reason } = access
    for (const { tenant, id } of members)
      await inTenant(context.db, tenant, (tx) =>
        audit(tx, {
          person,
          action,
          subject: { type: 'user', id, name: account.name },
          after: { caller, ...(reason !== undefined && { reason }) },
        }),
      )
  })
}

/** The memberships of an account; before its first sign-in, the memberships it is invited to. */
async function membersOf({ config, db }: Needs, account: { id: string; email: string }) {
  const person = await db
    .selectFrom('person')
    .select('id')
    .where('issuer', '=', config.oidc.directory)
    .where('subject', '=', account.id)
    .executeTakeFirst()
  if (person) {
    const tenants = await tenantsOf(db, person.id)
    return { personId: person.id, members: tenants.map(({ id, memberId }) => ({ tenant: id, id: memberId })) }
  }
  const invitations = await db
    .selectFrom('invitation')
    .select(['tenant_id as tenant', 'membership_id as id'])
    .where('email', '=', account.email)
    .execute()
  return { personId: null, members: invitations }
}

/**
 * Milliseconds during which the same refusal of the same person is not recorded again, because open pages repeat their calls.
 */
const repeatedFor = 3_600_000
const mostRemembered = 10_000
/** When this process recorded each refusal, oldest first. */
const recorded = new Map<string, number>()

/**
 * Records a call that was refused for a missing right: in the log, and in the client's audit if the caller belongs to
 * it.
 */
export async function recordRefusal(context: Needs, refused: RefusedCall, now = Date.now()): Promise<void> {
  const { person, caller, call, tenant, reason } = refused
  logOf(context).info({ action: 'call refused', person: person.id, caller, call, tenant, reason }, 'call refused')
  if (tenant === undefined || wasRecorded([tenant, person.id, call, reason].join('\n'), now)) return
  await safely(context, () =>
    inTenant(context.db, tenant, async (tx) => {
      const subject = await callerIn(tx, person)
      if (subject) await audit(tx, { person, action: 'call refused', subject, after: { call, caller, reason } })
    }),
  )
}

function wasRecorded(key: string, now: number): boolean {
  const last = recorded.get(key)
  if (last !== undefined && now - last < repeatedFor) return true
  recorded.delete(key)
  recorded.set(key, now)
  if (recorded.size > mostRemembered) recorded.delete(recorded.keys().next().value!)
  return false
}

/** The tenant's member or API key that made the call, if any. */
async function callerIn(tx: TenantTx, person: Person) {
  const table = person.keyOf === undefined ? 'membership' : 'api_key'
  const found = await tx
    .selectFrom(table)
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where('person_id', '=', person.id)
    .executeTakeFirst()
  return found && ({ ...found, type: person.keyOf === undefined ? 'user' : 'API key' } as const)
}

async function safely(context: Needs, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    context.log.error({ err: error }, 'a sign-in or refusal is missing from the audit')
  }
}
