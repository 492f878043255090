import type { Attributes } from './attributes.ts'
import { groupDefinitions, schemas } from './attributes.ts'
import { Fault } from './fault.ts'
import type { AttributePath } from './filter.ts'
import { parsePath } from './filter.ts'
import type { Operation } from './operations.ts'
import { externalId, isObject, readAttributes, readValue } from './values.ts'

/** Maximum users in a group. */
export const mostMembers = 5000

/** The changes that a request makes to a group. A group can have thousands of members, so they are not read for it. */
export interface GroupChange {
  displayName?: string
  externalId?: string | null
  members: MemberChange
}

/** With `isReplaced`, `added` are all members; otherwise members are added and removed. Both are ids in lower case. */
export interface MemberChange {
  isReplaced: boolean
  added: Set<string>
  removed: Set<string>
}

/** Reads a new or replaced group from a request. */
export function readGroup(body: unknown): Required<GroupChange> {
  if (!isObject(body)) throw new Fault('invalidSyntax', 'The body must be a JSON object.')
  const names = groupDefinitions.filter(({ name }) => name !== 'members')
  const { displayName, externalId: external } = readAttributes([...names, externalId], body)
  const members = Object.entries(body).find(([name]) => name.toLowerCase() === 'members')?.[1]
  return {
    displayName: expectName(displayName),
    externalId: typeof external === 'string' ? external : null,
    members: { isReplaced: true, added: new Set(idsIn(members)), removed: new Set() },
  }
}

/** Reads the changes that operations make to a group. */
export function readGroupChange(id: string, operations: readonly Operation[]): GroupChange {
  const change: GroupChange = { members: { isReplaced: false, added: new Set(), removed: new Set() } }
  for (const { op, path, value } of operations) {
    if (path !== undefined) applyAt(change, id, parsePath(path), { op, value })
    else if (op === 'remove') throw new Fault('noTarget', 'A remove operation needs a path.')
    else if (!isObject(value))
      throw new Fault('invalidValue', 'The value of an operation without a path must be an object.')
    else
      for (const [name, one] of Object.entries(value))
        if (!['schemas', 'meta'].includes(name.toLowerCase())) applyAt(change, id, parsePath(name), { op, value: one })
  }
  return change
}

type Change = Pick<Operation, 'op' | 'value'>

function applyAt(change: GroupChange, id: string, path: AttributePath, { op, value }: Change): void {
  if (path.schema !== undefined && path.schema !== schemas.group.toLowerCase())
    throw new Fault('invalidPath', `Unknown schema: ${path.schema}`)
  if (path.attribute === 'members') return applyToMembers(change.members, path, { op, value })
  if (path.values || path.sub !== undefined) throw new Fault('invalidPath', `Unknown path: ${path.attribute}`)
  if (path.attribute === 'id') {
    // Okta sends the id with the name.
    if (op === 'remove' || value !== id) throw new Fault('mutability', 'id cannot be changed.')
  } else if (path.attribute === 'displayname') {
    if (op === 'remove') throw new Fault('mutability', 'displayName is required.')
    change.displayName = expectName(readValue(groupDefinitions[0]!, value))
  } else if (path.attribute === 'externalid') {
    const read = op === 'remove' ? undefined : readValue(externalId, value)
    change.externalId = typeof read === 'string' ? read : null
  } else if (path.attribute === 'meta' || path.attribute === 'schemas')
    throw new Fault('mutability', `${path.attribute} cannot be changed.`)
  else throw new Fault('invalidPath', `Unknown attribute: ${path.attribute}`)
}

function applyToMembers(members: MemberChange, path: AttributePath, { op, value }: Change): void {
  if (path.sub !== undefined) throw new Fault('invalidPath', `A part of a member has no path of its own: ${path.sub}`)
  const named = path.values && selectedIds(path)
  if (op === 'add' || op === 'replace') {
    if (named) throw new Fault('mutability', 'A member cannot be changed; add it or remove it.')
    // An empty list removes all members; a missing value would do the same by mistake.
    if (value === undefined || value === null) throw new Fault('invalidValue', 'The value must be a list of members.')
    if (op === 'replace') start(members)
    for (const id of idsIn(value)) {
      members.added.add(id)
      members.removed.delete(id)
    }
    return
  }
  // Entra ID lists the members to remove in the value.
  const ids = named ?? (value === undefined || value === null ? undefined : idsIn(value))
  if (!ids) return start(members)
  for (const id of ids) {
    members.added.delete(id)
    if (!members.isReplaced) members.removed.add(id)
  }
}

/** From here on, no former member is kept. */
function start(members: MemberChange): void {
  members.isReplaced = true
  members.added.clear()
  members.removed.clear()
}

function selectedIds({ values }: AttributePath): string[] {
  const [one, ...others] = values ?? []
  if (!one || others.length || one.attribute !== 'value' || typeof one.value !== 'string')
    throw new Fault('invalidFilter', 'Select members with value eq and an id.')
  return [one.value.toLowerCase()]
}

function expectName(name: unknown): string {
  if (typeof name !== 'string' || name.trim() === '') throw new Fault('invalidValue', 'displayName is required.')
  if (name.trim().length > longestName)
    throw new Fault('invalidValue', `displayName can have at most ${longestName} characters.`)
  return name.trim()
}
const longestName = 256

function idsIn(value: unknown): string[] {
  if (value === undefined || value === null) return []
  const list = Array.isArray(value) ? (value as unknown[]) : [value]
  if (list.length > mostMembers) throw new Fault('invalidValue', `A group can have at most ${mostMembers} members.`)
  return list.map((one) => {
    const id = isObject(one) ? (one as Attributes)['value'] : one
    if (typeof id !== 'string') throw new Fault('invalidValue', 'A member needs its id in value.')
    return id.toLowerCase()
  })
}
