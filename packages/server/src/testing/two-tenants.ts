import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { buildingKey } from '@caretaker/rules/buildings/building.ts'
import { webhookEvents } from '@caretaker/rules/webhooks/webhooks.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import { groupKey } from '@caretaker/rules/lighting/groups.ts'
import { wallTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { queueCommands } from '../features/commands/store.ts'
import { settleCompliance } from '../features/compliance/standing.ts'
import { addRecord } from '../features/compliance/store.ts'
import { begun } from '../features/conditions/begun.ts'
import { happened, openConditions } from '../features/conditions/store.ts'
import { planAnew } from '../features/groups/plan.ts'
import { groupNamed, testedGroups } from '../features/groups/store.ts'
import { keyOf } from '../files/keys.ts'
import { noWishes } from '@caretaker/rules/imports/life.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { audit } from '../audit/audit.ts'
import type { TestApp } from './app.ts'

export interface NewDevice {
  product?: Product
  status?: DeviceStatus
  serial?: string
  name?: string
  inWholesale?: boolean
  parentId?: string
  accessRightsTagId?: string
  /** The secret with which it may speak; none unless given. */
  key?: string
}

let counter = 0

/** Puts one device into a tenant, with its place on the device link. */
export async function addDevice(test: TestApp, tenant: string, given: NewDevice = {}): Promise<string> {
  const { product = 'EM', status = 'Ok' } = given
  const id = randomUUID()
  const serial = given.serial ?? `${product}1${String(++counter).padStart(6, '0')}X`
  await inTenant(test.database.db, tenant, async (tx) => {
    await tx
      .insertInto('device')
      .values({
        tenant_id: tenant,
        id,
        serial,
        product,
        model: '1',
        name: given.name ?? `Device ${serial}`,
        listing: listingOf(product) ?? null,
        status,
        severity: severityOf(status),
        in_wholesale: given.inWholesale ?? false,
        parent_id: given.parentId ?? null,
        access_rights_tag_id: given.accessRightsTagId ?? null,
      })
      .execute()
    await tx
      .insertInto('device_route')
      .values({
        device_id: id,
        tenant_id: tenant,
        parent_id: given.parentId ?? null,
        key_hash: given.key ? createHash('sha256').update(given.key).digest() : null,
      })
      .execute()
    // One in service was heard and, as a light, tested before the story begins.
    const before = begun(status, product, { id: null, name: 'A test' }).filter(({ what }) => what !== 'installed')
    await happened(
      tx,
      before.map((occurrence) => ({ deviceId: id, occurrence })),
    )
  })
  return id
}

export async function addAccessRightsTag(test: TestApp, tenant: string, displayName: string): Promise<string> {
  const id = randomUUID()
  await inTenant(test.database.db, tenant, (tx) =>
    tx.insertInto('access_rights_tag').values({ tenant_id: tenant, id, display_name: displayName }).execute(),
  )
  return id
}

/** One tenant's things, of every kind that a call can name or tell. */
export interface Possessions {
  tenant: string
  manager: string
  light: string
  /** The serial number of the light. */
  lightSerial: string
  boiler: string
  gateway: string
  powerSwitch: string
  powerMeter: string
  /** The access rights tag that all of its devices carry. */
  accessRightsTag: string
  tag: string
  /** Things that a call uses up: each asking makes a new one. */
  newLight(): Promise<string>
  /** A light that is not installed. */
  newLightInStock(): Promise<string>
  /** One that hangs in the annexe. */
  newPlacedLight(): Promise<string>
  /** A light of which a person says something now, and another thing that is over. */
  toldLight: string
  /** A home with devices in it. */
  property: string
  /** How the resident app names somebody who waits to see that home. */
  resident: string
  /** The building in which everything is. */
  building: string
  /** Its floor, on which everything is. */
  floor: string
  /** Another one, with a floor. */
  annexe: string
  /** Another one with one floor, which has a plan. */
  newBuilding(): Promise<{ building: string; floor: string }>
  /** A home without devices. */
  newProperty(archived?: 'archived'): Promise<string>
  /** A group of the light, whose T180 is planned with that of the other group of the building. */
  group: string
  /** One of the annexe, without lights. */
  newGroup(): Promise<string>
  newCondition(): Promise<{ deviceId: string; conditionId: string }>
  /** A bulk action that is over, of the member manager@ if there is one, else of the first manager. */
  /** One whose only device failed; of flick tests one that sent its light a command. */
  newBulkAction(action?: 'add tags' | 'flick test'): Promise<string>
  newUser(): Promise<string>
  /** A user who has made an API key. */
  newKeyMaker(): Promise<string>
  newTag(): Promise<string>
  newAccessRightsTag(): Promise<string>
  newStandardLuminaire(): Promise<string>
  /** A public view of emergency lights. */
  newView(): Promise<string>
  /** A command of the light that was not sent yet. */
  newCommand(): Promise<string>
  /** What void mode asked of the boiler and that it has refused. */
  newRefusedEffect(): Promise<'heating'>
  /** A compliance record of the boiler that waits for its certificate. */
  newRecordDraft(): Promise<string>
  /** A rule of a tag, and one of its alerts, of which somebody was told and which is open. */
  newDefinition(): Promise<{ tagId: string; alertId: string }>
  newAlert(): Promise<string>
  /** One that has it, and whose file is in the store. */
  certificate(): Promise<{ recordId: string; attachmentId: string }>
  /** A list of a home, uploaded and planned, or in already. */
  newImport(state?: 'planned' | 'done' | 'planning'): Promise<string>
  /** A report of the member who makes most calls, written, with its file in the store. */
  newReport(): Promise<string>
  /** Of the developer, if there is one: schedules want a feature. */
  newReportSchedule(): Promise<string>
  /** One that holds, and that carries the access rights tag. */
  newAppKey(): Promise<string>
  newApiKey(): Promise<string>
  /** One that is told of everything, with a message that it has taken. */
  newWebhook(): Promise<{ endpointId: string; messageId: string }>
  /** A document of the member who makes most calls: the manager, or who else is first. */
  newDocument(): Promise<string>
  caller(): Promise<string>
  /** A text that stands in every name of the tenant: an answer to another tenant must not contain it. */
  secret: string
}

/** Fills a tenant with one of everything, each marked with the tenant's secret word. */
export async function furnish(test: TestApp, tenant: string): Promise<Possessions> {
  const secret = `secret-of-${tenant}`
  const manager = `first-manager@${tenant}.test`
  // Of no feature and capability here does a right depend.
  await test.addTenant(tenant, { features: ['Surveys'], capabilities: ['ViewProperties'] })
  await test.addMember(tenant, manager, 'Manager')
  const tag = await addAccessRightsTag(test, tenant, `${secret} tag`)
  // Somebody who is found by the secret.
  await test.addMember(tenant, `${secret}@${tenant}.test`, 'Guest', [tag])
  const named = (name: string) => ({ name: `${secret} ${name}`, accessRightsTagId: tag })
  const gateway = await addDevice(test, tenant, { product: 'MG', ...named('gateway') })
  const lightSerial = `EM1-${secret}`
  const light = await addDevice(test, tenant, {
    product: 'EM',
    serial: lightSerial,
    parentId: gateway,
    ...named('light'),
  })
  const failedLight = await addDevice(test, tenant, {
    product: 'EM',
    status: 'FailedEquipment',
    ...named('failed light'),
  })
  const sensors: string[] = []
  for (const product of ['MD', 'TH'] as const)
    sensors.push(await addDevice(test, tenant, { product, ...named('sensor') }))
  const boiler = await addDevice(test, tenant, { product: 'BX', ...named('boiler') })
  const liftMonitor = await addDevice(test, tenant, { product: 'LM', ...named('lift monitor') })
  const peopleCounter = await addDevice(test, tenant, { product: 'PC', ...named('people counter') })
  const [tagId, keptTag] = [randomUUID(), randomUUID()]
  const powerMeter = await addDevice(test, tenant, { product: 'PM', parentId: boiler, ...named('power meter') })
  const powerSwitch = await addDevice(test, tenant, { product: 'PS', parentId: boiler, ...named('power switch') })
  const ids = {
    definition: randomUUID(),
    certificate: { recordId: randomUUID(), attachmentId: randomUUID(), fileId: randomUUID() },
  }
  const [residentId, tips] = [randomUUID(), randomUUID()]
  const [building, floor, annexe, property] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  await inTenant(test.database.db, tenant, async (tx) => {
    for (const [id, name] of [
      [building, 'house'],
      [annexe, 'annexe'],
    ] as const)
      await tx
        .insertInto('building')
        .values({ tenant_id: tenant, id, name: `${secret} ${name}`, address: secret, responsible_person: secret })
        .execute()
    await tx
      .insertInto('floor')
      .values({ tenant_id: tenant, id: randomUUID(), building_id: annexe, number: 0, name: `${secret} ground floor` })
      .execute()
    // The other home is one whose address no call changes.
    for (const [id, name, postcode] of [
      [property, 'home', 'LS6 1AB'],
      [randomUUID(), 'other home', 'LS6 2CD'],
      [randomUUID(), 'archived home', 'LS6 3EF'],
    ] as const)
      await tx
        .insertInto('property')
        .values({
          ...{ tenant_id: tenant, id, reference: `${secret} ${name}`, address1: secret, postcode },
          ...{ latitude: null, longitude: null, access_rights_tag_id: tag },
          archived_at: name === 'archived home' ? new Date() : null,
        })
        .execute()
    await tx
      .insertInto('resident')
      .values({
        ...{ tenant_id: tenant, id: residentId, app_user_id: `auth0|${secret}`, created_at: new Date() },
        ...{ name: secret, email: `${secret}@residents.test` },
      })
      .execute()
    await tx
      .insertInto('residence_access')
      .values({ tenant_id: tenant, resident_id: residentId, property_id: property, since: new Date() })
      .execute()
    await tx
      .insertInto('savings_and_tips')
      .values({
        ...{ tenant_id: tenant, id: tips, resident_id: residentId, name: 'tips.md', content: secret },
        updated_at: new Date(),
      })
      .execute()
    const vendor = randomUUID()
    await tx
      .insertInto('person')
      .values({ id: vendor, issuer: 'vendor', subject: vendor, email: `staff@${tenant}.vendor.test`, name: secret })
      .execute()
    await tx
      .insertInto('tenant_export')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), person_id: vendor, person_name: secret, state: 'failed' },
        ...{ fault: secret, asked_at: new Date(), finished_at: new Date() },
      })
      .execute()
    await tx
      .insertInto('resident_app_key')
      .values({ tenant_id: tenant, id: randomUUID(), key_hash: Buffer.from(secret), created_at: new Date() })
      .execute()
    await tx
      .insertInto('awaabs_law_step')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), property_id: property, status: 'Investigation' as const },
        ...{ hazard: null, happened_on: '2026-01-05', entered_at: new Date(), due_on: null, corrects: null },
        ...{ entered_by: randomUUID(), entered_by_name: secret },
      })
      .execute()
    await tx
      .insertInto('device_licence')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        device_id: boiler,
        type: secret,
        start_on: new Date().toISOString().slice(0, 10),
        period_months: 24,
        renewed_on: null,
      })
      .execute()
    await tx
      .insertInto('licence')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        type: secret,
        property_id: property,
        start_on: new Date().toISOString().slice(0, 10),
        period_months: 36,
        renewed_on: null,
      })
      .execute()
    await tx
      .insertInto('floor')
      .values({ tenant_id: tenant, id: floor, building_id: building, number: 1, name: `${secret} floor` })
      .execute()
    await tx
      .updateTable('device')
      .set({
        building_id: building,
        floor_id: floor,
        latitude: 53.8,
        longitude: -1.5,
        reported: { relays: { 1: true } },
      })
      .where('tenant_id', '=', tenant)
      .execute()
    await tx
      .updateTable('device')
      .set({
        property_id: property,
        monitoring: 'HeatPump',
        location: secret,
        power_clamps: JSON.stringify({ 1: secret }),
      })
      .where('tenant_id', '=', tenant)
      .where('id', '=', boiler)
      .execute()
    await tx
      .insertInto('event')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        device_id: boiler,
        start_at: new Date(),
        end_at: null,
        severity: 'High',
        category: 'Lockout',
        description: secret,
      })
      .execute()
    const assessed = { until: new Date(0), reckoned_at: new Date(0), since: new Date(0), hours: Buffer.alloc(0) }
    await tx
      .insertInto('damp_room')
      .values({
        ...{ tenant_id: tenant, device_id: boiler, level: 'watch', reason: secret, ...assessed },
        ...{ humid_days: 3, mould_index: 0, assumed: 'none', mould: 0, dry: 0 },
      })
      .execute()
    await tx
      .insertInto('void_effect')
      .values({
        ...{ tenant_id: tenant, device_id: boiler, effect: 'heating', property_id: property, is_held: false },
        ...{ former: 60, command_id: null, asked_at: new Date() },
      })
      .execute()
    await tx
      .insertInto('void_firing')
      .values({
        ...{ tenant_id: tenant, device_id: boiler, monday: '2026-01-05', property_id: property, state: 'missed' },
        ...{ due_at: new Date('2026-01-05T09:00:00Z'), command_id: null },
      })
      .execute()
    const fault = { source: 'boiler', code: 'EA', evidence: { description: secret } } as const
    await happened(tx, [
      { deviceId: boiler, occurrence: { what: 'fault', at: 1, ...fault } },
      { deviceId: boiler, occurrence: { what: 'fault gone', at: 2 } },
    ])
    await tx
      .insertInto('emergency_test')
      .values({
        tenant_id: tenant,
        event_id: randomUUID(),
        device_id: light,
        test_type: 'T0',
        started_at: new Date(),
        result: 'Passed',
        reason: secret,
        component_states: '{}',
        series: '[{"seconds":1,"batteryVoltage":4}]',
        judged: JSON.stringify({ result: 'Failed', reason: secret, componentStates: {} }),
        corrected_at: new Date(),
        corrected_by: secret,
      })
      .execute()
    await tx
      .insertInto('emergency_equipment')
      .values({
        ...{ tenant_id: tenant, device_id: light, name: secret, lamp_type: secret, inverter_type: secret },
        ...{ battery_type: 'Alkaline', battery_voltage: 6, battery_capacity: 4, battery_installed: '2026-01-01' },
        ...{ monitored_led_circuit: 'emergency', key_switch: secret },
      })
      .execute()
    await tx
      .insertInto('standard_luminaire')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), name: secret, lamp_type: secret, inverter_type: secret },
        ...{ battery_type: 'Alkaline', battery_voltage: 6, battery_capacity: 4, created_at: new Date() },
      })
      .execute()
    await tx
      .insertInto('command')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        device_id: light,
        name: 'runTest',
        args: JSON.stringify({ testType: 'T0' }),
        status: 'confirmed',
        message: secret,
        created_by: null,
        sent_at: null,
        answered_at: null,
        expires_at: new Date(),
      })
      .execute()
    const series = await tx
      .insertInto('series')
      .values({ tenant_id: tenant, device_id: boiler, metric: 'flowTemperature' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx
      .insertInto('point')
      .values({ tenant_id: tenant, series_id: series.id, at: new Date(), value: 55 })
      .execute()
    const packedDay = new Date(Math.floor(Date.now() / 86_400_000 - 2) * 86_400_000)
    await tx
      .insertInto('packed_day')
      .values({ tenant_id: tenant, series_id: series.id, day: packedDay, n: 1, gaps: [3_600_000], readings: [54] })
      .execute()
    await tx
      .insertInto('packed_hours')
      .values({ tenant_id: tenant, series_id: series.id, day: packedDay, low: 54, high: 54, means: Buffer.alloc(12) })
      .execute()
    const hourOf = { hours: [12], n: [1], totals: [53], lows: [53], highs: [53], last_ms: [0], last_values: [53] }
    const longAgo = new Date(Math.floor(Date.now() / 86_400_000 - 90) * 86_400_000)
    await tx
      .insertInto('packed_roll_up')
      .values({ tenant_id: tenant, series_id: series.id, day: longAgo, ...hourOf })
      .execute()
    const rollUp = { tenant_id: tenant, series_id: series.id, n: 1, total: 55, low: 55, high: 55 }
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
    await tx
      .insertInto('hourly')
      .values({ ...rollUp, hour, last_at: new Date(), last_value: 55 })
      .execute()
    // The air where the boiler hangs.
    for (const [metric, value] of [
      ['temperature', 19],
      ['humidity', 60],
    ] as const) {
      const air = await tx
        .insertInto('series')
        .values({ tenant_id: tenant, device_id: boiler, metric })
        .returning('id')
        .executeTakeFirstOrThrow()
      const read = { series_id: air.id, n: 1, total: value, low: value, high: value, last_value: value }
      await tx
        .insertInto('hourly')
        .values({ tenant_id: tenant, ...read, hour, last_at: new Date() })
        .execute()
    }
    await tx
      .insertInto('daily')
      .values({ ...rollUp, day: new Date(new Date().toISOString().slice(0, 10)) })
      .execute()
    // Series that are gone have the negative of an id.
    await tx.insertInto('erasure').values({ tenant_id: tenant, series_id: -series.id, erased_at: null }).execute()
    await tx
      .insertInto('tag')
      .values([
        { tenant_id: tenant, id: tagId, name: secret },
        { tenant_id: tenant, id: keptTag, name: `${secret} kept` },
      ])
      .execute()
    await tx
      .insertInto('device_tag')
      .values(
        [light, boiler, gateway, powerSwitch, ...sensors].map((device_id) => ({
          ...{ tenant_id: tenant, device_id, tag_id: keptTag },
        })),
      )
      .execute()
    const set = { id: randomUUID(), tag_id: keptTag, product: 'BX' as const, access_rights_tag_id: null }
    await tx
      .insertInto('tag_set')
      .values({ tenant_id: tenant, ...set })
      .execute()
    await tx
      .updateTable('property')
      .set({ tag_set: set.id, status_set: set.id })
      .where('tenant_id', '=', tenant)
      .where('id', '=', property)
      .execute()
    const worst = { place: 1, product: 'BX' as const, access_rights_tag_id: null, status: 'Ok' as const, severity: 2 }
    await tx
      .insertInto('status_set')
      .values({ tenant_id: tenant, id: set.id, ...worst })
      .execute()
    await tx.insertInto('property_retagged').values({ tenant_id: tenant, property_id: property }).execute()
    await tx
      .insertInto('device_link')
      .values({ tenant_id: tenant, device_id: light, heard_at: new Date(), drops: [new Date()] })
      .execute()
    await tx
      .insertInto('bad_message')
      .values({
        tenant_id: tenant,
        device_id: light,
        channel: 'state',
        reason: 'not JSON',
        detail: '',
        payload: secret,
      })
      .execute()
    const now = new Date()
    await tx
      .insertInto('repair_form')
      .values(
        [light, boiler, gateway, liftMonitor, peopleCounter].map((device_id) => ({
          ...{ tenant_id: tenant, id: randomUUID(), device_id, at: now, part: 'equipment' as const },
          ...{ parts: '{"battery":true,"inverter":false,"lamp":false}', description: secret },
          ...{ repaired_by: secret, repaired_on: '2026-01-01', person_id: null, person_name: secret },
        })),
      )
      .execute()
    await tx
      .insertInto('device_note')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), device_id: light, at: now, note: secret },
        ...{ person_id: null, person_name: secret },
      })
      .execute()
    await tx
      .insertInto('device_message')
      .values({
        ...{ tenant_id: tenant, device_id: light, at: now, id: randomUUID(), channel: 'state' },
        ...{ payload: JSON.stringify({ secret }), bytes: 20, was: null },
      })
      .execute()
    await tx
      .insertInto('refused_message')
      .values(
        [light, boiler, gateway, powerSwitch].map((device_id) => ({
          ...{ tenant_id: tenant, device_id, reason: 'too large' as const },
          ...{ count: 1, first_at: now, last_at: now },
        })),
      )
      .execute()
    await tx
      .insertInto('file')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        referrer: 'certificate',
        name: secret,
        content_type: 'application/pdf',
        size: 1,
        sha256: Buffer.alloc(32),
        created_at: new Date(),
        created_by: null,
      })
      .execute()
    const { certificate } = ids
    await tx
      .insertInto('file')
      .values({
        tenant_id: tenant,
        id: certificate.fileId,
        referrer: 'compliance_attachment',
        name: `${secret}.pdf`,
        content_type: 'application/pdf',
        size: secret.length,
        sha256: Buffer.alloc(32),
        created_at: new Date(),
        created_by: null,
      })
      .execute()
    const record = { serial_number: secret, recorded_at: new Date(), status: 'Pass', test_kit: null } as const
    await tx
      .insertInto('compliance_record')
      .values({
        ...{ tenant_id: tenant, id: certificate.recordId, device_id: boiler, type: 'GasSafety', ...record },
        ...{ is_draft: false, created_at: new Date(), created_by: null },
      })
      .execute()
    await tx
      .insertInto('compliance_attachment')
      .values({
        ...{ tenant_id: tenant, id: certificate.attachmentId, record_id: certificate.recordId },
        ...{ file_id: certificate.fileId, name: `${secret}.pdf` },
      })
      .execute()
    await tx
      .insertInto('document')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), document_type: 'PropertyRecords', property_id: property },
        ...{ file_id: certificate.fileId, location: secret, title: secret, note: secret, happened_at: new Date() },
        ...{ created_at: new Date(), created_by: null, created_by_name: secret },
      })
      .execute()
    await settleCompliance(tx, [boiler], new Date())
    await tx
      .insertInto('alert_definition')
      .values([
        { tenant_id: tenant, id: randomUUID(), tag_id: tagId },
        {
          ...{ tenant_id: tenant, id: ids.definition, tag_id: keptTag, notification_type: 'EMAIL' },
          ...{ notification_target: manager, trigger_type: 'DEVICESTATUS', trigger_condition: 'FailedEquipment' },
        },
      ])
      .execute()
    await tx
      .insertInto('device_spell')
      .values({
        ...{ tenant_id: tenant, device_id: light, kind: 'DEVICESTATUS', key: 'FailedEquipment' },
        ...{ began_at: now, seen_at: now, ended_at: now },
      })
      .execute()
    await tx
      .insertInto('alert_recipient')
      .values({
        ...{ tenant_id: tenant, definition_id: ids.definition, address: manager },
        ...{ token: secret.padEnd(32, '-').slice(0, 32), unsubscribed_at: null },
      })
      .execute()
    await tx
      .insertInto('alert_progress')
      .values({
        ...{ tenant_id: tenant, position: null },
        ...{ started_at: new Date(+now - 2 * 86_400_000), done_until: new Date(0) },
      })
      .execute()
    await tx
      .insertInto('audit_entry')
      .values({
        tenant_id: tenant,
        person_id: null,
        person_name: secret,
        action: 'tag created',
        subject_type: 'tag',
        subject_id: tagId,
        subject_name: secret,
        before: null,
        after: null,
      })
      .execute()
    await tx
      .insertInto('mail')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        recipient: manager,
        subject: secret,
        text: secret,
        html: secret,
        sent_at: null,
        failed_at: null,
        error: null,
      })
      .execute()
  })
  const newGroup = async (lights: readonly string[] = []) => {
    const name = `${secret} group ${++counter}`
    const where = lights.length ? building : annexe
    await inTenant(test.database.db, tenant, (tx) => putGroup(tx, { name, building: where, lights }))
    return name
  }
  const group = await newGroup([light])
  await newGroup([failedLight])
  await inTenant(test.database.db, tenant, (tx) => putRun(tx, { group, light }))
  await test.database.owner.query(
    `insert into equipment_list (tenant_id, list, choices) values ($1, 'lampTypes', $2)`,
    [tenant, JSON.stringify([secret])],
  )
  const caller = async () => {
    const { rows } = await test.database.owner.query<{ id: string }>(
      'select id from membership where tenant_id = $1 order by email = $2 desc, created_at limit 1',
      [tenant, `manager@${tenant}.test`],
    )
    return rows[0]!.id
  }
  const newLight = (more: NewDevice = {}) =>
    addDevice(test, tenant, { ...named('light'), accessRightsTagId: tag, key: secret, ...more })
  const newCondition = async () => {
    const deviceId = await newLight()
    const by = { id: null, name: `${secret} person` }
    const conditionId = await inTenant(test.database.db, tenant, async (tx) => {
      await happened(tx, [
        { deviceId, occurrence: { what: 'set', at: 1, kind: 'deviceBroken', evidence: { by } } },
        { deviceId, occurrence: { what: 'ended', at: 2, kind: 'deviceBroken', cause: 'ended by a person' } },
        { deviceId, occurrence: { what: 'set', at: 3, kind: 'maintenance', evidence: { by } } },
      ])
      return (await openConditions(tx, [deviceId])).get(deviceId)![0]!.id
    })
    return { deviceId, conditionId }
  }
  const newAlert = async () => {
    const id = randomUUID()
    const times = { began_at: new Date(0), seen_at: new Date(++counter), due_at: new Date(0), tell_at: new Date(0) }
    const open = { told_at: new Date(), ended_at: null, over_at: null, over_tell_at: null, over_told_at: null }
    const rule = { tagName: secret, triggerType: 'DEVICESTATUS', triggerCondition: 'FailedEquipment' }
    await inTenant(test.database.db, tenant, async (tx) => {
      await tx
        .insertInto('alert')
        .values({
          ...{ tenant_id: tenant, id, definition_id: ids.definition, device_id: light, place: light, held: null },
          ...{ rule: JSON.stringify({ ...rule, delay: 0, delayUnit: 'mins' }), ...times, ...open },
          ...{ ending: null, next_at: null, closed_at: null },
        })
        .execute()
      await tx
        .insertInto('alert_mail')
        .values({
          ...{ tenant_id: tenant, alert_id: id, mail_id: randomUUID(), kind: 'told' },
          ...{ recipient: secret, at: new Date() },
        })
        .execute()
    })
    return id
  }
  const possessions: Possessions = {
    tenant,
    manager,
    light,
    lightSerial,
    boiler,
    property,
    resident: `auth0|${secret}`,
    gateway,
    powerSwitch,
    powerMeter,
    building,
    floor,
    annexe,
    group,
    newBuilding: async () => {
      const [id, floor, plan] = [randomUUID(), randomUUID(), randomUUID()]
      const name = `${secret} ${id}`
      await inTenant(test.database.db, tenant, async (tx) => {
        await tx
          .insertInto('building')
          .values({ tenant_id: tenant, id, name, compared_name: buildingKey(name), latitude: 53.8, longitude: -1.5 })
          .execute()
        const ground = { id: floor, building_id: id, number: 0, name: `${secret} ground` }
        await tx
          .insertInto('floor')
          .values({ tenant_id: tenant, ...ground })
          .execute()
        const file = { referrer: 'floor_plan', name: `${secret}.svg`, content_type: 'image/svg+xml' } as const
        await tx
          .insertInto('file')
          .values({
            ...{ tenant_id: tenant, id: plan, ...file, size: secret.length, created_at: new Date(), created_by: null },
            sha256: createHash('sha256').update(plan).digest(),
          })
          .execute()
        await tx
          .insertInto('floor_plan')
          .values({ tenant_id: tenant, floor_id: floor, file_id: plan, name: file.name, uploaded_at: new Date() })
          .execute()
      })
      await test.context.files.put(keyOf(tenant, plan), new Blob([secret]))
      return { building: id, floor }
    },
    newGroup: () => newGroup(),
    newAppKey: () => addAppKey(test, tenant),
    newApiKey: () => addApiKey(test, tenant, `${secret} ${randomUUID()}`, tag),
    newWebhook: () => addWebhook(test, tenant, secret),
    accessRightsTag: tag,
    tag: tagId,
    newLight,
    newLightInStock: () => newLight({ status: 'Inventory' }),
    newPlacedLight: async () => {
      const id = await newLight()
      await test.database.owner.query(
        `update device set building_id = $2, floor_id = (select id from floor where tenant_id = $1 and building_id = $2)
         where tenant_id = $1 and id = $3`,
        [tenant, annexe, id],
      )
      return id
    },
    toldLight: (await newCondition()).deviceId,
    newCondition,
    newBulkAction: async (action = 'add tags') => {
      const id = randomUUID()
      const isCommand = action === 'flick test'
      const { rows } = await test.database.owner.query<{ id: string }>(
        'select id from person where email in ($1, $2) order by email = $1 desc limit 1',
        [`manager@${tenant}.test`, manager],
      )
      await inTenant(test.database.db, tenant, async (tx) => {
        await tx
          .insertInto('bulk_action')
          .values({
            tenant_id: tenant,
            id,
            action,
            tag_ids: isCommand ? [] : [tagId],
            tag_names: isCommand ? [] : [secret],
            // Before anybody has signed in: nobody's.
            started_by: rows[0]?.id ?? randomUUID(),
            started_by_name: secret,
            total: 1,
            ...(isCommand ? { done: 1 } : { failed: 1 }),
            finished_at: new Date(),
          })
          .execute()
        await tx
          .insertInto('bulk_item')
          .values({
            ...{ tenant_id: tenant, bulk_action_id: id, item_id: light },
            ...{ state: isCommand ? 'done' : 'failed', message: isCommand ? null : secret },
          })
          .execute()
      })
      return id
    },
    newUser: () => test.addMember(tenant, `${randomUUID()}@${tenant}.test`, 'Guest'),
    newKeyMaker: () => addKeyMaker(test, tenant, { key: `${secret} ${randomUUID()}`, tag }),
    newTag: async () => {
      const id = randomUUID()
      const name = `T${++counter}`
      await inTenant(test.database.db, tenant, (tx) =>
        tx.insertInto('tag').values({ tenant_id: tenant, id, name }).execute(),
      )
      return id
    },
    newAccessRightsTag: () => addAccessRightsTag(test, tenant, `Patch ${++counter}`),
    newStandardLuminaire: async () => {
      const id = randomUUID()
      await inTenant(test.database.db, tenant, (tx) =>
        tx
          .insertInto('standard_luminaire')
          .values({
            ...{ tenant_id: tenant, id, name: `Luminaire ${++counter}`, lamp_type: 'LED', inverter_type: 'Integral' },
            ...{ battery_type: 'Alkaline', battery_voltage: 6, battery_capacity: 4, created_at: new Date() },
          })
          .execute(),
      )
      return id
    },
    newCommand: () =>
      inTenant(test.database.db, tenant, async (tx) => {
        const commands = await queueCommands(tx, { deviceIds: [light], name: 'runTest', args: {}, createdBy: null })
        return commands.get(light)!
      }),
    newRefusedEffect: () =>
      inTenant(test.database.db, tenant, async (tx) => {
        const asked = { deviceIds: [boiler], name: 'setChMax' as const, args: { chSetPoint: 10 }, createdBy: null }
        const id = (await queueCommands(tx, asked)).get(boiler)!
        await tx
          .updateTable('command')
          .set({ status: 'failed', answered_at: new Date() })
          .where('tenant_id', '=', tenant)
          .where('id', '=', id)
          .execute()
        await tx
          .updateTable('void_effect')
          .set({ command_id: id })
          .where('tenant_id', '=', tenant)
          .where('device_id', '=', boiler)
          .execute()
        return 'heating' as const
      }),
    newDefinition: async () => {
      const alertId = randomUUID()
      await inTenant(test.database.db, tenant, (tx) =>
        tx.insertInto('alert_definition').values({ tenant_id: tenant, id: alertId, tag_id: tagId }).execute(),
      )
      return { tagId, alertId }
    },
    newAlert,
    newProperty: async (archived) => {
      const id = randomUUID()
      await inTenant(test.database.db, tenant, (tx) =>
        tx
          .insertInto('property')
          .values({
            ...{ tenant_id: tenant, id, reference: `${secret} ${++counter}`, address1: secret, postcode: 'LS6 1AB' },
            ...{ access_rights_tag_id: null, archived_at: archived ? new Date() : null },
          })
          .execute(),
      )
      return id
    },
    newImport: (state = 'planned') => addImport(test, tenant, { state, name: `${secret} list.csv`, person: manager }),
    newRecordDraft: () =>
      inTenant(test.database.db, tenant, (tx) =>
        addRecord(
          tx,
          {
            ...{ deviceId: boiler, type: 'GasSafety', serialNumber: `${secret} ${++counter}`, recordedAt: new Date() },
            ...{ status: 'Pass', testKit: null, isDraft: true, createdBy: randomUUID() },
          },
          new Date(),
        ),
      ),
    certificate: async () => {
      const { fileId, ...certificate } = ids.certificate
      await test.context.files.put(keyOf(tenant, fileId), new Blob([secret]))
      return certificate
    },
    newReport: async () => addReport(test, tenant, await caller(), secret, tag),
    newReportSchedule: async () => addReportSchedule(test, tenant, tag),
    newView: async () => addView(test, tenant, await caller(), `${secret} view ${++counter}`),
    newDocument: async () => addDocument(test, tenant, await caller(), `${secret} document ${++counter}`),
    caller,
    secret,
  }
  await possessions.newBuilding()
  await addReportMonth(test, tenant, { secret, property, device: boiler, tag })
  const { newBulkAction, newImport, newView, newDocument, newReport, newReportSchedule } = possessions
  for (const make of [newBulkAction, newImport, newView, newDocument, newAlert, newReport, newReportSchedule])
    await make()
  await furnishFormerTables(test, tenant)
  await possessions.newApiKey()
  await possessions.newWebhook()
  return possessions
}

