import { randomBytes, randomUUID } from 'node:crypto'
import os from 'node:os'
import { sql } from 'kysely'
import type pg from 'pg'
import type { DeviceKey } from '@caretaker/contract/device-keys.ts'
import { Refusal } from '@caretaker/contract/refusal.ts'
import { unfitFor } from '@caretaker/rules/actions/operations.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Figures } from '@caretaker/rules/compliance/due.ts'
import { defaultFigures } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import { splitSerialNumber } from '@caretaker/rules/devices/serial-number.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { deviceStatuses, severityOf } from '@caretaker/rules/devices/status.ts'
import type { Capability, Feature } from '@caretaker/rules/identity/features.ts'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import { audit, operator as person } from '../audit/audit.ts'
import { changed } from '../changes/changed.ts'
import type { AwaabsLawFigures } from '@caretaker/rules/properties/awaabs-law.ts'
import type { DampFigures, OwnDampFigures } from '@caretaker/rules/properties/damp.ts'
import { dampFiguresFault, ownDampFigures } from '@caretaker/rules/properties/damp.ts'
import type { AlertDefinition } from '@caretaker/contract/alerts.ts'
import type { Predefined } from '../features/alerts/predefined.ts'
import { addDefaults, predefine, withdraw } from '../features/alerts/predefined.ts'
import { listDefinitions } from '../features/alerts/store.ts'
import { markForRecomputation } from '../features/damp/assess.ts'
import { dampFiguresIn, usualDampFigures } from '../features/damp/figures.ts'
import { changeFigures } from '../features/compliance-figures/change.ts'
import { setAwaabsLawFigures } from '../features/properties/law-figures.ts'
import { begun } from '../features/conditions/begun.ts'
import { happened } from '../features/conditions/store.ts'
import type { Config } from '../config.ts'
import { install } from '../features/actions/install.ts'
import * as deviceKeys from '../features/device-keys/service.ts'
import { findKey, keysAfter } from '../features/device-keys/store.ts'
import type { HeldDevice } from '../features/devices/held.ts'
import { openStore } from '../files/store.ts'
import { holdDevices } from '../features/devices/held.ts'
import { createDevices } from '../devices/create.ts'
import { placeDevice } from '../devices/place.ts'
import * as appKeys from '../features/residents/app-keys.ts'
import * as residents from '../features/residents/service.ts'
import type { Removable, Removed } from '../features/tenants/removal/remove.ts'
import * as removal from '../features/tenants/removal/remove.ts'
import * as tenants from '../features/tenants/service.ts'
import { addressForDevices, newDeviceKey } from '../mqtt/device-keys.ts'
import { placeTenant } from '../postgres/machines.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { mergedSettings, updateTenant } from '../tenants/tenants.ts'

/** A request that cannot be fulfilled; shown as one line. */
export class OperatorError extends Error {
  override name = 'OperatorError'
}

export interface Operator {
  /** Includes the addresses of the installation (`withInstalledAddresses`). */
  config: Config
  owner: pg.Pool
  db: Db
}

export async function expectTenant({ db }: Operator, tenant: string): Promise<void> {
  const found = await db.selectFrom('tenant').select('removal_began_at').where('id', '=', tenant).executeTakeFirst()
  if (!found) throw new OperatorError(`There is no client ${tenant}. List the clients with caretaker tenant list.`)
  if (found.removal_began_at)
    throw new OperatorError(`${tenant} is being removed. Finish with caretaker tenant remove --tenant ${tenant}.`)
}

export interface NewDevices {
  tenant: string
  serial?: string
  name?: string
  count?: number
  product: string
  status: string
  parent?: string
}

export interface Credentials {
  deviceId: string
  serial: string
  username: string
  password: string
  /** Null if unknown. */
  mqttUrl: string | null
}

/** Provisions devices one by one. Yields each key, which is shown only here; the database stores its hash. */
export async function* addDevice(operator: Operator, wanted: NewDevices): AsyncGenerator<Credentials> {
  await expectTenant(operator, wanted.tenant)
  const mqttUrl = addressForDevices(operator.config) || null
  const status = deviceStatuses.find((known) => known === wanted.status)
  if (!status) throw new OperatorError(`There is no status ${wanted.status}: choose from ${deviceStatuses.join(', ')}.`)
  const parentId = wanted.parent ? await deviceId(operator, wanted.tenant, wanted.parent) : null
  if (wanted.serial) yield { ...(await provision(operator, wanted, wanted.serial, status, parentId)), mqttUrl }
  for (let made = 0; made < (wanted.count ?? 0); made++)
    yield { ...(await provision(operator, wanted, madeUpSerial(wanted.product as Product), status, parentId)), mqttUrl }
}

