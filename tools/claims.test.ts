import assert from 'node:assert/strict'
import { test } from 'vitest'
import { doubts } from './claims.ts'

const ids = ['core-1-1', 'core-1-2', 'core-1-3']
const main = 'packages/server/src/main.ts'
const rules = 'packages/rules/src'

/** The doubted requirements of sources, as `id reason`. */
const doubted = (sources: Record<string, string>) =>
  doubts(
    Object.entries(sources).map(([file, text]) => ({ file, text })),
    ids,
  ).map(({ id, why }) => `${id} ${why}`)

const age = `export function ageOf(year: number): number {\n  return 2026 - year\n}\n`
const testOf = (title: string, names: string, from: string, body: string) =>
  `import assert from 'node:assert/strict'\nimport { test } from 'vitest'\nimport { ${names} } from '${from}'\n
test('${title}', () => {\n  ${body}\n})\n`
const ageTest = testOf('an age [core-1-1]', 'ageOf', './age.ts', 'assert.equal(ageOf(2000), 26)')

test('a module that only its test imports proves nothing', () => {
  const repository = { [`${rules}/age.ts`]: age, [`${rules}/age.test.ts`]: ageTest }
  assert.deepEqual(doubted({ ...repository, [main]: `import 'node:fs'\n` }), ['core-1-1 unused'])
  const used = `import { ageOf } from '@caretaker/rules/age.ts'\n\nconsole.log(ageOf(2000))\n`
  assert.deepEqual(doubted({ ...repository, [main]: used }), [])
  // The demo, the simulator and files that nothing reaches are not part of the product.
  for (const file of ['simulator/src/main.ts', 'demo/src/seed.ts', 'bench/src/main.ts', 'server/src/lost.ts'])
    assert.deepEqual(doubted({ ...repository, [`packages/${file}`]: used, [main]: '' }), ['core-1-1 unused'], file)
  // They are not part of it even if they are loaded dynamically.
  const loaded = {
    ...repository,
    'packages/demo/src/seed.ts': used,
    [main]: `await import('@caretaker/demo/seed.ts')\n`,
  }
  assert.deepEqual(doubted(loaded), ['core-1-1 unused'])
})

test('an export that only its test imports proves nothing, even if the product uses other exports of the file', () => {
  const both = `${age}\nexport const yearOf = (age: number) => 2026 - age\n`
  const using = (name: string) => `import { ${name} } from '@caretaker/rules/age.ts'\n\nconsole.log(${name}(1))\n`
  const repository = { [`${rules}/age.ts`]: both, [`${rules}/age.test.ts`]: ageTest }
  assert.deepEqual(doubted({ ...repository, [main]: using('yearOf') }), ['core-1-1 unused'])
  assert.deepEqual(doubted({ ...repository, [main]: using('ageOf') }), [])
  // The product may reach it through another export, an intermediate file, a namespace import, a lazily loaded page or
  // a re-export.
  const through = both.replace('2026 - age\n', 'ageOf(age)\n')
  assert.deepEqual(doubted({ ...repository, [`${rules}/age.ts`]: through, [main]: using('yearOf') }), [])
  const between = { 'packages/server/src/b.ts': using('ageOf') }
  for (const text of [`import './b.ts'\n`, `const b = await import('./b.ts')\n`])
    assert.deepEqual(doubted({ ...repository, ...between, [main]: text }), [], text)
  assert.deepEqual(
    doubted({ ...repository, [main]: `import * as all from '@caretaker/rules/age.ts'\n\nconsole.log(all)\n` }),
    [],
  )
  const handedOn = { [`${rules}/all.ts`]: `export * from './age.ts'\n` }
  assert.deepEqual(doubted({ ...repository, ...handedOn, [main]: using('ageOf').replace('age.ts', 'all.ts') }), [])
})

