import { sql } from 'kysely'
import type { PropertyRow } from '@caretaker/contract/properties.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { complianceRank, nearTo, stateWords } from '@caretaker/rules/compliance/due.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { severityOf, statusText } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasFeature, hidesPersonalData, isLimited } from '@caretaker/rules/identity/actor.ts'
import { missedText } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { nearTo as stepNear } from '@caretaker/rules/properties/awaabs-law.ts'
import type { DampLevel } from '@caretaker/rules/properties/damp.ts'
import { dampLevelWords, dampLevels } from '@caretaker/rules/properties/damp.ts'
import { energyRatingWords, voidWords } from '@caretaker/rules/properties/dwelling.ts'
import { heatingStateWords } from '@caretaker/rules/properties/heating.ts'
import { propertyFields, propertyLists } from '@caretaker/rules/properties/list.ts'
import { accessRightsTagOf, namesIn } from '../../lists/linked.ts'
import type { Rows, SearchedLink, Stored } from '../../lists/source.ts'
import { listSource } from '../../lists/source.ts'
import { hasWord, searchForm } from '../../lists/words.ts'
import type { Database } from '../../postgres/database.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { dueRulesOf } from '../compliance/figures.ts'
import { reasonsOf } from '../conditions/store.ts'
import { awaabsLawFiguresOf } from './awaabs-law.ts'
import { openDeadlinesOf } from './law-cases.ts'
import { devicesOfHomes, productsReadBy } from './store.ts'
import { onlyVisible, visibleProperties } from '../devices/visible.ts'
import { hasTag, retaggedHomes, seenBy } from './tags.ts'

/** A text, also stored in lower case, with indexes in natural sort order. */
const text = (name: string) =>
  ({ value: `property.${name}_folded collate natural_order`, shown: `property.${name}` }) satisfies Stored

const tags: SearchedLink = {
  meets: (_op, names, tenant, actor) => hasTag(sql`lower(tag.name) = any(${names}::text[])`, tenant, actor),
  have: (word, tenant, actor) => hasTag(hasWord([searchForm(sql`tag.name`)], word), tenant, actor),
  names: (tx, typed) => namesIn(tx, 'tag', 'name', typed),
}

const instant = (at: string | null) => (at === null ? null : new Date(at))
/** A due date, represented by the instant at which its day begins. */
const day = (at: string | null) => (at === null ? null : { dayOf: new Date(at) })

/** The state of the checks of a type, the worst first. */
const ofChecks = (name: 'gas' | 'water') =>
  ({
    value: `property.${name}_check_state`,
    order: `property.${name}_rank`,
    falls: true,
    implies: (states) =>
      sql`${sql.ref(`property.${name}_rank`)} = any(${states.map((state) => complianceRank(state as ComplianceState))}::int2[])`,
  }) satisfies Stored

/** The source of the list of properties. */
export const propertyList = listSource<'property', typeof propertyFields, 'Properties', PropertyRow>({
  fields: propertyFields,
  lists: propertyLists,
  table: 'property',
  columns: {
    propertyReference: text('reference'),
    postcode: text('postcode'),
    address: text('address'),
    voidStatus: { value: 'property.void_flag' },
    epcRating: { value: 'property.epc_rating', nullable: true },
    awaabsLawStatus: { value: 'property.awaabs_law_status' },
    awaabsLawDue: { value: 'property.awaabs_law_due_at', nullable: true },
    // The indexes of both start with the sorted column: few properties have a bad level or status.
    damp: {
      value: 'property.damp_level',
      order: 'property.damp_rank',
      falls: true,
      implies: (levels) =>
        sql`property.damp_rank = any(${levels.map((level) => dampLevels.indexOf(level as DampLevel))}::int2[])`,
    },
    status: {
      value: 'property.device_status',
      order: 'property.device_severity',
      falls: true,
      implies: (statuses) => sql`property.device_severity = any(${[...new Set(statuses.map(severityOf))]}::int2[])`,
    },
    gasSafetyDue: { value: 'property.gas_check_due_at', nullable: true },
    gasSafety: ofChecks('gas'),
    waterTreatmentDue: { value: 'property.water_check_due_at', nullable: true },
    waterTreatment: ofChecks('water'),
    heating: { value: 'property.heating_state' },
    tags,
    accessRightsTag: accessRightsTagOf('property'),
  },
  cells: {
    propertyReference: (row) => row.propertyReference,
    postcode: (row) => row.postcode,
    address: (row) => row.address,
    voidStatus: (row) => voidWords[row.voidStatus],
    epcRating: (row) => energyRatingWords(row.epcRating),
    awaabsLawStatus: (row) => row.awaabsLawStatus,
    // An emergency is due at an hour, everything else on a day.
    awaabsLawDue: (row) => (row.awaabsLawDue === row.awaabsLawLate ? instant : day)(row.awaabsLawDue),
    awaabsLawMissed: (row) => row.awaabsLawMissed,
    damp: (row) => dampLevelWords[row.damp],
    dampSince: (row) => instant(row.dampSince),
    dampReason: (row) => row.dampReason,
    status: (row) => row.deviceStatus && statusText(row.deviceStatus),
    statusReason: (row) => row.deviceStatusReason,
    gasSafetyDue: (row) => day(row.gasSafetyDue),
    gasSafety: (row) => row.gasSafety && stateWords[row.gasSafety],
    gasSafetyCertificate: (row) => row.gasSafetyCertificate,
    waterTreatmentDue: (row) => day(row.waterTreatmentDue),
    waterTreatment: (row) => row.waterTreatment && stateWords[row.waterTreatment],
    heating: (row) => row.heating && heatingStateWords[row.heating],
    tags: (row) => row.deviceTags.map(({ name }) => name).join(', '),
    accessRightsTag: (row) => row.accessRightsTag?.displayName ?? null,
    devices: (row) => row.deviceCount,
    propertyId: (row) => row.propertyId,
  },
  searched: { all: ['property.search_form'], open: ['property.search_form_reference'] },
  searchedNames: tags,
  key: 'property.id',
  sorts: [{ fieldId: 'propertyReference', descending: false }],
  visible: (tx, actor) => (seesAllDevices(actor) ? visibleProperties(tx, actor) : homesAsSeen(tx, actor)),
  counted: (tx, actor) => visibleProperties(tx, actor),
  rows: rowsOf,
})

