import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  addProperty,
  fetchProperties,
  exportProperties,
  findAddresses,
  getProperty,
  getPropertyChoices,
  getPropertyDevices,
  postPropertyAddress,
  postPropertyDetails,
  putPropertyAddress,
  putPropertyDetails,
  setPropertyAccessRightsTag,
} from '@caretaker/contract/properties.ts'
import { getAwaabsLawFigures, putAwaabsLawFigures } from '@caretaker/contract/awaabs-law.ts'
import { addTagToDevice } from '@caretaker/contract/actions.ts'
import { getProperties } from '@caretaker/contract/dashboard.ts'
import { getViewDefinitions } from '@caretaker/contract/views.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { workingDaysAfter, workingDaysBefore } from '@caretaker/rules/calendar/bank-holidays.ts'
import { dayAfter, dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { chanceOf } from '../../testing/chance.ts'
import type { NewDevice } from '../../testing/furnish/devices.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const engineer = 'boilers@north.test'
const guest = 'guest@north.test'
const limited = 'limited@north.test'

let app: TestApp
let east: string
beforeAll(async () => {
  app = await testApp()
  const open = { features: ['PropertyCentric'], capabilities: ['ViewProperties'] } as const
  await app.addTenant(tenant, {
    features: [...open.features, 'AwaabsLaw', 'VoidFlag'],
    capabilities: ['ViewProperties'],
  })
  await app.addTenant('south', { features: [...open.features], capabilities: ['ViewProperties'] })
  await app.addTenant('private', {
    features: ['PropertyCentric', 'HideCustomerPersonalData'],
    capabilities: ['ViewProperties'],
  })
  await app.addTenant('closed', { features: ['PropertyCentric'] })
  east = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, engineer, 'BoilerEngineer')
  await app.addMember(tenant, guest, 'Guest')
  await app.addMember(tenant, limited, 'Manager', [east])
  for (const id of ['south', 'private', 'closed']) await app.addMember(id, `manager@${id}.test`, 'Manager')
})
afterAll(() => app.close())

interface Home {
  reference?: string
  tag?: string
  address1?: string
}
let made = 0

async function addHome(at = tenant, { reference = `N-${++made}`, tag, address1 = '8 Mytholm Close' }: Home = {}) {
  const id = randomUUID()
  await inTenant(app.database.db, at, (tx) =>
    tx
      .insertInto('property')
      .values({
        ...{ tenant_id: at, id, reference, address1, town: 'Hebden Bridge', county: 'West Yorkshire' },
        ...{ postcode: 'HX7 8DQ', latitude: 53.7, longitude: -2, access_rights_tag_id: tag ?? null },
      })
      .execute(),
  )
  return { tenant: at, propertyId: id }
}

const put = async (params: { tenant: string; propertyId: string }, body: object, who = manager) =>
  app.send(putPropertyDetails, { params, body: body as never }, who)
const read = async (params: { tenant: string; propertyId: string }, who = manager) =>
  (await app.send(getProperty, { params }, who)).body

test('a property whose address is much longer in its search form is stored, and found by its reference', async () => {
  const { propertyId } = await addHome(tenant, { reference: '\u{20001}\u{21002}\u{22003}'.repeat(10) })
  // The first 88 characters represent one word each, the next 72 for three letters; ideographs hardly compress.
  const signs = Array.from({ length: 160 }, (_, at) => String.fromCodePoint(at < 88 ? 0x3300 + at : 0xfd50 + at - 88))
  const chance = chanceOf('addresses')
  while (signs.length < 420) signs.push(String.fromCodePoint(0x4e00 + Math.floor(chance() * 0x5000)))
  const line = (length: number) => signs.splice(0, length).join('')
  const body = { address1: line(100), address2: line(100), address3: line(100), town: line(60), county: line(60) }
  const params = { tenant, propertyId }
  const { status } = await app.send(putPropertyAddress, { params, body: { ...body, postcode: 'HX7 8DQ' } }, manager)
  assert.equal(status, 200)
  const { body: found } = await app.send(
    fetchProperties,
    { body: { tenant, search: '\u{20001}\u{21002}\u{22003}' } },
    manager,
  )
  assert.ok(found.data!.rows.some((row) => row.propertyId === propertyId))
  // Two forms and the reference have to fit into an index entry of 2,704 bytes.
  const { rows } = await app.database.owner.query<{ bytes: number }>(
    'select octet_length(search_form) as bytes from property where tenant_id = $1 and id = $2',
    [tenant, propertyId],
  )
  assert.ok(rows[0]!.bytes <= 1150, `${rows[0]!.bytes} bytes`)
})