/** Puts a group into a tenant whose T180 is begun tomorrow, and plans it. */
async function putGroup(
  tx: TenantTx,
  { name, building, lights }: { name: string; building: string; lights: readonly string[] },
): Promise<void> {
  const [id, now] = [randomUUID(), new Date()]
  await tx
    .insertInto('light_group')
    .values({
      ...{ tenant_id: tx.tenant, id, name, name_key: groupKey(name), building_id: building, created_at: now },
      ...{ t180_start: wallTimeAt(+now + 86_400_000, 'UTC'), also_types: ['T5'] },
    })
    .execute()
  for (const device_id of lights)
    await tx
      .insertInto('light_group_member')
      .values({ tenant_id: tx.tenant, device_id, group_id: id, added_at: now })
      .execute()
  await planAnew(tx, (await testedGroups(tx, { ids: [id] }))[0]!, now)
}

/** Puts a test into a tenant that a light of a group has missed. */
async function putRun(tx: TenantTx, { group, light }: { group: string; light: string }): Promise<void> {
  const { id: group_id, building_id } = (await groupNamed(tx, group))!
  const [id, at] = [randomUUID(), new Date(Date.now() - 86_400_000)]
  await tx
    .insertInto('test_run')
    .values({
      ...{ tenant_id: tx.tenant, id, group_id, group_name: group, building_id },
      ...{ test_type: 'T0', starts_at: at, state: 'over', ended_at: at },
    })
    .execute()
  await tx
    .insertInto('test_run_light')
    .values({
      ...{ tenant_id: tx.tenant, run_id: id, device_id: light, state: 'missed', reason: group, due_at: at },
      ...{ command_id: null, synced_at: null, event_id: null, ended_at: at },
    })
    .execute()
}

