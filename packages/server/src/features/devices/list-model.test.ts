import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import fc from 'fast-check'
import type { ViewData } from '@caretaker/contract/devices.ts'
import { previewSelection } from '@caretaker/contract/actions.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { complianceStates } from '@caretaker/rules/compliance/due.ts'
import { batteryTypes } from '@caretaker/rules/lighting/equipment.ts'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { conditionsNamed, reasonChoices } from '@caretaker/rules/conditions/reason-choices.ts'
import { deviceStatuses, hasFailed, severityOf } from '@caretaker/rules/devices/status.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { DeviceField, FieldId, ListingName } from '@caretaker/rules/devices/list.ts'
import { deviceFields, listingNames, listingOf, listings } from '@caretaker/rules/devices/list.ts'
import { monitorings } from '@caretaker/rules/devices/monitoring.ts'
import type { DataType } from '@caretaker/rules/lists/fields.ts'
import { choicesOf, opsOf } from '@caretaker/rules/lists/fields.ts'
import { fieldsOf } from '@caretaker/rules/lists/list.ts'
import type { FilterOp } from '@caretaker/rules/lists/fields.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'
import { containsAll, isFound } from '@caretaker/rules/texts/search-form.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { chanceOf, pick } from '../../testing/chance.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag } from '../../testing/furnish/devices.ts'

type Value = string | number | boolean | Date | string[] | null
/** A device in the model: the value of each field, and what sorts and hides it. */
type Known = { values: Partial<Record<FieldId, Value>>; product: Product; severity: number; floorNumber: number | null }

interface Estate {
  tenant: string
  zone: string
  devices: Known[]
}

let app: TestApp
const estates: Record<string, Estate> = {}
const patches = ['North Patch', 'SOUTH 100%_Patch']
const tags = ['Damp', 'Phase 2', 'winterWatch']

beforeAll(async () => {
  app = await testApp()
  for (const [tenant, zone] of [
    ['north', 'Europe/London'],
    ['hiding', 'Pacific/Auckland'],
  ] as const) {
    await app.addTenant(tenant, {
      features: ['HomeHub', ...(tenant === 'hiding' ? ['HideCustomerPersonalData' as const] : [])],
    })
    await app.database.owner.query('update tenant set time_zone = $2 where id = $1', [tenant, zone])
    const patchIds: string[] = []
    for (const patch of patches) patchIds.push(await addAccessRightsTag(app, tenant, patch))
    await app.addMember(tenant, `manager@${tenant}.test`, 'Manager')
    await app.addMember(tenant, `limited@${tenant}.test`, 'Manager', [patchIds[0]!])
    estates[tenant] = { tenant, zone, devices: await fill(tenant, patchIds) }
  }
})
afterAll(() => app.close())

const names = [
  'Corridor 1',
  'corridor 1',
  'CORRIDOR 10',
  'Éclairage',
  'éclairage',
  '100%',
  'a_b',
  'a\\b',
  "O'Hara",
  'Stair A',
]
const buildings = ['Alder House', 'alder HOUSE annex', 'Zed Court', null]
const products: Product[] = ['EM', 'EM', 'EM', 'EM', 'EL', ...productCodes]
const instants = [
  '2026-03-28T23:59:59.999Z',
  '2026-03-29T00:00:00.000Z',
  '2026-03-29T22:59:59.999Z',
  '2026-03-29T23:00:00.000Z',
  '2026-06-30T11:59:59.999Z',
  '2026-06-30T12:00:00.000Z',
  '2026-06-30T23:00:00.000Z',
].map((text) => new Date(text))

/** Battery dates; the last is exactly three years ago today. */
const batteryDays = ['2019-02-28', '2023-06-30', yearsAgo(3)]
function yearsAgo(years: number): string {
  const today = new Date().toISOString().slice(0, 10)
  return `${Number(today.slice(0, 4)) - years}${today.slice(4).replace('-02-29', '-02-28')}`
}
function fullYears(day: string): number {
  const today = new Date().toISOString().slice(0, 10)
  return Number(today.slice(0, 4)) - Number(day.slice(0, 4)) - (today.slice(5) < day.slice(5) ? 1 : 0)
}

