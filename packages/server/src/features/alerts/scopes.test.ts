import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import {
  addDefaultAlerts,
  createAlertDefinition,
  deleteAlertDefinition,
  getAlertDefinitions,
  getAlertPreviews,
  getAlerts,
  previewAlertDefinition,
  updateAlertDefinition,
} from '@caretaker/contract/alerts.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getTenantTags, tenantDeleteTag } from '@caretaker/contract/tags.ts'
import { defaultRules } from '@caretaker/rules/alerts/defaults.ts'
import type { Scope } from '@caretaker/rules/alerts/scope.ts'
import { wholeClient } from '@caretaker/rules/alerts/scope.ts'
import { changed } from '../../changes/changed.ts'
import { openFeed } from '../../changes/feed.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { happened } from '../conditions/store.ts'
import { addTenant } from '../tenants/service.ts'
import { watchTenant } from './watch.ts'

const minute = 60_000
const hour = 60 * minute

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

let counter = 0

/** A client with two buildings, a gateway and a light in each, a boiler in the first, and two unused tags. */
async function world() {
  const tenant = `s${++counter}`
  await app.addTenant(tenant)
  const manager = `manager@${tenant}.test`
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, `admin@${tenant}.test`, 'Admin')
  await app.addMember(tenant, `guest@${tenant}.test`, 'Guest')
  const [oak, elm, night, day] = Array.from({ length: 4 }, () => crypto.randomUUID()) as [
    string,
    string,
    string,
    string,
  ]
  const within = <T>(work: (tx: TenantTx) => Promise<T>) => inTenant(app.database.db, tenant, work)
  const gateway = await addDevice(app, tenant, { product: 'MG', name: 'Oak gateway' })
  const oakLight = await addDevice(app, tenant, { product: 'EM', name: 'Oak light', parentId: gateway })
  const elmLight = await addDevice(app, tenant, { product: 'EM', name: 'Elm light' })
  const boiler = await addDevice(app, tenant, { product: 'BX', name: 'Oak boiler' })
  const stands = (ids: string[], building: string | null) =>
    within(async (tx) => {
      await tx
        .updateTable('device')
        .set({ building_id: building, building_name: building && (building === oak ? 'Oak House' : 'Elm House') })
        .where('tenant_id', '=', tenant)
        .where('id', 'in', ids)
        .execute()
      await changed(tx, 'device', ids)
    })
  await within(async (tx) => {
    const named = (id: string, name: string) => ({ tenant_id: tenant, id, name })
    await tx
      .insertInto('building')
      .values([named(oak, 'Oak House'), named(elm, 'Elm House')])
      .execute()
    await tx
      .insertInto('tag')
      .values([named(night, 'NightTest'), named(day, 'DayShift')])
      .execute()
    await tx
      .updateTable('device')
      .set({ connection_status: 'Connected', connection_at: new Date(Date.now() - 9 * hour) })
      .where('tenant_id', '=', tenant)
      .execute()
  })
  await stands([gateway, oakLight, boiler], oak)
  await stands([elmLight], elm)
  const feed = openFeed()
  const written = (scope: Partial<Scope>, bend: object = {}) => ({
    ...{ tagTenant: tenant, scope: { ...wholeClient, ...scope }, delay: 0, delayUnit: 'mins' as const },
    ...{ notificationType: 'NONE' as const, notificationTarget: '', triggerType: 'DEVICESTATUS' as const },
    ...{ triggerCondition: 'FailedEquipment', ...bend },
  })
  type Body = Parameters<typeof app.send<typeof createAlertDefinition>>[1]['body']
  return {
    ...{ tenant, manager, oak, elm, night, day, gateway, oakLight, elmLight, boiler, within, stands, written },
    create: (scope: Partial<Scope>, bend: object = {}, email = manager) =>
      app.send(createAlertDefinition, { body: written(scope, bend) as Body }, email),
    update: (rule: object) => app.send(updateAlertDefinition, { body: rule as never }, manager),
    list: async () => (await app.send(getAlertDefinitions, { body: { tenant } }, manager)).body.data!,
    watch: (now = Date.now()) => watchTenant(app.context, feed, tenant, now),
    fails: (deviceId: string, at = Date.now()) =>
      within((tx) => happened(tx, [{ deviceId, occurrence: { what: 'set', at, kind: 'equipmentBroken' } }])),
    mends: (deviceId: string, at = Date.now()) =>
      within((tx) =>
        happened(tx, [
          { deviceId, occurrence: { what: 'ended', at, kind: 'equipmentBroken', cause: 'ended by a person' } },
        ]),
      ),
    tags: (deviceId: string, tagId: string, isTagged: boolean) =>
      within(async (tx) => {
        if (isTagged)
          await tx.insertInto('device_tag').values({ tenant_id: tenant, device_id: deviceId, tag_id: tagId }).execute()
        else
          await tx.deleteFrom('device_tag').where('tenant_id', '=', tenant).where('device_id', '=', deviceId).execute()
        await changed(tx, 'device', [deviceId])
      }),
    /** The devices of the alerts in a state, with the scope of their rules. */
    alerts: async (state: 'open' | 'pending' | 'over') => {
      const { alerts } = (await app.send(getAlerts, { body: { tenant, state } }, manager)).body.data!
      return alerts.map(({ deviceName, covers }) => `${deviceName}: ${covers}`).toSorted()
    },
  }
}