/** Random, not counted, so that two operators working at once do not collide. */
function madeUpSerial(product: Product): string {
  return `${product}9${String(randomBytes(4).readUInt32BE() % 100_000_000).padStart(8, '0')}X`
}

async function deviceId({ db }: Operator, tenant: string, serial: string): Promise<string> {
  const row = await inTenant(db, tenant, (tx) =>
    tx
      .selectFrom('device')
      .select('id')
      .where('tenant_id', '=', tenant)
      .where('serial', '=', serial)
      .executeTakeFirst(),
  )
  if (!row) throw new OperatorError(`There is no device ${serial} in ${tenant}.`)
  return row.id
}

async function provision(
  { db }: Operator,
  wanted: NewDevices,
  serial: string,
  status: DeviceStatus,
  parentId: string | null,
): Promise<Omit<Credentials, 'mqttUrl'>> {
  const id = randomUUID()
  const { password, ...hashes } = newDeviceKey()
  const { product, model } = splitSerialNumber(serial)
  await inTenant(db, wanted.tenant, async (tx) => {
    const created = await createDevices(tx, person, [
      {
        ...{ deviceId: id, serial, key: { ...hashes, madeAt: new Date() }, after: { status } },
        row: {
          ...{ serial, product: product!, model, parent_id: parentId },
          name: wanted.name ?? `${products[product!].name} ${serial}`,
          listing: listingOf(product!) ?? null,
          // Both are recomputed right after the device is added.
          ...{ status: 'Ok', severity: severityOf('Ok') },
        },
      },
    ])
    if (!created.size) throw new OperatorError(await alreadyThere(tx, serial))
    await happened(
      tx,
      begun(status, product!, person).map((occurrence) => ({ deviceId: id, occurrence })),
    )
  })
  return { deviceId: id, serial, username: id, password }
}

/** An uninstalled device is put back into service, not added again. */
async function alreadyThere(tx: TenantTx, serial: string): Promise<string> {
  const row = await tx
    .selectFrom('device')
    .innerJoin('device_route as route', (join) =>
      join.on('route.tenant_id', '=', tx.tenant).onRef('route.device_id', '=', 'device.id'),
    )
    .where('device.tenant_id', '=', tx.tenant)
    .where('device.serial', '=', serial)
    .select('route.uninstalled_at')
    .executeTakeFirst()
  const message = `The device ${serial} is already in ${tx.tenant}.`
  return row?.uninstalled_at
    ? `${message} It was uninstalled: caretaker device install --tenant ${tx.tenant} --serial ${serial} installs it again.`
    : message
}

/** Puts a device into service; an uninstalled one is admitted again. */
export async function installDevice(operator: Operator, tenant: string, serial: string): Promise<void> {
  await withDevice(operator, tenant, serial, async (tx, device) => {
    const unfit = unfitFor('mark as installed', device, { features: [] })
    if (unfit) throw new OperatorError(unfit)
    await install(tx, person, device)
  })
}

/** The state of a device's key, after replacing or revoking it on request; a new key is included once. */
export async function keyOfDevice(
  operator: Operator,
  { tenant, serial, replace, revoke }: { tenant: string; serial: string; replace?: boolean; revoke?: boolean },
): Promise<{ deviceKey: DeviceKey; credentials?: Omit<Credentials, 'deviceId' | 'serial'> }> {
  return withDevice(operator, tenant, serial, async (tx, device) => {
    const now = new Date()
    if (revoke) return { deviceKey: await deviceKeys.revokeKey({ tx, person, device, now }) }
    if (!replace) return { deviceKey: await findKey(tx, device.deviceId) }
    const { deviceKey, password } = await deviceKeys.replaceKey({ tx, person, device, now })
    const mqttUrl = addressForDevices(operator.config)
    return { deviceKey, credentials: { username: device.deviceId, password, mqttUrl } }
  })
}

