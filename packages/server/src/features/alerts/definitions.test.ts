import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import {
  createAlertDefinition,
  deleteAlertDefinition,
  getAlertDefinitions,
  getAlerts,
  previewAlertDefinition,
  updateAlertDefinition,
} from '@caretaker/contract/alerts.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getTenantTags, tenantCreateTag, tenantDeleteTag } from '@caretaker/contract/tags.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag } from '../../testing/furnish/devices.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const others = { engineer: 'LightingEngineer', boiler: 'BoilerEngineer', guest: 'Guest' } as const

let app: TestApp
let tagId: string
beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) await app.addTenant(id)
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember('south', 'manager@south.test', 'Manager')
  await app.addMember(tenant, 'admin@north.test', 'Admin')
  for (const [name, role] of Object.entries(others)) await app.addMember(tenant, `${name}@north.test`, role)
  const patch = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [patch])
  tagId = (await app.send(tenantCreateTag, { body: { tenant, name: 'WinterWatch' } }, manager)).body.data!.id
})
afterAll(() => app.close())

const written = (bend: object = {}) => ({
  ...{ tagTenant: tenant, tagId, delay: 30, delayUnit: 'mins' as const, notificationType: 'EMAIL' as const },
  ...{ notificationTarget: 'boiler@north.test', triggerType: 'DEVICESTATUS' as const },
  ...{ triggerCondition: 'FailedEquipment', ...bend },
})
const create = (bend: object = {}, email = manager) =>
  app.send(createAlertDefinition, { body: written(bend) as ReturnType<typeof written> }, email)
const update = (alertId: string, bend: object = {}, email = manager) =>
  app.send(updateAlertDefinition, { body: { ...written(bend), alertId } }, email)
const remove = (alertId: string, bend: object = {}, email = manager) =>
  app.send(deleteAlertDefinition, { body: { tagTenant: tenant, tagId, alertId, ...bend } }, email)
const list = async (email = manager) =>
  (await app.send(getAlertDefinitions, { body: { tenant } }, email)).body.data?.alerts ?? []
const entries = async (action: 'alert created' | 'alert changed' | 'alert deleted') =>
  (await app.send(getAudit, { params: { tenant }, query: { action } }, 'admin@north.test')).body.results

test('an alert definition is created with all its fields, listed, and recorded [dev-7lum-4 dev-3ent-46]', async () => {
  const { status, body } = await create()
  assert.equal(status, 200)
  const { alertId } = body.data!
  const whole = {
    ...{
      tagTenant: tenant,
      tagId,
      tagName: 'WinterWatch',
      scope: { families: [], buildingIds: [], tagIds: [tagId] },
      covers: 'WinterWatch',
      enabled: true,
      alertId,
      definedByTenant: true,
      delay: 30,
      delayUnit: 'mins',
      left: [],
      version: 1,
    },
    ...{ delayDisplay: '30 mins', notificationType: 'EMAIL', notificationTarget: 'boiler@north.test' },
    ...{ triggerType: 'DEVICESTATUS', triggerCondition: 'FailedEquipment' },
  }
  assert.deepEqual(body.data, whole)
  assert.deepEqual(await list(), [whole])
  const tags = (await app.send(getTenantTags, { body: { tenant } }, manager)).body.data!
  assert.deepEqual(tags.alerts, [{ alertId, tagId, tagName: 'WinterWatch', delay: 30, delayUnit: 'mins' }])
  const [entry] = await entries('alert created')
  assert.deepEqual(
    [entry!.subject, entry!.after!['target']],
    ['WinterWatch: Failed equipment for 30 mins', 'boiler@north.test'],
  )
  await remove(alertId)
})

