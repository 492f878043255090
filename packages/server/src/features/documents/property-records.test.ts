import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, test } from 'vitest'
import { deleteDocument, getDocument, getDocuments, saveDocument } from '@caretaker/contract/documents.ts'
import type { PropertyRecord } from '@caretaker/contract/documents.ts'
import { getPropertyAudit } from '@caretaker/contract/property-audit.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { jpegOf, pngOf, webpOf } from '../../testing/photos.ts'
import { addAccessRightsTag } from '../../testing/furnish/devices.ts'

const [manager, engineer, other, guest, limited, elsewhere, stranger, bare] = [
  'manager@north.test',
  'engineer@north.test',
  'other@north.test',
  'guest@north.test',
  'limited@north.test',
  'elsewhere@north.test',
  'manager@south.test',
  'manager@bare.test',
]
let app: TestApp
let folder: string
const [home, empty, theirs] = [randomUUID(), randomUUID(), randomUUID()]

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'caretaker-records-'))
  app = await testApp({ CARETAKER_DATA: folder })
  const needed = {
    features: ['PropertyCentric', 'PropertyRecords', 'AuditTab'],
    capabilities: ['ViewProperties'],
  } as const
  for (const id of ['north', 'south'])
    await app.addTenant(id, { features: [...needed.features], capabilities: [...needed.capabilities] })
  await app.addTenant('bare', { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  const patch = await addAccessRightsTag(app, 'north', 'Patch')
  const far = await addAccessRightsTag(app, 'north', 'Far')
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', engineer, 'BoilerEngineer')
  await app.addMember('north', other, 'BoilerEngineer')
  await app.addMember('north', guest, 'Guest')
  await app.addMember('north', limited, 'BoilerEngineer', [patch])
  await app.addMember('north', elsewhere, 'Manager', [far])
  await app.addMember('south', stranger, 'Manager')
  await app.addMember('bare', bare, 'Manager')
  for (const [tenant, id, tag] of [
    ['north', home, patch],
    ['north', empty, null],
    ['south', theirs, null],
    ['bare', theirs, null],
  ] as const)
    await inTenant(app.database.db, tenant, (tx) =>
      tx
        .insertInto('property')
        .values({
          ...{ tenant_id: tenant, id, reference: `REF-${id.slice(0, 4)}`, postcode: 'LS6 1AB' },
          access_rights_tag_id: tag,
        })
        .execute(),
    )
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

let counter = 0
const photo = (given: Parameters<typeof jpegOf>[0] = {}) =>
  Uint8Array.from(jpegOf({ picture: `${++counter}`, ...given }))
interface Added {
  content?: Uint8Array<ArrayBuffer>
  title?: string
  metadata?: object
  [field: string]: unknown
}
const add = ({ content = photo(), title = 'Mould', metadata, ...form }: Added = {}, as = engineer, tenant = 'north') =>
  app.send(
    saveDocument,
    {
      params: { tenant },
      form: {
        content: new File([content], 'IMG_0001.JPG', { type: 'image/jpeg' }),
        documentType: 'PropertyRecords',
        propertyId: home,
        metadata: JSON.stringify({ title, ...metadata }),
        ...form,
      } as never,
    },
    as,
  )
const added = async (given?: Added, as?: string): Promise<PropertyRecord> => {
  const { status, body } = await add(given, as)
  assert.equal(status, 201, JSON.stringify(body))
  return body as PropertyRecord
}
const list = (as = engineer, propertyId: string = home, tenant = 'north') =>
  app.send(
    getDocuments,
    { params: { tenant }, query: { propertyId, contentType: 'image/jpeg', documentType: 'PropertyRecords' } },
    as,
  )
const listed = async (as?: string, propertyId?: string) => (await list(as, propertyId)).body.results as PropertyRecord[]
const remove = (id: string, as = engineer, tenant = 'north') => app.send(deleteDocument, { params: { tenant, id } }, as)
const fetched = async (id: string, as = engineer, tenant = 'north') =>
  app.app.inject({
    url: getDocument.path.replace('{tenant}', tenant).replace('{id}', id),
    headers: { authorization: `Bearer ${await app.token(as)}` },
  })

test('photographs of a property are listed, latest first, with their details [est-7.2-10] [est-3-24]', async () => {
  assert.deepEqual((await list(engineer, empty)).body.results, [])
  const first = await added({
    propertyId: empty,
    title: 'Window seal,  left ',
    propertyLocationId: 'Bedroom 1',
    metadata: { timestamp: '2026-01-05T10:39:51+01:00', note: 'Seal open for 4 cm' },
  })
  assert.deepEqual(
    { ...first, id: '', resourceLocation: '' },
    {
      id: '',
      documentType: 'PropertyRecords',
      contentType: 'image/jpeg',
      propertyId: empty,
      propertyLocationId: 'Bedroom 1',
      createdBy: 'engineer',
      metadata: { title: 'Window seal, left', timestamp: '2026-01-05T09:39:51.000Z', note: 'Seal open for 4 cm' },
      size: first.size,
      resourceLocation: '',
      userCanDelete: true,
    },
  )
  const began = Date.now()
  // Without a stated time: when it was added. With a time in the photograph: in the client's time zone.
  const now = await added({ propertyId: empty, title: 'Fan' })
  const own = await added({ propertyId: empty, content: photo({ taken: '2026:06:01 12:00:00' }) })
  assert.ok(Date.parse(now.metadata.timestamp) >= began && Date.parse(now.metadata.timestamp) <= Date.now())
  assert.equal(own.metadata.timestamp, '2026-06-01T11:00:00.000Z')
  assert.deepEqual([now.propertyLocationId, now.metadata.note], [null, null])
  assert.deepEqual(
    (await listed(engineer, empty)).map(({ id }) => id),
    [now.id, own.id, first.id],
  )
})

test('the content of a photograph is its picture, without its location [est-7.2-11]', async () => {
  const record = await added({ title: 'Back door', content: photo({ orientation: 6 }) })
  const response = await fetched(record.id)
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['content-type'], 'image/jpeg')
  assert.match(String(response.headers['content-disposition']), /filename="Back door.jpg"/)
  assert.match(String(response.headers['content-security-policy']), /sandbox/)
  assert.equal(response.rawPayload.length, record.size)
  assert.ok(response.rawPayload.includes('QUANTIZED') && !response.rawPayload.includes('GPS-POSITION'))
  const again = await app.app.inject({
    url: record.resourceLocation,
    headers: { authorization: `Bearer ${await app.token(engineer)}`, 'if-none-match': String(response.headers.etag) },
  })
  assert.equal(again.statusCode, 304)
})

test('a photograph is a whole JPEG, PNG or WebP of at most 10 MB, added once, with a past time', async () => {
  const kept = (await listed()).length
  const png = await added({ content: Uint8Array.from(pngOf([deflateSync(Buffer.alloc(4))], 'GPS-POSITION')) })
  assert.equal(png.contentType, 'image/png')
  assert.equal((await added({ content: Uint8Array.from(webpOf('GPS-POSITION')) })).contentType, 'image/webp')
  const whole = photo()
  for (const [content, status, message] of [
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415, /jpg, png, webp/],
    [Buffer.from('MZ no photograph'), 415, /jpg, png, webp/],
    [Buffer.alloc(0), 415, /jpg, png, webp|empty/],
    [whole.subarray(0, whole.length - 40), 415, /not complete/],
    [Buffer.concat([whole.subarray(0, 20), Buffer.alloc(10_000_001)]), 413, /larger than 10 MB/],
  ] as const) {
    const { body, ...answer } = await add({ content: Uint8Array.from(content) })
    assert.equal(answer.status, status, JSON.stringify(body))
    assert.match(body.message, message)
  }
  for (const wrong of [
    { title: ' ' },
    { title: 'x'.repeat(101) },
    { metadata: { note: 'x'.repeat(1001) } },
    { metadata: { more: 1 } },
    { metadata: { timestamp: new Date(Date.now() + 60_000).toISOString() } },
    { propertyLocationId: 'x'.repeat(81) },
    { propertyId: 'x' },
    { userId: randomUUID() },
    { contentType: 'text/html' },
  ])
    assert.equal((await add(wrong)).status, 400, JSON.stringify(wrong))
  await added({ content: whole })
  const twice = await add({ content: whole, title: 'The same' })
  assert.deepEqual([twice.status, /already/.test(twice.body.message)], [422, true])
  await added({ content: whole, propertyId: empty }, manager)
  assert.equal((await listed()).length, kept + 3)
})