/** What nothing writes any more, and a migration of a later version takes away. */
async function furnishFormerTables({ database }: TestApp, tenant: string): Promise<void> {
  await database.owner.query(
    `insert into bulk_action_device (tenant_id, bulk_action_id, device_id)
     select tenant_id, bulk_action_id, item_id from bulk_item where tenant_id = $1`,
    [tenant],
  )
  await database.owner.query(
    `insert into user_document (tenant_id, id, owner_id, document_type, content_type, metadata, content)
     values ($1, gen_random_uuid(), gen_random_uuid(), 'ListingViewConfig', 'application/json', '{}', '{}')`,
    [tenant],
  )
}

const anyContent = {
  columns: '["serial"]',
  filters: '[{"fieldId":"name","filterOp":"contains","value":"light"}]',
  sorts: '[{"fieldId":"serial","descending":false}]',
}

/** Puts a public view of emergency lights into a tenant. */
async function addView(test: TestApp, tenant: string, ownerId: string, label: string): Promise<string> {
  const id = randomUUID()
  await inTenant(test.database.db, tenant, (tx) =>
    tx
      .insertInto('view_definition')
      .values({
        tenant_id: tenant,
        id,
        root: 'emered',
        label,
        private: false,
        owner_id: ownerId,
        author_ids: [ownerId],
        ...anyContent,
      })
      .execute(),
  )
  return id
}

