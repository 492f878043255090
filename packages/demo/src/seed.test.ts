import assert from 'node:assert/strict'
import { parsed } from '@caretaker/rules/messages/parsed.ts'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import pg from 'pg'
import {
  demoBuildings,
  demoDevices,
  demoHomes,
  demoPassword,
  demoPeople,
  demoTenants,
  smallestDemo,
} from './fixtures.ts'
import { Fleet } from '@caretaker/contract/mqtt/fleet.ts'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses, severityOf } from '@caretaker/rules/devices/status.ts'
import { features } from '@caretaker/rules/identity/features.ts'
import { defaultRules } from '@caretaker/rules/alerts/defaults.ts'
import { tagNameFault } from '@caretaker/rules/tags/tag-names.ts'
import type { Condition } from '@caretaker/rules/conditions/conditions.ts'
import { isOpen, standingOf } from '@caretaker/rules/conditions/conditions.ts'
import { reasonOf } from '@caretaker/rules/conditions/words.ts'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import type { FileType } from '@caretaker/rules/files/types.ts'
import { recomputeAllCompliance } from '@caretaker/server/features/compliance/compliance-states.ts'
import { contentTypeOf } from '@caretaker/server/files/content-type.ts'
import { contentFault } from '@caretaker/server/files/whole.ts'
import { judgeStoredTests } from '@caretaker/server/features/lighting/judge-stored.ts'
import { sweepConnections } from '@caretaker/server/features/devices/ingest.ts'
import { verifyPassword } from '@caretaker/server/idp/password.ts'
import { refreshPlaces } from '@caretaker/server/projections/copied-places.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import type { TestDatabase } from '@caretaker/server/testing/database.ts'
import { isDistributed, testDatabase } from '@caretaker/server/testing/database.ts'
import { demoAccount, holdsDemo } from '@caretaker/server/world.ts'
import { ensureFleet, fleetFile, keyHash } from './fleet.ts'
import { accountId } from './rooms/people.ts'
import type { SeedOptions } from './seed.ts'
import { resumeDemo } from './resume.ts'
import { seedDemo } from './seed.ts'
import { tenantPlans } from './plan/tenants.ts'

const now = new Date('2026-11-20T12:03:27.415Z')
const issuer = 'embedded'
const devices = smallestDemo

let dataDir: string
let database: TestDatabase
const seed = (owner: pg.Pool, more: Partial<SeedOptions> = {}) =>
  seedDemo({ owner, devices, now, issuer, dataDir, historyDays: 1, ...more })
const read = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = [], owner = database.owner) =>
  (await owner.query<Row>(text, values)).rows
