import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { chargeTime } from '@caretaker/rules/lighting/runs.ts'
import { detailSubjects } from '@caretaker/rules/changes/changes.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { beforeCommit, enter, inTenant, inTransaction } from '../postgres/tenant.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { addDevice } from '../testing/furnish/devices.ts'
import { auditEntriesOf } from './audit-trail.ts'
import { changesOf, startPagesOf } from './change-feed.ts'
import { movedDevicesOf } from './copied-places.ts'
import { dueWorkOf } from './due-work.ts'
import type { DomainEvent } from './event.ts'
import { propertyEventTypes } from './events/properties.ts'
import { homesOf } from './marked-homes.ts'
import type { Projection } from './projections.ts'
import { projections, runProjections } from './projections.ts'
import { project, record } from './record.ts'
import { messageOf } from './webhook-outbox.ts'

const tenant = 'north'
let app: TestApp
let device: string
const home = randomUUID()
const building = randomUUID()
const statements: string[] = []
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) await app.addTenant(id)
  device = await addDevice(app, tenant)
  const { owner } = app.database
  await owner.query(`insert into building (tenant_id, id, name) values ($1, $2, 'Court')`, [tenant, building])
  await owner.query(`insert into property (tenant_id, id, reference) values ($1, $2, 'N-1')`, [tenant, home])
  await owner.query('update device set building_id = $2 where id = $1', [device, building])
  await owner.query(
    `insert into webhook_endpoint (tenant_id, id, name, url, events, secret, created_at, created_by)
      values ($1, gen_random_uuid(), 'A test', 'https://example.org', $2, 'x', now(), 'A test')`,
    [tenant, ['device.statusChanged']],
  )
  const seen = new WeakSet<object>()
  app.database.app.on('acquire', (client) => {
    if (seen.has(client)) return
    seen.add(client)
    const query = client.query.bind(client) as (...sent: unknown[]) => unknown
    client.query = ((...sent: unknown[]) => {
      const [first] = sent as [string | { text?: string }]
      statements.push((typeof first === 'string' ? first : first.text) ?? '')
      return query(...sent)
    }) as typeof client.query
  })
})
afterAll(() => app.close())

const by = { id: null, name: 'A test' }
const named = () => ({ deviceId: device, serial: 'EM1', by, before: null, after: { room: 'Hall' } })
const nowhere = { buildingId: null, floorId: null, propertyId: null }
const moved = (): DomainEvent => ({
  ...{ type: 'DeviceMoved', ...named() },
  ...{ from: { ...nowhere, propertyId: home }, to: { ...nowhere, buildingId: building } },
})
const turned = (): DomainEvent => ({
  ...{ type: 'DeviceStatusChanged', deviceId: device, before: 'Ok', after: 'FailedDevice', at: new Date() },
})

class RolledBack extends Error {}

/** The tables that a list of projections writes, by statement, always from the same state of the database. */
async function tablesOf(list: readonly Projection[]): Promise<string[]> {
  const from = statements.length
  const trial = inTenant(app.database.db, tenant, async (tx) => {
    await runProjections(tx, [moved(), turned()], list)
    throw new RolledBack()
  })
  await assert.rejects(trial, RolledBack)
  return statements
    .slice(from)
    .flatMap((text) => /(?:insert into|update) "?(\w+)|from "?(due|webhook_endpoint)/i.exec(text)?.slice(1) ?? [])
    .filter(Boolean)
}

const correct = async () => (await tablesOf(projections)).join()

test('each projection writes its rows once, in the fixed order', async () => {
  const tables = await tablesOf(projections)
  const first = (table: string) => tables.indexOf(table)
  const order = ['device', 'audit_entry', 'property_retagged', 'webhook_message', 'due', 'change'].map(first)
  assert.ok(!order.includes(-1), tables.join())
  for (const table of ['device', 'audit_entry', 'property_retagged', 'webhook_message'])
    assert.equal(tables.filter((one) => one === table).length, 1, `${table}: ${tables.join()}`)
  // The webhook outbox makes its deliveries due itself.
  assert.deepEqual(tables.filter((one) => one !== 'due').slice(0, 3), ['device', 'audit_entry', 'property_retagged'])
  assert.equal(
    tables.findLastIndex((one) => one === 'change'),
    tables.length - 1,
  )
})