const seesAllDevices = (actor: Actor) => !isLimited(actor) && productsReadBy(actor).length === productCodes.length

/**
 * The properties with the status of only the devices that the actor sees: the stored status covers all devices, and
 * sorting or filtering by it would disclose the hidden ones. The database drops the join if no sort or filter needs
 * it. A property whose statuses are not stored yet, or whose visible devices changed since, is computed from its
 * devices.
 */
function homesAsSeen(tx: TenantTx, actor: Actor): Rows<'property'> {
  const worst = (column: 'status' | 'severity') => sql`case
    when home.status_set is null and home.device_status is not null or home.id in (${retaggedHomes(tx.tenant)})
    then (
      select ${sql.ref(`device.${column}`)} from device
      where device.tenant_id = ${tx.tenant} and device.property_id = home.id and ${seenBy(actor, 'device')}
      order by device.severity desc, device.status_at, device.id limit 1)
    else ${sql.ref(`worst.${column}`)} end`
  const homes = sql<Database['property']>`(
    select home.tenant_id, home.id, archived_at, home.access_rights_tag_id, reference, reference_folded, postcode, postcode_folded,
      address, address_folded, search_form, search_form_reference, void_flag, epc_rating, awaabs_law_status, awaabs_law_due_at, awaabs_law_late_at,
      gas_check_due_at, gas_check_state, gas_rank, water_check_due_at, water_check_state, water_rank, heating_state,
      heating_since, gas_failed_on, damp_level, damp_rank, damp_since, tag_set, ${worst('status')} as device_status,
      coalesce(${worst('severity')}, 0) as device_severity
    from property as home left join (
      select distinct on (id) id, status, severity from status_set
      where status_set.tenant_id = ${tx.tenant} and ${seenBy(actor, 'status_set')}
      order by id, place
    ) as worst on worst.id = home.status_set
    where home.tenant_id = ${tx.tenant})`
  return onlyVisible(tx.selectFrom(homes.as('property')) as unknown as Rows<'property'>, actor)
}