test('a type import, or an import that is not used, does not count as use', () => {
  const repository = { [`${rules}/age.ts`]: age, [`${rules}/age.test.ts`]: ageTest }
  const from = `from '@caretaker/rules/age.ts'`
  for (const text of [
    `import type { ageOf } ${from}\n\nexport const a: typeof ageOf = 1\n`,
    `import { type ageOf } ${from}\n\nexport const a: typeof ageOf = 1\n`,
    `import { ageOf } ${from}\n\nconsole.log(1)\n`,
    `import { ageOf } ${from}\n\nexport type A = typeof ageOf\n\nconsole.log('ageOf') // ageOf\n`,
  ])
    assert.deepEqual(doubted({ ...repository, [main]: text }), ['core-1-1 unused'], text)
})

test('a test that only checks literals runs nothing, and one that calls a function does', () => {
  const file = `${rules}/kinds.ts`
  const kinds = `export const kinds = ['a', 'b'] as const\n\nexport const isKind = (text: string) => kinds.includes(text)\n`
  const use = `import { isKind, kinds } from '@caretaker/rules/kinds.ts'\n\nconsole.log(isKind, kinds)\n`
  const repository = { [file]: kinds, [main]: use }
  const named = (names: string, body: string) =>
    doubted({ ...repository, [`${rules}/kinds.test.ts`]: testOf('the kinds [core-1-2]', names, './kinds.ts', body) })
  assert.deepEqual(named('kinds', `assert.deepEqual(kinds, ['a', 'b'])`), ['core-1-2 constants'])
  assert.deepEqual(named('kinds', `for (const kind of [...kinds].sort()) assert.ok(kind)`), ['core-1-2 constants'])
  assert.deepEqual(named('isKind, kinds', `assert.ok(isKind('a'))`), [])
  for (const literal of [`{ a: 1 }`, `'a'`, '42', 'new Set(["a"])'])
    assert.deepEqual(
      doubted({
        [file]: `export const kinds: Kinds = ${literal}\n`,
        [main]: `import { kinds } from '@caretaker/rules/kinds.ts'\n\nconsole.log(kinds)\n`,
        [`${rules}/kinds.test.ts`]: testOf('the kinds [core-1-2]', 'kinds', './kinds.ts', 'assert.ok(kinds)'),
      }),
      ['core-1-2 constants'],
      literal,
    )
})

test('one valid test is enough, in a group, through a helper or in the browser', () => {
  const repository = { [`${rules}/age.ts`]: age, [`${rules}/age.test.ts`]: ageTest, [main]: `import 'node:fs'\n` }
  assert.deepEqual(doubted({ ...repository, 'packages/e2e/age.spec.ts': `test('an age [core-1-1]', () => {})\n` }), [])
  // A test of the running app imports none of the app's code.
  const running = `import { testApp } from './testing/app.ts'\n\ntest('an age [core-1-1]', async () => {\n  await testApp()\n})\n`
  const helper = { 'packages/server/src/testing/app.ts': `export const testApp = () => 1\n` }
  assert.deepEqual(doubted({ ...repository, ...helper, 'packages/server/src/age.test.ts': running }), [])
  // A valid test of one id does not excuse another id in the same file; helpers in the file are followed.
  const grouped = `import { ageOf } from './age.ts'

const check = (year: number) => assert.ok(ageOf(year))

describe('ages [core-1-3]', () => {
  test('are shown [core-1-2]', () => {
    check(2000)
  })
})

for (const [title, year] of [['young [core-1-1]', 2020]] as const)
  test(title, () => {
    check(year)
  })
`
  assert.deepEqual(doubted({ ...repository, [`${rules}/age.test.ts`]: grouped }), [
    'core-1-1 unused',
    'core-1-2 unused',
    'core-1-3 unused',
  ])
  const used = `import { ageOf } from '@caretaker/rules/age.ts'\n\nconsole.log(ageOf(2000))\n`
  assert.deepEqual(doubted({ ...repository, [`${rules}/age.test.ts`]: grouped, [main]: used }), [])
})
