import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import fc from 'fast-check'
import { fetchProperties, putPropertyDetails, setPropertyAccessRightsTag } from '@caretaker/contract/properties.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { hasLevel } from '@caretaker/rules/identity/actor.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { levels } from '@caretaker/rules/identity/roles.ts'
import { choicesOf, opsOf } from '@caretaker/rules/lists/fields.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { fieldsOf } from '@caretaker/rules/lists/list.ts'
import { dampLevels } from '@caretaker/rules/properties/damp.ts'
import { awaabsLawStatuses } from '@caretaker/rules/properties/details.ts'
import type { PropertyFieldId } from '@caretaker/rules/properties/list.ts'
import { propertyFields, propertyLists } from '@caretaker/rules/properties/list.ts'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'
import { containsAll, isFound } from '@caretaker/rules/texts/search-form.ts'
import { makeDue } from '../../postgres/due.ts'
import { record } from '../../projections/record.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag } from '../../testing/furnish/devices.ts'
import { refreshHomeStatuses } from './refresh-statuses.ts'

const tenant = 'north'
const zone = 'Europe/London'
const patches = ['North Patch', 'South 100%_Patch']
const tags = ['Phase 2', 'winterWatch']

type Value = string | number | boolean | Date | string[] | null
interface Device {
  id: string
  home: Home
  product: Product
  status: DeviceStatus
  /** When the status began: of two equally bad devices, the one with the older status decides. */
  since: number
  patch: number | null
  tags: Set<string>
}
interface Home {
  id: string
  reference: string
  postcode: string
  address1: string
  voidStatus: string
  epcRating: string | null
  lawStatus: string
  lawDue: Date | null
  gasDue: Date | null
  damp: (typeof dampLevels)[number]
  patch: number | null
  isArchived: boolean
}

let app: TestApp
let patchIds: string[]
const tagIds = new Map(tags.map((name) => [name, randomUUID()]))
/** The model, which continues with the database from one history to the next. */
const homes: Home[] = []
const devices: Device[] = []
let clock = 0

interface Person {
  email: string
  role: Role
  patch?: number
}
const people: readonly Person[] = [
  { email: 'manager@north.test', role: 'Manager' },
  { email: 'limited@north.test', role: 'Manager', patch: 0 },
  { email: 'lights@north.test', role: 'LightingEngineer' },
]

beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant, {
    features: ['PropertyCentric', 'VoidFlag', 'AwaabsLaw'],
    capabilities: ['ViewProperties'],
  })
  patchIds = await Promise.all(patches.map((name) => addAccessRightsTag(app, tenant, name)))
  for (const { email, role, patch } of people)
    await app.addMember(tenant, email, role, patch === undefined ? [] : [patchIds[patch]!])
  for (const [name, id] of tagIds)
    await app.database.owner.query('insert into tag (tenant_id, id, name) values ($1, $2, $3)', [tenant, id, name])
})
afterAll(() => app.close())

const run = (text: string, values: unknown[]) => app.database.owner.query(text, [tenant, ...values])
const instants = ['2027-03-28T00:59:59Z', '2027-03-28T01:00:00Z', '2027-06-30T22:59:59Z', '2027-06-30T23:00:00Z'].map(
  (text) => new Date(text),
)
const statuses = [
  'Ok',
  'PreventativeMaintenance',
  'Installed',
  'FailedDevice',
  'FailedEquipment',
] as const satisfies DeviceStatus[]
const products = ['BX', 'MD', 'EM'] as const satisfies Product[]

/** An event; `at` selects one of the properties or devices that exist by then. */
type Event =
  | { what: 'home'; reference: string; postcode: string; address1: string; patch: number | null }
  | { what: 'device'; at: number; product: Product; status: DeviceStatus; patch: number | null }
  | { what: 'status'; at: number; status: DeviceStatus }
  | { what: 'move'; at: number; to: number }
  | { what: 'tag'; at: number; name: string }
  | { what: 'details'; at: number; voidStatus: 'Void' | 'NotVoid'; epcRating: 'A' | 'G' | null }
  | { what: 'patch'; at: number; patch: number | null }
  | { what: 'standing'; at: number; damp: Home['damp']; lawStatus: string; lawDue: Date | null; gasDue: Date | null }
  | { what: 'archive'; at: number }

