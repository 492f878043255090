import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import type { LightEquipment } from '@caretaker/contract/equipment.ts'
import { conditionsNamed, reasonChoices } from '@caretaker/rules/conditions/reason-choices.ts'
import { connectionWords } from '@caretaker/rules/devices/connection.ts'
import { faultIn, isThermostat, supportsRemoteReset } from '@caretaker/rules/devices/fault.ts'
import { productsWithRecords, withoutRecords } from '@caretaker/rules/boilers/compliance.ts'
import { stateWords } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { deviceFields, listingOf, listings } from '@caretaker/rules/devices/list.ts'
import { monitoringIn, monitoringWords } from '@caretaker/rules/devices/monitoring.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { gateways, products } from '@caretaker/rules/devices/products.ts'
import { hasFailed, severityOf, statusText } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isReadOnly, userCanUpdateAccessRightsTag } from '@caretaker/rules/devices/rights.ts'
import { hasLevel, hidesPersonalData, isLimited } from '@caretaker/rules/identity/actor.ts'
import { levels } from '@caretaker/rules/identity/roles.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { isFound } from '@caretaker/rules/texts/search-form.ts'
import { accessRightsTagOf, namesIn } from '../../lists/linked.ts'
import type { Linked, Measured, SearchedLink, Stored } from '../../lists/source.ts'
import { listSource } from '../../lists/source.ts'
import { hasWord, hasWords, isNamed, searchForm } from '../../lists/words.ts'
import { prepared } from '../../postgres/prepared.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reasonsOf } from '../conditions/store.ts'
import { batteriesPutIn, batteryPutIn, yearsSince } from './battery.ts'
import { columnsOf, complianceOf } from './compliance.ts'
import { runningTests } from './running-tests.ts'
import { joined, visible } from './visible.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** A text, also stored in lower case, with indexes in natural sort order. */
const text = (name: string) =>
  ({ value: `device.${name}_folded collate natural_order`, shown: `device.${name}` }) satisfies Stored
const ofSome = (name: string) => ({ ...text(name), nullable: true }) satisfies Stored

const hasTag = (meets: RawBuilder<boolean>, tenant: string) => sql<boolean>`device.id in (
  select device_tag.device_id from device_tag
  join tag on tag.tenant_id = ${tenant} and tag.id = device_tag.tag_id
  where device_tag.tenant_id = ${tenant} and ${meets})`

const tags: SearchedLink = {
  meets: (_op, names, tenant) => hasTag(sql`lower(tag.name) = any(${names}::text[])`, tenant),
  have: (word, tenant) => hasTag(hasWord([searchForm(sql`tag.name`)], word), tenant),
  names: (tx, typed) => namesIn(tx, 'tag', 'name', typed),
}

/** Implied by the products, so that the index on serial numbers finds a gateway. */
const gatewayListings = [...new Set(gateways.map((product) => listingOf(product)!))]

/** The parent devices of lights and extenders that the actor may see. */
const gatewaysOf = (tenant: string, actor: Actor) => sql`
  from device as gateway where gateway.tenant_id = ${tenant}
    and gateway.listing = any(${gatewayListings}::text[])
    and gateway.product = any(${hasLevel(actor, 'networking', levels.read) ? gateways : []}::text[])
    ${isLimited(actor) ? sql`and gateway.access_rights_tag_id = any(${actor.tags}::uuid[])` : sql``}`

/**
 * There may be an extender between a gateway and a light, but never a light. Parents are read first, as an array: with a
 * subquery, the whole table is scanned for their children.
 */
const gateway = {
  meets: (op, names, tenant, actor) => {
    const isWanted = isNamed(sql`gateway.serial_folded collate natural_order`, op, names)
    return sql`device.parent_id = any(array(
      with named as materialized (select gateway.id ${gatewaysOf(tenant, actor)} and ${isWanted})
      select named.id from named union all select extender.id from device as extender
      where extender.tenant_id = ${tenant} and extender.parent_id in (select named.id from named)
        and extender.listing is distinct from 'EmergencyLights'))`
  },
  present: () => sql`device.parent_id is not null`,
  names: async (tx, typed, actor) => {
    const { rows } = await sql<{ serial: string }>`select gateway.serial ${gatewaysOf(tx.tenant, actor)}
      and ${hasWords([searchForm(sql`gateway.serial`)], typed)} order by ${naturally(sql`gateway.serial`)} limit 100`.execute(
      tx,
    )
    return rows.map(({ serial }) => serial)
  },
} satisfies Linked

