import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import fc from 'fast-check'
import { dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { workingDaysAfter } from '@caretaker/rules/calendar/bank-holidays.ts'
import type { RecordStatus, RecordType } from '@caretaker/rules/compliance/records.ts'
import { testKits } from '@caretaker/rules/compliance/records.ts'
import type { History, Interval } from '@caretaker/rules/alerts/engine.ts'
import { sendings, usualPace } from '@caretaker/rules/alerts/engine.ts'
import { scopeOf } from '@caretaker/rules/alerts/scope.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { updateEmeredGroup } from '@caretaker/contract/groups.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import type { AlertableEventName } from '@caretaker/rules/alerts/triggers.ts'
import { alertableEventNames, alertableEvents } from '@caretaker/rules/alerts/triggers.ts'
import { storedCleared } from '@caretaker/rules/alerts/words.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { openFeed } from '../../changes/feed.ts'
import { changed } from '../../changes/changed.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { chanceOf } from '../../testing/chance.ts'
import { proofOf } from '../../testing/evidence.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { makeDue } from '../../postgres/due.ts'
import { assessDamp } from '../damp/assess.ts'
import { happened } from '../conditions/store.ts'
import { recomputeCompliance, turnCompliance } from '../compliance/compliance-states.ts'
import { addRecord } from '../compliance/store.ts'
import { ingestEvents, ingestLinks, ingestStates, sweepConnections } from '../devices/ingest.ts'
import { refreshFrost, refreshHeating } from '../heating/refresh.ts'
import { watchCharge } from '../lighting/charge.ts'
import { runTests } from '../lighting/engine.ts'
import { ingestTests } from '../lighting/ingest.ts'
import { watchLights } from '../lighting/watch.ts'
import type { StoredSpell } from './histories.ts'
import { asRule, historiesOf, spellsOf } from './histories.ts'
import { observe } from './observe.ts'
import { previewsOf } from './preview.ts'
import { watchTenant } from './watch.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

let counter = 0
const start = Date.UTC(2026, 0, 1)

/**
 * A tenant with a gateway, two lights connected through it in one building, and a boiler in a property; all but the
 * gateway have a tag.
 */
async function world() {
  const tenant = `t${++counter}`
  await app.addTenant(tenant, { features: ['AwaabsLaw'] })
  const gateway = await addDevice(app, tenant, { product: 'MG', name: 'Roof gateway' })
  const lights = [
    await addDevice(app, tenant, { product: 'EM', name: 'Stair light', parentId: gateway }),
    await addDevice(app, tenant, { product: 'EM', name: 'Hall light', parentId: gateway }),
  ]
  const boiler = await addDevice(app, tenant, { product: 'BX', name: 'Kitchen boiler' })
  const devices = [gateway, ...lights, boiler]
  const [tagId, building, property] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
  const within = <T>(work: (tx: TenantTx) => Promise<T>) => inTenant(app.database.db, tenant, work)
  await within(async (tx) => {
    await tx.insertInto('tag').values({ tenant_id: tenant, id: tagId, name: 'Phase2' }).execute()
    await tx.insertInto('building').values({ tenant_id: tenant, id: building, name: 'Riverside Point' }).execute()
    await tx
      .insertInto('property')
      .values({
        tenant_id: tenant,
        id: property,
        reference: 'N1',
        latitude: null,
        longitude: null,
        access_rights_tag_id: null,
      })
      .execute()
    for (const [ids, place] of [
      [[gateway, ...lights], { building_id: building, building_name: 'Riverside Point' }],
      [[boiler], { property_id: property, property_reference: 'N1' }],
    ] as const)
      await tx.updateTable('device').set(place).where('tenant_id', '=', tenant).where('id', 'in', ids).execute()
    await tx
      .updateTable('device')
      .set({ connection_status: 'Connected', connection_at: new Date(start - day) })
      .where('tenant_id', '=', tenant)
      .execute()
    await tx
      .insertInto('device_tag')
      .values([...lights, boiler].map((device_id) => ({ tenant_id: tenant, device_id, tag_id: tagId })))
      .execute()
  })
  const feed = openFeed()
  const addRule = async (bend: Partial<Definition> = {}) => {
    const id = crypto.randomUUID()
    const rule: Definition = {
      ...{ tagId, delay: 30, delayUnit: 'mins', notificationType: 'EMAIL', notificationTarget: 'a@x.test' },
      ...{ triggerType: 'DEVICESTATUS', triggerCondition: 'FailedEquipment' },
      ...bend,
    }
    await within((tx) =>
      tx
        .insertInto('alert_definition')
        .values({
          ...{ tenant_id: tenant, id, tag_id: tagId, delay: rule.delay, delay_unit: rule.delayUnit },
          ...{ notification_type: rule.notificationType, notification_target: rule.notificationTarget },
          ...{ trigger_type: rule.triggerType, trigger_condition: rule.triggerCondition },
        })
        .execute(),
    )
    return { id, rule }
  }
  return {
    ...{ tenant, gateway, lights, boiler, devices, tagId, property, within, addRule },
    watch: (now: number, db = app.context.db) => watchTenant({ ...app.context, db }, feed, tenant, now),
    breaks: (deviceId: string, at: number) =>
      within((tx) => happened(tx, [{ deviceId, occurrence: { what: 'set', at, kind: 'equipmentBroken' } }])),
    mends: (deviceId: string, at: number) =>
      within((tx) =>
        happened(tx, [
          { deviceId, occurrence: { what: 'ended', at, kind: 'equipmentBroken', cause: 'ended by a person' } },
        ]),
      ),
    maintains: (deviceId: string, at: number, isActive: boolean) =>
      within((tx) =>
        happened(tx, [
          {
            deviceId,
            occurrence: isActive
              ? { what: 'set', at, kind: 'maintenance' }
              : { what: 'ended', at, kind: 'maintenance', cause: 'ended by a person' },
          },
        ]),
      ),
    connects: (ids: string[], at: number, to: 'Connected' | 'NotConnected') =>
      within(async (tx) => {
        await tx
          .updateTable('device')
          .set({ connection_status: to, connection_at: new Date(at) })
          .where('tenant_id', '=', tenant)
          .where('id', 'in', ids)
          .execute()
        await changed(tx, 'device', ids)
      }),
    empties: (isVoid: boolean) =>
      within(async (tx) => {
        await tx
          .updateTable('property')
          .set({ void_flag: isVoid ? 'Void' : 'NotVoid' })
          .where('tenant_id', '=', tenant)
          .execute()
        await changed(tx, 'device', [boiler])
        await changed(tx, 'property', [property])
      }),
    tags: (deviceId: string, isTagged: boolean) =>
      within(async (tx) => {
        if (isTagged)
          await tx.insertInto('device_tag').values({ tenant_id: tenant, device_id: deviceId, tag_id: tagId }).execute()
        else
          await tx.deleteFrom('device_tag').where('tenant_id', '=', tenant).where('device_id', '=', deviceId).execute()
        await changed(tx, 'device', [deviceId])
      }),
    mails: async () =>
      (
        await app.database.owner.query<{ subject: string; text: string; recipient: string }>(
          'select subject, text, recipient from mail where tenant_id = $1 order by at, subject',
          [tenant],
        )
      ).rows,
    alerts: async () =>
      (
        await app.database.owner.query<Record<string, unknown>>(
          `select device_id, property_id, about, told_at, over_told_at, closed_at, ending, held, behind from alert where tenant_id = $1
           order by began_at, device_id`,
          [tenant],
        )
      ).rows,
    nextAt: async () => {
      const { rows } = await app.database.owner.query<{ at: Date | null }>(
        'select min(next_at) as at from alert where tenant_id = $1',
        [tenant],
      )
      return rows[0]!.at && +rows[0]!.at
    },
  }
}

type World = Awaited<ReturnType<typeof world>>

test('a failed boiler is notified after the delay, and again once it has stayed well', async () => {
  const it = await world()
  await it.addRule()
  await it.watch(start)
  await it.breaks(it.boiler, start + minute)
  await it.watch(start + minute)
  assert.deepEqual(await it.mails(), [])
  assert.equal(await it.nextAt(), start + 31 * minute)
  assert.equal(await it.watch(start + 31 * minute), 0)
  assert.equal(await it.watch(start + 33 * minute), 1)
  const [mail] = await it.mails()
  assert.equal(mail!.subject, 'Failed equipment: Kitchen boiler, N1')
  assert.match(mail!.text, /since 01\/01\/2026 00:01/i)
  assert.match(mail!.text, /Find out what has failed/)
  assert.match(mail!.text, new RegExp(`/${it.tenant}/Boilers/${it.boiler}`))
  assert.match(mail!.text, /“Phase2: Failed equipment for 30 mins”/)
  assert.match(mail!.text, /Unsubscribe from this rule/)
  assert.equal(await it.watch(start + hour), 0, 'once')
  await it.mends(it.boiler, start + 2 * hour)
  await it.watch(start + 2 * hour)
  assert.equal(await it.watch(start + 2 * hour + 29 * minute), 0)
  assert.equal(await it.watch(start + 2 * hour + 31 * minute), 0)
  assert.equal(await it.watch(start + 2 * hour + 32 * minute), 1)
  assert.match((await it.mails()).at(-1)!.subject, /^Over: failed equipment: Kitchen boiler/)
  const [alert] = await it.alerts()
  assert.equal(alert!['ending'], storedCleared)
  assert.ok(alert!['closed_at'])
})

/** Hourly readings of a room, as its sensor reported them. */
async function reads({ tenant, boiler }: World, from: number, hours: number, values: Record<string, number>) {
  for (const [metric, value] of Object.entries(values))
    await app.database.owner.query(
      `with one as (
        insert into series (tenant_id, device_id, metric) values ($1, $2, $3)
        on conflict (tenant_id, device_id, metric) do update set metric = excluded.metric returning id)
      insert into hourly select $1, id, at, 1, $4::float8, $4, $4, at, $4
        from one, generate_series($5::timestamptz, $6, interval '1 hour') at`,
      [tenant, boiler, metric, value, new Date(from), new Date(from + (hours - 1) * hour)],
    )
}
async function assess({ within }: World, at: number) {
  await within((tx) => makeDue(tx, 'assess damp', new Date(0)))
  await assessDamp(app.database.db, new Date(at))
}
const reportState = (
  { within, tenant }: World,
  deviceId: string,
  payload: Parameters<typeof ingestStates>[1][number]['payload'],
  at: number,
) => within((tx) => ingestStates(tx, [{ tenant, deviceId, receivedAt: new Date(at), payload }]))
const tested = (
  { within, tenant }: World,
  deviceId: string,
  testType: TestType,
  result: 'Passed' | 'Failed',
  at: number,
) =>
  within((tx) =>
    ingestTests(tx, [
      {
        // A result arrives when the test has ended.
        ...{ tenant, deviceId, receivedAt: new Date(at + (testType === 'T180' ? 190 * minute : 0)) },
        payload: {
          ...{ eventId: crypto.randomUUID(), testType, start: at, result, series: [] },
          ...(result === 'Passed' && { statusBits: proofOf(testType) }),
          componentStates: { Lamp: result === 'Passed' ? ('Ok' as const) : ('Failed' as const) },
        },
      },
    ]),
  )
/** Puts a light into a group of its own with a planned test. */
async function planned(it: World, light: string, { at, testType }: { at: number; testType: TestType }) {
  const [groupId, groupName] = [crypto.randomUUID(), `Group ${light}`]
  await it.within(async (tx) => {
    const { id } = await tx
      .selectFrom('building')
      .select('id')
      .where('tenant_id', '=', it.tenant)
      .executeTakeFirstOrThrow()
    const ours = { tenant_id: it.tenant, building_id: id }
    await tx
      .insertInto('light_group')
      .values({
        ...{ ...ours, id: groupId, name: groupName, name_key: groupName.toLowerCase(), also_types: ['T5', 'T60'] },
        ...{ t180_start: '2098-01-01 02:00:00', created_at: new Date(start) },
      })
      .execute()
    await tx
      .insertInto('light_group_member')
      .values({ tenant_id: it.tenant, device_id: light, group_id: groupId, added_at: new Date(start) })
      .execute()
    await tx
      .insertInto('test_run')
      .values({
        ...{ ...ours, id: crypto.randomUUID(), group_id: groupId, group_name: groupName, test_type: testType },
        ...{ starts_at: new Date(at), ended_at: null },
      })
      .execute()
    await makeDue(tx, 'run tests', new Date(at))
  })
  return groupName
}
const runs = (at: number) => runTests(app.database.db, new Date(at))
async function records({ within, boiler }: World, type: RecordType, at: number, status: RecordStatus = 'Pass') {
  const testKit = type === 'WaterTreatment' ? testKits[0] : null
  const record = { type, serialNumber: `G${at}`, status, testKit, isDraft: false } as const
  const createdBy = crypto.randomUUID()
  await within(async (tx) => {
    await addRecord(tx, { ...record, deviceId: boiler, recordedAt: new Date(at), createdBy }, new Date(at))
    await recomputeCompliance(tx, [boiler], new Date(at))
  })
}
const heard = ({ within, gateway }: World, connected: boolean, at: number) =>
  within((tx) =>
    ingestLinks(
      tx,
      [{ deviceId: gateway, heardAt: connected ? new Date(at) : null, connected, drops: [] }],
      new Date(at),
    ),
  )

const lightHeard = ({ within, lights }: World, at: number) =>
  within((tx) => ingestLinks(tx, [{ deviceId: lights[0]!, heardAt: new Date(at), drops: [] }], new Date(at)))
const makeAllSweep = ({ within }: World) => within((tx) => makeDue(tx, 'sweep connections', new Date(0)))

/** A record of a boiler expires, and the next one is added. */
const recorded = (type: RecordType, after = 40): CauseOf => ({
  about: 'home',
  before: (it, at) => records(it, type, at - 300 * day),
  begins: async (_, at) => {
    await turnCompliance(app.database.db, new Date(at + after * day))
    return at + after * day
  },
  ends: (it, at) => records(it, type, at),
})

const failing = (type: RecordType): CauseOf => ({
  about: 'home',
  before: (it, at) => records(it, type, at - 100 * day),
  begins: (it, at) => records(it, type, at, 'Fail'),
  ends: (it, at) => records(it, type, at),
})

/** A newly discovered boiler whose check is due and was never recorded. */
const neverMade = (type: RecordType): CauseOf => ({
  about: 'home',
  before: (it) => watches(it, 'None'),
  begins: (it) => watches(it, null),
  ends: (it, at) => records(it, type, at),
})
const watches = ({ tenant, boiler, within }: World, monitoring: 'None' | null) =>
  within(async (tx) => {
    await tx
      .updateTable('device')
      .set({ monitoring })
      .where('tenant_id', '=', tenant)
      .where('id', '=', boiler)
      .execute()
    await changed(tx, 'device', [boiler])
    await recomputeCompliance(tx, [boiler], new Date())
  })

const zone = 'Europe/London'
/**
 * A case of the property with one deadline, this many working days after an instant; no deadline when the step is done.
 */
const hasDeadline = (it: World, at: number, days: number | null) =>
  hasDeadlines(it, days === null ? [] : [{ step: 'Investigation', on: workingDaysAfter(dayAt(at, zone), days) }])
/** The case of the property with these deadlines. */
const hasDeadlines = (
  { tenant, property, within }: World,
  deadlines: readonly { step: string; on: string; at?: number }[],
) =>
  within(async (tx) => {
    const ours = { tenant_id: tenant, property_id: property }
    const { id } = await tx
      .insertInto('awaabs_law_case')
      .values({
        ...{ ...ours, id: property, number: 12, status: 'Investigation', hazard: null, aware_on: '2026-01-01' },
        ...{ aware_at: null, emergency: false, closed_on: null, close_reason: null },
      })
      .onConflict((same) => same.columns(['tenant_id', 'id']).doUpdateSet({ number: 12 }))
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx.deleteFrom('awaabs_law_deadline').where('tenant_id', '=', tenant).execute()
    for (const [place, { step, on, at }] of deadlines.entries())
      await tx
        .insertInto('awaabs_law_deadline')
        .values({
          ...{ ...ours, case_id: id, place, step: step as 'Repairs', is_emergency: at !== undefined, due_on: on },
          ...{ due_at: at === undefined ? null : new Date(at), law_due_on: null, law_due_at: null },
          ...{ other_due_on: null, other_due_at: null, done_on: null, done_at: null, ended_on: null, ended_at: null },
          ...{ moved_at: null, moved_reason: null },
        })
        .execute()
    await changed(tx, 'property', [property])
  })
const deadlineIn = (days: number): CauseOf => ({
  about: 'home',
  begins: (it, at) => hasDeadline(it, at, days),
  ends: (it, at) => hasDeadline(it, at, null),
})
/** A deadline that comes near, or passes, when only the day changes. */
const deadlineAfter = (days: number): CauseOf => ({
  about: 'home',
  begins: async (it, at) => {
    await hasDeadline(it, at, 1)
    await it.watch(at)
    const due = startOfDay(workingDaysAfter(dayAt(at, zone), 1), zone)
    return due + days * day + hour
  },
  ends: (it, at) => hasDeadline(it, at, null),
})

/** The sensor of the property's room reports this temperature, in °C. */
async function roomReads(it: World, temperature: number, at: number) {
  await reads(it, at - (at % hour), 1, { temperature })
  await it.within((tx) => refreshFrost(tx, new Date(at)))
}

/** A high-severity event of a device that is not a light, and its end. */
function dangerous(category: string): CauseOf {
  const events =
    (isOver: boolean): Cause =>
    (it, at) =>
      it.within((tx) =>
        ingestEvents(tx, [
          {
            ...{ tenant: it.tenant, deviceId: it.boiler, receivedAt: new Date(at) },
            payload: {
              ...{ eventId: crypto.randomUUID(), start: isOver ? at - hour : at, severity: 'High', category },
              ...{ description: category, ...(isOver && { end: at }) },
            },
          },
        ]),
      )
  return { about: 'boiler', begins: events(false), ends: events(true) }
}

interface CauseOf {
  about: 'gateway' | 'light' | 'boiler' | 'home'
  before?: Cause
  begins: Cause
  ends: Cause
}

/**
 * How each event starts and ends, written by its real sources: readings, jobs and users, never through the alert
 * tables. `before` is one hour before the rule's first evaluation; each step takes until the time it returns.
 */
const causes: Record<AlertableEventName, CauseOf> = {
  boilerLockout: {
    about: 'boiler',
    begins: (it, at) => reportState(it, it.boiler, { faultCode: 'EA', fault: { faultSource: 'boiler' } }, at),
    ends: (it, at) => reportState(it, it.boiler, { faultCode: 'None', fault: null }, at),
  },
  autofillLockout: {
    about: 'boiler',
    begins: (it, at) => reportState(it, it.boiler, { faultCode: 'AF1', fault: { faultSource: 'autofill' } }, at),
    ends: (it, at) => reportState(it, it.boiler, { faultCode: 'None', fault: null }, at),
  },
  testFailed: {
    about: 'light',
    begins: (it, at) => tested(it, it.lights[0]!, 'T0', 'Failed', at),
    ends: (it, at) => tested(it, it.lights[0]!, 'T0', 'Passed', at),
  },
  batteryNotFull: {
    about: 'light',
    begins: async (it, at) => {
      await tested(it, it.lights[0]!, 'T180', 'Passed', at)
      await reportState(it, it.lights[0]!, { mains: true, batteryFull: false }, at + 3 * hour)
      await watchCharge(app.database.db, new Date(at + 27 * hour))
      return at + 27 * hour
    },
    ends: (it, at) => reportState(it, it.lights[0]!, { batteryFull: true }, at),
  },
  lightFailed: {
    about: 'light',
    begins: (it, at) => tested(it, it.lights[0]!, 'T0', 'Failed', at),
    ends: (it, at) => tested(it, it.lights[0]!, 'T0', 'Passed', at),
  },
  testOverdue: {
    about: 'light',
    before: async (it, at) => {
      for (const light of it.lights) await tested(it, light, 'T180', 'Passed', at)
    },
    begins: async (it, at) => {
      const overdue = at + 40 * day
      await it.within((tx) => makeDue(tx, 'watch lights', new Date(0)))
      await tested(it, it.lights[1]!, 'T0', 'Passed', overdue - hour)
      await watchLights(app.database.db, new Date(overdue))
      return overdue
    },
    ends: (it, at) => tested(it, it.lights[0]!, 'T0', 'Passed', at),
  },
  lightInhibited: {
    about: 'light',
    begins: (it, at) => reportState(it, it.lights[0]!, { mains: true, inhibited: true }, at),
    ends: (it, at) => reportState(it, it.lights[0]!, { inhibited: false }, at),
  },
  lightUnstable: {
    about: 'light',
    begins: async (it, at) => {
      for (const turn of [0, 1, 2, 3, 4]) {
        await tested(it, it.lights[0]!, 'T0', 'Failed', at + turn * 5 * minute)
        await tested(it, it.lights[0]!, 'T0', 'Passed', at + turn * 5 * minute + minute)
      }
      return at + 25 * minute
    },
    // A user has checked it.
    ends: (it, at) =>
      it.within((tx) =>
        happened(tx, [
          { deviceId: it.lights[0]!, occurrence: { what: 'ended', at, kind: 'unstable', cause: 'ended by a person' } },
        ]),
      ),
  },
  noContact: {
    about: 'light',
    before: (it, at) => lightHeard(it, at),
    begins: async (it, at) => {
      await makeAllSweep(it)
      await sweepConnections(app.database.db, new Date(at + day))
      return at + day
    },
    ends: (it, at) => lightHeard(it, at),
  },
  testMissed: {
    about: 'light',
    before: async (it) => {
      await reportState(it, it.lights[0]!, { mains: false }, start)
      await planned(it, it.lights[0]!, { at: start + day, testType: 'T0' })
    },
    begins: (_, at) => runs(at),
    // The flick test that the e-mail recommends.
    ends: (it, at) => tested(it, it.lights[0]!, 'T0', 'Passed', at),
  },
  gasCheckDue: recorded('GasSafety'),
  gasCheckOverdue: recorded('GasSafety', 80),
  gasCheckFailed: failing('GasSafety'),
  gasNeverChecked: neverMade('GasSafety'),
  waterTreatmentDue: recorded('WaterTreatment'),
  waterTreatmentOverdue: recorded('WaterTreatment', 80),
  waterTreatmentFailed: failing('WaterTreatment'),
  waterNeverTreated: neverMade('WaterTreatment'),
  awaabsLawIn10: deadlineIn(10),
  awaabsLawIn5: deadlineIn(5),
  awaabsLawIn2: deadlineIn(2),
  awaabsLawIn1: deadlineIn(1),
  awaabsLawToday: deadlineAfter(0),
  awaabsLawMissed: deadlineAfter(1),
  heatingOff: {
    about: 'home',
    begins: async (it, at) => {
      await reportState(it, it.boiler, { faultCode: 'EA', fault: { faultSource: 'boiler' } }, at)
      await it.within(refreshHeating)
    },
    ends: async (it, at) => {
      await reportState(it, it.boiler, { faultCode: 'None', fault: null }, at)
      await it.within(refreshHeating)
    },
  },
  frostRisk: {
    about: 'home',
    begins: (it, at) => roomReads(it, 4.5, at),
    ends: (it, at) => roomReads(it, 12, at),
  },
  waterLeak: dangerous('Water leak'),
  carbonMonoxide: dangerous('Carbon monoxide'),
  deviceFailed: {
    about: 'boiler',
    begins: (it, at) => it.breaks(it.boiler, at),
    ends: (it, at) => it.mends(it.boiler, at),
  },
  dampWatch: {
    about: 'home',
    begins: async (it, at) => {
      await reads(it, at, 168, { temperature: 15, humidity: 78 })
      await assess(it, at + 168 * hour)
      return at + 168 * hour
    },
    ends: async (it, at) => {
      await reads(it, at, 168, { temperature: 21, humidity: 40 })
      await assess(it, at + 168 * hour)
      return at + 168 * hour
    },
  },
  dampSevere: {
    about: 'home',
    begins: async (it, at) => {
      await reads(it, at, 42 * 24, { temperature: 25, humidity: 99, outsideTemperature: 22 })
      await assess(it, at + 42 * day)
      return at + 42 * day
    },
    ends: async (it, at) => {
      await reads(it, at, 42 * 24, { temperature: 21, humidity: 40 })
      await assess(it, at + 42 * day)
      return at + 42 * day
    },
  },
  gatewaySilent: {
    about: 'gateway',
    before: (it, at) => heard(it, true, at),
    begins: async (it, at) => {
      await heard(it, false, at)
      return at
    },
    ends: (it, at) => heard(it, true, at),
  },
  dampAndMould: {
    about: 'home',
    begins: async (it, at) => {
      await reads(it, at, 168, { temperature: 15, humidity: 78 })
      await assess(it, at + 168 * hour)
      return at + 168 * hour
    },
    ends: async (it, at) => {
      await reads(it, at, 168, { temperature: 21, humidity: 40 })
      await assess(it, at + 168 * hour)
      return at + 168 * hour
    },
  },
  lampDark: {
    about: 'light',
    begins: (it, at) => reportState(it, it.lights[0]!, { mains: false, inhibited: true }, at),
    ends: (it, at) => reportState(it, it.lights[0]!, { mains: true }, at),
  },
}
/** Acts at a time; returns the time at which the effect is complete, where that is later. */
type Cause = (it: World, at: number) => Promise<unknown>

for (const event of alertableEventNames)
  test(`${alertableEvents[event].words}: its real cause is notified, and its end too`, async () => {
    const { about, before: earlier, begins, ends } = causes[event]
    const it = await world()
    await it.addRule({ delay: 0, triggerType: 'ALERTABLEEVENT', triggerCondition: event })
    const name = { gateway: 'Roof gateway', light: 'Stair light', boiler: 'Kitchen boiler', home: 'N1' }[about]
    const does = async (cause: Cause, at: number) => {
      const done = await cause(it, at)
      const from = typeof done === 'number' && done > at ? done : at
      // Later rounds: pending alerts become due, ended ones must stay ended.
      for (const later of [0, 5 * minute, 40 * minute, hour]) await it.watch(from + later)
      return from + hour
    }
    if (about === 'gateway') await it.tags(it.gateway, true)
    await earlier?.(it, start)
    let now = await does(async () => {}, start + hour)
    assert.deepEqual(await it.mails(), [], 'before it is so')
    now = await does(begins, now + day)
    const words = alertableEvents[event].words
    assert.deepEqual(
      (await it.mails()).map(({ subject }) => subject.split(',')[0]),
      [`${words}: ${name}`],
    )
    assert.ok((await it.mails())[0]!.text.includes(alertableEvents[event].toDo))
    await does(ends, now + hour)
    assert.deepEqual(
      (await it.mails()).map(({ subject }) => subject.split(',')[0]),
      [`${words}: ${name}`, `Over: ${words.charAt(0).toLowerCase()}${words.slice(1)}: ${name}`],
    )
    assert.deepEqual(
      (await it.alerts()).map(({ ending }) => ending),
      [storedCleared],
    )
  })

test('a lamp out while mains is present is not notified as dark; one without mains is notified at once', async () => {
  const it = await world()
  await it.addRule({ delay: 0, triggerType: 'ALERTABLEEVENT', triggerCondition: 'lampDark' })
  await it.watch(start)
  await reportState(it, it.lights[0]!, { mains: true, inhibited: true }, start + minute)
  await it.watch(start + minute)
  assert.equal((await it.mails()).length, 0, 'while mains is there nobody is in the dark')
  await reportState(it, it.lights[0]!, { mains: false }, start + 2 * minute)
  await it.watch(start + 2 * minute)
  assert.equal((await it.mails()).length, 1)
})

test('a damp room whose sensor goes offline is not notified as dry', async () => {
  const it = await world()
  await it.addRule({ delay: 0, triggerType: 'ALERTABLEEVENT', triggerCondition: 'dampAndMould' })
  await it.watch(start)
  await reads(it, start, 168, { temperature: 15, humidity: 78 })
  for (const at of [168 * hour, 360 * hour]) {
    await assess(it, start + at)
    for (const later of [0, 5 * minute, 40 * minute]) await it.watch(start + at + later)
    assert.equal((await it.mails()).length, 1)
  }
})

const missedTests: Record<string, { testType: TestType; ends(it: World, groupName: string): Promise<unknown> }> = {
  'a yearly test that was missed is over with one that somebody asks for': {
    testType: 'T180',
    ends: (it) => tested(it, it.lights[0]!, 'T180', 'Passed', start + 3 * day),
  },
  'a missed test that the group asks for no longer is over': {
    testType: 'T60',
    ends: (it, groupName) => changes(it, groupName, { deviceIds: [it.lights[0]!], alsoTypes: ['T5'] }),
  },
  'a missed test of a light that is taken out of its group is over': {
    testType: 'T180',
    ends: (it, groupName) => changes(it, groupName, { deviceIds: [] }),
  },
}
async function changes({ tenant }: World, groupName: string, to: { deviceIds: string[]; alsoTypes?: 'T5'[] }) {
  const email = `engineer@${tenant}.test`
  await app.addMember(tenant, email, 'LightingEngineer')
  const body = { tenant, groupName, t180StartDate: '2098-01-01T02:00', ...to }
  assert.equal((await app.send(updateEmeredGroup, { body }, email)).status, 200)
}

for (const [title, { testType, ends }] of Object.entries(missedTests))
  test(title, async () => {
    const it = await world()
    await it.addRule({ delay: 0, triggerType: 'ALERTABLEEVENT', triggerCondition: 'testMissed' })
    await reportState(it, it.lights[0]!, { mains: false }, start)
    const groupName = await planned(it, it.lights[0]!, { at: start + day, testType })
    await it.watch(start)
    await runs(start + day)
    const looks = async (from: number) => {
      for (const later of [0, 5 * minute, 40 * minute, hour]) await it.watch(from + later)
      return (await it.mails()).map(({ subject }) => subject.split(':')[0])
    }
    assert.deepEqual(await looks(start + day), ['Test missed'])
    // A shorter test is another test, and one without a result does not count.
    await tested(it, it.lights[0]!, 'T0', 'Passed', start + 2 * day)
    assert.deepEqual(await looks(start + 2 * day), ['Test missed'])
    await ends(it, groupName)
    assert.deepEqual(await looks(start + 3 * day), ['Test missed', 'Over'])
  })

/** The listing that an e-mail links to. */
async function listedBy({ tenant }: World, { text }: { text: string }) {
  const [, listing, filters] = /\/(\w+)\?filters=(\S+)/.exec(text)!
  const email = `manager@${tenant}.test`
  if (!(await app.database.owner.query('select from membership where tenant_id = $1', [tenant])).rowCount)
    await app.addMember(tenant, email, 'Manager')
  const body = { tenant, listing, filters: JSON.parse(decodeURIComponent(filters!)), pageSize: 100 }
  const { data } = (await app.send(fetchViewData, { body } as never, email)).body
  return { total: data!.total, ids: data!.rows.map(({ deviceId }) => deviceId).toSorted() }
}

test('an e-mail about several devices links to just these, when they have failed and when that is over', async () => {
  const it = await world()
  await it.addRule()
  const third = await addDevice(app, it.tenant, { product: 'EM', name: 'Attic light', parentId: it.gateway })
  await it.tags(third, true)
  await it.watch(start)
  // One of three devices with the tag failed earlier and was notified alone.
  await it.breaks(third, start)
  await it.watch(start + 33 * minute)
  for (const light of it.lights) await it.breaks(light, start + hour)
  for (const at of [0, 30, 33]) await it.watch(start + hour + at * minute)
  for (const light of it.lights) await it.mends(light, start + 3 * hour)
  for (const at of [0, 1, 2, 24]) await it.watch(start + 3 * hour + at * hour)
  const [, failed, over] = await it.mails()
  assert.match(failed!.subject, /^Failed equipment: 2 devices/)
  assert.deepEqual((await listedBy(it, failed!)).ids, it.lights.toSorted())
  assert.match(over!.subject, /^Over: failed equipment: 2 devices/)
  assert.deepEqual((await listedBy(it, over!)).ids, it.lights.toSorted())
})

test('a gateway outage is one alert that counts the devices connected through it', async () => {
  const it = await world()
  await it.addRule({ triggerType: 'CONNECTIONSTATUS', triggerCondition: 'NotConnected', delay: 6, delayUnit: 'hours' })
  await it.watch(start)
  await it.connects([it.gateway, ...it.lights], start, 'NotConnected')
  await it.watch(start + minute)
  for (const at of [6 * hour, 6 * hour + 2 * minute, 12 * hour, 2 * day]) await it.watch(start + at)
  const [mail, ...more] = await it.mails()
  assert.deepEqual(more, [])
  assert.equal(mail!.subject, 'Not connected: Roof gateway, and 2 devices connected through it, Riverside Point')
  // The listing of the devices that the alert counts.
  const { rows } = await app.database.owner.query('select serial from device where id = $1', [it.gateway])
  const [, filters] = /EmergencyLights\?filters=(\S+)/.exec(mail!.text)!
  assert.deepEqual(JSON.parse(decodeURIComponent(filters!)), [
    { fieldId: 'tags', filterOp: 'equals', value: 'Phase2' },
    { fieldId: 'gateway', filterOp: 'anyof', value: [rows[0].serial] },
  ])
  const [alert, ...others] = await it.alerts()
  assert.deepEqual([alert!['device_id'], alert!['behind'], others], [it.gateway, 2, []])
})

test('the e-mail of a gateway counts as many lights as the linked listing shows', async () => {
  const it = await world()
  await it.addRule({ triggerType: 'ALERTABLEEVENT', triggerCondition: 'gatewaySilent', delay: 0 })
  const extenders = [1, 2].map(() => crypto.randomUUID())
  const ids = Array.from({ length: 398 }, () => crypto.randomUUID())
  const shared = { severity: 2, connection_status: 'Connected', status: 'Ok' } as const
  await it.within(async (tx) => {
    const listed = (
      some: string[],
      kind: { product: 'ZR'; listing: 'NetworkingDevices' } | { product: 'EM'; listing: 'EmergencyLights' },
      parent: (n: number) => string,
    ) =>
      tx
        .insertInto('device')
        .values(
          some.map((id, n) => ({
            ...{ ...shared, ...kind, tenant_id: it.tenant, id, name: `Light ${n}`, parent_id: parent(n) },
            serial: `${kind.product}7${id.slice(0, 8).toUpperCase()}`,
          })),
        )
        .execute()
    await listed(extenders, { product: 'ZR', listing: 'NetworkingDevices' }, () => it.gateway)
    await listed(ids, { product: 'EM', listing: 'EmergencyLights' }, (n) => [it.gateway, ...extenders][n % 3]!)
    // Of the devices connected through it, some are not lights, some have no tag, and some are not installed.
    await tx
      .insertInto('device_tag')
      .values(
        [...extenders, ...ids.slice(8)].map((device_id) => ({ tenant_id: it.tenant, device_id, tag_id: it.tagId })),
      )
      .execute()
    await tx
      .updateTable('device')
      .set({ status: 'Inventory', severity: 1 })
      .where('tenant_id', '=', it.tenant)
      .where('id', 'in', ids.slice(-8))
      .execute()
    await changed(tx, 'device', [...extenders, ...ids])
  })
  await it.watch(start)
  await it.connects([it.gateway], start + hour, 'NotConnected')
  for (const at of [0, 5 * minute]) await it.watch(start + hour + at)
  const [mail] = await it.mails()
  const [, named] = /and ([\d,]+) devices connected through it/.exec(mail!.subject)!
  const { total } = await listedBy(it, mail!)
  // The two of the fixture, and all but those without the tag.
  assert.deepEqual([named, total], ['392', 392])
})

test('a void property is not notified until it is let again, and then only of what is still active', async () => {
  const it = await world()
  await it.addRule()
  await it.empties(true)
  await it.watch(start)
  await it.breaks(it.boiler, start + minute)
  await it.watch(start + minute)
  await it.watch(start + day)
  assert.deepEqual(await it.mails(), [])
  assert.equal((await it.alerts())[0]!['held'], 'muted')
  await it.empties(false)
  await it.watch(start + 2 * day)
  await it.watch(start + 2 * day + 2 * minute)
  assert.equal((await it.mails()).length, 1)
})

test('frost, a leak and carbon monoxide in a void property are notified while it is void', async () => {
  for (const event of ['frostRisk', 'waterLeak', 'carbonMonoxide'] as const) {
    const it = await world()
    await it.addRule({ delay: 0, triggerType: 'ALERTABLEEVENT', triggerCondition: event })
    await it.empties(true)
    await it.watch(start)
    await causes[event].begins(it, start + minute)
    for (const at of [1, 6]) await it.watch(start + at * minute)
    const words = alertableEvents[event].words
    assert.deepEqual(
      (await it.mails()).map(({ subject }) => subject.split(',')[0]),
      [`${words}: ${event === 'frostRisk' ? 'N1' : 'Kitchen boiler'}`],
    )
  }
})

test('a portal-only rule keeps its alerts, and a rule with a fixed address names a contact', async () => {
  const it = await world()
  await app.database.owner.query(`update tenant set contacts = 'Repairs desk' where id = $1`, [it.tenant])
  await it.addRule({ notificationType: 'NONE', notificationTarget: '' })
  await it.addRule({ notificationType: 'EMAILUNEDITABLE', notificationTarget: 'v@x.test, w@x.test' })
  await it.watch(start)
  await it.breaks(it.boiler, start + minute)
  for (const at of [1, 31, 33]) await it.watch(start + at * minute)
  const mails = await it.mails()
  assert.deepEqual(mails.map(({ recipient }) => recipient).sort(), ['v@x.test', 'w@x.test'])
  assert.match(mails[0]!.text, /ask Repairs desk\./)
  assert.doesNotMatch(mails[0]!.text, /Unsubscribe from this rule/)
  assert.equal((await it.alerts()).filter((one) => one['told_at']).length, 2)
})

test('an interval longer than the history is notified once, whatever happens to its device later', async () => {
  const it = await world()
  await it.addRule()
  await it.watch(start)
  await it.breaks(it.boiler, start)
  for (const at of [0, 30, 32]) await it.watch(start + at * minute)
  const end = start + 40 * day
  await it.mends(it.boiler, end)
  for (const at of [0, 30, 32]) await it.watch(end + at * minute)
  await it.maintains(it.boiler, end + hour, true)
  await it.watch(end + hour)
  assert.equal((await it.mails()).length, 2)
  assert.equal((await it.alerts()).length, 1)
})

test('removing the tag ends an alert without an e-mail', async () => {
  const it = await world()
  await it.addRule()
  await it.watch(start)
  await it.breaks(it.boiler, start)
  for (const at of [0, 30, 32]) await it.watch(start + at * minute)
  await it.tags(it.boiler, false)
  await it.watch(start + hour)
  await it.watch(start + 2 * hour)
  assert.equal((await it.mails()).length, 1)
  const [alert] = await it.alerts()
  assert.equal(alert!['ending'], 'tag taken off')
  assert.ok(alert!['closed_at'])
})

test('four hundred lights that fail at once are one e-mail that names some and counts all', async () => {
  const it = await world()
  await it.addRule({ delay: 0 })
  const ids = Array.from({ length: 400 }, () => crypto.randomUUID())
  await it.within(async (tx) => {
    await tx
      .insertInto('device')
      .values(
        ids.map((id, n) => ({
          ...{
            tenant_id: it.tenant,
            id,
            serial: `EM9${n}`,
            product: 'EM' as const,
            name: `Light ${n}`,
            status: 'Ok' as const,
          },
          ...{
            severity: 2,
            listing: 'EmergencyLights' as const,
            building_id: null,
            connection_status: 'Connected' as const,
          },
        })),
      )
      .execute()
    await tx
      .updateTable('device')
      .set((eb) => ({
        building_id: eb.selectFrom('building').select('id').where('tenant_id', '=', it.tenant),
        building_name: 'Riverside Point',
      }))
      .where('tenant_id', '=', it.tenant)
      .where('id', 'in', ids)
      .execute()
    await tx
      .insertInto('device_tag')
      .values(ids.map((device_id) => ({ tenant_id: it.tenant, device_id, tag_id: it.tagId })))
      .execute()
    await changed(tx, 'device', ids)
  })
  await it.watch(start)
  await it.within((tx) =>
    happened(
      tx,
      ids.map((deviceId) => ({ deviceId, occurrence: { what: 'set', at: start + hour, kind: 'equipmentBroken' } })),
    ),
  )
  await it.watch(start + hour)
  await it.watch(start + hour + 2 * minute)
  const mails = await it.mails()
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    ['Failed equipment: 400 devices in Riverside Point'],
  )
  assert.match(mails[0]!.text, /And 380 more\./)
})

