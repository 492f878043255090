import { sql } from 'kysely'
import { z } from 'zod'
import type { Property, PropertyDevice } from '@caretaker/contract/properties.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { textIn } from '@caretaker/rules/boilers/details.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { nearTo } from '@caretaker/rules/compliance/due.ts'
import { faultIn, isThermostat, supportsRemoteReset } from '@caretaker/rules/devices/fault.ts'
import { monitoringIn } from '@caretaker/rules/devices/monitoring.ts'
import { areaOf, productCodes, products } from '@caretaker/rules/devices/products.ts'
import { isReadOnly, userCanUpdateAccessRightsTag } from '@caretaker/rules/devices/rights.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasFeature, hasLevel, hidesPersonalData, tagsAllow } from '@caretaker/rules/identity/actor.ts'
import { levels } from '@caretaker/rules/identity/roles.ts'
import { isBcm } from '@caretaker/rules/links/handover.ts'
import { monitoringOfHome, surveyLabels } from '@caretaker/rules/properties/details.ts'
import type { PropertySubject } from '@caretaker/rules/properties/rights.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { dueRulesOf } from '../compliance/figures.ts'
import { reasonsOf } from '../conditions/store.ts'
import { joined, visible } from '../devices/visible.ts'
import { casesOfHome, withoutLaw } from './law-cases.ts'

/** A day as its text, or null. */
const day = (
  column:
    | ('last_chemical_test_on' | 'last_gas_safety_check_on' | 'gas_check_after')
    | ('gas_failed_on' | 'gas_last_on' | 'water_last_on'),
) => sql<string | null>`to_char(${sql.ref(column)}, 'YYYY-MM-DD')`

const inFull = (tx: TenantTx) =>
  tx
    .selectFrom('property')
    .where('property.tenant_id', '=', tx.tenant)
    .leftJoin('access_rights_tag', (join) =>
      join
        .on('access_rights_tag.tenant_id', '=', tx.tenant)
        .onRef('access_rights_tag.id', '=', 'property.access_rights_tag_id'),
    )
    .leftJoin('building', (join) =>
      join.on('building.tenant_id', '=', tx.tenant).onRef('building.id', '=', 'property.building_id'),
    )
    .leftJoin('floor', (join) => join.on('floor.tenant_id', '=', tx.tenant).onRef('floor.id', '=', 'property.floor_id'))
    .selectAll('property')
    .select([
      'access_rights_tag.display_name as access_rights_name',
      'building.name as building_name',
      'floor.name as floor_name',
      day('last_chemical_test_on').as('chemical_on'),
      day('last_gas_safety_check_on').as('gas_on'),
      day('gas_check_after').as('gas_after'),
      day('gas_failed_on').as('gas_failed_day'),
      day('gas_last_on').as('gas_last_day'),
      day('water_last_on').as('water_last_day'),
    ])

/**
 * The property as the actor may see it, locked if wanted. Properties that do not exist, belong to another tenant or
 * are hidden from the actor are refused alike: not found.
 */
export async function findProperty(tx: TenantTx, actor: Actor, propertyId: string, { held = false } = {}) {
  if (held)
    await tx
      .selectFrom('property')
      .select('id')
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', propertyId)
      .forNoKeyUpdate()
      .execute()
  const row = await inFull(tx).where('property.id', '=', propertyId).executeTakeFirst()
  const subject: PropertySubject = { accessRightsTags: row?.access_rights_tag_id ? [row.access_rights_tag_id] : [] }
  if (!row || !tagsAllow(actor, subject)) throw refuse('not found')
  return { ...row, subject }
}

/** The devices of properties that the actor may see. */
export const devicesOfHomes = (tx: TenantTx, actor: Actor, propertyIds: readonly string[]) =>
  visible(tx.selectFrom('device'), actor)
    .where(sql<boolean>`device.property_id = any(${propertyIds}::uuid[])`)
    .where(sql<boolean>`device.product = any(${productsReadBy(actor)}::text[])`)

/** The products in the areas that the actor may read. */
export const productsReadBy = (actor: Actor) =>
  productCodes.filter((code) => hasLevel(actor, areaOf(code), levels.read))

const Settings = z.object({
  surveys: z.partialRecord(z.enum(surveyLabels), z.url({ protocol: /^https?$/ })).optional(),
})

/** The addresses of the tenant's surveys, from its settings. */
async function surveysOf(tx: TenantTx): Promise<Property['surveys']> {
  const { settings } = await tx
    .selectFrom('tenant')
    .select('settings')
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  const known = Settings.safeParse(settings).data?.surveys ?? {}
  return Object.fromEntries(surveyLabels.map((label) => [label, known[label] ?? null])) as Property['surveys']
}

