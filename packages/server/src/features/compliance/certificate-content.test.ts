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
import { heicText } from '@caretaker/rules/files/types.ts'
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
  `The PDF contains ${what}. Print it to a new PDF, or save it as a picture, and upload that file.`

describe('a PDF certificate', () => {
  test('with active content is refused by its content, in any spelling', async () => {
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
      ['The PDF cannot be checked. Print it to a new PDF, or save it as a picture.', pdfWith({ 5: '<< /A (x' })],
      [
        'The PDF needs a password, or is encrypted in a way that cannot be checked. Save it without a password.',
        await encryptedPdf({ userPassword: 'secret' }),
      ],
    ] as const)
      assert.deepEqual(await upload(content, record), { status: 415, message })
  })

  test('without active content is accepted: plain, with an owner password, with a line before its header', async () => {
    const [locked, leading] = [sample('owner-password.pdf'), sample('leading-line.pdf')]
    for (const content of [pdfWith({}), locked, leading])
      assert.equal((await upload(content, await addRecord())).status, 200)
    // Zero padding by a disk or mail program, and a printer language before the header.
    for (const content of [pdfWith({}), locked, leading])
      for (const [before, zeros] of [
        ['', 4096],
        ['', 300_000],
        ['\u001b%-12345X@PJL JOB NAME = "Certificate"\r\n@PJL ENTER LANGUAGE = PDF\r\n', 10],
        ['\0'.repeat(900), 0],
      ] as const) {
        const whole = Buffer.concat([Buffer.from(before), content, Buffer.alloc(zeros)])
        assert.deepEqual(await upload(whole, await addRecord()), { status: 200, message: '' })
      }
    const cut = Buffer.concat([pdfWith({}).subarray(0, -20), Buffer.alloc(300_000)])
    assert.deepEqual(await upload(cut, await addRecord()), { status: 415, message: 'The file is not complete.' })
  })
})

describe('a certificate as an image', () => {
  test('is stored without trailing data, with the file name extension of its type', async () => {
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

  test('with more pixels than a browser can show is refused', async () => {
    const record = await addRecord()
    for (const [width, height, size] of [
      [65_535, 65_535, '65,535 × 65,535'],
      [25_000, 25_000, '25,000 × 25,000'],
      [25_000, 800, '25,000 × 800'],
      [10_001, 10_000, '10,001 × 10,000'],
    ] as const)
      for (const content of [pngOf([], '', [width, height]), jpegOf({ size: [width, height] })])
        assert.deepEqual(await upload(content, record, 'a.png'), {
          status: 413,
          message: `The picture is ${size} pixels. Save it in a smaller size: at most 20,000 on each side and 100 million in all.`,
        })
    assert.equal((await upload(pngOf([], '', [7016, 9921]), record, 'a.png')).status, 200)
  })

  test('in a phone format that browsers cannot show is refused with a solution, whatever its name', async () => {
    const record = await addRecord()
    const heic = sample('photo.heic')
    const written = (brand: string) => Buffer.from(heic.toString('latin1').replaceAll('heic', brand), 'latin1')
    for (const content of [heic, written('heix'), written('mif1'), written('avif')])
      for (const name of ['IMG_0001.HEIC', 'certificate.jpg'])
        assert.deepEqual(await upload(content, record, name), { status: 415, message: heicText })
  })
})
