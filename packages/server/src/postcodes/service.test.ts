import assert from 'node:assert/strict'
import { afterAll, afterEach, beforeAll, test } from 'vitest'
import { Refusal } from '@caretaker/contract/refusal.ts'
import { postcodeOf } from '@caretaker/rules/postcodes/postcode.ts'
import type { PostcodeServiceName } from '../config.ts'
import type { PostcodeServer } from '../testing/postcode-server.ts'
import { postcodeServer } from '../testing/postcode-server.ts'
import { postcodeService } from './service.ts'

let server: PostcodeServer
const warned: string[] = []
const log = { warn: (line: string) => void warned.push(line) } as never
beforeAll(async () => {
  server = await postcodeServer()
})
afterAll(() => server.close())
afterEach(() => {
  server.asked.length = 0
  warned.length = 0
})

const code = (text: string) => postcodeOf(text)!
const serviceOf = (service: PostcodeServiceName, more: { wait?: number; now?: () => number } = {}) =>
  postcodeService({ service, url: server.url, key: 'a secret' }, log, more)!

test('without a setting there is no service', () => {
  assert.equal(postcodeService(undefined, log), undefined)
})

test('postcodes.io returns positions', async () => {
  const service = serviceOf('postcodes.io')
  server.answers([200, { status: 200, result: { postcode: 'HX1 5TX', latitude: 53.7236, longitude: -1.8772 } }])
  assert.deepEqual(await service.find(code('hx15tx')), { place: { lat: 53.7236, lng: -1.8772 }, addresses: [] })
  assert.equal(server.asked[0]!.path, '/postcodes/HX1%205TX')
  assert.equal(service.knowsAddresses, false)
  // It knows postcodes without coordinates, such as those of Guernsey.
  server.answers([200, { status: 200, result: { postcode: 'GY1 1AA', latitude: null, longitude: null } }])
  assert.deepEqual(await service.find(code('GY1 1AA')), { place: null, addresses: [] })
  server.answers([404, { status: 404, error: 'Postcode not found' }])
  assert.equal(await service.find(code('HX1 9ZZ')), undefined)
})

test('Ideal Postcodes returns addresses; the key is sent in a header', async () => {
  const service = serviceOf('ideal-postcodes')
  const address = { line_1: '2 Gibbet Street', line_2: '', line_3: '', post_town: 'HALIFAX', county: 'West Yorkshire' }
  const place = { latitude: 53.7236, longitude: -1.8772, postcode: 'HX1 5TX' }
  const unmeasured = { ...address, line_1: 'Flat 1', line_2: 'The Mill', ...place, latitude: '', longitude: '' }
  server.answers([200, { code: 2000, message: 'Success', result: [unmeasured, { ...address, ...place }] }])
  assert.deepEqual(await service.find(code('HX1 5TX')), {
    place: { lat: 53.7236, lng: -1.8772 },
    addresses: [
      {
        ...{ line1: 'Flat 1', line2: 'The Mill', line3: '', town: 'Halifax' },
        ...{ county: 'West Yorkshire', postcode: 'HX1 5TX' },
      },
      {
        ...{ line1: '2 Gibbet Street', line2: '', line3: '', town: 'Halifax' },
        ...{ county: 'West Yorkshire', postcode: 'HX1 5TX' },
      },
    ],
  })
  const [{ path, headers }] = server.asked as [PostcodeServer['asked'][0]]
  assert.deepEqual([path, headers['authorization']], ['/v1/postcodes/HX1%205TX', 'api_key="a secret"'])
  server.answers([404, { code: 4040, message: 'Postcode Not Found' }])
  assert.equal(await service.find(code('HX1 9ZZ')), undefined)
})

