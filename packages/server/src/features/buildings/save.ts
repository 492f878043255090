import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type {
  addBuilding,
  Building,
  Floor,
  updateBuilding,
  updateFloorPosition,
} from '@caretaker/contract/buildings.ts'
import type { FieldError } from '@caretaker/contract/refusal.ts'
import { refuse, refuseOutdated } from '@caretaker/contract/refusal.ts'
import type { Received } from '@caretaker/contract/route.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import { buildingKey, buildingNameFault, buildingTexts, floorNameFaults } from '@caretaker/rules/buildings/building.ts'
import type { Place, Plan } from '@caretaker/rules/buildings/geometry.ts'
import { contains, placeAfterMove } from '@caretaker/rules/buildings/geometry.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { endsInImpossiblePostcode, splitAddress } from '@caretaker/rules/postcodes/postcode.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { BuildingUpdate } from '../../buildings/save.ts'
import { createBuilding, moveFloor, saveBuilding, uniqueViolation } from '../../buildings/save.ts'
import { refreshAddresses, shiftDevices } from '../../devices/place.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { HeldDevice } from '../devices/held.ts'
import { holdDevices } from '../devices/held.ts'
import { asFloor, floorRows, readBuilding } from './store.ts'

interface Caller {
  tx: TenantTx
  actor: Actor
  person: Recorded
}

type NewBuilding = Received<typeof addBuilding>['body']['building']
type ChangedBuilding = Received<typeof updateBuilding>['body']['building']
type Position = Received<typeof updateFloorPosition>['body']

export async function makeBuilding({ tx, actor, person }: Caller, wanted: NewBuilding): Promise<Building> {
  const { name, lat, lng } = wanted
  refuseFaults([
    { field: 'building.name', message: buildingNameFault(name) },
    {
      field: 'building.address',
      message: endsInImpossiblePostcode(wanted.address) ? buildingTexts.invalidPostCode : undefined,
    },
    ...faultsOfFloors(wanted.floors),
  ])
  const floors = wanted.floors.map((floor) => ({ ...floor, id: randomUUID() }))
  const chosen = floorNamed(floors, wanted.defaultFloor)
  const id = randomUUID()
  const after = { latitude: lat, longitude: lng, floors: wanted.floors.map((floor) => floor.name) }
  const made = await createBuilding(
    tx,
    person,
    {
      ...{ id, name, compared_name: buildingKey(name), latitude: lat, longitude: lng },
      ...splitAddress(wanted.address),
      default_floor_id: chosen?.id ?? null,
    },
    {
      floors: floors.map((floor, number) => ({
        ...{ id: floor.id, building_id: id, number, name: floor.name },
        ...{ width: floor.width, height: floor.height, rotation: floor.rotation },
        latitude: floor.lat ?? lat,
        longitude: floor.lng ?? lng,
      })),
      after: { ...after, defaultFloor: chosen?.name },
    },
  )
  if (!made) throw takenName()
  return readBuilding(tx, actor, id)
}

export async function changeBuilding({ tx, actor, person }: Caller, wanted: ChangedBuilding): Promise<Building> {
  const held = await holdBuilding(tx, wanted.building)
  if (wanted.version !== undefined && wanted.version !== held.revision)
    throw refuseOutdated(buildingTexts.changedMeanwhile)
  const { id } = held
  const before = await floorRows(tx, [id])
  const { name = held.name, lat = held.latitude, lng = held.longitude } = wanted
  const isRenamed = name !== held.name
  const known = new Set(before.map((floor) => floor.id))
  const sent = wanted.floors.flatMap((floor) => floor.floor ?? [])
  refuseFaults([
    { field: 'building.name', message: isRenamed ? buildingNameFault(name) : undefined },
    ...faultsOfFloors(wanted.floors),
    ...wanted.floors.map(({ floor }, at) => ({
      field: `building.floors.${at}.floor`,
      message:
        floor && (!known.has(floor) || sent.indexOf(floor) !== sent.lastIndexOf(floor))
          ? 'The building has no such floor.'
          : undefined,
    })),
  ])
  const kept = new Set(sent)
  const removed = before.filter((floor) => !kept.has(floor.id))
  await refuseUsedFloors(tx, removed)
  const top = Math.max(-1, ...before.map((floor) => floor.number))
  const first = before[0]
  const added = wanted.floors
    .filter((floor) => !floor.floor)
    .map((floor, at) => ({ ...floor, id: randomUUID(), number: top + 1 + at }))
  const ids = [...wanted.floors.flatMap(({ floor, ...rest }) => (floor ? [{ ...rest, id: floor }] : [])), ...added]
  const chosen = floorNamed(ids, wanted.defaultFloor)
  const nameOf = new Map(ids.map((floor) => [floor.id, floor.name]))
  const after = [...before.filter((floor) => kept.has(floor.id)), ...added].map((floor) => ({
    id: floor.id,
    name: nameOf.get(floor.id)!,
  }))
  await save(
    { tx, person },
    { id, name },
    {
      columns: {
        ...{ name, latitude: lat, longitude: lng, default_floor_id: chosen?.id ?? null, revision: held.revision + 1 },
        ...(isRenamed && { compared_name: buildingKey(name) }),
      },
      floors: {
        removedIds: removed.map((floor) => floor.id),
        added: added.map((floor) => ({
          ...{ id: floor.id, building_id: id, number: floor.number, name: floor.name },
          ...{ width: floor.width ?? first?.width, height: floor.height ?? first?.height, rotation: floor.rotation },
          latitude: floor.lat ?? first?.latitude ?? lat,
          longitude: floor.lng ?? first?.longitude ?? lng,
        })),
        changed: wanted.floors.flatMap((floor) => changedFloor(before, floor) ?? []),
      },
      changes: differences(
        wordsOf(held, before, held.default_floor_id),
        wordsOf({ name, latitude: lat, longitude: lng }, after, chosen?.id ?? null),
      ),
    },
  )
  const names = (rows: readonly NamedFloor[]) => JSON.stringify(rows.map((row) => [row.id, row.name]))
  if (isRenamed || names(before) !== names(after)) await renewDevices(tx, id)
  return readBuilding(tx, actor, id)
}

