import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import {
  getAlertDefinitions,
  getAlerts,
  sendAlertAgain,
  showUnsubscribe,
  unsubscribeFromAlert,
  updateAlertDefinition,
} from '@caretaker/contract/alerts.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getDeviceLogs } from '@caretaker/contract/logs.ts'
import { tenantDeleteTag } from '@caretaker/contract/tags.ts'
import { openFeed } from '../../changes/feed.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { happened } from '../conditions/store.ts'
import { watchTenant } from './watch.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const minute = 60_000
const start = Date.now() - 60 * minute

let app: TestApp
let definitionId: string
let tagId: string
const lights: string[] = []
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) await app.addTenant(id)
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, 'boiler@north.test', 'BoilerEngineer')
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  await app.addMember(tenant, 'admin@north.test', 'Admin')
  await app.addMember('south', 'manager@south.test', 'Manager')
  const east = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [east])
  lights.push(await addDevice(app, tenant, { name: 'East light', accessRightsTagId: east }))
  lights.push(await addDevice(app, tenant, { name: 'West light' }))
  definitionId = crypto.randomUUID()
  tagId = crypto.randomUUID()
  const within = <T>(work: Parameters<typeof inTenant<T>>[2]) => inTenant(app.database.db, tenant, work)
  await within(async (tx) => {
    await tx.insertInto('tag').values({ tenant_id: tenant, id: tagId, name: 'NightTest' }).execute()
    await tx
      .insertInto('alert_definition')
      .values([
        {
          ...{ tenant_id: tenant, id: definitionId, tag_id: tagId, delay: 5, delay_unit: 'mins' },
          ...{ notification_type: 'EMAIL', notification_target: 'Crew@x.test, desk@x.test' },
          ...{ trigger_type: 'DEVICESTATUS', trigger_condition: 'FailedEquipment' },
        },
        {
          ...{ tenant_id: tenant, id: crypto.randomUUID(), tag_id: tagId, delay: 2, delay_unit: 'days' },
          ...{ trigger_type: 'DEVICESTATUS', trigger_condition: 'FailedEquipment' },
        },
      ])
      .execute()
    await tx
      .insertInto('device_tag')
      .values(lights.map((device_id) => ({ tenant_id: tenant, device_id, tag_id: tagId })))
      .execute()
  })
  const watch = (at: number) => watchTenant(app.context, openFeed(), tenant, at)
  await watch(start)
  await within((tx) =>
    happened(
      tx,
      lights.map((deviceId) => ({ deviceId, occurrence: { what: 'set', at: start, kind: 'equipmentBroken' } })),
    ),
  )
  for (const at of [0, 5, 7]) await watch(start + at * minute)
})
afterAll(() => app.close())

const list = async (state: 'open' | 'over' | 'pending', email = manager) =>
  (await app.send(getAlerts, { body: { tenant, state } }, email)).body.data!

test('alerts are listed with what, where, since when, and who was notified', async () => {
  const { alerts, counts, hasMore } = await list('open')
  assert.deepEqual([counts, hasMore], [{ open: 2, pending: 2, over: 0 }, false])
  assert.deepEqual(
    alerts.map((one) => one.deviceName ?? '').toSorted((a, b) => a.localeCompare(b)),
    ['East light', 'West light'],
  )
  const [alert] = alerts
  assert.equal(alert!.beganAt, new Date(start).toISOString())
  assert.equal(alert!.notifiedAt, new Date(start + 7 * minute).toISOString())
  assert.equal(alert!.reason, 'Broken')
  assert.deepEqual([alert!.tagName, alert!.triggerCondition, alert!.delay], ['NightTest', 'FailedEquipment', 5])
  assert.deepEqual(
    alert!.mails.map(({ to, kind, state }) => [to, kind, state]),
    [
      ['Crew@x.test', 'raised', 'kept'],
      ['desk@x.test', 'raised', 'kept'],
    ],
  )
})

test('a pending alert shows when it will notify', async () => {
  const { alerts } = await list('pending')
  assert.deepEqual(
    alerts.map((one) => [one.state, one.notifiedAt, one.dueAt]),
    [0, 1].map(() => ['pending', null, new Date(start + 2880 * minute).toISOString()]),
  )
})

