import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { fetchProperties } from '@caretaker/contract/properties.ts'
import { searchEverything } from '@caretaker/contract/search.ts'
import { createViewDefinition } from '@caretaker/contract/views.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { refreshPlaces } from '../../projections/copied-places.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import type { NewDevice } from '../../testing/furnish/devices.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

let round = 0
/** A client with one member of each role, and one manager restricted to the access rights tag East. */
async function newClient(features: Parameters<TestApp['addTenant']>[1] = {}) {
  const tenant = `t${++round}`
  await app.addTenant(tenant, features)
  const east = await addAccessRightsTag(app, tenant, 'East')
  const of = (name: string) => `${name}@${tenant}.test`.toLowerCase()
  for (const role of roles) await app.addMember(tenant, of(role), role)
  await app.addMember(tenant, of('limited'), 'Manager', [east])
  await app.addMember(tenant, of('limited-developer'), 'Developer', [east])
  const search = async (text: string, who: Role | 'limited' | 'limited-developer' = 'Manager') => {
    const { status, body } = await app.send(searchEverything, { body: { tenant, search: text } }, of(who))
    assert.equal(status, 200, JSON.stringify(body))
    return body.data!
  }
  const building = async (name: string, address = '', postcode = '') => {
    const id = crypto.randomUUID()
    await inTenant(app.database.db, tenant, (tx) =>
      tx.insertInto('building').values({ tenant_id: tenant, id, name, address, postcode }).execute(),
    )
    return id
  }
  const property = async (reference: string, address1: string) => {
    const id = crypto.randomUUID()
    await inTenant(app.database.db, tenant, (tx) =>
      tx.insertInto('property').values({ tenant_id: tenant, id, reference, address1 }).execute(),
    )
    return id
  }
  const device = async (given: NewDevice & { buildingId?: string; propertyId?: string; room?: string } = {}) => {
    const { buildingId = null, propertyId = null, room = null, ...rest } = given
    const id = await addDevice(app, tenant, rest)
    await inTenant(app.database.db, tenant, async (tx) => {
      const place = { building_id: buildingId, property_id: propertyId, room }
      await tx.updateTable('device').set(place).where('tenant_id', '=', tenant).where('id', '=', id).execute()
      await refreshPlaces(tx, tenant, [id])
    })
    return id
  }
  const tag = async (name: string, devices: string[]) => {
    const id = crypto.randomUUID()
    await inTenant(app.database.db, tenant, async (tx) => {
      await tx.insertInto('tag').values({ tenant_id: tenant, id, name }).execute()
      for (const device_id of devices)
        await tx.insertInto('device_tag').values({ tenant_id: tenant, device_id, tag_id: id }).execute()
    })
  }
  const serials = async (text: string, who?: Parameters<typeof search>[1]) =>
    (await search(text, who)).devices.items.map((item) => item.serialNumber)
  return { tenant, east, of, search, serials, building, property, device, tag }
}
type Client = Awaited<ReturnType<typeof newClient>>

describe('properties', () => {
  test('are found by reference, address and postcode without any device, and only by users who see properties', async () => {
    const open = { features: ['PropertyCentric'], capabilities: ['ViewProperties'] } as const
    const { tenant, east, property, search } = await newClient({
      features: [...open.features],
      capabilities: [...open.capabilities],
    })
    const id = await property('PR-7781', '5 Orchard Fold')
    const own = await property('PR-7782', '6 Orchard Fold')
    const set = (text: string, values: unknown[]) => app.database.owner.query(text, values)
    await set(`update property set postcode = 'LS9 7QT' where id = $1`, [id])
    await set(`update property set access_rights_tag_id = $2 where id = $1`, [own, east])
    await set(`update property set gas_check_state = 'Failed' where id = $1`, [own])
    for (const text of ['pr-7781', '5 ORCH', 'ls9 7qt', 'fold ls9', 'fold, ls9'])
      assert.deepEqual(
        (await search(text)).properties.items.map((home) => home.propertyId),
        [id],
        text,
      )
    const { properties } = await search('orchard', 'limited')
    assert.deepEqual(properties, {
      total: 1,
      items: [{ propertyId: own, propertyReference: 'PR-7782', address: '6 Orchard Fold', gasSafety: 'Failed' }],
    })
    await set(`update property set archived_at = now() where id = $1`, [id])
    assert.equal((await search('pr-7781')).properties.total, 0)
    await set(`delete from tenant_capability where tenant_id = $1`, [tenant])
    assert.equal((await search('orchard')).properties.total, 0)
    const stranger = await newClient({ features: [...open.features], capabilities: [...open.capabilities] })
    assert.equal((await stranger.search('orchard')).properties.total, 0)
  })
})