/** All devices of a client with the state of their keys, by serial number. */
export async function* listDevices(operator: Operator, tenant: string): AsyncGenerator<DeviceKey> {
  await expectTenant(operator, tenant)
  for (let after: string | undefined; ;) {
    const from = after
    const page = await inTenant(operator.db, tenant, (tx) => keysAfter(tx, { after: from, limit: devicesAtOnce }))
    yield* page
    if (page.length < devicesAtOnce) return
    after = page.at(-1)!.serialNumber
  }
}
const devicesAtOnce = 1000

async function withDevice<T>(
  operator: Operator,
  tenant: string,
  serial: string,
  work: (tx: TenantTx, device: HeldDevice) => Promise<T>,
): Promise<T> {
  await expectTenant(operator, tenant)
  const id = await deviceId(operator, tenant, serial)
  return asked(inTenant(operator.db, tenant, async (tx) => work(tx, (await holdDevices(tx, [id])).get(id)!)))
}

export interface PlaceOptions {
  tenant: string
  serial: string
  building?: string
  /** The floor's name or number. */
  floor?: string
  property?: string
  room?: string
  location?: string
  locationDetails?: string
  lat?: number
  long?: number
}

/** Sets the place of a device. An empty text clears the field. */
export async function putDevice(operator: Operator, options: PlaceOptions): Promise<void> {
  const { tenant, serial, room, location, locationDetails, lat: latitude, long: longitude } = options
  await withDevice(operator, tenant, serial, async (tx, device) => {
    const id = device.deviceId
    const buildingId = await idNamed(tx, 'building', 'name', options.building)
    const propertyId = await idNamed(tx, 'property', 'reference', options.property)
    const floorId = await floorNamed(tx, id, buildingId, options.floor)
    const place = { buildingId, floorId, propertyId, room, location, locationDetails, latitude, longitude }
    await placeDevice(tx, person, device, place)
  })
}

