import assert from 'node:assert/strict'
import { test } from 'vitest'
import { roomColours } from './rooms.ts'

test('a room has one colour, whatever the order and repetition of rooms', () => {
  const colours = roomColours(['Living room', 'Bedroom 10', 'Bathroom', 'Bedroom 2', 'Living room'])
  assert.deepEqual(
    [...colours],
    [
      ['Bathroom', 1],
      ['Bedroom 2', 2],
      ['Bedroom 10', 3],
      ['Living room', 4],
    ],
  )
  assert.equal(roomColours(['a', 'b', 'c', 'd', 'e', 'f', 'g']).get('g'), 1)
})
