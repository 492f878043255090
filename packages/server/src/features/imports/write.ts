import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { buildingKey } from '@caretaker/rules/buildings/building.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import { splitSerialNumber } from '@caretaker/rules/devices/serial-number.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import type { FieldId, Kind, Value } from '@caretaker/rules/imports/fields.ts'
import type { ImportItemState } from '@caretaker/rules/imports/life.ts'
import { isEditedSince } from '@caretaker/rules/imports/life.ts'
import type { Item, Values } from '@caretaker/rules/imports/plan.ts'
import type { Recorded } from '../../audit/audit.ts'
import { gasCheckDueAt } from '../properties/gas-checks.ts'
import { auditAll } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { refreshPlaces } from '../../postgres/places.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reckoningOf } from '../compliance/figures.ts'
import { begun } from '../conditions/begun.ts'
import { happened } from '../conditions/store.ts'
import { settleVoid } from '../void/settle.ts'
import { columnsOf, knownById, reportedFields } from './known.ts'

/** An item as it is stored. */
export interface StoredItem {
  number: number
  kind: Kind
  key: string
  name: string
  action: 'create' | 'change'
  target_id: string | null
  values: Values
  old_values: Item['old']
}

/** What came of an item. */
export interface Written {
  number: number
  state: ImportItemState
  targetId?: string | null
  old?: Item['old']
  reason?: string
}

export interface Writer {
  tx: TenantTx
  /** An operator has no id. */
  person: Recorded
  now: Date
}

type Said = Partial<Record<FieldId, Value | null>>
type Row = Record<string, unknown>

/** Makes and changes what items of one kind say, and says what came of each. */
export async function bringIn(writer: Writer, kind: Kind, items: readonly StoredItem[]): Promise<Written[]> {
  const { tx } = writer
  const places = await placesOf(tx, items)
  const written: Written[] = []
  const ready = items.filter((item) => {
    const missing = missingPlace(item, places)
    if (missing) written.push({ number: item.number, state: 'refused', reason: missing })
    return !missing
  })
  const making = ready.filter(({ action }) => action === 'create')
  const changing = ready.filter(({ action }) => action === 'change')
  const before = await heldById(
    tx,
    kind,
    changing.flatMap(({ target_id: id }) => id ?? []),
  )
  const made = await make(writer, kind, making, places)
  const there = changing.filter(({ target_id: id }) => before.has(id!))
  const was = (item: StoredItem) => old(item, before.get(item.target_id!)!)
  await write(
    writer,
    kind,
    there.map((item) => ({ id: item.target_id!, said: item.values })),
    places,
  )
  await record(writer, kind, [
    ...making
      .filter(({ number }) => made.has(number))
      .map((item) => ({ id: made.get(item.number)!, item, before: null })),
    ...there.map((item) => ({ id: item.target_id!, item, before: was(item) })),
  ])
  await followVoid(writer, [
    ...making.map((item) => ({ id: made.get(item.number), said: item.values })),
    ...there.map((item) => ({ id: item.target_id, said: item.values })),
  ])
  return [
    ...written,
    ...making.map(({ number, name }): Written => {
      const id = made.get(number)
      return id
        ? { number, state: 'done', targetId: id }
        : { number, state: 'refused', reason: `Somebody has added ${name} meanwhile` }
    }),
    ...changing.map((item): Written =>
      before.has(item.target_id!)
        ? { number: item.number, state: 'done', old: was(item) }
        : { number: item.number, state: 'refused', reason: `${item.name} is no longer there` },
    ),
  ]
}

const old = ({ values }: StoredItem, before: Said): Item['old'] =>
  Object.fromEntries((Object.keys(values) as FieldId[]).map((id) => [id, before[id] ?? null]))

