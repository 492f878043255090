import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, test } from 'vitest'
import { isInstalled } from './install.mjs'

const folder = mkdtempSync(path.join(os.tmpdir(), 'caretaker-install-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(path.join(folder, 'node_modules'))

const wanted = {
  '': { name: 'caretaker', version: '0.1.0' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/for-another-platform': { version: '1.0.0', optional: true },
  'node_modules/@caretaker/rules': { resolved: 'packages/rules', link: true },
}

function installed(present: Record<string, object> | undefined): boolean {
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages: wanted }))
  const record = path.join(folder, 'node_modules', '.package-lock.json')
  if (present) writeFileSync(record, JSON.stringify({ packages: present }))
  else rmSync(record, { force: true })
  return isInstalled(folder)
}

const { '': _root, 'node_modules/for-another-platform': _other, ...complete } = wanted

test('packages are in place when all but the optional ones are there in their exact versions', () => {
  assert.equal(installed(complete), true)
  assert.equal(installed({ ...complete, 'node_modules/for-another-platform': { version: '1.0.0' } }), true)
})

test('they are not after a bump, with one missing, with one too many, or after an interrupted installation', () => {
  assert.equal(installed({ ...complete, 'node_modules/a': { version: '1.0.1', integrity: 'sha512-b' } }), false)
  assert.equal(installed({ 'node_modules/@caretaker/rules': complete['node_modules/@caretaker/rules'] }), false)
  assert.equal(installed({ ...complete, 'node_modules/left-over': { version: '2.0.0' } }), false)
  assert.equal(installed(undefined), false)
})
