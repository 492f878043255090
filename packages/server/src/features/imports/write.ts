import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { buildingKey } from '@caretaker/rules/buildings/building.ts'
import { floorKey } from '@caretaker/rules/imports/keys.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { startOfDay } from '@caretaker/rules/calendar/days.ts'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import { splitSerialNumber } from '@caretaker/rules/devices/serial-number.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import type { FieldId, Kind, Value } from '@caretaker/rules/imports/fields.ts'
import { switchedOff } from '@caretaker/rules/imports/fields.ts'
import type { PreviousValues, ImportItemState } from '@caretaker/rules/imports/life.ts'
import { isEditedSince } from '@caretaker/rules/imports/life.ts'
import type { Item, Values } from '@caretaker/rules/imports/plan.ts'
import type { AwaabsLawStatus } from '@caretaker/rules/properties/details.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { GasCheck } from '../compliance/homes.ts'
import { gasCheckOn } from '../compliance/homes.ts'
import { storeCheckStates } from '../compliance/compliance-states.ts'
import { gasColumns } from '../properties/gas-checks.ts'
import { auditAll } from '../../audit/audit.ts'
import {
  addImportedBuildings,
  addImportedFloors,
  removeImportedBuildings,
  removeImportedFloors,
  updateImportedBuildings,
  updateImportedFloors,
} from '../../buildings/import.ts'
import type { NewDevice } from '../../devices/create.ts'
import { createDevices, importDevices, removeDevices } from '../../devices/create.ts'
import { placeDevice, refreshAddresses } from '../../devices/place.ts'
import { replaceTags } from '../../devices/tags.ts'
import { announceRoutes } from '../../mqtt/route-changes.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { importTags } from '../../tags/tags.ts'
import { addImportedProperties, removeImportedProperties, updateImportedProperties } from '../../properties/import.ts'
import type { Again } from '../properties/awaabs-law.ts'
import { caseAgain, caseKnown, enter, entriesFor, entriesOf, lawContextOf } from '../properties/awaabs-law.ts'
import { refreshCases } from '../properties/law-cases.ts'
import { dueRulesOf } from '../compliance/figures.ts'
import { begun } from '../conditions/begun.ts'
import { holdDevices } from '../devices/held.ts'
import { happened } from '../conditions/store.ts'
import { endAccess } from '../residents/service.ts'
import { applyVoidFlags } from '../void/apply-flags.ts'
import { columnsOf, featuresOf, knownById, reportedFields } from './known.ts'

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
  besides: PreviousValues | null
}

/** The result of an item. */
export interface Written {
  number: number
  state: ImportItemState
  targetId?: string | null
  old?: Item['old']
  previous?: PreviousValues | undefined
  reason?: string
}

export interface Writer {
  tx: TenantTx
  /** An operator has no id. */
  person: Recorded
  now: Date
  /** The name of the list and its id. */
  list: string
  importId: string
}

type FieldValues = Partial<Record<FieldId, Value | null>>
type Row = Record<string, unknown>