/** Undefined if not given, null if empty. */
async function idNamed(
  tx: TenantTx,
  table: 'building' | 'property',
  column: 'name' | 'reference',
  name: string | undefined,
): Promise<string | null | undefined> {
  if (!name) return name === undefined ? undefined : null
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where tenant_id = ${tx.tenant} and lower(${sql.ref(column)}) = lower(${name})`.execute(
    tx,
  )
  if (!rows[0]) throw new OperatorError(`There is no ${table} ${name} in ${tx.tenant}.`)
  return rows[0].id
}

async function floorNamed(
  tx: TenantTx,
  device: string,
  newBuilding: string | null | undefined,
  name: string | undefined,
): Promise<string | null | undefined> {
  if (!name) return name === undefined ? undefined : null
  const { building_id: before } = await tx
    .selectFrom('device')
    .select('building_id')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', device)
    .executeTakeFirstOrThrow()
  const building = newBuilding === undefined ? before : newBuilding
  const { rows } = await sql<{ id: string }>`
    select id from floor where tenant_id = ${tx.tenant} and building_id = ${building}
      and (lower(name) = lower(${name}) or number::text = ${name})
    order by lower(name) = lower(${name}) desc limit 1`.execute(tx)
  if (!rows[0]) throw new OperatorError(`There is no floor ${name} in the building of the device.`)
  return rows[0].id
}

export async function setFeature(operator: Operator, tenant: string, feature: Feature, on: boolean): Promise<void> {
  await expectTenant(operator, tenant)
  await inTenant(operator.db, tenant, async (tx) => {
    const switched = on
      ? tx
          .insertInto('tenant_feature')
          .values({ tenant_id: tenant, feature })
          .onConflict((conflict) => conflict.doNothing())
          .returning('feature')
      : tx
          .deleteFrom('tenant_feature')
          .where('tenant_id', '=', tenant)
          .where('feature', '=', feature)
          .returning('feature')
    if (await switched.executeTakeFirst()) await recordSwitch(tx, 'feature switched', feature, on)
  })
}

export async function setCapability(
  operator: Operator,
  tenant: string,
  capability: Capability,
  on: boolean,
): Promise<void> {
  await expectTenant(operator, tenant)
  await inTenant(operator.db, tenant, async (tx) => {
    const switched = on
      ? tx
          .insertInto('tenant_capability')
          .values({ tenant_id: tenant, capability })
          .onConflict((conflict) => conflict.doNothing())
          .returning('capability')
      : tx
          .deleteFrom('tenant_capability')
          .where('tenant_id', '=', tenant)
          .where('capability', '=', capability)
          .returning('capability')
    if (await switched.executeTakeFirst()) await recordSwitch(tx, 'capability switched', capability, on)
  })
}

async function recordSwitch(
  tx: TenantTx,
  action: 'feature switched' | 'capability switched',
  name: Feature | Capability,
  on: boolean,
): Promise<void> {
  const subject = { type: 'client', id: tx.tenant, name: tx.tenant } as const
  await audit(tx, { person, action, subject, before: { [name]: !on }, after: { [name]: on } })
  await changed(tx, 'client', null)
}

export async function addTenant(
  { db }: Operator,
  { contacts, ...wanted }: { id: string; name: string; contacts: string; timeZone: string },
): Promise<void> {
  await asked(tenants.addTenant(db, person, { ...wanted, contact: contacts }))
}

/** Turns a refusal of the portal into an error of the command. */
export async function asked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof Refusal ? new OperatorError(error.message) : error
  }
}

/** Adds an alert rule that the client cannot delete; if `fixed`, the client cannot change its target either. */
export async function addAlert(
  operator: Operator,
  tenant: string,
  { fixed, ...definition }: Omit<Predefined, 'notificationType'> & { fixed: boolean },
): Promise<AlertDefinition> {
  await expectTenant(operator, tenant)
  const notificationType = fixed ? 'EMAILUNEDITABLE' : definition.notificationTarget ? 'EMAIL' : 'NONE'
  return asked(inTenant(operator.db, tenant, (tx) => predefine({ tx, person }, { ...definition, notificationType })))
}

export async function addDefaultAlerts(operator: Operator, tenant: string): Promise<AlertDefinition[]> {
  await expectTenant(operator, tenant)
  return asked(inTenant(operator.db, tenant, (tx) => addDefaults({ tx, person })))
}

export async function removeAlert(operator: Operator, tenant: string, alertId: string): Promise<AlertDefinition> {
  await expectTenant(operator, tenant)
  return asked(inTenant(operator.db, tenant, (tx) => withdraw({ tx, person }, alertId)))
}

export async function listAlerts(operator: Operator, tenant: string): Promise<AlertDefinition[]> {
  await expectTenant(operator, tenant)
  return inTenant(operator.db, tenant, listDefinitions)
}

/** Sets a client's logo, or removes it; without one its name is shown. */
export async function setLogo(operator: Operator, tenant: string, logo: tenants.Logo | null): Promise<void> {
  await expectTenant(operator, tenant)
  await asked(inTenant(operator.db, tenant, (tx) => tenants.setLogo({ tx, person }, logo)))
}

/** Sets whether unknown metrics of a client are kept as extra series or rejected. */
export async function keepUnknownMetrics(operator: Operator, tenant: string, areKept: boolean): Promise<void> {
  await expectTenant(operator, tenant)
  await asked(inTenant(operator.db, tenant, (tx) => tenants.setUnknownMetrics({ tx, person }, areKept)))
}

/** Creates a key for a client's resident app; with `instead`, former keys are revoked. */
export async function addAppKey(operator: Operator, tenant: string, instead: boolean): Promise<string> {
  await expectTenant(operator, tenant)
  return inTenant(operator.db, tenant, (tx) => appKeys.addAppKey(tx, person, instead))
}

export interface NewResident {
  tenant: string
  userId: string
  email: string
  name: string
  property: string
  postcode: string
  approved?: true
}

/** Adds a resident as their app does, and approves them on request. */
export async function addResident(
  operator: Operator,
  { tenant, userId, approved, ...wish }: NewResident,
): Promise<void> {
  await expectTenant(operator, tenant)
  await inTenant(operator.db, tenant, async (tx) => {
    const { property: propertyReference, postcode, email, name } = wish
    const home = await residents
      .requestResidence({ tx, person }, { appUserId: userId, email, name, propertyReference, postcode })
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        throw new OperatorError(`There is no property ${propertyReference} at ${postcode} in ${tenant}.`)
      })
    if (approved) await residents.setApproved({ tx, person }, { auth0UserId: userId, residenceId: home }, true)
  })
}

/** Suspends a client, with the reason shown to its users; null resumes it. */
export async function suspendTenant(operator: Operator, tenant: string, reason: string | null): Promise<void> {
  await expectTenant(operator, tenant)
  await asked(inTenant(operator.db, tenant, (tx) => tenants.suspend({ tx, person }, reason)))
}

/** Returns the client if it can be removed now. */
export async function removable({ config, db }: Operator, tenant: string): Promise<Removable> {
  return asked(removal.expectRemovable(db, tenant, config.removalDays))
}

/** Removes a client with all its data, or continues an interrupted removal. */
export async function removeTenant(
  operator: Operator,
  tenant: string,
  report: (line: string) => void,
): Promise<Removed> {
  const { config, db, owner } = operator
  const by = `${os.userInfo().username}@${os.hostname()}`
  const given = { db, owner, files: openStore(config), graceDays: config.removalDays, by, report }
  return asked(removal.removeTenant(given, tenant))
}

/** Removed clients and those being removed, latest first. */
export async function listRemovals({ db }: Operator) {
  return db
    .selectFrom('tenant_removal')
    .select(['client as id', 'client_name as displayName', 'removed_by_whom as by', 'began_at as beganAt'])
    .select(['finished_at as finishedAt', 'rows_deleted as rows', 'files_deleted as files', 'people_removed as people'])
    .orderBy('began_at', 'desc')
    .execute()
}

/** Moves a client to a machine of a distributed database; returns the former machine. */
export async function moveTenant(operator: Operator, tenant: string, machine: string): Promise<{ before: string }> {
  await expectTenant(operator, tenant)
  return placeTenant(operator.owner, tenant, machine)
}

/**
 * Sets a client's own figures for the due dates of a type of record, or restores the defaults if `own` is absent, and
 * recomputes all its boilers and properties. Returns the resulting figures.
 */
export async function setComplianceFigures(
  operator: Operator,
  { tenant, type, own }: { tenant: string; type: RecordType; own: Partial<Figures> | undefined },
): Promise<Figures> {
  await expectTenant(operator, tenant)
  return inTenant(operator.db, tenant, (tx) =>
    changeFigures({
      ...{ tx, person, type, fail: (fault) => new OperatorError(fault) },
      next: (before) => (own ? { ...before, ...own } : defaultFigures[type]),
    }),
  )
}

/** Sets a client's own figures for the steps under Awaab's Law, or restores the statutory ones if `own` is absent. */
export async function setAwaabsLaw(
  operator: Operator,
  tenant: string,
  own: Partial<AwaabsLawFigures> | undefined,
): Promise<AwaabsLawFigures> {
  await expectTenant(operator, tenant)
  return asked(inTenant(operator.db, tenant, (tx) => setAwaabsLawFigures({ tx, person }, own)))
}

/**
 * Sets a client's own figures for the damp and mould estimate, or restores the defaults if `own` is absent. They
 * apply from the next assessment, which starts within the hour. Returns the figures.
 */
export async function setDampFigures(
  operator: Operator,
  tenant: string,
  own: OwnDampFigures | undefined,
): Promise<DampFigures> {
  await expectTenant(operator, tenant)
  return inTenant(operator.db, tenant, async (tx) => {
    const { settings, time_zone: zone } = await tx
      .selectFrom('tenant')
      .select(['settings', 'time_zone'])
      .where('id', '=', tenant)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const before = dampFiguresIn(settings, zone)
    const figures = own ? { ...before, ...own } : usualDampFigures(zone)
    const fault = dampFiguresFault(figures)
    if (fault) throw new OperatorError(`${fault}.`)
    // Weather averages belong to the location, not to the client.
    const kept = Object.fromEntries(
      ownDampFigures.flatMap((name) => (typeof figures[name] === 'number' ? [[name, figures[name]]] : [])),
    )
    const changes = differences({ ...before }, { ...figures })
    const columns = { settings: mergedSettings({ damp: kept }) }
    await updateTenant(tx, person, { columns, action: 'damp figures changed', changes })
    await markForRecomputation(tx)
    return figures
  })
}

export async function listTenants({ db }: Operator): Promise<{ id: string; displayName: string }[]> {
  return db.selectFrom('tenant').select(['id', 'display_name as displayName']).orderBy('id').execute()
}