test.each(projections.map((one, at) => [one.name, at] as const))(
  'a fault in %s shows: left out, run twice, in the place of its neighbour',
  async (_, at) => {
    const right = await correct()
    assert.notEqual((await tablesOf(projections.toSpliced(at, 1))).join(), right, 'left out')
    assert.notEqual((await tablesOf(projections.toSpliced(at, 0, projections[at]!))).join(), right, 'run twice')
    const neighbour = at ? at - 1 : 1
    const swapped = projections.with(at, projections[neighbour]!).with(neighbour, projections[at]!)
    assert.notEqual((await tablesOf(swapped)).join(), right, 'in the place of its neighbour')
  },
)

const rows = async (table: string, of = tenant) =>
  Number((await app.database.owner.query(`select count(*) from ${table} where tenant_id = $1`, [of])).rows[0].count)

test('many events of one type become one statement, written at the end of the transaction', async () => {
  const [before, from] = [await rows('audit_entry'), statements.length]
  await inTenant(app.database.db, tenant, async (tx) => {
    for (let count = 0; count < 20; count++) record(tx, [moved()])
    assert.ok(!statements.slice(from).some((text) => text.includes('audit_entry')))
  })
  assert.equal(statements.slice(from).filter((text) => text.includes('insert into audit_entry')).length, 1)
  assert.equal(await rows('audit_entry'), before + 20)
})

test('a failed transaction projects nothing, and a failed projection fails the transaction', async () => {
  const before = await rows('audit_entry')
  const fails = inTenant(app.database.db, tenant, async (tx) => {
    record(tx, [moved()])
    throw new RolledBack()
  })
  await assert.rejects(fails, RolledBack)
  const wrong = { ...moved(), serial: null as unknown as string } as DomainEvent
  await assert.rejects(
    inTenant(app.database.db, tenant, async (tx) => record(tx, [moved(), wrong])),
    /null/,
  )
  assert.equal(await rows('audit_entry'), before)
})

test("a transaction that visits several tenants writes each tenant's events there", async () => {
  const before = [await rows('audit_entry'), await rows('audit_entry', 'south')]
  await inTransaction(app.database.db, async (transaction) => {
    record(await enter(transaction, tenant), [moved()])
    record(await enter(transaction, 'south'), [{ ...moved(), deviceId: randomUUID() } as DomainEvent])
  })
  assert.deepEqual(
    [await rows('audit_entry'), await rows('audit_entry', 'south')],
    before.map((count) => count + 1),
  )
})

test('events are recorded only in transactions, and never by a projection', async () => {
  assert.throws(() => record({ tenant } as TenantTx, [moved()]), /opened by postgres/)
  const records: Projection = async (tx) => record(tx, [turned()])
  const inside = (work: (tx: TenantTx) => Promise<void>) => inTenant(app.database.db, tenant, work)
  await assert.rejects(
    inside((tx) => project(tx, [moved()], [records])),
    /A projection recorded an event/,
  )
  await assert.rejects(
    inside(async (tx) => beforeCommit(tx, () => records(tx, []))),
    /Work was added/,
  )
})