/** Devices with few distinct values, so that filters match and sort orders tie. */
async function fill(tenant: string, patchIds: string[]): Promise<Known[]> {
  const chance = chanceOf(`model of ${tenant}`)
  const some = <T>(values: readonly T[]): T | null => (chance() < 0.2 ? null : pick(chance, values))
  return inTenant(app.database.db, tenant, async (tx) => {
    const tagIds = new Map(tags.map((name) => [name, randomUUID()]))
    await tx
      .insertInto('tag')
      .values([...tagIds].map(([name, id]) => ({ tenant_id: tenant, id, name })))
      .execute()
    const devices: Known[] = []
    for (let at = 0; at < 420; at++) {
      const product = pick(chance, products)
      const status: DeviceStatus = pick(chance, deviceStatuses)
      const patch = some([0, 1] as const)
      const floorNumber = some([-1, 0, 1, 2, 10])
      const carried = tags.filter(() => chance() < 0.3)
      const fault = some(['E119', 'e119', 'A1', 'None'])
      const reason = some(['Battery T180', 'Battery, Lamp T180', 'Never tested'])
      const id = randomUUID()
      const row = {
        tenant_id: tenant,
        id,
        serial: `${product}1${String(at).padStart(6, '0')}${pick(chance, ['A', 'b'])}`,
        product,
        name: pick(chance, names),
        listing: listingOf(product) ?? null,
        status,
        severity: severityOf(status),
        connection_status: pick(chance, connectionStatuses),
        in_wholesale: chance() < 0.3,
        building_name: some(buildings),
        floor_number: floorNumber,
        floor_name: floorNumber === null ? null : `Floor ${floorNumber}`,
        room: some(['Kitchen', 'kitchen', 'Bad', '']),
        address: some(['1 High Street, Leeds', '2 HIGH Street', 'Low Road']),
        postcode: some(['LS1 1AA', 'ls1 1ab']),
        property_reference: some(['NG-1', 'ng-2']),
        location: some(['Hall', 'Loft']),
        location_details: some(['Behind the door', 'BEHIND']),
        monitoring: some(monitorings),
        reported: fault === null ? {} : { faultCode: fault },
        last_test_at: some(instants),
        last_full_test_at: some(instants),
        status_at: pick(chance, instants),
        status_reason: reason,
        status_reason_folded: reason?.toLowerCase() ?? null,
        connection_at: some(instants),
        gas_due_at: some(instants),
        gas_state: some(complianceStates),
        water_due_at: some(instants),
        water_state: some(complianceStates),
        latitude: some([53.1, 53.2, -1.5]),
        longitude: some([53.1, 0, -1.5]),
        access_rights_tag_id: patch === null ? null : patchIds[patch]!,
      }
      await tx.insertInto('device').values(row).execute()
      const isLight = product === 'EM' || product === 'EL'
      const box = {
        name: some(['Escape 3 h', 'escape 8']),
        lamp_type: some(['LED', 'T5 100%']),
        inverter_type: some(['Integral', 'Remote']),
        battery_type: some(batteryTypes),
        battery_voltage: some([3.6, 4.8]),
        battery_capacity: some([2.5, 4]),
        battery_installed: some(batteryDays),
      }
      const hasBox = isLight && chance() < 0.8
      const repairedOn = isLight && chance() < 0.2 ? pick(chance, batteryDays) : null
      if (hasBox)
        await tx
          .insertInto('emergency_equipment')
          .values({ tenant_id: tenant, device_id: id, ...box, monitored_led_circuit: null })
          .execute()
      if (repairedOn)
        await tx
          .insertInto('repair_form')
          .values({
            ...{ tenant_id: tenant, id: randomUUID(), device_id: id, at: new Date(), part: 'equipment' as const },
            ...{
              parts: JSON.stringify({ battery: true }),
              description: '',
              repaired_by: 'Sam',
              repaired_on: repairedOn,
            },
            ...{ person_id: null, person_name: 'Sam' },
          })
          .execute()
      const fitted = [hasBox ? box.battery_installed : null, repairedOn]
        .flatMap((day) => day ?? [])
        .toSorted()
        .at(-1)
      // Reasons by which it is found, whatever its status.
      const open = reasonChoices.filter(() => chance() < 0.08)
      const conditions = conditionsNamed(open)
      if (conditions.length)
        await tx
          .insertInto('condition')
          .values(
            conditions.map(({ kind, key }) => ({
              ...{ tenant_id: tenant, id: randomUUID(), device_id: id, kind, key, began_at: instants[0]! },
              evidence: '{}',
            })),
          )
          .execute()
      const watches = (...some: string[]) => some.includes(row.monitoring ?? '')
      if (carried.length)
        await tx
          .insertInto('device_tag')
          .values(carried.map((name) => ({ tenant_id: tenant, device_id: id, tag_id: tagIds.get(name)! })))
          .execute()
      devices.push({
        product,
        severity: severityOf(status),
        floorNumber,
        values: {
          serial: row.serial,
          name: row.name,
          product,
          status,
          connection: row.connection_status,
          building: row.building_name,
          floor: row.floor_name,
          room: row.room,
          address: row.address,
          postcode: row.postcode,
          propertyReference: row.property_reference,
          location: row.location,
          locationDetails: row.location_details,
          monitoring: row.monitoring ?? 'Unknown',
          fault: fault === 'None' ? null : fault,
          lastTest: row.last_test_at,
          testedOrInstalled: row.last_test_at ?? row.status_at,
          lastFullTest: row.last_full_test_at,
          fullTestedOrInstalled: row.last_full_test_at ?? row.status_at,
          anyReason: open.length > 0 ? open : null,
          statusSince: row.status_at,
          failedSince: hasFailed(status) ? row.status_at : null,
          statusReason: reason,
          connectionSince: row.connection_at,
          gasSafetyDue: row.gas_due_at,
          gasSafety:
            ['BC', 'BX'].includes(product) && !watches('HeatPump', 'None') ? (row.gas_state ?? 'NoRecord') : null,
          waterTreatmentDue: row.water_due_at,
          waterTreatment:
            ['BC', 'BX', 'ASHP', 'HIU'].includes(product) && !watches('None') ? (row.water_state ?? 'NoRecord') : null,
          ...(hasBox && {
            luminaireName: box.name,
            lampType: box.lamp_type,
            inverterType: box.inverter_type,
            batteryType: box.battery_type,
            batteryVoltage: box.battery_voltage,
            batteryCapacity: box.battery_capacity,
          }),
          batteryFitted: fitted === undefined ? null : new Date(`${fitted}T12:00:00Z`),
          batteryAge: fitted === undefined ? null : fullYears(fitted),
          tags: carried,
          accessRightsTag: patch === null ? null : patches[patch]!,
          inWholesale: row.in_wholesale,
          latitude: row.latitude,
          longitude: row.longitude,
        },
      })
    }
    return devices
  })
}

