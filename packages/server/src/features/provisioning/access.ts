import { nameLine } from '@caretaker/contract/scalars.ts'
import { Refusal, refuse } from '@caretaker/contract/refusal.ts'
import { Fault } from '@caretaker/rules/provisioning/fault.ts'
import { accessOfUser, namesOf, noAccessTexts, provisioning } from '@caretaker/rules/provisioning/member.ts'
import type { UserValues } from '@caretaker/rules/provisioning/values.ts'
import { audit } from '../../audit/audit.ts'
import { groupAccessTable } from '../../identity/group-access.ts'
import type { ByDirectory, WantedMember } from '../people/provisioned.ts'
import { admitMember, endMembership, followDirectory, isStaff, personsWith } from '../people/provisioned.ts'
import { holdMembersOf } from '../people/store.ts'
import type { MemberRow } from '../../people/members.ts'
import type { AccessDecision } from '../../people/provisioned-users.ts'
import { setAccess } from '../../people/provisioned-users.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { AccessRow } from './store.ts'
import * as store from './store.ts'

/** The last manager without restrictions, whom the directory cannot remove or restrict. */
export class LastManager extends Fault {
  readonly user: Pick<AccessRow, 'id' | 'name'>
  constructor(user: Pick<AccessRow, 'id' | 'name'>, message: string) {
    super(undefined, `${message} ${user.name} is the last one. Make another user a manager first.`, 409)
    this.user = user
  }
}

/** Records a refused change to the last manager. */
export const recordRefusal = (tx: TenantTx, { user, message: reason }: LastManager) =>
  audit(tx, {
    ...{
      person: provisioning,
      action: 'provisioning refused',
      subject: { type: 'user', id: user.id, name: user.name },
    },
    after: { reason },
  })

/** The state during a decision: the members as they are by now. */
interface Deciding {
  by: ByDirectory
  members: Map<string, MemberRow>
  /** Each member's user in the directory. */
  linked: Map<string, string>
  /** The persons who sign in with the users' e-mail addresses. */
  persons: ReadonlyMap<string, string>
  /** The users whom the call is about. */
  ids: readonly string[] | 'all'
}

/**
 * Gives these users of the directory, or all of them, the access that their groups determine. The last manager keeps
 * their access: a call about that user alone, or about the table, is refused; any other call continues without that
 * user.
 */
export async function applyAccess(by: ByDirectory, ids: readonly string[] | 'all'): Promise<void> {
  await decideAbout(by, await store.accessRows(by.tx, ids), ids)
}

async function decideAbout(by: ByDirectory, users: readonly AccessRow[], ids: Deciding['ids']): Promise<void> {
  const { tx } = by
  if (!users.length) return
  const groups = new Map<string, string[]>()
  for (const { userId, displayName } of await store.groupsOfUsers(
    tx,
    users.map(({ id }) => id),
  ))
    groups.set(userId, [...(groups.get(userId) ?? []), displayName])
  const table = await groupAccessTable(tx)
  const emails = users.flatMap(({ email }) => email ?? [])
  const persons = await personsWith(by, emails)
  const held = await holdMembersOf(tx, {
    ...{ ids: users.flatMap(({ memberId }) => memberId ?? []), emails, personIds: [...persons.values()] },
  })
  const members = new Map(held.map((member) => [member.id, member]))
  const deciding = { by, members, persons, ids, linked: await store.linkedMembers(tx, [...members.keys()]) }
  // Those who gain access come first, so that a new manager can replace the last one.
  const wanted = users
    .map((user) => ({ user, access: accessOfUser(user, groups.get(user.id) ?? [], table) }))
    .toSorted((one, other) => rankOf(one.access) - rankOf(other.access))
  const decisions = new Map<string, AccessDecision>()
  for (const one of wanted) decisions.set(one.user.id, await decide(deciding, one))
  // Another user with the same e-mail address may have lost their access meanwhile.
  for (const one of wanted)
    if (decisions.get(one.user.id)?.noAccess === noAccessTexts.other)
      decisions.set(one.user.id, await decide(deciding, one))
  await setAccess(
    tx,
    users.flatMap((user) => {
      const decision = decisions.get(user.id)!
      return isSame(user, decision) ? [] : [decision]
    }),
  )
}

type Access = ReturnType<typeof accessOfUser>

const rankOf = (access: Access) => (!access ? 2 : access.role === 'Manager' && !access.tags.length ? 0 : 1)

/** Gives all users of the directory the access that a changed table determines; 409 if no manager would be left. */
export async function applyTable(by: ByDirectory): Promise<void> {
  try {
    await applyAccess(by, 'all')
  } catch (error) {
    throw error instanceof LastManager ? refuse('conflict', error.message) : error
  }
}

/** Ends the membership of a user who leaves the directory. */
export async function endAccess(by: ByDirectory, user: AccessRow): Promise<void> {
  await decideAbout(by, [{ ...user, active: false }], [user.id])
}