/** The serial number of a device's gateway, as the filter uses it. */
const gatewaySerial = (actor: Actor) =>
  sql<
    string | null
  >`(select gateway.serial ${gatewaysOf(actor.tenant, actor)} and gateway.id in (device.parent_id, parent.parent_id)
    order by gateway.id = device.parent_id desc limit 1)`

/** Groups in which lights are tested. They are hidden from limited users. */
const groupsOf = (tenant: string, actor: Actor) => sql`
  from light_group_member as member
  join light_group as test_group on test_group.tenant_id = ${tenant} and test_group.id = member.group_id
  where member.tenant_id = ${tenant} and ${can(actor, 'see test schedules')}`

const testGroup = {
  meets: (op, names, tenant, actor) => sql`device.id in (
    select member.device_id ${groupsOf(tenant, actor)} and ${isNamed(sql`test_group.name_key`, op, names)})`,
  present: (tenant, actor) => sql`device.id in (select member.device_id ${groupsOf(tenant, actor)})`,
  names: async (tx, typed, actor) => {
    if (!can(actor, 'see test schedules')) return []
    return namesIn(tx, 'light_group', 'name', typed)
  },
} satisfies Linked

/** Standard luminaires with their lights. They are hidden from users without access to settings. */
const luminairesOf = (tenant: string, actor: Actor) => sql`
  from standard_luminaire as standard join emergency_equipment as light on light.tenant_id = ${tenant}
    and light.name = standard.name and light.lamp_type = standard.lamp_type
    and light.inverter_type = standard.inverter_type and light.battery_type = standard.battery_type
    and light.battery_voltage = standard.battery_voltage and light.battery_capacity = standard.battery_capacity
  where standard.tenant_id = ${tenant} and ${can(actor, 'see standard luminaires')}`

/**
 * Restricts to these lights. `is true` keeps the subquery a hash table: as a join, the planner underestimates it and
 * fetches each light by its id in a nested loop.
 */
const amongLights = (lights: RawBuilder<unknown>) => sql<boolean>`(device.id in (${lights})) is true`

const luminaire = {
  meets: (op, names, tenant, actor) =>
    amongLights(
      sql`select light.device_id ${luminairesOf(tenant, actor)} and ${isNamed(sql`lower(standard.name)`, op, names)}`,
    ),
  present: (tenant, actor) => amongLights(sql`select light.device_id ${luminairesOf(tenant, actor)}`),
  // `is true`, and a scalar subquery: `exists` would become a join with all luminaires.
  presentInEach: (tenant, actor) =>
    sql`((select true ${luminairesOf(tenant, actor)} and light.device_id = device.id limit 1) is true)`,
  names: async (tx, typed, actor) => {
    if (!can(actor, 'see standard luminaires')) return []
    return namesIn(tx, 'standard_luminaire', 'name', typed)
  },
} satisfies Linked

/** Devices with one of these reasons open. */
const anyReason = {
  meets: (_op, reasons, tenant) => {
    const wanted = conditionsNamed(reasons)
    return sql`device.id in (
      select condition.device_id from condition
      join unnest(${wanted.map(({ kind }) => kind)}::text[], ${wanted.map(({ key }) => key)}::text[]) as wanted (kind, key)
        on wanted.kind = condition.kind and wanted.key = condition.key
      where condition.tenant_id = ${tenant} and condition.ended_at is null)`
  },
  names: (_tx, typed) => Promise.resolve(reasonChoices.filter((reason) => isFound(typed, [reason]))),
} satisfies Linked

/** A text of a light's equipment. */
const equipmentText = (name: 'name' | 'lamp_type' | 'inverter_type' | 'battery_type') => {
  const value = sql.ref(`light.${name}`)
  const withOne = (tenant: string, meets: RawBuilder<unknown>) =>
    amongLights(
      sql`select light.device_id from emergency_equipment as light where light.tenant_id = ${tenant} and ${meets}`,
    )
  return {
    meets: (op, names, tenant) => withOne(tenant, isNamed(sql`lower(${value})`, op, names)),
    present: (tenant) => withOne(tenant, sql`${value} > ''`),
    names: async (tx, typed) => {
      const { rows } = await sql<{ value: string }>`
        select distinct ${naturally(value)} as value from emergency_equipment as light
        where light.tenant_id = ${tx.tenant} and ${hasWords([searchForm(value)], typed)} order by 1 limit 100`.execute(
        tx,
      )
      return rows.map((row) => row.value)
    },
  } satisfies Linked
}

const equipmentNumber = (name: 'battery_voltage' | 'battery_capacity') =>
  ({
    whose: (meets, tenant) =>
      amongLights(sql`
      select light.device_id from emergency_equipment as light
      where light.tenant_id = ${tenant} and ${meets(sql.ref(`light.${name}`))}`),
  }) satisfies Measured