/** A filter as calls send it. */
type SentFilter = Filter & { value: string | number | boolean | string[] }
interface Query {
  listing: ListingName
  filters: SentFilter[]
  sorts: Sort[]
  search: string
  pageSize: number
}

const low = (value: unknown) => String(value).toLowerCase()

function meets(device: Known, { fieldId, filterOp, value }: Filter, zone: string): boolean {
  const has = device.values[fieldId as FieldId] ?? null
  if (filterOp === 'present') return (has !== null && has !== '') === value
  if (filterOp === 'noneof') return !meets(device, { fieldId, filterOp: 'anyof', value }, zone)
  if (has === null) return false
  if (filterOp === 'anyof')
    return (value as string[]).some((one) => meets(device, { fieldId, filterOp: 'equals', value: one }, zone))
  if (Array.isArray(has)) return has.some((one) => low(one) === low(value))
  if (filterOp === 'contains') return containsAll(String(has), String(value))
  const [mine, theirs] =
    has instanceof Date
      ? [dayAt(+has, fieldId === 'batteryFitted' ? 'UTC' : zone), value as string]
      : typeof has === 'string'
        ? [low(has), low(value)]
        : [has, value as number]
  if (filterOp === 'from') return mine >= theirs
  if (filterOp === 'to') return mine <= theirs
  return mine === theirs
}