/** Puts a list of one home into a tenant, as far as it is. */
async function addImport(
  test: TestApp,
  tenant: string,
  { state, name, person }: { state: 'planned' | 'done' | 'planning'; name: string; person: string },
): Promise<string> {
  const id = randomUUID()
  const number = ++counter
  const { rows } = await test.database.owner.query<{ id: string }>('select id from person where email = $1', [person])
  const at = { tenant_id: tenant, import_id: id, number: 0, sheet: '', row_number: 2 }
  // It waits for a key to connect with.
  const device = state === 'done' ? await addDevice(test, tenant, { name }) : undefined
  await inTenant(test.database.db, tenant, async (tx) => {
    await tx
      .insertInto('data_import')
      .values({
        ...{
          tenant_id: tenant,
          id,
          name,
          state,
          wishes: JSON.stringify(noWishes),
          found: null,
          created_at: new Date(),
        },
        ...{ person_id: rows[0]?.id ?? randomUUID(), person_name: name, total: state === 'planned' ? 1 : 0 },
        content: Buffer.from(`Property Ref,Address 1,Postcode,EPC\n${name} ${number},1 Elm Road,LS1 4AB,H`),
      })
      .execute()
    await tx
      .insertInto('data_import_reading')
      .values({
        ...{ tenant_id: tenant, headings: randomBytes(32), columns: '[]', building_from_name: false },
        ...{ answers: JSON.stringify({ propertyArchitype: { [name]: null } }), used_at: new Date() },
      })
      .execute()
    if (state === 'planning') return
    await tx
      .insertInto('data_import_item')
      .values({
        ...{ ...at, kind: 'property', key: `${name} ${number}`, name, action: 'create', target_id: null },
        ...{ values: JSON.stringify({ propertyReference: `${name} ${number}` }), old_values: '{}' },
        ...{ state: state === 'done' ? 'refused' : 'planned', reason: null },
      })
      .execute()
    if (device)
      await tx
        .insertInto('data_import_item')
        .values({
          ...{ ...at, number: 1, kind: 'device', key: `${name} ${number}`, name, action: 'create', target_id: device },
          ...{ values: '{}', old_values: '{}', state: 'done', reason: null },
        })
        .execute()
    await tx
      .insertInto('data_import_cell')
      .values({
        ...{ ...at, column_letters: 'D', header: 'EPC', value: name, reason: 'not-in-list', message: name },
        ...{ effect: 'cell', offer: null },
      })
      .execute()
  })
  return id
}