test('changing an alert definition records only the fields that differ [dev-7lum-5]', async () => {
  const { alertId } = (await create()).body.data!
  const { body } = await update(alertId, { delay: 6, delayUnit: 'hours' })
  assert.equal(body.data!.delayDisplay, '6 hours')
  assert.deepEqual((await list())[0], body.data)
  const [entry] = await entries('alert changed')
  assert.deepEqual([entry!.before, entry!.after], [{ delay: '30 mins' }, { delay: '6 hours' }])
  await update(alertId, { delay: 6, delayUnit: 'hours' })
  assert.equal((await entries('alert changed')).length, 1)
  await remove(alertId)
})

test('a change that is based on an old version is refused, with the name of the person who changed the rule', async () => {
  const { alertId, version } = (await create()).body.data!
  const first = await update(alertId, { delay: 40, version })
  assert.equal(first.body.data!.version, version + 1)
  const late = await update(alertId, { delay: 50, version })
  assert.equal(late.status, 409)
  assert.equal(
    late.body.message,
    'manager has changed this alert in the meantime. Close it and open it again to see the changes.',
  )
  assert.equal((await list())[0]!.delay, 40)
  // Without a version the last change wins, as before.
  assert.equal((await update(alertId, { delay: 50 })).body.data!.version, version + 2)
  await remove(alertId)
})

test('an alert definition is deleted by client, tag and id [dev-7lum-6]', async () => {
  const { alertId } = (await create()).body.data!
  assert.equal((await remove(alertId, { tagId: crypto.randomUUID() })).status, 404)
  assert.equal((await remove(alertId)).status, 200)
  assert.deepEqual(await list(), [])
  assert.equal((await remove(alertId)).status, 404)
  assert.equal((await update(alertId)).status, 404)
  assert.ok((await entries('alert deleted')).length > 0)
})

test('users with the manage-misc right change alert rules, others read them, and limited users see none [dev-6other-11]', async () => {
  const { alertId } = (await create()).body.data!
  for (const email of [...Object.keys(others), 'limited'].map((name) => `${name}@north.test`)) {
    assert.equal((await create({}, email)).status, 403, email)
    assert.equal((await update(alertId, {}, email)).status, 403, email)
    assert.equal((await remove(alertId, {}, email)).status, 403, email)
    assert.equal((await list(email)).length, email.startsWith('limited') ? 0 : 1, email)
  }
  for (const call of [create, (bend: object, email: string) => update(alertId, bend, email)])
    assert.equal((await call({}, 'manager@south.test')).status, 404)
  assert.equal((await update(alertId, { tagTenant: 'south' }, 'manager@south.test')).status, 404)
  await remove(alertId)
})

test('an invalid rule is refused with a message, and nothing is saved', async () => {
  const wrong: [object, string][] = [
    [{ tagId: '' }, 'Tag is required'],
    [{ delay: -1 }, 'Delay cannot be negative'],
    [{ delay: 10 ** 9 }, 'Delay can be at most 365 days'],
    [{ delay: 0.5 }, 'Delay must be a whole number'],
    ...['\n', '\r', '\r\n', '\u2028'].map((end): [object, string] => [
      { notificationTarget: `a@x.test${end}bcc: b@x.test` },
      'An address must be one line',
    ]),
    [{ notificationTarget: '' }, 'E-mail address is required'],
    [{ triggerCondition: 'FailedDevice' }, 'Choose a condition from the list'],
    [{ notificationType: 'EMAILUNEDITABLE' }, 'Choose E-mail or none'],
  ]
  for (const [bend, message] of wrong) {
    const { status, body } = await create(bend)
    assert.deepEqual([status, body.message], [400, message])
  }
  for (const tag of [crypto.randomUUID(), 'no id']) assert.equal((await create({ tagId: tag })).status, 404)
  assert.deepEqual(await list(), [])
  assert.equal((await create({ delay: 0 })).status, 200)
  // An existing rule stays unchanged as well.
  const [known] = await list()
  for (const [bend, message] of wrong) {
    const { status, body } = await update(known!.alertId, bend)
    assert.deepEqual([status, body.message], [400, message])
  }
  assert.deepEqual(await list(), [known])
  await remove(known!.alertId)
})