test('an address too long for an index is refused with the reason, and a shorter one is stored', async () => {
  const { propertyId } = await addHome()
  const chance = chanceOf('ideographs')
  const line = (length: number) =>
    Array.from({ length }, () => String.fromCodePoint(0x20000 + Math.floor(chance() * 0xa000))).join('')
  const rest = { address2: line(100), address3: line(100), town: line(60), county: line(60) }
  const body = { address1: line(100), ...rest, postcode: 'HX7 8DQ' }
  const params = { tenant, propertyId }
  const message = 'The address is too long to be stored: shorten its lines.'
  const long = await app.send(putPropertyAddress, { params, body }, manager)
  assert.deepEqual([long.status, JSON.stringify(long.body).includes(message)], [400, true])
  const added = await app.send(
    addProperty,
    { params: { tenant }, body: { ...body, propertyReference: 'X-1' } },
    manager,
  )
  assert.deepEqual([added.status, JSON.stringify(added.body).includes(message)], [400, true])
  const shorter = { address1: line(100), address2: line(100), address3: line(100), postcode: 'HX7 8DQ' }
  const { status } = await app.send(putPropertyAddress, { params, body: shorter }, manager)
  assert.equal(status, 200)
})

describe('a property', () => {
  test('is returned in full [est-3-14] [est-3-15] [est-7.2-2] [core-3-37]', async () => {
    const home = await addHome()
    const device = await addDevice(app, tenant, { product: 'BX', name: 'Boiler' })
    await app.database.owner.query(
      `update device set property_id = $2, location = 'Kitchen', location_details = 'In the cupboard', monitoring = 'Boiler'
       where tenant_id = $1 and id = $3`,
      [tenant, home.propertyId, device],
    )
    const { status, body } = await app.send(getProperty, { params: home }, manager)
    assert.equal(status, 200)
    const { surveys, ...shown } = body
    assert.deepEqual(Object.values(surveys), [null, null, null])
    assert.deepEqual(shown, {
      propertyId: home.propertyId,
      tenantId: tenant,
      propertyReference: shown.propertyReference,
      ...{ postcode: 'HX7 8DQ', address1: '8 Mytholm Close', address2: '', address3: '', town: 'Hebden Bridge' },
      ...{
        county: 'West Yorkshire',
        latitude: 53.7,
        longitude: -2,
        building: null,
        epcRating: null,
        voidStatus: 'NotVoid',
        voidSince: null,
      },
      ...{
        lastChemicalTestDate: null,
        lastGasSafetyCheckDate: null,
        gasSafetyFailedDate: null,
        gasSafetyDueDate: null,
        chemicalTestDueDate: null,
      },
      ...{
        awaabsLawStatus: 'None',
        awaabsLawHistory: [],
        awaabsLawCases: [],
        ...{ awaabsLawDueDate: null, awaabsLawNearDate: null, awaabsLawPreventiveDate: null },
        ...{ gasSafetyNearDate: null, chemicalTestNearDate: null },
        propertyArchitype: null,
        numberOfInhabitant: null,
        numberOfRoom: null,
      },
      ...{ propertyOrientation: null, numberOfFloor: null, apartmentLevel: null },
      locations: [{ id: 'Kitchen', name: 'Kitchen', details: 'In the cupboard' }],
      ...{ monitoring: 'Boiler', deviceTags: [], deviceCount: 1, accessRightsTag: null, archivedAt: null, version: 1 },
    })
  })

  test('lists its devices with their readings and gateways [est-3-16] [est-3-17] [est-7.2-3]', async () => {
    const home = await addHome()
    const bcm = await addDevice(app, tenant, { product: 'BX' })
    const meter = await addDevice(app, tenant, { product: 'PM', parentId: bcm })
    await app.database.owner.query(
      `update device set property_id = $2, location = 'Hall',
         power_clamps = case when product = 'PM' then '{"1": "Kitchen", "2": "Hall"}'::jsonb end,
         reported = '{"eui64": "00124B001", "firmware": "3.1"}' where tenant_id = $1 and id = any($3)`,
      [tenant, home.propertyId, [bcm, meter]],
    )
    const { body } = await app.send(getPropertyDevices, { params: home }, manager)
    assert.equal(body.results.length, 2)
    const shown = body.results.find((one) => one.deviceId === meter)!
    assert.equal(shown.bcmId, bcm)
    assert.equal(shown.gatewayId, null)
    assert.equal(shown.eui64, '00124B001')
    assert.equal(shown.firmwareVersion, '3.1')
    assert.equal(shown.propertyLocationId, 'Hall')
    assert.equal(shown.canUninstall, true)
    assert.deepEqual(shown.clamps, [
      { circuit: '1', location: 'Kitchen' },
      { circuit: '2', location: 'Hall' },
    ])
    const forGuest = await app.send(getPropertyDevices, { params: home }, guest)
    assert.deepEqual(new Set(forGuest.body.results.map((one) => one.canUninstall)), new Set([false]))
  })

  test('of another tenant, of another patch, or that does not exist is not found', async () => {
    const theirs = await addHome('south')
    const untagged = await addHome()
    const eastern = await addHome(tenant, { tag: east })
    const statusOf = async (params: { tenant: string; propertyId: string }, who: string) =>
      (await app.send(getProperty, { params }, who)).status
    assert.equal(await statusOf({ tenant, propertyId: theirs.propertyId }, manager), 404)
    assert.equal(await statusOf({ tenant, propertyId: randomUUID() }, manager), 404)
    assert.equal(await statusOf(untagged, limited), 404)
    assert.equal(await statusOf(eastern, limited), 200)
    assert.equal((await put(untagged, { numberOfFloor: 1 }, limited)).status, 404)
    assert.equal((await app.send(getPropertyDevices, { params: untagged }, limited)).status, 404)
    const closed = await addHome('closed')
    assert.equal(await statusOf(closed, 'manager@closed.test'), 403)
  })

  test('discloses no address where personal data is hidden, and accepts none [est-6-10]', async () => {
    const home = await addHome('private', { address1: '77 Secret Street' })
    const who = 'manager@private.test'
    const { body } = await app.send(getProperty, { params: home }, who)
    for (const part of [body.address1, body.town, body.county, body.postcode, body.latitude]) assert.equal(part, null)
    const list = await app.send(fetchProperties, { body: { tenant: 'private' } }, who)
    assert.equal(list.body.data!.rows.length, 1)
    const sought = await app.send(fetchProperties, { body: { tenant: 'private', search: 'secret' } }, who)
    assert.equal(sought.body.data!.total, 0)
    const address = { address1: '1 Mill Lane', postcode: 'LS6 1AB' }
    assert.equal((await app.send(putPropertyAddress, { params: home, body: address }, who)).status, 403)
    const looked = await app.send(findAddresses, { query: { tenant: 'private', postcode: 'HX7 8DQ' } }, who)
    assert.equal(looked.status, 403)
    const file = await app.send(
      exportProperties,
      { body: { tenant: 'private', listing: 'Properties', columns: ['address'] } },
      who,
    )
    assert.equal(file.status, 400)
    assert.ok(!JSON.stringify([body, list.body, file.body]).includes('Secret'))
  })
})

