import assert from 'node:assert/strict'
import { test } from 'vitest'
import { boundsOf, matrixOf } from './bounds.ts'
import { entitiesOf } from './entities.ts'
import { pixelsOf } from './lengths.ts'
import { isPlainValue, plainDeclarations, plainSheet } from './style.ts'

const million = 1_000_000
const none = () => {}

/** Each has to be read in linear time; quadratic code takes minutes. */
const readings: Record<string, () => unknown> = {
  'a document type of opening brackets': () => entitiesOf('svg ' + '['.repeat(million)),
  'opening brackets, as long as a document type may be': () => entitiesOf('svg ' + '['.repeat(190_000)),
  'comments without an end': () => entitiesOf(`svg [${'<!--'.repeat(45_000)}]`),
  'instructions without an end': () => entitiesOf(`svg [${'<?'.repeat(90_000)}]`),
  'entities of references that all fail': () =>
    entitiesOf(
      `svg [${Array.from({ length: 30 }, (_, at) => `<!ENTITY a${at} "${`&a${at + 1};`.repeat(50)}">`).join('')}]`,
    ),
  'a style of opening brackets': () => plainDeclarations('fill:' + '('.repeat(2 * million), none),
  'a style sheet of opening brackets': () => plainSheet('a{fill:' + '('.repeat(2 * million), none),
  'a style sheet of addresses': () => plainSheet('a{fill:' + 'url('.repeat(million / 2), none),
  'a value of one name': () => isPlainValue('a'.repeat(100_000)),
  'a value of ten million characters': () => isPlainValue('a'.repeat(10 * million)),
  'a selector of eight million characters': () => plainSheet(`${'a'.repeat(8 * million)}{fill:red}`, none),
  'a transform of one name': () => matrixOf('a'.repeat(million)),
  'a transform of open functions': () => matrixOf('a('.repeat(million)),
  'a length of many blanks': () => pixelsOf(`1${' '.repeat(million)}!`),
  'an arc before many blanks': () =>
    boundsOf('path', () => `M0 0A${'5 5 0 0110 10 '.repeat(20_000)}${' '.repeat(million)}`),
}

test.each(Object.entries(readings))('%s: read in a moment', (_, read) => {
  const start = performance.now()
  read()
  const milliseconds = performance.now() - start
  // Generous, for busy machines.
  assert.ok(milliseconds < 4000, `${Math.round(milliseconds)} ms`)
})

test('entities are read between comments and instructions, and the document type has a length limit', () => {
  const found = entitiesOf(
    `svg [<!-- <!ENTITY a "x"> --><?b <!ENTITY a "y"> ?><!ENTITY a "z"><!-- <? --><!ENTITY b "b">] `,
  )
  assert.deepEqual('entities' in found && [...found.entities], [
    ['a', 'z'],
    ['b', 'b'],
  ])
  assert.deepEqual(entitiesOf('svg []'), { entities: new Map(), withElements: new Set() })
  assert.deepEqual(entitiesOf(`svg [${' '.repeat(200_000)}]`), { fault: 'endless' })
})
