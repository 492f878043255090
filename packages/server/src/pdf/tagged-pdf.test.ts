import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'vitest'
import { TaggedPdf, intoPdf } from './tagged-pdf.ts'

test('the cross-reference table of a long document is written no faster than it is fetched, and correctly', async () => {
  const pdf = new TaggedPdf({ title: 'Long', author: 'North homes', writtenAt: new Date(), foot: 'Long' })
  const objects = () => {
    for (let n = 0; n < 1000; n++) pdf.document.ref({}).end('')
  }
  const { rows, bytes } = intoPdf(pdf, objects, () => {})
  const taken: Buffer[] = []
  let waiting = 0
  bytes.on('data', (chunk: Buffer) => {
    waiting = Math.max(waiting, pdf.document.readableLength)
    taken.push(chunk)
    bytes.pause()
    setImmediate(() => bytes.resume())
  })
  for (let n = 0; n < 100; n++) if (!rows.write([])) await once(rows, 'drain')
  rows.end()
  await once(bytes, 'end')
  // The table alone has two megabytes.
  assert.ok(waiting < 1_000_000, String(waiting))
  const text = Buffer.concat(taken).toString('latin1')
  const [, start] = /startxref\n(\d+)\n%%EOF\n$/.exec(text)!
  const [, count, lines] = /^xref\n0 (\d+)\n([^t]+)trailer\n/.exec(text.slice(Number(start)))!
  assert.ok(Number(count) > 100_000)
  assert.equal(lines!.length, 20 * Number(count))
  for (const id of [1, 2, 777, 5000, 5001, 60_000, Number(count) - 1]) {
    const at = Number(lines!.slice(20 * id, 20 * id + 10))
    assert.ok(text.startsWith(`${id} 0 obj`, at), String(id))
  }
})