test('and devices are the same in lists and global search, in any spelling of the text', async () => {
  const { tenant, of, device, property, building, search, tag } = await newClient({
    features: ['PropertyCentric'],
    capabilities: ['ViewProperties'],
  })
  const home = await property('PR-1', 'Flat 2, St. Mary’s Café')
  await app.database.owner.query(`update property set postcode = 'HX1 5TX' where id = $1`, [home])
  const boiler = await device({ product: 'BX', serial: 'BX1', name: 'Küche', propertyId: home })
  const tower = await building("Mary's Tower", '1 Weavers Row', 'LS9 7QT')
  await device({ product: 'BX', serial: 'BX2', name: 'Other', buildingId: tower })
  await tag('Dämp watch', [boiler])
  for (const text of [
    'HX15TX',
    'hx1 5tx',
    'cafe st marys',
    "st. mary's cafe",
    'flat cafe\u0301',
    'DAMP',
    'watch flat',
  ]) {
    const found = await search(text)
    const homes = await app.send(fetchProperties, { body: { tenant, search: text } }, of('Manager'))
    const devices = await app.send(fetchViewData, { body: { tenant, listing: 'Bcms', search: text } }, of('Manager'))
    assert.deepEqual(
      {
        homes: found.properties.items.map(({ propertyId }) => propertyId),
        devices: found.devices.items.map(({ deviceId }) => deviceId),
      },
      { homes: [home], devices: [boiler] },
      text,
    )
    assert.deepEqual(
      {
        homes: homes.body.data!.rows.map(({ propertyId }) => propertyId),
        devices: devices.body.data!.rows.map(({ deviceId }) => deviceId),
      },
      { homes: [home], devices: [boiler] },
      text,
    )
  }
  for (const text of ['kuche mary', 'KÜCHE BX1']) assert.equal((await search(text)).devices.total, 1, text)
  for (const text of ['tower marys', 'LS97QT', 'row weavers'])
    assert.deepEqual(
      (await search(text)).buildings.items.map(({ buildingId }) => buildingId),
      [tower],
      text,
    )
  assert.equal((await search('café oak')).properties.total, 0)
  assert.equal((await search('’’')).properties.total, 0)
})

