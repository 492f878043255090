import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  addBoilerGasSafetyRecord,
  addBoilerRecordAttachment,
  getBoilerRecordAttachment,
  getBoilerRecords,
} from '@caretaker/contract/compliance.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import type { Objects } from '../../testing/pdf-files.ts'
import { encryptedPdf, foldedPdf, pdfWith, updatedPdf } from '../../testing/pdf-files.ts'
import { jpegOf, pngOf } from '../../testing/photos.ts'
import { addDevice } from '../../testing/furnish/devices.ts'

type Content = Buffer<ArrayBuffer>
const engineer = 'boiler@north.test'
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-pdf-'))
let it: TestApp
let deviceId: string
let counter = 0

beforeAll(async () => {
  it = await testApp({ CARETAKER_DATA: folder })
  await it.addTenant('north')
  await it.addMember('north', engineer, 'BoilerEngineer')
  deviceId = await addDevice(it, 'north', { product: 'BX' })
})
afterAll(async () => {
  await it.close()
  rmSync(folder, { recursive: true, force: true })
})

const addRecord = async (): Promise<string> => {
  const body = {
    ...{ tenant: 'north', deviceId, recordSerialNumber: `LGSR-${++counter}` },
    ...{ recordTimestamp: new Date('2026-01-05T10:00:00Z'), recordStatus: 'Pass' as const },
  }
  const answer = await it.send(addBoilerGasSafetyRecord, { body } as never, engineer)
  return (answer.body as { data: { recordId: string } }).data.recordId
}
const upload = async (content: Content, recordId: string, name = 'certificate.pdf') => {
  const form = { tenant: 'north', deviceId, recordId, file: new File([content], name) }
  const { status, body } = await it.send(addBoilerRecordAttachment, { form }, engineer)
  return { status, message: body.message ?? '' }
}
const sample = (name: string) => readFileSync(path.join(import.meta.dirname, '../../testing/samples', name)) as Content

const script = '<< /S /JavaScript /JS (app.alert(1)) >>'
const opening: Objects = { 1: '<< /Type /Catalog /Pages 2 0 R /OpenAction 5 0 R >>', 5: script }
const contains = (what: string) =>
  `The PDF contains ${what}. Print it as a new PDF, or save it as a picture, and upload that.`

describe('a PDF certificate', () => {
  test('with active content is refused by what it contains, whichever way it is written', async () => {
    const record = await addRecord()
    for (const [message, content] of [
      [contains('script'), pdfWith({ ...opening, 5: script.replace('/JavaScript', '/#4a#61vaScr#69pt') })],
      [
        contains('script'),
        foldedPdf(opening, { dictionary: (n, first) => `/N ${n} /First ${first} /Filter /FlateDecode` }),
      ],
      [contains('script'), updatedPdf(pdfWith({}), opening)],
      [contains('script'), await encryptedPdf({ script: 'app.alert(1)' })],
      [
        contains('script'),
        pdfWith({ 3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /AA << /O ${script} >> >>` }),
      ],
      [contains('an XFA form'), pdfWith({ 1: '<< /Type /Catalog /Pages 2 0 R /AcroForm << /XFA 6 0 R >> >>' })],
      [contains('script and a command that starts a program'), foldedPdf({ ...opening, 6: '<< /S /Launch >>' })],
      ['The PDF cannot be checked. Print it as a new PDF, or save it as a picture.', pdfWith({ 5: '<< /A (x' })],
      [
        'The PDF needs a password, or is encrypted in a way that cannot be checked. Save it without a password.',
        await encryptedPdf({ userPassword: 'secret' }),
      ],
    ] as const)
      assert.deepEqual(await upload(content, record), { status: 415, message })
  })

  test('without any is taken: plain, with the password of its owner, with a line before its head', async () => {
    for (const content of [pdfWith({}), sample('owner-password.pdf'), sample('leading-line.pdf')])
      assert.equal((await upload(content, await addRecord())).status, 200)
  })
})

describe('a certificate as a picture', () => {
  test('is kept without what follows its end, under a name that ends as its type', async () => {
    const hidden = '<script>alert(1)</script>'
    for (const [content, given, name] of [
      [jpegOf({ after: hidden }), 'certificate.html', 'certificate.jpg'],
      [jpegOf({ after: hidden }), 'Flat 1.5', 'Flat 1.5.jpg'],
      [jpegOf(), 'scan.JPEG', 'scan.JPEG'],
      [Buffer.concat([pngOf([], 'a'), Buffer.from(hidden)]), 'page.svg', 'page.png'],
    ] as const) {
      const recordId = await addRecord()
      assert.equal((await upload(content, recordId, given)).status, 200, given)
      const { body } = await it.send(getBoilerRecords, { body: { tenant: 'north', deviceId } }, engineer)
      const record = body.data!.find((one) => one.recordId === recordId)!
      const query = { tenant: 'north', deviceId, recordId, attachmentId: record.attachmentIds[0]! }
      const authorization = `Bearer ${await it.token(engineer)}`
      const { path: url } = getBoilerRecordAttachment
      const file = await it.app.inject({ method: 'GET', url, query, headers: { authorization } })
      assert.ok(!file.rawPayload.includes(hidden))
      assert.match(String(file.headers['content-disposition']), new RegExp(`filename="?${name}"?$`))
    }
  })

  test('of more pixels than a browser can show is refused', async () => {
    const record = await addRecord()
    for (const content of [pngOf([], '', [65_535, 65_535]), jpegOf({ size: [65_535, 65_535] })])
      assert.deepEqual(await upload(content, record, 'a.png'), {
        status: 413,
        message: 'The picture has more than 100 million pixels. Save it in a smaller size.',
      })
  })
})