const at = fc.nat(1000)
const patch = fc.constantFrom(null, 0, 1)
const tagging = fc.record({ what: fc.constant('tag' as const), at, name: fc.constantFrom(...tags) })
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    what: fc.constant('home' as const),
    reference: fc.constantFrom('A-', 'a-', 'B 10%', 'É_'),
    postcode: fc.constantFrom('LS1 1AA', 'HX7 8DQ'),
    address1: fc.constantFrom('1 Mill Lane', '1 MILL Lane', 'Écluse 2'),
    patch,
  }),
  fc.record({
    ...{ what: fc.constant('device' as const), at, product: fc.constantFrom(...products), patch },
    status: fc.constantFrom(...statuses),
  }),
  fc.record({ what: fc.constant('status' as const), at, status: fc.constantFrom(...statuses) }),
  fc.record({ what: fc.constant('move' as const), at, to: at }),
  tagging,
  fc.record({
    ...{ what: fc.constant('details' as const), at },
    voidStatus: fc.constantFrom('Void' as const, 'NotVoid' as const),
    epcRating: fc.constantFrom('A' as const, 'G' as const, null),
  }),
  fc.record({ what: fc.constant('patch' as const), at, patch }),
  fc.record({
    ...{ what: fc.constant('standing' as const), at, damp: fc.constantFrom(...dampLevels) },
    lawStatus: fc.constantFrom(...awaabsLawStatuses),
    lawDue: fc.constantFrom(null, ...instants),
    gasDue: fc.constantFrom(null, ...instants),
  }),
  { weight: 1, arbitrary: fc.record({ what: fc.constant('archive' as const), at }) },
)

/** Marks the tags of its property as possibly changed, as the code that changes them does. */
const markTagsChanged = ({ id }: Device) =>
  inTenant(app.database.db, tenant, async (tx) => record(tx, [{ type: 'DeviceTagDeleted', deviceId: id }]))

const one = <T>(some: readonly T[], place: number): T | undefined => some[place % some.length]

/** Applies an event to the product and to the model. */
async function happen(happening: Event): Promise<void> {
  const kept = homes.filter(({ isArchived }) => !isArchived)
  if (happening.what === 'home') {
    const home: Home = {
      ...{ id: randomUUID(), reference: `${happening.reference}${homes.length}`, postcode: happening.postcode },
      ...{ address1: happening.address1, voidStatus: 'NotVoid', epcRating: null, lawStatus: 'None', lawDue: null },
      ...{ gasDue: null, damp: 'not assessed', patch: happening.patch, isArchived: false },
    }
    homes.push(home)
    await run(
      `insert into property (tenant_id, id, reference, postcode, address1, town, access_rights_tag_id)
       values ($1, $2, $3, $4, $5, 'Leeds', $6)`,
      [
        home.id,
        home.reference,
        home.postcode,
        home.address1,
        happening.patch === null ? null : patchIds[happening.patch],
      ],
    )
    return
  }
  if (happening.what === 'device') {
    const home = one(kept, happening.at)
    if (!home) return
    const device: Device = { ...happening, id: randomUUID(), home, since: ++clock, tags: new Set() }
    devices.push(device)
    await run(
      `insert into device (tenant_id, id, serial, product, name, status, severity, status_at, property_id, access_rights_tag_id)
       values ($1, $2, $3, $4, 'One', $5, $6, $7, $8, $9)`,
      [
        ...[
          device.id,
          `${happening.product}1${String(devices.length).padStart(6, '0')}X`,
          happening.product,
          happening.status,
        ],
        ...[severityOf(happening.status), new Date(device.since * 1000), home.id],
        happening.patch === null ? null : patchIds[happening.patch],
      ],
    )
    return
  }
  if (happening.what === 'status' || happening.what === 'move' || happening.what === 'tag') {
    const device = one(devices, happening.at)
    if (!device) return
    if (happening.what === 'status') {
      Object.assign(device, { status: happening.status, since: ++clock })
      await run('update device set status = $3, severity = $4, status_at = $5 where tenant_id = $1 and id = $2', [
        ...[device.id, happening.status, severityOf(happening.status), new Date(device.since * 1000)],
      ])
    } else if (happening.what === 'move') {
      device.home = one(kept, happening.to) ?? device.home
      await markTagsChanged(device)
      await run('update device set property_id = $3 where tenant_id = $1 and id = $2', [device.id, device.home.id])
      await markTagsChanged(device)
    } else {
      if (!device.tags.delete(happening.name)) device.tags.add(happening.name)
      await run(
        device.tags.has(happening.name)
          ? 'insert into device_tag (tenant_id, device_id, tag_id) values ($1, $2, $3)'
          : 'delete from device_tag where tenant_id = $1 and device_id = $2 and tag_id = $3',
        [device.id, tagIds.get(happening.name)],
      )
      await markTagsChanged(device)
    }
    return
  }
  const home = one(kept, happening.at)
  if (!home) return
  const params = { tenant, propertyId: home.id }
  if (happening.what === 'details') {
    const { voidStatus, epcRating } = happening
    Object.assign(home, { voidStatus, epcRating })
    const sent = await app.send(putPropertyDetails, { params, body: { voidStatus, epcRating } }, people[0]!.email)
    assert.equal(sent.status, 200)
  } else if (happening.what === 'patch') {
    home.patch = happening.patch
    const body = { accessRightsTagId: happening.patch === null ? null : patchIds[happening.patch]! }
    assert.equal((await app.send(setPropertyAccessRightsTag, { params, body }, people[0]!.email)).status, 200)
  } else if (happening.what === 'standing') {
    const { damp, lawStatus, lawDue, gasDue } = happening
    Object.assign(home, { damp, lawStatus, lawDue, gasDue })
    await run(
      `update property set damp_level = $3, damp_rank = $4, awaabs_law_status = $5, awaabs_law_due_at = $6,
         gas_check_due_at = $7 where tenant_id = $1 and id = $2`,
      [home.id, damp, dampLevels.indexOf(damp), lawStatus, lawDue, gasDue],
    )
  } else {
    home.isArchived = true
    await run('update property set archived_at = now() where tenant_id = $1 and id = $2', [home.id])
  }
}

