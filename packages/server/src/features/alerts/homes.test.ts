import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import type { Alert, AlertState } from '@caretaker/contract/alerts.ts'
import { createAlertDefinition, getAlerts, previewAlertDefinition } from '@caretaker/contract/alerts.ts'
import { dayAt, dayText, instantOf } from '@caretaker/rules/calendar/days.ts'
import type { Scope } from '@caretaker/rules/alerts/scope.ts'
import { wholeClient } from '@caretaker/rules/alerts/scope.ts'
import type { AlertableEventName } from '@caretaker/rules/alerts/triggers.ts'
import { changed } from '../../changes/changed.ts'
import { openFeed } from '../../changes/feed.ts'
import { record } from '../../projections/record.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { refreshHomeStatuses } from '../properties/refresh-statuses.ts'
import { endUncovered } from './uncovered.ts'
import { watchTenant } from './watch.ts'

const minute = 60_000
const hour = 60 * minute

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

let counter = 0
/** An instant in London time: '2026-12-18 10:00'. */
const at = (text: string) => instantOf(Date.parse(`${text.replace(' ', 'T')}:00Z`), 'Europe/London')

/** A client with properties and users who see some of them. */
async function world({ features = ['PropertyCentric', 'AwaabsLaw'], capabilities = ['ViewProperties'] } = {}) {
  const tenant = `h${++counter}`
  await app.addTenant(tenant, { features, capabilities } as never)
  const east = await addAccessRightsTag(app, tenant, 'East')
  const [manager, limited] = [`manager@${tenant}.test`, `limited@${tenant}.test`]
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, limited, 'Manager', [east])
  const feed = openFeed()
  const within = <T>(work: (tx: TenantTx) => Promise<T>) => inTenant(app.database.db, tenant, work)
  const start = Date.now() - 20 * 24 * hour
  let homes = 0
  const query = async (text: string, values: unknown[] = []) => (await app.database.owner.query(text, values)).rows
  const changeHome = (id: string, set: string, values: unknown[] = []) =>
    within(async (tx) => {
      await query(`update property set ${set} where id = $1`, [id, ...values])
      await changed(tx, 'property', [id])
    })
  return {
    ...{ tenant, east, manager, limited, start, within, query, changeHome },
    watch: (time: number) => watchTenant(app.context, feed, tenant, time),
    /** Runs everything that is due within an hour of a time. */
    watchOn: async (time: number) => {
      for (const later of [0, 3, 6, 40, 60]) await watchTenant(app.context, feed, tenant, time + later * minute)
    },
    addHome: async (bend: Record<string, unknown> = {}) => {
      const id = randomUUID()
      const number = ++homes
      await within(async (tx) => {
        await tx
          .insertInto('property')
          .values({
            ...{ tenant_id: tenant, id, reference: `H-${number}`, address1: `${number} Ashfield Terrace` },
            ...{ town: 'Halifax', postcode: 'HX1 4QD', latitude: null, longitude: null, access_rights_tag_id: null },
            ...bend,
          })
          .execute()
        await changed(tx, 'property', [id])
      })
      return id
    },
    addRule: async (condition: AlertableEventName, scope: Partial<Scope> = {}, changedAt = start) => {
      const id = randomUUID()
      const whole = { ...wholeClient, ...scope }
      await within((tx) =>
        tx
          .insertInto('alert_definition')
          .values({
            ...{ tenant_id: tenant, id, tag_id: null, delay: 0, delay_unit: 'mins', notification_type: 'EMAIL' },
            ...{ notification_target: 'desk@x.test', trigger_type: 'ALERTABLEEVENT', trigger_condition: condition },
            ...{ scope_families: [...whole.families], scope_buildings: [...whole.buildingIds] },
            ...{ scope_tags: [...whole.tagIds], changed_at: new Date(changedAt) },
          })
          .execute(),
      )
      return id
    },
    alerts: async (state: AlertState = 'open', who = manager, more: object = {}): Promise<Alert[]> =>
      (await app.send(getAlerts, { body: { tenant, state, ...more } }, who)).body.data!.alerts,
    mails: () =>
      query('select subject, text from mail where tenant_id = $1 order by at, subject', [tenant]) as Promise<
        { subject: string; text: string }[]
      >,
  }
}
type World = Awaited<ReturnType<typeof world>>