test('a rule covers a family, buildings, tags or any combination; without a choice the whole client', async () => {
  const it = await world()
  await it.tags(it.oakLight, it.night, true)
  const scopes: [Partial<Scope>, string, string[]][] = [
    [{}, 'All devices', ['Elm light', 'Oak boiler', 'Oak light']],
    [{ families: ['emered'] }, 'Emergency lights', ['Elm light', 'Oak light']],
    [{ families: ['emered', 'boiler'] }, 'Emergency lights and boilers', ['Elm light', 'Oak boiler', 'Oak light']],
    [{ buildingIds: [it.oak] }, 'All devices in Oak House', ['Oak boiler', 'Oak light']],
    [{ families: ['emered'], buildingIds: [it.oak] }, 'Emergency lights in Oak House', ['Oak light']],
    [{ tagIds: [it.night, it.day] }, 'DayShift or NightTest', ['Oak light']],
    [{ families: ['boiler'], tagIds: [it.night] }, 'Boilers tagged NightTest', []],
    [{ buildingIds: [it.elm], tagIds: [it.night] }, 'All devices in Elm House tagged NightTest', []],
  ]
  for (const [scope, covers] of scopes) {
    const { body } = await it.create(scope)
    assert.deepEqual([body.data?.covers, body.data?.scope], [covers, { ...wholeClient, ...scope }])
    assert.equal(body.data!.tagId, '')
  }
  await it.watch(Date.now() - 2 * hour)
  for (const device of [it.oakLight, it.elmLight, it.boiler]) await it.fails(device, Date.now() - hour)
  await it.watch(Date.now() - hour)
  await it.watch(Date.now() + 3 * minute)
  assert.deepEqual(
    await it.alerts('open'),
    scopes.flatMap(([, covers, names]) => names.map((name) => `${name}: ${covers}`)).toSorted(),
  )
  for (const [scope, , names] of scopes) {
    const { body } = await app.send(previewAlertDefinition, { body: it.written(scope) as never }, it.manager)
    assert.equal(body.data!.count > 0, names.length > 0, JSON.stringify(scope))
  }
})

test('a limited user sees only their part of the alerts of a rule for the whole client', async () => {
  const it = await world()
  const patch = await addAccessRightsTag(app, it.tenant, 'East')
  const limited = `limited@${it.tenant}.test`
  await app.addMember(it.tenant, limited, 'Manager', [patch])
  await it.within((tx) =>
    tx
      .updateTable('device')
      .set({ access_rights_tag_id: patch })
      .where('tenant_id', '=', it.tenant)
      .where('id', '=', it.elmLight)
      .execute(),
  )
  await it.create({})
  await it.watch()
  for (const light of [it.oakLight, it.elmLight]) await it.fails(light)
  await it.watch()
  await it.watch(Date.now() + 3 * minute)
  assert.equal((await it.alerts('open')).length, 2)
  const { alerts, counts } = (await app.send(getAlerts, { body: { tenant: it.tenant, state: 'open' } }, limited)).body
    .data!
  assert.deepEqual([alerts.map(({ deviceName }) => deviceName), counts.open], [['Elm light'], 1])
  assert.equal((await it.create({ families: ['emered'] }, {}, limited)).status, 403)
})

