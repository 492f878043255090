import assert from 'node:assert/strict'
import { test } from 'vitest'
import { floorsOfFiles } from './plan-files.ts'

const named = (...names: string[]) => names.map((name) => ({ floor: name, name }))

test('a plan file is assigned to its floor by name', () => {
  const numbered = named('0', '1', '2')
  for (const files of [
    ['0.svg', '1.svg', '2.svg'],
    ['level-0.svg', 'level-1.svg', 'level-2.svg'],
    ['Mill Court 2026 L0.svg', 'Mill Court 2026 L1.svg', 'Mill Court 2026 L2.SVG'],
    ['ground_floor.svg', 'first_floor.svg', 'second_floor.svg'],
    ['GF.svg', '1st floor.svg', '2nd floor.svg'],
    ['plan ground.svg', 'plan 1.svg', 'plan 2.svg'],
    ['level 0.pdf', 'level 1.PNG', 'level 2.svg.gz'],
    ['level 0.jpeg', 'level 1.jpg', 'level 2.svgz'],
  ])
    assert.deepEqual(floorsOfFiles(numbered, files), ['0', '1', '2'], files.join())
  const words = named('Basement', 'Ground', 'First', 'Roof plant')
  assert.deepEqual(floorsOfFiles(words, ['Beech Hill roof plant.svg', 'lower-ground.svg', 'G.svg', 'Level 1.svg']), [
    'Roof plant',
    'Basement',
    'Ground',
    'First',
  ])
  assert.deepEqual(floorsOfFiles(named('-1', '0'), ['basement.svg', '0.svg']), ['-1', '0'])
})

test('a file that matches no floor, several floors, or an already matched floor is not assigned', () => {
  const floors = named('0', '1', 'First')
  assert.deepEqual(floorsOfFiles(floors, ['attic.svg', '7.svg', '12-34.svg', '.svg']), Array(4).fill(undefined))
  // Both are level 1.
  assert.deepEqual(floorsOfFiles(named('Level 1', 'First'), ['L1.svg']), [undefined])
  assert.deepEqual(floorsOfFiles(named('7', 'Attic'), ['Block 7 attic.svg']), [undefined])
  assert.deepEqual(floorsOfFiles(floors, ['0.svg', 'ground.svg', '1.svg']), [undefined, undefined, '1'])
})
