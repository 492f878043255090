import { createHash, randomUUID } from 'node:crypto'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { listingOf } from '@caretaker/rules/views/listings.ts'
import { inTenant } from '../postgres/tenant.ts'
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
  /** The access rights tag that all of its devices carry. */
  accessRightsTag: string
  /** Things that a call uses up: each asking makes a new one. */
  newUser(): Promise<string>
  newTag(): Promise<string>
  newAccessRightsTag(): Promise<string>
  /** A text that stands in every name of the tenant: an answer to another tenant must not contain it. */
  secret: string
}

/** Fills a tenant with one of everything, each marked with the tenant's secret word. */
export async function furnish(test: TestApp, tenant: string): Promise<Possessions> {
  const secret = `secret-of-${tenant}`
  const manager = `first-manager@${tenant}.test`
  await test.addTenant(tenant)
  await test.addMember(tenant, manager, 'Manager')
  const tag = await addAccessRightsTag(test, tenant, `${secret} tag`)
  const named = (name: string) => ({ name: `${secret} ${name}`, accessRightsTagId: tag })
  const gateway = await addDevice(test, tenant, { product: 'MG', ...named('gateway') })
  const lightSerial = `EM1-${secret}`
  const light = await addDevice(test, tenant, {
    product: 'EM',
    serial: lightSerial,
    parentId: gateway,
    ...named('light'),
  })
  const boiler = await addDevice(test, tenant, { product: 'BX', ...named('boiler') })
  await inTenant(test.database.db, tenant, async (tx) => {
    const building = randomUUID()
    await tx
      .insertInto('building')
      .values({ tenant_id: tenant, id: building, name: `${secret} house`, address: secret })
      .execute()
    await tx.updateTable('device').set({ building_id: building }).where('tenant_id', '=', tenant).execute()
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
        series: '[]',
      })
      .execute()
    await tx
      .insertInto('command')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        device_id: light,
        name: 'runTest',
        args: JSON.stringify({ secret }),
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
    const tagId = randomUUID()
    await tx.insertInto('tag').values({ tenant_id: tenant, id: tagId, name: secret }).execute()
    await tx.insertInto('alert_definition').values({ tenant_id: tenant, id: randomUUID(), tag_id: tagId }).execute()
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
  await test.database.owner.query(
    `insert into equipment_list (tenant_id, list, choices) values ($1, 'lampTypes', $2)`,
    [tenant, JSON.stringify([secret])],
  )
  return {
    tenant,
    manager,
    light,
    lightSerial,
    boiler,
    gateway,
    accessRightsTag: tag,
    newUser: () => test.addMember(tenant, `${randomUUID()}@${tenant}.test`, 'Guest'),
    newTag: async () => {
      const id = randomUUID()
      const name = `T${++counter}`
      await inTenant(test.database.db, tenant, (tx) =>
        tx.insertInto('tag').values({ tenant_id: tenant, id, name }).execute(),
      )
      return id
    },
    newAccessRightsTag: () => addAccessRightsTag(test, tenant, `Patch ${++counter}`),
    secret,
  }
}