test('a rule of one tag is stored as before, and a scope of one tag is that rule', async () => {
  const it = await world()
  const { scope: _, ...former } = it.written({})
  const { body } = await app.send(createAlertDefinition, { body: { ...former, tagId: it.night } as never }, it.manager)
  assert.deepEqual(
    [body.data!.tagId, body.data!.tagName, body.data!.scope],
    [it.night, 'NightTest', { ...wholeClient, tagIds: [it.night] }],
  )
  assert.equal((await it.create({ tagIds: [it.day] })).body.data!.tagId, it.day)
  const none = await app.send(createAlertDefinition, { body: former as never }, it.manager)
  assert.deepEqual([none.status, none.body.message], [400, 'Tag is required'])
  // A rule as it was read can be sent back unchanged.
  const read = (await it.list()).alerts.find(({ tagId }) => tagId === it.night)!
  assert.deepEqual((await it.update({ ...read, delay: 5 })).body.data!.scope, read.scope)
})

test('a scope names tags and buildings of the client; those of others are not found', async () => {
  const [it, other] = [await world(), await world()]
  for (const scope of [
    { buildingIds: [other.oak] },
    { tagIds: [other.night] },
    { tagIds: [it.night, other.night] },
  ] as Partial<Scope>[])
    assert.equal((await it.create(scope)).status, 404)
  assert.equal((await it.create({ families: ['nothing'] as never })).status, 400)
  assert.equal((await it.create({}, {}, `guest@${it.tenant}.test`)).status, 403)
  assert.equal((await it.create({}, {}, other.manager)).status, 404)
  const { alertId, tagTenant } = (await it.create({ families: ['emered'] })).body.data!
  const gone = await app.send(deleteAlertDefinition, { body: { tagTenant, tagId: '', alertId } }, it.manager)
  assert.equal(gone.status, 200)
})

test('a device moved into a building is covered from then on, and no longer once it has left', async () => {
  const it = await world()
  await it.create({ families: ['emered'], buildingIds: [it.oak] })
  await it.watch()
  await it.fails(it.elmLight)
  await it.watch()
  await it.watch(Date.now() + 3 * minute)
  assert.deepEqual(await it.alerts('open'), [])
  await it.stands([it.elmLight], it.oak)
  await it.watch()
  await it.watch(Date.now() + 3 * minute)
  assert.deepEqual(await it.alerts('open'), ['Elm light: Emergency lights in Oak House'])
  await it.stands([it.elmLight], null)
  await it.watch(Date.now() + 4 * minute)
  assert.deepEqual(await it.alerts('open'), [])
  const over = (await app.send(getAlerts, { body: { tenant: it.tenant, state: 'over' } }, it.manager)).body.data!
  assert.deepEqual(
    over.alerts.map(({ ending }) => ending),
    ['out of scope'],
  )
})

test('devices stored by earlier versions are covered by their building at once, and a preview looks back', async () => {
  const it = await world()
  await it.watch()
  await it.fails(it.oakLight, Date.now() - 5 * hour)
  await it.watch(Date.now() - 5 * hour)
  await app.database.owner.query(`delete from device_spell where tenant_id = $1 and kind = 'BUILDING'`, [it.tenant])
  await app.database.owner.query(`update alert_progress set position = null where tenant_id = $1`, [it.tenant])
  await it.watch()
  const { body } = await app.send(
    previewAlertDefinition,
    { body: it.written({ buildingIds: [it.oak] }) as never },
    it.manager,
  )
  assert.equal(body.data!.count, 1)
})

