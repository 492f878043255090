import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, test } from 'vitest'
import { childEnv, root, run } from './child.mjs'
import type { Result } from './results.mjs'
import { endReport, fileTimes, readResults, timeReport } from './results.mjs'

const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'caretaker-reporter-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Runs test files with these texts under the reporter, in separate processes, and returns the stored results and the output.
 */
async function report(files: Record<string, string>, settings: Record<string, string> = {}) {
  const own = mkdtempSync(path.join(folder, 'run-'))
  const results = path.join(own, 'results')
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(own, name), text)
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = [`--reporter=${path.join(root, 'tools', 'reporter.mjs')}`, '--reporter=junit']
  const args = [vitest, 'run', '--root', own, '--globals', ...reporters]
  const env: NodeJS.ProcessEnv = childEnv({ CARETAKER_RESULTS: results, ...settings })
  // The reporter treats it as a separate run, even if this test is part of a run.
  if (!settings['CARETAKER_RUN']) delete env['CARETAKER_RUN']
  const { code, output } = await run(process.execPath, [...args, `--outputFile.junit=${own}/junit.xml`], {
    cwd: own,
    capture: true,
    env,
  })
  const kept = readResults('unit', results).map(({ title, file, status, reason }) => ({
    title,
    file: path.basename(file),
    status,
    reason,
  }))
  return { code, output, kept, results, junit: readFileSync(path.join(own, 'junit.xml'), 'utf8') }
}

test('titles include their groups, groups are not counted, and skipped tests keep their reason', async () => {
  const { code, kept, junit } = await report({
    'a.test.mjs': `
      describe('group', () => { describe('inner', () => { it('passes [core-1-1]', () => {}) }) })
      test('finds nothing to run on', (t) => t.skip('no broker here'))
      test('is not tried', { skip: true, meta: { skipReason: 'no root here' } }, () => {})
      describe('together', { skip: true, meta: { skipReason: 'no Citus here' } }, () => { test('one', () => {}) })`,
  })
  assert.equal(code, 0)
  const skipped = { file: 'a.test.mjs', status: 'skipped' }
  assert.deepEqual(kept, [
    { title: 'group › inner › passes [core-1-1]', file: 'a.test.mjs', status: 'passed', reason: undefined },
    { title: 'finds nothing to run on', ...skipped, reason: 'no broker here' },
    { title: 'is not tried', ...skipped, reason: 'no root here' },
    { title: 'together › one', ...skipped, reason: 'no Citus here' },
  ])
  assert.match(junit, /tests="4" failures="0"/)
})

test('a failure is stored with its reason and printed with details', async () => {
  const { code, kept, output, junit } = await report({
    'b.test.mjs': `describe('group', () => {
      it('fails', () => { console.log('said before'); throw new Error('the roof leaks', { cause: new Error('rain') }) }) })`,
  })
  assert.equal(code, 1)
  assert.deepEqual(kept, [{ title: 'group › fails', file: 'b.test.mjs', status: 'failed', reason: 'the roof leaks' }])
  assert.match(output, /the roof leaks[\s\S]*b\.test\.mjs:2[\s\S]*caused by Error: rain[\s\S]*said before/)
  assert.match(junit, /<failure message="the roof leaks"/)
})

test('a file that crashes, one without tests, and a hook that fails are failures', async () => {
  const { code, kept } = await report({
    'c.test.mjs': `throw new Error('at the door')`,
    'd.test.mjs': `test('passes', () => {})
      test('never ends', () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}) })`,
    'e.test.mjs': `export const nothing = 1`,
    'f.test.mjs': `describe('group', () => { beforeAll(() => { throw new Error('no ladder') }); test('climbs', () => {}) })`,
    'g.test.mjs': `test('passes', () => { setTimeout(() => { throw new Error('much later') }) })
      test('waits', () => new Promise((done) => setTimeout(done, 100)))`,
  })
  assert.equal(code, 1)
  assert.deepEqual(
    kept.map(({ file, title, status, reason }) => `${file} ${title}: ${status} ${reason ?? ''}`.trim()).sort(),
    [
      'c.test.mjs the file runs to its end: failed at the door',
      'd.test.mjs the file runs to its end: failed the process of the file ended',
      'e.test.mjs the file runs to its end: failed the file holds no tests',
      'f.test.mjs group › climbs: failed did not run: a hook of its group failed',
      'f.test.mjs group: failed no ladder',
      'g.test.mjs passes: passed',
      'g.test.mjs the file runs to its end: failed much later',
      'g.test.mjs waits: passed',
    ],
  )
})

test('the run time is reported by phase and by slowest file, including the start and hooks of each', async () => {
  const at = '2026-11-20T00:00:00.000Z'
  const slow = `beforeAll(() => new Promise((done) => setTimeout(done, 1500)))`
  const passes = `test('passes', () => {})`
  const files = { 'slow.test.mjs': `${slow}\n${passes}\n`, 'quick.test.mjs': passes }
  const { results } = await report(files, { CARETAKER_RUN: at })
  const before = { ...process.env }
  Object.assign(process.env, { CARETAKER_RESULTS: results, CARETAKER_RUN: at })
  try {
    const [first, second, ...more] = fileTimes('unit')
    assert.deepEqual(
      [first, second].map((one) => path.basename(one!.file)),
      ['slow.test.mjs', 'quick.test.mjs'],
    )
    assert.ok(first!.seconds > 1.5 && more.length === 0)
    const timeText = timeReport([
      { name: 'types', seconds: 2.04 },
      { name: 'tests', seconds: 61 },
    ])
    assert.match(
      timeText,
      /^Time: 1 min 03 s\n {5}2\.0 s  types\n  1 min 01 s  tests\nThe slowest files:\n.*slow\.test\.mjs\n.*quick/,
    )
  } finally {
    for (const name of ['CARETAKER_RESULTS', 'CARETAKER_RUN'])
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
  }
})

test('the end of the report lists every failed test with the beginning of its reason', async () => {
  const { output } = await report({
    'a.test.mjs': `test('passes', () => {})`,
    'b.test.mjs': `import assert from 'node:assert/strict'
      describe('lights', () => { test('count', () => assert.equal(3, 4)) })
      test('prints', () => { throw new Error(Array.from({ length: 200 }, (_, at) => 'line ' + at).join('\\n')) })`,
  })
  const end = output.slice(output.lastIndexOf('Failed:'), output.lastIndexOf('JUNIT'))
  assert.match(end, /b\.test\.mjs: lights › count \(Expected values to be strictly equal: 3 !== 4\)\n/)
  assert.match(end, /b\.test\.mjs: prints \(line 0 line 1 .*…\)\n\n1 passed, 2 failed\n/)
  assert.equal(end.trim().split('\n').length, 5)
})

test('for a file whose tests all fail, the end of the report lists the first ones and counts the others', () => {
  const failed = (file: string, at: number): Result => ({
    title: `test ${at}`,
    file,
    status: 'failed',
    seconds: 0,
    reason: '\n  no database  \n',
    at: '',
  })
  const many = Array.from({ length: 873 }, (_, at) => failed('many.test.ts', at))
  const lines = endReport([...many, failed('stories.spec.ts', 1)]).split('\n')
  assert.deepEqual(lines.slice(0, 2), ['Failed:', '  many.test.ts: test 0 (no database)'])
  assert.deepEqual(lines.slice(12), [
    '  many.test.ts: test 11 (no database)',
    '  many.test.ts: 861 more failed',
    '  stories.spec.ts: test 1 (no database)',
    '',
    '0 passed, 874 failed',
  ])
})