const sent = {
  voidStatus: ['Void', 'void status [est-7.2-22] [est-3-45]'],
  lastChemicalTestDate: ['2026-04-16', 'day of the chemical test [est-7.2-23]'],
  lastGasSafetyCheckDate: ['2025-11-28', 'day of the gas safety check [est-7.2-24]'],
  propertyReference: ['NG-002316', 'reference [est-7.2-25]'],
  epcRating: ['D', 'EPC rating [est-7.2-26]'],
  awaabsLawStatus: ['Repairs', "status under Awaab's Law [est-7.2-27]"],
  propertyArchitype: ['House End-Terrace', 'architype [est-7.2-28]'],
  numberOfInhabitant: [4, 'number of inhabitants [est-7.2-29]'],
  numberOfRoom: [5, 'number of rooms [est-7.2-30]'],
  propertyOrientation: ['North', 'orientation [est-7.2-31]'],
  numberOfFloor: [1000, 'number of floors [est-7.2-32]'],
  apartmentLevel: [0, 'level of the apartment [est-7.2-33]'],
} as const

describe('details', () => {
  for (const [field, [value, what]] of Object.entries(sent))
    test(`the call stores the ${what}`, async () => {
      const home = await addHome()
      const before = await read(home)
      const { status, body } = await put(home, { [field]: value })
      assert.equal(status, 200, JSON.stringify(body))
      const stored = await read(home)
      assert.equal(stored[field as keyof typeof sent], value)
      const same = { ...before, [field]: value, version: 2 }
      for (const also of [
        ...([
          'awaabsLawHistory',
          'awaabsLawCases',
          'awaabsLawDueDate',
          'awaabsLawNearDate',
          'awaabsLawPreventiveDate',
        ] as const),
        ...([
          'voidSince',
          'gasSafetyDueDate',
          'chemicalTestDueDate',
          'gasSafetyNearDate',
          'chemicalTestNearDate',
        ] as const),
      ])
        Object.assign(same, { [also]: stored[also] })
      assert.deepEqual(stored, same)
    })

  test('only the fields sent change, by PUT and by POST, and the audit records them [est-7.2-21]', async () => {
    const home = await addHome()
    await put(home, { epcRating: 'C', numberOfFloor: 2 })
    const { status } = await app.send(postPropertyDetails, { params: home, body: { numberOfFloor: 3 } }, engineer)
    assert.equal(status, 200)
    const now = await read(home)
    assert.deepEqual([now.epcRating, now.numberOfFloor, now.version], ['C', 3, 3])
    const { rows } = await app.database.owner.query<{ before: object; after: object; person_name: string }>(
      `select before, after from audit_entry where tenant_id = $1 and subject_id = $2 order by at desc limit 1`,
      [tenant, home.propertyId],
    )
    assert.deepEqual(rows, [{ before: { numberOfFloor: 2 }, after: { numberOfFloor: 3 } }])
    // Sending the current value is not a change.
    await put(home, { numberOfFloor: 3 })
    assert.equal((await read(home)).version, 3)
  })

  test('a rating is removed by null, a reference by an empty text; two properties may have none', async () => {
    const [home, other] = [await addHome(), await addHome()]
    await put(home, { epcRating: 'C' })
    assert.equal((await put(home, { epcRating: null, propertyReference: '' })).body.epcRating, null)
    assert.equal((await put(other, { propertyReference: '' })).status, 200)
    assert.equal((await read(other)).propertyReference, '')
  })

  test('a reference of another property is refused, one of another tenant is not', async () => {
    await addHome(tenant, { reference: 'TAKEN' })
    await addHome('south', { reference: 'THEIRS' })
    const home = await addHome()
    const { status, body } = await put(home, { propertyReference: 'TAKEN' })
    assert.equal(status, 422)
    assert.match(JSON.stringify(body), /TAKEN is already in use/)
    assert.equal((await put(home, { propertyReference: 'THEIRS' })).status, 200)
  })

  test('invalid values are refused, and nothing is stored', async () => {
    const home = await addHome()
    const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
    for (const wrong of [
      { propertyReference: 'x'.repeat(31) },
      { epcRating: 'NoRating' },
      { awaabsLawStatus: 'Done' },
      { propertyArchitype: 'Castle' },
      { propertyOrientation: 'Up' },
      { numberOfFloor: 1001 },
      { numberOfRoom: 0 },
      { numberOfInhabitant: 11 },
      { voidStatus: 'Perhaps' },
      { lastGasSafetyCheckDate: tomorrow },
      { lastChemicalTestDate: tomorrow },
      { lastChemicalTestDate: '2025-02-29' },
      { lastGasSafetyCheckDate: '26-11-20' },
      { colour: 'red' },
    ])
      assert.equal((await put(home, { numberOfFloor: 7, ...wrong })).status, 400, JSON.stringify(wrong))
    const { body } = await put(home, { propertyReference: 'x'.repeat(31) })
    assert.match(JSON.stringify(body), /Property reference must be under 30 characters/)
    assert.equal((await read(home)).version, 1)
    assert.equal((await put(home, { lastGasSafetyCheckDate: '2024-02-29' })).body.gasSafetyDueDate, '2025-02-28')
  })

  test('the due date of a check is a date in the exported file', async () => {
    const home = await addHome()
    await app.database.owner.query(`update property set gas_check_due_at = '2029-07-01T23:00:00Z' where id = $1`, [
      home.propertyId,
    ])
    const wanted = { listing: 'Properties' as const, columns: ['gasSafetyDue' as const], format: 'csv' as const }
    const file = await app.send(exportProperties, { body: { tenant: home.tenant, ...wanted } }, manager)
    assert.match(file.body as unknown as string, /"2029-07-02"/)
  })

  test('read-only users are refused', async () => {
    const home = await addHome()
    const { status } = await put(home, { numberOfFloor: 1 }, guest)
    assert.equal(status, 403)
    const address = await app.send(
      putPropertyAddress,
      { params: home, body: { address1: '1 Mill Lane', postcode: 'LS6 1AB' } },
      guest,
    )
    assert.equal(address.status, 403)
  })

  test('of two users who change a property at once, the second is refused because it changed', async () => {
    const home = await addHome()
    const turns = await Promise.all([
      put(home, { voidStatus: 'Void', version: 1 }),
      put(home, { voidStatus: 'Void', numberOfRoom: 3, version: 1 }),
    ])
    assert.deepEqual(
      turns.map(({ status }) => status).sort((a, b) => a - b),
      [200, 409],
    )
    assert.match(JSON.stringify(turns.find(({ status }) => status === 409)!.body), /Someone else has changed/)
  })
})

