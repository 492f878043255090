import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { FileType } from '@caretaker/rules/files/types.ts'
import { foldedObjects, jpegOf, pdfOf, png } from '../testing/certificate-files.ts'
import { partSize, partsOf } from './parts.ts'
import { contentFault } from './whole.ts'

async function faultOf(content: Buffer<ArrayBuffer>, type: FileType = 'application/pdf') {
  await using parts = await partsOf(new Blob([content]))
  return contentFault(parts, type)
}
const cut = (content: Buffer<ArrayBuffer>) => content.subarray(0, content.length - 60)

test('a file that breaks off is told from a whole one', async () => {
  const incomplete = 'The file is not complete.'
  const large = pdfOf('x'.repeat(9_000_000))
  for (const [content, type] of [
    [pdfOf('Gas safety'), 'application/pdf'],
    [large, 'application/pdf'],
    [png, 'image/png'],
    [jpegOf(), 'image/jpeg'],
  ] as const)
    assert.equal(await faultOf(content, type), undefined, type)
  assert.equal(await faultOf(cut(pdfOf('Gas safety'))), incomplete)
  assert.equal(await faultOf(large.subarray(0, 5_000_000)), incomplete)
  assert.equal(await faultOf(cut(png), 'image/png'), incomplete)
  // The preview within it has an end, the picture has not.
  assert.equal(await faultOf(jpegOf({ ends: false }), 'image/jpeg'), incomplete)
  assert.equal(await faultOf(jpegOf().subarray(0, 24), 'image/jpeg'), incomplete)
})

test('a PDF with scripts is told, however they are written and wherever they stand', async () => {
  const scripts = 'The PDF has scripts. Save it without them, or as a picture.'
  const script = '7 0 obj\n<< /S /JavaScript /JS (app.alert(1)) >>\nendobj\n'
  for (const more of [
    script,
    script.replace('/JavaScript', '/Java#53cript'),
    script.replace('/JavaScript', '/#4a#61#76#61#53#63#72#69#70#74'),
    '7 0 obj\n<< /S /Launch /F (run.exe) >>\nendobj\n',
    '7 0 obj\n<< /AcroForm << /XFA 8 0 R >> >>\nendobj\n',
    foldedObjects('7 0 << /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >>'),
    foldedObjects(`${'<< /A /B >> '.repeat(20_000)}<< /S /Java#53cript >>`),
    foldedObjects('<< /S /JavaScript >>', '[ /FlateDecode ]'),
    // Where one part that is looked at ends and the next begins.
    ...[-6, 0, 6].map((by) => `${' '.repeat(partSize - 380 + by)}${script}`),
  ])
    assert.equal(await faultOf(pdfOf('Gas safety', more)), scripts, more.trim().slice(0, 80))
})

test('a PDF that nobody can look into is not taken, one without scripts is', async () => {
  assert.match((await faultOf(pdfOf('x', '<< /Encrypt 5 0 R >>')))!, /locked/)
  assert.match((await faultOf(pdfOf('x', foldedObjects('x', '[/ASCIIHexDecode /FlateDecode]'))))!, /cannot be checked/)
  assert.match(
    (await faultOf(pdfOf('x', foldedObjects('x', '/FlateDecode /DecodeParms << /Predictor 12 >>'))))!,
    /cannot/,
  )
  const broken = foldedObjects('x').replace(/stream\n[^]{4}/, 'stream\nAAAA')
  assert.match((await faultOf(pdfOf('x', broken)))!, /cannot be checked/)
  // Sixty megabytes of nothing in sixty kilobytes.
  assert.match((await faultOf(pdfOf('x', foldedObjects(' '.repeat(60_000_000)))))!, /cannot be checked/)
  const harmless = `${foldedObjects('<< /Type /Page /JavaScriptless 1 >>')}\n6 0 obj\n<< /OpenAction [3 0 R /Fit] >>\nendobj`
  assert.equal(await faultOf(pdfOf('x', harmless)), undefined)
  const noise = randomBytes(3_000_000).toString('latin1').replaceAll('endstream', '')
  assert.equal(
    await faultOf(pdfOf('x', `8 0 obj\n<< /Length 3000000 >>\nstream\n${noise}\nendstream\nendobj\n`)),
    undefined,
  )
})