/** Stores the position of a floor plan. Devices keep their coordinates, unless they are moved along. */
export async function positionFloor(caller: Caller, wanted: Position): Promise<Floor> {
  const { tx, person } = caller
  // Lock order: devices before the building, as when a device is moved.
  const devices = wanted.takesDevices ? await holdPlaced(tx, wanted.floor) : []
  const held = await holdBuilding(tx, wanted.building)
  const before = (await floorRows(tx, [held.id])).find((floor) => floor.id === wanted.floor)
  if (!before) throw refuse('not found')
  if (wanted.version !== undefined && wanted.version !== before.revision)
    throw refuseOutdated(buildingTexts.floorMovedMeanwhile)
  const { width, height, rotation, lat, long } = wanted
  const place = { width, height, rotation, latitude: lat, longitude: long }
  const changes = differences(before, place)
  if (!changes) return asFloor(before)
  await moveFloor(tx, person, { building: held, floor: before }, { columns: place, changes })
  await takeDevices(caller, devices, before, place)
  return asFloor({ ...before, ...place, revision: before.revision + 1 })
}

type PlanRow = Pick<Row, 'latitude' | 'longitude' | 'width' | 'height' | 'rotation'>

const planOf = ({ latitude, longitude, width, height, rotation }: PlanRow): Plan | undefined =>
  latitude === null || longitude === null ? undefined : { lat: latitude, lng: longitude, width, height, rotation }

interface PlacedDevice extends HeldDevice {
  place: Place
}

/** The placed devices of a floor, locked. */
async function holdPlaced(tx: TenantTx, floor: string): Promise<PlacedDevice[]> {
  const placed = () =>
    tx
      .selectFrom('device')
      .select(['id', 'latitude', 'longitude'])
      .where('tenant_id', '=', tx.tenant)
      .where('floor_id', '=', floor)
      .where('latitude', 'is not', null)
      .execute()
  const seen = await placed()
  const held = await holdDevices(
    tx,
    seen.map(({ id }) => id),
  )
  return (await placed()).flatMap(({ id, latitude, longitude }) => {
    const device = held.get(id)
    return device ? [{ ...device, place: { lat: latitude!, lng: longitude! } }] : []
  })
}

/** Moves devices on a plan along with it, as far as the caller may place them: each keeps its spot on the drawing. */
async function takeDevices(
  { tx, actor, person }: Caller,
  devices: readonly PlacedDevice[],
  before: Row,
  after: PlanRow,
): Promise<void> {
  const [from, to] = [planOf(before), planOf(after)]
  if (!from || !to) return
  const moves = devices
    .filter((device) => can(actor, 'place device', device) && contains(from, device.place))
    .map((device) => ({ device, to: placeAfterMove(from, to, device.place) }))
  if (!moves.length) return
  await shiftDevices(
    tx,
    person,
    moves.map(({ device, to }) => ({ device, from: device.place, to })),
  )
}

