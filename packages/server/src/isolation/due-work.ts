import { sql } from 'kysely'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { happened } from '../features/conditions/store.ts'
import { makeDue } from '../postgres/due.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestApp } from '../testing/app.ts'
import { addDevice } from '../testing/furnish/devices.ts'
import type { TenantItems } from '../testing/furnish/furnish.ts'

const day = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * day)
/** Above every series id that the database assigns, so that an id in a response can only come from here. */
let seriesId = 770_000_000_000

/** Adds due work for every job to a tenant. */
export async function addDueWork(
  app: TestApp,
  { tenant, light, boiler, property, tag, secret, newBulkAction, newImport, ssoConnection, ssoDomain }: TenantItems,
) {
  const { database } = app
  await newImport('planning')
  // A heat pump that still has the state of a gas record.
  const pump = await addDevice(app, tenant, { product: 'BC' })
  await database.owner.query(
    `update device set monitoring = 'HeatPump', gas_state = 'InDate' where tenant_id = $1 and id = $2`,
    [tenant, pump],
  )
  const over = await newBulkAction()
  const waiting = await newBulkAction()
  const { rows } = await database.owner.query<{ person_id: string }>(
    'select person_id from membership where tenant_id = $1 and person_id is not null',
    [tenant],
  )
  await database.owner.query(
    `insert into personal_data_read (tenant_id, id, person_id, person_name, is_key, page, kind, property_ids, resident_ids,
       caller, first_at, last_at, times, fingerprint)
     values ($1, $2, $3, $4, false, 'Property', 'page', array[$5::uuid], '{}', '', $6, $6, 1, '')`,
    [tenant, crypto.randomUUID(), crypto.randomUUID(), secret, property, ago(400)],
  )
  await database.owner.query('insert into idp.sso_lookup values ($1, $2, $3, false)', [
    ...[ssoDomain, tenant, ssoConnection],
  ])
  await inTenant(database.db, tenant, async (tx) => {
    const ours = { tenant_id: tenant }
    // A property that has become void, whose boiler has not been sent anything yet.
    await tx
      .updateTable('property')
      .set({ void_flag: 'Void' })
      .where('tenant_id', '=', tenant)
      .where('id', '=', property)
      .execute()
    await tx
      .updateTable('device')
      .set({ monitoring: 'Boiler' })
      .where('tenant_id', '=', tenant)
      .where('id', '=', boiler)
      .execute()
    // A light whose battery has not charged since its last test.
    await tx
      .updateTable('emergency_test')
      .set({ started_at: ago(3) })
      .where('tenant_id', '=', tenant)
      .where('device_id', '=', light)
      .execute()
    await tx
      .updateTable('device')
      .set({ reported: { mains: true, mainsSince: 0, batteryFull: false } })
      .where('tenant_id', '=', tenant)
      .where('id', '=', light)
      .execute()
    // A light that failed yesterday, without an alert sent.
    await happened(tx, [
      { deviceId: light, occurrence: { what: 'set', at: +ago(1), kind: 'equipmentBroken' } },
      {
        deviceId: light,
        occurrence: { what: 'ended', at: +ago(0.5), kind: 'maintenance', cause: 'ended by a person' },
      },
    ])
    await tx
      .updateTable('device')
      .set({ connection_status: connectionStates.online })
      .where('tenant_id', '=', tenant)
      .where('id', '=', boiler)
      .execute()
    await tx
      .insertInto('device_link')
      .values({ ...ours, device_id: boiler, heard_at: ago(1) })
      .execute()
    await tx
      .updateTable('bulk_action')
      .set({ finished_at: ago(91) })
      .where('tenant_id', '=', tenant)
      .where('id', '=', over)
      .execute()
    await tx
      .updateTable('bulk_action')
      .set({ finished_at: null, failed: 0, tag_ids: [tag], started_by: rows[0]!.person_id })
      .where('tenant_id', '=', tenant)
      .where('id', '=', waiting)
      .execute()
    await tx
      .updateTable('bulk_item')
      .set({ state: 'waiting' })
      .where('tenant_id', '=', tenant)
      .where('bulk_action_id', '=', waiting)
      .execute()
    const [fresh, erased] = [++seriesId, ++seriesId]
    await tx
      .insertInto('erasure')
      .values([
        { ...ours, series_id: fresh, asked_at: ago(1) },
        { ...ours, series_id: erased, asked_at: ago(1), erased_at: ago(1) },
      ])
      .execute()
    const id = ++seriesId
    await tx
      .insertInto('series')
      .values({ ...ours, id, device_id: boiler, metric: 'returnTemperature' })
      .execute()
    for (const series_id of [fresh, erased, id])
      await sql`insert into hourly select ${tenant}, ${series_id}, hour, 1, 1, 1, 1, hour, 1
        from unnest(${[ago(20), ago(70), ago(2001)]}::timestamptz[]) as hour on conflict do nothing`.execute(tx)
    await tx
      .insertInto('point')
      .values({ ...ours, series_id: id, at: ago(3), value: 41 })
      .execute()
    const mail = { ...ours, recipient: secret, subject: secret, text: null, html: null, sent_at: null, failed_at: null }
    await tx
      .insertInto('mail')
      .values({ ...mail, id: crypto.randomUUID(), at: ago(91), error: null })
      .execute()
    const unsent = crypto.randomUUID()
    await tx
      .insertInto('mail')
      .values({ ...mail, id: unsent, error: null })
      .execute()
    await tx
      .insertInto('mail_outbox')
      .values({ ...ours, mail_id: unsent })
      .execute()
    // A message pending for an endpoint, and an old one.
    const endpoint = await tx
      .selectFrom('webhook_endpoint')
      .select('id')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow()
    for (const [at, state] of [
      [ago(1), 'waiting'],
      [ago(31), 'delivered'],
    ] as const) {
      const message = crypto.randomUUID()
      await tx
        .insertInto('webhook_message')
        .values({ ...ours, id: message, event: 'webhook.trial', at, written_at: at, body: secret })
        .execute()
      await tx
        .insertInto('webhook_delivery')
        .values({
          ...{ ...ours, endpoint_id: endpoint.id, message_id: message, at, state },
          due_at: state === 'waiting' ? at : null,
        })
        .execute()
    }
    // An expired idempotency key.
    await tx
      .insertInto('idempotency_key')
      .values({
        ...{
          ...ours,
          person_id: crypto.randomUUID(),
          key_hash: Buffer.alloc(32, 1),
          request_hash: Buffer.alloc(32, 2),
        },
        ...{ started_at: ago(2), status: 200, response: Buffer.from(secret) },
      })
      .execute()
    // A file that no row refers to.
    const unneeded = {
      id: crypto.randomUUID(),
      referrer: 'certificate',
      name: secret,
      size: 1,
      sha256: Buffer.alloc(32, 1),
    }
    const pdf = { content_type: 'application/pdf', created_at: ago(2), created_by: null } as const
    await tx
      .insertInto('file')
      .values({ ...ours, ...unneeded, ...pdf })
      .execute()
    await tx
      .insertInto('change')
      .values({ ...ours, subject: 'tag', ids: null, audience: null, at: ago(1) })
      .execute()
    // A boiler whose check is due, and a record whose certificate never arrived.
    await tx
      .updateTable('device')
      .set({ gas_state: 'InDate', gas_due_at: ago(1), compliance_turns_at: ago(1) })
      .where('tenant_id', '=', tenant)
      .where('id', '=', boiler)
      .execute()
    await tx
      .updateTable('property')
      .set({ gas_check_state: 'InDate', compliance_turns_at: ago(1) })
      .where('tenant_id', '=', tenant)
      .where('id', '=', property)
      .execute()
    await tx
      .insertInto('compliance_record')
      .values({
        ...{ ...ours, id: crypto.randomUUID(), device_id: boiler, type: 'GasSafety', serial_number: secret },
        ...{
          recorded_at: ago(1),
          status: 'Pass',
          test_kit: null,
          is_draft: true,
          created_at: ago(1),
          created_by: null,
        },
      })
      .execute()
    // A running test whose light is next, and one that never started.
    for (const [state, starts_at] of [
      ['running', ago(0)],
      ['planned', ago(1)],
    ] as const) {
      const run = { ...ours, id: crypto.randomUUID(), state, starts_at, ended_at: null, test_type: 'T0' as const }
      const group = { group_id: crypto.randomUUID(), group_name: secret, building_id: crypto.randomUUID() }
      await tx
        .insertInto('test_run')
        .values({ ...run, ...group })
        .execute()
      if (state === 'running')
        await tx
          .insertInto('test_run_light')
          .values({
            ...{ ...ours, run_id: run.id, device_id: light, due_at: starts_at, reason: null },
            ...{ command_id: null, synced_at: null, event_id: null, ended_at: null },
          })
          .execute()
    }
    const bad = { channel: 'state', reason: 'not JSON', detail: '', payload: secret }
    await tx
      .insertInto('bad_message')
      .values({ ...ours, ...bad, device_id: light, at: ago(2) })
      .execute()
    await tx
      .insertInto('device_message')
      .values({
        ...{ ...ours, device_id: light, at: ago(8), id: crypto.randomUUID(), channel: 'state' },
        ...{ payload: secret, bytes: secret.length, was: null },
      })
      .execute()
    await tx
      .insertInto('refused_message')
      .values({ ...ours, device_id: light, reason: 'not JSON', count: 1, first_at: ago(2), last_at: ago(2) })
      .execute()
    await tx
      .insertInto('event')
      .values({
        ...ours,
        ...{ id: crypto.randomUUID(), device_id: boiler, start_at: ago(1101), end_at: null },
        ...{ severity: 'Low', category: secret, description: secret },
      })
      .execute()
    const person = { person_id: null, person_name: 'Operator', action: 'device added' } as const
    await tx
      .insertInto('audit_entry')
      .values({
        ...{ ...ours, ...person, at: ago(1101) },
        ...{ subject_type: 'device', subject_id: light, subject_name: secret, before: null, after: null },
      })
      .execute()
    const command = crypto.randomUUID()
    await tx
      .insertInto('command')
      .values({
        ...ours,
        id: command,
        device_id: light,
        name: 'resetBoiler',
        args: '{}',
        message: null,
        created_by: null,
        expires_at: ago(1),
      })
      .execute()
    await tx
      .insertInto('command_outbox')
      .values({ ...ours, command_id: command, device_id: light, expires_at: ago(1) })
      .execute()
    await tx
      .insertInto('tenant_export')
      .values({
        ...{ ...ours, id: crypto.randomUUID(), person_id: rows[0]!.person_id, person_name: secret },
        ...{ state: 'waiting', asked_at: ago(1) },
      })
      .execute()
    // A verified domain whose record is to be checked.
    await tx
      .updateTable('sso_domain')
      .set({ verified_at: ago(2) })
      .where('tenant_id', '=', tenant)
      .where('domain', '=', ssoDomain)
      .execute()
    // Groups that are planned for less than a year ahead.
    await tx
      .updateTable('light_group')
      .set({ planned_until: ago(1) })
      .where('tenant_id', '=', tenant)
      .execute()
    for (const work of ['plan tests', 'run tests'] as const) await makeDue(tx, work)
  })
}
