import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { getLatLong, getTenantBuildings } from '@caretaker/contract/buildings.ts'
import { findAddresses } from '@caretaker/contract/properties.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import type { PostcodeServer } from '../testing/postcode-server.ts'
import { postcodeServer } from '../testing/postcode-server.ts'
import { importPostcodes } from './import.ts'

let app: TestApp
let served: TestApp
let server: PostcodeServer
const manager = 'manager@north.test'
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-postcodes-'))
beforeAll(async () => {
  server = await postcodeServer()
  app = await testApp()
  await app.addTenant('north', { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  await app.addMember('north', manager, 'Manager')
  served = await testApp(
    { POSTCODE_SERVICE: 'ideal-postcodes', POSTCODE_SERVICE_URL: `${server.url}/`, POSTCODE_SERVICE_KEY: 'secret' },
    app.database,
  )
})
afterAll(async () => {
  await served.app.close()
  await app.close()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const file = (name: string, text: string) => {
  writeFileSync(path.join(folder, name), text)
  return path.join(folder, name)
}
const bring = (...files: string[]) => importPostcodes(app.database.owner, files)
const where = async (postCode: string, by = app) => {
  const { status, body } = await by.send(getLatLong, { body: { tenant: 'north', postCode } }, manager)
  return status === 200 ? body.data : body
}

const onspd = (...rows: string[]) =>
  ['pcd,pcd2,pcds,dointr,doterm,oscty,lat,long', ...rows.map((row) => `x,x,${row}`)].join('\r\n')

test('the ONS directory gives exact positions of live postcodes; a new one replaces it, and other files are rejected', async () => {
  const first = onspd(
    '"HX1 5TX",198001,,E1,53.7236,-1.8772',
    '"HX1 5TY",198001,199912,E1,53.7,-1.87',
    '"HX1 5TZ",198001,,E1,99.999999,0.000000',
    'nonsense,198001,,E1,53.7,-1.87',
    '"SW1A 1AA",198001,,E1,51.501,-0.1416',
    // Of two entries, the first is used.
    '"HX1 5TX",198001,,E1,53.9,-1.9',
  )
  assert.deepEqual(await bring(file('a.csv', `\uFEFF${first}`)), { postcodes: 2, changed: 2, gone: 0 })
  const place = (await where('hx15tx'))!
  assert.deepEqual([place.lat, place.lng, place.isApproximate], [53.7236, -1.8772, false])
  assert.match(place.credit!, /OS data.*Royal Mail data.*National Statistics/)
  // Terminated or without coordinates: the centre of the outward code, as before.
  for (const other of ['HX1 5TY', 'HX1 5TZ']) assert.equal((await where(other))!.isApproximate, true)

  const next = file('b.csv', onspd('"HX1 5TX",198001,,E1,53.7237,-1.8772', '"HX1 5TY",198001,,E1,53.7,-1.87'))
  assert.deepEqual(await bring(next), { postcodes: 2, changed: 2, gone: 1 })
  assert.deepEqual(await bring(next), { postcodes: 2, changed: 0, gone: 0 })
  assert.equal((await where('HX1 5TX'))!.lat, 53.7237)
  assert.equal((await where('SW1A 1AA'))!.isApproximate, true)

  for (const [name, text, result] of [
    ['names.csv', 'Name,Age\nAnn,4', 'has neither the columns'],
    ['empty.csv', onspd(), 'has no live postcode'],
    ['cut.csv', `${onspd('"HX1 5TX",198001,,E1,53.7,-1.8')}\r\n"HX1`, 'cannot be read'],
  ] as const)
    await assert.rejects(bring(file(name, text)), (error: Error) => error.message.startsWith(`${name} ${result}`))
  await assert.rejects(bring(path.join(folder, 'none.csv')), /none\.csv cannot be read/)
  // Nothing of a failed import is stored.
  await assert.rejects(bring(next, file('bad.csv', 'Name\nAnn')))
  assert.equal((await where('HX1 5TX'))!.lat, 53.7237)
})

test('Code-Point Open has many files without a header, in metres of the National Grid', async () => {
  const row = (code: string, quality: number, east: number, north: number) =>
    `"${code}",${quality},${east},${north},"E92000001","","","","",""`
  const files = [
    file('nr.csv', [row('NR291AA', 10, 651_410, 313_177), row('NR291AB', 90, 0, 0)].join('\n')),
    file('ze.csv', row('ZE2 9AA', 10, 421_300, 1_072_147)),
  ]
  const result = await bring(...files)
  assert.deepEqual([result.postcodes, result.changed], [2, 2])
  const { lat, lng, isApproximate } = (await where('NR29 1AA'))!
  assert.ok(!isApproximate && Math.abs(lat - 52.65798) < 5e-5 && Math.abs(lng - 1.71604) < 5e-5)
})

test('a service is queried if nothing local has the postcode; while it is down that is reported, and nothing is made up or saved', async () => {
  await bring(file('c.csv', onspd('"HX1 5TX",198001,,E1,53.7236,-1.8772')))
  server.answers([200, { result: [{ line_1: '1 Gibbet St', postcode: 'HX1 4AA', latitude: 53.72, longitude: -1.88 }] }])
  await where('HX1 5TX', served)
  assert.equal(server.asked.length, 0)
  const result = await where('HX1 4AA', served)
  assert.deepEqual(result, { lat: 53.72, lng: -1.88, isApproximate: false, credit: null })
  server.answers([404, {}])
  assert.equal(await where('HX1 4ZZ', served), null)
  assert.equal(await where('no code', served), null)
  // Without the setting no service was queried.
  const before = server.asked.length
  assert.equal((await where('HX1 4AA'))!.isApproximate, true)
  assert.equal(server.asked.length, before)

  server.answers([500, {}])
  const { status, body } = await served.send(getLatLong, { body: { tenant: 'north', postCode: 'HX1 4AB' } }, manager)
  assert.equal(status, 503)
  assert.match(JSON.stringify(body), /The postcode service does not respond/)
  assert.ok(!JSON.stringify([body, served.logged]).includes('secret'))
  assert.deepEqual((await served.send(getTenantBuildings, { body: { tenant: 'north' } }, manager)).body.data, [])
})

test("a home's address is looked up at the service, or without one among the client's homes", async () => {
  const address = { line_1: '1 Gibbet Street', line_2: '', line_3: '', post_town: 'HALIFAX', county: '' }
  server.answers([200, { result: [{ ...address, postcode: 'HX1 3AA', latitude: 53.72, longitude: -1.88 }] }])
  const query = { tenant: 'north', postcode: 'hx1 3aa' }
  const found = await served.send(findAddresses, { query }, manager)
  assert.deepEqual(found.body, {
    addresses: [{ line1: '1 Gibbet Street', line2: '', line3: '', town: 'Halifax', county: '', postcode: 'HX1 3AA' }],
    latitude: 53.72,
    longitude: -1.88,
  })
  assert.deepEqual((await app.send(findAddresses, { query }, manager)).body.addresses, [])
  server.answers([500, {}])
  assert.equal((await served.send(findAddresses, { query: { ...query, postcode: 'HX1 3AB' } }, manager)).status, 503)
})
