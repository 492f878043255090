import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import PDFDocument from 'pdfkit'
import { afterAll, beforeAll, test } from 'vitest'
import {
  addBuilding,
  getBuilding,
  getFloorPlan,
  getTenantBuildingSummary,
  previewFloorPlan,
  updateBuilding,
  updateFloorPosition,
  uploadFloorPlan,
} from '@caretaker/contract/buildings.ts'
import { getDevicesWithoutFloor, getFloorDevices, updateDeviceBuildingLocation } from '@caretaker/contract/devices.ts'
import { getMapBuilding, getMapDevicesExtent } from '@caretaker/contract/maps.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { png } from '../../testing/certificate-files.ts'
import { pdfWith } from '../../testing/pdf-files.ts'
import { jpegOf, pngOf } from '../../testing/photos.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

/** A PDF as a drawing program writes it. */
function pdfOf(
  options: PDFKit.PDFDocumentOptions,
  draw: (pdf: PDFKit.PDFDocument) => void = (pdf) => pdf.rect(9, 9, 99, 99).stroke(),
): Promise<Buffer<ArrayBuffer>> {
  const pdf = new PDFDocument(options)
  const parts: Buffer[] = []
  pdf.on('data', (part: Buffer) => parts.push(part))
  draw(pdf)
  pdf.end()
  return new Promise((resolve) => pdf.on('end', () => resolve(Buffer.concat(parts))))
}

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-plans-'))
let app: TestApp
let tag: string
const manager = 'manager@north.test'
const guest = 'guest@north.test'
const limited = 'limited@north.test'
const southern = 'manager@south.test'

beforeAll(async () => {
  app = await testApp({ CARETAKER_DATA: folder })
  for (const tenant of ['north', 'south']) await app.addTenant(tenant)
  tag = await addAccessRightsTag(app, 'north', 'East')
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', guest, 'Guest')
  await app.addMember('north', limited, 'Manager', [tag])
  await app.addMember('south', southern, 'Manager')
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

let counter = 0
async function newFloor() {
  const building = { name: `House ${++counter}`, lat: 53, lng: -1, floors: [{ name: '0' }, { name: '1' }] }
  const { body } = await app.send(addBuilding, { body: { tenant: 'north', building } }, manager)
  return { building: body.data!.building, floor: body.data!.floors[1]!.floor }
}
type Of = Awaited<ReturnType<typeof newFloor>>
const drawing = (inner: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inner}</svg>`
const upload = (
  of: Of,
  content: string | Uint8Array<ArrayBuffer>,
  { name = 'beech-1.svg', by = manager, tenant = 'north' } = {},
) => app.send(uploadFloorPlan, { form: { tenant, ...of, file: new File([content], name) } }, by)
const plan = (of: Of, by = manager, tenant = 'north') => app.send(getFloorPlan, { query: { tenant, ...of } }, by)
const floorNow = async ({ building, floor }: Of) =>
  (await app.send(getBuilding, { body: { tenant: 'north', building } }, manager)).body.data!.floors.find(
    (one) => one.floor === floor,
  )!

test('a plan is stored by its name without scripts, and another one replaces it [est-7.1-12]', async () => {
  const of = await newFloor()
  assert.equal((await plan(of)).status, 404)
  const { status, body } = await upload(of, drawing('<script>alert(1)</script><rect onload="x()"/>'), {
    name: 'C:\\plans\\Beech 1.SVG',
  })
  assert.equal(status, 200)
  const { leftOut, ...floor } = body.data!
  assert.deepEqual([floor.image, floor.hasFloorPlan], ['Beech 1.svg', true])
  assert.deepEqual(leftOut, [{ kind: 'script', count: 2, examples: [] }])
  assert.deepEqual(await floorNow(of), floor)
  const answer = await app.app.inject({
    method: 'GET',
    url: getFloorPlan.path,
    query: { tenant: 'north', ...of },
    headers: { authorization: `Bearer ${await app.token(manager)}` },
  })
  assert.equal(answer.body, drawing('<rect></rect>'))
  assert.equal(answer.headers['content-type'], 'image/svg+xml; charset=utf-8')
  assert.equal(
    answer.headers['content-security-policy'],
    `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; sandbox`,
  )
  await upload(of, drawing('<path/>'), { name: 'other' })
  assert.equal((await plan(of)).body, drawing('<path></path>'))
  const now = await floorNow(of)
  assert.equal(now.image, 'other.svg')
  assert.notEqual(now.planId, body.data!.planId)
})

test('a floor takes the shape of its first drawing, unless its size was entered', async () => {
  const wide = (height: number) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 ${height}"><rect/></svg>`
  const of = await newFloor()
  const { version } = await floorNow(of)
  const { leftOut: _, ...first } = (await upload(of, wide(20))).body.data!
  assert.deepEqual([first.width, first.height, first.version], [30, 15, version + 1])
  assert.deepEqual(await floorNow(of), first)
  // Another drawing of that shape takes the position of the former one.
  assert.deepEqual(
    [(await upload(of, wide(20.2))).body.data!].map(({ width, height }) => [width, height]),
    [[30, 15]],
  )
  const sized = await newFloor()
  const position = { width: 40, height: 30, rotation: 0, lat: 53, long: -1 }
  await app.send(updateFloorPosition, { body: { tenant: 'north', ...sized, ...position } }, manager)
  const kept = (await upload(sized, wide(30))).body.data!
  assert.deepEqual([kept.width, kept.height], [40, 30])
  // A drawing without a frame uses the frame of its content, if that has a size.
  const shapeOf = async (inner: string) =>
    (await upload(await newFloor(), `<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`)).body.data!
  const bare = await shapeOf('<line x2="9"/>')
  assert.deepEqual([bare.width, bare.height], [30, 30])
  const drawn = await shapeOf('<rect width="960" height="460"/>')
  assert.deepEqual([drawn.width, Math.round(drawn.height)], [30, 15])
})