test('a worker that is repeatedly killed still advances, and notifies each place once', async () => {
  const it = await world()
  await it.addRule({ delay: 0 })
  const ids = Array.from({ length: 1100 }, () => crypto.randomUUID())
  const shared = { severity: 2, listing: 'EmergencyLights', connection_status: 'Connected', status: 'Ok' } as const
  await it.within(async (tx) => {
    await tx
      .insertInto('device')
      .values(
        ids.map((id, n) => ({
          ...shared,
          tenant_id: it.tenant,
          id,
          serial: `EM8${n}`,
          product: 'EM',
          name: `L${n}`,
        })),
      )
      .execute()
    await tx
      .insertInto('device_tag')
      .values(ids.map((device_id) => ({ tenant_id: it.tenant, device_id, tag_id: it.tagId })))
      .execute()
    await changed(tx, 'device', ids)
  })
  await it.watch(start)
  await it.within((tx) =>
    happened(
      tx,
      ids.map((deviceId) => ({ deviceId, occurrence: { what: 'set', at: start + hour, kind: 'equipmentBroken' } })),
    ),
  )
  // Each process lives for this many statements: far fewer than one per e-mail.
  let left = 0
  const mortal = app.context.db.withPlugin({
    transformQuery: ({ node }) => {
      if (left-- <= 0) throw new Error('killed')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  let deaths = 0
  for (const at of [hour, hour + 2 * minute])
    for (let isOver = false; !isOver;) {
      left = 60
      try {
        await it.watch(start + at, mortal)
        isOver = true
      } catch (error) {
        if ((error as Error).message !== 'killed') throw error
        assert.ok(++deaths < 20, 'it gets on')
      }
    }
  assert.ok(deaths > 0)
  const mails = await it.mails()
  assert.equal(mails.length, ids.length)
  assert.equal(new Set(mails.map(({ subject }) => subject)).size, ids.length)
})

test('forty simulated days send exactly the e-mails that the preview lists for the last thirty', async () => {
  const it = await world()
  const rules = [
    await it.addRule(),
    await it.addRule({
      ...{ triggerType: 'CONNECTIONSTATUS', triggerCondition: 'NotConnected', delay: 1, delayUnit: 'hours' },
    }),
  ]
  const chance = chanceOf('forty days')
  const active = new Set<string>()
  let now = start
  await it.watch(now)
  const until = async (to: number) => {
    for (let next = await it.nextAt(); next !== null && next < to; next = await it.nextAt()) await it.watch(next)
    now = to
  }
  while (now < start + 40 * day) {
    await until(now + minute * Math.ceil(chance() ** 3 * 3 * 24 * 60))
    const id = it.devices[Math.floor(chance() * it.devices.length)]!
    const what = chance() < 0.5 ? 'breaks' : 'leaves'
    const isActive = !active.delete(`${what} ${id}`)
    if (isActive) active.add(`${what} ${id}`)
    if (what === 'breaks') await (isActive ? it.breaks(id, now) : it.mends(id, now))
    else await it.connects([id], now, isActive ? 'NotConnected' : 'Connected')
    await it.watch(now)
  }
  await until(start + 42 * day)
  const from = now - 30 * day
  const previews = await it.within((tx) =>
    previewsOf(
      tx,
      rules.map(({ rule }) => rule),
      { pace: usualPace, now },
    ),
  )
  const histories = await it.within((tx) => historiesOf(tx, 'device', it.devices, now))
  for (const [index, { id, rule }] of rules.entries()) {
    const { rows } = await app.database.owner.query<{ at: Date; devices: string[] }>(
      `select tell_at as at, array_agg(device_id::text order by device_id::text) as devices
       from alert join alert_mail on alert_mail.tenant_id = $1 and alert_id = id and kind = 'told'
       where alert.tenant_id = $1 and definition_id = $2 and tell_at > $3 group by tell_at, mail_id order by 1, 2`,
      [it.tenant, id, new Date(from)],
    )
    const sent = rows.map(({ at, devices }) => `${(+at - start) / minute} ${devices.join()}`)
    // E-mail by e-mail and device by device, from the stored history.
    const named = sendings(
      asRule(rule, 0, usualPace),
      it.devices.map((device) => histories.history(device, { ...rule, scope: scopeOf(rule) })),
      now,
    )
      .filter(({ kind, at }) => kind === 'told' && at > from)
      .map(
        ({ at, episodes }) =>
          `${(at - start) / minute} ${episodes
            .map((one) => one.subjectId)
            .toSorted()
            .join()}`,
      )
    assert.ok(sent.length > 3, `${sent.length} e-mails of ${rule.triggerCondition}`)
    assert.deepEqual(sent.toSorted(), named.toSorted(), rule.triggerCondition)
    const { days, count, latest } = previews[index]!
    assert.equal(count, sent.length)
    const expected = Array.from({ length: 30 }, () => 0)
    for (const { at } of rows) expected[Math.floor((+at - from) / day)]! += 1
    assert.deepEqual(days, expected)
    assert.deepEqual([latest!.at, latest!.subjects], [+rows.at(-1)!.at, rows.at(-1)!.devices.length])
  }
})

type Happening = {
  what: 'breaks' | 'connects' | 'maintains' | 'empties' | 'tags'
  who: number
  gap: number
  late: number
}
const happenings = fc.array(
  fc.record({
    what: fc.constantFrom<Happening['what']>(
      'breaks',
      'connects',
      'connects',
      'breaks',
      'maintains',
      'empties',
      'tags',
    ),
    who: fc.nat(3),
    gap: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 1500 })),
    late: fc.nat(20),
  }),
  { minLength: 20, maxLength: 45 },
)