const fittedBattery = (of: (day: RawBuilder<unknown>) => RawBuilder<unknown>) =>
  ({
    whose: (meets, tenant) =>
      amongLights(sql`select fitted.device_id ${batteriesPutIn(tenant)} where ${meets(of(sql`fitted.on_day`))}`),
  }) satisfies Measured

const instant = (at: string | null) => (at === null ? null : new Date(at))
/** A due date, represented by the instant at which its day begins. */
const day = (at: string | null) => (at === null ? null : { dayOf: new Date(at) })

/** As in its index, which contains only failed devices. */
const failedSince = `case when device.severity in (3, 5) then device.status_at end`

const inSql = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ')

/** The compliance state of devices with records; empty for all others. */
function ofRecords(type: RecordType): Stored {
  const state = `device.${columnsOf[type]}_state`
  const hasRecords = `device.product in (${inSql(productsWithRecords(type))})
      and coalesce(device.monitoring not in (${inSql(withoutRecords[type])}), true)`
  return {
    value: `case when ${hasRecords} then coalesce(${state}, 'NoRecord') end`,
    // The number of devices in a state that is a column: frequent states are read until the limit, rare ones by
    // index.
    among: (states) => {
      const isIn = sql<boolean>`${sql.ref(state)} = any(${states}::text[])`
      const isNone = states.includes('NoRecord') ? sql`or ${sql.ref(state)} is null` : sql``
      return sql`(${sql.raw(hasRecords)} and (${isIn} ${isNone}))`
    },
  }
}