const failedGas = { gas_check_state: 'Failed', gas_failed_on: '2026-11-03' }

test('a property without a device raises its alerts; list, e-mail and webhook name it and link to it', async () => {
  const it = await world()
  await it.query(
    `insert into webhook_endpoint (tenant_id, id, url, name, events, secret, created_at, created_by)
     values ($1, gen_random_uuid(), 'https://x.test/', 'x', '{alert.told}', 'secret', now(), gen_random_uuid())`,
    [it.tenant],
  )
  await it.addRule('gasCheckFailed')
  await it.addHome()
  await it.watch(it.start)
  const home = await it.addHome(failedGas)
  await it.watchOn(it.start + hour)
  const [alert] = await it.alerts()
  assert.deepEqual(
    [alert!.home, alert!.deviceId, alert!.serial, alert!.product, alert!.covers, alert!.reason],
    [
      { propertyId: home, reference: 'H-2', address: '2 Ashfield Terrace, Halifax' },
      ...[null, null, null, 'All properties', 'failed on 03/11/2026'],
    ],
  )
  const [mail] = await it.mails()
  assert.equal(mail!.subject, 'Gas check failed: 2 Ashfield Terrace, Halifax')
  assert.match(mail!.text, /2 Ashfield Terrace, Halifax \(H-2\)\nFailed on 03\/11\/2026, since 03\/11\/2026 00:00/)
  assert.match(mail!.text, new RegExp(`Open the property:\\n\\S*/${it.tenant}/Properties/${home}`))
  const [message] = await it.query('select body from webhook_message where tenant_id = $1', [it.tenant])
  const { data } = JSON.parse(message!.body)
  assert.deepEqual([data.property, data.device], [{ id: home, reference: 'H-2', buildingId: null }, undefined])
  assert.deepEqual((await it.alerts('open', it.manager, { propertyId: home })).length, 1)
  assert.deepEqual(await it.alerts('open', it.manager, { propertyId: randomUUID() }), [])
  const rule = { tagTenant: it.tenant, tagId: '', scope: wholeClient, delay: 0, delayUnit: 'mins' as const }
  const preview = await app.send(
    previewAlertDefinition,
    {
      body: {
        ...{ ...rule, notificationType: 'NONE', notificationTarget: '' },
        ...{ triggerType: 'ALERTABLEEVENT', triggerCondition: 'gasCheckFailed' },
      } as never,
    },
    it.manager,
  )
  assert.deepEqual(
    [preview.body.data!.count, preview.body.data!.latest?.home],
    [1, { propertyId: home, reference: 'H-2' }],
  )
  await it.changeHome(home, `gas_check_state = 'InDate', gas_failed_on = null`)
  await it.watchOn(it.start + 4 * hour)
  assert.deepEqual(
    (await it.alerts('over')).map(({ ending }) => ending),
    ['cleared'],
  )
})