test('a plan of another shape leads to a question whether the floor takes its shape, and is otherwise not stretched', async () => {
  const wide = (height: number) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 ${height}"><rect/></svg>`
  const of = await newFloor()
  const send = (content: string, shape?: 'fit' | 'keep', by = manager) =>
    app.send(
      uploadFloorPlan,
      { form: { tenant: 'north', ...of, file: new File([content], 'plan.svg'), ...(shape && { shape }) } },
      by,
    )
  const { leftOut: _, ...first } = (await send(wide(20))).body.data!
  const asked = await send(wide(40))
  assert.equal(asked.status, 409)
  const { message, validationErrors } = asked.body as unknown as {
    message: string
    validationErrors: { field: string }[]
  }
  assert.match(message, /^The new plan has a different shape \(1\.00 : 1\) than the floor \(2\.00 : 1\)\./)
  assert.deepEqual(
    validationErrors.map(({ field }) => field),
    ['shape'],
  )
  // Nothing is replaced until the user decides.
  assert.deepEqual(await floorNow(of), first)
  assert.equal((await send(wide(40), 'fit', guest)).status, 403)
  const fitted = (await send(wide(40), 'fit')).body.data!
  assert.deepEqual([fitted.width, fitted.height, fitted.version], [30, 30, first.version + 1])
  const stretched = (await send(wide(20), 'keep')).body.data!
  assert.deepEqual([stretched.width, stretched.height, stretched.version], [30, 30, fitted.version])
})

test('an invalid drawing is refused with a message, and nothing is stored', async () => {
  const of = await newFloor()
  const files = () => readdirSync(folder, { recursive: true }).length
  const before = files()
  const wrong: [string | Uint8Array<ArrayBuffer>, number, RegExp][] = [
    [
      Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'),
      415,
      /^A floor plan is an SVG, PDF, PNG, JPEG or WebP file\.$/,
    ],
    [png.subarray(0, 40), 415, /not complete/],
    [pngOf([], '', [25_000, 25_000]), 413, /at most 20,000 on each side and 100 million in all/],
    ['%PDF-1.7 nonsense', 415, /The PDF is damaged/],
    [await pdfOf({ userPassword: 'x' }), 415, /The PDF needs a password/],
    [pdfWith({ 2: '<< /Type /Pages /Kids [] /Count 0 >>' }), 415, /no pages/],
    [await pdfOf({}, () => {}), 415, /The page is blank/],
    ['<svg xmlns="http://www.w3.org/2000/svg"><image href="C33.png"/></svg>', 415, /1 linked picture \(C33\.png\)/],
    ['', 415, /empty/],
    ['hello', 415, /not an SVG/],
    [drawing('<rect/>').slice(0, -8), 415, /not complete/],
    [`<!DOCTYPE svg [<!ENTITY a SYSTEM "b">]>${drawing('&a;')}`, 415, /entities/],
    [drawing('<g/>'.repeat(150_000)), 415, /too many parts/],
    [drawing(`<title>${'x'.repeat(20 * 1024 * 1024)}</title>`), 413, /larger than 20 MB/],
  ]
  for (const [content, status, message] of wrong) {
    const answer = await upload(of, content)
    assert.equal(answer.status, status, String(message))
    assert.match(answer.body.message!, message)
  }
  assert.equal(files(), before)
  assert.equal((await floorNow(of)).hasFloorPlan, false)
})

