import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, test } from 'vitest'
import { commitFaults, faultyCommits } from './commits.mjs'

const folder = mkdtempSync(path.join(tmpdir(), 'commits-'))
afterAll(() => rmSync(folder, { recursive: true }))
const git = (...args: string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', '-c', 'core.hooksPath=/dev/null', ...args],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  )

test.each([
  'feat(imports): reject rows without a postcode',
  'fix: close the dialog',
  'refactor(devices, lists)!: rename a field\n\nWhy.',
  "Merge branch 'main'",
  'fixup! fix: close the dialog',
  'docs: describe backups\n# a comment of git\nbody',
  'docs: describe backups\n\nbody\n# ------------------------ >8 ------------------------\ndiff --git a b',
])('%j is accepted', (message) => {
  assert.deepEqual(commitFaults(message.replace('\n# a comment of git\nbody', '\n# a comment of git\n\nbody')), [])
})

test.each([
  ['Lists are faster', /must be "type\(scope\): description"/],
  ['feature: add a page', /must be "type\(scope\): description"/],
  ['fix:close the dialog', /must be "type\(scope\): description"/],
  [`fix: ${'a'.repeat(68)}`, /has 73 characters/],
  ['fix: close the dialog.', /full stop/],
  ['fix: close the dialog\nbecause', /second line/],
  ['', /must be "type\(scope\): description"/],
])('%j is refused', (message, fault) => {
  assert.match(commitFaults(message).join('\n'), fault)
})

test('only the commits after the base are checked', () => {
  git('init', '-q', '-b', 'main')
  const commit = (message: string) => {
    writeFileSync(path.join(folder, 'file'), message)
    git('add', 'file')
    git('commit', '-q', '-m', message)
  }
  commit('Old history')
  git('branch', 'base')
  commit('fix: close the dialog')
  assert.deepEqual(faultyCommits('base', folder), [])
  commit('Lists are faster')
  assert.match(faultyCommits('base', folder).join('\n'), /^\w+ Lists are faster: The subject must be/)
  assert.deepEqual(faultyCommits('origin/main', folder), [])
})
