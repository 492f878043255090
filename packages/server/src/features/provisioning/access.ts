import { nameLine } from '@caretaker/contract/scalars.ts'
import { Refusal, refuse } from '@caretaker/contract/refusal.ts'
import { Fault } from '@caretaker/rules/provisioning/fault.ts'
import { accessOfUser, namesOf, noAccessTexts } from '@caretaker/rules/provisioning/member.ts'
import type { UserValues } from '@caretaker/rules/provisioning/values.ts'
import type { GroupAccess } from '@caretaker/rules/identity/group-access.ts'
import { groupAccessTable } from '../../identity/group-access.ts'
import type { ByDirectory, WantedMember } from '../people/provisioned.ts'
import { admitMember, endMembership, followDirectory, isStaff, personWith } from '../people/provisioned.ts'
import type { MemberRow } from '../people/store.ts'
import { holdMembers } from '../people/store.ts'
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

/** The state of a decision: the members as they are by now. */
interface Deciding {
  by: ByDirectory
  table: readonly GroupAccess[]
  groups: ReadonlyMap<string, string[]>
  members: Map<string, MemberRow>
  /** The user of the directory of each member. */
  linked: Map<string, string>
}

/** Gives these users of the directory, or all of them, the access that their groups decide. */
export async function applyAccess(by: ByDirectory, ids: readonly string[] | 'all'): Promise<void> {
  const { tx } = by
  const users = await store.accessRows(tx, ids)
  if (!users.length) return
  const groups = new Map<string, string[]>()
  for (const { userId, displayName } of await store.groupsOfUsers(
    tx,
    users.map(({ id }) => id),
  ))
    groups.set(userId, [...(groups.get(userId) ?? []), displayName])
  const table = await groupAccessTable(tx)
  const members = new Map((await holdMembers(tx)).map((member) => [member.id, member]))
  const deciding = { by, table, groups, members, linked: await store.linkedMembers(tx) }
  const decisions: Decision[] = []
  for (const user of users) decisions.push(...(await decide(deciding, user)))
  await store.setAccess(tx, decisions)
}

/** Gives all users of the directory the access that a changed table decides; 409 if no manager would be left. */
export async function applyTable(by: ByDirectory): Promise<void> {
  try {
    await applyAccess(by, 'all')
  } catch (error) {
    throw error instanceof LastManager ? refuse('conflict', error.message) : error
  }
}

/** Ends the membership of a user who leaves the directory. */
export async function endAccess(by: ByDirectory, user: AccessRow): Promise<void> {
  const members = await holdMembers(by.tx)
  const member = members.find(({ id }) => id === user.memberId)
  if (member && !isStaff(by, member)) await orLastManager(user, () => endMembership(by, member, members))
}

type Decision = Pick<AccessRow, 'id' | 'memberId' | 'noAccess'>

/** Decides about a user; returns what has changed, to be written with the other decisions. */
async function decide(deciding: Deciding, user: AccessRow): Promise<Decision[]> {
  const { members, linked } = deciding
  const decided = await accessOf(deciding, user)
  const memberId = decided.member?.id ?? null
  const noAccess = decided.why ?? null
  if (user.memberId && user.memberId !== memberId) linked.delete(user.memberId)
  if (decided.member) {
    members.set(decided.member.id, decided.member)
    linked.set(decided.member.id, user.id)
  }
  return memberId !== user.memberId || noAccess !== user.noAccess ? [{ id: user.id, memberId, noAccess }] : []
}

interface Decided {
  member?: MemberRow
  /** Why an active user has no access. */
  why?: string
}

async function accessOf({ by, table, groups, members, linked }: Deciding, user: AccessRow): Promise<Decided> {
  const access = accessOfUser(user, groups.get(user.id) ?? [], table)
  const member = user.memberId ? members.get(user.memberId) : undefined
  // A member who joined the vendor's staff meanwhile is left to the vendor.
  if (member && isStaff(by, member)) return { why: noAccessTexts.vendor }
  if (!access) {
    if (member) {
      await orLastManager(user, () => endMembership(by, member, [...members.values()]))
      members.delete(member.id)
    }
    return user.active ? { why: noAccessTexts.group } : {}
  }
  const email = user.email ?? member?.email
  if (email === undefined) return { why: noAccessTexts.email }
  if (isStaff(by, { email })) return { why: noAccessTexts.vendor, ...(member && { member }) }
  const wanted: WantedMember = { name: user.name, email, ...access }
  if (member) return { member: await follow({ by, members, user }, member, wanted) }
  const personId = await personWith(by, email)
  const known = [...members.values()].find(
    (one) => one.email === email || (personId !== null && one.personId === personId),
  )
  if (!known) return { member: await admitMember(by, wanted, personId) }
  if (isStaff(by, known)) return { why: noAccessTexts.vendor }
  if (linked.has(known.id)) return { why: noAccessTexts.other }
  return { member: await follow({ by, members, user }, known, wanted) }
}

function follow(
  { by, members, user }: Pick<Deciding, 'by' | 'members'> & { user: AccessRow },
  member: MemberRow,
  wanted: WantedMember,
): Promise<MemberRow> {
  return orLastManager(user, () => followDirectory(by, member, wanted, [...members.values()]))
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

const MemberName = nameLine(100)

/** The name of the member: the first of the possible ones that the users page accepts. */
export function memberNameOf(user: UserValues): string {
  for (const name of namesOf(user)) {
    const read = MemberName.safeParse(name)
    if (read.success && read.data) return read.data
  }
  throw new Fault('invalidValue', 'The user has no name that can be shown: displayName is empty or has a web address.')
}