/** Puts a saved view of a grid into a tenant. */
/** What a report of a month long ago is made of. */
async function addReportMonth(
  test: TestApp,
  tenant: string,
  { secret, property, device, tag }: { secret: string; property: string; device: string; tag: string },
): Promise<void> {
  const month = '2025-01-01'
  const of = { tenant_id: tenant, month, access_rights_tag_id: tag }
  await inTenant(test.database.db, tenant, async (tx) => {
    await tx
      .insertInto('report_month')
      .values({ tenant_id: tenant, month, gathered_at: new Date(), closed_at: new Date() })
      .execute()
    await tx
      .insertInto('report_home')
      .values({
        ...{ ...of, property_id: property, reference: secret, address: secret, postcode: secret, epc_rating: 'D' },
        ...{ architype: secret, figures: null },
      })
      .execute()
    await tx
      .insertInto('report_device')
      .values({
        ...{ ...of, device_id: device, property_id: property, building_name: secret, serial: secret, product: 'BX' },
        ...{ room: secret, status: 'Ok', is_connected: true, hours_not_heard: 1, faults_begun: 1, tests_passed: 0 },
        ...{ tests_failed: 0, figures: null },
      })
      .execute()
  })
}

async function addReport(
  test: TestApp,
  tenant: string,
  memberId: string,
  secret: string,
  tag: string,
): Promise<string> {
  const [id, fileId] = [randomUUID(), randomUUID()]
  await test.context.files.put(keyOf(tenant, fileId), new Blob([secret]))
  await inTenant(test.database.db, tenant, async (tx) => {
    await tx
      .insertInto('file')
      .values({
        ...{ tenant_id: tenant, id: fileId, referrer: 'report_run', name: secret, content_type: 'text/csv' },
        ...{ size: secret.length, sha256: randomBytes(32), created_at: new Date(), created_by: null },
      })
      .execute()
    await tx
      .insertInto('report_run')
      .values({
        ...{ tenant_id: tenant, id, membership_id: memberId, report_type: 'Overview', month: '2025-01-01' },
        ...{ tag_ids: [tag], format: 'csv', state: 'done', file_id: fileId, file_name: `${secret}.csv` },
        ...{ size: secret.length, asked_at: new Date(), finished_at: new Date() },
        reader: JSON.stringify({ role: 'Manager', tags: [], seesProperties: false, hidesPersonal: false }),
      })
      .execute()
  })
  return id
}

