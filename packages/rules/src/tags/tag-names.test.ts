import assert from 'node:assert/strict'
import { test } from 'vitest'
import { tagNameFault } from './tag-names.ts'

test('tag names have the errors of the specification', () => {
  const faults: [string, string | undefined][] = [
    ['Phase2', undefined],
    ['T'.repeat(20), undefined],
    ['', 'Tag name is required!'],
    [' ', 'No spaces in tag'],
    ['Night test', 'No spaces in tag'],
    ['Night\ttest', 'No spaces in tag'],
    ['Night-test', 'Tag name can only have letters and numbers'],
    ['Zoë', 'Tag name can only have letters and numbers'],
    ['Sоlar', 'Tag name can only have letters and numbers'],
    ['T'.repeat(21), 'Tag name can only 20 characters'],
    ['solar', 'Tag name has already been used'],
    ['SOLAR', 'Tag name has already been used'],
    ['Solar2', undefined],
  ]
  for (const [name, fault] of faults) assert.equal(tagNameFault(name, ['Solar', 'Damp']), fault, name)
})
