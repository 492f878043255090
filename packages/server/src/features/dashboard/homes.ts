import { sql } from 'kysely'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasFeature, hidesPersonalData, isLimited } from '@caretaker/rules/identity/actor.ts'
import type { LicenceBatch } from '@caretaker/rules/properties/licences.ts'
import { isOver, licenceEnd, managedServices } from '@caretaker/rules/properties/licences.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { zoneOf } from '../../lists/read.ts'
import { visibleProperties } from '../devices/visible.ts'
import { devicesOfHomes } from '../properties/store.ts'
import type { Paging } from './lists.ts'

/** A page of the properties that the actor may see: for a limited user, those with one of the user's tags. */
export async function listProperties(tx: TenantTx, actor: Actor, { page, pageSize }: Paging) {
  const seen = visibleProperties(tx, actor)
  const { total } = await seen.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await seen
    .select([
      ...(['id', 'reference', 'address1', 'address2', 'address3', 'town', 'county', 'postcode'] as const),
      ...(['latitude', 'longitude', 'epc_rating', 'void_flag', 'awaabs_law_status', 'architype'] as const),
      ...(['number_of_inhabitants', 'number_of_rooms', 'orientation', 'number_of_floors', 'apartment_level'] as const),
      sql<string | null>`coalesce(water_last_on, last_chemical_test_on)::text`.as('chemical_on'),
      sql<string | null>`coalesce(gas_last_on, last_gas_safety_check_on)::text`.as('gas_on'),
    ])
    .orderBy('reference')
    .orderBy('id')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()
  const places = await devicesOfHomes(
    tx,
    actor,
    rows.map(({ id }) => id),
  )
    .where('device.location', 'is not', null)
    .select(['device.property_id', 'device.location', 'device.location_details'])
    .orderBy('device.location')
    .orderBy('device.location_details')
    .execute()
  const hidden = hidesPersonalData(actor)
  const seesLaw = hasFeature(actor, 'AwaabsLaw')
  const results = rows.map((row) => {
    const { address1, address2, address3, town, county, postcode, latitude, longitude } = row
    const lines = { address1, address2, address3, town, county, postcode }
    // If several devices name a place, the last details count, as on the page of the property.
    const locations = new Map(
      places
        .filter((place) => place.property_id === row.id && place.location)
        .map(({ location, location_details: details }) => [location!, { id: location!, name: location!, details }]),
    )
    return {
      id: row.id,
      reference: row.reference,
      address: hidden ? null : Object.values(lines).filter(Boolean).join(', ') || null,
      propertyId: row.id,
      tenantId: tx.tenant,
      propertyReference: row.reference,
      ...(hidden ? nothingPersonal : { ...lines, latitude, longitude }),
      epcRating: row.epc_rating,
      voidStatus: row.void_flag,
      lastChemicalTestDate: row.chemical_on,
      lastGasSafetyCheckDate: row.gas_on,
      awaabsLawStatus: seesLaw ? row.awaabs_law_status : ('None' as const),
      propertyArchitype: row.architype,
      numberOfInhabitant: row.number_of_inhabitants,
      numberOfRoom: row.number_of_rooms,
      propertyOrientation: row.orientation,
      numberOfFloor: row.number_of_floors,
      apartmentLevel: row.apartment_level,
      locations: [...locations.values()],
    }
  })
  return { results, total, page, pageSize }
}

const nothingPersonal = {
  ...{ address1: null, address2: null, address3: null, town: null, county: null, postcode: null },
  ...{ latitude: null, longitude: null },
}

/** Licences of the managed service; a limited user gets only those of properties that they see. */
export async function licenceSummary(tx: TenantTx, actor: Actor) {
  const today = dayAt(Date.now(), await zoneOf(tx))
  const begins = sql<string>`to_char(coalesce(renewed_on, start_on), 'YYYY-MM-DD')`
  const rows = await tx
    .selectFrom('licence')
    .leftJoin('property', (join) =>
      join.on('property.tenant_id', '=', tx.tenant).onRef('property.id', '=', 'licence.property_id'),
    )
    .where('licence.tenant_id', '=', tx.tenant)
    .$if(isLimited(actor), (limited) => limited.where('property.access_rights_tag_id', 'in', [...actor.tags]))
    .select([
      'type',
      'period_months as period',
      begins.as('start'),
      (eb) => eb.fn.count<number>('licence.property_id').as('assigned'),
      (eb) => eb.fn.countAll<number>().as('total'),
    ])
    .groupBy(['type', 'period_months', begins])
    .orderBy('type')
    .orderBy(begins)
    .execute()
  const batches: (LicenceBatch & { type: string })[] = rows
  const licences = batches
    .filter((batch) => !isOver(batch, today))
    .map((batch) => ({ ...batch, end: licenceEnd(batch) }))
  return { ...managedServices(batches, today), licences }
}