/** Creates and updates the records of items of one kind; returns the result of each. */
export async function bringIn(writer: Writer, kind: Kind, items: readonly StoredItem[]): Promise<Written[]> {
  const { tx } = writer
  const places = await placesOf(tx, items)
  const features = await featuresOf(tx)
  const written: Written[] = []
  const ready = items.filter((item) => {
    const missing = missingPlace(item, places) ?? switchedOffIn(item.values, features)
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
  const previous = await write(
    writer,
    kind,
    there.map((item) => ({ id: item.target_id!, fieldValues: item.values, before: before.get(item.target_id!)! })),
    places,
  )
  await record(writer, kind, [
    ...making
      .filter(({ number }) => made.has(number))
      .map((item) => ({ id: made.get(item.number)!, item, before: null })),
    ...there.map((item) => ({ id: item.target_id!, item, before: was(item) })),
  ])
  await followVoid(writer, [
    ...making.map((item) => ({ id: made.get(item.number), fieldValues: item.values })),
    ...there.map((item) => ({ id: item.target_id, fieldValues: item.values })),
  ])
  // A list ends the access of all residents; nobody is asked whose access to keep.
  await endAccess(
    writer,
    there.flatMap((item) => ('voidStatus' in item.values ? [item.target_id!] : [])),
  )
  return [
    ...written,
    ...making.map(({ number, name }): Written => {
      const id = made.get(number)
      return id
        ? { number, state: 'done', targetId: id }
        : { number, state: 'refused', reason: `${name} has been added by someone else` }
    }),
    ...changing.map((item): Written =>
      before.has(item.target_id!)
        ? { number: item.number, state: 'done', old: was(item), previous: previous.get(item.target_id!) }
        : { number: item.number, state: 'refused', reason: `${item.name} no longer exists` },
    ),
  ]
}

/** A move to another building also removes the floor, which undo has to restore. */
const old = ({ values }: StoredItem, before: FieldValues): Item['old'] =>
  Object.fromEntries(
    [...(Object.keys(values) as FieldId[]), ...('buildingName' in values ? (['floorName'] as const) : [])].map((id) => [
      id,
      before[id] ?? null,
    ]),
  )

/** Deletes what items of one kind created and restores what they changed. What someone has edited since is kept. */
export async function takeBack(writer: Writer, kind: Kind, items: readonly StoredItem[]): Promise<Written[]> {
  const { tx } = writer
  const now = await heldById(
    tx,
    kind,
    items.map(({ target_id: id }) => id!),
  )
  const inUse = await usedIds(tx, kind, [...now.keys()])
  const features = await featuresOf(tx)
  const changedCases = await casesWithNewEntries(tx, items)
  const later = await laterLists(writer, [...now.keys()])
  const since = (id: string, reason: string) => {
    const list = later.get(id)
    return list === undefined ? reason : `${reason}: the later list ${list} builds on it. Undo that list first.`
  }
  const written = items.map((item): Written => {
    const { number, name } = item
    const fieldValues = now.get(item.target_id!)
    if (!fieldValues) return { number, state: 'undone', reason: `${name} no longer exists` }
    if (isEditedSince(item, fieldValues) || changedCases.has(number))
      return { number, state: 'kept', reason: since(item.target_id!, 'Edited since') }
    const use = item.action === 'create' ? inUse.get(item.target_id!) : undefined
    if (use !== undefined) return { number, state: 'kept', reason: since(item.target_id!, use) }
    const off = item.action === 'change' ? switchedOffIn(item.old_values, features) : undefined
    if (off !== undefined) return { number, state: 'kept', reason: off }
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
    changing.map((item) => ({
      ...{ id: item.target_id!, fieldValues: item.old_values, before: now.get(item.target_id!)! },
      again: item.besides ?? {},
    })),
    places,
  )
  await record(
    writer,
    kind,
    changing.map((item) => ({
      id: item.target_id!,
      item: { ...item, values: item.old_values as Values },
      before: item.values,
    })),
    'importUndone',
  )
  await followVoid(
    writer,
    changing.map((item) => ({ id: item.target_id, fieldValues: item.old_values })),
  )
  await remove(
    writer,
    kind,
    undone.filter(({ action }) => action === 'create'),
  )
  return written
}

/**
 * For each of these records, the last import after this one that is not undone and that changed it or placed something
 * in it.
 */
async function laterLists({ tx, importId }: Writer, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select used.id, later.name
    from data_import as own
    join data_import as later on later.tenant_id = ${tx.tenant} and later.finished_at > own.finished_at
      and later.state in ('done', 'importing', 'undoing')
    join data_import_item as item on item.tenant_id = ${tx.tenant} and item.import_id = later.id and item.state = 'done'
    join (
      select target.id as id, target.id as item_id from unnest(${ids}::uuid[]) as target (id)
      union all
      select coalesce(device.property_id, device.floor_id), device.id from device
        where device.tenant_id = ${tx.tenant}
          and (device.property_id = any(${ids}::uuid[]) or device.floor_id = any(${ids}::uuid[]))
      union all
      select device.building_id, device.id from device
        where device.tenant_id = ${tx.tenant} and device.building_id = any(${ids}::uuid[])
      union all
      select floor.building_id, floor.id from floor
        where floor.tenant_id = ${tx.tenant} and floor.building_id = any(${ids}::uuid[])
      union all
      select property.building_id, property.id from property
        where property.tenant_id = ${tx.tenant} and property.building_id = any(${ids}::uuid[])
    ) as used on used.item_id = item.target_id
    where own.tenant_id = ${tx.tenant} and own.id = ${importId}
    order by later.finished_at`.execute(tx)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The items of properties whose case has newer entries than the list. */
async function casesWithNewEntries(tx: TenantTx, items: readonly StoredItem[]): Promise<Set<number>> {
  const numbers = new Set<number>()
  for (const { number, target_id: id, besides } of items)
    if (besides?.awaabsLawCase && !isDeepStrictEqual(besides.awaabsLawCase, await caseKnown(tx, id!)))
      numbers.add(number)
  return numbers
}

/** Locked until the transaction ends, so that nobody edits or deletes them meanwhile. */
async function heldById(tx: TenantTx, kind: Kind, ids: readonly string[]) {
  await sql`select id from ${sql.table(kind)} where tenant_id = ${tx.tenant} and id = any(${ids}::uuid[]) order by id for update`.execute(
    tx,
  )
  return knownById(tx, kind, ids)
}

/** Properties, buildings, floors and tags by name. */
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

/** The reason if a planned place was deleted meanwhile. */
function missingPlace({ kind, values, action }: StoredItem, places: Places): string | undefined {
  const { propertyReference: home, buildingName: building, floorName: floor } = values
  if (kind === 'device' && home !== undefined && !places.homes.has(String(home)))
    return `The property ${String(home)} no longer exists`
  const isPlaced = kind === 'device' || kind === 'property'
  if (
    (isPlaced || (kind === 'floor' && action === 'create')) &&
    building !== undefined &&
    !places.buildings.has(String(building))
  )
    return `The building ${String(building)} no longer exists`
  if (isPlaced && building !== undefined && floor !== undefined && !places.floors.has(floorIn(building, floor)))
    return `${String(building)} no longer has the floor ${String(floor)}`
  return undefined
}

/** The reason if the feature of a planned field was disabled meanwhile. */
function switchedOffIn(fieldValues: FieldValues, features: ReadonlySet<Feature>): string | undefined {
  return (Object.entries(fieldValues) as [FieldId, Value | null][])
    .map(([id, value]) => (value === null ? undefined : switchedOff(id, value, features)))
    .find((reason) => reason !== undefined)
}

/** The column values of fields. */
async function rowOf(
  { tx, now }: Writer,
  kind: Kind,
  fieldValues: FieldValues,
  places: Places,
  { steps, gas }: { steps?: Steps | undefined; gas?: Partial<GasCheck> | undefined } = {},
): Promise<Row> {
  const row: Row = {}
  const columns: Partial<Record<string, readonly [string, string]>> = columnsOf[kind]
  for (const [field, value] of Object.entries(fieldValues)) {
    const column = columns[field]?.[0]
    if (column) row[column] = field === 'epcRating' && value === 'No rating' ? null : value
  }
  if (kind === 'property') {
    if (gas) Object.assign(row, gas)
    if (fieldValues.voidStatus !== undefined) row.void_since = now.toISOString()
    const instant = async (day: Day) => new Date(startOfDay(day, (await dueRules(tx)).zone)).toISOString()
    if (fieldValues.awaabsLawStatus !== undefined)
      row.awaabs_law_since = steps?.since ? await instant(steps.since) : now.toISOString()
  }
  if (kind === 'device' || kind === 'property') {
    const { propertyReference: home, buildingName: building, floorName: floor, accessRightsTag: tag } = fieldValues
    const idOf = (names: Map<string, string>, name: Value | null) =>
      name === null ? null : (names.get(String(name)) ?? null)
    if (kind === 'device' && home !== undefined) row.property_id = idOf(places.homes, home)
    if (building !== undefined) row.building_id = idOf(places.buildings, building)
    if (floor !== undefined && building !== undefined)
      row.floor_id = floor === null ? null : idOf(places.floors, floorIn(building, floor))
    else if (building !== undefined) row.floor_id = null
    if (tag !== undefined) row.access_rights_tag_id = idOf(places.accessRightsTags, tag)
  }
  return row
}

const dueRulesByTx = new WeakMap<TenantTx, ReturnType<typeof dueRulesOf>>()
function dueRules(tx: TenantTx) {
  const known = dueRulesByTx.get(tx) ?? dueRulesOf(tx)
  dueRulesByTx.set(tx, known)
  return known
}

const reportedOf = (fieldValues: FieldValues) =>
  Object.fromEntries(reportedFields.flatMap((id) => (fieldValues[id] === undefined ? [] : [[id, fieldValues[id]]])))

/** The owners' commands for records other than devices. */
const commandsOf = {
  property: { add: addImportedProperties, update: updateImportedProperties, remove: removeImportedProperties },
  building: { add: addImportedBuildings, update: updateImportedBuildings, remove: removeImportedBuildings },
  floor: { add: addImportedFloors, update: updateImportedFloors, remove: removeImportedFloors },
}

/** Creates records; returns the new ids by item number. A record that someone else created meanwhile has none. */
async function make(
  writer: Writer,
  kind: Kind,
  items: readonly StoredItem[],
  places: Places,
): Promise<Map<number, string>> {
  const { tx, person } = writer
  if (items.length === 0) return new Map()
  const ids = new Map(items.map(({ number }) => [number, randomUUID() as string]))
  const steps = await stepsOf(
    writer,
    kind,
    items.map((item) => ({ id: ids.get(item.number)!, fieldValues: item.values, before: {} })),
  )
  const rows = await Promise.all(
    items.map(async (item): Promise<Row> => {
      const row = {
        ...(await rowOf(writer, kind, item.values, places, {
          steps: steps.get(ids.get(item.number)!),
          gas: await gasOf(writer, kind, { fieldValues: item.values }),
        })),
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
  const made =
    kind === 'device' ? await addDevices(writer, items, ready) : new Set(await commandsOf[kind].add(tx, ready))
  const byNumber = new Map([...ids].filter(([, id]) => made.has(id)))
  const done = items.filter(({ number }) => byNumber.has(number))
  await enterSteps(writer, new Map([...steps].filter(([id]) => made.has(id))))
  if (kind === 'device' && made.size > 0) {
    await happened(
      tx,
      done.flatMap((item) => {
        // A device without a place is in stock.
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
      done.map((item) => ({ id: byNumber.get(item.number)!, fieldValues: item.values })),
    )
  }
  return byNumber
}

async function addDevices(
  { tx, person, list }: Writer,
  items: readonly StoredItem[],
  rows: readonly Row[],
): Promise<Set<string>> {
  const devices = items.map((item, at) => {
    const { id, ...row } = rows[at] as unknown as NewDevice['row'] & { id: string }
    return { deviceId: id, serial: item.name, row, after: { ...item.values, importedFrom: list } }
  })
  return createDevices(tx, person, devices)
}

/** New floors of a building are added after the existing ones, with the location and the size of the first. */
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
    // No constraint keeps two floors of a building from having the same name.
    if (
      !building ||
      floors.some(
        (floor) => floor.building_id === id && floorKey(floor.name) === floorKey(String(item.values.floorName)),
      )
    )
      return []
    const number = next.get(id)!
    next.set(id, number + 1)
    return [{ ...rows[at], building_id: id, number, latitude: building.latitude, longitude: building.longitude }]
  })
}

/** Updates the given fields of existing records in one statement; returns what else changed for each. */
async function write(
  writer: Writer,
  kind: Kind,
  things: readonly Thing[],
  places: Places,
): Promise<Map<string, PreviousValues>> {
  const { tx } = writer
  const previous = new Map<string, PreviousValues>()
  if (things.length === 0) return previous
  const steps = await stepsOf(writer, kind, things)
  const stood = await homesBefore(tx, kind, things)
  const rows = await Promise.all(
    things.map(async (thing) => {
      const gas = await gasOf(writer, kind, thing, stood.get(thing.id))
      return rowOf(writer, kind, thing.fieldValues, places, { steps: steps.get(thing.id), gas })
    }),
  )
  const types: Record<string, string> = {
    ...Object.fromEntries(Object.values(columnsOf[kind]).map(([column, type]) => [column, type])),
    ...(kind === 'property' && {
      gas_check_due_at: 'timestamptz',
      gas_check_after: 'date',
      void_since: 'timestamptz',
      awaabs_law_since: 'timestamptz',
    }),
    ...(kind === 'device' && { property_id: 'uuid' }),
    ...((kind === 'device' || kind === 'property') && {
      building_id: 'uuid',
      floor_id: 'uuid',
      access_rights_tag_id: 'uuid',
    }),
  }
  const ids = things.map(({ id }) => id)
  if (kind === 'device')
    await importDevices(
      tx,
      things.map(({ id, fieldValues }, at) => ({
        deviceId: id,
        columns: rows[at]!,
        reported: reportedOf(fieldValues),
      })),
      types,
    )
  else await commandsOf[kind].update(tx, { ids, rows, types })
  if (kind === 'property') {
    await enterSteps(writer, steps)
    const homes = things.map(({ id, again }, at) => ({ before: stood.get(id)!, row: rows[at]!, was: again?.devices }))
    const moved = await moveDevicesIn(
      writer,
      homes.filter(({ row }) => 'building_id' in row),
    )
    for (const { before, row } of homes)
      previous.set(before.id, {
        ...('gas_check_after' in row && { gasCheckAfter: before.gas_after }),
        ...('building_id' in row && { devices: moved.get(before.id) ?? [] }),
        ...(steps.has(before.id) && { awaabsLawCase: await caseKnown(tx, before.id) }),
      })
    // Records decide, whatever date a list sets or undoes.
    const dated = things.filter(({ fieldValues }) => fieldValues.lastGasSafetyCheckDate !== undefined)
    await storeCheckStates(tx, { homes: dated.map(({ id }) => id) }, writer.now)
    await followHomes(
      tx,
      things.map(({ id }) => id),
    )
  }
  if (kind === 'device') {
    await tag(tx, things)
  }
  return previous
}

/** The data of properties that a list may change beyond its own fields. */
async function homesBefore(tx: TenantTx, kind: Kind, things: readonly Thing[]): Promise<Map<string, HomeBefore>> {
  if (kind !== 'property') return new Map()
  const { rows } = await sql<HomeBefore>`
    select id, building_id, floor_id, gas_check_due_at, to_char(gas_check_after, 'YYYY-MM-DD') as gas_after from property
    where tenant_id = ${tx.tenant} and id = any(${things.map(({ id }) => id)}::uuid[])`.execute(tx)
  return new Map(rows.map((row) => [row.id, row]))
}

interface HomeBefore {
  id: string
  building_id: string | null
  floor_id: string | null
  gas_check_due_at: Date | null
  gas_after: Day | null
}

/** The due date of a property's gas check for the given date: as when a user enters it on the page, or as it was. */
async function gasOf(
  { tx }: Writer,
  kind: Kind,
  { fieldValues, again }: Pick<Thing, 'fieldValues' | 'again'>,
  before: Pick<HomeBefore, 'gas_check_due_at' | 'gas_after'> = { gas_check_due_at: null, gas_after: null },
): Promise<Partial<GasCheck> | undefined> {
  const day = fieldValues.lastGasSafetyCheckDate as Day | null | undefined
  if (kind !== 'property' || day === undefined) return undefined
  if (again) return gasCheckOn(day, [again.gasCheckAfter ?? null], await dueRules(tx))
  return gasColumns(before, day, await dueRules(tx))
}

/**
 * Moves the devices in a property along with it, each recorded as when a user moves it; returns where each was. On
 * undo, each goes back to where it `was`, as far as that still exists; devices moved since stay.
 */
async function moveDevicesIn(
  { tx, person }: Writer,
  homes: readonly { before: HomeBefore; row: Row; was: PreviousValues['devices'] }[],
): Promise<Map<string, NonNullable<PreviousValues['devices']>>> {
  if (homes.length === 0) return new Map()
  const inThem = tx
    .selectFrom('device')
    .where('tenant_id', '=', tx.tenant)
    .where(
      'property_id',
      'in',
      homes.map(({ before }) => before.id),
    )
  const ids = await inThem.select('id').execute()
  const devices = await holdDevices(
    tx,
    ids.map(({ id }) => id),
  )
  // Their places now that they are locked.
  const places = await inThem
    .select(['id', 'property_id', 'building_id as buildingId', 'floor_id as floorId', 'latitude', 'longitude'])
    .execute()
  const stood = new Map(
    [...Map.groupBy(places, ({ property_id: home }) => home!)].map(([home, some]) => [
      home,
      some.map(({ property_id: _, ...place }) => place),
    ]),
  )
  for (const { before, row, was } of homes) {
    const home = row as { building_id: string | null; floor_id: string | null }
    // A position on one floor plan means nothing in another building.
    const withHome = { buildingId: home.building_id, floorId: home.floor_id, latitude: null, longitude: null }
    for (const { id, buildingId, floorId } of stood.get(before.id) ?? []) {
      const device = devices.get(id)
      const own = was?.find((one) => one.id === id)
      if (!device || (own && (buildingId !== before.building_id || floorId !== before.floor_id))) continue
      const isThere = own && (await hasPlace(tx, own))
      await placeDevice(tx, person, device, isThere ? { ...own } : withHome)
    }
  }
  return stood
}

async function hasPlace(tx: TenantTx, place: { buildingId: string | null; floorId: string | null }): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select (${place.buildingId}::uuid is null or exists (select from building where tenant_id = ${tx.tenant} and id = ${place.buildingId}))
      and (${place.floorId}::uuid is null or exists (select from floor
        where tenant_id = ${tx.tenant} and id = ${place.floorId} and building_id = ${place.buildingId})) as there`.execute(
    tx,
  )
  return rows[0]!.there
}

/** Devices have copies of their property's reference and address. */
async function followHomes(tx: TenantTx, homes: readonly string[]): Promise<void> {
  const devices = await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', 'in', homes)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  refreshAddresses(
    tx,
    devices.map(({ id }) => id),
  )
}

/** Properties whose void flag a list changes send commands to their devices, as when a user changes it. */
async function followVoid(
  { tx, person, now }: Writer,
  things: readonly { id: string | null | undefined; fieldValues: object | null }[],
): Promise<void> {
  const propertyIds = things.flatMap(({ id, fieldValues }) =>
    id && fieldValues && 'voidStatus' in fieldValues ? [id] : [],
  )
  if (propertyIds.length > 0) await applyVoidFlags(tx, { propertyIds, askedBy: person.id, now })
}

interface Thing {
  id: string
  fieldValues: FieldValues
  /** Its stored values so far. */
  before: FieldValues
  /** On undo: what the list had also changed. */
  again?: PreviousValues
}

/** The entries of a property's case, and since when it is at its last step, if not since now. */
type Steps = Pick<Again, 'entries'> & Partial<Again>

/**
 * The step of Awaab's Law that each property moves to, with its due date: a list states the present step, and None
 * closes the case. Undo restores the former step with its dates: no undo moves a statutory date.
 */
async function stepsOf({ tx, now }: Writer, kind: Kind, things: readonly Thing[]): Promise<Map<string, Steps>> {
  const steps = new Map<string, Steps>()
  const isOfLaw = things.some(({ fieldValues }) => fieldValues.awaabsLawStatus)
  if (kind !== 'property' || !isOfLaw) return steps
  const context = await lawContextOf(tx)
  for (const { id, fieldValues, before, again } of things) {
    const status = fieldValues.awaabsLawStatus as AwaabsLawStatus | null | undefined
    const stands = (before.awaabsLawStatus ?? 'None') as AwaabsLawStatus
    if (!status || status === stands) continue
    const change = {
      status,
      ...(status === 'None' && { reason: again ? 'The import was undone' : 'Closed by an import' }),
    }
    steps.set(
      id,
      (again && status !== 'None' && (await caseAgain(tx, id, status, +now))) || {
        entries: entriesFor(await entriesOf(tx, id), [change], { now: +now, context }),
      },
    )
  }
  return steps
}

/** Each step is stored with its day and person, one after the other. */
async function enterSteps({ tx, person }: Writer, steps: ReadonlyMap<string, Steps>): Promise<void> {
  for (const [id, { entries }] of steps) for (const entry of entries) await enter(tx, person, id, entry)
  await refreshCases(tx, [...steps.keys()])
}

/** Adds tags to devices, and creates the new ones. */
async function tag(tx: TenantTx, things: readonly { id: string; fieldValues: FieldValues }[]): Promise<void> {
  const tagged = things.flatMap(({ id, fieldValues }) =>
    fieldValues.tags === undefined || fieldValues.tags === null ? [] : [{ id, names: fieldValues.tags as string[] }],
  )
  if (tagged.length === 0) return
  const names = [...new Set(tagged.flatMap((one) => one.names))]
  const find = async () => {
    const rows = await tx.selectFrom('tag').select(['id', 'name']).where('tenant_id', '=', tx.tenant).execute()
    return new Map(rows.map((row) => [row.name.toLowerCase(), row.id]))
  }
  const known = await find()
  const missing = names.filter((name) => !known.has(name.toLowerCase()))
  await importTags(tx, missing)
  const all = missing.length > 0 ? await find() : known
  await replaceTags(
    tx,
    tagged.map(({ id, names: own }) => ({
      ...{ deviceId: id, tagIds: own.map((name) => all.get(name.toLowerCase())!) },
    })),
  )
}

/**
 * Which records created by an import are now referred to, and by what: deleting the record would delete that data too.
 */
async function usedIds(tx: TenantTx, kind: Kind, ids: readonly string[]): Promise<Map<string, string>> {
  const of = (what: string, table: string, column = `${kind}_id`) =>
    sql`select ${sql.ref(column)} as id, ${sql.lit(`In use since: ${what}`)} as use from ${sql.table(table)}
      where tenant_id = ${tx.tenant} and ${sql.ref(column)} = any(${ids}::uuid[])`
  const uses = {
    property: [
      of('devices', 'device'),
      of('photographs', 'document'),
      of('access of residents', 'residence_access'),
      of('licences', 'licence'),
      // The list itself enters at most one.
      sql`${of("steps under Awaab's Law", 'awaabs_law_step')} group by property_id having count(*) > 1`,
      sql`select id, 'Archived since' from property
        where tenant_id = ${tx.tenant} and id = any(${ids}::uuid[]) and archived_at is not null`,
    ],
    building: [
      of('devices', 'device'),
      of('floors', 'floor'),
      of('groups', 'light_group'),
      of('properties', 'property'),
    ],
    floor: [of('devices', 'device'), of('a plan', 'floor_plan'), of('properties', 'property')],
    device: [
      // A device that has connected has a history of its own.
      sql`${of('it was heard', 'device_link')} and heard_at is not null`,
      of('devices connected through it', 'device', 'parent_id'),
    ],
  }[kind]
  const { rows } = await sql<{ id: string; use: string }>`${sql.join(uses, sql` union all `)}`.execute(tx)
  return new Map(rows.map(({ id, use }) => [id, use]))
}

/** Deletes records and records the deletion in the audit. */
async function remove({ tx, person }: Writer, kind: Kind, items: readonly StoredItem[]): Promise<void> {
  if (items.length === 0) return
  const ids = items.map(({ target_id: id }) => id!)
  if (kind === 'device') {
    await removeDevices(
      tx,
      person,
      items.map(({ target_id: id, name, values }) => ({ deviceId: id!, serial: name, before: values })),
    )
    await announceRoutes(tx, ids)
    return
  }
  await commandsOf[kind].remove(tx, ids)
  if (kind !== 'floor')
    await auditAll(
      tx,
      person,
      removed[kind],
      items.map(({ target_id: id, name, values }) => ({
        subject: { type: kind, id: id!, name },
        before: values,
        after: null,
      })),
    )
}

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

const removed = {
  property: 'property removed',
  building: 'building removed',
  device: 'device removed',
} as const satisfies Partial<Record<Kind, AuditAction>>

/** Records each change in the audit, with the list. */
async function record(
  { tx, person, list }: Writer,
  kind: Kind,
  things: readonly { id: string; item: StoredItem; before: FieldValues | null }[],
  by: 'importedFrom' | 'importUndone' = 'importedFrom',
): Promise<void> {
  if (things.length === 0) return
  if (kind !== 'floor')
    for (const [action, some] of [
      // Devices are recorded when they are added.
      ...(kind === 'device' ? [] : [[added[kind], things.filter(({ before }) => before === null)] as const]),
      [altered[kind], things.filter(({ before }) => before !== null)],
    ] as const)
      await auditAll(
        tx,
        person,
        action,
        some.map(({ id, item, before }) => ({
          subject: { type: kind, id, name: item.name },
          before,
          after: { ...item.values, [by]: list },
        })),
      )
}