test('an overdue check and a never-checked appliance stay open when another appliance of the property is in a worse state', async () => {
  const it = await world()
  for (const event of ['gasCheckOverdue', 'gasNeverChecked'] as const) await it.addRule(event)
  await it.watch(it.start)
  const due = new Date(it.start - 9 * 24 * hour)
  const home = await it.addHome({ gas_check_state: 'Overdue', gas_check_due_at: due })
  await it.watchOn(it.start + hour)
  const open = async () => (await it.alerts()).map(({ triggerCondition }) => triggerCondition).toSorted()
  assert.deepEqual(await open(), ['gasCheckOverdue'])
  // An appliance without a record is added.
  await it.query(
    `insert into home_appliance (tenant_id, id, property_id, name, added_at, added_by, added_by_name)
     values ($1, gen_random_uuid(), $2, 'Gas fire', now(), gen_random_uuid(), 'x')`,
    [it.tenant, home],
  )
  await it.changeHome(home, `gas_check_state = 'NeverChecked'`)
  await it.watchOn(it.start + 4 * hour)
  assert.deepEqual(await open(), ['gasCheckOverdue', 'gasNeverChecked'])
  await it.changeHome(home, `gas_check_state = 'Failed', gas_failed_on = '2026-11-03'`)
  await it.watchOn(it.start + 8 * hour)
  assert.deepEqual(await open(), ['gasCheckOverdue', 'gasNeverChecked'])
  // Each alert gives the reason for its own condition, not the state of the property.
  const reasons = (alerts: Alert[]) => alerts.map(({ reason }) => reason).toSorted()
  assert.deepEqual(reasons(await it.alerts()), [`due by ${dayText(dayAt(+due, 'Europe/London'))}`, 'never checked'])
  await it.query('update home_appliance set removed_at = now() where tenant_id = $1', [it.tenant])
  await it.changeHome(home, `gas_check_state = 'InDate', gas_failed_on = null, gas_check_due_at = $2`, [
    new Date(it.start + 300 * 24 * hour),
  ])
  await it.watchOn(it.start + 12 * hour)
  assert.deepEqual(await open(), [])
  // The current state contradicts an ended alert.
  assert.deepEqual(reasons(await it.alerts('over')), ['', ''])
})

