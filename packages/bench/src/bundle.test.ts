import assert from 'node:assert/strict'
import { test } from 'vitest'
import { isBuilt, limits, listingScript, scriptFiles } from './bundle.ts'

test('the script needed for a working listing stays small', (t) => {
  if (!isBuilt()) return t.skip('the web pages are not built')
  const { total, files } = listingScript()
  assert.ok(total <= limits.kB, `${total} kB gzip, at most ${limits.kB}`)
  assert.ok(files.length <= limits.files, `${files.length} files, at most ${limits.files}`)
  // Checks that the measurement covers the whole listing.
  assert.ok(files.some(({ file }) => file.startsWith('listing-pages-')) && total > 150)
})

test('no script files import each other in a circle, which could leave a component undefined depending on load order', (t) => {
  if (!isBuilt()) return t.skip('the web pages are not built')
  const files = scriptFiles()
  for (const file of files.keys()) {
    const below = new Set(files.get(file))
    for (const one of below) for (const imported of files.get(one) ?? []) below.add(imported)
    assert.ok(!below.has(file), file)
  }
})