test('users see the alerts of devices that they see, and no others', async () => {
  const seen = async (email: string) =>
    (await list('open', email)).alerts.map((one) => one.deviceName ?? '').toSorted((a, b) => a.localeCompare(b))
  assert.deepEqual(await seen('limited@north.test'), ['East light'])
  assert.deepEqual((await list('open', 'limited@north.test')).counts, { open: 1, pending: 1, over: 0 })
  assert.deepEqual(await seen('boiler@north.test'), [])
  assert.deepEqual(await seen('guest@north.test'), ['East light', 'West light'])
  const other = await app.send(getAlerts, { body: { tenant, state: 'open' } }, 'manager@south.test')
  assert.equal(other.status, 404)
})

test('the log of a device contains its alerts, and can be narrowed to them', async () => {
  const body = { tenant, deviceId: lights[1]!, category: 'Alert' as const }
  const log = await app.send(getDeviceLogs, { body }, manager)
  assert.deepEqual(
    log.body.data!.entries.map((entry) => [entry.category, entry.description]),
    [['Alert', 'Alert: NightTest: Failed equipment for 5 mins. E-mail sent to Crew@x.test, desk@x.test.']],
  )
})

test('a failed e-mail is sent again to the recipients that it did not reach', async () => {
  const [alert] = (await list('open')).alerts
  const again = (email: string) => app.send(sendAlertAgain, { body: { tenant, alertId: alert!.alertId } }, email)
  for (const email of ['guest@north.test', 'limited@north.test']) assert.equal((await again(email)).status, 403)
  const { mailId } = alert!.mails.find(({ to }) => to === 'desk@x.test')!
  await app.database.owner.query(`update mail set failed_at = now(), error = 'the mailbox was full' where id = $1`, [
    mailId,
  ])
  const failed = (await list('open')).alerts[0]!.mails.find(({ to }) => to === 'desk@x.test')!
  assert.deepEqual([failed.state, failed.error], ['failed', 'the mailbox was full'])
  assert.deepEqual((await again(manager)).body.data, { recipients: ['desk@x.test'] })
  assert.deepEqual((await again(manager)).body.data, { recipients: ['Crew@x.test', 'desk@x.test'] })
  assert.equal((await list('open')).alerts[0]!.mails.filter(({ kind }) => kind === 'resent').length, 3)
  const none = await app.send(sendAlertAgain, { body: { tenant, alertId: crypto.randomUUID() } }, manager)
  assert.equal(none.status, 404)
})

test('a recipient can unsubscribe by the link without signing in; opening the page changes nothing', async () => {
  const { rows } = await app.database.owner.query<{ text: string }>(
    `select text from mail where recipient = 'Crew@x.test' order by at limit 1`,
  )
  const token = /unsubscribe\/north\/([\w-]+)/.exec(rows[0]!.text)![1]!
  const params = { tenant, token }
  const isOut = async () =>
    (
      await app.database.owner.query(
        `select from alert_recipient where address = 'crew@x.test' and unsubscribed_at is not null`,
      )
    ).rowCount
  const page = await app.send(showUnsubscribe, { params })
  assert.equal(page.status, 200)
  assert.match(
    page.body as unknown as string,
    /crew@x.test will get no more e-mails .*NightTest: Failed equipment for 5 mins/,
  )
  assert.equal(await isOut(), 0)
  assert.equal((await app.send(unsubscribeFromAlert, { params })).status, 200)
  assert.equal((await app.send(unsubscribeFromAlert, { params })).status, 200, 'twice does no harm')
  assert.equal(await isOut(), 1)
  const mailed = await app.database.owner.query<{ recipient: string; text: string }>(
    `select recipient, text from mail where subject like 'crew@x.test has unsubscribed%'`,
  )
  assert.deepEqual(
    mailed.rows.map((row) => row.recipient),
    [manager],
  )
  const [alert] = (await list('open')).alerts
  const { body } = await app.send(sendAlertAgain, { body: { tenant, alertId: alert!.alertId } }, manager)
  assert.deepEqual(body.data, { recipients: ['desk@x.test'] })
  for (const other of [
    { tenant: 'south', token },
    { tenant, token: 'x'.repeat(32) },
  ])
    assert.equal((await app.send(showUnsubscribe, { params: other })).status, 404)
})

