import assert from 'node:assert/strict'
import { test } from 'vitest'
import { csvOf, datedName, withoutFormula, withoutGuard } from './csv.ts'

const london = 'Europe/London'
const mark = '\uFEFF'

test('a CSV begins with a byte-order mark [est-7.6-6]', () => {
  assert.equal(csvOf([], london), mark)
  assert.equal(csvOf([['a']], london).codePointAt(0), 0xfeff)
})

test('values are separated by commas, and every value is quoted [est-7.6-7 est-7.6-8]', () => {
  assert.equal(
    csvOf(
      [
        ['Name', 'Lights'],
        ['Stair "A", left', 3],
        [null, undefined],
      ],
      london,
    ),
    `${mark}"Name","Lights"\r\n"Stair ""A"", left","3"\r\n"",""\r\n`,
  )
})

test('objects become rows with their fields as columns', () => {
  assert.equal(csvOf([{ a: 1 }, { a: true, b: [1] }], london), `${mark}"a","b"\r\n"1",""\r\n"true","[1]"\r\n`)
})

test('testDate, date and t180StartDate are written in display format, other fields unchanged [est-7.6-9]', () => {
  const at = '2026-07-01T00:30:00.000Z'
  assert.equal(
    csvOf([{ testDate: at, date: Date.parse(at), t180StartDate: '2026-11-28T01:30', other: at }], london),
    `${mark}"testDate","date","t180StartDate","other"\r\n"01/07/2026 01:30","01/07/2026 01:30","28/11/2026 01:30","${at}"\r\n`,
  )
  assert.equal(csvOf([{ date: 'never' }, { date: null }], london), `${mark}"date"\r\n"never"\r\n""\r\n`)
})

test('text that a spreadsheet would read as a formula is escaped; a negative number is not', () => {
  assert.equal(csvOf([['=1+1', '-5.5', '-a']], london), `${mark}"'=1+1","-5.5","'-a"\r\n`)
})

test('formulas after invisible characters or with full-width signs are escaped, other text is unchanged', () => {
  const hidden = [
    ' =1',
    '\u00a0+1',
    '\u200b=1',
    '\ufeff=1',
    '\u2060-a',
    '\u00ad@a',
    '\u180e=1',
    '\u3164=1',
    '\ufeff \t =1',
  ]
  const wide = ['\uff1d1+1', '\uff0b1', '\uff0da', '\uff20SUM(A1)', '\ufe66a', '\u2212a', ' \uff1d1']
  for (const text of [...hidden, ...wide]) assert.equal(withoutFormula(text), `'${text}`, JSON.stringify(text))
  for (const text of ['', ' ', 'a=1', ' 1+1', '-5', '-5.5', '(=1)', "'1", '\u200b', 'caf\u00e9 @ home'])
    assert.equal(withoutFormula(text), text, JSON.stringify(text))
})

test('only the apostrophe that escaped a formula is removed again', () => {
  const texts = ['=1+1', '-a', '-5', ' =1', "'=1", "''@x", "'tis", "'", "O'Neill", '', '\u200b=1', '\uff1d1', "'-5"]
  for (const text of texts) assert.equal(withoutGuard(withoutFormula(text)), text, JSON.stringify(text))
  for (const text of ["'tis", "'-5", "'", "'1"]) assert.equal(withoutGuard(text), text, text)
})

test('data other than rows of cells or objects is refused [est-8-1]', () => {
  const message = 'Data should be a "Array of arrays" OR "Array of objects"'
  for (const data of [undefined, null, 'a', 5, { a: 1 }, [1], ['a'], [null], [[1], { a: 1 }], [new Date(), 1]])
    assert.throws(() => csvOf(data, london), { message })
})

test("a file name contains its day, and 'report' if it has no name [est-7.6-4 est-7.6-5]", () => {
  assert.equal(datedName('2025-01-05', 'tests.csv'), '05-Jan-2025-tests.csv')
  assert.equal(datedName('2026-12-31'), '31-Dec-2026-report.csv')
})