test('what events result in', () => {
  const tag = randomUUID()
  const events: DomainEvent[] = [
    { type: 'DeviceCreated', ...named() },
    { type: 'DeviceRemoved', ...named(), propertyId: home },
    { type: 'DeviceInstalled', ...named() },
    { type: 'DeviceUninstalled', ...named(), propertyId: null, accessRightsTagId: tag },
    moved(),
    { type: 'DeviceShifted', ...named() },
    { type: 'DeviceImported', deviceId: device, leftPropertyId: home },
    { type: 'DeviceTagsChanged', ...named() },
    { type: 'DeviceAccessRightsTagChanged', ...named(), beforeTagId: null, afterTagId: tag },
    { type: 'DeviceTagDeleted', deviceId: device },
    { type: 'DeviceTagRenamed', deviceId: device },
    { type: 'DeviceAddressChanged', deviceId: device },
    turned(),
    { type: 'DeviceConditionsChanged', deviceId: device },
    { type: 'DeviceConnectionChanged', deviceId: device, before: 'Online', after: 'Offline', at: new Date(5) },
    { type: 'DeviceStateReported', deviceId: device, isListed: false, monitoring: null },
    { type: 'DeviceStateReported', deviceId: device, isListed: true, monitoring: 'Boiler' },
    { type: 'DeviceBatteryEmptied', deviceId: device, at: new Date(7) },
    { type: 'DeviceDesiredStateChanged', deviceId: device },
    { type: 'DeviceLastTestChanged', deviceId: device },
    { type: 'DeviceChecksChanged', deviceId: device },
    { type: 'DeviceKeyMade', ...named() },
    { type: 'DeviceKeyReplaced', ...named() },
    { type: 'DeviceKeyRevoked', ...named() },
  ]
  const found = events.map((event) => [
    event.type,
    ...auditEntriesOf([event]).map(({ action }) => `audit: ${action}`),
    ...[...changesOf([event]).keys()].filter((subject) => subject !== 'audit'),
    ...(messageOf(event) ? [messageOf(event)!.event] : []),
    ...[...dueWorkOf([event]).keys()]
      .filter((work) => work !== 'settle homes' && work !== 'forget audit')
      .map((work) => `due: ${work}`),
    ...(movedDevicesOf([event]).length ? ['places'] : []),
    ...homesOf([event]).deviceIds.map(() => 'home'),
    ...homesOf([event]).leftIds.map(() => 'left home'),
  ])
  assert.deepEqual(found, [
    ['DeviceCreated', 'audit: device added', 'device', 'places', 'home'],
    ['DeviceRemoved', 'audit: device removed', 'device', 'left home'],
    ['DeviceInstalled', 'audit: device installed', 'device', 'device state'],
    ['DeviceUninstalled', 'audit: device uninstalled', 'device', ...detailSubjects, 'reach', 'due: erase readings'],
    ['DeviceMoved', 'audit: device moved', 'device', 'places', 'home', 'left home'],
    ['DeviceShifted', 'audit: device moved', 'device'],
    ['DeviceImported', 'device', 'places', 'home', 'left home'],
    ['DeviceTagsChanged', 'audit: device tags changed', 'device', 'home'],
    ['DeviceAccessRightsTagChanged', 'audit: device access rights tag changed', 'device', 'reach', 'home'],
    ['DeviceTagDeleted', 'device', 'home'],
    ['DeviceTagRenamed', 'device'],
    ['DeviceAddressChanged', 'device', 'places'],
    ['DeviceStatusChanged', 'device', 'device.statusChanged'],
    ['DeviceConditionsChanged', 'device'],
    ['DeviceConnectionChanged', 'device', 'device.connectionChanged'],
    ['DeviceStateReported', 'device state'],
    ['DeviceStateReported', 'device', 'due: count due days'],
    ['DeviceBatteryEmptied', 'due: watch charge'],
    ['DeviceDesiredStateChanged', 'device state'],
    ['DeviceLastTestChanged', 'device'],
    ['DeviceChecksChanged', 'device'],
    ['DeviceKeyMade', 'audit: device key made', 'device state'],
    ['DeviceKeyReplaced', 'audit: device key replaced', 'device state'],
    ['DeviceKeyRevoked', 'audit: device key revoked', 'device state'],
  ])
  for (const type of propertyEventTypes) {
    const event: DomainEvent = { type, propertyId: home }
    assert.deepEqual(changesOf([event]), new Map([['property', new Set([home])]]), type)
    assert.deepEqual([...dueWorkOf([event]).keys()], ['settle homes'], type)
    assert.deepEqual([auditEntriesOf([event]), messageOf(event), movedDevicesOf([event])], [[], undefined, []], type)
    assert.deepEqual(homesOf([event]), { deviceIds: [], leftIds: [] }, type)
  }
  assert.deepEqual(
    dueWorkOf([{ type: 'DeviceBatteryEmptied', deviceId: device, at: new Date(7) }]),
    new Map([['watch charge', new Date(7 + chargeTime)]]),
  )
  for (const event of events)
    assert.equal(dueWorkOf([event]).has('settle homes'), changesOf([event]).has('device'), event.type)
  const shifted: DomainEvent = { ...{ type: 'DeviceMoved', ...named() }, from: nowhere, to: nowhere }
  // Its copies are written again: placeDevice clears them with every new room or location.
  assert.deepEqual([movedDevicesOf([shifted]), homesOf([shifted])], [[device], { deviceIds: [], leftIds: [] }])
})