describe("a case of Awaab's Law", () => {
  test('keeps each step with its day, its person and its due date; entries stay', async () => {
    const home = await addHome()
    for (const awaabsLawStatus of ['Investigation', 'Repairs', 'None', 'Audit'])
      await put(home, { awaabsLawStatus, awaabsLawReason: 'No hazard found' })
    const { awaabsLawHistory: steps } = await read(home)
    const today = new Date().toISOString().slice(0, 10)
    assert.deepEqual(
      steps.map(({ status, dueOn }) => [status, dueOn]),
      [
        ['Investigation', workingDaysAfter(today, 10)],
        ['Repairs', workingDaysAfter(today, 5)],
        ['None', null],
        ['Audit', null],
      ],
    )
    assert.ok(steps.every((step) => step.enteredBy !== '' && step.happenedOn === today))
    // Choosing the present step adds none.
    await put(home, { awaabsLawStatus: 'Audit' })
    assert.equal((await read(home)).awaabsLawHistory.length, 4)
  })

  test('has a hazard, given with a step or later; before the law covers it, nothing is due', async () => {
    const home = await addHome()
    const unknown = { awaabsLawStatus: 'Investigation', awaabsLawHazard: 'Another hazard' }
    assert.equal((await put(home, { awaabsLawHazard: 'Damp and mould' })).status, 400)
    await put(home, unknown)
    await put(home, { awaabsLawHazard: 'Damp and mould' })
    const today = new Date().toISOString().slice(0, 10)
    assert.deepEqual(
      (await read(home)).awaabsLawHistory.map(({ status, hazard, dueOn }) => [status, hazard, dueOn]),
      [
        ['Investigation', 'Another hazard', null],
        ['Investigation', 'Damp and mould', workingDaysAfter(today, 10)],
      ],
    )
    assert.equal((await put(home, { awaabsLawHazard: 'Dragons' })).status, 400)
  })

  test('counts a step from its day, and from its true day after a correction', async () => {
    const home = await addHome()
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
    const [today, tomorrow] = [day(0), day(-2)]
    const statusOf = async (body: object, who = manager) => (await put(home, body, who)).status
    assert.equal(await statusOf({ awaabsLawStatus: 'Investigation', awaabsLawHappenedOn: tomorrow }), 400)
    assert.equal(await statusOf({ awaabsLawStatus: 'Investigation', awaabsLawHappenedOn: day(9) }), 200)
    // An entry made today moves no statutory date.
    assert.equal(await statusOf({ awaabsLawHazard: 'Damp and mould' }), 200)
    const first = await read(home)
    assert.equal(first.awaabsLawDueDate, workingDaysAfter(day(9), 10))
    assert.deepEqual(
      first.awaabsLawHistory.map(({ happenedOn, enteredAt }) => [happenedOn, enteredAt.slice(0, 10)]),
      [
        [day(9), today],
        [today, today],
      ],
    )
    const [{ id } = { id: '' }] = first.awaabsLawHistory
    const corrected = { awaabsLawCorrects: id, awaabsLawHappenedOn: day(12), awaabsLawReason: 'Typing error' }
    for (const wrong of [
      { ...corrected, awaabsLawReason: undefined },
      { awaabsLawHappenedOn: day(1) },
      { awaabsLawCorrects: id, awaabsLawReason: 'Typing error' },
      { ...corrected, awaabsLawHazard: 'Falls' },
      { ...corrected, awaabsLawCorrects: randomUUID() },
      { awaabsLawStatus: 'Repairs', awaabsLawHappenedOn: day(10) },
    ])
      assert.equal(await statusOf(wrong), 400, JSON.stringify(wrong))
    assert.equal(await statusOf(corrected, guest), 403)
    assert.equal(await statusOf(corrected), 200)
    const known = await read(home)
    assert.deepEqual(
      [known.awaabsLawDueDate, known.awaabsLawHistory.at(-1)?.dueOn, known.awaabsLawHistory.at(-1)?.corrects],
      [workingDaysAfter(day(12), 10), workingDaysAfter(day(12), 10), id],
    )
    assert.equal(known.awaabsLawHistory[0]?.happenedOn, day(9))
    const filters = [
      { fieldId: 'propertyReference' as const, filterOp: 'equals' as const, value: known.propertyReference },
    ]
    const row = (await app.send(fetchProperties, { body: { tenant, filters } }, manager)).body.data!.rows[0]!
    assert.deepEqual(
      [row.awaabsLawSince, row.awaabsLawDue].map((at) => dayAt(Date.parse(at!), 'Europe/London')),
      [day(12), workingDaysAfter(day(12), 10)],
    )
    const { rows } = await app.database.owner.query<{ before: object; after: object }>(
      `select before, after from audit_entry where tenant_id = $1 and subject_id = $2 order by at desc limit 1`,
      [tenant, home.propertyId],
    )
    const step = { awaabsLawStep: 'Awareness' }
    const { awaabsLawCase: number } = rows[0]!.after as { awaabsLawCase: string }
    assert.deepEqual(rows, [
      {
        before: { ...step, awaabsLawDate: dayText(day(9)) },
        after: { ...step, awaabsLawCase: number, awaabsLawDate: dayText(day(12)), reason: 'Typing error' },
      },
    ])
    // A step of a closed case stays as it is.
    assert.equal(await statusOf({ awaabsLawStatus: 'None', awaabsLawReason: 'No hazard found' }), 200)
    assert.equal(await statusOf(corrected), 400)
  })

  test('uses the figures of the client, and is found in the list by its due date', async () => {
    await app.addTenant('quick', { features: ['PropertyCentric', 'AwaabsLaw'], capabilities: ['ViewProperties'] })
    await app.addMember('quick', 'manager@quick.test', 'Manager')
    await app.database.owner.query(
      `update tenant set settings = '{"awaabsLaw": {"investigation": 2}}' where id = 'quick'`,
    )
    const home = await addHome('quick')
    await put(home, { awaabsLawStatus: 'Investigation' }, 'manager@quick.test')
    const due = workingDaysAfter(new Date().toISOString().slice(0, 10), 2)
    assert.equal((await read(home, 'manager@quick.test')).awaabsLawHistory[0]?.dueOn, due)
    const filters = [{ fieldId: 'awaabsLawDue', filterOp: 'equals' as const, value: due }]
    const { body } = await app.send(fetchProperties, { body: { tenant: 'quick', filters } }, 'manager@quick.test')
    assert.equal(body.data!.total, 1)
  })
})

