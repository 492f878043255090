import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Move, Standing } from './stays.ts'
import { referenceAt, staysBetween } from './stays.ts'

const now: Standing = { home: 'B-2', room: 'Hall', location: null }
const stay = (from: number, to: number, home: string | null, room: string | null) => [from, to, home, room]

test.each<[about: string, moves: Move[], expected: unknown[]]>([
  ['one that never moved stood where it stands', [], [stay(10, 20, 'B-2', 'Hall')]],
  [
    'one that moved in the period stood in both homes',
    [{ at: 15, before: { home: 'A-1', room: 'Bedroom' } }],
    [stay(10, 15, 'A-1', 'Bedroom'), stay(15, 20, 'B-2', 'Hall')],
  ],
  [
    'one that moved after the period stood in the earlier home alone',
    [{ at: 25, before: { home: 'A-1' } }],
    [stay(10, 20, 'A-1', 'Hall')],
  ],
  [
    'one that moved before the period stood in the later home alone',
    [{ at: 5, before: { home: 'A-1' } }],
    [stay(10, 20, 'B-2', 'Hall')],
  ],
  [
    'a change of the room alone keeps the home',
    [{ at: 12, before: { room: 'Kitchen' } }],
    [stay(10, 12, 'B-2', 'Kitchen'), stay(12, 20, 'B-2', 'Hall')],
  ],
  [
    'moves in any order, out of every home in between',
    [
      { at: 18, before: { home: null, room: null } },
      { at: 12, before: { home: 'A-1', room: 'Bedroom' } },
    ],
    [stay(10, 12, 'A-1', 'Bedroom'), stay(12, 18, null, null), stay(18, 20, 'B-2', 'Hall')],
  ],
])('%s', (_about, moves, expected) => {
  assert.deepEqual(
    staysBetween(now, moves, 10, 20).map(({ from, to, home, room }) => stay(from, to, home, room)),
    expected,
  )
})

test('a property has the reference of that time', () => {
  const renamings = [
    { at: 30, before: 'NG-2' },
    { at: 10, before: 'NG-1' },
  ]
  assert.deepEqual(
    [5, 10, 20, 30].map((at) => referenceAt('NG-3', renamings, at)),
    ['NG-1', 'NG-2', 'NG-2', 'NG-3'],
  )
})