describe('devices', () => {
  test('are found by serial, name, building, room, property reference, address and tag, ignoring case', async () => {
    const { device, building, property, serials, tag, search } = await newClient()
    const tower = await building('Quarry Tower', '1 Weavers Row', 'LS9 7QT')
    const home = await property('PR-7781', '5 Orchard Fold')
    await device({ serial: 'EM1000001A', name: 'Hall', buildingId: tower, room: 'Plantroom' })
    const boiler = await device({ product: 'BX', serial: 'BX1000002B', name: 'Kitchen', propertyId: home })
    await device({ serial: 'EM1000009Z', name: 'Other' })
    await tag('DampWatch', [boiler])
    for (const text of ['em1000001', '000001a', 'HALL', 'quarry t', 'plantroom', 'weavers', 'ls9 7qt'])
      assert.equal((await serials(text))[0], 'EM1000001A', text)
    for (const text of ['bx1', 'kitch', 'pr-7781', 'ORCHARD', 'dampw', 'Watch'])
      assert.deepEqual(await serials(text), ['BX1000002B'], text)
    assert.deepEqual(await serials('no such thing'), [])
    const { devices } = await search('dampwatch')
    assert.deepEqual(devices, {
      total: 1,
      items: [
        {
          deviceId: boiler,
          productId: 'BX',
          serialNumber: 'BX1000002B',
          name: 'Kitchen',
          status: 'Ok',
          inWholesale: false,
          place: 'PR-7781',
          propertyId: home,
          propertyReference: 'PR-7781',
          address: '5 Orchard Fold',
          tag: 'DampWatch',
        },
      ],
    })
    assert.equal((await search('kitchen')).devices.items[0]!.tag, null)
  })

  test('are found by any tag with the text in its name, as are their properties, however many tags match', async () => {
    const { tenant, of, device, property, tag, search } = await newClient({
      features: ['PropertyCentric'],
      capabilities: ['ViewProperties'],
    })
    const propertyId = await property('H-1', 'Mill Lane')
    const tagged = await device({ product: 'BX', serial: 'BX0000001A', propertyId })
    await device({ product: 'BX', serial: 'BX0000002B' })
    await inTenant(app.database.db, tenant, (tx) =>
      tx
        .insertInto('tag')
        .values(
          Array.from({ length: 100 }, (_, at) => ({ tenant_id: tenant, id: crypto.randomUUID(), name: `Ward ${at}` })),
        )
        .execute(),
    )
    await tag('Wärd 100', [tagged])
    const found = await search('ward')
    assert.deepEqual(
      [found.devices.items.map(({ deviceId }) => deviceId), found.properties.items.map(({ propertyId: id }) => id)],
      [[tagged], [propertyId]],
    )
    const asked = { tenant, listing: 'Bcms', search: 'ward' } as const
    const { body: devices } = await app.send(fetchViewData, { body: asked }, of('Manager'))
    assert.equal(devices.data!.total, 1)
    const { body: homes } = await app.send(fetchProperties, { body: { tenant, search: 'ward' } }, of('Manager'))
    assert.equal(homes.data!.total, 1)
    // All words must be in the name of the same tag.
    assert.equal((await search('warden')).devices.total, 0)
  })

  test('are ordered by match: serial, then name, then a word, then anywhere, then by tag', async () => {
    const { device, serials, tag } = await newClient()
    const tagged = await device({ serial: 'AA1', name: 'Tagged' })
    await device({ serial: 'AA2', name: 'xxlamp' })
    await device({ serial: 'AA3', name: 'The lamp' })
    await device({ serial: 'AA4', name: 'Lamp of the hall' })
    await device({ serial: 'LAMP5', name: 'Light' })
    await device({ serial: 'LAMP4', name: 'Light' })
    await tag('lampgroup', [tagged])
    assert.deepEqual(await serials('lamp'), ['LAMP4', 'LAMP5', 'AA4', 'AA3', 'AA2', 'AA1'])
  })

  test('are ordered with failing ones first and not installed ones last, after an exact serial', async () => {
    const { device, serials } = await newClient()
    await device({ serial: 'AA1', name: 'Lamp in stock', status: 'Inventory' })
    await device({ serial: 'AA2', name: 'Lamp that is fine' })
    await device({ serial: 'AA3', name: 'Fine lamp' })
    await device({ serial: 'AA4', name: 'Lamp to be looked at', status: 'RepairedDevice' })
    await device({ serial: 'AA5', name: 'The failed lamp', status: 'FailedEquipment' })
    await device({ serial: 'AA6', name: 'The broken lamp', status: 'FailedDevice' })
    await device({ serial: 'LAMP7', name: 'Removed', status: 'AwaitingRecycling' })
    await device({ serial: 'LAMP8', name: 'Fine' })
    await device({ serial: 'LAMP9', name: 'Failed', status: 'FailedEquipment' })
    assert.deepEqual(await serials('lamp'), ['LAMP9', 'LAMP8', 'LAMP7', 'AA5', 'AA6', 'AA2', 'AA4', 'AA3'])
  })

  test('are at most eight, with the total', async () => {
    const { device, search } = await newClient()
    for (let at = 0; at < 11; at++) await device({ name: `Corridor ${at}` })
    const { devices } = await search('corridor')
    assert.deepEqual([devices.items.length, devices.total], [8, 11])
  })

  test('are searched literally, without wildcards', async () => {
    const { device, serials } = await newClient()
    await device({ serial: 'EM1', name: '100% checked' })
    await device({ serial: 'EM2', name: 'a_b \\ c' })
    await device({ serial: 'EM3', name: "O'Neill" })
    assert.deepEqual(await serials('0%'), ['EM1'])
    assert.deepEqual(await serials('a_b'), ['EM2'])
    assert.deepEqual(await serials('\\ c'), ['EM2'])
    assert.deepEqual(await serials("o'n"), ['EM3'])
    for (const text of ['%%', '__', 'E%1', 'EM_', '.*', "' or '1'='1"]) assert.deepEqual(await serials(text), [], text)
  })

  test('are those of the areas that each role reads, and of existing listings', async () => {
    const { device, serials } = await newClient()
    const products: Product[] = ['EM', 'BX', 'MG', 'TH', 'ADEY', 'ZH', 'LM', 'PS']
    for (const product of products) await device({ product, serial: `${product}1`, name: 'Findme' })
    const sensors = ['ADEY1', 'TH1']
    const all = ['ADEY1', 'BX1', 'EM1', 'MG1', 'TH1']
    const expected: Record<Role, string[]> = {
      LightingEngineer: ['EM1', 'MG1', ...sensors],
      BoilerEngineer: ['BX1', 'MG1', ...sensors],
      Manager: all,
      Guest: all,
      Admin: all,
      // Whatever the client has bought.
      Developer: [...all, 'ZH1'],
    }
    for (const role of roles) assert.deepEqual((await serials('findme', role)).sort(), expected[role].sort(), role)
    const withHubs = await newClient({ features: ['HomeHub'] })
    await withHubs.device({ product: 'ZH', serial: 'ZH1', name: 'Findme' })
    assert.deepEqual(await withHubs.serials('findme', 'Guest'), ['ZH1'])
  })

  test('for a limited user are those with their tag, and no others are counted', async () => {
    const { device, search, east, tag } = await newClient()
    const seen = await device({ name: 'Findme', accessRightsTagId: east })
    const others = [await device({ name: 'Findme' }), await device({ name: 'Findme' })]
    await tag('Shared', [seen, ...others])
    for (const text of ['findme', 'shared']) {
      const { devices } = await search(text, 'limited')
      assert.deepEqual([devices.total, devices.items.map((item) => item.deviceId)], [1, [seen]], text)
      assert.equal((await search(text)).devices.total, 3)
    }
  })

  test('neither match by address nor show one where personal data is hidden', async () => {
    const { device, building, property, serials, search } = await newClient({ features: ['HideCustomerPersonalData'] })
    const propertyId = await property('PR-1', '5 Orchard Fold')
    await device({ product: 'BX', serial: 'BX1', name: 'Kitchen', propertyId })
    await building('Tower', '1 Weavers Row', 'LS9')
    for (const text of ['orchard', 'weavers', 'ls9']) {
      assert.deepEqual(await serials(text), [])
      assert.equal((await search(text)).buildings.total, 0)
    }
    assert.equal((await search('kitchen')).devices.items[0]!.address, null)
    assert.equal((await search('tower')).buildings.items[0]!.address, null)
  })
})