/** Takes away what items of one kind made and puts back what they changed; what somebody has edited since is kept. */
export async function takeBack(writer: Writer, kind: Kind, items: readonly StoredItem[]): Promise<Written[]> {
  const { tx } = writer
  const now = await heldById(
    tx,
    kind,
    items.map(({ target_id: id }) => id!),
  )
  const inUse = await usedIds(tx, kind, [...now.keys()])
  const written = items.map((item): Written => {
    const { number, name } = item
    const said = now.get(item.target_id!)
    if (!said) return { number, state: 'undone', reason: `${name} is no longer there` }
    if (isEditedSince(item, said)) return { number, state: 'kept', reason: 'Edited since' }
    if (item.action === 'create' && inUse.has(item.target_id!)) return { number, state: 'kept', reason: 'In use since' }
    return { number, state: 'undone' }
  })
  const undone = items.filter((item, at) => written[at]!.state === 'undone' && now.has(item.target_id!))
  const changing = undone.filter(({ action }) => action === 'change')
  const places = await placesOf(
    tx,
    changing.map((item) => ({ ...item, values: item.old_values as Values })),
  )
  await write(
    writer,
    kind,
    changing.map((item) => ({ id: item.target_id!, said: item.old_values })),
    places,
  )
  const making = undone.filter(({ action }) => action === 'create')
  await record(
    writer,
    kind,
    changing.map((item) => ({
      id: item.target_id!,
      item: { ...item, values: item.old_values as Values },
      before: item.values,
    })),
  )
  await followVoid(
    writer,
    changing.map((item) => ({ id: item.target_id, said: item.old_values })),
  )
  await remove(
    writer,
    kind,
    making.map(({ target_id: id }) => id!),
  )
  return written
}

/** Held until the transaction ends, so that nobody edits or deletes them meanwhile. */
async function heldById(tx: TenantTx, kind: Kind, ids: readonly string[]) {
  await sql`select id from ${sql.table(kind)} where tenant_id = ${tx.tenant} and id = any(${ids}::uuid[]) order by id for update`.execute(
    tx,
  )
  return knownById(tx, kind, ids)
}

/** Homes, buildings, floors and tags by their names. */
interface Places {
  homes: Map<string, string>
  buildings: Map<string, string>
  floors: Map<string, string>
  accessRightsTags: Map<string, string>
}

const floorIn = (building: unknown, floor: unknown) => `${String(building)}\n${String(floor)}`

async function placesOf(tx: TenantTx, items: readonly { values: Values }[]): Promise<Places> {
  const named = (id: FieldId) => [...new Set(items.flatMap(({ values }) => (values[id] ? [String(values[id])] : [])))]
  const homes = await tx
    .selectFrom('property')
    .select(['id', 'reference as name'])
    .where('tenant_id', '=', tx.tenant)
    .where('reference', 'in', [...named('propertyReference'), '-'])
    .where('archived_at', 'is', null)
    .forKeyShare()
    .execute()
  const buildings = await tx
    .selectFrom('building')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where('name', 'in', [...named('buildingName'), '-'])
    .forKeyShare()
    .execute()
  const names = new Map(buildings.map(({ id, name }) => [id, name]))
  const floors = buildings.length
    ? await tx
        .selectFrom('floor')
        .select(['id', 'name', 'building_id'])
        .where('tenant_id', '=', tx.tenant)
        .where('building_id', 'in', [...names.keys()])
        .forKeyShare()
        .execute()
    : []
  const tags = await tx
    .selectFrom('access_rights_tag')
    .select(['id', 'display_name as name'])
    .where('tenant_id', '=', tx.tenant)
    .where('display_name', 'in', [...named('accessRightsTag'), '-'])
    .execute()
  const byName = (rows: { id: string; name: string }[]) => new Map(rows.map(({ id, name }) => [name, id]))
  return {
    homes: byName(homes),
    buildings: byName(buildings),
    floors: new Map(floors.map(({ id, name, building_id: building }) => [floorIn(names.get(building), name), id])),
    accessRightsTags: byName(tags),
  }
}

/** Why something cannot be where it is to be: somebody has deleted that meanwhile. */
function missingPlace({ kind, values, action }: StoredItem, places: Places): string | undefined {
  const { propertyReference: home, buildingName: building, floorName: floor } = values
  if (kind === 'device' && home !== undefined && !places.homes.has(String(home)))
    return `There is no property ${String(home)} any more`
  if (
    (kind === 'device' || (kind === 'floor' && action === 'create')) &&
    building !== undefined &&
    !places.buildings.has(String(building))
  )
    return `There is no building ${String(building)} any more`
  if (
    kind === 'device' &&
    building !== undefined &&
    floor !== undefined &&
    !places.floors.has(floorIn(building, floor))
  )
    return `${String(building)} has no floor ${String(floor)} any more`
  return undefined
}