test('the user who added a photograph, or a manager, deletes it, and the audit of the property has both', async () => {
  const own = await added({ title: 'Own' })
  assert.equal((await remove(own.id, other)).status, 403)
  assert.deepEqual(
    [await listed(), await listed(other), await listed(manager)].map(
      (records) => records.find(({ id }) => id === own.id)!.userCanDelete,
    ),
    [true, false, true],
  )
  assert.equal((await remove(own.id)).status, 204)
  assert.equal((await remove(own.id)).status, 404)
  assert.equal((await fetched(own.id)).statusCode, 404)
  const managed = await added({ title: 'Managed' }, other)
  assert.equal((await remove(managed.id, manager)).status, 204)
  const { results } = (
    await app.send(getPropertyAudit, { params: { tenant: 'north' }, query: { propertyId: home } }, manager)
  ).body
  assert.deepEqual(
    results
      .slice(0, 4)
      .map(({ description, userName, before, after }) => [description, userName, (before ?? after)!.title]),
    [
      ['Property photograph deleted', 'manager', 'Managed'],
      ['Property photograph added', 'other', 'Managed'],
      ['Property photograph deleted', 'engineer', 'Own'],
      ['Property photograph added', 'engineer', 'Own'],
    ],
  )
})

test('guests only view them, limited users those of their properties, and nobody without the feature', async () => {
  const record = await added()
  assert.equal((await list(guest)).status, 200)
  assert.equal((await fetched(record.id, guest)).statusCode, 200)
  assert.ok((await listed(guest)).every(({ userCanDelete }) => !userCanDelete))
  assert.equal((await add({}, guest)).status, 403)
  assert.equal((await remove(record.id, guest)).status, 403)

  await added({}, limited)
  assert.equal((await list(limited, empty)).status, 404)
  assert.equal((await add({ propertyId: empty }, limited)).status, 404)
  for (const email of [elsewhere]) {
    assert.equal((await list(email)).status, 404)
    assert.equal((await add({}, email)).status, 404)
    assert.equal((await fetched(record.id, email)).statusCode, 404)
    assert.equal((await remove(record.id, email)).status, 404)
  }
  assert.equal((await list(bare, theirs, 'bare')).status, 403)
  assert.equal((await add({ propertyId: theirs }, bare, 'bare')).status, 403)
})

test('photographs of another client are not found', async () => {
  const record = await added()
  for (const tenant of ['north', 'south']) {
    assert.equal((await list(stranger, home, tenant)).status, 404)
    assert.equal((await add({}, stranger, tenant)).status, 404)
    assert.equal((await fetched(record.id, stranger, tenant)).statusCode, 404)
    assert.equal((await remove(record.id, stranger, tenant)).status, 404)
  }
})