test('the rule lists who unsubscribed until a manager invites them again or enters the address again', async () => {
  const rule = async () => {
    const { body } = await app.send(getAlertDefinitions, { body: { tenant } }, 'guest@north.test')
    return body.data!.alerts.find(({ alertId }) => alertId === definitionId)!
  }
  const save = async (bend: object, email = manager) => {
    const { left: _, ...known } = await rule()
    return (await app.send(updateAlertDefinition, { body: { ...known, ...bend } as never }, email)).status
  }
  const left = async () => (await rule()).left.map(({ address }) => address)
  assert.deepEqual(await left(), ['crew@x.test'])
  assert.ok(Math.abs(Date.parse((await rule()).left[0]!.at) - Date.now()) < 60_000)
  // Saving the rule unchanged is not an invitation, and not every user may invite.
  assert.equal(await save({ delay: 6 }), 200)
  for (const email of ['guest@north.test', 'limited@north.test'])
    assert.equal(await save({ invited: ['crew@x.test'] }, email), 403)
  assert.deepEqual(await left(), ['crew@x.test'])
  assert.equal(await save({ invited: ['Crew@x.test'] }), 200)
  assert.deepEqual(await left(), [])
  const asked = { params: { tenant }, query: { action: 'alert changed' as const } }
  const { results } = (await app.send(getAudit, asked, 'admin@north.test')).body
  const entry = results.find(({ before }) => before && 'left' in before)!
  assert.deepEqual([entry.before, entry.after], [{ left: ['crew@x.test'] }, { left: [] }])
  await app.database.owner.query(`update alert_recipient set unsubscribed_at = now() where address = 'crew@x.test'`)
  await save({ notificationTarget: 'desk@x.test' })
  assert.deepEqual(await left(), [], 'it is mailed nothing, and named nowhere')
  await save({ notificationTarget: 'desk@x.test, Crew@x.test' })
  assert.deepEqual(await left(), [])
  const isOut = await app.database.owner.query('select from alert_recipient where unsubscribed_at is not null')
  assert.equal(isOut.rowCount, 0)
})

test('if a client has no manager, its admins are informed that someone unsubscribed', async () => {
  await app.database.owner.query(`update membership set role = 'Guest' where email = $1`, [manager])
  const { rows } = await app.database.owner.query<{ token: string }>(
    `select token from alert_recipient where address = 'desk@x.test'`,
  )
  assert.equal((await app.send(unsubscribeFromAlert, { params: { tenant, token: rows[0]!.token } })).status, 200)
  const mailed = await app.database.owner.query<{ recipient: string }>(
    `select recipient from mail where subject like 'desk@x.test has unsubscribed%'`,
  )
  assert.deepEqual(
    mailed.rows.map((row) => row.recipient),
    ['admin@north.test'],
  )
  await app.database.owner.query(`update membership set role = 'Manager' where email = $1`, [manager])
})

test('nobody can unsubscribe from a rule whose address is fixed', async () => {
  await app.database.owner.query(`update alert_definition set notification_type = 'EMAILUNEDITABLE' where id = $1`, [
    definitionId,
  ])
  const { rows } = await app.database.owner.query<{ token: string }>(
    `select token from alert_recipient where address = 'desk@x.test'`,
  )
  const params = { tenant, token: rows[0]!.token }
  assert.equal((await app.send(unsubscribeFromAlert, { params })).status, 404)
})

test('deleting the tag of a rule ends its open alerts and drops its pending ones, without e-mails', async () => {
  const mails = async () => (await app.database.owner.query('select from mail')).rowCount
  const before = await mails()
  const [open] = (await list('open')).alerts
  assert.ok((await list('pending')).alerts.length > 0)
  assert.equal((await app.send(tenantDeleteTag, { body: { tenant, id: tagId } }, manager)).status, 200)
  for (const state of ['open', 'pending'] as const) assert.deepEqual((await list(state)).alerts, [], state)
  const { counts, alerts } = await list('over')
  assert.deepEqual([counts.open, counts.over], [0, alerts.length])
  assert.ok((await list('over')).alerts.some(({ alertId }) => alertId === open!.alertId))
  await watchTenant(app.context, openFeed(), tenant, Date.now())
  assert.equal(await mails(), before)
})
