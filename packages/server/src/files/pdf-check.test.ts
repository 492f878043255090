import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { getDocumentProxy } from 'unpdf'
import { intoPdf, TaggedPdf } from '../pdf/tagged-pdf.ts'
import type { Objects } from '../testing/pdf-files.ts'
import { encryptedPdf, foldedPdf, objectStream, pdfWith, stream, updatedPdf } from '../testing/pdf-files.ts'
import { findActiveContent } from './pdf-check.ts'
import { pdfFault } from './pdf.ts'

type Content = Buffer<ArrayBuffer>

/** The scripts that a viewer (pdf.js) finds in a PDF: proves that a test case contains some. */
async function scriptsOf(content: Content): Promise<string> {
  const document = await getDocumentProxy(new Uint8Array(content))
  const found: unknown[] = [await document.getJSActions()]
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    found.push(
      await page.getJSActions(),
      (await page.getAnnotations()).map(({ actions }) => actions as unknown),
    )
  }
  return JSON.stringify(found, (_, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value))
}

const script = '<< /S /JavaScript /JS (app.alert(1)) >>'
const opening: Objects = { 1: '<< /Type /Catalog /Pages 2 0 R /OpenAction 5 0 R >>', 5: script }
const pageWith = (more: string): Objects => ({ 3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ${more} >>` })
const catalogWith = (more: string): Objects => ({ 1: `<< /Type /Catalog /Pages 2 0 R ${more} >>` })
const annotation = (more: string): Objects => ({
  ...pageWith('/Annots [5 0 R]'),
  5: `<< /Type /Annot /Rect [0 0 9 9] ${more} >>`,
})
const action = (more: string) => annotation(`/Subtype /Link /A << ${more} >>`)
const twice = (content: Buffer) => deflateSync(deflateSync(content))
const link = (address: string) => action(`/S /URI /URI ${address}`)

describe('the content of a PDF', () => {
  test('with a script is detected, whichever way a program writes it', async () => {
    const field = `/FT /Btn /T (a) /Subtype /Widget /AA << /U ${script} >>`
    const form = catalogWith('/AcroForm << /Fields [5 0 R] >>')
    const cases: [string, Content, 'seen' | 'hidden'][] = [
      ['when it opens', pdfWith(opening), 'seen'],
      [
        'with letters as numbers',
        pdfWith({ ...opening, 5: script.replace('/JavaScript', '/#4a#61vaScr#69pt') }),
        'seen',
      ],
      ['in an object stream', foldedPdf(opening), 'seen'],
      [
        'in an object stream whose keys are numbers',
        foldedPdf(opening, {
          dictionary: (n, first) => `/Type /Obj#53tm /#4e ${n} /Fir#73t ${first} /Filter /Flate#44ecode`,
        }),
        'seen',
      ],
      [
        'in an object stream of no type',
        foldedPdf(opening, { dictionary: (n, first) => `/N ${n} /First ${first} /Filter /FlateDecode` }),
        'seen',
      ],
      [
        'in an object stream compressed twice',
        foldedPdf(opening, {
          fold: twice,
          dictionary: (n, first) => objectStream(n, first).replace('/FlateDecode', '[/FlateDecode /Fl]'),
        }),
        'seen',
      ],
      [
        'in an object stream that is not compressed',
        foldedPdf(
          { ...opening, 5: script.replace('/JavaScript', '/Java#53cript') },
          { fold: (content) => content, dictionary: (n, first) => `/Type /ObjStm /N ${n} /First ${first}` },
        ),
        'seen',
      ],
      ['in an update', updatedPdf(pdfWith({}), opening), 'seen'],
      [
        'in a revision that an update takes back',
        updatedPdf(pdfWith(opening), { 5: '<< /S /GoTo /D [3 0 R /Fit] >>' }),
        'hidden',
      ],
      ['encrypted, RC4', await encryptedPdf({ script: 'app.alert(1)', algorithm: 'RC4-128' }), 'seen'],
      ['encrypted, AES-128', await encryptedPdf({ script: 'app.alert(1)', algorithm: 'AES-128' }), 'seen'],
      ['encrypted, AES-256', await encryptedPdf({ script: 'app.alert(1)' }), 'seen'],
      ['when its page opens', pdfWith(pageWith(`/AA << /O ${script} >>`)), 'seen'],
      ['of a button', pdfWith({ ...annotation(field), ...form }), 'seen'],
      ['in a name tree', pdfWith(catalogWith(`/Names << /JavaScript << /Names [(a) ${script}] >> >>`)), 'seen'],
      [
        'of a bookmark',
        pdfWith({
          ...catalogWith('/Outlines 6 0 R'),
          6: '<< /First 7 0 R /Last 7 0 R >>',
          7: `<< /Title (a) /Parent 6 0 R /A ${script} >>`,
        }),
        'hidden',
      ],
      ['after another action', pdfWith({ ...opening, 5: `<< /S /GoTo /D [3 0 R /Fit] /Next ${script} >>` }), 'hidden'],
      ['of a rendition', pdfWith(action('/S /Rendition /OP 0 /JS (app.alert(1))')), 'hidden'],
      [
        'behind a key that stands twice',
        foldedPdf({ ...opening, 5: '<< /S /JavaScript /JS (app.alert(1)) /S /GoTo >>' }),
        'hidden',
      ],
      [
        'for the text of which another object stands',
        foldedPdf({ ...opening, 5: '<< /S /JavaScript /JS 6 0 R >>', 6: '(app.alert(1))' }),
        'seen',
      ],
    ]
    for (const [how, content, seen] of cases) {
      if (seen === 'seen') assert.match(await scriptsOf(content), /app\.alert/, `a viewer runs it: ${how}`)
      const found = await findActiveContent(content)
      assert.ok(found.includes('script'), `${how}: ${String(found)}`)
    }
  })

  test('with anything else that runs, sends, opens or plays is detected by its name', async () => {
    const file = '<< /Type /Filespec /F (a.exe) /EF << /F 6 0 R >> >>'
    const attached = { 6: stream('MZ') }
    for (const [what, objects] of [
      ['an XFA form', catalogWith('/AcroForm << /XFA 6 0 R >>')],
      ['a command that starts a program', action('/S /Launch /F (calc.exe)')],
      ['a form that sends its data', action('/S /SubmitForm /F (https://host.example/)')],
      ['a form that reads a file', action('/S /ImportData /F (a.fdf)')],
      ['a link to another file', action(String.raw`/S /GoToR /F (\\\\host.example\\a.pdf) /D [0 /Fit]`)],
      ['a link to another file', action('/S /GoToE /T << /R /C >>')],
      ['an attached file', { ...catalogWith(`/Names << /EmbeddedFiles << /Names [(a) ${file}] >> >>`), ...attached }],
      ['an attached file', { ...annotation(`/Subtype /FileAttachment /FS ${file}`), ...attached }],
      ['an attached file', { ...catalogWith(`/AF [${file}]`), ...attached }],
      ['video, sound or 3D content', annotation('/Subtype /RichMedia /RichMediaContent << >>')],
      ['video, sound or 3D content', annotation('/Subtype /3D /3DD 6 0 R')],
      ['video, sound or 3D content', annotation('/Subtype /Movie /Movie << /F (a.avi) >>')],
      ['a link that is not a web address', link('(javascript:app.alert\\(1\\))')],
      ['a link that is not a web address', link('( java\\nscript:1)')],
      ['a link that is not a web address', link('(file:///etc/passwd)')],
      ['a link that is not a web address', link('(\\\\\\\\host.example\\\\a)')],
      ['a link that is not a web address', link('<feff00660069006c0065003a002f002f>')],
      ['a link that is not a web address', { ...link('6 0 R'), 6: '(file:///a)' }],
    ] as const)
      for (const content of [pdfWith(objects), foldedPdf(objects)])
        assert.deepEqual(await findActiveContent(content), [what], JSON.stringify(objects))
  })

  test('is unreadable if viewers could read it in two ways, or cannot read it', async () => {
    const hidden = '5 0 obj\n<< /S /Java#53cript >>\nendobj'
    const folded = foldedPdf(opening)
    for (const [how, content] of Object.entries({
      'an object in the body of another one': pdfWith({
        6: stream('5 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj'),
      }),
      'an object stream in the body of another one': pdfWith({ 6: stream(folded.toString('latin1')) }),
      'an object in a text': pdfWith({ 6: '(5 0 obj << >> endobj)' }),
      'an object behind a comment in a body': pdfWith({ 6: stream('5 % a\n0 % b\nobj << >> endobj') }),
      'a trailer in the body of an object': pdfWith({ 6: stream('trailer\n<< /Root 1 0 R /Encrypt << >> >>') }),
      'two trailers of which one is encrypted': updatedPdf(pdfWith({}, '/Encrypt << /Filter /Standard /V 1 >>'), {}),
      'a link with two addresses': pdfWith(action('/S /URI /URI (file:///a) /URI (https://host.example)')),
      'an object stream with two filters to choose from': foldedPdf(
        {},
        { dictionary: (n, first) => `${objectStream(n, first)} /Filter /ASCIIHexDecode` },
      ),
      'an object stream with a filter that is not undone': foldedPdf(
        {},
        { dictionary: (n, first) => objectStream(n, first).replace('/FlateDecode', '[/ASCIIHexDecode /FlateDecode]') },
      ),
      'an object stream with a predictor': foldedPdf(
        {},
        { dictionary: (n, first) => `${objectStream(n, first)} /DecodeParms << /Predictor 12 /Columns 4 >>` },
      ),
      'an object stream that breaks off': foldedPdf({}, { fold: (content) => deflateSync(content).subarray(0, -9) }),
      'an object stream that inflates to sixty megabytes': foldedPdf({ 5: `(${' '.repeat(60_000_000)})` }),
      'arrays within arrays': pdfWith({ 5: '['.repeat(1_000_000) }),
      'an object that does not end': pdfWith({ 5: '<< /A (x' }),
      'no object': Buffer.from(`%PDF-1.7\n${hidden.replaceAll('obj', 'job')}\n%%EOF\n`),
    })) {
      assert.equal(await findActiveContent(content), 'unreadable', how)
    }
  })

  test('is plain in files as programs write them', async () => {
    const sample = (name: string) => readFileSync(path.join(import.meta.dirname, '../testing/samples', name)) as Content
    const report = new TaggedPdf({ title: 'Sheet', author: 'North', writtenAt: new Date(), foot: 'Sheet' })
    const { rows, bytes } = intoPdf(
      report,
      () => {},
      () => {},
    )
    rows.end()
    const noise = randomBytes(8_000_000).toString('latin1').replaceAll('endstream', '')
    const form: Objects = {
      ...annotation('/FT /Tx /T (Engineer) /V (A. Smith) /Subtype /Widget'),
      ...catalogWith('/AcroForm << /Fields [5 0 R] /SigFlags 3 >> /OpenAction [3 0 R /Fit]'),
      6: '<< /Type /Sig /Filter /Adobe.PPKLite /ByteRange [0 1 2 3] /Contents <00> >>',
    }
    for (const [how, content] of Object.entries({
      'the report of this product': Buffer.concat((await bytes.toArray()) as Buffer[]),
      'a plain one': pdfWith({}),
      'one with an object stream': foldedPdf({ 6: '(Gas safety /JavaScriptless)' }),
      'one with an update': updatedPdf(pdfWith(form), {
        5: '<< /Type /Annot /Subtype /Widget /Rect [0 0 9 9] /FT /Tx /V (B. Jones) >>',
      }),
      'a form that somebody fills in and signs': foldedPdf(form),
      'one with links': pdfWith({
        ...link('(https://www.gassaferegister.co.uk)'),
        6: '<< /S /URI /URI (mailto:a@host.example) >>',
        7: '<< /S /URI /URI (www.host.example/a:b) >>',
      }),
      'a large one': pdfWith({ 6: stream(noise) }),
      'one whose length is an object of its own': pdfWith({
        6: '<< /Length 7 0 R >>\nstream\nBT (a) Tj ET\nendstream',
        7: '12',
      }),
      'one whose length is wrong': pdfWith({ 6: '<< /Length 3 >>\nstream\nBT (a) Tj ET\nendstream' }),
      'with the password of its owner, RC4': await encryptedPdf({ algorithm: 'RC4-128' }),
      'with the password of its owner, AES-128': await encryptedPdf({ algorithm: 'AES-128' }),
      'with the password of its owner, AES-256': await encryptedPdf({}),
      'with the password of its owner, of another program': sample('owner-password.pdf'),
      'with a line before its head': sample('leading-line.pdf'),
    }))
      assert.deepEqual(await findActiveContent(content), [], how)
  })

  test('is checked within limits of time and memory, whatever it does to the library', async () => {
    const resources = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 }
    const faultOf = (content: Content, milliseconds: number) =>
      pdfFault(new Blob([content]), { milliseconds, resources })
    assert.equal(await faultOf(pdfWith({}), 60_000), undefined)
    // Each of these objects continues to the end of the file, and each number is an object of the library.
    assert.match((await faultOf(pdfWith({ 5: '1 0 % '.repeat(1_500_000) }), 500))!, /cannot be checked/)
    assert.match((await faultOf(pdfWith({ 5: `[${'0 '.repeat(2_000_000)}]` }), 60_000))!, /cannot be checked/)
  })
})