async function addReportSchedule(test: TestApp, tenant: string, tag: string): Promise<string> {
  const id = randomUUID()
  const { rows } = await test.database.owner.query<{ id: string }>(
    `select id from membership where tenant_id = $1 order by role = 'Developer' desc, cardinality(tag_ids), created_at limit 1`,
    [tenant],
  )
  await inTenant(test.database.db, tenant, (tx) =>
    tx
      .insertInto('report_schedule')
      .values({
        ...{ tenant_id: tenant, id, membership_id: rows[0]!.id, report_type: 'Overview', tag_ids: [tag], day: 1 },
        ...{ format: 'xlsx', hour: 7, next_at: new Date(Date.now() + 86_400_000), created_at: new Date() },
      })
      .execute(),
  )
  return id
}

async function addAppKey(test: TestApp, tenant: string): Promise<string> {
  const id = randomUUID()
  await inTenant(test.database.db, tenant, (tx) =>
    tx
      .insertInto('resident_app_key')
      .values({ tenant_id: tenant, id, key_hash: randomBytes(32), created_at: new Date() })
      .execute(),
  )
  return id
}

async function addApiKey(test: TestApp, tenant: string, name: string, tag: string): Promise<string> {
  const [id, personId] = [randomUUID(), randomUUID()]
  await test.database.owner.query(
    `insert into person (id, issuer, subject, email, name) values ($1, 'api key', $2, '', $3)`,
    [personId, id, `${name} (API key)`],
  )
  await inTenant(test.database.db, tenant, (tx) =>
    tx
      .insertInto('api_key')
      .values({
        ...{ tenant_id: tenant, id, person_id: personId, name: name.slice(0, 60), key_hash: randomBytes(32) },
        ...{ role: 'Guest', tag_ids: [tag], created_at: new Date(), created_by: name },
        expires_at: new Date(Date.now() + 86_400_000),
      })
      .execute(),
  )
  return id
}

