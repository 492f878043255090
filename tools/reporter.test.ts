import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { childEnv, root, run } from './child.mjs'
import { fileTimes, readResults, timeReport } from './results.mjs'

const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'caretaker-reporter-')))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Runs test files of the given texts under the reporter and answers with what it kept and printed. */
async function report(files: Record<string, string>) {
  const results = mkdtempSync(path.join(folder, 'results-'))
  const names = Object.keys(files).map((name) => path.join(folder, name))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  const reporter = `--test-reporter=${path.join(root, 'tools', 'reporter.mjs')}`
  const env = childEnv({ CARETAKER_RESULTS: results })
  const args = ['--test', reporter, '--test-reporter-destination=stdout', ...names]
  const { code, output } = await run(process.execPath, args, { capture: true, env })
  const kept = readResults('unit', results).map(({ title, file, status, reason }) => ({
    title,
    file: path.basename(file),
    status,
    reason,
  }))
  return { code, output, kept }
}

test('titles are full, groups are not counted, skipped tests keep their reason', async () => {
  const { code, kept } = await report({
    'a.test.mjs': `import { describe, it, test } from 'node:test'
      describe('group', () => { describe('inner', () => { it('passes [core-1-1]', () => {}) }) })
      test('parent', async (t) => { await t.test('child', { skip: 'no broker here' }, () => {}) })`,
  })
  assert.equal(code, 0)
  assert.deepEqual(kept, [
    { title: 'group › inner › passes [core-1-1]', file: 'a.test.mjs', status: 'passed', reason: undefined },
    { title: 'parent › child', file: 'a.test.mjs', status: 'skipped', reason: 'no broker here' },
  ])
})

test('a failure is kept with its reason and printed with its story', async () => {
  const { code, kept, output } = await report({
    'b.test.mjs': `import { describe, it } from 'node:test'
      describe('group', () => { it('fails', () => { console.log('said before'); throw new Error('the roof leaks') }) })`,
  })
  assert.equal(code, 1)
  assert.deepEqual(kept, [{ title: 'group › fails', file: 'b.test.mjs', status: 'failed', reason: 'the roof leaks' }])
  assert.match(output, /the roof leaks[\s\S]*b\.test\.mjs:2[\s\S]*said before/)
})

test('a file that crashes, and one without tests, fail', async () => {
  const { code, kept } = await report({
    'c.test.mjs': `throw new Error('at the door')`,
    'd.test.mjs': `import { test } from 'node:test'
      test('passes', () => {})
      test('never ends', () => { setTimeout(() => process.exit(3), 50); return new Promise(() => {}) })`,
    'e.test.mjs': `export const nothing = 1`,
  })
  assert.equal(code, 1)
  assert.deepEqual(
    kept.map(({ file, status, reason }) => `${file} ${status} ${reason ?? ''}`.trim()),
    [
      'c.test.mjs failed the process of the file ended with code 1',
      'd.test.mjs passed',
      'd.test.mjs failed the process of the file ended with code 3',
      'e.test.mjs failed the file holds no tests',
    ],
  )
})

test('the time of a run is told by phases and by its slowest files, the start and the hooks of each included', async () => {
  const results = mkdtempSync(path.join(folder, 'results-'))
  const names = ['slow.test.mjs', 'quick.test.mjs'].map((name) => path.join(folder, name))
  const slow = `before(() => new Promise((done) => setTimeout(done, 1500)))`
  for (const [at, file] of names.entries())
    writeFileSync(file, `import { before, test } from 'node:test'\n${at ? '' : slow}\ntest('passes', () => {})\n`)
  const at = '2026-11-20T00:00:00.000Z'
  const reporter = `--test-reporter=${path.join(root, 'tools', 'reporter.mjs')}`
  const env = childEnv({ CARETAKER_RESULTS: results, CARETAKER_RUN: at })
  await run(process.execPath, ['--test', reporter, '--test-reporter-destination=stdout', ...names], {
    capture: true,
    env,
  })
  const before = { ...process.env }
  Object.assign(process.env, { CARETAKER_RESULTS: results, CARETAKER_RUN: at })
  try {
    const [first, second, ...more] = fileTimes('unit')
    assert.deepEqual(
      [first, second].map((one) => path.basename(one!.file)),
      ['slow.test.mjs', 'quick.test.mjs'],
    )
    assert.ok(first!.seconds > 1.5 && more.length === 0)
    const told = timeReport([
      { name: 'types', seconds: 2.04 },
      { name: 'tests', seconds: 61 },
    ])
    assert.match(
      told,
      /^Time: 1 min 03 s\n {5}2\.0 s  types\n  1 min 01 s  tests\nThe slowest files:\n.*slow\.test\.mjs\n.*quick/,
    )
  } finally {
    for (const name of ['CARETAKER_RESULTS', 'CARETAKER_RUN'])
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
  }
})