describe('buildings', () => {
  const names = async ({ search }: Client, text: string, who?: Parameters<Client['search']>[1]) =>
    (await search(text, who)).buildings.items.map((item) => item.name)

  test('are found by name and address, best first, with the status of the worst visible device', async () => {
    const client = await newClient()
    const { device, building, search } = client
    const mill = await building('Mill House', '1 Weavers Row', 'LS9 7QT')
    await building('Old Mill')
    await building('Windmill')
    await device({ buildingId: mill, status: 'Ok' })
    await device({ buildingId: mill, status: 'FailedDevice' })
    await device({ buildingId: mill, status: 'Installed' })
    await device({ buildingId: mill, product: 'BX', status: 'FailedEquipment' })
    assert.deepEqual(await names(client, 'mill'), ['Mill House', 'Old Mill', 'Windmill'])
    assert.deepEqual(await names(client, 'weavers row'), ['Mill House'])
    const [first, second] = (await search('mill')).buildings.items
    assert.deepEqual(first, {
      buildingId: mill,
      name: 'Mill House',
      address: '1 Weavers Row, LS9 7QT',
      status: 'FailedEquipment',
    })
    assert.equal(second!.status, null)
    // Lighting engineers do not see boilers.
    assert.equal((await search('mill', 'LightingEngineer')).buildings.items[0]!.status, 'Installed')
  })

  test('for a limited user are those with a visible device, except for developers', async () => {
    const client = await newClient()
    const { device, building, east, search } = client
    const [mine, other] = [await building('Mill East'), await building('Mill West')]
    await building('Mill Empty')
    await device({ buildingId: mine, accessRightsTagId: east, status: 'Ok' })
    await device({ buildingId: mine, status: 'FailedEquipment' })
    await device({ buildingId: other })
    assert.deepEqual(await names(client, 'mill', 'limited'), ['Mill East'])
    const { buildings } = await search('mill', 'limited')
    assert.deepEqual([buildings.total, buildings.items[0]!.status], [1, 'Ok'])
    assert.deepEqual(await names(client, 'mill', 'limited-developer'), ['Mill East', 'Mill Empty', 'Mill West'])
  })
})