describe('the access rights tag of a property', () => {
  const tag = (params: { tenant: string; propertyId: string }, accessRightsTagId: string | null, who = manager) =>
    app.send(setPropertyAccessRightsTag, { params, body: { accessRightsTagId } }, who)

  test('shows it to limited users with the tag, and is recorded', async () => {
    const home = await addHome()
    const seen = async () => (await app.send(getProperty, { params: home }, limited)).status
    assert.equal(await seen(), 404)
    const { status, body } = await tag(home, east)
    assert.equal(status, 200)
    assert.deepEqual([body.accessRightsTag, body.version], [{ id: east, displayName: 'East' }, 2])
    assert.equal(await seen(), 200)
    assert.equal((await tag(home, east)).body.version, 2)
    assert.equal((await tag(home, null)).body.accessRightsTag, null)
    assert.equal(await seen(), 404)
    const { rows } = await app.database.owner.query<{ before: object; after: object }>(
      `select before, after from audit_entry where tenant_id = $1 and subject_id = $2
        and action = 'property access rights tag changed' order by at`,
      [tenant, home.propertyId],
    )
    assert.deepEqual(rows[0], { before: { accessRightsTag: null }, after: { accessRightsTag: 'East' } })
  })

  test('can be set only by users who may set it on devices, and only if it exists', async () => {
    const [home, eastern] = [await addHome(), await addHome(tenant, { tag: east })]
    for (const who of [guest, engineer]) assert.equal((await tag(home, east, who)).status, 403, who)
    // Otherwise limited users could lift or pass on their own restriction.
    for (const one of [eastern, home]) assert.equal((await tag(one, null, limited)).status, 403)
    assert.equal((await tag(home, randomUUID())).status, 400)
    assert.equal((await tag(home, east, 'manager@south.test')).status, 404)
    assert.equal((await read(home)).accessRightsTag, null)
  })
})

