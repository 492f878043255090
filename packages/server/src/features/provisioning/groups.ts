import { randomUUID } from 'node:crypto'
import { Fault } from '@caretaker/rules/provisioning/fault.ts'
import { mostGroups } from '@caretaker/rules/provisioning/member.ts'
import { readOperations } from '@caretaker/rules/provisioning/operations.ts'
import type { GroupChange, MemberChange } from '@caretaker/rules/provisioning/patch-group.ts'
import { mostMembers, readGroup, readGroupChange } from '@caretaker/rules/provisioning/patch-group.ts'
import { projected, returns } from '@caretaker/rules/provisioning/projection.ts'
import { comparedName } from '@caretaker/rules/provisioning/values.ts'
import type { ByDirectory } from '../people/provisioned.ts'
import { applyAccess } from './access.ts'
import { groupConditions } from './conditions.ts'
import type { GroupRow } from './group-store.ts'
import * as groupStore from './group-store.ts'
import type { Query } from './query.ts'
import { groupResource, listResponse, withinBound } from './resources.ts'
import * as store from './store.ts'
import type { Answer } from './users.ts'
import { expectFound, expectVersion } from './versions.ts'

type Wanted = Query['wanted']

const unknownGroup = 'There is no group with this id.'
const taken = (name: string) => new Fault('uniqueness', `Another group has the name ${name}.`)

export async function listGroups(by: ByDirectory, { comparisons, startIndex, count, wanted }: Query) {
  const { tx } = by
  const place = { offset: startIndex - 1, limit: count }
  const { total, rows } = await groupStore.findGroups(tx, groupConditions(tx, comparisons), place)
  const page = returns(wanted, 'members') ? await withinMembers(by, rows) : rows
  return listResponse(total, startIndex, await resourcesOf(by, page, wanted))
}

async function withinMembers({ tx }: ByDirectory, rows: readonly GroupRow[]): Promise<readonly GroupRow[]> {
  const counts = await groupStore.countMembers(
    tx,
    rows.map(({ id }) => id),
  )
  return withinBound(rows, counts)
}

export async function readOne(by: ByDirectory, id: string, wanted: Wanted): Promise<Answer> {
  return answerOf(by, expectFound(await groupStore.groupRow(by.tx, id), unknownGroup), wanted)
}

export async function createGroup(by: ByDirectory, body: unknown, wanted: Wanted): Promise<Answer> {
  const { tx } = by
  const group = readGroup(body)
  await store.holdProvisioning(tx)
  if ((await groupStore.findGroups(tx, [], { offset: 0, limit: 0 })).total >= mostGroups)
    throw new Fault('invalidValue', `A client can have at most ${mostGroups} provisioned groups.`)
  const row = await groupStore.insertGroup(tx, randomUUID(), group, new Date())
  if (!row) throw taken(group.displayName)
  await applyAccess(by, await changeMembers(by, row.id, group.members))
  return answerOf(by, row, wanted)
}

interface Change {
  id: string
  /** The version that the directory has read, as it sends it. */
  ifMatch: string | undefined
  body: unknown
  wanted: Wanted
}

export const replaceGroup = (by: ByDirectory, change: Change): Promise<Answer> =>
  changeGroup(by, change, readGroup(change.body))

export const patchGroup = (by: ByDirectory, change: Change): Promise<Answer> =>
  changeGroup(by, change, readGroupChange(change.id, readOperations(change.body)))

async function changeGroup(by: ByDirectory, { id, ifMatch, wanted }: Change, change: GroupChange): Promise<Answer> {
  const { tx } = by
  await store.holdProvisioning(tx)
  const row = expectFound(await groupStore.groupRow(tx, id), unknownGroup)
  expectVersion(row, ifMatch)
  const { displayName = row.displayName, externalId = row.externalId } = change
  if (await groupStore.isGroupNameTaken(tx, id, displayName)) throw taken(displayName)
  const moved = await changeMembers(by, id, change.members)
  const isRenamed = displayName !== row.displayName
  if (!moved.length && !isRenamed && externalId === row.externalId) return answerOf(by, row, wanted)
  const next = await groupStore.updateGroup(tx, id, { displayName, externalId }, new Date())
  // Another name can give everyone in the group another role.
  const isOther = comparedName(displayName) !== comparedName(row.displayName)
  await applyAccess(by, isOther ? [...new Set([...moved, ...(await groupStore.memberIdsOf(tx, id))])] : moved)
  return answerOf(by, next, wanted)
}

export async function deleteGroup(by: ByDirectory, id: string, ifMatch: string | undefined): Promise<void> {
  const { tx } = by
  await store.holdProvisioning(tx)
  const row = expectFound(await groupStore.groupRow(tx, id), unknownGroup)
  expectVersion(row, ifMatch)
  const members = await groupStore.memberIdsOf(tx, id)
  await groupStore.deleteGroupRow(tx, id)
  await applyAccess(by, members)
}

/** Changes the members of a group; returns the added and removed ones. */
async function changeMembers({ tx }: ByDirectory, id: string, change: MemberChange): Promise<string[]> {
  const [unknown] = change.added.size ? await groupStore.unknownUsers(tx, change.added) : []
  if (unknown !== undefined) throw new Fault('invalidValue', `There is no user with the id ${unknown}.`)
  const moved = await groupStore.changeMembers(tx, id, change)
  const count = (await groupStore.countMembers(tx, [id])).get(id) ?? 0
  if (count > mostMembers) throw new Fault('invalidValue', `A group can have at most ${mostMembers} members.`)
  return [...new Set(moved)]
}

async function answerOf(by: ByDirectory, row: GroupRow, wanted: Wanted): Promise<Answer> {
  const [resource] = await resourcesOf(by, [row], wanted)
  return { version: row.version, resource: resource! }
}

async function resourcesOf({ tx, context }: ByDirectory, rows: readonly GroupRow[], wanted: Wanted) {
  const members = returns(wanted, 'members')
    ? await groupStore.membersOfGroups(
        tx,
        rows.map(({ id }) => id),
      )
    : undefined
  const byGroup = members && Map.groupBy(members, ({ groupId }) => groupId)
  return rows.map((row) => {
    const own = byGroup && (byGroup.get(row.id) ?? [])
    return projected(groupResource(row, own, context.config.origin), wanted)
  })
}