/** The source of the device listings. */
export const deviceList = listSource<'device', typeof deviceFields, ListingName, DeviceRow>({
  fields: deviceFields,
  lists: listings,
  table: 'device',
  columns: {
    serial: text('serial'),
    name: text('name'),
    product: { value: 'device.product' },
    // The index of the listing starts with severity: few of its rows have a bad status.
    status: {
      value: 'device.status',
      order: 'device.severity',
      falls: true,
      implies: (statuses) => sql`device.severity = any(${[...new Set(statuses.map(severityOf))]}::int2[])`,
    },
    connection: { value: 'device.connection_status' },
    building: ofSome('building_name'),
    floor: { ...ofSome('floor_name'), order: 'device.floor_number' },
    room: ofSome('room'),
    address: ofSome('address'),
    postcode: ofSome('postcode'),
    propertyReference: ofSome('property_reference'),
    location: ofSome('location'),
    locationDetails: ofSome('location_details'),
    monitoring: { value: `coalesce(device.monitoring, 'Unknown')` },
    fault: ofSome('fault_code'),
    gateway,
    testGroup,
    luminaire,
    luminaireName: equipmentText('name'),
    lampType: equipmentText('lamp_type'),
    inverterType: equipmentText('inverter_type'),
    batteryType: equipmentText('battery_type'),
    batteryVoltage: equipmentNumber('battery_voltage'),
    batteryCapacity: equipmentNumber('battery_capacity'),
    batteryFitted: fittedBattery((day) => day),
    batteryAge: fittedBattery(yearsSince),
    lastTest: { value: 'device.last_test_at', nullable: true },
    testedOrInstalled: { value: 'coalesce(device.last_test_at, device.status_at)' },
    lastFullTest: { value: 'device.last_full_test_at', nullable: true },
    fullTestedOrInstalled: { value: 'coalesce(device.last_full_test_at, device.status_at)' },
    statusSince: { value: 'device.status_at' },
    failedSince: { value: failedSince, nullable: true },
    statusReason: ofSome('status_reason'),
    anyReason,
    connectionSince: { value: 'device.connection_at', nullable: true },
    gasSafetyDue: { value: 'device.gas_due_at', nullable: true },
    gasSafety: ofRecords('GasSafety'),
    waterTreatmentDue: { value: 'device.water_due_at', nullable: true },
    waterTreatment: ofRecords('WaterTreatment'),
    tags,
    accessRightsTag: accessRightsTagOf('device'),
    inWholesale: { value: 'device.in_wholesale' },
    latitude: { value: 'device.latitude', nullable: true },
    longitude: { value: 'device.longitude', nullable: true },
  },
  cells: {
    serial: (row) => row.deviceSerial,
    name: (row) => row.deviceDisplayName,
    product: (row) => products[row.deviceProductId].name,
    productId: (row) => row.deviceProductId,
    status: (row) => statusText(row.deviceStatus),
    statusReason: (row) => row.deviceStatusReason,
    connection: (row) => connectionWords[row.deviceConnectionState],
    building: (row) => row.deviceBuildingName,
    floor: (row) => row.deviceBuildingFloor,
    room: (row) => row.deviceRoom,
    address: (row) => row.deviceBuildingAddress,
    postcode: (row) => row.devicePostcode,
    propertyReference: (row) => row.devicePropertyReference,
    location: (row) => row.deviceLocation,
    locationDetails: (row) => row.deviceLocationDetails,
    monitoring: (row) => row.deviceMonitoring && monitoringWords[row.deviceMonitoring],
    fault: ({ deviceFault }) => deviceFault && [deviceFault.code, deviceFault.description].filter(Boolean).join(': '),
    firmware: (row) => row.deviceFirmware,
    gateway: (row) => row.deviceGateway,
    testGroup: (row) => row.deviceTestGroup,
    luminaireName: (row) => row.deviceEquipment?.luminaire ?? null,
    lampType: (row) => row.deviceEquipment?.lampType ?? null,
    inverterType: (row) => row.deviceEquipment?.inverterType ?? null,
    batteryType: (row) => row.deviceEquipment?.batteryType ?? null,
    batteryVoltage: (row) => row.deviceEquipment?.batteryVoltage ?? null,
    batteryCapacity: (row) => row.deviceEquipment?.batteryCapacity ?? null,
    batteryFitted: ({ deviceEquipment }) =>
      deviceEquipment?.batteryFittedOn ? { day: deviceEquipment.batteryFittedOn } : null,
    batteryAge: (row) => row.deviceEquipment?.batteryAge ?? null,
    lastTest: (row) => instant(row.deviceLastTest),
    testedOrInstalled: (row) => instant(row.deviceLastTest ?? row.deviceStatusSince),
    lastFullTest: (row) => instant(row.deviceLastFullTest),
    fullTestedOrInstalled: (row) => instant(row.deviceLastFullTest ?? row.deviceStatusSince),
    statusSince: (row) => instant(row.deviceStatusSince),
    failedSince: (row) => (hasFailed(row.deviceStatus) ? instant(row.deviceStatusSince) : null),
    connectionSince: (row) => instant(row.deviceConnectionSince),
    lastHeard: (row) => instant(row.deviceLastHeard),
    gasSafetyDue: (row) => day(row.deviceGasSafety?.dueAt ?? null),
    gasSafety: (row) => row.deviceGasSafety && stateWords[row.deviceGasSafety.state],
    waterTreatmentDue: (row) => day(row.deviceWaterTreatment?.dueAt ?? null),
    waterTreatment: (row) => row.deviceWaterTreatment && stateWords[row.deviceWaterTreatment.state],
    tags: (row) => row.deviceTags.map((tag) => tag.name).join(', '),
    accessRightsTag: (row) => row.deviceAccessRightsTag?.displayName ?? null,
    inWholesale: (row) => row.deviceInWholesale,
    deviceId: (row) => row.deviceId,
  },
  searched: { all: ['device.search_form', 'device.search_form_address'], open: ['device.search_form'] },
  searchedNames: tags,
  key: 'device.serial',
  sorts: [{ fieldId: 'status', descending: false }],
  visible: devicesOf,
  // Counted by product, which has the smallest index.
  counted: (tx, actor, listing) =>
    visible(tx.selectFrom('device'), actor).where('device.product', 'in', [...listings[listing].products]),
  rows: rowsOf,
})

/** The devices of a listing that the actor may see. */
function devicesOf(tx: TenantTx, actor: Actor, listing: ListingName) {
  const shown: readonly Product[] = listings[listing].products
  const [kept] = new Set(shown.map((product) => listingOf(product)))
  const whole = listings[kept!].products.length === shown.length
  return visible(tx.selectFrom('device'), actor)
    .where('device.listing', '=', kept!)
    .$if(!whole, (some) => some.where('device.product', 'in', [...shown]))
}

const areLights: ReadonlySet<Product> = new Set(listings.EmergencyLights.products)

/** The equipment of these lights. */
export async function equipmentOf(tx: TenantTx, ids: readonly string[]): Promise<Map<string, LightEquipment>> {
  if (!ids.length) return new Map()
  const { rows } = await sql<{ id: string } & LightEquipment>`
    select light.*, ${yearsSince(sql`light."batteryFittedOn"`)} as "batteryAge" from (
      select device.id, box.name as luminaire, box.lamp_type as "lampType", box.inverter_type as "inverterType",
        box.battery_type as "batteryType", box.battery_voltage as "batteryVoltage", box.battery_capacity as "batteryCapacity",
        ${batteryPutIn(tx, 'box')} as "batteryFittedOn"
      from device left join emergency_equipment as box on box.tenant_id = ${tx.tenant} and box.device_id = device.id
      where device.tenant_id = ${tx.tenant} and device.id = any(${ids}::uuid[])
    ) as light`.execute(tx)
  return new Map(rows.map(({ id, ...equipment }) => [id, equipment]))
}