/** The feed, audit entries and due work of events. */
const resultsOf = (events: readonly DomainEvent[]) => ({
  feed: Object.fromEntries([...changesOf(events)].map(([subject, ids]) => [subject, ids && [...ids]])),
  audit: auditEntriesOf(events).map(({ action, subject, before, after }) => [action, subject, before, after]),
  due: Object.fromEntries([...dueWorkOf(events)].filter(([work]) => work !== 'forget audit')),
})

test('events of test runs and groups lead to feed rows, audit entries and due work', () => {
  const [groupId, other] = [randomUUID(), randomUUID()]
  const [sooner, first, then] = [new Date(2000), new Date(5000), new Date(9000)]
  const group = { groupId, groupName: 'Stairs', by, before: null, after: { lights: ['EM1'] } }
  const ofGroup = { type: 'group', id: groupId, name: 'Stairs' }
  const ofLight = { type: 'device', id: device, name: 'EM1' }
  const found = (...events: DomainEvent[]) => resultsOf(events)
  const nothing = { feed: {}, audit: [], due: {} }

  const planned = [then, first].map((firstStartsAt) => ({ type: 'TestRunsPlanned', firstStartsAt }) as const)
  assert.deepEqual(found(...planned), { ...nothing, due: { 'run tests': first } })
  assert.deepEqual(found({ type: 'TestRunRepeated', groupId, startsAt: sooner, deviceIds: [device] }, ...planned), {
    feed: { group: [groupId], 'device tests': [device] },
    audit: [],
    due: { 'run tests': sooner },
  })
  const began: DomainEvent = { type: 'TestRunBegan', groupId, deviceIds: [device, other] }
  assert.deepEqual(found(began).feed, { group: [groupId], 'device tests': [device, other] })
  assert.deepEqual(found({ ...began, deviceIds: [] }), { ...nothing, feed: { group: [groupId] } })
  assert.deepEqual(found({ type: 'TestRunEnded', groupId }), { ...nothing, feed: { group: [groupId] } })
  const moves = [device, other, device].map((deviceId) => ({ type: 'TestedLightChanged', deviceId }) as const)
  assert.deepEqual(found(...moves), { ...nothing, feed: { 'device tests': [device, other] } })
  assert.deepEqual(found({ type: 'LightTestPlanned', ...named(), startsAt: first }), {
    feed: { 'device tests': [device], audit: null },
    audit: [['light test planned', ofLight, null, { room: 'Hall' }]],
    due: { 'run tests': first },
  })
  assert.deepEqual(found({ type: 'LightTestWithdrawn', ...named() }), {
    feed: { 'device tests': [device], audit: null },
    audit: [['light test withdrawn', ofLight, null, { room: 'Hall' }]],
    due: {},
  })

  for (const [type, action] of [
    ['GroupAdded', 'group added'],
    ['GroupChanged', 'group changed'],
    ['GroupDeleted', 'group deleted'],
  ] as const)
    assert.deepEqual(found({ type, ...group }), {
      feed: { group: [groupId], audit: null },
      audit: [[action, ofGroup, null, { lights: ['EM1'] }]],
      due: {},
    })
  assert.deepEqual(found({ type: 'GroupTestTypesChanged', deviceIds: [device, other] }), {
    ...nothing,
    feed: { 'device tests': [device, other] },
  })
  assert.deepEqual(found({ type: 'GroupPlanned', groupId, extendAt: then }), {
    ...{ feed: { group: [groupId] }, audit: [] },
    due: { 'plan tests': then },
  })
  const outdated: DomainEvent = { type: 'GroupPlansOutdated', at: first }
  assert.deepEqual(found(outdated), { ...nothing, due: { 'plan tests': first } })
  assert.deepEqual(found({ type: 'GroupPlanned', groupId, extendAt: then }, outdated).due, { 'plan tests': first })
  assert.deepEqual(found({ type: 'GroupLightsUninstalled', groupId }), { ...nothing, feed: { group: [groupId] } })
  assert.deepEqual(found({ type: 'LightRegrouped', deviceId: device }), {
    ...{ feed: { device: [device] }, audit: [] },
    due: { 'settle homes': undefined },
  })
})