const isSame = (user: AccessDecision, decision: AccessDecision) =>
  user.memberId === decision.memberId && user.noAccess === decision.noAccess && user.keepsRole === decision.keepsRole

interface About {
  user: AccessRow
  access: Access
}

/** Decides about a user; returns the decision, to be written with the others. */
async function decide(deciding: Deciding, { user, access }: About): Promise<AccessDecision> {
  const { members, linked } = deciding
  const found = memberOf(deciding, user)
  const decided = await keepLastManager(deciding, { user, found }, () => accessOf(deciding, { user, access, found }))
  const memberId = decided.member?.id ?? null
  if (user.memberId && user.memberId !== memberId) linked.delete(user.memberId)
  if (decided.member) {
    members.set(decided.member.id, decided.member)
    linked.set(decided.member.id, user.id)
  }
  return { id: user.id, memberId, noAccess: decided.why ?? null, keepsRole: decided.keepsRole ?? false }
}

interface Decided {
  member?: MemberRow
  /** Why an active user's groups give them no access. */
  why?: string
  keepsRole?: boolean
}

/** The member of a user, or why the member with the e-mail address is not theirs. */
interface Found {
  member?: MemberRow
  why?: string
}

/**
 * The member of a user. An existing member is adopted if their person signs in with the user's e-mail address, or if
 * the member has never signed in. The address of a member alone proves nothing, because managers can enter any.
 */
function memberOf({ members, linked, persons }: Deciding, { memberId, email }: AccessRow): Found {
  const own = memberId ? members.get(memberId) : undefined
  if (own) return { member: own }
  if (email === null) return {}
  const all = [...members.values()]
  const withEmail = all.find((one) => one.email === email)
  const personId = persons.get(email)
  const member = (personId !== undefined && all.find((one) => one.personId === personId)) || withEmail
  if (!member) return {}
  if (linked.has(member.id)) return { why: noAccessTexts.other }
  const isTheirs = member.personId === null || member.personId === personId
  return isTheirs && (!withEmail || withEmail === member) ? { member } : { why: noAccessTexts.person }
}

async function accessOf(
  { by, members, persons }: Deciding,
  { user, access, found }: About & { found: Found },
): Promise<Decided> {
  if (user.blocked) return { why: noAccessTexts.removed }
  const { member, why } = found
  // A member who joined the vendor's staff meanwhile is left to the vendor.
  if (member && isStaff(by, member)) return { why: noAccessTexts.vendor }
  if (!access) return withoutAccess({ by, members }, user, member)
  const email = user.email ?? member?.email
  if (email === undefined) return { why: noAccessTexts.email }
  if (isStaff(by, { email }))
    return { why: noAccessTexts.vendor, ...(member?.id === user.memberId && { member, keepsRole: user.keepsRole }) }
  if (why !== undefined) return { why }
  const wanted: WantedMember = { name: user.name, email, ...access }
  if (!member) return { member: await admitMember(by, wanted, persons.get(email) ?? null) }
  return { member: await orLastManager(user, () => followDirectory(by, member, wanted, [...members.values()])) }
}

/** A member from before keeps their role while the directory has them in no group that determines it. */
async function withoutAccess(
  { by, members }: Pick<Deciding, 'by' | 'members'>,
  user: AccessRow,
  member: MemberRow | undefined,
): Promise<Decided> {
  const why = user.active ? { why: noAccessTexts.group } : {}
  if (!member) return why
  const isFromBefore = user.keepsRole || member.id !== user.memberId
  if (user.active && isFromBefore) return { member, why: noAccessTexts.kept, keepsRole: true }
  await orLastManager(user, () => endMembership(by, member, [...members.values()]))
  members.delete(member.id)
  return why
}

/** Names the user whom a refusal is about. */
async function orLastManager<T>(user: AccessRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'conflict' && /at least one manager/.test(error.message))
      throw new LastManager(user, error.message)
    throw error
  }
}

/** Leaves the last manager as they are, if the call concerns other users. */
async function keepLastManager(
  { by, ids }: Deciding,
  { user, found: { member } }: { user: AccessRow; found: Found },
  work: () => Promise<Decided>,
): Promise<Decided> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof LastManager) || !member) throw error
    const isAbout = ids !== 'all' && ids.length === 1 && ids[0] === user.id
    const isKnown = user.noAccess === noAccessTexts.last
    if (isAbout || (ids === 'all' && !isKnown)) throw error
    if (!isKnown) await recordRefusal(by.tx, error)
    return { member, why: noAccessTexts.last, keepsRole: user.keepsRole || member.id !== user.memberId }
  }
}

const MemberName = nameLine(100)

/** The name of the member: the first of the possible ones that the users page accepts. */
export function memberNameOf(user: UserValues): string {
  for (const name of namesOf(user)) {
    const read = MemberName.safeParse(name)
    if (read.success && read.data) return read.data
  }
  throw new Fault(
    'invalidValue',
    'The user has no name that can be shown: displayName is empty or contains a web address.',
  )
}