test('trigger types, units and notification types come from closed lists [dev-3ent-47 dev-3ent-49 dev-3ent-50]', async () => {
  const taken = async (field: string, values: readonly string[], more: object = {}) => {
    const found: string[] = []
    for (const value of values) {
      const { body } = await create({ ...more, [field]: value })
      if (body.isSuccessful) found.push(value)
      if (body.data) await remove(body.data.alertId)
    }
    return found
  }
  const silent = { triggerCondition: '' }
  assert.deepEqual(await taken('delayUnit', ['mins', 'hours', 'days', 'weeks', 'MINS', '']), ['mins', 'hours', 'days'])
  // EMAILUNEDITABLE is set up for a client by the vendor, never by its own users.
  assert.deepEqual(await taken('notificationType', ['NONE', 'EMAIL', 'EMAILUNEDITABLE', 'SMS']), ['NONE', 'EMAIL'])
  assert.deepEqual(await taken('triggerType', ['NONE', 'DEVICESTATUS', 'BATTERY'], silent), ['NONE', 'DEVICESTATUS'])
  assert.deepEqual(await taken('triggerType', ['CONNECTIONSTATUS'], { triggerCondition: 'NotConnected' }), [
    'CONNECTIONSTATUS',
  ])
  assert.deepEqual(await taken('triggerType', ['ALERTABLEEVENT'], { triggerCondition: 'boilerLockout' }), [
    'ALERTABLEEVENT',
  ])
})

test('a predefined alert rule cannot be deleted, and one with a fixed address keeps it', async () => {
  const { alertId } = (await create()).body.data!
  await inTenant(app.database.db, tenant, (tx) =>
    tx
      .updateTable('alert_definition')
      .set({
        defined_by_tenant: false,
        notification_type: 'EMAILUNEDITABLE',
        notification_target: 'support@vendor.test',
      })
      .where('tenant_id', '=', tenant)
      .where('id', '=', alertId)
      .execute(),
  )
  const refused = await remove(alertId)
  assert.deepEqual(
    [refused.body.isSuccessful, refused.body.message],
    [false, 'This alert is predefined and cannot be deleted.'],
  )
  const fixed = { notificationType: 'EMAILUNEDITABLE', notificationTarget: 'support@vendor.test' }
  for (const bend of [{}, { ...fixed, notificationTarget: 'mine@north.test' }, { notificationType: 'NONE' }])
    assert.equal((await update(alertId, bend)).body.message, 'The address of this alert cannot be changed')
  assert.equal((await update(alertId, { ...fixed, delay: 1 })).body.data!.delay, 1)
  assert.deepEqual(
    [(await list())[0]!.notificationTarget, (await list())[0]!.definedByTenant],
    ['support@vendor.test', false],
  )
})

test('anyone who may read the settings can preview a rule before it is saved', async () => {
  const preview = (bend: object, email = manager) => app.send(previewAlertDefinition, { body: written(bend) }, email)
  const { body } = await preview({ notificationTarget: '' })
  assert.deepEqual(body.data, {
    days: Array.from({ length: 30 }, () => 0),
    count: 0,
    knownSince: body.data!.knownSince,
    latest: null,
  })
  assert.equal((await preview({}, 'guest@north.test')).status, 200)
  assert.equal((await preview({}, 'limited@north.test')).status, 403)
  assert.equal((await preview({ tagId: '' })).body.message, 'Tag is required')
})

test('deleting a tag deletes its rule and leaves none of its alerts open', async () => {
  const other = (await app.send(tenantCreateTag, { body: { tenant, name: 'Phase2' } }, manager)).body.data!.id
  await create({ tagId: other })
  await app.send(tenantDeleteTag, { body: { tenant, id: other } }, manager)
  assert.ok((await list()).every((rule) => rule.tagId !== other))
  const { body } = await app.send(getAlerts, { body: { tenant, state: 'open' } }, manager)
  assert.deepEqual(body.data!.alerts, [])
})