/** A building locked until the transaction ends; 404 if there is none. */
export async function holdBuilding(tx: TenantTx, id: string) {
  const held = await tx
    .selectFrom('building')
    .select(['id', 'name', 'latitude', 'longitude', 'default_floor_id', 'revision'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!held) throw refuse('not found')
  return held
}

const takenName = () =>
  refuse('conflict', buildingTexts.takenName, [{ field: 'building.name', message: buildingTexts.takenName }])

/** Refuses a name that another building has; of two simultaneous changes, one waits for the other. */
async function save(
  { tx, person }: Pick<Caller, 'tx' | 'person'>,
  building: { id: string; name: string },
  update: BuildingUpdate,
) {
  try {
    await saveBuilding(tx, person, building, update)
  } catch (error) {
    // A distributed database does not report the index; a name is the only value that can conflict here.
    if ((error as { code?: string }).code === uniqueViolation) throw takenName()
    throw error
  }
}

type Row = Awaited<ReturnType<typeof floorRows>>[number]
type NamedFloor = Pick<Row, 'id' | 'name'>

/** The changed columns of a kept floor; undefined if nothing differs. */
function changedFloor(before: readonly Row[], wanted: ChangedBuilding['floors'][number]) {
  const floor = before.find((one) => one.id === wanted.floor)
  if (!floor) return undefined
  const place = {
    ...(wanted.width !== undefined && { width: wanted.width }),
    ...(wanted.height !== undefined && { height: wanted.height }),
    ...(wanted.rotation !== undefined && { rotation: wanted.rotation }),
    ...(wanted.lat !== undefined && { latitude: wanted.lat }),
    ...(wanted.lng !== undefined && { longitude: wanted.lng }),
  }
  const moved = differences(floor, place)
  if (!moved && wanted.name === floor.name) return undefined
  return { id: floor.id, columns: { ...place, name: wanted.name, revision: floor.revision + (moved ? 1 : 0) } }
}

/** Locks floors that will be removed; refuses those with devices, which would have no place, or with properties. */
async function refuseUsedFloors(tx: TenantTx, floors: readonly Row[]): Promise<void> {
  if (!floors.length) return
  const ids = floors.map((floor) => floor.id)
  const gone = (column: string) => sql<boolean>`${sql.ref(column)} = any(${ids}::uuid[])`
  // Another transaction that puts a device on a floor locks it meanwhile, and is waited for.
  await tx
    .selectFrom('floor')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(gone('id'))
    .orderBy('id')
    .forUpdate()
    .execute()
  const rows = await tx
    .selectFrom('device')
    .select(['floor_id', sql<string>`count(*)`.as('devices')])
    .where('tenant_id', '=', tx.tenant)
    .where(gone('floor_id'))
    .groupBy('floor_id')
    .execute()
  if (rows.length) {
    const onIt = new Map(rows.map((row) => [row.floor_id, Number(row.devices)]))
    const used = floors.filter((floor) => onIt.has(floor.id))
    const words = used.map(({ id, name }) => `${name} (${onIt.get(id)})`).join(', ')
    const message = `These floors still have devices: ${words}. Move them first.`
    throw refuse('invalid', message, [{ field: 'building.floors', message }])
  }
  const homes = await tx
    .selectFrom('property')
    .select('floor_id')
    .distinct()
    .where('tenant_id', '=', tx.tenant)
    .where(gone('floor_id'))
    .execute()
  if (homes.length) {
    const used = new Set(homes.map((row) => row.floor_id))
    const words = floors.flatMap(({ id, name }) => (used.has(id) ? [name] : [])).join(', ')
    const message = `These floors still have properties: ${words}. Move them first.`
    throw refuse('invalid', message, [{ field: 'building.floors', message }])
  }
}

/** Device listings contain the names of buildings and floors. */
async function renewDevices(tx: TenantTx, building: string): Promise<void> {
  const rows = await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('building_id', '=', building)
    .execute()
  refreshAddresses(
    tx,
    rows.map((row) => row.id),
  )
}

function faultsOfFloors(floors: readonly { name: string }[]) {
  if (!floors.length) return [{ field: 'building.floors', message: buildingTexts.lastFloor }]
  return floorNameFaults(floors.map((floor) => floor.name)).map((message, at) => ({
    field: `building.floors.${at}.name`,
    message,
  }))
}

/** The default floor, by its name or id; undefined if none is wanted. */
function floorNamed<F extends { id: string; name: string }>(floors: readonly F[], wanted: string | null) {
  if (wanted === null) return undefined
  const found = floors.find((floor) => floor.id === wanted) ?? floors.find((floor) => floor.name === wanted.trim())
  if (!found) refuseFaults([{ field: 'building.defaultFloor', message: buildingTexts.unknownFloor }])
  return found
}

/** The building in the words of the audit. */
const wordsOf = (
  { name, latitude, longitude }: { name: string; latitude: number | null; longitude: number | null },
  floors: readonly NamedFloor[],
  chosen: string | null,
) => ({
  ...{ name, latitude, longitude, floors: floors.map((floor) => floor.name) },
  defaultFloor: floors.find((floor) => floor.id === chosen)?.name ?? null,
})

/** Refuses with all faults, and the message of the first. */
function refuseFaults(faults: readonly { field: string; message: string | undefined }[]): void {
  const found = faults.filter((fault): fault is FieldError => fault.message !== undefined)
  if (found.length) throw refuse('invalid', found[0]!.message, found)
}