test('OS Places returns delivery points, whose parts form the lines of an address', async () => {
  const service = serviceOf('os-places')
  const town = { POST_TOWN: 'HALIFAX', POSTCODE: 'HX1 5TX', LAT: 53.7236, LNG: -1.8772 }
  server.answers([
    200,
    {
      header: { totalresults: 3 },
      results: [
        { DPA: { ...town, BUILDING_NUMBER: '2', THOROUGHFARE_NAME: 'GIBBET STREET' } },
        {
          DPA: {
            ...{ ...town, SUB_BUILDING_NAME: 'FLAT 2A', BUILDING_NAME: "ST JOHN'S MILL", BUILDING_NUMBER: '4' },
            ...{ DEPENDENT_THOROUGHFARE_NAME: 'MILL YARD', THOROUGHFARE_NAME: 'GIBBET STREET' },
          },
        },
        {
          DPA: {
            ...{ ...town, ORGANISATION_NAME: 'BECK HOMES', BUILDING_NAME: 'THE MILL' },
            ...{ THOROUGHFARE_NAME: 'GIBBET STREET', DEPENDENT_LOCALITY: 'KING CROSS' },
          },
        },
      ],
    },
  ])
  const known = await service.find(code('HX1 5TX'))
  assert.deepEqual(known!.place, { lat: 53.7236, lng: -1.8772 })
  assert.deepEqual(
    known!.addresses.map(({ line1, line2, line3, town, postcode }) => [line1, line2, line3, town, postcode]),
    [
      ['2 Gibbet Street', '', '', 'Halifax', 'HX1 5TX'],
      ["Flat 2A, St John's Mill", '4 Mill Yard, Gibbet Street', '', 'Halifax', 'HX1 5TX'],
      ['Beck Homes', 'The Mill', 'Gibbet Street, King Cross', 'Halifax', 'HX1 5TX'],
    ],
  )
  const { path, headers } = server.asked[0]!
  assert.equal(new URL(path, server.url).searchParams.get('output_srs'), 'EPSG:4326')
  assert.equal(headers['key'], 'a secret')
  assert.ok(!path.includes('secret'))
  for (const answer of [
    [200, { header: { totalresults: 0 } }],
    [400, { error: {} }],
  ] as [number, object][]) {
    server.answers(answer)
    assert.equal(await service.find(code(`HX1 ${answer[0] / 100}ZZ`)), undefined)
  }
})

const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail('it was answered'),
    (error: unknown) => {
      assert.ok(error instanceof Refusal)
      return `${error.code}: ${error.message}`
    },
  )
const silent = 'unavailable: The postcode service does not respond. Please try again in a moment.'

test('a service that is down, hangs, responds unexpectedly or rejects the key is reported as such, and retried once where that may help', async () => {
  const service = serviceOf('ideal-postcodes', { wait: 300 })
  for (const [answer, times, reason] of [
    [[500, {}], 2, 'it answers 500'],
    [[503, {}], 2, 'it answers 503'],
    [[401, { code: 4010 }], 1, 'it answers 401'],
    [[402, { code: 4020 }], 1, 'it answers 402'],
    [[429, {}], 1, 'it answers 429'],
    [[200, 'no JSON'], 2, 'its response has an unexpected shape'],
    [[200, { result: 'none' }], 2, 'its response has an unexpected shape'],
    [[302, {}], 1, 'it answers 302'],
    [() => undefined, 2, 'it does not respond in time'],
  ] as [Parameters<PostcodeServer['answers']>[0], number, string][]) {
    server.asked.length = warned.length = 0
    server.answers(answer)
    assert.equal(await refused(service.find(code('HX1 5TX'))), silent)
    assert.deepEqual([server.asked.length, warned], [times, [`ideal-postcodes cannot be queried: ${reason}`]])
  }
  server.answers((response) => response.destroy())
  assert.equal(await refused(service.find(code('HX1 5TX'))), silent)
  // Once it is back, the next lookup gets a result.
  server.answers([200, { result: [] }])
  assert.deepEqual(await service.find(code('HX1 5TX')), { place: null, addresses: [] })
})

test('a known postcode is queried once a day, an unknown one once an hour, and simultaneous lookups share one query', async () => {
  let now = 0
  const service = serviceOf('postcodes.io', { now: () => now })
  server.answers([200, { result: { latitude: 53.7, longitude: -1.9 } }])
  const both = await Promise.all([service.find(code('HX1 5TX')), service.find(code('HX1 5TX'))])
  assert.deepEqual(both[0], both[1])
  now = 24 * 3_600_000 - 1
  await service.find(code('HX1 5TX'))
  assert.equal(server.asked.length, 1)
  now += 1
  await service.find(code('HX1 5TX'))
  assert.equal(server.asked.length, 2)
  server.answers([404, {}])
  for (const later of [0, 3_599_999]) {
    now = 24 * 3_600_000 + later
    assert.equal(await service.find(code('HX1 9ZZ')), undefined)
  }
  assert.equal(server.asked.length, 3)
  now += 1
  await service.find(code('HX1 9ZZ'))
  assert.equal(server.asked.length, 4)
})

test('at most four queries run at once: callers do not queue behind a service that hangs', async () => {
  const service = serviceOf('postcodes.io', { wait: 400 })
  server.answers(() => undefined)
  const hanging = ['HX1 1AA', 'HX1 1AB', 'HX1 1AD', 'HX1 1AE'].map((text) => refused(service.find(code(text))))
  assert.match(await refused(service.find(code('HX1 1AF'))), /is busy/)
  assert.deepEqual(await Promise.all(hanging), [silent, silent, silent, silent])
})