test('events of buildings and their floors lead to feed rows and audit entries', () => {
  const [floorId, other] = [randomUUID(), randomUUID()]
  const named = { buildingId: building, buildingName: 'Court', by, before: { floor: 'G' }, after: null }
  const subject = { type: 'building', id: building, name: 'Court' }
  for (const [type, action] of [
    ['BuildingAdded', 'building added'],
    ['BuildingChanged', 'building changed'],
    ['FloorMoved', 'floor moved'],
    ['FloorPlanUploaded', 'floor plan uploaded'],
  ] as const)
    assert.deepEqual(resultsOf([{ type, ...named }]), {
      feed: { building: [building], audit: null },
      audit: [[action, subject, { floor: 'G' }, null]],
      due: {},
    })
  const shown = (building: unknown) => ({ feed: { building }, audit: [], due: {} })
  for (const type of ['BuildingSaved', 'BuildingImported'] as const)
    assert.deepEqual(resultsOf([{ type, buildingId: building }]), shown([building]))
  assert.deepEqual(resultsOf([{ type: 'FloorRemoved', floorId }]), shown([floorId]))
  // All buildings include those of other events, in either order.
  const some = { type: 'BuildingImported', buildingId: other } as const
  assert.deepEqual(resultsOf([some, { type: 'FloorsImported' }, some]), shown(null))
})

test('events of tags lead to feed rows and audit entries', () => {
  const id = randomUUID()
  const own = { tagName: 'Void', by, before: { name: 'Empty' }, after: { name: 'Void' } }
  for (const [type, action] of [
    ['TagCreated', 'tag created'],
    ['TagRenamed', 'tag renamed'],
    ['TagDeleted', 'tag deleted'],
  ] as const)
    assert.deepEqual(resultsOf([{ type, tagId: id, ...own }]), {
      feed: { tag: [id], audit: null },
      audit: [[action, { type: 'tag', id, name: 'Void' }, own.before, own.after]],
      due: {},
    })
  for (const [type, action] of [
    ['AccessRightsTagCreated', 'access rights tag created'],
    ['AccessRightsTagDeleted', 'access rights tag deleted'],
  ] as const)
    assert.deepEqual(resultsOf([{ type, accessRightsTagId: id, ...own }]), {
      feed: { 'access rights tag': [id], audit: null },
      audit: [[action, { type: 'access rights tag', id, name: 'Void' }, own.before, own.after]],
      due: {},
    })
  assert.deepEqual(resultsOf([{ type: 'TagsImported' }]), { feed: { tag: null }, audit: [], due: {} })
})

test('events of a tenant lead to feed rows and audit entries', () => {
  const changes = { before: { suspended: null }, after: { suspended: 'Unpaid' } }
  const change = { tenantId: tenant, tenantName: 'North', action: 'client suspended', by, ...changes } as const
  assert.deepEqual(resultsOf([{ type: 'TenantChanged', ...change }]), {
    feed: { client: null, audit: null },
    audit: [['client suspended', { type: 'client', id: tenant, name: 'North' }, changes.before, changes.after]],
    due: {},
  })
  assert.deepEqual(resultsOf([{ type: 'TenantSaved' }]), { feed: { client: null }, audit: [], due: {} })
})

test('events of people lead to feed rows, audit entries and due work', () => {
  const [id, other] = [randomUUID(), randomUUID()]
  const changes = { before: { role: 'Guest' }, after: { role: 'Manager' } }
  const user = { userId: id, userName: 'Ann', by, ...changes }
  const subject = { type: 'user', id, name: 'Ann' }
  const entry = (action: string) => [action, subject, changes.before, changes.after]
  for (const [type, action] of [
    ['UserCreated', 'user created'],
    ['UserDetailsChanged', 'user details changed'],
    ['UserRoleChanged', 'user role changed'],
    ['UserTagsChanged', 'user tags changed'],
    ['UserDeleted', 'user deleted'],
    ['UserInvitedAgain', 'user invited again'],
    ['UserIssuerChanged', 'user moved to another identity provider'],
  ] as const)
    assert.deepEqual(resultsOf([{ type, ...user }]), {
      feed: { user: [id], audit: null },
      audit: [entry(action)],
      due: {},
    })
  const accepted: DomainEvent = { type: 'InvitationAccepted', userId: other }
  assert.deepEqual(resultsOf([accepted]), { feed: { user: [other] }, audit: [], due: {} })
  // The user's row in lists stays as it is.
  const onlyAudited = (event: DomainEvent, action: string, due = {}) =>
    assert.deepEqual(resultsOf([event]), { feed: { audit: null }, audit: [entry(action)], due })
  onlyAudited({ type: 'UserSignInChanged', action: 'sessions ended', ...user }, 'sessions ended')
  onlyAudited({ type: 'ViewingEnded', ...user }, 'viewing as user ended')
  const started = (endsAt: Date): DomainEvent => ({ type: 'ViewingStarted', ...user, endsAt })
  const [first, later] = [new Date(5), new Date(9)]
  onlyAudited(started(later), 'viewing as user started', { 'end views': later })
  assert.deepEqual(resultsOf([started(later), started(first)]).due, { 'end views': first })
  const chosen: DomainEvent = { type: 'StartViewChosen', userId: id }
  assert.deepEqual(resultsOf([chosen]), { feed: {}, audit: [], due: {} })
  assert.deepEqual(startPagesOf([chosen, accepted]), [id])
})

