import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import {
  addedFloor,
  buildingKey,
  buildingNameFault,
  floorNameFaults,
  floorPlanSizeFault,
  largestFloorPlan,
  wholeTurn,
} from './building.ts'
import { defaultFloor, nextFloor, openingFloor, previousFloor } from './default-floor.ts'

test('building names are compared without case, punctuation and extra spaces', () => {
  const keys: [string, string][] = [
    ['Beech Hill Court', 'beech-hill-court'],
    ['  beech   HILL court ', 'beech-hill-court'],
    ['St. Mary’s', 'st-marys'],
    ['Zürich 7', 'zürich-7'],
    ['!!!', ''],
  ]
  for (const [name, key] of keys) assert.equal(buildingKey(name), key, name)
})

test('a plan file must not be empty or too large', () => {
  assert.equal(floorPlanSizeFault(0), 'The file is empty.')
  assert.equal(floorPlanSizeFault(1), undefined)
  assert.equal(floorPlanSizeFault(largestFloorPlan), undefined)
  assert.equal(floorPlanSizeFault(largestFloorPlan + 1), 'The floor plan is larger than 20 MB.')
})

test('a building name needs a letter or digit and must be unique', () => {
  assert.equal(buildingNameFault(''), 'Building name is required')
  assert.equal(buildingNameFault(' - '), 'Building name is required')
  assert.equal(buildingNameFault('Mill  Court', ['mill-court']), 'Name is already being used')
  assert.equal(buildingNameFault('Mill Court 2', ['mill-court']), undefined)
  assert.deepEqual(floorNameFaults(['G', ' ', 'g', '1']), [
    undefined,
    'Floor name is required',
    'Two floors have this name',
    undefined,
  ])
})

test('a new floor has the position and size of the first one, no plan, and its index as name [est-3-6 est-3-7]', () => {
  const first = { name: '0', lat: 53.7, lng: -1.9, width: 42, height: 21 }
  const added = { lat: 53.7, lng: -1.9, width: 42, height: 21, rotation: 0, image: '', hasFloorPlan: false }
  assert.deepEqual(addedFloor([first]), { name: '1', ...added })
  assert.deepEqual(addedFloor([first, { ...first, name: '2', lat: 1, width: 9 }]), { name: '3', ...added })
  assert.deepEqual(addedFloor([]), { name: '0', ...added, lat: null, lng: null, width: 30, height: 30 })
})

test('an angle is normalised to less than a full turn', () => {
  fc.assert(
    fc.property(fc.double({ min: -360, max: 360, noNaN: true }), (degrees) => {
      const turned = wholeTurn(degrees)
      assert.ok(turned >= 0 && turned <= 360)
      assert.ok(Math.abs(Math.sin(((turned - degrees) * Math.PI) / 360)) < 1e-9)
    }),
  )
})

const floors = (...names: [string, number][]) => names.map(([name, devices], number) => ({ name, devices, number }))

test('a building opens on the chosen floor, else on the one named 0, G or GROUND [est-4-5 est-4-6]', () => {
  const all = floors(['Cellar', 1], ['Ground', 1], ['First', 1])
  assert.equal(defaultFloor(all, ({ name }) => name === 'First')?.name, 'First')
  for (const name of ['0', 'G', 'g', 'GROUND', ' Ground '])
    assert.equal(defaultFloor(floors(['Cellar', 1], ['Hall', 1], [name, 1]), () => false)?.name, name)
  assert.equal(
    defaultFloor(
      [
        { name: 'Cellar', number: -1 },
        { name: 'Hall', number: 0 },
      ],
      () => false,
    )?.name,
    'Hall',
  )
  assert.equal(
    defaultFloor([], () => true),
    undefined,
  )
})

test('a building opens on the first floor with devices if its default floor has none [est-4-7]', () => {
  const all = floors(['0', 0], ['1', 3], ['2', 5])
  assert.equal(openingFloor(all, all[0])?.name, '1')
  assert.equal(openingFloor(all, all[2])?.name, '2')
  const empty = floors(['0', 0], ['1', 0])
  assert.equal(openingFloor(empty, empty[1])?.name, '1')
  assert.equal(openingFloor(empty, undefined)?.name, '0')
  assert.equal(openingFloor([], undefined), undefined)
})

test('the next floor after the last is the first, the previous before the first is the last [est-4-10 est-4-12]', () => {
  assert.deepEqual(
    [0, 1, 2].map((at) => nextFloor(3, at)),
    [1, 2, 0],
  )
  assert.deepEqual(
    [0, 1, 2].map((at) => previousFloor(3, at)),
    [2, 0, 1],
  )
})