function found({ values }: Known, search: string, hidesAddress: boolean): boolean {
  const { serial, name, building, floor, room, location, propertyReference, address, postcode } = values
  const places = [serial, name, building, floor, room, location, propertyReference, ...(values.tags as string[])]
  return isFound(search, [...places, ...(hidesAddress ? [] : [address, postcode])] as (string | null)[])
}

function orderKey(device: Known, fieldId: string): Value {
  if (fieldId === 'status') return -device.severity
  if (fieldId === 'floor') return device.floorNumber
  const value = device.values[fieldId as FieldId] ?? null
  return typeof value === 'string' && !choicesOf(deviceFields, fieldId as FieldId) ? low(value) : value
}

function compare(a: Value, b: Value, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const way = a < b ? -1 : a > b ? 1 : 0
  return descending ? -way : way
}

interface Person {
  email: string
  estate: string
  hides: boolean
  limited?: true
}

/** The listing computed naively: every rule applied to every row, one after the other. */
function expected({ estate, limited, hides }: Person, query: Query) {
  const { devices, zone } = estates[estate]!
  const own: readonly Product[] = listings[query.listing].products
  const all = devices.filter(
    ({ product, values }) => own.includes(product) && (!limited || values.accessRightsTag === patches[0]),
  )
  const sorts = query.sorts.length ? query.sorts : [{ fieldId: 'status', descending: false }]
  const rows = all
    .filter((device) => query.filters.every((filter) => meets(device, filter, zone)))
    .filter((device) => found(device, query.search, hides))
    .toSorted((a, b) => {
      for (const { fieldId, descending } of sorts) {
        const [one, other] = [orderKey(a, fieldId), orderKey(b, fieldId)]
        const isText = !choicesOf(deviceFields, fieldId as FieldId)
        const order =
          isText && typeof one === 'string' && typeof other === 'string'
            ? (descending ? -1 : 1) * inNaturalOrder(one, other)
            : compare(one, other, descending)
        if (order) return order
      }
      return compare(a.values.serial!, b.values.serial!, sorts.at(-1)!.descending)
    })
  return { rows: rows.map(({ values }) => values.serial), outOf: all.length }
}

/** A value like those of the devices, written differently. */
function valueLike({ devices }: Estate, fieldId: FieldId): fc.Arbitrary<string> {
  const texts = [...new Set(devices.flatMap(({ values }) => values[fieldId] ?? []).map(String))]
  return fc
    .tuple(
      fc.constantFrom(...texts, 'nothing'),
      fc.constantFrom(low, String, (text: string) => text.toUpperCase()),
    )
    .map(([text, change]) => change(text))
}

const partOf = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, fc.nat(12), fc.integer({ min: 1, max: 8 }))
    .map(([whole, from, length]) => whole.slice(from % whole.length).slice(0, length))

function filterOf(estate: Estate, { fieldId, dataType }: DeviceField): fc.Arbitrary<SentFilter> {
  const texts = valueLike(estate, fieldId)
  const day = fc.constantFrom(...instants.map((at) => dayAt(+at, 'UTC')), ...batteryDays)
  return fc.constantFrom(...opsOf[dataType]).chain((filterOp) => {
    const single: Record<DataType, fc.Arbitrary<SentFilter['value']>> = {
      string: texts,
      stringarray: texts,
      number: fc.constantFrom(53.1, 53.15, -1.5, 0, 1e9, 3, 3.6, 4),
      date: day,
      bool: fc.boolean(),
    }
    const list = fc.array(texts, { minLength: 1, maxLength: 3 })
    const values: Partial<Record<FilterOp, fc.Arbitrary<SentFilter['value']>>> = {
      anyof: list,
      noneof: list,
      present: fc.boolean(),
      contains: partOf(texts),
    }
    const value = values[filterOp] ?? single[dataType]
    return value.map((value) => ({ fieldId, filterOp, value }))
  })
}

