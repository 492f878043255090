import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { SheetCell } from './cells.ts'
import { rowsTaken } from './plan.ts'

test('a floor keeps the name of its building when rows are selected, but waits below a cell with an error', () => {
  const mapping = {
    ...{ sheet: 'Floors', headerRow: 1, headers: [], buildingFromName: false },
    columns: ['buildingName', 'buildingPostcode', 'floorName'] as const,
  }
  const take = rowsTaken(mapping)
  const text = (value: string): SheetCell | undefined => (value === '' ? undefined : { kind: 'text', text: value })
  const taken = [
    [text('Mill'), text('LS9 8AA'), text('G')],
    [undefined, undefined, text('1')],
    [{ kind: 'error', text: '#REF!' } as const, text('LS9 8AA'), text('G')],
    [undefined, undefined, text('2')],
  ].flatMap((cells, at) => take({ row: at + 2, hidden: false, cells }, at > 0))
  assert.deepEqual(
    taken.map(({ cells }) => cells.map((cell) => cell?.text)),
    [
      ['Mill', undefined, '1'],
      ['#REF!', 'LS9 8AA', 'G'],
      [undefined, undefined, '2'],
    ],
  )
})