/** The devices of a property that a user sees, the worst first. */
const devicesSeen = ({ role, patch }: Person, home: Home) =>
  devices
    .filter((device) => device.home === home && hasLevel({ role }, areaOf(device.product), levels.read))
    .filter((device) => patch === undefined || device.patch === patch)
    .toSorted((a, b) => severityOf(b.status) - severityOf(a.status) || a.since - b.since)

function valuesOf(person: Person, home: Home): Record<PropertyFieldId, Value> {
  const seen = devicesSeen(person, home)
  return {
    propertyReference: home.reference,
    postcode: home.postcode,
    address: `${home.address1}, Leeds`,
    voidStatus: home.voidStatus,
    epcRating: home.epcRating,
    awaabsLawStatus: home.lawStatus,
    awaabsLawDue: home.lawDue,
    awaabsLawMissed: null,
    dampReason: null,
    damp: home.damp,
    dampSince: null,
    status: seen[0]?.status ?? null,
    statusReason: null,
    gasSafetyDue: home.gasDue,
    ...{ gasSafety: null, gasSafetyCertificate: null, waterTreatmentDue: null, waterTreatment: null, heating: null },
    tags: tags.filter((name) => seen.some((device) => device.tags.has(name))),
    accessRightsTag: home.patch === null ? null : patches[home.patch]!,
    devices: seen.length,
    propertyId: home.id,
  }
}

const low = (value: unknown) => String(value).toLowerCase()

function meets(has: Value, { filterOp, value }: Filter): boolean {
  if (filterOp === 'present') return (has !== null && has !== '') === value
  if (filterOp === 'noneof') return !meets(has, { fieldId: '', filterOp: 'anyof', value })
  if (has === null) return false
  const wanted = (Array.isArray(value) ? value : [value]).map(low)
  if (has instanceof Date) {
    const day = dayAt(+has, zone)
    if (filterOp === 'from') return day >= String(value)
    return filterOp === 'to' ? day <= String(value) : day === value
  }
  if (filterOp === 'contains') return containsAll(String(has), wanted[0]!)
  return (Array.isArray(has) ? has : [has]).some((own) => wanted.includes(low(own)))
}

function keyOf(values: Record<PropertyFieldId, Value>, fieldId: PropertyFieldId): Value {
  const value = values[fieldId]
  if (fieldId === 'damp') return -dampLevels.indexOf(value as Home['damp'])
  if (fieldId === 'status') return value === null ? 0 : -severityOf(value as DeviceStatus)
  return typeof value === 'string' && !choicesOf(propertyFields, fieldId) ? low(value) : value
}

function compare(a: Value, b: Value, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const way = a < b ? -1 : a > b ? 1 : 0
  return descending ? -way : way
}

interface Query {
  filters: (Filter & { value: string | number | boolean | string[] })[]
  sorts: Sort[]
  search: string
}

/** The list computed naively. */
function expected(person: Person, { filters, sorts, search }: Query) {
  const all = homes
    .filter(({ isArchived, patch }) => !isArchived && (person.patch === undefined || patch === person.patch))
    .map((home) => valuesOf(person, home))
  const order = sorts.length ? sorts : [{ fieldId: 'propertyReference', descending: false }]
  const rows = all
    .filter((values) => filters.every((filter) => meets(values[filter.fieldId as PropertyFieldId], filter)))
    .filter((values) =>
      isFound(search, [
        values.propertyReference,
        values.postcode,
        values.address,
        ...(values.tags as string[]),
      ] as string[]),
    )
    .toSorted((a, b) => {
      for (const { fieldId, descending } of order) {
        const [one, other] = [keyOf(a, fieldId as PropertyFieldId), keyOf(b, fieldId as PropertyFieldId)]
        const isText = !choicesOf(propertyFields, fieldId as PropertyFieldId)
        const way =
          isText && typeof one === 'string' && typeof other === 'string'
            ? (descending ? -1 : 1) * inNaturalOrder(one, other)
            : compare(one, other, descending)
        if (way) return way
      }
      return compare(a.propertyId, b.propertyId, order.at(-1)!.descending)
    })
  return { rows, outOf: all.length }
}