const readFleet = () => Fleet.parse(JSON.parse(readFileSync(fleetFile(dataDir), 'utf8')))

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'caretaker-demo-'))
  database = await testDatabase()
  assert.equal(await holdsDemo(database.product.owner), false)
  await seed(database.product.owner)
  assert.equal(await holdsDemo(database.product.owner), true)
})
afterAll(async () => {
  await database.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

/** An owner, as in an organisation's database, who is subject to the row security of their own tables. */
async function plainOwner(of: TestDatabase): Promise<pg.Pool> {
  const role = new URL(of.url).pathname.slice(1)
  await of.owner.query(`create role ${role} nologin`)
  await of.owner.query(`grant ${role} to current_user`)
  for (const schema of ['public', 'idp'])
    await of.owner.query(`do $$ declare name text; begin
      for name in select oid::regclass from pg_class
        where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'p')
      loop execute format('alter table %s owner to ${role}', name); end loop;
      alter schema ${schema} owner to ${role};
    end $$`)
  return new pg.Pool({ connectionString: of.url, max: 2, options: `-c role=${role}` })
}

test('a plain owner with forced row security seeds the same data as a superuser', async (t) => {
  if (await isDistributed()) return t.skip('the nodes of a distributed server let in no owner that is made on the way')
  const other = await testDatabase()
  const owner = await plainOwner(other)
  const folder = mkdtempSync(path.join(dataDir, 'plain-'))
  try {
    await seed(owner, { dataDir: folder })
    const everything = `
      select 'device' as kind, id::text, concat_ws('|', serial, name, status, connection_status, parent_id, severity,
        building_id, floor_id, property_id, access_rights_tag_id, reported, created_at, status_at) as what from device
      union all select 'link', device_id::text, concat_ws('|', heard_at, drops) from device_link
      union all select 'test', event_id::text, concat_ws('|', device_id, test_type, started_at, result) from emergency_test
      union all select 'event', id::text, concat_ws('|', device_id, start_at, description) from event
      union all select 'place', id::text, concat_ws('|', name, address, latitude) from building
      union all select 'home', id::text, concat_ws('|', reference, address1, postcode) from property
      union all select 'member', id::text, concat_ws('|', email, role, tag_ids) from membership
      union all select 'hours', series.device_id || metric, concat_ws('|', count(*), sum(n), max(last_value))
        from hourly join series on series.id = series_id group by 2
      order by 1, 2`
    const [first, second] = [await read(everything), await read(everything, [], other.owner)]
    assert.ok(first.length > 2000)
    assert.deepEqual(second, first)
  } finally {
    await owner.end()
    const role = new URL(other.url).pathname.slice(1)
    await other.owner.query(`drop owned by ${role} cascade`)
    await other.owner.query(`drop role ${role}`)
    await other.drop()
  }
})

test('a demo database is recognised by the account of its first user', async () => {
  assert.equal(demoAccount, accountId(demoPeople[0]!.email))
})

test('every device has copies of its location, as the product stores them', async () => {
  const versions = () => read('select id, xmin from device order by id')
  const before = await versions()
  for (const tenant of Object.keys(demoTenants)) await inTenant(database.db, tenant, (tx) => refreshPlaces(tx, tenant))
  assert.deepEqual(await versions(), before, 'none was written, for none differs')
  const [copied] = await read<{ homes: number; floors: number }>(
    'select count(property_reference)::int as homes, count(floor_name)::int as floors from device',
  )
  assert.ok(copied!.homes > 20 && copied!.floors > 20)
})

test('the state of every boiler follows from its compliance records, and their certificates can be opened', async () => {
  const recompute = async () => {
    for (const tenant of Object.keys(demoTenants))
      await inTenant(database.db, tenant, (tx) => recomputeAllCompliance(tx, now))
  }
  const written = () => read('select id, gas_state, gas_due_at, water_state, water_due_at from device order by id')
  const recorded = `select id, 'gas' as type, gas_state as state, gas_due_at as due from device where id in (
      select device_id from compliance_record where type = 'GasSafety')
    union all select id, 'water', water_state, water_due_at from device where id in (
      select device_id from compliance_record where type = 'WaterTreatment')
    order by id, type`
  const seeded = await read(recorded)
  // The worker refreshes properties when it starts.
  await recompute()
  assert.deepEqual(await read(recorded), seeded, 'boilers with records differ in nothing')
  const recomputed = await written()
  await recompute()
  assert.deepEqual(await written(), recomputed)
  const states = await read<{ state: string }>(
    `select gas_check_state as state from property where gas_check_state is not null group by 1 order by 1`,
  )
  assert.deepEqual(
    states.map(({ state }) => state).filter((state) => state !== 'NeverChecked' && state !== 'Stated'),
    ['Due', 'Failed', 'InDate', 'Overdue'],
  )
  const [due] = await read<{ on: string; state: string }>(
    `select (gas_due_at at time zone 'Europe/London')::date::text as on, gas_state as state from device
     where property_reference = $1 and product = 'BX'`,
    [demoHomes.gasCheckDue],
  )
  assert.deepEqual(due, { on: '2026-11-28', state: 'Due' })
  const compared = await read<{ same: boolean; homes: number }>(
    `select on_home.gas = told.on and on_home.due = told.due as same, count(*)::int as homes
     from (select tenant_id, id, gas_last_on as gas, gas_check_due_at as due from property) as on_home
     join (select device.tenant_id, property_id as id, max((recorded_at at time zone 'Europe/London')::date) as on, min(distinct gas_due_at) as due
       from device join compliance_record as record on record.tenant_id = device.tenant_id and record.device_id = device.id
       where type = 'GasSafety' group by 1, 2) as told using (tenant_id, id)
     group by 1`,
  )
  assert.deepEqual(
    compared.map(({ same }) => same),
    [true],
    'homes tell of the same checks as their boilers',
  )
  const without = await read(
    `select from compliance_record as record where type = 'GasSafety' and not exists (
       select from compliance_attachment as attachment
       where attachment.tenant_id = record.tenant_id and attachment.record_id = record.id)`,
  )
  assert.equal(without.length, 0, 'no gas safety record without its certificate')
  const files = await read<{ tenant: string; id: string; type: FileType }>(
    `select tenant_id as tenant, id, content_type as type from file`,
  )
  assert.ok(files.length > 20)
  for (const { tenant, id, type } of files) {
    const content = new Blob([readFileSync(path.join(dataDir, 'files', tenant, id))])
    assert.equal(await contentTypeOf(content), type)
    assert.equal(await contentFault(content, type), undefined)
  }
})

test('the largest tenant has the requested number of devices, and the others a fifth and a tenth', async () => {
  const rows = await read<{ tenant_id: string; count: string }>(
    'select tenant_id, count(*)::int as count from device group by 1 order by 1',
  )
  assert.deepEqual(rows, [
    { tenant_id: 'harbour', count: devices / 5 },
    { tenant_id: 'meridian', count: devices / 10 },
    { tenant_id: 'northgate', count: devices },
  ])
})

test('every product, status and connection state occurs in northgate, with the derived columns of the rules', async () => {
  const rows = await read<
    Record<'product' | 'status' | 'connection_status' | 'listing', string> & { severity: number }
  >(`select product, status, connection_status, listing, severity from device where tenant_id = 'northgate'`)
  const found = (column: 'product' | 'status' | 'connection_status') =>
    [...new Set(rows.map((row) => row[column]))].sort()
  assert.deepEqual(found('product'), [...productCodes].sort())
  assert.deepEqual(found('status'), [...deviceStatuses].sort())
  assert.deepEqual(found('connection_status'), [...connectionStatuses].sort())
  for (const row of rows) {
    assert.equal(row.severity, severityOf(row.status))
    assert.equal(row.listing, listingOf(row.product as (typeof productCodes)[number]) ?? null)
  }
})

test('serial numbers have the right format and are unique', async () => {
  const rows = await read<{ product: string; serial: string }>('select product, serial from device')
  // Model 1; a power meter also has model F, which can cut the electricity.
  for (const { product, serial } of rows)
    assert.match(serial, new RegExp(`^${product}${product === 'PM' ? '[1F]' : '1'}\\d{6}[A-Z]$`))
  assert.equal(new Set(rows.map((row) => row.serial)).size, rows.length)
})

test('the tenants have the features and capabilities of their kind', async () => {
  const flags = async (tenant: string) => ({
    features: (
      await read<{ feature: string }>('select feature from tenant_feature where tenant_id = $1', [tenant])
    ).map((row) => row.feature),
    capabilities: (
      await read<{ capability: string }>('select capability from tenant_capability where tenant_id = $1', [tenant])
    ).map((row) => row.capability),
  })
  const off = (on: string[]) => features.filter((feature) => !on.includes(feature)).sort()
  const both = ['EditAccessRightsTags', 'ViewProperties']
  const northgate = await flags('northgate')
  assert.deepEqual(off(northgate.features), [
    'HideCustomerPersonalData',
    'HideDeviceTab',
    'HideEditPropertyAndResidentFields',
    'HideTelemetryTab',
    'SystemDebug',
  ])
  assert.deepEqual(northgate.capabilities.sort(), both)
  const meridian = await flags('meridian')
  assert.deepEqual(off(meridian.features), ['HideDeviceTab', 'HideEditPropertyAndResidentFields', 'HideTelemetryTab'])
  assert.deepEqual(meridian.capabilities.sort(), both)
  const harbour = await flags('harbour')
  assert.ok(!harbour.features.includes('PropertyCentric') && !harbour.features.includes('NewListingView'))
  assert.deepEqual(harbour.capabilities, [])
  assert.deepEqual(await read(`select id, display_name from tenant order by id`), [
    { id: 'harbour', display_name: demoTenants.harbour },
    { id: 'meridian', display_name: demoTenants.meridian },
    { id: 'northgate', display_name: demoTenants.northgate },
  ])
})

test('the users can sign in, and have their roles and tags', async () => {
  const accounts = await read<{ email: string; hash: string; issuer: string }>(
    `select account.email, password_hash as hash, issuer from idp.account join person on subject = account.id::text`,
  )
  assert.deepEqual(accounts.map((account) => account.email).sort(), demoPeople.map((person) => person.email).sort())
  assert.ok(accounts.every((account) => account.issuer === issuer))
  assert.equal(await verifyPassword(demoPassword, accounts[0]!.hash), true)
  const members = await read<{ email: string; tenant: string; role: string; tags: string[] }>(
    `select membership.email, tenant_id as tenant, role, array(
       select display_name from access_rights_tag as tag
       where tag.tenant_id = membership.tenant_id and tag.id = any(tag_ids)) as tags
     from membership join person on person.id = person_id order by 1, 2`,
  )
  assert.equal(members.length, 16)
  const of = (email: string) => members.filter((member) => member.email === email)
  assert.deepEqual(
    of('contractor@multi.example').map(({ tenant, role }) => [tenant, role]),
    [
      ['harbour', 'LightingEngineer'],
      ['meridian', 'Guest'],
      ['northgate', 'Manager'],
    ],
  )
  assert.deepEqual(of('limited@northgate.example'), [
    { email: 'limited@northgate.example', tenant: 'northgate', role: 'Manager', tags: ['East Patch'] },
  ])
})

test('tags have valid names and alert rules', async () => {
  const tags = await read<{ tenant: string; name: string; alerts: number }>(
    `select tag.tenant_id as tenant, name, count(alert.id)::int as alerts from tag
     left join alert_definition as alert on alert.tenant_id = tag.tenant_id and tag_id = tag.id group by 1, 2`,
  )
  for (const { name } of tags) assert.equal(tagNameFault(name, []), undefined, name)
  for (const tenant of Object.keys(demoTenants))
    assert.ok(
      tags.some((tag) => tag.tenant === tenant && tag.alerts > 0),
      tenant,
    )
  const broken = await read(
    `select from alert_definition where (notification_type = 'NONE') <> (notification_target = '')`,
  )
  assert.equal(broken.length, 0)
})

test('every client has the default alert rules, and northgate has alerts from them', async () => {
  const rules = await read<{ tenant: string; conditions: string[] }>(
    `select tenant_id as tenant, array_agg(trigger_condition order by trigger_condition) as conditions
     from alert_definition where scope_families = '{emered}' and not defined_by_tenant and enabled group by 1`,
  )
  const conditions = defaultRules.map(({ triggerCondition }) => triggerCondition).toSorted()
  assert.deepEqual(
    rules.map((row) => row.conditions),
    tenantPlans.map(() => conditions),
  )
  const open = await read(
    `select from alert join alert_definition as rule on rule.tenant_id = alert.tenant_id and rule.id = definition_id
     where alert.tenant_id = 'northgate' and trigger_condition = 'lightFailed' and told_at is not null and closed_at is null`,
  )
  assert.ok(open.length > 0)
})

test('the devices with a story have their fixed ids, serial numbers and names', async () => {
  for (const known of Object.values(demoDevices)) {
    const rows = await read('select tenant_id as tenant, id as "deviceId", serial, name from device where id = $1', [
      known.deviceId,
    ])
    assert.deepEqual(rows, [known])
  }
})

const deviceOf = async ({ deviceId }: { deviceId: string }) =>
  (
    await read<Record<string, unknown>>(
      `select device.*, tag.display_name as tag, building.name as building, reference, void_flag
       from device
       left join access_rights_tag as tag on tag.tenant_id = device.tenant_id and tag.id = access_rights_tag_id
       left join building on building.tenant_id = device.tenant_id and building.id = building_id
       left join property on property.tenant_id = device.tenant_id and property.id = property_id
       where device.id = $1`,
      [deviceId],
    )
  )[0]!

test('a light failed its T180 after a weak one the year before, with the curve to show it', async () => {
  const light = await deviceOf(demoDevices.failedT180)
  assert.equal(light['status'], 'FailedEquipment')
  assert.equal(light['building'], demoBuildings.failedT180)
  const tests = await read<{ result: string; reason: string; series: { seconds: number; batteryVoltage: number }[] }>(
    `select result, reason, series from emergency_test where device_id = $1 and test_type = 'T180' order by started_at desc`,
    [demoDevices.failedT180.deviceId],
  )
  assert.deepEqual(
    tests.map((test) => [test.result, test.reason]),
    [
      ['Failed', 'Predicted Failed Components: Battery.'],
      ['Degraded', 'Predicted degraded Components: Battery.'],
    ],
  )
  assert.ok(tests[0]!.series.at(-1)!.seconds < 2 * 3600 && tests[0]!.series.at(-1)!.batteryVoltage === 3)
  assert.equal(tests[1]!.series.at(-1)!.seconds, 3 * 3600)
  const measures = await read<{ text: string }>(
    `select distinct interim_measure ->> 'text' as text from condition where device_id = $1 and ended_at is null`,
    [demoDevices.failedT180.deviceId],
  )
  assert.deepEqual(measures, [{ text: 'Battery lantern on the landing, checked every evening' }])
})

test('every status follows from the conditions of its device, with their start and cause', async () => {
  type Stored = Pick<Condition, 'kind' | 'key' | 'states' | 'began' | 'ended'>
  const rows = await read<{
    serial: string
    status: string
    reason: string | null
    folded: string | null
    since: number
    conditions: Stored[] | null
  }>(
    `select serial, status, status_reason as reason, status_reason_folded as folded, extract(epoch from status_at) * 1000 as since, (
       select jsonb_agg(jsonb_build_object('kind', kind, 'key', key, 'states', states, 'began', extract(epoch from began_at) * 1000,
         'ended', extract(epoch from ended_at) * 1000)) from condition
       where condition.tenant_id = device.tenant_id and device_id = device.id) as conditions
     from device`,
  )
  let explained = 0
  for (const { serial, status, reason, folded, since, conditions } of rows) {
    const standing = standingOf(conditions ?? [])
    assert.equal(status, standing.status, serial)
    assert.equal(reason, reasonOf((conditions ?? []).filter(isOpen)), serial)
    assert.equal(folded, reason?.toLowerCase() ?? null, serial)
    if (status !== 'Ok') assert.equal(Math.round(since), Math.round(standing.since!), serial)
    if (status !== 'Ok') explained++
  }
  assert.ok(explained > 30, String(explained))
})

test('no light has passed without a test, or if its last long test failed', async () => {
  const rows = await read<{ n: number }>(
    `select count(*)::int as n from device where product in ('EM', 'EL') and status = 'Ok' and (
       not exists (select from emergency_test where tenant_id = device.tenant_id and device_id = device.id)
       or (select result from emergency_test where tenant_id = device.tenant_id and device_id = device.id
         and test_type = 'T180' order by started_at desc limit 1) = 'Failed')`,
  )
  assert.deepEqual(rows, [{ n: 0 }])
})

test('the evidence supports the results of light tests: evaluating them again changes none', async () => {
  assert.equal(await judgeStoredTests(database.product.db), 0)
  const [{ unproven } = { unproven: -1 }] = await read<{ unproven: number }>(
    `select count(*)::int as unproven from emergency_test where test_type <> 'T0' and lit is null`,
  )
  assert.equal(unproven, 0)
})

test('properties have managed service licences, some unassigned, some ending; a client without properties has none', async () => {
  const rows = await read<{ tenant: string; given: number; free: number; kinds: number }>(
    `select tenant_id as tenant, count(property_id)::int as given, (count(*) - count(property_id))::int as free,
       count(distinct (type, start_on))::int as kinds from licence group by tenant_id order by tenant_id`,
  )
  assert.deepEqual(rows, [
    { tenant: 'meridian', given: 3, free: 0, kinds: 2 },
    { tenant: 'northgate', given: 26, free: 3, kinds: 3 },
  ])
})

test('the rules understand all demo messages, and devices with a story have sent some', async () => {
  const states = await read<{ reported: Record<string, unknown> }>('select distinct reported from device')
  for (const { reported } of states)
    for (const part of parsed('state', reported, { time: String })) assert.ok(!part.notUnderstood, part.words)
  const messages = await read<{ payload: string; was: object | null }>(
    'select payload, was from device_message where device_id = $1 order by at',
    [demoDevices.boilerLockout.deviceId],
  )
  assert.ok(messages.length >= 2)
  assert.partialDeepStrictEqual(JSON.parse(messages.at(-1)!.payload), { faultCode: 'EA' })
  assert.deepEqual(messages.at(-1)!.was, { faultCode: 'None', fault: null })
})

test("an offline gateway's connected devices are offline", async () => {
  const children = await read<{ status: string }>(
    'select connection_status as status from device where parent_id = $1 or id = $1',
    [demoDevices.offlineGateway.deviceId],
  )
  assert.equal(children.length, 10)
  assert.ok(children.every((child) => child.status === 'NotConnected'))
})

test('the properties have their stories: lockout, failed autofill, heat saviour, void, damp and cold', async () => {
  const lockout = await deviceOf(demoDevices.boilerLockout)
  assert.equal(lockout['reference'], demoHomes.boilerLockout)
  assert.equal(lockout['tag'], 'East Patch')
  assert.partialDeepStrictEqual(lockout['reported'], { faultCode: 'EA', fault: { isResettable: true } })
  const events = await read<{ end_at: Date | null }>(
    `select end_at from event where device_id = $1 and severity = 'High' order by start_at`,
    [demoDevices.boilerLockout.deviceId],
  )
  assert.deepEqual(
    events.map((event) => event.end_at === null),
    [false, false, false, false, true],
  )
  const autofill = await deviceOf(demoDevices.failedAutofill)
  assert.equal(autofill['status'], 'FailedEquipment')
  assert.partialDeepStrictEqual(autofill['reported'], { fault: { faultSource: 'autofill' } })
  const relays = await deviceOf(demoDevices.powerSwitch)
  assert.equal(relays['parent_id'], demoDevices.heatSaviour.deviceId)
  assert.partialDeepStrictEqual(relays['reported'], { relays: { '1': true, '2': false } })
  const thermostat = await deviceOf(demoDevices.thermostatDot)
  assert.partialDeepStrictEqual(thermostat['reported'], { installedAs: 'thermostat' })
  const hubs = await read(`select from device where product = 'ZH' and property_id = $1`, [thermostat['property_id']])
  assert.equal(hubs.length, 1)
  assert.equal((await deviceOf(demoDevices.inWholesale))['in_wholesale'], true)
  assert.equal((await deviceOf(demoDevices.dropsOut))['connection_status'], 'intermittent')
  assert.deepEqual(await read(`select void_flag from property where reference = $1`, [demoHomes.void]), [
    { void_flag: 'Void' },
  ])
  const climate = async (reference: string) =>
    (
      await read<{ temperature: number; humidity: number }>(
        `select (avg(value) filter (where metric = 'temperature'))::float8 as temperature,
           (avg(value) filter (where metric = 'humidity'))::float8 as humidity
         from property join device on device.tenant_id = property.tenant_id and property_id = property.id
         join series on series.tenant_id = device.tenant_id and device_id = device.id
         join point on point.tenant_id = series.tenant_id and series_id = series.id where reference = $1`,
        [reference],
      )
    )[0]!
  assert.ok((await climate(demoHomes.damp)).humidity > 65)
  assert.ok((await climate(demoHomes.underHeated)).temperature < 15)
  assert.ok((await climate(demoHomes.lively)).temperature > 17)
})

test('commands have every kind of result, and each has a user', async () => {
  const rows = await read<{ status: string; name: string; n: number }>(
    `select status, command.name, count(*)::int as n from command join person on person.id = created_by group by 1, 2 order by 1`,
  )
  assert.deepEqual(rows, [
    { status: 'confirmed', name: 'resetBoiler', n: 2 },
    { status: 'expired', name: 'leaveNetwork', n: 1 },
    { status: 'failed', name: 'runTest', n: 1 },
  ])
})

test('a restricted manager sees some lights, boilers and gateways, but not all', async () => {
  assert.equal((await deviceOf(demoDevices.livelyLight))['tag'], 'East Patch')
  assert.equal((await deviceOf(demoDevices.livelyGateway))['tag'], 'East Patch')
  assert.equal((await deviceOf(demoDevices.untaggedLight))['tag'], null)
  assert.equal((await deviceOf(demoDevices.livelyBoiler))['tag'], null)
})

test('the roll-ups match the points', async () => {
  const different = await read(
    `with made as (
       select tenant_id, series_id, date_bin('1 hour', at, timestamptz 'epoch') as hour, count(*) as n, sum(value) as total,
         min(value) as low, max(value) as high, max(at) as last_at, (array_agg(value order by at desc))[1] as last_value
       from point group by 1, 2, 3)
     select * from made full join hourly as kept using (tenant_id, series_id, hour)
     where (made.n, made.low, made.high, made.last_at, made.last_value)
         is distinct from (kept.n, kept.low, kept.high, kept.last_at, kept.last_value)
       or abs(made.total - kept.total) > 1e-6`,
  )
  assert.deepEqual(different, [])
  const [found] = await read<{ points: number; future: number }>(
    'select count(*)::int as points, (count(*) filter (where at > $1))::int as future from point',
    [now],
  )
  assert.ok(found!.points > 10_000)
  assert.equal(found!.future, 0)
})

test("the worker's check confirms every connection state", async () => {
  assert.equal(await sweepConnections(database.db, now), 0)
})

test('the fleet file contains live devices whose key hashes are in the database', async () => {
  assert.equal(statSync(fleetFile(dataDir)).mode & 0o777, 0o600)
  const fleet = readFleet()
  const connecting = fleet.devices.filter((device) => device.password !== null)
  const storied = fleet.devices.filter(({ isQuiet }) => !isQuiet)
  assert.ok(storied.length >= 150 && storied.length <= 250, `${storied.length} devices with a story`)
  const connections = storied.filter(({ password }) => password !== null).length
  assert.ok(connections >= 40 && connections <= 75, `${connections} connections of those`)
  const routes = await read<{ id: string; tenant: string; parent: string | null; hash: Buffer | null }>(
    'select device_id as id, tenant_id as tenant, parent_id as parent, key_hash as hash from device_route',
  )
  const byId = new Map(routes.map((route) => [route.id, route]))
  for (const { deviceId, password, parentId } of fleet.devices) {
    const route = byId.get(deviceId)!
    assert.deepEqual(route.hash, password === null ? null : keyHash(password))
    assert.equal(route.parent, parentId)
  }
  assert.equal(routes.filter((route) => route.hash).length, connecting.length)
  const { livelyLight, livelyBoiler, livelyGateway, harbourLight, harbourGateway } = demoDevices
  for (const { deviceId } of [livelyLight, livelyBoiler, livelyGateway, harbourLight, harbourGateway])
    assert.ok(fleet.devices.some((device) => device.deviceId === deviceId))
})

test('every connected device is simulated', async () => {
  const played = new Set(readFleet().devices.map(({ deviceId }) => deviceId))
  const connected = await read<{ id: string; serial: string }>(
    `select id, serial from device where connection_status in ('Connected', 'intermittent')`,
  )
  assert.ok(connected.length > 200)
  assert.deepEqual(
    connected.filter(({ id }) => !played.has(id)),
    [],
  )
})

test('devices of a demo that was stopped for a month count as just heard after the start', async () => {
  const later = new Date(now.getTime() + 30 * 86_400_000)
  const storied = readFleet().devices.flatMap(({ deviceId, isQuiet }) => (isQuiet ? [] : [deviceId]))
  const unplayed = `id <> all($1) and coalesce(parent_id, id) <> all($1)`
  const states = () => read(`select id, connection_status from device where ${unplayed} order by id`, [storied])
  const before = await states()
  await resumeDemo({ owner: database.product.owner, devices, now: later, dataDir })
  await sweepConnections(database.db, later)
  assert.deepEqual(await states(), before)
})

test('a missing fleet file is written again with new keys, a matching one is kept, and a deleted device is left out', async () => {
  const first = readFileSync(fleetFile(dataDir), 'utf8')
  await ensureFleet({ owner: database.product.owner, devices, dataDir })
  assert.equal(readFileSync(fleetFile(dataDir), 'utf8'), first)
  const gone = demoDevices.harbourGateway.deviceId
  await database.owner.query('delete from device_route where device_id = $1', [gone])
  rmSync(fleetFile(dataDir))
  await ensureFleet({ owner: database.product.owner, devices, dataDir })
  const before = Fleet.parse(JSON.parse(first))
  const fleet = readFleet()
  const orphans = before.devices.filter((device) => device.parentId === gone && device.password === null)
  assert.ok(orphans.length > 0)
  assert.equal(fleet.devices.length, before.devices.length - 1 - orphans.length)
  for (const { deviceId, password } of fleet.devices) {
    if (password === null) continue
    assert.ok(before.devices.every((device) => device.password !== password))
    const [route] = await read<{ hash: Buffer }>('select key_hash as hash from device_route where device_id = $1', [
      deviceId,
    ])
    assert.deepEqual(route!.hash, keyHash(password))
  }
})

test('the sensors of connections are simulated unless a user replaced the key', async () => {
  const keyed = async () =>
    (
      await read<{ id: string; hash: Buffer }>(
        'select connection_id as id, key_hash as hash from connection_route order by connection_id',
        [],
      )
    ).map(({ id, hash }) => [id, hash.toString('hex')])
  const inFleet = () =>
    readFleet()
      .connections.toSorted((one, other) => (one.connectionId < other.connectionId ? -1 : 1))
      .map(({ connectionId, key }) => [connectionId, keyHash(key).toString('hex')])
  assert.equal(inFleet().length, 2)
  assert.deepEqual(inFleet(), await keyed())
  const [[replaced] = []] = inFleet()
  await database.owner.query(`update connection_route set key_hash = '\\x01' where connection_id = $1`, [replaced])
  await database.owner.query('update connection set key_created_at = now() where id = $1', [replaced])
  await ensureFleet({ owner: database.product.owner, devices, dataDir })
  assert.equal(inFleet().length, 1)
  assert.ok(inFleet().every(([id]) => id !== replaced))
  const first = readFileSync(fleetFile(dataDir), 'utf8')
  await ensureFleet({ owner: database.product.owner, devices, dataDir })
  assert.equal(readFileSync(fleetFile(dataDir), 'utf8'), first)
})

test('a device whose key a user revoked or replaced keeps that state and is no longer simulated', async () => {
  const { livelyBoiler, boilerLockout } = demoDevices
  const [revoked, replaced] = [livelyBoiler.deviceId, boilerLockout.deviceId]
  const query = (text: string, id: string) => database.owner.query(text, [id])
  await query('update device_route set key_hash = null, key_revoked_at = now() where device_id = $1', revoked)
  await query(`update device_route set key_hash = '\\x01', key_made_at = now() where device_id = $1`, replaced)
  await ensureFleet({ owner: database.product.owner, devices, dataDir })
  const played = readFleet().devices.map(({ deviceId }) => deviceId)
  for (const id of [revoked, replaced]) assert.ok(!played.includes(id))
  const keys = await read<{ id: string; hash: string | null }>(
    `select device_id as id, encode(key_hash, 'hex') as hash from device_route where device_id in ('${revoked}', '${replaced}')`,
  )
  assert.deepEqual(
    new Map(keys.map(({ id, hash }) => [id, hash])),
    new Map([
      [revoked, null],
      [replaced, '01'],
    ]),
  )
})

test("every step of an Awaab's Law case is in the audit log of its property", async () => {
  const steps = await read<{ home: string; status: string }>(
    `select property_id as home, status from awaabs_law_step order by property_id, status`,
  )
  assert.ok(steps.length > 0)
  assert.deepEqual(
    await read(
      `select subject_id as home, after->>'awaabsLawStatus' as status from audit_entry
       where subject_type = 'property' and after ? 'awaabsLawStatus' order by subject_id, status`,
    ),
    steps,
  )
})

test('one client has its own logo for light and dark mode, and the others are shown by name', async () => {
  const rows = await read<{ id: string; logo: { light: string; dark: string } | null }>(
    `select id, settings->'logo' as logo from tenant order by id`,
  )
  assert.deepEqual(
    rows.filter(({ logo }) => logo).map(({ id }) => id),
    ['meridian'],
  )
  const { light, dark } = rows.find(({ id }) => id === 'meridian')!.logo!
  assert.notEqual(light, dark)
  for (const picture of [light, dark]) {
    const [head, data = ''] = picture.split(';base64,')
    assert.equal(head, 'data:image/svg+xml')
    const content = Buffer.from(data, 'base64')
    assert.equal(await contentTypeOf(new Blob([content])), 'image/svg+xml')
    assert.ok(content.includes(demoTenants.meridian))
  }
})

test('an interrupted seed leaves nothing behind, and a non-demo database is not changed', async () => {
  const other = await testDatabase()
  const folder = mkdtempSync(path.join(dataDir, 'interrupted-'))
  try {
    // Writing the second client fails.
    await other.owner.query(`alter table device add constraint power_cut check (tenant_id <> 'harbour')`)
    await assert.rejects(seed(other.owner, { dataDir: folder }), /power_cut/)
    await other.owner.query('alter table device drop constraint power_cut')
    assert.equal(await holdsDemo(other.owner), false)
    assert.deepEqual(await read('select serial from device union all select id from tenant', [], other.owner), [])
    await other.owner.query(`insert into tenant (id, display_name) values ('acme', 'Acme')`)
    await assert.rejects(seed(other.owner, { dataDir: folder }), /clients of its own: set CARETAKER_DEMO=off/)
    await other.owner.query(`delete from tenant`)
    await seed(other.owner, { dataDir: folder })
    await seed(other.owner, { dataDir: folder })
    assert.equal(await holdsDemo(other.owner), true)
  } finally {
    await other.drop()
  }
})