function queryOf({ estate: name, hides }: Person): fc.Arbitrary<Query> {
  const estate = estates[name]!
  return fc.constantFrom(...listingNames, 'EmergencyLights' as const, 'Boilers' as const).chain((listing) => {
    const fields = fieldsOf(listings[listing], hides)
    const filterable = fields.filter((field) => field.viewFilterable)
    const sortable = fields.filter((field) => field.sortable)
    const sort = fc.record({
      fieldId: fc.constantFrom(...sortable.map(({ fieldId }) => fieldId)),
      descending: fc.boolean(),
    })
    const filter = fc.constantFrom(...filterable).chain((field) => filterOf(estate, field))
    const anything = fc
      .constantFrom<FieldId>('serial', 'name', 'building', 'address', 'postcode', 'location')
      .chain((id) => valueLike(estate, id))
    return fc.record({
      listing: fc.constant(listing),
      filters: fc.array(filter, { maxLength: 3 }),
      sorts: fc.array(sort, { maxLength: 3 }),
      search: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: partOf(anything) }),
      pageSize: fc.constantFrom(...listings[listing].pageSizes),
    })
  })
}

const people: Record<string, Person> = {
  'a manager': { email: 'manager@north.test', estate: 'north', hides: false },
  'a limited user': { email: 'limited@north.test', estate: 'north', hides: false, limited: true },
  'somebody from whom personal data are hidden': { email: 'manager@hiding.test', estate: 'hiding', hides: true },
}

/** Walks all pages of a listing, by number and by cursor, and compares each with the model's. */
async function comparePages(
  person: Person,
  query: Query,
  load: (page: number, after?: string) => Promise<ViewData>,
): Promise<(Value | undefined)[]> {
  const { rows, outOf } = expected(person, query)
  const { pageSize } = query
  const pages = Math.max(1, Math.ceil(rows.length / pageSize))
  let before: string | null = null
  for (let page = 1; page <= pages; page++) {
    const got = await load(page)
    if (before !== null) {
      const following = await load(page, before)
      assert.deepEqual([following.rows, following.page, following.next], [got.rows, got.page, got.next])
    }
    before = got.next
    assert.deepEqual(
      { serials: got.rows.map((row) => row.deviceSerial), total: got.total, outOf: got.outOf, page: got.page },
      { serials: rows.slice((page - 1) * pageSize, page * pageSize), total: rows.length, outOf, page },
    )
    if (person.hides)
      for (const row of got.rows) assert.deepEqual([row.deviceBuildingAddress, row.devicePostcode], [null, null])
  }
  return rows
}

for (const [who, person] of Object.entries(people))
  test(`for any filters, orders, search and page size ${who} gets what a simple model gives, page by page [dev-3ent-6]`, async () => {
    await fc.assert(
      fc.asyncProperty(queryOf(person), async (query) => {
        const rows = await comparePages(person, query, async (page, after) => {
          const wanted = { tenant: person.estate, ...query, page, ...(after && { after }) }
          const { status, body } = await app.send(fetchViewData, { body: wanted }, person.email)
          assert.equal(status, 200, JSON.stringify(body))
          return body.data!
        })
        const { pageSize: _, ...listing } = query
        const selection = { query: listing, except: [] }
        const { body } = await app.send(previewSelection, { body: { tenant: person.estate, selection } }, person.email)
        assert.equal(body.data!.total + body.data!.readOnly, rows.length)
      }),
      { numRuns: 100 },
    )
  })