/** Everything on the page of a property; refuses as `findProperty` does. */
export async function propertyInFull(tx: TenantTx, actor: Actor, propertyId: string): Promise<Property> {
  const row = await findProperty(tx, actor, propertyId)
  const hidden = hidesPersonalData(actor)
  const { zone, figures } = await dueRulesOf(tx)
  // The heating state is shown to everyone, including users who see none of the devices.
  const heating = await tx
    .selectFrom('device')
    .select('monitoring')
    .distinct()
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', propertyId)
    .execute()
  const devices = await devicesOfHomes(tx, actor, [propertyId])
    .select(['device.id', 'device.location', 'device.location_details'])
    .orderBy('device.location')
    .orderBy('device.location_details')
    .execute()
  const tags = await tx
    .selectFrom('device_tag')
    .innerJoin('tag', (join) => join.on('tag.tenant_id', '=', tx.tenant).onRef('tag.id', '=', 'device_tag.tag_id'))
    .where('device_tag.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_tag.device_id = any(${devices.map(({ id }) => id)}::uuid[])`)
    .select(['tag.id', 'tag.name'])
    .distinct()
    .orderBy('tag.name')
    .execute()
  const places = new Map(
    devices.flatMap(({ location: name, location_details: details }) =>
      name ? [[name, { id: name, name, details }]] : [],
    ),
  )
  const gasDue = row.gas_check_due_at && dayAt(+row.gas_check_due_at, zone)
  const chemicalDue = row.water_check_due_at && dayAt(+row.water_check_due_at, zone)
  return {
    propertyId: row.id,
    tenantId: tx.tenant,
    propertyReference: row.reference,
    postcode: hidden ? null : row.postcode,
    address1: hidden ? null : row.address1,
    address2: hidden ? null : row.address2,
    address3: hidden ? null : row.address3,
    town: hidden ? null : row.town,
    county: hidden ? null : row.county,
    latitude: hidden ? null : row.latitude,
    longitude: hidden ? null : row.longitude,
    building: row.building_id
      ? { id: row.building_id, name: row.building_name ?? '', floorId: row.floor_id, floorName: row.floor_name }
      : null,
    epcRating: row.epc_rating,
    voidStatus: row.void_flag,
    voidSince: row.void_since?.toISOString() ?? null,
    lastChemicalTestDate: row.water_last_day ?? row.chemical_on,
    lastGasSafetyCheckDate: row.gas_last_day ?? row.gas_on,
    gasSafetyFailedDate: row.gas_failed_day,
    gasSafetyDueDate: gasDue,
    chemicalTestDueDate: chemicalDue,
    gasSafetyNearDate: gasDue && nearTo(gasDue, figures.GasSafety),
    chemicalTestNearDate: chemicalDue && nearTo(chemicalDue, figures.WaterTreatment),
    ...(hasFeature(actor, 'AwaabsLaw')
      ? {
          awaabsLawStatus: row.awaabs_law_status,
          ...(await casesOfHome(tx, row.id)),
        }
      : withoutLaw),
    propertyArchitype: row.architype,
    numberOfInhabitant: row.number_of_inhabitants,
    numberOfRoom: row.number_of_rooms,
    propertyOrientation: row.orientation,
    numberOfFloor: row.number_of_floors,
    apartmentLevel: row.apartment_level,
    locations: [...places.values()],
    monitoring: monitoringOfHome(heating.map(({ monitoring }) => monitoring)),
    deviceTags: tags,
    deviceCount: devices.length,
    accessRightsTag: row.access_rights_tag_id
      ? { id: row.access_rights_tag_id, displayName: row.access_rights_name ?? '' }
      : null,
    surveys: await surveysOf(tx),
    archivedAt: row.archived_at?.toISOString() ?? null,
    version: row.version,
  }
}

/** The devices of a property that the actor may see, by serial number; refuses as `findProperty` does. */
export async function devicesOfProperty(tx: TenantTx, actor: Actor, propertyId: string): Promise<PropertyDevice[]> {
  await findProperty(tx, actor, propertyId)
  const ids = (await devicesOfHomes(tx, actor, [propertyId]).select('device.id').execute()).map(({ id }) => id)
  const rows = await joined(tx)
    .where(sql<boolean>`device.id = any(${ids}::uuid[])`)
    .selectAll('device')
    .orderBy('device.serial')
    .execute()
  const reasons = await reasonsOf(tx, ids)
  return rows.map((row): PropertyDevice => {
    const accessRightsTags = row.access_rights_tag_id ? [row.access_rights_tag_id] : []
    const subject = { product: row.product, status: row.status, inWholesale: row.in_wholesale, accessRightsTags }
    const parent = row.parent_product
    const powerClamps = row.power_clamps as Record<string, string> | null
    const isThermostatWithHomeHub = row.with_hub && isThermostat(row.reported)
    return {
      deviceId: row.id,
      name: row.name,
      serialNumber: row.serial,
      eui64: textIn(row.reported, 'eui64'),
      status: row.status,
      deviceStatus: row.status,
      statusReason: reasons.get(row.id) ?? null,
      connectionStatus: row.connection_status,
      lastHeard: row.heard_at?.toISOString() ?? null,
      product: row.product,
      deviceType: products[row.product].name,
      model: row.model,
      monitoring: monitoringIn(row.monitoring),
      firmwareVersion: textIn(row.reported, 'firmware'),
      propertyLocationId: row.location,
      location: row.location,
      locationDetails: row.location_details,
      accessRightsTagId: row.access_rights_tag_id,
      accessRightsTag: row.access_rights_tag_id
        ? { id: row.access_rights_tag_id, displayName: row.access_rights_name ?? '' }
        : null,
      bcmId: parent && isBcm(parent) ? row.parent_id : null,
      gatewayId: parent && ['MG', 'ZG', 'ZH'].includes(parent) ? row.parent_id : null,
      parentId: row.parent_id,
      parentProductId: parent,
      canUninstall: can(actor, 'uninstall', subject),
      isThermostatWithHomeHub,
      powerClamps,
      clamps: Object.entries(powerClamps ?? {}).map(([circuit, location]) => ({ circuit, location })),
      tags: row.tags,
      fault: faultIn(row.reported),
      remoteResetSupported: supportsRemoteReset(row.reported),
      inWholesale: row.in_wholesale,
      isOfConnection: row.is_of_connection,
      userHasReadOnlyAccess: isReadOnly(actor, subject),
      userCanUpdateAccessRightsTag: userCanUpdateAccessRightsTag(actor, subject),
    }
  })
}
