import { randomUUID } from 'node:crypto'
import type { Attributes } from '@caretaker/rules/provisioning/attributes.ts'
import { Fault } from '@caretaker/rules/provisioning/fault.ts'
import { emailOf, mostUsers } from '@caretaker/rules/provisioning/member.ts'
import { readOperations } from '@caretaker/rules/provisioning/operations.ts'
import { patchedUser } from '@caretaker/rules/provisioning/patch-user.ts'
import { projected, returns } from '@caretaker/rules/provisioning/projection.ts'
import type { UserValues } from '@caretaker/rules/provisioning/values.ts'
import { readUser } from '@caretaker/rules/provisioning/values.ts'
import type { ProvisionedUser } from '../../people/provisioned-users.ts'
import { addProvisionedUser, changeProvisionedUser, deleteProvisionedUser } from '../../people/provisioned-users.ts'
import type { ByDirectory } from '../people/provisioned.ts'
import { applyAccess, endAccess, memberNameOf } from './access.ts'
import { userConditions } from './conditions.ts'
import type { Query } from './query.ts'
import { listResponse, userResource, withinBound } from './resources.ts'
import * as store from './store.ts'
import { expectFound, expectVersion } from './versions.ts'

type Wanted = Query['wanted']

const unknownUser = 'There is no user with this id.'
const taken = (userName: string) => new Fault('uniqueness', `Another user has the user name ${userName}.`)

export async function listUsers(by: ByDirectory, { comparisons, startIndex, count, wanted }: Query) {
  const place = { offset: startIndex - 1, limit: count }
  const { total, rows } = await store.findUsers(by.tx, userConditions(by.tx, comparisons), place)
  const page = returns(wanted, 'groups') ? withinBound(rows, await store.countGroups(by.tx, idsOf(rows))) : rows
  return listResponse(total, startIndex, await resourcesOf(by, page, wanted))
}

const idsOf = (rows: readonly ProvisionedUser[]) => rows.map(({ id }) => id)

export async function readOne(by: ByDirectory, id: string, wanted: Wanted): Promise<Answer> {
  return answerOf(by, expectFound(await store.userRow(by.tx, id), unknownUser), wanted)
}

export async function createUser(by: ByDirectory, body: unknown, wanted: Wanted): Promise<Answer> {
  const { tx } = by
  const user = readUser(body)
  await store.holdProvisioning(tx)
  if ((await store.countUsers(tx)) >= mostUsers)
    throw new Fault('invalidValue', `A client can have at most ${mostUsers} provisioned users.`)
  const row = await addProvisionedUser(tx, randomUUID(), { ...user, name: memberNameOf(user) }, new Date())
  if (!row) throw taken(user.userName)
  return afterChange(by, { row }, wanted)
}

interface Change {
  id: string
  /** The version that the directory has read, as it sends it. */
  ifMatch: string | undefined
  body: unknown
  wanted: Wanted
}

export const replaceUser = (by: ByDirectory, change: Change): Promise<Answer> =>
  changeUser(by, change, (row) => readUser(change.body, row.active))

export function patchUser(by: ByDirectory, change: Change): Promise<Answer> {
  const operations = readOperations(change.body)
  return changeUser(by, change, (row) => patchedUser(row, row.id, operations))
}

async function changeUser(
  by: ByDirectory,
  { id, ifMatch, wanted }: Change,
  changeOf: (row: ProvisionedUser) => UserValues,
): Promise<Answer> {
  const { tx } = by
  await store.holdProvisioning(tx)
  const row = expectFound(await store.userRow(tx, id), unknownUser)
  expectVersion(row, ifMatch)
  const next = changeOf(row)
  if (isSame(row, next)) return answerOf(by, row, wanted)
  if (await store.isUserNameTaken(tx, id, next.userName)) throw taken(next.userName)
  const user = { ...next, name: memberNameOf(next) }
  return afterChange(by, { row: await changeProvisionedUser(tx, id, user, new Date()), before: row }, wanted)
}

export async function deleteUser(by: ByDirectory, id: string, ifMatch: string | undefined): Promise<void> {
  const { tx } = by
  await store.holdProvisioning(tx)
  const row = expectFound(await store.userRow(tx, id), unknownUser)
  expectVersion(row, ifMatch)
  const rows = await store.accessRows(tx, [id])
  await endAccess(
    by,
    rows.find((one) => one.id === id)!,
  )
  await deleteProvisionedUser(tx, id)
  await applyAccess(by, await store.usersWaitingFor(tx, emailsOf(row)))
}

async function afterChange(
  by: ByDirectory,
  { row, before }: { row: ProvisionedUser; before?: ProvisionedUser },
  wanted: Wanted,
): Promise<Answer> {
  await applyAccess(by, [row.id])
  if (before) await applyAccess(by, await store.usersWaitingFor(by.tx, emailsOf(before)))
  return answerOf(by, row, wanted)
}

/** A resource with its version. */
export interface Answer {
  version: number
  resource: Attributes
}

async function answerOf(by: ByDirectory, row: ProvisionedUser, wanted: Wanted): Promise<Answer> {
  const [resource] = await resourcesOf(by, [row], wanted)
  return { version: row.version, resource: resource! }
}

async function resourcesOf({ tx, context }: ByDirectory, rows: readonly ProvisionedUser[], wanted: Wanted) {
  const groups = returns(wanted, 'groups') ? await store.groupsOfUsers(tx, idsOf(rows)) : []
  const byUser = Map.groupBy(groups, ({ userId }) => userId)
  return rows.map((row) => {
    return projected(userResource(row, byUser.get(row.id) ?? [], context.config.origin), wanted)
  })
}

const emailsOf = (user: UserValues) => [emailOf(user) ?? []].flat()

const isSame = (row: ProvisionedUser, next: UserValues) => textOf(row) === textOf(next)

function textOf({ userName, externalId, active, attributes }: UserValues): string {
  return JSON.stringify([userName, externalId, active, sorted(attributes)])
}

/** The database returns the keys of an object in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, one]) => [name, sorted(one)] as const)
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