test('PDFs and images become plans of their shape, and the page of a PDF can be chosen', async () => {
  const two = await pdfOf({ size: [600, 300] }, (pdf) => {
    pdf.rect(50, 50, 200, 100).stroke()
    pdf
      .addPage({ size: [300, 300] })
      .rect(50, 50, 200, 100)
      .fill('#c00')
  })
  const sent = async (content: Uint8Array<ArrayBuffer>, name: string, page?: number) => {
    const of = await newFloor()
    const { status, body } = await app.send(
      uploadFloorPlan,
      { form: { tenant: 'north', ...of, file: new File([content], name), ...(page && { page }) } },
      manager,
    )
    assert.equal(status, 200, name)
    const { width, height, image } = body.data!
    return { width, height, image, plan: (await plan(of)).body as unknown as string }
  }
  const first = await sent(two, 'Level 1.PDF')
  assert.deepEqual([first.width, first.height, first.image], [30, 15, 'Level 1.svg'])
  // 300 dots per inch, greyscale.
  assert.match(
    first.plan,
    /^<svg [^>]*viewBox="0 0 2500 1250"><image width="2500" height="1250" href="data:image\/png;base64,/,
  )
  const second = await sent(two, 'Level 2.pdf', 2)
  assert.deepEqual([second.width, second.height], [30, 30])
  assert.match(second.plan, /viewBox="0 0 1250 1250"/)
  const picture = await sent(pngOf([], 'GPS-POSITION', [400, 200]), 'scan.png')
  assert.deepEqual([picture.width, picture.height, picture.image], [30, 15, 'scan.svg'])
  const [, data = ''] = /base64,([^"]*)/.exec(picture.plan)!
  assert.ok(!Buffer.from(data, 'base64').includes('GPS-POSITION'))
  const photo = await sent(jpegOf({ size: [400, 200], orientation: 6 }), 'photo.JPEG')
  assert.deepEqual([photo.height, photo.image], [30, 'photo.svg'])
  // With an owner password, but readable by everyone.
  const owned = await sent(await pdfOf({ ownerPassword: 'x' }, (pdf) => pdf.rect(9, 9, 99, 99).stroke()), 'owned.pdf')
  assert.equal(owned.image, 'owned.svg')
})

test('a preview shows what would be stored and what is left out, and stores nothing', async () => {
  const of = await newFloor()
  const preview = (
    content: string | Uint8Array<ArrayBuffer>,
    { page = 1, by = manager, tenant = 'north', floor = of } = {},
  ) => app.send(previewFloorPlan, { form: { tenant, ...floor, file: new File([content], 'plan'), page } }, by)
  const shown = drawing('<rect/><image href="a.png"/><foreignObject/>')
  assert.deepEqual((await preview(shown)).body.data, {
    ...{ source: 'drawing', pages: 1, fault: null, shape: null },
    drawing: drawing('<rect></rect><image></image>'),
    leftOut: [
      { kind: 'linked picture', count: 1, examples: ['a.png'] },
      { kind: 'text box', count: 1, examples: [] },
    ],
  })
  assert.equal((await floorNow(of)).hasFloorPlan, false)
  const cover = await pdfOf({ size: [300, 300] }, (pdf) => {
    pdf.addPage().rect(9, 9, 99, 99).stroke()
  })
  const blank = (await preview(cover)).body.data!
  assert.deepEqual([blank.source, blank.pages, blank.drawing], ['pdf', 2, null])
  assert.match(blank.fault!, /^The page is blank/)
  const next = (await preview(cover, { page: 2 })).body.data!
  assert.match(next.drawing!, /href="data:image\/png/)
  assert.equal(next.fault, null)
  assert.match((await preview(cover, { page: 3 })).body.data!.fault!, /no such page/)
  const picture = (await preview(pngOf([], '', [400, 200]))).body.data!
  assert.deepEqual([picture.source, picture.drawing, picture.fault], ['picture', null, null])
  await upload(of, drawing('<rect/>'))
  assert.match((await preview(pngOf([], '', [400, 200]))).body.data!.shape!, /a different shape/)
  assert.equal((await preview('<svg xmlns="http://www.w3.org/2000/svg"/>')).status, 415)
  for (const by of [guest, limited]) assert.equal((await preview(shown, { by })).status, 403)
  assert.equal((await preview(shown, { by: southern, tenant: 'south' })).status, 404)
  assert.equal((await preview(shown, { by: southern })).status, 404)
})

test('an interrupted upload stores nothing', async () => {
  const of = await newFloor()
  const boundary = 'part'
  const field = (name: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const answer = await app.app.inject({
    method: 'POST',
    url: uploadFloorPlan.path,
    headers: {
      authorization: `Bearer ${await app.token(manager)}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    payload: `${field('tenant', 'north')}${field('building', of.building)}${field('floor', of.floor)}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.svg"\r\n\r\n<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>`,
  })
  assert.equal(answer.statusCode, 400)
  assert.equal((await floorNow(of)).hasFloorPlan, false)
})

test('is refused for readers, limited users, floors of another building, and other clients', async () => {
  const [of, other] = [await newFloor(), await newFloor()]
  const rect = drawing('<rect/>')
  for (const by of [guest, limited]) assert.equal((await upload(of, rect, { by })).status, 403)
  assert.equal((await upload({ ...of, floor: other.floor }, rect)).status, 404)
  assert.equal((await upload(of, rect, { by: southern, tenant: 'south' })).status, 404)
  assert.equal((await upload(of, rect, { by: southern })).status, 404)
  assert.equal((await floorNow(of)).hasFloorPlan, false)
})

test('a plan is visible only to its client, and to limited users who see a device on it', async () => {
  const of = await newFloor()
  await upload(of, drawing('<rect/>'))
  assert.equal((await plan(of, guest)).status, 200)
  assert.equal((await plan(of, southern, 'south')).status, 404)
  assert.equal((await plan(of, southern)).status, 404)
  assert.equal((await plan(of, limited)).status, 404)
  const light = await addDevice(app, 'north', { accessRightsTagId: tag })
  await app.database.owner.query(
    `update device set building_id = $2, floor_id = $3 where tenant_id = 'north' and id = $1`,
    [light, of.building, of.floor],
  )
  assert.equal((await plan(of, limited)).status, 200)
})

test('calls about a building that was deleted meanwhile are refused as such, and nothing reappears', async () => {
  const of = await newFloor()
  const { building, floor } = of
  assert.equal((await upload(of, drawing('<rect width="9" height="9"/>'))).status, 200)
  const tenant = 'north'
  const { name, floors } = (await app.send(getBuilding, { body: { tenant, building } }, manager)).body.data!
  const device = await addDevice(app, tenant)
  // As undoing an import leaves it: no device is in it any more.
  await app.database.owner.query('delete from floor where building_id = $1', [building])
  await app.database.owner.query('delete from building where id = $1', [building])

  const place = { tenant, ...of, width: 9, height: 9, rotation: 0, lat: 53, long: -1 }
  const answers = {
    building: await app.send(getBuilding, { body: { tenant, building } }, manager),
    'by its name': await app.send(getBuilding, { body: { tenant, building: name } }, manager),
    'on a map': await app.send(getMapBuilding, { body: { tenant, building } }, manager),
    saved: await app.send(
      updateBuilding,
      {
        body: {
          tenant,
          building: { building, version: 1, floors: floors.map((one) => ({ floor: one.floor, name: one.name })) },
        },
      },
      manager,
    ),
    'its plan moved': await app.send(updateFloorPosition, { body: place }, manager),
    'its plan uploaded': await upload(of, drawing('')),
    'its plan': await plan(of),
    'its devices': await app.send(getFloorDevices, { body: { tenant, ...of } }, manager),
    'devices to place': await app.send(getDevicesWithoutFloor, { body: { tenant, building } }, manager),
  }
  for (const [what, { status }] of Object.entries(answers)) assert.equal(status, 404, what)
  const into = { tenant, deviceId: device, buildingId: building, floorId: floor }
  const { status, body: refused } = await app.send(updateDeviceBuildingLocation, { body: into }, manager)
  assert.deepEqual([status, refused.validationErrors[0].message], [400, 'This building does not exist.'])

  // Maps and counts leave it out.
  const extent = await app.send(getMapDevicesExtent, { body: { tenant, building } }, manager)
  assert.deepEqual(extent.body.data, { total: 0, extent: null })
  const summary = await app.send(getTenantBuildingSummary, { body: { tenant } }, manager)
  assert.ok(!JSON.stringify(summary.body).includes(building))
  assert.equal((await app.database.owner.query('select from building where id = $1', [building])).rowCount, 0)
})
