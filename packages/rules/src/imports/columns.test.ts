import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { SheetRow } from './cells.ts'
import { columnsWith, draftOf, mappingAt, recognise } from './columns.ts'

const sheet = { name: 'Stock', hidden: false, hiddenColumns: [] }
const row = (at: number, ...texts: string[]): SheetRow => ({
  row: at,
  hidden: false,
  cells: texts.map((text) => (text === '' ? undefined : { kind: 'text', text })),
})
const title = row(1, 'West Kirk Homes, stock list', '', 'Nov 2026')
const fieldsBy = (...headings: string[]) => mappingAt(sheet, row(1, ...headings), () => false).columns

test('a property list is recognised by its headings, regardless of hyphens, blanks and case', () => {
  const headings = row(
    3,
    'Our Ref',
    'House / Street',
    'Town / City',
    'Post-Code',
    'Type of Home',
    'EPC band',
    'Last CP12',
  )
  const home = row(4, 'WK-1', '1 Mill Road', 'Leeds', 'LS6 1AB', 'Bungalow', 'C', '01/02/2025')
  assert.deepEqual(
    recognise(sheet, [title, headings, home], () => false),
    {
      ...{ sheet: 'Stock', headerRow: 3, headers: headings.cells.map((cell) => cell!.text), buildingFromName: false },
      columns: [
        ...(['propertyReference', 'address1', 'town', 'postcode'] as const),
        ...(['propertyArchitype', 'epcRating', 'lastGasSafetyCheckDate'] as const),
      ],
    },
  )
})

test('without a heading that identifies the rows a postcode belongs to a property, and a floor alone is not mapped', () => {
  assert.deepEqual(fieldsBy('Code', 'Post-Code', 'Floor'), [null, 'postcode', null])
  assert.deepEqual(fieldsBy('Block', 'Post-Code', 'Floor'), ['buildingName', 'buildingPostcode', 'floorName'])
})

test('after a user maps a column as a property field the others are mapped for properties, and manual mappings stay', () => {
  const headers = ['Nr', 'Block', 'Post-Code', 'EPC', 'Patch', 'Floor']
  const blocks = fieldsBy(...headers)
  assert.deepEqual(blocks, [null, 'buildingName', 'buildingPostcode', null, null, 'floorName'])
  const homes = columnsWith({ headers, columns: blocks }, { at: 0, id: 'propertyReference', hidden: [] })
  assert.deepEqual(homes, ['propertyReference', 'buildingName', 'postcode', 'epcRating', null, 'floorName'])
  const tagged = columnsWith({ headers, columns: homes }, { at: 4, id: 'epcRating', hidden: [] })
  assert.deepEqual(tagged, ['propertyReference', 'buildingName', 'postcode', null, 'epcRating', 'floorName'])
  assert.deepEqual(columnsWith({ headers, columns: blocks }, { at: 0, id: 'propertyReference', hidden: [3] })[3], null)
})

describe('the header row of a list without known headings', () => {
  const draftRow = (...rows: SheetRow[]) => draftOf(sheet, rows, () => false)?.headerRow
  const rowsBelow = [
    row(4, 'WK-1', 'East', 'Social'),
    row(5, 'WK-2', 'West', 'Social'),
    row(6, 'WK-3', 'East', 'Social'),
  ]

  test('is the row with several known fields', () =>
    assert.equal(draftRow(title, row(3, 'Number', 'Town', 'Post-Code'), ...rowsBelow), 3))
  test('is otherwise the first with several short texts and rows below that are no wider', () => {
    assert.equal(draftRow(title, row(3, 'Number', 'Patch', 'Tenure'), ...rowsBelow), 3)
    assert.equal(draftRow(row(1, 'Number', 'Patch', 'Tenure'), row(2, 'WK-1', 'East', 'Social', 'a note')), undefined)
    assert.equal(draftRow(row(1, 'Number', 'Patch', 'Tenure'), row(2, 'WK-1', 'East')), 1)
  })
  test('is not a row of figures only or of one text, nor in a hidden sheet', () => {
    assert.equal(draftRow(row(1, '1', '2'), row(2, '3', '4')), undefined)
    assert.equal(draftRow(row(1, 'One'), row(2, 'Two')), undefined)
    assert.equal(
      draftOf({ ...sheet, hidden: true }, [title, ...rowsBelow], () => false),
      undefined,
    )
  })
})
