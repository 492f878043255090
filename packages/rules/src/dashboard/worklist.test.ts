import assert from 'node:assert/strict'
import { test } from 'vitest'
import { fieldsOf } from '../lists/list.ts'
import { builtInViews } from '../views/view.ts'
import { filterFault, sortFault } from '../lists/filters.ts'
import { workCases, workView } from './worklist.ts'
import { listings } from '../devices/list.ts'

test('every case is one that its listing can be asked for, by those too from whom personal data is hidden', () => {
  for (const name of workCases) {
    const { listing, filters, sorts } = workView(name, '2026-11-20')
    const known = fieldsOf(listings[listing], true)
    for (const filter of filters) assert.equal(filterFault(filter, known), undefined, name)
    for (const sort of sorts) assert.equal(sortFault(sort, known), undefined, name)
  }
})

test('failed lights are the rows of the preset view that the link names', () => {
  const { listing, viewId, filters } = workView('failed lights', '2026-11-20')
  assert.deepEqual(builtInViews(listings[listing]).find((view) => view.viewId === viewId)?.filters, filters)
})

test('a light tested 31 days ago, or installed then and never tested, is in time; the day before it was not', () => {
  const [lastTest] = workView('untested lights', '2026-11-20').filters
  assert.deepEqual(lastTest, { fieldId: 'testedOrInstalled', filterOp: 'to', value: '2026-10-19' })
})
