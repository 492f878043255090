import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { ApiKey, NewApiKey } from '@caretaker/contract/api-keys.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import {
  keyManagesIntegrations,
  keyPrefix,
  keyStateAt,
  mostKeys,
  roleAdministersUsers,
  rolesForKey,
} from '@caretaker/rules/api-keys/api-keys.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { Creator } from '../../identity/api-keys.ts'
import * as commands from '../../identity/api-key-commands.ts'
import { activeKeysMadeBy, creatorsOf } from '../../identity/api-keys.ts'
import { hashOf, newKey } from '../../identity/secret-keys.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { chosenAccessRightsTag } from '../tags/store.ts'
import type { KeyRow } from './store.ts'
import * as store from './store.ts'

interface Asking {
  tx: TenantTx
  actor: Actor
  person: Recorded
}

const day = 86_400_000

const stateOf = ({ expiresAt, revokedAt }: KeyRow, now: Date) =>
  keyStateAt({ expiresAt: +expiresAt, revokedAt: revokedAt && +revokedAt }, +now)

interface OfKey {
  creator: Creator | undefined
  creatorRemoved: boolean
}

const asApiKey = ({ personId: _, ...row }: KeyRow, { creator, creatorRemoved }: OfKey, now: Date): ApiKey => ({
  ...{ id: row.id, name: row.name, role: row.role, tagIds: row.tagIds, createdBy: row.createdBy },
  administersUsers: row.administersUsers,
  managesIntegrations: row.managesIntegrations,
  creatorId: creator?.memberId ?? null,
  creatorRemoved,
  state: stateOf({ personId: '', ...row }, now),
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  revokedAt: row.revokedAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
})

/** Every key of the tenant: valid ones first, newest first within each group. */
export async function apiKeys(tx: TenantTx, now: Date): Promise<ApiKey[]> {
  const rows = await store.keyRows(tx)
  const creators = await creatorsOf(
    tx,
    rows.map(({ id }) => id),
  )
  const keyOfPerson = new Map(rows.map(({ id, personId }) => [personId, id]))
  /**
   * A key represents its creator: once that user has been removed, keys that it created also have a removed creator.
   */
  const isCreatorRemoved = (id: string): boolean => {
    const creator = creators.get(id)
    if (!creator?.isKey) return creator?.memberId === null
    const maker = keyOfPerson.get(creator.personId ?? '')
    return maker === undefined || isCreatorRemoved(maker)
  }
  const keys = rows.map((row) =>
    asApiKey(row, { creator: creators.get(row.id), creatorRemoved: isCreatorRemoved(row.id) }, now),
  )
  return [...keys.filter(({ state }) => state === 'active'), ...keys.filter(({ state }) => state !== 'active')]
}

/** Creates a key, which is returned only here. Its rights cannot exceed its creator's. */
export async function makeApiKey(
  { tx, actor, person }: Asking,
  { name, role, tagIds, expiresInDays, administersUsers, managesIntegrations }: z.output<typeof NewApiKey>,
  now: Date,
): Promise<{ apiKey: ApiKey; key: string }> {
  const wrong = (field: string, message: string) => refuse('invalid', message, [{ field, message }])
  if (!rolesForKey(actor).includes(role)) throw wrong('role', 'You cannot create an API key with this role.')
  if (administersUsers && !roleAdministersUsers(role))
    throw wrong('administersUsers', 'An API key with this role cannot administer users.')
  if (administersUsers && actor.key && !actor.key.administersUsers)
    throw wrong('administersUsers', 'This API key does not administer users.')
  if (managesIntegrations && actor.key)
    throw wrong('managesIntegrations', 'Only a user can let an API key manage API keys and webhooks.')
  if (managesIntegrations && !keyManagesIntegrations(role, tagIds))
    throw wrong('managesIntegrations', 'Only a key of a manager without tags can manage API keys and webhooks.')
  await store.holdKeys(tx)
  const others = (await store.keyRows(tx)).filter((row) => stateOf(row, now) === 'active')
  const maker = actor.key && others.find(({ personId }) => personId === person.id)
  // Revoked while this call waited.
  if (actor.key && !maker) throw refuse('unauthorized', 'This API key was revoked.')
  const expiresAt = new Date(Math.min(+now + expiresInDays * day, +(maker?.expiresAt ?? Infinity)))
  if (others.length >= mostKeys)
    throw refuse('conflict', `A client can have at most ${mostKeys} API keys. Revoke one that is no longer used.`)
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    throw wrong('name', 'Another API key has this name.')
  const tags = []
  for (const id of new Set(tagIds)) tags.push(await chosenAccessRightsTag(tx, id, 'tagIds'))
  const key = newKey(keyPrefix(tx.tenant))
  const row: KeyRow = {
    ...{ id: randomUUID(), personId: randomUUID(), name, role, tagIds: tags.map(({ id }) => id) },
    administersUsers,
    managesIntegrations,
    ...{ createdAt: now, createdBy: person.name, expiresAt },
    ...{ revokedAt: null, lastUsedAt: null },
  }
  await commands.addApiKey(tx, person, { ...row, tags, hash: hashOf(key) })
  return { apiKey: asApiKey(row, { creator: creatorOf(actor, person.id), creatorRemoved: false }, now), key }
}

const creatorOf = (actor: Actor, personId: string | null): Creator =>
  actor.key ? { personId, memberId: null, isKey: true } : { personId, memberId: actor.memberId, isKey: false }

/** Revokes a key and those that were created with it: calls with them are refused from now on. */
export async function revokeApiKey({ tx, person }: Asking, id: string, now: Date): Promise<void> {
  await store.holdKeys(tx)
  const found = (await store.keyRows(tx)).find((row) => row.id === id)
  if (!found) throw refuse('not found')
  const state = stateOf(found, now)
  if (!(await commands.revokeApiKey(tx, person, { ...found, state }, now))) return
  for (const one of await activeKeysMadeBy(tx, found.personId, now))
    await commands.revokeApiKey(tx, person, { ...one, state: 'active' }, now)
}