test('alerts that a tag opened end at once when it is removed, and reopen when it returns', async () => {
  const it = await world()
  await it.create({ tagIds: [it.night] }, { delay: 10 })
  await it.watch()
  await it.fails(it.oakLight, Date.now() - hour)
  await it.fails(it.elmLight, Date.now())
  await it.watch()
  for (const light of [it.oakLight, it.elmLight]) await it.tags(light, it.night, true)
  await it.watch()
  await it.watch(Date.now() + 3 * minute)
  assert.deepEqual(
    [await it.alerts('open'), await it.alerts('pending')],
    [['Oak light: NightTest'], ['Elm light: NightTest']],
  )
  for (const light of [it.oakLight, it.elmLight]) await it.tags(light, it.night, false)
  await it.watch(Date.now() + 4 * minute)
  assert.deepEqual([await it.alerts('open'), await it.alerts('pending')], [[], []])
  assert.deepEqual(await it.alerts('over'), ['Oak light: NightTest'], 'of what was told there is a record')
  await it.tags(it.oakLight, it.night, true)
  await it.watch(Date.now() + 5 * minute)
  await it.watch(Date.now() + 30 * minute)
  assert.deepEqual(await it.alerts('open'), ['Oak light: NightTest'])
})

test('a new rule raises nothing that was over before it was created, muted or not', async () => {
  const it = await world()
  await it.watch(Date.now() - 3 * hour)
  await it.within((tx) =>
    happened(tx, [
      { deviceId: it.oakLight, occurrence: { what: 'set', at: Date.now() - 3 * hour, kind: 'maintenance' } },
    ]),
  )
  for (const light of [it.oakLight, it.elmLight]) await it.fails(light, Date.now() - 2 * hour)
  await it.watch(Date.now() - 2 * hour)
  for (const light of [it.oakLight, it.elmLight]) await it.mends(light, Date.now() - hour)
  await it.watch(Date.now() - hour)
  await it.create({ families: ['emered'] })
  await it.watch()
  for (const state of ['open', 'pending', 'over'] as const) assert.deepEqual(await it.alerts(state), [], state)
})

test('disabling a rule opens nothing and ends what is open; enabling it notifies what is still active', async () => {
  const it = await world()
  const rule = (await it.create({ families: ['emered'] })).body.data!
  assert.equal(rule.enabled, true)
  await it.watch()
  await it.fails(it.oakLight)
  await it.watch()
  await it.watch(Date.now() + 3 * minute)
  assert.deepEqual(await it.alerts('open'), ['Oak light: Emergency lights'])
  const off = (await it.update({ ...rule, enabled: false })).body.data!
  assert.equal(off.enabled, false)
  assert.deepEqual(await it.alerts('open'), [])
  await it.fails(it.elmLight)
  await it.watch()
  await it.watch(Date.now() + 3 * minute)
  for (const state of ['open', 'pending'] as const) assert.deepEqual(await it.alerts(state), [])
  const { enabled: _, ...unsaid } = off
  const changed = (await it.update({ ...unsaid, delay: 1 })).body.data!
  assert.equal(changed.enabled, false, 'it stays off until someone enables it')
  await it.update({ ...changed, delay: off.delay, enabled: true })
  await it.watch()
  await it.watch(Date.now() + 3 * minute)
  assert.deepEqual(await it.alerts('open'), ['Elm light: Emergency lights', 'Oak light: Emergency lights'])
  const asked = { params: { tenant: it.tenant }, query: { action: 'alert changed' as const } }
  const { results } = (await app.send(getAudit, asked, `admin@${it.tenant}.test`)).body
  assert.deepEqual(
    results.filter(({ after }) => after && 'enabled' in after).map(({ after }) => after!['enabled']),
    [true, false],
  )
})

test('deleting a tag deletes the rules that cover nothing else, and leaves the others', async () => {
  const it = await world()
  await it.create({ tagIds: [it.night] })
  await it.create({ families: ['emered'], tagIds: [it.night] })
  await it.create({ tagIds: [it.night, it.day] })
  const tags = async () =>
    (await app.send(getTenantTags, { body: { tenant: it.tenant } }, it.manager)).body.data!.alerts
  assert.equal((await tags()).filter(({ tagId }) => tagId === it.night).length, 3)
  assert.equal((await app.send(tenantDeleteTag, { body: { tenant: it.tenant, id: it.night } }, it.manager)).status, 200)
  assert.deepEqual(
    (await it.list()).alerts.map(({ covers }) => covers),
    ['DayShift'],
  )
})