describe("the figures of Awaab's Law", () => {
  const figures = { investigation: 6, summary: 2, repairs: 4, emergency: 12, preventive: 8, notice: 3 }
  const set = (body: object, who: string, id = 'figures') =>
    app.send(putAwaabsLawFigures, { params: { tenant: id }, body: body as never }, who)

  test('are set within bounds by users who manage misc settings and see all properties, and recompute open cases', async () => {
    const open = { capabilities: ['ViewProperties' as const] }
    await app.addTenant('figures', { ...open, features: ['PropertyCentric', 'AwaabsLaw'] })
    const patch = await addAccessRightsTag(app, 'figures', 'West')
    const who = 'manager@figures.test'
    await app.addMember('figures', who, 'Manager')
    await app.addMember('figures', 'engineer@figures.test', 'BoilerEngineer')
    await app.addMember('figures', 'limited@figures.test', 'Manager', [patch])
    const home = await addHome('figures')
    const day = workingDaysBefore(new Date().toISOString().slice(0, 10), 2)
    const began = { awaabsLawStatus: 'Investigation', awaabsLawHazard: 'Damp and mould', awaabsLawHappenedOn: day }
    assert.equal((await put(home, began, who)).body.awaabsLawDueDate, workingDaysAfter(day, 10))
    for (const other of ['engineer@figures.test', 'limited@figures.test'])
      assert.equal((await set(figures, other)).status, 403, other)
    assert.equal((await set(figures, manager)).status, 404)
    assert.equal((await set(figures, 'manager@south.test', 'south')).status, 403)
    for (const wrong of [
      { investigation: 0 },
      { summary: 1.5 },
      { emergency: 25 },
      { investigation: 11 },
      { summary: 4 },
      { repairs: 6 },
      { preventive: 13 },
      { emergency: 169 },
      { preventive: 53 },
      { notice: -1 },
    ])
      assert.equal((await set({ ...figures, ...wrong }, who)).status, 400, JSON.stringify(wrong))
    const withoutVersion = ({ version: _, ...stored }: Record<string, unknown>) => stored
    assert.deepEqual(withoutVersion((await set(figures, who)).body), figures)
    const shown = await read(home, who)
    assert.deepEqual(
      [shown.awaabsLawDueDate, shown.awaabsLawNearDate, shown.awaabsLawHistory[0]?.dueOn],
      [workingDaysAfter(day, 6), workingDaysBefore(workingDaysAfter(day, 6), 3), workingDaysAfter(day, 10)],
    )
    // An emergency ends after its hours, whatever the figures in days; later steps have their own dates.
    const pressing = await put(home, { awaabsLawEmergency: true, awaabsLawHappenedOn: day }, who)
    // A day without a time counts from its start: 12 hours end on the same day.
    assert.equal(pressing.body.awaabsLawDueDate, day)
    const safe = await put(home, { awaabsLawStatus: 'Summary' }, who)
    const today = dayAt(Date.now(), 'Europe/London')
    assert.deepEqual(
      [safe.body.awaabsLawDueDate, safe.body.awaabsLawPreventiveDate],
      // The property still had to be made safe within those hours, which have passed.
      [day, dayAfter(today, 56)],
    )
    const { rows } = await app.database.owner.query<{ after: object }>(
      `select after from audit_entry where tenant_id = 'figures' and action = 'Awaab''s Law figures changed'`,
    )
    assert.deepEqual(rows, [{ after: figures }])
    const { body } = await app.send(getAwaabsLawFigures, { params: { tenant: 'figures' } }, 'engineer@figures.test')
    assert.deepEqual(withoutVersion(body), figures)
  })
})

