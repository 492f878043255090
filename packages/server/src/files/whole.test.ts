import assert from 'node:assert/strict'
import { test } from 'vitest'
import { pdfOf } from '../testing/certificate-files.ts'
import { contentFault } from './whole.ts'

const faultOf = (content: Buffer<ArrayBuffer>) => contentFault(new Blob([content]), 'application/pdf')

test('a truncated PDF is distinguished from a complete one', async () => {
  const incomplete = 'The file is not complete.'
  const [small, large] = [pdfOf('Gas safety'), pdfOf('x'.repeat(9_000_000))]
  for (const whole of [small, large]) assert.equal(await faultOf(whole), undefined)
  for (const cut of [small.subarray(0, -60), large.subarray(0, 5_000_000)]) assert.equal(await faultOf(cut), incomplete)
})