test('people are found by name, and by e-mail for users who administer users; at most five', async () => {
  const { tenant, search } = await newClient()
  for (let at = 0; at < 7; at++) await app.addMember(tenant, `person.${at}@firm.test`, 'Guest')
  const { people } = await search('firm.test')
  assert.deepEqual([people.total, people.items.length], [7, 5])
  const guest = await search('person', 'Guest')
  assert.deepEqual([guest.people.total, guest.people.items[0]!.email, guest.people.items[0]!.role], [7, null, 'Guest'])
  assert.equal((await search('firm.test', 'Guest')).people.total, 0)
  assert.equal((await search('guest')).people.items[0]!.name, 'guest')
})

test("views are found by name: built-in ones of visible listings, public ones, and the user's private ones", async () => {
  const { tenant, of, search } = await newClient()
  const make = (label: string, isPrivate: boolean, as: Role) =>
    app.send(
      createViewDefinition,
      {
        body: { tenant, view: { root: 'emered', label, private: isPrivate, columns: ['serial'], filters: [] } },
      },
      of(as),
    )
  await make('Mornings', false, 'Manager')
  await make('My mornings', true, 'Guest')
  const labels = async (text: string, who: Role) => (await search(text, who)).views.items.map((view) => view.label)
  assert.deepEqual(await labels('morning', 'Guest'), ['Mornings', 'My mornings'])
  assert.deepEqual(await labels('morning', 'Manager'), ['Mornings'])
  assert.deepEqual(await labels('morning', 'BoilerEngineer'), [])
  assert.deepEqual(await labels('emergency', 'Guest'), ['Emergency Lights'])
  assert.deepEqual(await labels('emergency', 'BoilerEngineer'), [])
  const { views } = await search('failed')
  assert.equal(views.items.length, 5)
  assert.ok(views.total > 5)
})

test('of many saved views the five best are shown, and all of them counted', async () => {
  const { tenant, search } = await newClient()
  await app.database.owner.query(
    `insert into view_definition (tenant_id, id, root, label, private, owner_id, columns, filters, sorts)
     select $1, gen_random_uuid(), 'emered', case n when 300 then 'Rounds' else 'Night rounds ' || n end, false, gen_random_uuid(),
       '["serial"]', '[]', '[]' from generate_series(1, 300) n`,
    [tenant],
  )
  const { views } = await search('rounds')
  assert.equal(views.total, 300)
  assert.deepEqual(
    views.items.map((view) => view.label),
    ['Rounds', ...[1, 2, 3, 4].map((n) => `Night rounds ${n}`)],
  )
})

test('another client is never searched', async () => {
  const [mine, theirs] = [await newClient(), await newClient()]
  const buildingId = await theirs.building('Findme House')
  const device = await theirs.device({ serial: 'FINDME1', buildingId })
  await theirs.tag('Findme', [device])
  await app.addMember(theirs.tenant, 'findme@firm.test', 'Guest')
  const nothing = { total: 0, items: [] }
  assert.deepEqual(await mine.search('findme', 'Developer'), {
    devices: nothing,
    properties: nothing,
    buildings: nothing,
    people: nothing,
    views: nothing,
  })
  const body = { tenant: theirs.tenant, search: 'findme' }
  assert.equal((await app.send(searchEverything, { body }, mine.of('Developer'))).status, 404)
  assert.equal((await theirs.search('findme')).devices.total, 1)
})

test('a text of fewer than two characters, or too long, is refused', async () => {
  const { tenant, of } = await newClient()
  for (const search of ['', 'a', ' a ', '     ', 'x'.repeat(101), 'a\u0000b', 7, null, ['em']])
    assert.equal(
      (await app.send(searchEverything, { body: { tenant, search } as never }, of('Manager'))).status,
      400,
      JSON.stringify(search),
    )
})
