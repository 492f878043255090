import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { createApiKey, revokeApiKey } from '@caretaker/contract/api-keys.ts'
import {
  createUser,
  deleteUser,
  endViewing,
  resetUserPassword,
  startViewing,
  updateUserDetails,
  updateUserRole,
  updateUserTags,
} from '@caretaker/contract/people.ts'
import { setGroupAccess } from '@caretaker/contract/group-access.ts'
import { createProvisioningKey, revokeProvisioningKey } from '@caretaker/contract/provisioning.ts'
import { getSession } from '@caretaker/contract/session.ts'
import type { SsoConnection } from '@caretaker/contract/single-sign-on.ts'
import {
  addSsoConnection,
  addSsoDomain,
  removeSsoConnection,
  removeSsoDomain,
  updateSsoConnection,
  verifySsoDomain,
} from '@caretaker/contract/single-sign-on.ts'
import { setStartPage } from '@caretaker/contract/views.ts'
import {
  addWebhook,
  deleteWebhook,
  replayWebhook,
  rotateWebhookSecret,
  tryWebhook,
  updateWebhook,
} from '@caretaker/contract/webhooks.ts'
import { schemas } from '@caretaker/rules/provisioning/attributes.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { addAccessRightsTag } from '../testing/furnish/devices.ts'
import { scimWith } from '../testing/scim.ts'
import { startReceiver } from '../testing/webhook-receiver.ts'
import { deliverWebhooks } from '../webhooks/deliver.ts'
import { openPoster } from '../webhooks/post.ts'
import { openReach } from '../webhooks/reach.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const params = { tenant }
let app: TestApp
let managerId: string
let east: string
beforeAll(async () => {
  app = await testApp({ CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1' })
  await app.addTenant(tenant)
  managerId = await app.addMember(tenant, manager, 'Manager')
  assert.equal((await app.send(getSession, {}, manager)).status, 200)
  east = await addAccessRightsTag(app, tenant, 'East')
})
afterAll(() => app.close())

const query = async <T extends object>(text: string, values: unknown[] = []) =>
  (await app.database.owner.query<T>(text, [tenant, ...values])).rows
/** The positions of the newest announcement and of the newest audit entry. */
const positions = async () =>
  (
    await query<{ seq: number; entries: number }>(
      `select (select coalesce(max(seq), 0) from change where tenant_id = $1) as seq,
         (select count(*) from audit_entry where tenant_id = $1) as entries`,
    )
  )[0]!

interface Consequences {
  /** The announced subjects, each with its ids; without those of mails, which have their own tests. */
  announced: Record<string, string[] | null>
  /** The audit actions in order, each with the name of its subject. */
  audited: string[]
}

/** The answer of a call that must succeed, and its consequences. */
async function after<T extends { status: number }>(work: () => Promise<T>): Promise<[answer: T, Consequences]> {
  const { seq, entries: known } = await positions()
  const answer = await work()
  assert.ok(answer.status >= 200 && answer.status < 300, JSON.stringify(answer))
  const feed = await query<{ subject: string; ids: string[] | null; audience: string[] | null }>(
    `select subject, ids, audience from change where tenant_id = $1 and seq > $2 and subject <> 'mail' order by subject`,
    [seq],
  )
  const entries = await query<{ action: string; name: string }>(
    `select action, subject_name as name from audit_entry where tenant_id = $1 order by at, id offset $2`,
    [known],
  )
  const announced: Consequences['announced'] = {}
  for (const { subject, ids, audience } of feed)
    announced[audience ? `${subject} for ${audience.join()}` : subject] = ids
  return [answer, { announced, audited: entries.map(({ action, name }) => `${action}: ${name}`) }]
}

const leads = async <T extends { status: number }>(
  work: () => Promise<T>,
  announced: Consequences['announced'],
  ...audited: string[]
): Promise<T> => {
  const [answer, found] = await after(work)
  assert.deepEqual(found, { announced: { ...announced, ...(audited.length && { audit: null }) }, audited })
  return answer
}

async function invite(name: string, email: string): Promise<string> {
  const body = { name, email, role: 'Guest' as const, tags: [] }
  const [{ body: user }, found] = await after(() => app.send(createUser, { params, body }, manager))
  assert.deepEqual(found, { announced: { user: [user.id], audit: null }, audited: [`user created: ${name}`] })
  return user.id
}

test('changes of users are announced and in the audit log', async () => {
  const id = await invite('Ann', 'ann@north.test')
  const of = { params: { tenant, id } }
  const change = { user: [id] }
  const details = (body: { name: string; email: string }) => () => app.send(updateUserDetails, { ...of, body }, manager)
  await leads(details({ name: 'Ann Bell', email: 'ann@north.test' }), change, 'user details changed: Ann')
  await leads(details({ name: 'Ann Bell', email: 'bell@north.test' }), change, 'user details changed: Ann Bell')
  await leads(
    () => app.send(updateUserRole, { ...of, body: { role: 'LightingEngineer' } }, manager),
    change,
    'user role changed: Ann Bell',
  )
  await leads(
    () => app.send(updateUserTags, { ...of, body: { tags: [east] } }, manager),
    change,
    'user tags changed: Ann Bell',
  )
  await leads(() => app.send(resetUserPassword, of, manager), {}, 'password reset sent: Ann Bell')
  // The invitation ends with the first sign-in.
  await leads(() => app.send(getSession, {}, 'bell@north.test'), change)
  await leads(() => app.send(setStartPage, { body: { tenant, viewId: null } }, manager), {
    [`view for ${managerId}`]: null,
  })
  await leads(() => app.send(deleteUser, of, manager), { ...change, view: null }, 'user deleted: Ann Bell')
})

test('a second membership of one person ends at the next sign-in, announced and in the audit log', async () => {
  const email = 'twin@north.test'
  await app.addMember(tenant, email, 'Guest')
  assert.equal((await app.send(getSession, {}, email)).status, 200)
  const [second] = await query<{ id: string }>(
    `insert into membership (tenant_id, id, email, name, role)
     values ($1, gen_random_uuid(), 'second@north.test', 'Second', 'Guest') returning id`,
  )
  await query('insert into invitation (tenant_id, membership_id, email) values ($1, $2, $3)', [second!.id, email])
  await leads(() => app.send(getSession, {}, email), { user: [second!.id] }, 'user deleted: Second')
})

test('views of the portal as a user are in the audit log when they begin and end', async () => {
  const id = await invite('Guest', 'guest@north.test')
  const of = { params: { tenant, id } }
  const start = () => app.send(startViewing, of, manager)
  const [started, ended] = ['viewing as user started: Guest', 'viewing as user ended: Guest']
  const { body } = await leads(start, {}, started)
  const viewingId = body.viewingId
  await leads(() => app.send(endViewing, { params: { tenant, viewingId } }, manager), {}, ended)
  await leads(start, {}, started)
  await leads(start, {}, ended, started)
  // The deletion is recorded before the views that end with it.
  await leads(() => app.send(deleteUser, of, manager), { user: [id], view: null }, ...['user deleted: Guest', ended])
})

test('changes of API keys are announced and in the audit log', async () => {
  const wanted = { role: 'Manager' as const, tagIds: [], expiresInDays: 3, administersUsers: false }
  const create = (name: string, bend = {}, managesIntegrations = false) =>
    after(() => app.send(createApiKey, { params, body: { ...wanted, name, managesIntegrations } }, manager, bend))
  const [first, found] = await create('Desk', {}, true)
  const { apiKey, key } = first.body
  assert.deepEqual(found, { announced: { 'api key': [apiKey.id], audit: null }, audited: ['API key made: Desk'] })
  const [{ body: made }] = await create('Made with it', { headers: { authorization: `Bearer ${key}` } })
  const [, revoked] = await after(() => app.send(revokeApiKey, { params: { tenant, keyId: apiKey.id } }, manager))
  const ids = new Set(revoked.announced['api key'])
  assert.deepEqual(ids, new Set([apiKey.id, made.apiKey.id]))
  assert.deepEqual(revoked.audited, ['API key revoked: Desk', 'API key revoked: Made with it'])
})

test('changes of webhooks and the end of their deliveries are announced; changes are in the audit log', async () => {
  const receiver = await startReceiver()
  try {
    const settings = { name: 'Desk', url: `${receiver.url}/desk`, events: ['device.statusChanged' as const] }
    const [{ body }, added] = await after(() => app.send(addWebhook, { params, body: settings }, manager))
    const id = body.endpoint.id
    const change = { webhook: [id] }
    assert.deepEqual(added, { announced: { ...change, audit: null }, audited: ['webhook added: Desk'] })
    const of = { params: { tenant, endpointId: id } }
    const update = (more: { name?: string; enabled: boolean }) => () =>
      app.send(updateWebhook, { ...of, body: { ...settings, ...more } }, manager)
    await leads(update({ name: 'Help desk', enabled: true }), change, 'webhook changed: Help desk')
    await leads(() => app.send(rotateWebhookSecret, of, manager), change, 'webhook secret rotated: Help desk')
    const deliver = (config = app.context.config) =>
      deliverWebhooks(
        { ...app.context, config },
        new AbortController().signal,
        openPoster(openReach(config.webhookNetworks), { timeout: 10_000 }),
      )
    const delivery = async (config?: typeof app.context.config) => ({ status: 200, attempts: await deliver(config) })
    const attempt = () => app.send(tryWebhook, of, manager)
    await leads(attempt, change)
    assert.equal((await leads(delivery, change)).attempts, 1)
    await leads(attempt, change)
    await leads(() => delivery({ ...app.context.config, outbound: false }), change)
    const period = { from: new Date(Date.now() - 60_000), onlyUndelivered: false }
    await leads(
      () => app.send(replayWebhook, { ...of, body: period as never }, manager),
      {},
      'webhook messages sent again: Help desk',
    )
    // It answers that it is gone.
    await leads(attempt, change)
    receiver.on('/desk', (_, response) => response.writeHead(410).end())
    await leads(delivery, change, 'webhook disabled: Help desk')
    await leads(update({ enabled: true }), change, 'webhook changed: Desk')
    await leads(() => app.send(deleteWebhook, of, manager), change, 'webhook deleted: Desk')
  } finally {
    await receiver.close()
  }
})

test('changes of provisioned users and groups, and of their keys, are announced; keys are in the audit log', async () => {
  const [{ body: made }, found] = await after(() => app.send(createProvisioningKey, { params }, manager))
  const keys = { 'api key': [made.id] }
  assert.deepEqual(found, { announced: { ...keys, audit: null }, audited: ['provisioning key made: north'] })
  const scim = scimWith(app, made.key)
  const user = { schemas: [schemas.user], userName: 'sam@north.test', active: true, displayName: 'Sam' }
  const [{ body: sam }, added] = await after(() => scim('POST', '/Users', user))
  assert.deepEqual(added, { announced: { user: [sam['id']] }, audited: [] })
  const change = { user: [sam['id'] as string] }
  await leads(() => scim('PUT', `/Users/${sam['id']}`, { ...user, displayName: 'Samira' }), change)
  const group = { schemas: [schemas.group], displayName: 'Desk', members: [{ value: sam['id'] }] }
  const [{ body: desk }, grouped] = await after(() => scim('POST', '/Groups', group))
  assert.deepEqual(grouped, { announced: { user: [desk['id']] }, audited: [] })
  const ofGroup = { user: [desk['id'] as string] }
  await leads(() => scim('PUT', `/Groups/${desk['id']}`, { ...group, displayName: 'Help desk' }), ofGroup)
  await leads(() => scim('DELETE', `/Groups/${desk['id']}`), ofGroup)
  await leads(() => scim('DELETE', `/Users/${sam['id']}`), change)
  const revoke = { params: { tenant, keyId: made.id } }
  await leads(() => app.send(revokeProvisioningKey, revoke, manager), keys, 'provisioning key revoked: north')
})

test('changes of single sign-on and of the roles of groups are announced and in the audit log', async () => {
  const change = { client: null }
  const rows = [{ group: 'Desk', role: 'Guest' as const, tags: [] }]
  await leads(
    () => app.send(setGroupAccess, { params, body: { rows } }, manager),
    change,
    'group access changed: north',
  )
  await leads(() => app.send(setGroupAccess, { params, body: { rows } }, manager), {})
  const settings = {
    ...{ name: 'North ID', issuer: 'https://id.north.example', clientId: 'caretaker', groupClaim: 'groups' },
    ...{ isRequired: false, checksSecondFactor: false, createsMembers: false },
  }
  const { body } = await leads(
    () => app.send(addSsoConnection, { params, body: { ...settings, clientSecret: 'a secret' } }, manager),
    change,
    'single sign-on added: north',
  )
  const of = { params: { tenant, connectionId: (body as SsoConnection).id } }
  const renamed = { ...settings, name: 'North' }
  await leads(
    () => app.send(updateSsoConnection, { ...of, body: renamed }, manager),
    change,
    'single sign-on changed: north',
  )
  const domain = 'north.example'
  const added = () => app.send(addSsoDomain, { ...of, body: { domain } }, manager)
  await leads(added, change, 'single sign-on domain added: north')
  const ofDomain = { params: { ...of.params, domain } }
  // The record is not there: the page shows when it was looked up.
  app.context.resolveTxt = async () => [['v=spf1 -all']]
  await leads(() => app.send(verifySsoDomain, ofDomain, manager), change)
  await leads(() => app.send(removeSsoDomain, ofDomain, manager), change, 'single sign-on domain removed: north')
  await leads(() => app.send(removeSsoConnection, of, manager), change, 'single sign-on removed: north')
})
