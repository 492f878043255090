import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { strToU8, zipSync } from 'fflate'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import { importLimits, unreadable } from '@caretaker/rules/imports/cells.ts'
import type { Known, KnownBuilding } from '@caretaker/rules/imports/plan.ts'
import { planner } from '@caretaker/rules/imports/plan.ts'
import { openFile } from '../../spreadsheets/reading.ts'
import { planFile, surveyFile } from './reading.ts'

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A workbook with one sheet of the given XML. */
function workbook(
  sheet: string,
  { more = {}, state = 'visible', book = '' }: { more?: Record<string, string>; state?: string; book?: string } = {},
): Buffer {
  const files = {
    'xl/workbook.xml': `<workbook ${main} xmlns:r="${relations}">${book}<sheets><sheet name="Homes" sheetId="1" state="${state}" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet ${main}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': sheet,
    ...more,
  }
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), { level: 6 }),
  )
}
const text = (place: string, value: string) => `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`
const heads = `<row r="1">${['Property Ref', 'Address 1', 'Postcode', 'LGSR', 'EPC'].map((head, at) => text(`${'ABCDE'[at]}1`, head)).join('')}</row>`
const home = (row: number, more = '', reference = `B-${row}`) =>
  `<row r="${row}">${text(`A${row}`, reference)}${text(`B${row}`, `${row} Elm Road`)}${text(`C${row}`, 'LS1 4AB')}${more}</row>`
const sheetOf = (...rows: string[]) => `<worksheet ${main}><sheetData>${heads}${rows.join('')}</sheetData></worksheet>`

async function plan(bytes: Buffer | string) {
  const file = await openFile(Buffer.from(bytes as string))
  const sheets = await surveyFile(file, () => false)
  const lists = {
    buildings: new Map<string, KnownBuilding>(),
    outwardCentres: new Map(),
    lookalikes: [],
    accessRightsTags: new Map<string, string>(),
  }
  const made = planner({
    ...lists,
    today: '2026-11-21',
    features: new Set<Feature>(),
    answers: {},
    zone: 'Europe/London',
    takeOffers: false,
    asWritten: false,
    storedAddressesAsNew: false,
    references: {},
    leaveHidden: false,
    wholeRows: false,
  })
  const found = { items: [] as string[], wrong: [] as string[], days: [] as unknown[] }
  const nothing = {
    properties: new Map<string, Known>(),
    devices: new Map<string, Known>(),
    barred: new Set<string>(),
    eui64s: new Map<string, string>(),
    addresses: new Map<string, string[]>(),
  }
  for await (const part of planFile(file, sheets, made, async () => nothing)) {
    found.items.push(...part.items.map(({ name }) => name))
    found.days.push(...part.items.map(({ values }) => values.lastGasSafetyCheckDate ?? null))
    found.wrong.push(...part.wrong.map(({ row, column, message }) => `${column}${row}: ${message}`))
  }
  return { ...found, sheets, totals: made.totals }
}
const refused = (bytes: Buffer | string, reason: keyof typeof unreadable) =>
  assert.rejects(plan(bytes), { message: unreadable[reason] })
const csv = (...rows: string[]) => ['Property Ref,Address 1,Postcode,LGSR,EPC', ...rows].join('\n')

describe('invalid files are refused with the reason', () => {
  test('an empty file', () => refused('', 'empty'))
  test('a picture named as a list', () => refused(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), 'type'))
  test('an archive that is not a workbook', () => refused(Buffer.from(zipSync({ 'a.txt': strToU8('a') })), 'type'))
  test('an old Excel file, or one with a password', () =>
    refused(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), 'old'))
  test('a workbook that was cut off in the middle', () => {
    const whole = workbook(sheetOf(home(2)))
    return refused(whole.subarray(0, whole.length / 2), 'damaged')
  })
  test('a workbook whose sheet is invalid XML', () =>
    refused(workbook(`<worksheet ${main}><sheetData><row r="1"><c`), 'damaged'))
  test('entities that expand to billions of laughs', () =>
    refused(
      workbook(
        `<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><worksheet ${main}><sheetData>${heads}<row r="2">${text('A2', '&b;')}</row></sheetData></worksheet>`,
      ),
      'damaged',
    ))
  test('a zip bomb that declares its size, and one that declares less', async () => {
    const bomb = workbook(sheetOf(home(2)))
    // The uncompressed size in the entry of the first part in the central directory (APPNOTE 4.3.12).
    const entry = bomb.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24
    bomb.writeUInt32LE(importLimits.unfoldedBytes, entry)
    await refused(bomb, 'bomb')
    bomb.writeUInt32LE(10, entry)
    await refused(bomb, 'damaged')
  })
  test('a cell in the last column of Excel', () => refused(workbook(sheetOf(home(2, text('XFD2', 'far')))), 'columns'))
  test('a list with a NUL character, and one with an unclosed quotation mark: the row is named', async () => {
    const row = (number: number, reason: 'nul' | 'quote') => ({ message: `Row ${number}: ${unreadable[reason]}` })
    const good = 'B-1,1 Elm Road,LS1 4AB,,'
    await assert.rejects(plan(csv(good, 'B-2,2 Elm\0 Road,LS1 4AB,,', good)), row(3, 'nul'))
    await assert.rejects(plan(csv(good, 'B-2,2 Elm Road,LS1 4AB,,', 'B-3,"3 Elm Road,LS1 4AB,,')), row(4, 'quote'))
    // The quotation mark of a later row closes the cell, which has swallowed the rows between.
    const later = ['B-3,3 Elm Road,LS1 4AB,,', 'B-4,"4 Elm Road",LS1 4AB,,', good]
    await assert.rejects(plan(csv(good, 'B-2,"2 Elm Road,LS1 4AB,,', ...later)), row(3, 'quote'))
    await assert.rejects(plan(csv(good, '"B-2,2 Elm Road,LS1 4AB,,', ...later)), row(3, 'quote'))
    // Unclosed in the last column, closed by chance by a later mark, or both.
    const open = 'B-2,2 Elm Road,LS1 4AB,,"D'
    await assert.rejects(plan(csv(good, open, 'B-3,"3 Elm Road",LS1 4AB,,', good)), row(3, 'quote'))
    await assert.rejects(plan(csv(good, open, 'B-3,3 Elm Road,LS1 4AB,,"E"', good)), row(3, 'quote'))
    const exact = ['B-2,"2 Elm Road,LS1 4AB,,', 'B-4,4 Elm Road,LS1 4AB,,"D"']
    await assert.rejects(plan(csv(good, ...exact)), row(3, 'quote'))
    await assert.rejects(plan(csv(good, ...exact.with(1, 'B-4,4 Elm Road,LS1 4AB,,"'), good)), row(3, 'quote'))
    // Also too long for a cell.
    const swallowed = Array.from({ length: 100 }, (_, at) => `B-${at},${at} Elm Road,LS1 4AB,,`)
    await assert.rejects(plan(csv(good, 'X,"2 Elm Road,LS1 4AB,,', ...swallowed, '"')), row(3, 'quote'))
    assert.deepEqual((await plan(csv(good, 'B-6,"6 Elm Road, Leeds\nWest Yorkshire",LS1 4AB,,'))).items, ['B-1', 'B-6'])
    const title = '"Homes\n2026"'
    assert.deepEqual((await plan(`${title}\n${csv(good)}`)).items, ['B-1'])
    const lines = 'B-5,"""Rose, Cottage""\n5 Elm Road, Leeds",LS1 4AB,,'
    assert.deepEqual((await plan(csv(good, lines))).items, ['B-1', 'B-5'])
    const many = Array.from({ length: 3000 }, (_, at) => `B-${at},${at} Elm Road,LS1 4AB,,`)
    await assert.rejects(plan(csv(...many, 'C,"1 Elm Road,LS1 4AB,,', ...many)), row(3002, 'quote'))
  })
})

describe('unusual files are read as intended, or the problem is named', () => {
  test('a million empty rows between two properties', async () => {
    const rows = Array.from({ length: 1_000_000 }, (_, at) => `<row r="${at + 3}"/>`).join('')
    assert.deepEqual((await plan(workbook(sheetOf(home(2), rows, home(1_000_003))))).items, ['B-2', 'B-1000003'])
  })
  test('formulas: their stored value, or none if it was not saved', async () => {
    const { items, wrong } = await plan(
      workbook(
        sheetOf(
          home(2, '<c r="E2" t="str"><f>"A"</f><v>B</v></c>'),
          home(3, '<c r="E3"><f>1/0</f></c>'),
          home(4, '<c r="E4" t="e"><f>1/0</f><v>#DIV/0!</v></c>'),
        ),
      ),
    )
    assert.equal(items.length, 3)
    assert.deepEqual(wrong, [
      'E3: The formula has no stored result: open the file in a spreadsheet program and save it',
      'E4: The cell contains the error #DIV/0!',
    ])
  })
  test('an overlong cell is rejected with its row and the others are imported; in an unmapped column it is ignored', async () => {
    const novel = 'x'.repeat(3_000_000)
    const message = 'The cell has 3,000,000 characters; at most 2,000 can be imported'
    const { items, wrong } = await plan(
      csv(
        'B-1,1 Elm Road,LS1 4AB,,',
        `B-2,${novel},LS1 4AB,,`,
        `B-3,3 Elm Road,LS1 4AB,,${novel}`,
        `B-4,4 Elm Road,LS1 4AB,,,${novel}`,
      ),
    )
    assert.deepEqual(items, ['B-1', 'B-3', 'B-4'])
    assert.deepEqual(wrong, [`B3: ${message}`, `E4: ${message}`])
    const book = await plan(workbook(sheetOf(home(2), home(3, text('E3', novel)))))
    assert.deepEqual([book.items, book.wrong], [['B-2', 'B-3'], [`E3: ${message}`]])
  })
  test('a hidden sheet is skipped', async () =>
    assert.deepEqual((await plan(workbook(sheetOf(home(2)), { state: 'veryHidden' }))).items, []))
  test('dates counted from 1904, and from 1900', async () => {
    const day = sheetOf(home(2, '<c r="D2" s="1"><v>44562</v></c>'))
    assert.deepEqual((await plan(workbook(day))).days, ['2022-01-01'])
    assert.deepEqual((await plan(workbook(day, { book: '<workbookPr date1904="1"/>' }))).days, ['2026-01-02'])
  })
  test('a file in UTF-8 with a byte order mark, unclosed quotes, and carriage returns as line ends', async () => {
    assert.deepEqual((await plan(`\uFEFF${csv('B-1,1 Elm Road,LS1 4AB,,').replaceAll('\n', '\r')}`)).items, ['B-1'])
    assert.deepEqual((await plan(csv('B-1,5" pipe,LS1 4AB,,'))).items, ['B-1'])
    assert.deepEqual(
      (await plan(csv('B-1,1 Elm Road,LS1 4AB,,', 'B-2,"2 Elm\nRoad",LS1 4AB,,').replaceAll('\n', '\r\n'))).items,
      ['B-1', 'B-2'],
    )
    const mac = csv('B-1,"1 Elm|Road",LS1 4AB,,', 'B-2,2 Elm Road,LS1 4AB,,').replaceAll('\n', '\r').replace('|', '\n')
    assert.deepEqual((await plan(mac)).items, ['B-1', 'B-2'])
  })
  test('rows that are shorter or longer than the header', async () =>
    assert.deepEqual((await plan(csv('B-1,1 Elm Road,LS1 4AB', 'B-2,2 Elm Road,LS1 4AB,,,,,more'))).items, [
      'B-1',
      'B-2',
    ]))
  test('dates: impossible days, two-digit years, the future, month names', async () => {
    const dates = [
      '29/02/2024',
      '29/02/2026',
      '01/03/25',
      '1 March 2025',
      '2025-03-01',
      '31/04/2025',
      '01/13/2025',
      '22/11/2026',
      '0',
      '01.03.2025',
    ]
    const { days, wrong } = await plan(csv(...dates.map((date, at) => `B-${at},${at} Elm Road,LS1 4AB,${date},`)))
    assert.deepEqual(days, [
      '2024-02-29',
      null,
      '2025-03-01',
      '2025-03-01',
      '2025-03-01',
      null,
      null,
      null,
      null,
      '2025-03-01',
    ])
    assert.deepEqual(wrong, [
      'D3: 29/02/2026 is not a day: February 2026 has 28 days',
      'D7: 31/04/2025 is not a day: April has 30 days',
      'D8: 01/13/2025 is not a day: there is no month 13',
      'D9: A gas safety test cannot be in the future',
      'D10: Not a date',
    ])
  })
  test('references of 30 and of 31 characters, and of blanks only', async () => {
    const { items, wrong } = await plan(
      csv(
        `${'R'.repeat(30)},1 Elm Road,LS1 4AB,,`,
        `${'R'.repeat(31)},2 Elm Road,LS1 4AB,,`,
        '   ,3 Elm Road,LS1 4AB,,',
      ),
    )
    assert.deepEqual(items, ['R'.repeat(30)])
    assert.deepEqual(wrong, [
      'A3: Property reference must be under 30 characters',
      'A4: Property reference is missing; without it this property cannot be identified',
    ])
  })
  test('a new property without an address or postcode', async () =>
    assert.deepEqual((await plan(csv('B-1,,LS1 4AB,,', 'B-2,2 Elm Road,,,', 'B-3,3 Elm Road,LS1,,'))).wrong, [
      'B2: Address line 1 is missing',
      'C3: Postcode is missing',
      'C4: Postcode must be valid',
    ]))
  test('a list without a column for properties, and one with a header only', async () => {
    assert.deepEqual(
      (await plan('Tenant,Rent\nA,1')).sheets.map(({ mapping }) => mapping),
      [null],
    )
    assert.equal((await plan(csv())).totals.rows, 0)
  })
  test('a default floor that does not exist is named; one that a later sheet adds is accepted', async () => {
    const { wrong, totals } = await plan(
      ['Building name,Post code,Default floor,Floor', 'Mill,LS1 4AB,9,G', ',,,1', 'Dock,LS1 4AB,1,G', ',,,1'].join(
        '\n',
      ),
    )
    assert.deepEqual(wrong, ['C2: Mill has no floor 9, here or in the sheet Floors'])
    assert.deepEqual(totals.create, { building: 2, floor: 4 })
  })
  test('the apostrophe that our exports put before a formula is not part of the text', async () =>
    assert.deepEqual((await plan(csv(`"'=1+1",1 Elm Road,LS1 4AB,,`, `"'tis",2 Elm Road,LS1 4AB,,`))).items, [
      '=1+1',
      "'tis",
    ]))
  test('formulas in a text file stay text, and so do characters that reverse the direction', async () =>
    assert.deepEqual((await plan(csv('=1+1,1 Elm Road,LS1 4AB,,', '@B,"<script>alert(1)</script>",LS1 4AB,,'))).items, [
      '=1+1',
      '@B',
    ]))
  test('more rows than one import accepts', async () => {
    const rows = Array.from({ length: importLimits.rows + 1 }, (_, at) => `B-${at},1 Elm Road,LS1 4AB,,`)
    await refused(csv(...rows), 'rows')
  })
})