/** What fields come to in columns. */
async function rowOf({ tx, now }: Writer, kind: Kind, said: Said, places: Places): Promise<Row> {
  const row: Row = {}
  const columns: Partial<Record<string, readonly [string, string]>> = columnsOf[kind]
  for (const [field, value] of Object.entries(said)) {
    const column = columns[field]?.[0]
    if (column) row[column] = field === 'epcRating' && value === 'No rating' ? null : value
  }
  if (kind === 'property') {
    const gas = said.lastGasSafetyCheckDate
    if (gas !== undefined) {
      row.gas_check_due_at = gas === null ? null : gasCheckDueAt(String(gas), await reckoning(tx)).toISOString()
    }
    if (said.voidStatus !== undefined) row.void_since = now.toISOString()
    if (said.awaabsLawStatus !== undefined) row.awaabs_law_since = now.toISOString()
  }
  if (kind === 'device') {
    const { propertyReference: home, buildingName: building, floorName: floor, accessRightsTag: tag } = said
    const idOf = (names: Map<string, string>, name: Value | null) =>
      name === null ? null : (names.get(String(name)) ?? null)
    if (home !== undefined) row.property_id = idOf(places.homes, home)
    if (building !== undefined) row.building_id = idOf(places.buildings, building)
    if (floor !== undefined && building !== undefined)
      row.floor_id = floor === null ? null : idOf(places.floors, floorIn(building, floor))
    else if (building !== undefined) row.floor_id = null
    if (tag !== undefined) row.access_rights_tag_id = idOf(places.accessRightsTags, tag)
  }
  return row
}

const reckonings = new WeakMap<TenantTx, ReturnType<typeof reckoningOf>>()
function reckoning(tx: TenantTx) {
  const known = reckonings.get(tx) ?? reckoningOf(tx)
  reckonings.set(tx, known)
  return known
}

const reportedOf = (said: Said) =>
  Object.fromEntries(reportedFields.flatMap((id) => (said[id] === undefined ? [] : [[id, said[id]]])))

/** Makes new things; gives the id of each that nobody else has made meanwhile, by the item's number. */
async function make(
  writer: Writer,
  kind: Kind,
  items: readonly StoredItem[],
  places: Places,
): Promise<Map<number, string>> {
  const { tx, person } = writer
  if (items.length === 0) return new Map()
  const ids = new Map(items.map(({ number }) => [number, randomUUID() as string]))
  const rows = await Promise.all(
    items.map(async (item): Promise<Row> => {
      const row = {
        ...(await rowOf(writer, kind, item.values, places)),
        tenant_id: tx.tenant,
        id: ids.get(item.number)!,
      }
      if (kind === 'building') return { latitude: null, longitude: null, ...row, compared_name: buildingKey(item.name) }
      if (kind !== 'device') return row
      const { product, model } = splitSerialNumber(item.key)
      return {
        ...row,
        ...{ product, model, listing: listingOf(product!) ?? null, status: 'Ok', severity: severityOf('Ok') },
        reported: JSON.stringify(reportedOf(item.values)),
      }
    }),
  )
  const ready = kind === 'floor' ? await numbered(tx, items, rows, places) : rows
  const made = new Set(await insert(tx, kind, ready))
  const byNumber = new Map([...ids].filter(([, id]) => made.has(id)))
  const done = items.filter(({ number }) => byNumber.has(number))
  if (kind === 'property')
    await addSteps(
      writer,
      done.map((item) => ({ id: byNumber.get(item.number)!, said: item.values })),
    )
  if (kind === 'device' && made.size > 0) {
    const routes = [...made].map((id) => ({ device_id: id, tenant_id: tx.tenant, parent_id: null, key_hash: null }))
    await tx.insertInto('device_route').values(routes).execute()
    await happened(
      tx,
      done.flatMap((item) => {
        // What has no place lies in stock.
        const placed = item.values.propertyReference !== undefined || item.values.buildingName !== undefined
        const { product } = splitSerialNumber(item.key)
        return begun(placed ? 'Installed' : 'Inventory', product!, person).map((occurrence) => ({
          deviceId: byNumber.get(item.number)!,
          occurrence,
        }))
      }),
    )
    await tag(
      tx,
      done.map((item) => ({ id: byNumber.get(item.number)!, said: item.values })),
    )
    await refreshPlaces(tx, tx.tenant, [...made])
  }
  return byNumber
}

