import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Floor } from '@caretaker/contract/buildings.ts'
import { chosenFloor, floorsOf, nameFault, noEdits, unsavedText, withFloor, withName, withoutFloor } from './edits.ts'

const floor = (id: string, number: number, name: string): Floor => ({
  ...{ floor: id, number, name, lat: 53, lng: -1, width: 40, height: 20, image: '', rotation: 0 },
  ...{ hasFloorPlan: false, planId: null, version: 1 },
})
const stored = [floor('a', 0, 'G'), floor('b', 1, '1')]
const namesOf = (edits = noEdits) => floorsOf(stored, edits).map(({ name }) => name)

test('a new floor is named by its index and placed above the others', () => {
  const edits = withFloor(stored, withFloor(stored, noEdits, 'x'), 'y')
  assert.deepEqual(namesOf(edits), ['G', '1', '2', '3'])
  assert.deepEqual(
    floorsOf(stored, edits).map(({ number }) => number),
    [0, 1, 2, 3],
  )
})

test('renamed, added and removed floors are kept separate from the stored floors', () => {
  let edits = withName(stored, noEdits, 'b', 'First')
  assert.deepEqual(namesOf(edits), ['G', 'First'])
  edits = withName(stored, withFloor(stored, edits, 'x'), 'x', 'Loft')
  assert.deepEqual(namesOf(edits), ['G', 'First', 'Loft'])
  assert.deepEqual(namesOf(withoutFloor(edits, 'a')), ['First', 'Loft'])
  assert.deepEqual(namesOf(withoutFloor(edits, 'x')), ['G', 'First'])
  // The original name is not a change.
  assert.deepEqual(withName(stored, withName(stored, noEdits, 'b', 'First'), 'b', '1').names, {})
})

test('a name is needed, and no two floors share it', () => {
  const floors = floorsOf(stored, noEdits)
  assert.equal(nameFault(floors, 'a', ' '), 'Floor name is required')
  assert.equal(nameFault(floors, 'b', 'g'), 'Two floors have this name')
  assert.equal(nameFault(floors, 'a', 'g'), undefined)
})

test('the default floor is the chosen one; if it is removed, the rule decides', () => {
  assert.equal(chosenFloor(floorsOf(stored, noEdits), 'b')?.key, 'b')
  assert.equal(chosenFloor(floorsOf(stored, withoutFloor(noEdits, 'b')), 'b')?.key, 'a')
})

test('unsaved changes are counted', () => {
  const kept = { isMoved: false, isNewDefault: false }
  assert.equal(unsavedText(noEdits, kept), '')
  const renamed = withName(stored, noEdits, 'b', 'First')
  assert.equal(unsavedText(renamed, kept), '1 floor renamed')
  const more = withoutFloor(withFloor(stored, renamed, 'x'), 'b')
  assert.equal(
    unsavedText(more, { isMoved: true, isNewDefault: true }),
    '1 floor added, 1 removed, default floor changed, building moved',
  )
  assert.equal(unsavedText(withFloor(stored, renamed, 'x'), kept), '1 floor renamed, 1 added')
})