async function addKeyMaker(test: TestApp, tenant: string, { key, tag }: { key: string; tag: string }): Promise<string> {
  const [personId, email] = [randomUUID(), `${randomUUID()}@${tenant}.test`]
  await test.database.owner.query(
    `insert into person (id, issuer, subject, email, name) values ($1, 'embedded', $2, $3, 'Key maker')`,
    [personId, personId, email],
  )
  const member = await test.addMember(tenant, email, 'Guest')
  const id = await addApiKey(test, tenant, key, tag)
  const by = { id: personId, name: 'Key maker' }
  const subject = { type: 'API key', id, name: key } as const
  await inTenant(test.database.db, tenant, (tx) => audit(tx, { person: by, action: 'API key made', subject }))
  return member
}

async function addWebhook(
  test: TestApp,
  tenant: string,
  secret: string,
): Promise<{ endpointId: string; messageId: string }> {
  const [endpointId, messageId] = [randomUUID(), randomUUID()]
  const [ours, at] = [{ tenant_id: tenant }, new Date()]
  await inTenant(test.database.db, tenant, async (tx) => {
    await tx
      .insertInto('webhook_endpoint')
      .values({
        ...{ ...ours, id: endpointId, url: `https://${secret}.test/hook`, name: secret, events: [...webhookEvents] },
        ...{ secret: `whsec_${randomBytes(32).toString('base64')}`, created_at: at, created_by: secret },
      })
      .execute()
    await tx
      .insertInto('webhook_message')
      .values({ ...ours, id: messageId, event: 'test.finished', at, written_at: at, body: JSON.stringify({ secret }) })
      .execute()
    await tx
      .insertInto('webhook_delivery')
      .values({
        ...{ ...ours, endpoint_id: endpointId, message_id: messageId, at, state: 'delivered', attempts: 1 },
        ...{ tried_at: at, status_code: 200, answer: secret, duration_ms: 12 },
      })
      .execute()
  })
  return { endpointId, messageId }
}

async function addDocument(test: TestApp, tenant: string, ownerId: string, name: string): Promise<string> {
  const id = randomUUID()
  await inTenant(test.database.db, tenant, (tx) =>
    tx
      .insertInto('view_definition')
      .values({ tenant_id: tenant, id, root: 'bcm', label: name, private: true, owner_id: ownerId, ...anyContent })
      .execute(),
  )
  return id
}