test('a preview shows since when its condition is recorded instead of counting nought before that', async () => {
  const it = await world()
  const asks = async (bend: object) =>
    (await app.send(previewAlertDefinition, { body: it.written({}, bend) as never }, it.manager)).body.data!.knownSince
  const failure = { triggerType: 'ALERTABLEEVENT', triggerCondition: 'deviceFailed' }
  const started = new Date(Date.now() - 60 * 24 * hour)
  const recorded = new Date(Date.now() - 3 * 24 * hour)
  assert.ok(Math.abs(Date.parse((await asks({}))!) - Date.now()) < minute, 'nobody has looked yet')
  await it.watch()
  assert.ok(Math.abs(Date.parse((await asks({}))!) - Date.now()) < minute, 'it was looked at just now')
  await app.database.owner.query('update alert_progress set started_at = $2, known_since = $3 where tenant_id = $1', [
    ...[it.tenant, started, JSON.stringify({ deviceFailed: recorded.toISOString() })],
  ])
  assert.equal(await asks({}), null)
  assert.equal(await asks(failure), recorded.toISOString())
  const rule = (await it.create({}, failure)).body.data!
  const previews = (await app.send(getAlertPreviews, { body: { tenant: it.tenant } }, it.manager)).body.data!
  assert.equal(previews.find(({ alertId }) => alertId === rule.alertId)!.knownSince, recorded.toISOString())
})

test('in a rule about lights, an offline gateway counts for the lights connected through it', async () => {
  const it = await world()
  await it.create({ families: ['emered'] }, { triggerType: 'ALERTABLEEVENT', triggerCondition: 'noContact' })
  await it.watch()
  await it.within(async (tx) => {
    await tx
      .updateTable('device')
      .set({ connection_status: 'NotConnected', connection_at: new Date() })
      .where('tenant_id', '=', it.tenant)
      .where('id', '=', it.gateway)
      .execute()
    await changed(tx, 'device', [it.gateway])
    await happened(tx, [{ deviceId: it.gateway, occurrence: { what: 'no contact', at: Date.now() } }])
  })
  await it.watch()
  await it.watch(Date.now() + 6 * minute)
  assert.deepEqual(await it.alerts('open'), ['Oak gateway: Emergency lights'])
})

test('a new client has the default rules; an existing one adds the missing ones with one button', async () => {
  const person = { id: null, name: 'Operator' }
  const tenant = await addTenant(app.database.db, person, { id: 'newcomer', name: 'Newcomer', contact: '' })
  await app.addMember(tenant, 'manager@newcomer.test', 'Manager')
  const { alerts, missingDefaults } = (
    await app.send(getAlertDefinitions, { body: { tenant } }, 'manager@newcomer.test')
  ).body.data!
  const conditions = defaultRules.map(({ triggerCondition }) => triggerCondition).toSorted()
  assert.deepEqual(alerts.map(({ triggerCondition }) => triggerCondition).toSorted(), conditions)
  assert.equal(missingDefaults, 0)
  for (const rule of alerts)
    assert.deepEqual(
      [rule.covers, rule.enabled, rule.definedByTenant, rule.notificationType],
      ['Emergency lights', true, false, 'NONE'],
    )

  const it = await world()
  assert.equal((await it.list()).missingDefaults, 6)
  const add = (email: string) => app.send(addDefaultAlerts, { body: { tenant: it.tenant } }, email)
  assert.equal((await add(`guest@${it.tenant}.test`)).status, 403)
  assert.equal((await add('manager@newcomer.test')).status, 404)
  assert.equal((await add(it.manager)).body.data!.length, 6)
  assert.deepEqual((await add(it.manager)).body.data, [], 'twice adds none')
  const [rule, ...others] = (await it.list()).alerts
  assert.equal(others.length, 5)
  // A default rule can be changed and disabled, but not deleted.
  const changedRule = { ...rule!, notificationType: 'EMAIL', notificationTarget: 'crew@x.test', enabled: false }
  assert.equal((await it.update(changedRule)).status, 200)
  const gone = { tagTenant: it.tenant, tagId: rule!.tagId, alertId: rule!.alertId } as const
  assert.equal((await app.send(deleteAlertDefinition, { body: gone }, it.manager)).body.isSuccessful, false)
})