async function insert(tx: TenantTx, kind: Kind, rows: readonly Row[]): Promise<string[]> {
  // Kysely takes the columns from all rows together and the default where one has none.
  const made = await tx
    .insertInto(kind)
    .values(rows as never)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return made.map(({ id }) => id)
}

/** New floors of a building come after those it has, lie where it does and are as large as its first. */
async function numbered(
  tx: TenantTx,
  items: readonly StoredItem[],
  rows: readonly Row[],
  places: Places,
): Promise<Row[]> {
  const ids = [...new Set(items.map(({ values }) => places.buildings.get(String(values.buildingName))!))]
  const buildings = await tx
    .selectFrom('building')
    .select(['id', 'latitude', 'longitude'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', ids)
    .forNoKeyUpdate()
    .execute()
  const floors = await tx
    .selectFrom('floor')
    .select(['building_id', 'number', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where('building_id', 'in', ids)
    .execute()
  const next = new Map(
    ids.map((id) => [
      id,
      Math.max(-1, ...floors.filter((floor) => floor.building_id === id).map((floor) => floor.number)) + 1,
    ]),
  )
  return items.flatMap((item, at) => {
    const id = places.buildings.get(String(item.values.buildingName))!
    const building = buildings.find((one) => one.id === id)
    // Nothing in the database keeps two floors of a building from one name.
    if (
      !building ||
      floors.some(
        (floor) => floor.building_id === id && floor.name.toLowerCase() === String(item.values.floorName).toLowerCase(),
      )
    )
      return []
    const number = next.get(id)!
    next.set(id, number + 1)
    return [{ ...rows[at], building_id: id, number, latitude: building.latitude, longitude: building.longitude }]
  })
}

/** Lets buildings open on the floor that the list names, once their floors are there. */
export async function openOn(tx: TenantTx, importId: string): Promise<void> {
  await sql`
    update building set default_floor_id = floor.id from floor, data_import_item
    where building.tenant_id = ${tx.tenant} and floor.tenant_id = ${tx.tenant} and data_import_item.tenant_id = ${tx.tenant}
      and data_import_item.import_id = ${importId} and data_import_item.kind = 'building' and data_import_item.state = 'done'
      and building.id = data_import_item.target_id and floor.building_id = building.id
      and lower(floor.name) = lower(data_import_item.values ->> 'defaultFloor')`.execute(tx)
}

/** Writes fields of things that are there, those alone that are said of each, in one statement. */
async function write(
  writer: Writer,
  kind: Kind,
  things: readonly { id: string; said: Said }[],
  places: Places,
): Promise<void> {
  const { tx } = writer
  if (things.length === 0) return
  const rows = await Promise.all(things.map(({ said }) => rowOf(writer, kind, said, places)))
  const types: Record<string, string> = {
    ...Object.fromEntries(Object.values(columnsOf[kind]).map(([column, type]) => [column, type])),
    ...(kind === 'property' && {
      gas_check_due_at: 'timestamptz',
      void_since: 'timestamptz',
      awaabs_law_since: 'timestamptz',
    }),
    ...(kind === 'device' && {
      property_id: 'uuid',
      building_id: 'uuid',
      floor_id: 'uuid',
      access_rights_tag_id: 'uuid',
    }),
  }
  const columns = [...new Set(rows.flatMap(Object.keys))]
  // A list for each column, and one that says of which things it is said.
  const assigned = columns.map(
    (column, at) =>
      sql`${sql.ref(column)} = case when ${sql.ref(`new.said${at}`)} then ${sql.ref(`new.value${at}`)} else ${sql.ref(`${kind}.${column}`)} end`,
  )
  const lists = columns.flatMap((column) => [
    sql`${rows.map((row) => column in row)}::boolean[]`,
    sql`${rows.map((row) => row[column] ?? null)}::${sql.raw(types[column]!)}[]`,
  ])
  const names = columns.flatMap((_, at) => [sql.ref(`said${at}`), sql.ref(`value${at}`)])
  if (kind === 'property') assigned.push(sql`version = property.version + 1`)
  if (kind === 'building' || kind === 'floor') assigned.push(sql`revision = ${sql.ref(`${kind}.revision`)} + 1`)
  if (kind === 'device') assigned.push(sql`reported = jsonb_strip_nulls(device.reported || new.reported)`)
  if (assigned.length > 0)
    await sql`
      update ${sql.table(kind)} set ${sql.join(assigned)}
      from unnest(${sql.join([
        sql`${things.map(({ id }) => id)}::uuid[]`,
        sql`${things.map(({ said }) => JSON.stringify(reportedOf(said)))}::jsonb[]`,
        ...lists,
      ])}) as new (${sql.join([sql.ref('id'), sql.ref('reported'), ...names])})
      where ${sql.ref(`${kind}.tenant_id`)} = ${tx.tenant} and ${sql.ref(`${kind}.id`)} = new.id`.execute(tx)
  if (kind === 'property') {
    await addSteps(writer, things)
    await followHomes(
      tx,
      things.map(({ id }) => id),
    )
  }
  if (kind === 'device') {
    await tag(tx, things)
    await refreshPlaces(
      tx,
      tx.tenant,
      things.map(({ id }) => id),
    )
  }
}

/** Devices have copies of their home's reference and address. */
async function followHomes(tx: TenantTx, homes: readonly string[]): Promise<void> {
  const devices = await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', 'in', homes)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  if (devices.length === 0) return
  const ids = devices.map(({ id }) => id)
  await refreshPlaces(tx, tx.tenant, ids)
  await changed(tx, 'device', ids)
}

/** Homes whose void flag a list turns ask their devices as those do that somebody turns on their page. */
async function followVoid(
  { tx, person, now }: Writer,
  things: readonly { id: string | null | undefined; said: object | null }[],
): Promise<void> {
  const propertyIds = things.flatMap(({ id, said }) => (id && said && 'voidStatus' in said ? [id] : []))
  if (propertyIds.length > 0) await settleVoid(tx, { propertyIds, askedBy: person.id, now })
}

/** Each step under Awaab's Law is kept with its day and person. */
async function addSteps({ tx, person, now }: Writer, things: readonly { id: string; said: Said }[]): Promise<void> {
  const steps = things.flatMap(({ id, said }) =>
    said.awaabsLawStatus && said.awaabsLawStatus !== 'None' ? [{ id, status: said.awaabsLawStatus }] : [],
  )
  if (steps.length === 0) return
  const { zone } = await reckoning(tx)
  await tx
    .insertInto('awaabs_law_step')
    .values(
      steps.map(({ id, status }) => ({
        ...{ tenant_id: tx.tenant, id: randomUUID(), property_id: id, status: status as 'Investigation' },
        ...{ hazard: null, happened_on: dayAt(+now, zone), entered_at: now, due_on: null },
        ...{ entered_by: person.id, entered_by_name: person.name },
      })),
    )
    .execute()
}

/** Gives devices their tags, and makes those that are new. */
async function tag(tx: TenantTx, things: readonly { id: string; said: Said }[]): Promise<void> {
  const tagged = things.flatMap(({ id, said }) =>
    said.tags === undefined || said.tags === null ? [] : [{ id, names: said.tags as string[] }],
  )
  if (tagged.length === 0) return
  const names = [...new Set(tagged.flatMap((one) => one.names))]
  const find = async () => {
    const rows = await tx.selectFrom('tag').select(['id', 'name']).where('tenant_id', '=', tx.tenant).execute()
    return new Map(rows.map((row) => [row.name.toLowerCase(), row.id]))
  }
  const known = await find()
  const missing = names.filter((name) => !known.has(name.toLowerCase()))
  if (missing.length > 0) {
    await tx
      .insertInto('tag')
      .values(missing.map((name) => ({ tenant_id: tx.tenant, id: randomUUID(), name })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await changed(tx, 'tag', null)
  }
  const all = missing.length > 0 ? await find() : known
  await tx
    .deleteFrom('device_tag')
    .where('tenant_id', '=', tx.tenant)
    .where(
      'device_id',
      'in',
      tagged.map(({ id }) => id),
    )
    .execute()
  const rows = tagged.flatMap(({ id, names: own }) =>
    own.map((name) => ({ tenant_id: tx.tenant, device_id: id, tag_id: all.get(name.toLowerCase())! })),
  )
  if (rows.length > 0) await tx.insertInto('device_tag').values(rows).execute()
}

/** Of things that an import made, those that something else refers to by now. */
async function usedIds(tx: TenantTx, kind: Kind, ids: readonly string[]): Promise<Set<string>> {
  const used = {
    property: sql<{
      id: string
    }>`select property_id as id from device where tenant_id = ${tx.tenant} and property_id = any(${ids}::uuid[])`,
    building: sql<{ id: string }>`
      select building_id as id from device where tenant_id = ${tx.tenant} and building_id = any(${ids}::uuid[])
      union select building_id from floor where tenant_id = ${tx.tenant} and building_id = any(${ids}::uuid[])
      union select building_id from light_group where tenant_id = ${tx.tenant} and building_id = any(${ids}::uuid[])
      union select building_id from property where tenant_id = ${tx.tenant} and building_id = any(${ids}::uuid[])`,
    floor: sql<{ id: string }>`
      select floor_id as id from device where tenant_id = ${tx.tenant} and floor_id = any(${ids}::uuid[])
      union select floor_id from floor_plan where tenant_id = ${tx.tenant} and floor_id = any(${ids}::uuid[])
      union select floor_id from property where tenant_id = ${tx.tenant} and floor_id = any(${ids}::uuid[])`,
    // One that has spoken has a history of its own.
    device: sql<{ id: string }>`
      select device_id as id from device_link where tenant_id = ${tx.tenant} and device_id = any(${ids}::uuid[]) and heard_at is not null
      union select parent_id from device where tenant_id = ${tx.tenant} and parent_id = any(${ids}::uuid[])`,
  }[kind]
  const { rows } = await used.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

async function remove({ tx }: Writer, kind: Kind, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  if (kind === 'device')
    await tx.deleteFrom('device_route').where('tenant_id', '=', tx.tenant).where('device_id', 'in', ids).execute()
  await tx
    .deleteFrom(kind)
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', ids as string[])
    .execute()
  await changed(tx, subjectOf[kind], ids)
}

const subjectOf = { property: 'property', building: 'building', floor: 'building', device: 'device' } as const
const added = {
  property: 'property added',
  building: 'building added',
  device: 'device added',
} as const satisfies Partial<Record<Kind, AuditAction>>
const altered = {
  property: 'property details changed',
  building: 'building changed',
  device: 'device moved',
} as const satisfies Partial<Record<Kind, AuditAction>>

/** Tells the record and open pages of each thing. Floors are told with their buildings. */
async function record(
  { tx, person }: Writer,
  kind: Kind,
  things: readonly { id: string; item: StoredItem; before: Said | null }[],
): Promise<void> {
  if (things.length === 0) return
  if (kind !== 'floor')
    for (const [action, some] of [
      [added[kind], things.filter(({ before }) => before === null)],
      [altered[kind], things.filter(({ before }) => before !== null)],
    ] as const)
      await auditAll(
        tx,
        person,
        action,
        some.map(({ id, item, before }) => ({
          subject: { type: kind, id, name: item.name },
          before,
          after: item.values,
        })),
      )
  await changed(tx, subjectOf[kind], kind === 'floor' ? null : things.map(({ id }) => id))
}