/** The history of a device, kept by the test itself. */
class Diary {
  isBroken = false
  isAway = false
  isMaintained = false
  isVoid = false
  isTagged: boolean
  readonly spells = new Map<string, Interval[]>()
  constructor(isTagged: boolean) {
    this.isTagged = isTagged
    if (isTagged) this.note('tag', 0, 0, true)
  }
  note(name: string, began: number, at: number, isActive: boolean): void {
    const all = this.spells.get(name) ?? []
    this.spells.set(name, all)
    const last = all.at(-1)
    const isOpen = last?.ended === null
    if (isActive && !isOpen) all.push({ began, seen: at, ended: null })
    if (!isActive && isOpen) last.ended = at
  }
  of = (name: string) => this.spells.get(name) ?? []
}

test('what a round knows of devices at its end equals what is stored', async () => {
  const it = await world()
  const chance = chanceOf('looks')
  const active = new Set<string>()
  let [now, before, found] = [start, null as number | null, 0]
  for (let round = 0; round < 60; round++) {
    // Two rounds may fall into one millisecond, or be more than a month apart.
    now += [0, 0, 0, minute, 33 * day][Math.floor(chance() * 5)]!
    const at = Math.ceil((before ?? start) + chance() ** 6 * (now - (before ?? start)))
    for (const id of it.devices.filter(() => chance() < 0.4)) {
      const what = ['breaks', 'leaves', 'tags', 'tags', 'maintains'][Math.floor(chance() * 5)]!
      const isActive = !active.delete(`${what} ${id}`)
      if (isActive) active.add(`${what} ${id}`)
      if (what === 'breaks') await (isActive ? it.breaks(id, at) : it.mends(id, at))
      else if (what === 'leaves') await it.connects([id], at, isActive ? 'NotConnected' : 'Connected')
      else if (what === 'maintains') await it.maintains(id, at, isActive)
      else await it.tags(id, it.lights.concat(it.boiler).includes(id) !== isActive)
    }
    await it.within(async (tx) => {
      const { pasts } = await observe(tx, 'device', it.devices, now, before)
      const stored = await spellsOf(tx, 'device', it.devices, { now })
      const inOrder = (spells: readonly StoredSpell[] = []) =>
        spells
          .map(({ kind, key, ...times }) => ({ of: `${kind} ${key} ${times.seen}`, ...times }))
          .toSorted((a, b) => (a.of < b.of ? -1 : 1))
      for (const id of it.devices) {
        assert.deepEqual(inOrder(pasts.spells.get(id)), inOrder(stored.get(id)))
        found += stored.get(id)?.length ?? 0
      }
      before = now
    })
  }
  assert.ok(found > 1000, `${found} times were compared`)
})