async function rowsOf(tx: TenantTx, actor: Actor, ids: readonly string[]): Promise<Map<string, PropertyRow>> {
  const rows = await tx
    .selectFrom('property')
    .leftJoin('access_rights_tag', (join) =>
      join
        .on('access_rights_tag.tenant_id', '=', tx.tenant)
        .onRef('access_rights_tag.id', '=', 'property.access_rights_tag_id'),
    )
    .where('property.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`property.id = any(${ids}::uuid[])`)
    .selectAll('property')
    .select('access_rights_tag.display_name as access_rights_name')
    .select(sql<string | null>`to_char(gas_failed_on, 'YYYY-MM-DD')`.as('gas_failed_day'))
    .execute()
  const devices = await devicesOfHomes(tx, actor, ids)
    .select(['device.id', 'device.property_id', 'device.status', 'device.severity'])
    .orderBy('device.severity', 'desc')
    .orderBy('device.status_at')
    .execute()
  const ofHome = Map.groupBy(devices, (device) => device.property_id)
  const worst = new Map([...ofHome].map(([home, some]) => [home, some[0]!]))
  const reasons = await reasonsOf(
    tx,
    [...worst.values()].filter(({ status }) => status !== 'Ok').map(({ id }) => id),
  )
  const { rows: tagged } = await sql<{ property_id: string; id: string; name: string }>`
    select distinct device.property_id, tag.id, tag.name collate natural_order as name from device
    join device_tag on device_tag.tenant_id = ${tx.tenant} and device_tag.device_id = device.id
    join tag on tag.tenant_id = ${tx.tenant} and tag.id = device_tag.tag_id
    where device.tenant_id = ${tx.tenant} and device.id = any(${devices.map(({ id }) => id)}::uuid[])
    order by name`.execute(tx)
  const tagsOf = Map.groupBy(tagged, (tag) => tag.property_id)
  const dampReasons = await dampReasonsOf(tx, devices)
  const hidden = hidesPersonalData(actor)
  const { zone, figures } = await dueRulesOf(tx)
  const hasLaw = hasFeature(actor, 'AwaabsLaw')
  const law = await awaabsLawFiguresOf(tx)
  const deadlines = hasLaw ? await openDeadlinesOf(tx, ids) : new Map<string, never[]>()
  const now = Date.now()
  const near = (at: Date | null, from: (due: Day) => Day) =>
    at && new Date(startOfDay(from(dayAt(+at, zone)), zone)).toISOString()
  return new Map(
    rows.map((row): [string, PropertyRow] => [
      row.id,
      {
        propertyId: row.id,
        propertyReference: row.reference,
        postcode: hidden ? null : row.postcode,
        address: hidden ? null : row.address,
        voidStatus: row.void_flag,
        epcRating: row.epc_rating,
        awaabsLawStatus: hasLaw ? row.awaabs_law_status : 'None',
        awaabsLawSince: (hasLaw && row.awaabs_law_since?.toISOString()) || null,
        awaabsLawDue: (hasLaw && row.awaabs_law_due_at?.toISOString()) || null,
        awaabsLawLate: (hasLaw && row.awaabs_law_late_at?.toISOString()) || null,
        awaabsLawMissed: missedText(deadlines.get(row.id) ?? [], now, zone),
        awaabsLawNear: hasLaw ? near(row.awaabs_law_due_at, (due) => stepNear(due, law)) : null,
        damp: row.damp_level,
        dampSince: row.damp_since?.toISOString() ?? null,
        dampReason:
          dampReasons.get(row.id)?.get(row.damp_level) ?? (row.damp_level === 'not assessed' ? noSensor : null),
        gasSafetyDue: row.gas_check_due_at?.toISOString() ?? null,
        gasSafetyNear: near(row.gas_check_due_at, (due) => nearTo(due, figures.GasSafety)),
        gasSafetyFailed: row.gas_failed_day,
        gasSafety: row.gas_check_state,
        gasSafetyCertificate: row.gas_certificate,
        waterTreatmentDue: row.water_check_due_at?.toISOString() ?? null,
        waterTreatment: row.water_check_state,
        heating: row.heating_state,
        heatingSince: row.heating_since?.toISOString() ?? null,
        deviceStatus: worst.get(row.id)?.status ?? null,
        deviceStatusReason: reasons.get(worst.get(row.id)?.id ?? '') ?? null,
        deviceCount: ofHome.get(row.id)?.length ?? 0,
        deviceTags: (tagsOf.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
        accessRightsTag: row.access_rights_tag_id
          ? { id: row.access_rights_tag_id, displayName: row.access_rights_name ?? '' }
          : null,
      },
    ]),
  )
}

const noSensor = 'No sensor that you can see measures temperature and humidity in this property.'

/**
 * Why rooms of properties are at their level of damp, by property and level, from the sensors that the actor sees.
 */
async function dampReasonsOf(tx: TenantTx, devices: readonly { id: string; property_id: string | null }[]) {
  const rooms = await tx
    .selectFrom('damp_room')
    .select(['device_id', 'level', 'reason'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${devices.map(({ id }) => id)}::uuid[])`)
    .orderBy('since')
    .execute()
  const homeOf = new Map(devices.map(({ id, property_id: home }) => [id, home]))
  const ofHomes = Map.groupBy(rooms, (room) => homeOf.get(room.device_id) ?? '')
  // The oldest room of a level is written last and wins.
  return new Map(
    [...ofHomes].map(([home, some]) => [home, new Map(some.toReversed().map((one) => [one.level, one.reason]))]),
  )
}
