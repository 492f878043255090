import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'vitest'
import { filesIn } from './application-files.ts'
import { signInPage } from './pages.ts'

test('the sign-in page loads the files of the web client while a person types, without running them', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'web-'))
  try {
    writeFileSync(
      path.join(folder, 'application-files.json'),
      JSON.stringify(['assets/main-1.js', 'assets/main-2.css']),
    )
    const page = signInPage({ prefetched: filesIn(folder)! })
    assert.match(
      page,
      /<link rel="prefetch" href="\/assets\/main-1.js"><link rel="prefetch" href="\/assets\/main-2.css">/,
    )
    assert.doesNotMatch(page, /<script/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('without a built web client the sign-in page loads nothing', () => {
  assert.equal(filesIn(path.join(tmpdir(), 'no-such-folder')), undefined)
  assert.doesNotMatch(signInPage({}), /<link/)
})