async function rowsOf(tx: TenantTx, actor: Actor, ids: readonly string[]): Promise<Map<string, DeviceRow>> {
  const rows = await joined(tx)
    .where(sql<boolean>`device.id = any(${ids}::uuid[])`)
    .select([
      'device.id',
      'device.product',
      'device.status',
      'device.serial',
      'device.name',
      'device.connection_status',
      'device.in_wholesale',
      'device.building_id',
      'device.building_name',
      'device.floor_name',
      'device.address',
      'device.latitude',
      'device.longitude',
      'device.postcode',
      'device.room',
      'device.location',
      'device.location_details',
      'device.property_id',
      'device.property_reference',
      'device.monitoring',
      'device.reported',
      'device.parent_id',
      'device.access_rights_tag_id',
      'device.last_test_at',
      'device.last_full_test_at',
      'device.status_at',
      'device.connection_at',
      'device.gas_due_at',
      'device.gas_state',
      'device.water_due_at',
      'device.water_state',
      gatewaySerial(actor).as('gateway_serial'),
      sql<string | null>`(select test_group.name ${groupsOf(tx.tenant, actor)} and member.device_id = device.id)`.as(
        'test_group',
      ),
    ])
    .modifyEnd(prepared)
    .execute()
  const equipment = await equipmentOf(
    tx,
    rows.filter((row) => areLights.has(row.product)).map((row) => row.id),
  )
  const running = await runningTests(
    tx,
    rows.filter((row) => areLights.has(row.product)).map((row) => row.id),
  )
  const reasons = await reasonsOf(
    tx,
    rows.filter((row) => row.status !== 'Ok').map((row) => row.id),
  )
  const hidden = hidesPersonalData(actor)
  return new Map(
    rows.map((row): [string, DeviceRow] => [
      row.id,
      {
        deviceId: row.id,
        deviceProductId: row.product,
        deviceStatus: row.status,
        deviceSerial: row.serial,
        deviceDisplayName: row.name,
        deviceConnectionState: row.connection_status,
        deviceInWholesale: row.in_wholesale,
        deviceIsOfConnection: row.is_of_connection,
        deviceBuildingId: row.building_id,
        deviceBuildingName: row.building_name,
        deviceBuildingFloor: row.floor_name,
        deviceBuildingAddress: hidden ? null : row.address,
        deviceGeoLatitude: row.latitude,
        deviceGeoLongitude: row.longitude,
        devicePostcode: hidden ? null : row.postcode,
        deviceRoom: row.room,
        deviceLocation: row.location,
        deviceLocationDetails: row.location_details,
        devicePropertyId: row.property_id,
        devicePropertyReference: row.property_reference,
        deviceMonitoring: monitoringIn(row.monitoring),
        deviceFirmware: typeof row.reported['firmware'] === 'string' ? row.reported['firmware'] : null,
        deviceFault: faultIn(row.reported),
        deviceRemoteResetSupported: supportsRemoteReset(row.reported),
        deviceParentId: row.parent_id,
        deviceParentProductId: row.parent_product,
        deviceGateway: row.gateway_serial,
        deviceTestGroup: row.test_group,
        deviceEquipment: equipment.get(row.id) ?? null,
        deviceIsThermostatWithHomeHub: row.with_hub && isThermostat(row.reported),
        deviceTags: row.tags,
        deviceAccessRightsTag: row.access_rights_tag_id
          ? { id: row.access_rights_tag_id, displayName: row.access_rights_name ?? '' }
          : null,
        deviceLastTest: row.last_test_at?.toISOString() ?? null,
        deviceLastFullTest: row.last_full_test_at?.toISOString() ?? null,
        deviceRunningTest: running.get(row.id) ?? null,
        deviceStatusSince: row.status_at.toISOString(),
        deviceStatusReason: reasons.get(row.id) ?? null,
        deviceConnectionSince: row.connection_at?.toISOString() ?? null,
        deviceGasSafety: complianceOf('GasSafety', row),
        deviceWaterTreatment: complianceOf('WaterTreatment', row),
        deviceLastHeard: row.heard_at?.toISOString() ?? null,
        userHasReadOnlyAccess: isReadOnly(actor, row),
        userCanUpdateAccessRightsTag: userCanUpdateAccessRightsTag(actor, row),
      },
    ]),
  )
}