test("a user's choice of a start page is announced to that user alone", async () => {
  const [userId, tagId] = [randomUUID(), randomUUID()]
  const tag = { tagId, tagName: 'Void', by, before: null, after: null }
  await inTenant(app.database.db, tenant, async (tx) =>
    record(tx, [
      { type: 'StartViewChosen', userId },
      { type: 'TagDeleted', ...tag },
    ]),
  )
  const { rows } = await app.database.owner.query<{ subject: string; ids: string[] | null; audience: string[] | null }>(
    `select subject, ids, audience from change where tenant_id = $1 and (audience = $2 or ids = $3) order by subject`,
    [tenant, [userId], [tagId]],
  )
  assert.deepEqual(rows, [
    { subject: 'tag', ids: [tagId], audience: null },
    { subject: 'view', ids: null, audience: [userId] },
  ])
})

test('events of webhooks lead to feed rows and audit entries', () => {
  const [id, other] = [randomUUID(), randomUUID()]
  const own = { webhookId: id, webhookName: 'Desk', by, before: null, after: { url: 'https://desk.example' } }
  for (const [type, action] of [
    ['WebhookAdded', 'webhook added'],
    ['WebhookChanged', 'webhook changed'],
    ['WebhookDeleted', 'webhook deleted'],
    ['WebhookDisabled', 'webhook disabled'],
    ['WebhookSecretReplaced', 'webhook secret rotated'],
    ['WebhookMessagesResent', 'webhook messages sent again'],
  ] as const)
    assert.deepEqual(resultsOf([{ type, ...own }]), {
      feed: { ...(type !== 'WebhookMessagesResent' && { webhook: [id] }), audit: null },
      audit: [[action, { type: 'webhook', id, name: 'Desk' }, null, own.after]],
      due: {},
    })
  const ended = [id, other, id].map((webhookId) => ({ type: 'WebhookDeliveriesEnded', webhookId }) as const)
  assert.deepEqual(resultsOf(ended), { feed: { webhook: [id, other] }, audit: [], due: {} })
})

test('events of keys and of provisioned users lead to feed rows and audit entries', () => {
  const [id, other] = [randomUUID(), randomUUID()]
  const changes = { by, before: { state: 'active' }, after: { state: 'revoked' } }
  const lead = (event: DomainEvent, action: string, subject: object) =>
    assert.deepEqual(resultsOf([event]), {
      feed: { 'api key': [id], audit: null },
      audit: [[action, subject, changes.before, changes.after]],
      due: {},
    })
  const ofKey = { apiKeyId: id, apiKeyName: 'Desk', ...changes }
  const named = { type: 'API key', id, name: 'Desk' }
  lead({ type: 'ApiKeyCreated', ...ofKey }, 'API key made', named)
  lead({ type: 'ApiKeyRevoked', ...ofKey }, 'API key revoked', named)
  const ofDirectory = { provisioningKeyId: id, tenantId: tenant, tenantName: 'North', ...changes }
  const client = { type: 'client', id: tenant, name: 'North' }
  lead({ type: 'ProvisioningKeyCreated', ...ofDirectory }, 'provisioning key made', client)
  lead({ type: 'ProvisioningKeyRevoked', ...ofDirectory }, 'provisioning key revoked', client)
  for (const type of ['ProvisionedUserChanged', 'ProvisionedGroupChanged'] as const)
    assert.deepEqual(resultsOf([{ type, provisionedId: other }]), { feed: { user: [other] }, audit: [], due: {} })
})
