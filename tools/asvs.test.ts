import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'vitest'
import type { Level, Row } from './asvs.ts'
import { levels, rowsOf, stateOf, states } from './asvs.ts'
import { root } from './child.mjs'

const table = 'docs/security/asvs.md'
const text = readFileSync(path.join(root, table), 'utf8')
const rows = rowsOf(text)

test('the table has each requirement of levels 1 and 2 once, in its order, with its level', () => {
  const inOrder = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true })
  assert.deepEqual(
    [70, 183],
    [1, 2].map((level) => [...levels.values()].filter((one) => one === level).length),
  )
  assert.deepEqual(
    rows.map(({ number, level }) => [number, level]),
    [...levels].toSorted(([one], [other]) => inOrder(one, other)),
  )
})

test('each requirement has a subject, a state and, if it is met, a place', () => {
  const wrong = rows.filter((row) => {
    const state = stateOf(row)
    return !row.subject || !state || (state === 'met' && !row.places.length)
  })
  assert.deepEqual(wrong, [])
})

/** The part of a reference that is missing: the file, the section of a document, or the test. */
function faultOf({ file, anchor, title }: Row['places'][number]): string | undefined {
  const place = path.join(root, path.dirname(table), file)
  if (!existsSync(place)) return file
  const content = readFileSync(place, 'utf8')
  if (anchor && !anchorsIn(content).includes(anchor)) return `${file}#${anchor}`
  // Titles may contain escaped apostrophes, or be followed by ids of requirements.
  return title && !content.replaceAll("\\'", "'").includes(title) ? `${file}: ${title}` : undefined
}

const anchorsIn = (document: string) =>
  [...document.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

test('each place exists: the file, the section and the test', () => {
  assert.ok(rows.flatMap(({ places }) => places).filter(({ title }) => title).length > 150)
  assert.deepEqual(
    rows.flatMap(({ number, places }) =>
      places.flatMap((place) => faultOf(place) ?? []).map((fault) => [number, fault]),
    ),
    [],
  )
})

test('the summary has the number of rows of each chapter, level and state', () => {
  const count = (chapter: string | undefined, level: Level) =>
    states.map(
      (state) =>
        rows.filter(
          (row) => row.level === level && stateOf(row) === state && (!chapter || row.number.startsWith(`${chapter}.`)),
        ).length,
    )
  const summary = [...text.matchAll(/^\| (?:(\d+) [^|]+|all) \| ((?:\d+ \| ){5}\d+) \|$/gm)]
  assert.equal(summary.length, 18)
  for (const [line, chapter, numbers] of summary)
    assert.deepEqual(numbers!.split(' | ').map(Number), [...count(chapter, 1), ...count(chapter, 2)], line)
  const done = ([1, 2] as const).map((level) => {
    const [met, notApplicable, notMet] = count(undefined, level) as [number, number, number]
    return { done: met + notApplicable, of: met + notApplicable + notMet }
  })
  for (const { done: some, of } of done) assert.ok(text.includes(`${some} of ${of}`), `${some} of ${of}`)
})

test('a place that is missing is found', () => {
  const row = (place: string) => rowsOf(`| 1.2.3 | 1 | subject | met | ${place} |`)[0]!
  const faults = (place: string) => row(place).places.map(faultOf)
  assert.deepEqual(faults('[a](../../tools/none.ts); [b](asvs.md#summary); [c](asvs.md#none)'), [
    ...['../../tools/none.ts', undefined, 'asvs.md#none'],
  ])
  const own = '[asvs.test.ts](../../tools/asvs.test.ts)'
  assert.deepEqual(faults(`${own} “a place that is missing is found”`), [undefined])
  const absent = ['no', 'such', 'test'].join(' ')
  assert.deepEqual(faults(`${own} “${absent}”`), [`../../tools/asvs.test.ts: ${absent}`])
  assert.deepEqual(
    ['met', 'met (why)', 'met: why', 'not met', 'not met: why', 'not applicable', 'not applicable: why', ''].map(
      (state) => stateOf({ ...row(own), state }),
    ),
    ['met', 'met', undefined, undefined, 'not met', undefined, 'not applicable', undefined],
  )
})
