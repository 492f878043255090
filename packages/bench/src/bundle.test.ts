import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBuilt, limits, listingScript } from './bundle.ts'

test('the script to a working listing stays small', (t) => {
  if (!isBuilt()) return t.skip('the web pages are not built')
  const { total, files } = listingScript()
  assert.ok(total <= limits.kB, `${total} kB gzip, at most ${limits.kB}`)
  assert.ok(files.length <= limits.files, `${files.length} files, at most ${limits.files}`)
  // It is the whole of it that is measured.
  assert.ok(files.some(({ file }) => file.startsWith('listing-page-')) && total > 150)
})
