import { sql } from 'kysely'
import { buildingKey } from '@caretaker/rules/buildings/building.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import type { FieldId, Kind } from '@caretaker/rules/imports/fields.ts'
import { exactFloorKey, floorKey, homeAddressKey, isMisread, referenceKey } from '@caretaker/rules/imports/keys.ts'
import type { Existing, Known, KnownBuilding, PlanBase } from '@caretaker/rules/imports/plan.ts'
import { outwardCodes } from '../../postcodes/postcodes.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { zoneOf } from '../../lists/read.ts'

/** The columns that store the fields of each kind, with their types. */
export const columnsOf = {
  property: {
    propertyReference: ['reference', 'text'],
    address1: ['address1', 'text'],
    address2: ['address2', 'text'],
    address3: ['address3', 'text'],
    town: ['town', 'text'],
    county: ['county', 'text'],
    postcode: ['postcode', 'text'],
    epcRating: ['epc_rating', 'text'],
    propertyArchitype: ['architype', 'text'],
    numberOfFloor: ['number_of_floors', 'smallint'],
    apartmentLevel: ['apartment_level', 'smallint'],
    numberOfRooms: ['number_of_rooms', 'smallint'],
    numberOfInhabitants: ['number_of_inhabitants', 'smallint'],
    propertyOrientation: ['orientation', 'text'],
    voidStatus: ['void_flag', 'text'],
    awaabsLawStatus: ['awaabs_law_status', 'text'],
    lastGasSafetyCheckDate: ['last_gas_safety_check_on', 'date'],
    lastChemicalTestDate: ['last_chemical_test_on', 'date'],
  },
  building: {
    buildingName: ['name', 'text'],
    buildingPostcode: ['postcode', 'text'],
    latitude: ['latitude', 'double precision'],
    longitude: ['longitude', 'double precision'],
  },
  floor: {
    floorName: ['name', 'text'],
    width: ['width', 'double precision'],
    height: ['height', 'double precision'],
    rotation: ['rotation', 'double precision'],
  },
  device: {
    serialNumber: ['serial', 'text'],
    deviceName: ['name', 'text'],
    room: ['room', 'text'],
    location: ['location', 'text'],
    locationDetails: ['location_details', 'text'],
  },
} as const satisfies Record<Kind, Partial<Record<FieldId, readonly [column: string, type: string]>>>

/** Fields that devices usually report themselves. */
export const reportedFields = ['eui64', 'boilerManufacturer', 'boilerModel', 'boilerGc'] as const

/** What a plan is based on, apart from the rows of the file. */
export async function planBase(
  tx: TenantTx,
  now: Date,
): Promise<
  Pick<PlanBase, 'today' | 'zone' | 'features' | 'buildings' | 'outwardCentres' | 'lookalikes' | 'accessRightsTags'>
> {
  const tags = await tx
    .selectFrom('access_rights_tag')
    .select('display_name')
    .where('tenant_id', '=', tx.tenant)
    .execute()
  const zone = await zoneOf(tx)
  return {
    today: dayAt(+now, zone),
    zone,
    features: await featuresOf(tx),
    buildings: await knownBuildings(tx),
    outwardCentres: await outwardCodes(),
    lookalikes: [...(await referencesOf(tx)).values()].map(({ reference }) => reference).filter(isMisread),
    accessRightsTags: new Map(tags.map(({ display_name: name }) => [name.toLowerCase(), name])),
  }
}

/** The features that are enabled for the client. */
export async function featuresOf(tx: TenantTx): Promise<Set<Feature>> {
  const rows = await tx.selectFrom('tenant_feature').select('feature').where('tenant_id', '=', tx.tenant).execute()
  return new Set(rows.map(({ feature }) => feature))
}

interface NamedHome {
  id: string
  reference: string
  isArchived: boolean
}