test('over random histories with killed processes, exactly the e-mails of the model are sent', async () => {
  await fc.assert(
    fc.asyncProperty(happenings, fc.integer({ min: 1, max: 1_000_000 }), async (things, seed) => {
      const it = await world()
      const rules = [
        await it.addRule(),
        await it.addRule({
          triggerType: 'CONNECTIONSTATUS',
          triggerCondition: 'NotConnected',
          delay: 1,
          delayUnit: 'hours',
        }),
        await it.addRule({ triggerCondition: 'PreventativeMaintenance', delay: 0 }),
      ]
      const diaries = new Map(it.devices.map((id) => [id, new Diary(id !== it.gateway)]))
      let chance = seed
      const dies = () => (chance = (chance * 48_271) % 2_147_483_647) % 60 === 0
      const mortal = app.context.db.withPlugin({
        transformQuery: ({ node }) => {
          if (dies()) throw new Error('killed')
          return node
        },
        transformResult: async ({ result }) => result,
      })
      const watch = async (at: number) => {
        for (;;)
          try {
            return await it.watch(at, mortal)
          } catch (error) {
            if ((error as Error).message !== 'killed') throw error
          }
      }
      let now = start
      await watch(now)
      const until = async (to: number) => {
        for (let next = await it.nextAt(); next !== null && next < to; next = await it.nextAt()) await watch(next)
        now = to
      }
      for (const { what, who, gap, late } of things) {
        await until(now + gap * minute)
        const id = it.devices[who]!
        const diary = diaries.get(id)!
        if (what === 'breaks') {
          diary.isBroken = !diary.isBroken
          await (diary.isBroken ? it.breaks(id, now) : it.mends(id, now))
        } else if (what === 'connects') {
          diary.isAway = !diary.isAway
          const at = diary.isAway ? now - Math.min(late, gap - 1) * minute : now
          await it.connects([id], at, diary.isAway ? 'NotConnected' : 'Connected')
          diary.note('away', at, now, diary.isAway)
        } else if (what === 'maintains') {
          diary.isMaintained = !diary.isMaintained
          await it.maintains(id, now, diary.isMaintained)
          diary.note('maintenance', now, now, diary.isMaintained)
        } else if (what === 'empties') {
          const home = diaries.get(it.boiler)!
          home.isVoid = !home.isVoid
          await it.empties(home.isVoid)
          home.note('void', now, now, home.isVoid)
        } else if (id !== it.gateway) {
          diary.isTagged = !diary.isTagged
          await it.tags(id, diary.isTagged)
          diary.note('tag', now, now, diary.isTagged)
        }
        diary.note('broken', now, now, diary.isBroken)
        // The time from which it is due for maintenance, even if a failure came first meanwhile.
        const since = diary.of('maintenance').at(-1)?.began ?? now
        diary.note('worn', since, now, diary.isMaintained && !diary.isBroken)
        await watch(now)
      }
      await until(now + 3 * day)
      await watch(now)

      const union = (spells: Interval[]) => {
        const merged: Interval[] = []
        for (const one of spells.toSorted((a, b) => a.seen - b.seen)) {
          const last = merged.at(-1)
          if (last && (last.ended === null || one.seen <= last.ended))
            last.ended = last.ended === null || one.ended === null ? null : Math.max(last.ended, one.ended)
          else merged.push({ ...one })
        }
        return merged
      }
      const historyFor = (id: string, condition: string): History => {
        const of = (name: string, who = id) => diaries.get(who)!.of(name)
        const silence = condition === 'NotConnected'
        const behind = silence && id === it.gateway && of('away').length ? it.lights : []
        return {
          subjectId: id,
          place: id === it.boiler ? 'home' : 'building',
          inScope: union([...of('tag'), ...behind.flatMap((light) => of('tag', light))]),
          active: of(silence ? 'away' : condition === 'FailedEquipment' ? 'broken' : 'worn'),
          muted: [...(condition === 'PreventativeMaintenance' ? [] : of('maintenance')), ...of('void')],
          isBehind: it.lights.includes(id),
          gatewayOffline: silence && it.lights.includes(id) ? [...of('away', it.gateway)] : [],
        }
      }
      for (const { id, rule } of rules) {
        const histories = it.devices.map((one) => historyFor(one, rule.triggerCondition))
        const model = sendings(asRule(rule, start, usualPace), histories, now)
        const ofKind = (kind: string) => model.filter((one) => one.kind === kind)
        const { rows } = await app.database.owner.query<{ kind: string; at: Date; devices: string[]; mail: string }>(
          `select kind, case kind when 'told' then tell_at else over_tell_at end as at, mail_id as mail,
             array_agg(device_id::text order by device_id) as devices
           from alert join alert_mail on alert_mail.tenant_id = $1 and alert_id = id where alert.tenant_id = $1 and definition_id = $2 group by 1, 2, 3`,
          [it.tenant, id],
        )
        const line = (kind: string, at: number, devices: string[]) =>
          `${kind} ${(at - start) / minute} ${devices.sort().join()}`
        // Alerts that a user ended, or whose tag was removed, are not notified.
        const quiet = new Set(
          histories.flatMap(({ subjectId, inScope }) => inScope.map(({ ended }) => `${subjectId} ${ended}`)),
        )
        const expected = [
          ...ofKind('told').map((one) =>
            line(
              'told',
              one.at,
              one.episodes.map((e) => e.subjectId),
            ),
          ),
          ...ofKind('over').flatMap((one) => {
            const loud = one.episodes.filter((e) => !quiet.has(`${e.subjectId} ${e.ended}`))
            return loud.length
              ? [
                  line(
                    'over',
                    one.at,
                    loud.map((e) => e.subjectId),
                  ),
                ]
              : []
          }),
        ]
        const found = rows.map((row) => line(row.kind, +row.at, row.devices))
        const only = (kind: string, all: string[]) => all.filter((one) => one.startsWith(kind)).sort()
        assert.deepEqual(only('told', found), only('told', expected), rule.triggerCondition)
        if (!things.some(({ what }) => what === 'tags')) assert.deepEqual(found.toSorted(), expected.toSorted())
        const [preview] = await it.within((tx) => previewsOf(tx, [rule], { pace: usualPace, now }))
        const counted = ofKind('told').filter(({ at }) => at > now - 30 * day).length
        // A longer history is covered by the test above.
        if (now - start < 30 * day) {
          assert.equal(preview!.count, counted, 'the preview names as many')
          const sent = new Set(rows.filter(({ kind }) => kind === 'told').map(({ mail, at }) => `${mail} ${+at}`))
          const days = Array.from({ length: 30 }, () => 0)
          for (const one of sent) days[Math.floor((Number(one.split(' ')[1]) - (now - 30 * day)) / day)]! += 1
          assert.deepEqual(preview!.days, days, 'on each day those that were sent')
        }
      }
    }),
    { numRuns: 4, endOnFailure: true },
  )
})