test('several properties in one building are one e-mail that links to just these', async () => {
  const it = await world()
  const building = randomUUID()
  await it.within((tx) =>
    tx.insertInto('building').values({ tenant_id: it.tenant, id: building, name: 'Oak House' }).execute(),
  )
  await it.addRule('gasCheckFailed')
  await it.watch(it.start)
  for (let count = 0; count < 2; count++) await it.addHome({ ...failedGas, building_id: building })
  await it.watchOn(it.start + hour)
  const [mail, other] = await it.mails()
  assert.deepEqual([mail!.subject, other], ['Gas check failed: 2 properties in Oak House', undefined])
  assert.match(decodeURIComponent(mail!.text), /Properties\?filters=\[.*"propertyReference".*\["H-1","H-2"\]/)
})

test('alerts of properties are visible only to users who see the property', async () => {
  const it = await world()
  await it.addRule('gasCheckFailed')
  await it.watch(it.start)
  await it.addHome({ ...failedGas, access_rights_tag_id: it.east })
  const west = await it.addHome(failedGas)
  // A device that a limited user sees discloses nothing about a property that the user does not see.
  const boiler = await addDevice(app, it.tenant, { product: 'BX', accessRightsTagId: it.east })
  await it.query('update device set property_id = $2 where id = $1', [boiler, west])
  await it.watchOn(it.start + hour)
  const seen = async (who: string) =>
    (await it.alerts('open', who)).map(({ home }) => home?.reference ?? 'a device').toSorted((a, b) => (a < b ? -1 : 1))
  const counted = async (who: string) =>
    (await app.send(getAlerts, { body: { tenant: it.tenant, state: 'open' } }, who)).body.data!.counts.open
  assert.deepEqual([await seen(it.manager), await counted(it.manager)], [['H-1', 'H-2'], 2])
  assert.deepEqual([await seen(it.limited), await counted(it.limited)], [['H-1'], 1])
  assert.deepEqual(await it.alerts('open', it.limited, { propertyId: west }), [])
  const other = await world()
  const refused = await app.send(getAlerts, { body: { tenant: it.tenant, state: 'open' } }, other.manager)
  assert.notEqual(refused.status, 200)
  // A user who may not see properties sees no alerts of one.
  await it.query(`delete from tenant_capability where tenant_id = $1 and capability = 'ViewProperties'`, [it.tenant])
  assert.deepEqual([await seen(it.manager), await counted(it.manager)], [[], 0])
})

test('addresses stay hidden where the client hides personal data', async () => {
  const it = await world({ features: ['PropertyCentric', 'HideCustomerPersonalData'] })
  await it.addRule('gasCheckFailed')
  await it.watch(it.start)
  await it.addHome(failedGas)
  await it.watchOn(it.start + hour)
  assert.deepEqual(
    (await it.alerts()).map(({ home }) => [home!.reference, home!.address]),
    [['H-1', null]],
  )
  const [mail] = await it.mails()
  assert.equal(mail!.subject, 'Gas check failed: H-1')
  assert.ok(!mail!.text.includes('Ashfield'))
})

test('a rule covers properties by building and by the tags of their devices, never by device family', async () => {
  const it = await world()
  const [building, tag] = [randomUUID(), randomUUID()]
  await it.within(async (tx) => {
    await tx.insertInto('building').values({ tenant_id: it.tenant, id: building, name: 'Oak House' }).execute()
    await tx.insertInto('tag').values({ tenant_id: it.tenant, id: tag, name: 'Phase2' }).execute()
  })
  await it.watch(it.start)
  const inOak = await it.addHome({ ...failedGas, building_id: building })
  const tagged = await it.addHome(failedGas)
  await it.addHome(failedGas)
  // A property without a building has the building of its devices.
  const ofDevices = await it.addHome(failedGas)
  const standing = await addDevice(app, it.tenant, { product: 'MD' })
  await it.query('update device set property_id = $2, building_id = $3 where id = $1', [standing, ofDevices, building])
  const sensor = await addDevice(app, it.tenant, { product: 'MD' })
  await it.within(async (tx) => {
    await it.query('update device set property_id = $2 where id = $1', [sensor, tagged])
    await tx.insertInto('device_tag').values({ tenant_id: it.tenant, device_id: sensor, tag_id: tag }).execute()
    record(tx, [{ type: 'DeviceTagDeleted', deviceId: sensor }])
  })
  await refreshHomeStatuses(app.database.db)
  const rules = {
    building: await it.addRule('gasCheckFailed', { buildingIds: [building] }),
    tag: await it.addRule('gasCheckFailed', { tagIds: [tag] }),
    family: await it.addRule('gasCheckFailed', { families: ['emered'] }),
    device: await it.addRule('boilerLockout'),
  }
  await it.watchOn(it.start + hour)
  const homesOf = async (rule: string) =>
    (
      await it.query(
        'select property_id as id from alert where tenant_id = $1 and definition_id = $2 order by property_id',
        [it.tenant, rule],
      )
    ).map(({ id }) => id)
  assert.deepEqual(await homesOf(rules.building), [inOak, ofDevices].toSorted())
  assert.deepEqual(await homesOf(rules.tag), [tagged])
  assert.equal((await homesOf(rules.family)).length, 4)
  assert.deepEqual(await homesOf(rules.device), [])
  // When the tag is removed, the alert of the property ends at once, as a device's does.
  await it.within(async (tx) => {
    await tx.deleteFrom('device_tag').where('tenant_id', '=', it.tenant).execute()
    await endUncovered(tx, [sensor], new Date())
  })
  assert.deepEqual(
    (await it.alerts('over')).map(({ home, ending }) => [home!.propertyId, ending]),
    [[tagged, 'tag taken off']],
  )
  // The device leaves the building, and so does the property.
  await it.within(async (tx) => {
    await it.query('update device set building_id = null where id = $1', [standing])
    await changed(tx, 'device', [standing])
  })
  await it.watchOn(it.start + 4 * hour)
  assert.deepEqual(
    (await it.alerts('over')).flatMap(({ home, ending }) => (ending === 'out of scope' ? [home!.propertyId] : [])),
    [ofDevices],
  )
})

/** A case of the property with these running deadlines. */
async function hasDeadlines(it: World, home: string, deadlines: [step: string, on: string, at?: number][]) {
  await it.query(
    `insert into awaabs_law_case (tenant_id, id, property_id, number, status, aware_on, emergency)
     values ($1, $2, $2, 12, 'Investigation', '2026-01-01', false) on conflict do nothing`,
    [it.tenant, home],
  )
  await it.query('delete from awaabs_law_deadline where tenant_id = $1', [it.tenant])
  for (const [place, [step, on, instant]] of deadlines.entries())
    await it.query(
      `insert into awaabs_law_deadline (tenant_id, case_id, place, property_id, step, is_emergency, due_on, due_at)
       values ($1, $2, $3, $2, $4, $5, $6, $7)`,
      [it.tenant, home, place, step, instant !== undefined, on, instant === undefined ? null : new Date(instant)],
    )
  await it.within((tx) => changed(tx, 'property', [home]))
}

test("each running deadline of Awaab's Law is missed at its own instant, an emergency at its hour, and no mute hides it", async () => {
  const it = await world()
  await it.addRule('awaabsLawMissed', {}, at('2026-11-01 00:00'))
  await it.watch(at('2026-11-16 09:00'))
  const home = await it.addHome({ void_flag: 'Void' })
  const due = at('2026-11-18 10:00')
  await hasDeadlines(it, home, [
    ['Investigation', '2026-11-18'],
    ['Repairs', '2026-11-18', due],
    ['Summary', '2026-11-20'],
  ])
  const missed = async () =>
    (
      await it.query('select about, began_at from alert where tenant_id = $1 order by began_at, about', [it.tenant])
    ).map(({ about, began_at: began }) => [about, began.toISOString()])
  const repairs = ['AL-0012 Repairs', new Date(due).toISOString()]
  await it.watch(at('2026-11-18 09:58'))
  assert.deepEqual(await missed(), [])
  await it.watch(due - 1)
  assert.deepEqual(await missed(), [])
  await it.watch(due)
  assert.deepEqual(await missed(), [repairs])
  await it.watchOn(due)
  const investigation = ['AL-0012 Investigation', new Date(at('2026-11-19 00:00')).toISOString()]
  await it.watchOn(at('2026-11-19 00:00'))
  assert.deepEqual(await missed(), [repairs, investigation])
  await it.watchOn(at('2026-11-21 00:00'))
  assert.equal((await missed()).length, 3)
  assert.deepEqual((await it.alerts()).map(({ reason }) => reason).toSorted(), [
    'AL-0012 Investigation, due by 18/11/2026',
    'AL-0012 Repairs, due by 18/11/2026 10:00',
    'AL-0012 Summary, due by 20/11/2026',
  ])
  assert.equal((await it.mails()).length, 3)
  // A deadline that is met ends its alert; the others stay.
  await it.query(`update awaabs_law_deadline set done_on = '2026-11-21' where step = 'Repairs' and tenant_id = $1`, [
    it.tenant,
  ])
  await it.within((tx) => changed(tx, 'property', [home]))
  await it.watchOn(at('2026-11-21 09:00'))
  assert.equal((await it.alerts()).length, 2)
})

test('a void property mutes its alerts except dangers and deadlines; archiving it ends them', async () => {
  const it = await world()
  for (const event of ['gasCheckFailed', 'frostRisk'] as const) await it.addRule(event)
  await it.watch(it.start)
  const home = await it.addHome({ ...failedGas, void_flag: 'Void', frost_since: new Date(it.start) })
  await it.watchOn(it.start + hour)
  assert.deepEqual(
    (await it.alerts()).map(({ triggerCondition }) => triggerCondition),
    ['frostRisk'],
  )
  assert.deepEqual(
    (await it.alerts('pending')).map(({ triggerCondition, isMuted }) => [triggerCondition, isMuted]),
    [['gasCheckFailed', true]],
  )
  await it.changeHome(home, 'archived_at = now()')
  await it.watchOn(it.start + 4 * hour)
  const rows = await it.query('select ending from alert where tenant_id = $1 and told_at is not null', [it.tenant])
  assert.deepEqual(rows, [{ ending: 'out of service' }])
  assert.equal((await it.mails()).length, 1, 'nobody is notified that it is over')
})

test('alerts that earlier versions stored for devices of a property continue for the property, and no e-mail is sent twice', async () => {
  const it = await world()
  const rule = await it.addRule('gasCheckFailed')
  const home = await it.addHome(failedGas)
  const devices = [
    await addDevice(app, it.tenant, { product: 'BX' }),
    await addDevice(app, it.tenant, { product: 'BX' }),
  ]
  await it.query('update device set property_id = $2 where id = any($1)', [devices, home])
  await it.watch(it.start)
  await it.watchOn(it.start + hour)
  const [notice] = await it.mails()
  assert.ok(notice)
  // As the previous version stored it: each boiler of the property with its own alert.
  await it.query(`delete from home_spell where tenant_id = $1`, [it.tenant])
  await it.query(`update alert_progress set homes_since = null where tenant_id = $1`, [it.tenant])
  for (const device of devices)
    await it.query(
      `insert into device_spell (tenant_id, device_id, kind, key, began_at, seen_at)
       values ($1, $2, 'ALERTABLEEVENT', 'gasCheckFailed', $3, $3)`,
      [it.tenant, device, new Date(it.start)],
    )
  await it.query(`update alert set property_id = null, device_id = $2, seen_at = $3 where tenant_id = $1`, [
    it.tenant,
    devices[0],
    new Date(it.start),
  ])
  await it.query(
    `insert into alert (tenant_id, id, definition_id, device_id, rule, place, began_at, seen_at, due_at, tell_at, told_at)
     select tenant_id, gen_random_uuid(), definition_id, $2, rule, place, began_at, seen_at, due_at, tell_at,
       told_at + interval '1 minute' from alert where tenant_id = $1`,
    [it.tenant, devices[1]],
  )
  // Damp that ended three weeks ago, at both devices for overlapping times; nobody was notified of it.
  await it.addRule('dampAndMould', {}, it.start - 30 * 24 * hour)
  await it.query(`update alert_progress set started_at = $2 where tenant_id = $1`, [
    it.tenant,
    new Date(it.start - 30 * 24 * hour),
  ])
  for (const [index, device] of devices.entries())
    await it.query(
      `insert into device_spell (tenant_id, device_id, kind, key, began_at, seen_at, ended_at)
       values ($1, $2, 'ALERTABLEEVENT', 'dampAndMould', $3, $3, $4)`,
      [it.tenant, device, ...[-22 * 24 + index, -21 * 24 + index].map((hours) => new Date(it.start + hours * hour))],
    )
  await it.query(`update alert_definition set pending = false where tenant_id = $1`, [it.tenant])
  await it.watchOn(it.start + 5 * hour)
  // A later change to the devices neither raises an alert again nor ends one.
  const tag = randomUUID()
  await it.within(async (tx) => {
    await tx.insertInto('tag').values({ tenant_id: it.tenant, id: tag, name: 'Phase2' }).execute()
    await it.query(`update device set connection_status = 'NotConnected', connection_at = $2 where id = any($1)`, [
      devices,
      new Date(it.start + 6 * hour),
    ])
    for (const device of devices)
      await tx.insertInto('device_tag').values({ tenant_id: it.tenant, device_id: device, tag_id: tag }).execute()
    record(
      tx,
      devices.map((deviceId) => ({ type: 'DeviceTagDeleted', deviceId })),
    )
  })
  await it.watchOn(it.start + 7 * hour)
  const alerts = await it.query(
    `select property_id, device_id, definition_id, ending, closed_at is null as open from alert where tenant_id = $1 order by closed_at nulls first`,
    [it.tenant],
  )
  assert.deepEqual(alerts, [
    { property_id: home, device_id: null, definition_id: rule, ending: null, open: true },
    { property_id: null, device_id: devices[1], definition_id: rule, ending: 'rule changed', open: false },
  ])
  assert.equal((await it.mails()).length, 1)
  assert.deepEqual(
    await it.query(
      `select count(*)::int from device_spell where tenant_id = $1 and (key like 'gas%' or key like 'damp%')`,
      [it.tenant],
    ),
    [{ count: 0 }],
  )
  await it.changeHome(home, `gas_check_state = 'InDate'`)
  await it.watchOn(it.start + 10 * hour)
  assert.deepEqual(
    (await it.mails()).map(({ subject }) => subject.split(':')[0]),
    ['Gas check failed', 'Over'],
  )
})

test('an alert of a device about a fact of its property, raised by an old worker, closes without an e-mail', async () => {
  const it = await world()
  const rule = await it.addRule('gasCheckFailed')
  const home = await it.addHome(failedGas)
  const device = await addDevice(app, it.tenant, { product: 'BX' })
  await it.query('update device set property_id = $2 where id = $1', [device, home])
  await it.watch(it.start)
  await it.watchOn(it.start + hour)
  assert.equal((await it.mails()).length, 1)
  // As an old worker that is still running stores it.
  await it.query(
    `insert into device_spell (tenant_id, device_id, kind, key, began_at, seen_at)
     values ($1, $2, 'ALERTABLEEVENT', 'gasCheckFailed', $3, $3)`,
    [it.tenant, device, new Date(it.start + 2 * hour)],
  )
  await it.query(
    `insert into alert (tenant_id, id, definition_id, device_id, rule, place, began_at, seen_at, due_at, tell_at, told_at)
     select tenant_id, gen_random_uuid(), $2, $3, rule, place, $4, $4, $4, $4, $4 from alert where tenant_id = $1`,
    [it.tenant, rule, device, new Date(it.start + 2 * hour)],
  )
  await it.within((tx) => changed(tx, 'device', [device]))
  await it.watchOn(it.start + 4 * hour)
  assert.deepEqual(
    await it.query('select ending from alert where tenant_id = $1 and device_id = $2', [it.tenant, device]),
    [{ ending: 'out of scope' }],
  )
  assert.equal((await it.mails()).length, 1)
  // The device leaves the property: an ended alert is not raised again.
  await it.within(async (tx) => {
    await it.query('update device set property_id = null where id = $1', [device])
    await changed(tx, 'device', [device])
  })
  await it.watchOn(it.start + 7 * hour)
  assert.equal((await it.mails()).length, 1)
})

test('a new rule raises no alert for what was over before it was first evaluated', async () => {
  const it = await world()
  const home = await it.addHome(failedGas)
  await it.watch(it.start)
  await it.changeHome(home, `gas_check_state = 'InDate'`)
  // The rule is created after the check has passed; the worker processes both later.
  await it.addRule('gasCheckFailed', {}, it.start + hour)
  await it.watchOn(it.start + 2 * hour)
  for (const state of ['open', 'over', 'pending'] as const) assert.deepEqual(await it.alerts(state), [], state)
  assert.deepEqual(await it.mails(), [])
  await it.changeHome(home, `gas_check_state = 'Failed'`)
  await it.watchOn(it.start + 4 * hour)
  assert.equal((await it.alerts()).length, 1, 'and one for what comes after it')
})

test('a saved rule about properties is named by what it covers', async () => {
  const it = await world()
  const { body } = await app.send(
    createAlertDefinition,
    {
      body: {
        ...{ tagTenant: it.tenant, tagId: '', scope: { ...wholeClient, families: ['boiler'] }, delay: 0 },
        ...{ delayUnit: 'mins', notificationType: 'NONE', notificationTarget: '' },
        ...{ triggerType: 'ALERTABLEEVENT', triggerCondition: 'gasCheckFailed' },
      } as never,
    },
    it.manager,
  )
  assert.equal(body.data!.covers, 'All properties')
})