const fields = fieldsOf(propertyLists.Properties, false)
const texts: Partial<Record<PropertyFieldId, readonly string[]>> = {
  propertyReference: ['A-0', 'a-1', 'b 10%2', 'é_3', '-', '%', '_'],
  postcode: ['ls1 1aa', 'HX7 8DQ', '7 8'],
  address: ['1 mill lane, leeds', 'écluse', 'MILL'],
  voidStatus: ['Void', 'notvoid'],
  epcRating: ['A', 'g', 'C'],
  awaabsLawStatus: awaabsLawStatuses,
  damp: dampLevels,
  status: statuses,
  tags: [...tags, 'nothing'],
  accessRightsTag: ['north patch', 'South 100%_Patch', '%_'],
}
const filter = fc.constantFrom(...fields.filter((field) => field.viewFilterable)).chain(({ fieldId, dataType }) =>
  fc.constantFrom(...opsOf[dataType]).chain((filterOp) => {
    const text = fc.constantFrom(...(texts[fieldId] ?? instants.map((day) => dayAt(+day, zone))))
    const value: fc.Arbitrary<string | boolean | string[]> =
      filterOp === 'present'
        ? fc.boolean()
        : filterOp === 'anyof' || filterOp === 'noneof'
          ? fc.array(text, { minLength: 1, maxLength: 3 })
          : text
    return value.map((wanted) => ({ fieldId, filterOp, value: wanted }))
  }),
)
const sort = fc.record({
  fieldId: fc.constantFrom(...fields.filter(({ sortable }) => sortable).map(({ fieldId }) => fieldId)),
  descending: fc.boolean(),
})
const query: fc.Arbitrary<Query> = fc.record({
  filters: fc.array(filter, { maxLength: 2 }),
  sorts: fc.array(sort, { maxLength: 2 }),
  search: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.constantFrom('mill', 'É', '%', '-1', 'ls1')),
})

test('after any history of properties and devices, each user gets what a simple model gives: rows, statuses, tags and counts', async () => {
  const story = fc.record({
    events: fc.array(event, { minLength: 5, maxLength: 25 }),
    // Statuses are those of the last run of the job; tags are always current.
    unsettled: fc.array(tagging, { maxLength: 5 }),
    asked: fc.array(fc.record({ person: fc.constantFrom(...people), query }), { minLength: 4, maxLength: 8 }),
  })
  await fc.assert(
    fc.asyncProperty(story, async ({ events, unsettled, asked }) => {
      for (const happening of events) await happen(happening)
      await inTenant(app.database.db, tenant, (tx) => makeDue(tx, 'settle homes', new Date(0)))
      await refreshHomeStatuses(app.database.db)
      for (const happening of unsettled) await happen(happening)
      for (const { person, query: wanted } of asked) {
        const { rows, outOf } = expected(person, wanted)
        for (let page = 1; page <= Math.max(1, Math.ceil(rows.length / 25)); page++) {
          const { status, body } = await app.send(fetchProperties, { body: { tenant, ...wanted, page } }, person.email)
          assert.equal(status, 200, JSON.stringify(body))
          const got = body.data!
          assert.deepEqual(
            {
              ...{ total: got.total, outOf: got.outOf },
              rows: got.rows.map((row) => [
                ...[row.propertyReference, row.postcode, row.address, row.voidStatus, row.epcRating, row.damp],
                ...[row.awaabsLawStatus, row.awaabsLawDue, row.gasSafetyDue, row.deviceStatus, row.deviceCount],
                ...[row.deviceTags.map(({ name }) => name).join(), row.accessRightsTag?.displayName ?? null],
              ]),
            },
            {
              ...{ total: rows.length, outOf },
              rows: rows
                .slice((page - 1) * 25, page * 25)
                .map((row) => [
                  ...[row.propertyReference, row.postcode, row.address, row.voidStatus, row.epcRating, row.damp],
                  ...[row.awaabsLawStatus, instantOf(row.awaabsLawDue), instantOf(row.gasSafetyDue), row.status],
                  ...[row.devices, (row.tags as string[]).join(), row.accessRightsTag],
                ]),
            },
          )
        }
      }
    }),
    { numRuns: 8, endOnFailure: true },
  )
})

const instantOf = (at: Value) => (at instanceof Date ? at.toISOString() : null)
