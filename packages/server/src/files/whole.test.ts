import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileType } from '@caretaker/rules/files/types.ts'
import { jpegOf, pdfOf, png } from '../testing/certificate-files.ts'
import { partsOf } from './parts.ts'
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