/** All properties by their normalised references. The result grows with the number of properties, whatever the file. */
export async function referencesOf(tx: TenantTx): Promise<Map<string, NamedHome>> {
  const rows = await tx
    .selectFrom('property')
    .select(['id', 'reference', sql<boolean>`archived_at is not null`.as('isArchived')])
    .where('tenant_id', '=', tx.tenant)
    .where('reference', '<>', '')
    .execute()
  return new Map(rows.map((row) => [referenceKey(row.reference), row]))
}

/** The references of properties that are not archived, by address. */
export async function addressesOf(tx: TenantTx): Promise<Map<string, string[]>> {
  const rows = await tx
    .selectFrom('property')
    .select(['reference', 'address1', 'address2', 'address3', 'postcode'])
    .where('tenant_id', '=', tx.tenant)
    .where('reference', '<>', '')
    .where('archived_at', 'is', null)
    .orderBy('reference')
    .execute()
  const found = new Map<string, string[]>()
  for (const { reference, address1, address2, address3, postcode } of rows) {
    const key = homeAddressKey([address1, address2, address3], postcode)
    if (key === '') continue
    const same = found.get(key)
    if (same) same.push(reference)
    else found.set(key, [reference])
  }
  return found
}

async function knownBuildings(tx: TenantTx): Promise<Map<string, KnownBuilding>> {
  const buildings = await tx
    .selectFrom('building')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy('name')
    .execute()
  const floors = await tx
    .selectFrom('floor')
    .select(['id', 'building_id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy('number')
    .execute()
  const values = await knownById(
    tx,
    'building',
    buildings.map(({ id }) => id),
  )
  const floorValues = await knownById(
    tx,
    'floor',
    floors.map(({ id }) => id),
  )
  const of = Map.groupBy(floors, (floor) => floor.building_id)
  return new Map(
    buildings.map(({ id, name }) => {
      const alike = Map.groupBy(of.get(id) ?? [], (floor) => floorKey(floor.name))
      const own = (of.get(id) ?? []).map((floor): [string, Known] => [
        alike.get(floorKey(floor.name))!.length > 1 ? exactFloorKey(floor.name) : floorKey(floor.name),
        { id: floor.id, name: floor.name, values: floorValues.get(floor.id)! },
      ])
      return [buildingKey(name), { id, name, values: values.get(id)!, floors: new Map(own) }]
    }),
  )
}

interface LookedUp {
  references: ReadonlyMap<string, NamedHome>
  /** See `addressesOf`. */
  addresses: ReadonlyMap<string, readonly string[]>
  /** The serial numbers that belong to other clients. */
  barred: ReadonlySet<string>
}

/** What the given rows refer to, looked up by key. */
export function lookUpIn(tx: TenantTx, { references, addresses, barred }: LookedUp) {
  return async (keys: {
    properties: string[]
    serials: string[]
    eui64s: string[]
    addresses: string[]
  }): Promise<Existing> => {
    const atAddresses = keys.addresses.flatMap((key) => addresses.get(key) ?? []).map(referenceKey)
    const homes = [...new Set([...keys.properties, ...atAddresses])].flatMap((key) => references.get(key) ?? [])
    const values = await knownById(
      tx,
      'property',
      homes.map(({ id }) => id),
    )
    const furnished = await tx
      .selectFrom('device')
      .select('property_id')
      .distinct()
      .where('tenant_id', '=', tx.tenant)
      .where(sql<boolean>`property_id = any(${homes.map(({ id }) => id)}::uuid[])`)
      .execute()
    const withDevices = new Set(furnished.map(({ property_id: id }) => id))
    const devices = await tx
      .selectFrom('device')
      .select(['id', 'serial'])
      .where('tenant_id', '=', tx.tenant)
      .where('serial', 'in', [...keys.serials, ''])
      .execute()
    const deviceValues = await knownById(
      tx,
      'device',
      devices.map(({ id }) => id),
    )
    return {
      properties: new Map(
        homes.map(({ id, reference, isArchived }) => [
          referenceKey(reference),
          { id, name: reference, isArchived, hasDevices: withDevices.has(id), values: values.get(id) ?? {} },
        ]),
      ),
      devices: new Map(
        devices.map(({ id, serial }) => [serial, { id, name: serial, values: deviceValues.get(id) ?? {} }]),
      ),
      barred,
      addresses,
      eui64s: await holdersOf(tx, keys.eui64s),
    }
  }
}

/**
 * The serial numbers that belong to another client; their rows are rejected without a reason. Use it in a transaction
 * without writes: on a distributed database the role of this function cannot read after ours has written.
 */
export async function serialsHeldElsewhere(tx: TenantTx, serials: readonly string[]): Promise<string[]> {
  if (serials.length === 0) return []
  const { rows } = await sql<{ serial: string }>`
    select serial from serials_taken_elsewhere(${serials}::text[]) as taken (serial)`.execute(tx)
  return rows.map(({ serial }) => serial)
}

async function holdersOf(tx: TenantTx, eui64s: readonly string[]): Promise<Map<string, string>> {
  if (eui64s.length === 0) return new Map()
  const { rows } = await sql<{ eui64: string; serial: string }>`
    select lower(reported ->> 'eui64') as eui64, serial from device
    where tenant_id = ${tx.tenant} and lower(reported ->> 'eui64') = any(${eui64s}::text[])`.execute(tx)
  return new Map(rows.map(({ eui64, serial }) => [eui64, serial]))
}

/** The stored values of records, by the fields of an import. */
export async function knownById(
  tx: TenantTx,
  kind: Kind,
  ids: readonly string[],
): Promise<Map<string, Known['values']>> {
  if (ids.length === 0) return new Map()
  const own = Object.entries(columnsOf[kind]).map(
    ([field, [column, type]]) =>
      sql`${sql.lit(field)}, ${type === 'date' ? sql`to_char(${sql.ref(`${kind}.${column}`)}, 'YYYY-MM-DD')` : sql.ref(`${kind}.${column}`)}`,
  )
  const place = (table: 'property' | 'device') => sql`
      , 'buildingName', (select building.name from building where building.tenant_id = ${tx.tenant} and building.id = ${sql.ref(`${table}.building_id`)}),
      'floorName', (select floor.name from floor where floor.tenant_id = ${tx.tenant} and floor.id = ${sql.ref(`${table}.floor_id`)}),
      'accessRightsTag', (select display_name from access_rights_tag where access_rights_tag.tenant_id = ${tx.tenant} and access_rights_tag.id = ${sql.ref(`${table}.access_rights_tag_id`)})`
  const joined = {
    property: place('property'),
    building: sql`, 'defaultFloor', (select floor.name from floor where floor.tenant_id = ${tx.tenant} and floor.id = building.default_floor_id)`,
    floor: sql`, 'buildingName', (select building.name from building where building.tenant_id = ${tx.tenant} and building.id = floor.building_id)`,
    device: sql`, 'propertyReference', (select property.reference from property where property.tenant_id = ${tx.tenant} and property.id = device.property_id)${place('device')},
      'tags', (select coalesce(jsonb_agg(tag.name order by tag.name), '[]') from device_tag join tag on tag.tenant_id = ${tx.tenant} and tag.id = device_tag.tag_id
        where device_tag.tenant_id = ${tx.tenant} and device_tag.device_id = device.id),
      ${sql.join(reportedFields.map((field) => sql`${sql.lit(field)}, device.reported ->> ${sql.lit(field)}`))}`,
  }[kind]
  const { rows } = await sql<{ id: string; stored: Known['values'] }>`
    select id, jsonb_build_object(${sql.join(own)}${joined}) as stored from ${sql.table(kind)}
    where ${sql.ref(`${kind}.tenant_id`)} = ${tx.tenant} and id = any(${ids}::uuid[])`.execute(tx)
  return new Map(
    rows.map(({ id, stored }) => [id, kind === 'device' ? { ...stored, eui64: lower(stored.eui64) } : stored]),
  )
}

const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : null)