describe('an address', () => {
  test('is stored with its place, and its devices are found by it [est-7.2-36]', async () => {
    const home = await addHome()
    const device = await addDevice(app, tenant, { product: 'BX' })
    await app.database.owner.query('update device set property_id = $2 where tenant_id = $1 and id = $3', [
      tenant,
      home.propertyId,
      device,
    ])
    const body = {
      ...{
        address1: 'Flat 6',
        address2: 'Wharf House',
        address3: 'Wharf Street',
        town: 'Leeds',
        county: 'West Yorkshire',
      },
      ...{ postcode: 'LS2 7EQ', latitude: 53.79, longitude: -1.53 },
    }
    const { status, body: saved } = await app.send(putPropertyAddress, { params: home, body }, manager)
    assert.equal(status, 200)
    for (const [part, value] of Object.entries(body)) assert.equal(saved[part as keyof typeof body], value)
    const { rows } = await app.database.owner.query('select address, postcode from device where id = $1', [device])
    assert.deepEqual(rows, [
      { address: 'Flat 6, Wharf House, Wharf Street, Leeds, West Yorkshire', postcode: 'LS2 7EQ' },
    ])
    const posted = await app.send(postPropertyAddress, { params: home, body: { postcode: 'ls27eq' } }, manager)
    assert.equal(posted.body.postcode, 'LS2 7EQ')
    assert.equal(posted.body.address1, '')
    for (const postcode of ['LS2!', 'LS21 3A', 'O1A 1AA', '12345']) {
      const wrong = await app.send(putPropertyAddress, { params: home, body: { postcode } }, manager)
      assert.equal(wrong.status, 400)
      assert.match(JSON.stringify(wrong.body), /Postcode must be valid/)
    }
  })

  test('is looked up by its postcode, in any spelling [est-3-27] [est-7.2-37]', async () => {
    await app.addTenant('book', { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
    await app.addMember('book', 'manager@book.test', 'Manager')
    for (const address1 of ['10 Canal Row', '9 Canal Row']) await addHome('book', { address1 })
    const { status, body } = await app.send(
      findAddresses,
      { query: { tenant: 'book', postcode: 'hx78dq' } },
      'manager@book.test',
    )
    assert.equal(status, 200)
    assert.deepEqual(body, {
      addresses: ['9 Canal Row', '10 Canal Row'].map((line1) => ({
        ...{ line1, line2: '', line3: '', town: 'Hebden Bridge', county: 'West Yorkshire', postcode: 'HX7 8DQ' },
      })),
      latitude: 53.7,
      longitude: -2,
    })
    const none = await app.send(findAddresses, { query: { tenant: 'book', postcode: 'AB1 2BD' } }, 'manager@book.test')
    assert.deepEqual(none.body, { addresses: [], latitude: null, longitude: null })
  })
})

describe('the list', () => {
  test('shows the properties of the tenant, those of the patch to limited users, and none to others [est-7.2-1]', async () => {
    await app.addTenant('listed', { features: ['PropertyCentric', 'VoidFlag'], capabilities: ['ViewProperties'] })
    const patch = await addAccessRightsTag(app, 'listed', 'West')
    await app.addMember('listed', 'manager@listed.test', 'Manager')
    await app.addMember('listed', 'limited@listed.test', 'Manager', [patch])
    const home = await addHome('listed', { reference: 'L-2' })
    await addHome('listed', { reference: 'L-1', tag: patch })
    await app.send(
      putPropertyDetails,
      { params: home, body: { epcRating: 'B', voidStatus: 'Void' } },
      'manager@listed.test',
    )
    const asked = async (who: string, bend: object = {}) =>
      (await app.send(fetchProperties, { body: { tenant: 'listed', ...bend } }, who)).body.data!.rows.map(
        (row) => row.propertyReference,
      )
    assert.deepEqual(await asked('manager@listed.test'), ['L-1', 'L-2'])
    assert.deepEqual(await asked('limited@listed.test'), ['L-1'])
    assert.deepEqual(await asked('manager@listed.test', { viewId: 'property-void' }), ['L-2'])
    assert.deepEqual(await asked('manager@listed.test', { sorts: [{ fieldId: 'epcRating', descending: true }] }), [
      'L-2',
      'L-1',
    ])
    assert.deepEqual(await asked('manager@listed.test', { search: 'l-2' }), ['L-2'])
    const choices = await app.send(
      getPropertyChoices,
      { body: { tenant: 'listed', listing: 'Properties', fieldId: 'accessRightsTag' } },
      'manager@listed.test',
    )
    assert.deepEqual(choices.body.data, ['West'])
    const short = await app.send(getProperties, { params: { tenant: 'listed' }, query: {} }, 'limited@listed.test')
    assert.equal(short.body.total, 1)
    assert.equal((await app.send(fetchProperties, { body: { tenant: 'listed' } }, manager)).status, 404)
    assert.equal((await app.send(fetchProperties, { body: { tenant: 'closed' } }, 'manager@closed.test')).status, 403)
  })

  test("has Awaab's Law only where the client has it: otherwise no field, filter, order, column, view or file", async () => {
    const asked = async (id: string) => {
      const who = `manager@${id}.test`
      await app.addMember(id, who, 'Manager')
      const home = await addHome(id)
      await app.database.owner.query(
        `update property set awaabs_law_status = 'Repairs', awaabs_law_since = now(), awaabs_law_due_at = now() where id = $1`,
        [home.propertyId],
      )
      const body = { tenant: id, listing: 'Properties' } as const
      const status = async (bend: object) =>
        (await app.send(fetchProperties, { body: { ...body, ...bend } }, who)).status
      const { views, fields } = (await app.send(getViewDefinitions, { body: { tenant: id } }, who)).body.data!
      const named = views.flatMap((view) => [
        view.viewId,
        ...view.columns,
        ...view.filters.map(({ fieldId }) => fieldId),
      ])
      const [row] = (await app.send(fetchProperties, { body }, who)).body.data!.rows
      const columns = ['propertyReference', 'awaabsLawStatus'] as const
      const params = { tenant: id, propertyId: home.propertyId }
      const statusOf = async (changes: object) =>
        (await app.send(putPropertyDetails, { params, body: changes } as never, who)).status
      const page = async () => {
        const { awaabsLawStatus, awaabsLawDueDate, awaabsLawHistory } = (await app.send(getProperty, { params }, who))
          .body
        return [awaabsLawStatus, awaabsLawDueDate !== null, awaabsLawHistory.length]
      }
      return {
        pages: [
          await page(),
          await statusOf({ awaabsLawStatus: 'Audit' }),
          await statusOf({ awaabsLawEmergency: true }),
          await page(),
        ],
        // An open case is closed in any case.
        closed: [
          await statusOf({ awaabsLawStatus: 'None', awaabsLawReason: 'No hazard found' }),
          (
            await app.database.owner.query(`select awaabs_law_status as status from property where id = $1`, [
              home.propertyId,
            ])
          ).rows[0].status,
        ],
        statuses: [
          await status({ filters: [{ fieldId: 'awaabsLawStatus', filterOp: 'anyof', value: ['Repairs'] }] }),
          await status({ filters: [{ fieldId: 'awaabsLawDue', filterOp: 'present', value: true }] }),
          await status({ sorts: [{ fieldId: 'awaabsLawDue', descending: true }] }),
          (await app.send(exportProperties, { body: { ...body, columns: [...columns], format: 'csv' } }, who)).status,
          (await app.send(getPropertyChoices, { body: { ...body, fieldId: 'awaabsLawStatus' } }, who)).status,
          await status({ viewId: 'property-awaabs-law-open' }),
          await status({ viewId: 'property-main' }),
        ],
        named: named.filter((name) => /awaab/i.test(name)).length > 0,
        fields: fields.property!.filter(({ fieldId }) => /awaab/i.test(fieldId)).length,
        row: [
          row!.awaabsLawStatus,
          row!.awaabsLawSince !== null,
          row!.awaabsLawDue !== null,
          row!.awaabsLawNear !== null,
        ],
      }
    }
    for (const [id, features] of [
      ['lawful', ['PropertyCentric', 'AwaabsLaw']],
      ['lawless', ['PropertyCentric']],
    ] as const)
      await app.addTenant(id, { features: [...features], capabilities: ['ViewProperties'] })
    assert.deepEqual(await asked('lawful'), {
      ...{ pages: [['Repairs', false, 0], 200, 200, ['Audit', true, 2]], closed: [200, 'None'] },
      ...{ statuses: [200, 200, 200, 200, 200, 200, 200], named: true, fields: 3, row: ['Repairs', true, true, true] },
    })
    assert.deepEqual(await asked('lawless'), {
      ...{ pages: [['None', false, 0], 403, 403, ['None', false, 0]], closed: [200, 'None'] },
      ...{ statuses: [400, 400, 400, 400, 400, 404, 200], named: false, fields: 0, row: ['None', false, false, false] },
    })
  })

  test('is filtered by the tags of the devices that the user sees, and by no others', async () => {
    await app.addTenant('tagged', { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
    const patch = await addAccessRightsTag(app, 'tagged', 'West')
    await app.addMember('tagged', 'manager@tagged.test', 'Manager')
    await app.addMember('tagged', 'limited@tagged.test', 'Manager', [patch])
    await app.addMember('tagged', 'boilers@tagged.test', 'BoilerEngineer')
    const named = (name: string) =>
      app.send(tenantCreateTag, { body: { tenant: 'tagged', name } }, 'manager@tagged.test')
    const [damp, dark] = [(await named('Damp')).body.data!, (await named('Dark')).body.data!]
    const home = await addHome('tagged', { reference: 'T-1', tag: patch })
    const put = async (tagId: string, given: NewDevice) => {
      const deviceId = await addDevice(app, 'tagged', given)
      await inTenant(app.database.db, 'tagged', (tx) =>
        tx
          .updateTable('device')
          .set({ property_id: home.propertyId })
          .where('tenant_id', '=', 'tagged')
          .where('id', '=', deviceId)
          .execute(),
      )
      await app.send(addTagToDevice, { body: { tenant: 'tagged', deviceId, tagId } }, 'manager@tagged.test')
    }
    await put(damp.id, { product: 'MD' })
    await put(dark.id, { product: 'EM', accessRightsTagId: patch })
    const found = async (who: string, value: string) => {
      const filters = [{ fieldId: 'tags' as const, filterOp: 'anyof' as const, value: [value] }]
      const { body } = await app.send(fetchProperties, { body: { tenant: 'tagged', filters } }, `${who}@tagged.test`)
      return body.data!.total
    }
    assert.deepEqual([await found('manager', 'Damp'), await found('manager', 'Dark')], [1, 1])
    // The tag of a sensor is hidden from a limited user who does not see it, and that of a light from a user without
    // lighting.
    assert.deepEqual([await found('limited', 'Damp'), await found('limited', 'Dark')], [0, 1])
    assert.deepEqual([await found('boilers', 'Damp'), await found('boilers', 'Dark')], [1, 0])
  })
})
