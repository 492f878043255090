import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'vitest'
import { features } from '@caretaker/rules/identity/features.ts'
import { leftColumns, wordsOf } from '@caretaker/rules/imports/columns.ts'
import type { FieldId } from '@caretaker/rules/imports/fields.ts'
import { buildingKey } from '@caretaker/rules/buildings/building.ts'
import { floorKey, homeAddressKey, isMisread } from '@caretaker/rules/imports/keys.ts'
import type {
  Item,
  Known,
  KnownBuilding,
  Note,
  Question,
  ReferenceAnswer,
  Totals,
  Values,
  WrongCell,
} from '@caretaker/rules/imports/plan.ts'
import { planner, rowKey } from '@caretaker/rules/imports/plan.ts'
import { outwardCodes } from '../../postcodes/postcodes.ts'
import { openFile } from '../../spreadsheets/reading.ts'
import { planFile, surveyFile } from './reading.ts'

const samples = path.join(import.meta.dirname, 'samples')

interface Expected {
  file: string
  rows: number
  create: Record<string, number>
  change: Record<string, number>
  unchanged: Record<string, number>
  left: number
  refusedRows: number
  refusedCells: {
    sheet: string
    row: number
    column: string
    header: string
    value: string | number
    reason: string
    message: string
    effect: string
  }[]
  warnings: { sheet: string; rows: number[]; code: string; message: string }[]
  sheets: { sheet: string; headerRow: number }[]
  columns: { mapped?: Record<string, string>; left?: string[] }
  words: Record<string, Record<string, string | null>>
  emptyUntilMapped?: Record<string, number>
  becomeVoid?: number
  format?: { encoding: string; separator: string }
}
const { today, files } = JSON.parse(await readFile(path.join(samples, 'expected.json'), 'utf8')) as {
  today: string
  files: Expected[]
}

/** A tenant in memory that keeps what was imported before. */
class Estate {
  properties = new Map<string, Known>()
  buildings = new Map<string, KnownBuilding & { floors: Map<string, Known> }>()
  devices = new Map<string, Known>()

  async import(
    name: string,
    answers: Partial<Record<FieldId, Record<string, string | null>>> = {},
    takeOffers = false,
    references: Record<string, ReferenceAnswer> = {},
  ) {
    return this.importBytes(await readFile(path.join(samples, name)), answers, takeOffers, references)
  }

  async importBytes(
    bytes: Buffer,
    answers: Partial<Record<FieldId, Record<string, string | null>>> = {},
    takeOffers = false,
    references: Record<string, ReferenceAnswer> = {},
  ) {
    const file = await openFile(bytes)
    const sheets = await surveyFile(file, (key) => this.buildings.has(key))
    const lookalikes = [...this.properties.values()].map((one) => one.name).filter(isMisread)
    const plan = planner({
      today,
      features: new Set(features),
      buildings: this.buildings,
      outwardCentres: await outwardCodes(),
      lookalikes,
      accessRightsTags: new Map(),
      answers,
      zone: 'Europe/London',
      takeOffers,
      asWritten: false,
      storedAddressesAsNew: false,
      references,
      leaveHidden: false,
      wholeRows: false,
    })
    const items: Item[] = []
    const wrong: WrongCell[] = []
    const notes: Note[] = []
    const questions: Question[] = []
    const eui64s = new Map([...this.devices.values()].map((one) => [String(one.values.eui64), one.name]))
    for await (const part of planFile(file, sheets, plan, async () => ({
      properties: this.properties,
      devices: this.devices,
      barred: new Set<string>(),
      eui64s,
      addresses: this.addresses(),
    }))) {
      items.push(...part.items)
      wrong.push(...part.wrong)
      notes.push(...part.notes)
      questions.push(...part.questions)
    }
    for (const item of items) this.#keep(item)
    return { sheets, items, wrong, notes, questions, totals: plan.totals, format: file.format }
  }

  addresses() {
    const found = new Map<string, string[]>()
    for (const { name, values } of this.properties.values()) {
      const { address1, address2, address3, postcode } = values as Record<string, string | undefined>
      const key = homeAddressKey([address1, address2, address3], postcode)
      found.set(key, [...(found.get(key) ?? []), name])
    }
    return found
  }

  #keep({ kind, key, name, values, action }: Item) {
    if (action === 'unchanged') return
    const merged = (known: Known | undefined) => ({ id: key, name, values: { ...known?.values, ...values } })
    if (kind === 'property') this.properties.set(key, merged(this.properties.get(key)))
    if (kind === 'device') this.devices.set(key, merged(this.devices.get(key)))
    if (kind === 'building') {
      const known = this.buildings.get(key)
      this.buildings.set(key, { ...merged(known), floors: known?.floors ?? new Map<string, Known>() })
    }
    if (kind === 'floor') {
      const { floors } = this.buildings.get(buildingKey(String((values as Values).buildingName ?? key.split('/')[0])))!
      const floor = key.slice(key.indexOf('/') + 1)
      const known = floors.get(floorKey(floor))
      floors.set(floorKey(floor), { ...merged(known), name: String(values.floorName ?? known?.name ?? floor) })
    }
  }
}

const before: Record<string, string[]> = { '02': ['01'], '03': ['06'], '04': ['01'], '09': ['01'], '10': ['01'] }
const nameOf = (start: string) => files.find(({ file }) => file.startsWith(start))!.file
const plurals = { property: 'properties', building: 'buildings', floor: 'floors', device: 'devices' } as const
const counted = (counts: Totals['create']) =>
  Object.fromEntries(Object.entries(counts).map(([kind, count]) => [plurals[kind as keyof typeof plurals], count]))
const inOrder = <T extends { sheet: string; row: number; column?: string }>(list: T[]) =>
  list.toSorted(
    (a, b) => a.sheet.localeCompare(b.sheet) || a.row - b.row || (a.column ?? '').localeCompare(b.column ?? ''),
  )

describe('each sample is imported as its expected.json states', () => {
  for (const expected of files)
    test(expected.file, async () => {
      const estate = new Estate()
      for (const start of before[expected.file.slice(0, 2)] ?? []) await estate.import(nameOf(start))
      const { totals, wrong, notes, sheets, format } = await estate.import(expected.file)
      const cellOf = ({
        sheet,
        row,
        column,
        header,
        value,
        reason,
        message,
        effect,
      }: Expected['refusedCells'][number] | WrongCell) => ({
        sheet,
        row,
        column,
        header,
        // A number in a cell, where the exact notation in the workbook does not matter.
        value:
          typeof value === 'number' || /^\d{13,}$/.test(value)
            ? Number(value)
            : value === String(Number(value))
              ? Number(value)
              : value,
        reason,
        message,
        effect,
      })
      assert.deepEqual(inOrder(wrong.map(cellOf)), inOrder(expected.refusedCells.map(cellOf)))
      assert.equal(totals.rows, expected.rows)
      assert.deepEqual(counted(totals.create), expected.create)
      assert.deepEqual(counted(totals.change), expected.change)
      assert.deepEqual(counted(totals.unchanged), expected.unchanged)
      assert.equal(totals.left, expected.left)
      assert.equal(totals.refusedRows, expected.refusedRows)
      assert.equal(totals.becomeVoid, expected.becomeVoid ?? totals.becomeVoid)
      if (expected.emptyUntilMapped) assert.deepEqual(totals.emptyUntilMapped, expected.emptyUntilMapped)
      // The samples list one serial number's spelling for file 03, but only the count for file 04.
      const spelled = expected.file.startsWith('04') ? notes.filter(({ code }) => code === 'serial-spelling') : []
      const otherNotes = notes.filter((note) => !spelled.includes(note))
      assert.deepEqual(
        inOrder(otherNotes),
        inOrder(
          expected.warnings.map(({ sheet, rows, code, message }) => ({ sheet, row: rows[0]!, code, message }) as Note),
        ),
      )
      const read = sheets.flatMap(({ mapping }) => (mapping ? [mapping] : []))
      assert.deepEqual(
        read.map(({ sheet, headerRow }) => ({ sheet, headerRow })),
        expected.sheets.map(({ sheet, headerRow }) => ({ sheet, headerRow })),
      )
      if (expected.columns.left)
        for (const mapping of read) assert.deepEqual(leftColumns(mapping), expected.columns.left)
      for (const mapping of read)
        for (const [header, field] of Object.entries(expected.columns.mapped ?? {}))
          if (!header.startsWith('('))
            assert.equal(
              mapping.columns[mapping.headers.indexOf(header)],
              {
                'propertyReference (of the home)': 'propertyReference',
                'building name': 'buildingName',
                'building postCode': 'buildingPostcode',
                'floor name': 'floorName',
              }[field] ?? field,
              header,
            )
      for (const [id, words] of Object.entries(expected.words))
        assert.deepEqual(
          wordsOf(id as FieldId, sheets.find(({ mapping }) => mapping)!.survey.words[id as FieldId] ?? {}).words,
          words,
        )
      if (expected.format) {
        assert.equal(format?.encoding, expected.format.encoding)
        assert.equal(format?.separator, expected.format.separator)
      }
    })
})

test('a second import of any sample creates and changes nothing', async () => {
  const estate = new Estate()
  for (const start of ['06', '01', '02', '03', '04', '05', '07-template-filled', '08', '09', '10']) {
    await estate.import(nameOf(start))
    const { totals } = await estate.import(nameOf(start))
    assert.deepEqual([start, totals.create, totals.change], [start, {}, {}])
  }
})

test('one button accepts the proposals for all broken references, and an answer applies to all rows with the value', async () => {
  const estate = new Estate()
  await estate.import(nameOf('01'), { propertyArchitype: { bungalow: 'House Detached' } })
  assert.equal(
    [...estate.properties.values()].filter(({ values }) => values.propertyArchitype === undefined).length < 62,
    true,
  )
  const { totals } = await estate.import(nameOf('04'), {}, true)
  assert.equal(totals.create.device, 281 + 15)
})

describe('files written by other programs', () => {
  test('b15: each unambiguous date is 3 November 2025; numbers are named', async () => {
    const { items, wrong, totals } = await new Estate().import('public/b15-dates.csv')
    assert.deepEqual(totals.create, { property: 12 })
    assert.deepEqual(
      items.map(({ values }) => values.lastGasSafetyCheckDate),
      [...Array.from({ length: 10 }, () => '2025-11-03'), undefined, undefined],
    )
    assert.deepEqual(
      wrong.map(({ row, message, effect }) => [row, message, effect]),
      ['20251103', '45964'].map((text, at) => [
        12 + at,
        `${text} is a number and not a date. If it means 03/11/2025, write that day`,
        'cell',
      ]),
    )
  })

  test('b18: a file from an old Mac is read in its encoding', async () => {
    const { items, format } = await new Estate().import('public/b18-mac-roman.csv')
    assert.deepEqual(
      items.map(({ values }) => values.address1),
      ['1 Café Yard', '2 Ty Mawr'],
    )
    assert.deepEqual([format?.code, format?.examples], ['macintosh', ['PM-1,1 Café Yard,Otley,LS21 3AB']])
  })

  test('b22: each postcode has its normal form; an invalid one is rejected with its row', async () => {
    const { items, wrong } = await new Estate().import('public/b22-postcodes.csv')
    const postcodes = new Map(items.map(({ values }) => [values.propertyReference, values.postcode]))
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17].map((at) =>
        postcodes.get(`PP-${String(at).padStart(2, '0')}`),
      ),
      [
        ...['LS21 3AB', 'LS21 3AB', 'GIR 0AA', 'GIR 0AA', 'BF1 2AY', 'BFPO 61', 'GY10 1PB', 'JE2 3XP', 'IM1 1AA'],
        ...['W1A 0AX', 'EC1A 1BB', 'BT1 1AA', 'ASCN 1ZZ', 'LS21 3AB', 'LS21 3AB'],
      ],
    )
    assert.deepEqual(
      wrong.map(({ row, value, message }) => [row, value, message]),
      [
        [15, 'LS21-3AB'],
        [16, 'LS21 3A'],
        [19, 'O1A 1AA'],
        [20, '12345'],
        [21, 'LS21 3AB.'],
      ].map((cell) => [...cell, 'Postcode must be valid']),
    )
  })

  test('b32: references without leading zeros or in exponent form are questions; no property is imported twice', async () => {
    const estate = new Estate()
    assert.deepEqual((await estate.import('public/b32-uprn-zeros-1.csv')).totals.create, { property: 2 })
    const asked = await estate.import('public/b32-uprn-zeros-2.csv')
    assert.deepEqual([asked.totals.create, asked.totals.change, asked.totals.refusedRows], [{}, {}, 2])
    assert.deepEqual(
      asked.questions.map(({ row, value, offer, isStored, written, answer }) => ({
        ...{ row, value, offer, isStored, written, answer },
      })),
      [
        ...[
          { row: 2, value: '10012345678', offer: '010012345678', isStored: true, written: '10012345678', answer: null },
        ],
        ...[
          { row: 3, value: '1.00062E+11', offer: '100062345679', isStored: true, written: '1.00062E+11', answer: null },
        ],
      ],
    )
    const left = await estate.import('public/b32-uprn-zeros-2.csv', {}, true, {
      [rowKey(asked.questions[1]!)]: 'leave',
    })
    assert.deepEqual([left.totals.change, left.totals.refusedRows], [{ property: 1 }, 1])
    const taken = await estate.import('public/b32-uprn-zeros-2.csv', {}, true)
    assert.deepEqual([taken.totals.change, taken.totals.unchanged], [{ property: 1 }, { property: 1 }])
    assert.deepEqual(estate.properties.get('010012345678')?.values.epcRating, 'C')
  })

  const list = (...rows: string[]) => Buffer.from(['Property Ref,Address 1,Town,Postcode,EPC', ...rows].join('\r\n'))
  const stored = async (...rows: string[]) => {
    const estate = new Estate()
    await estate.importBytes(list(...rows))
    return estate
  }

  test('an address stored under another reference is a question; the answer of the row counts', async () => {
    const estate = await stored('WL-1,1 Weir Lane,Otley,LS21 3AD,C')
    const next = list('NEW-7,1 WEIR LN,,ls213ad,B', 'NEW-8,2 Weir Lane,,LS21 3AD,B')
    const asked = await estate.importBytes(next)
    assert.deepEqual([asked.totals.create, asked.totals.refusedRows], [{ property: 1 }, 1])
    assert.deepEqual(
      asked.questions.map(({ message, offer, written }) => [message, offer, written]),
      [["Property 'WL-1' already has this address. Did you mean 'WL-1'?", 'WL-1', 'NEW-7']],
    )
    const row = rowKey(asked.questions[0]!)
    const same = await estate.importBytes(next, {}, false, { [row]: 'offer' })
    assert.deepEqual(same.items.map(({ action, name, values }) => [action, name, values.epcRating]).slice(0, 1), [
      ['change', 'WL-1', 'B'],
    ])
    const other = await estate.importBytes(next, {}, false, { [row]: 'written' })
    assert.deepEqual(other.totals.create, { property: 1 })
    assert.equal((await estate.importBytes(next)).questions.length, 0)
  })

  test('look-alike references are questions: zero-width, soft hyphen, right-to-left marks, Cyrillic and full-width letters', async () => {
    const disguised = ['CV\u200b-1', 'C\u00adV-1', '\u200fCV-1', '\u0421V-1', '\uff23\uff36-1', 'CV\u20111']
    for (const reference of disguised) {
      const estate = await stored('CV-1,1 Weir Lane,Otley,LS21 3AD,C')
      const { questions, totals } = await estate.importBytes(list(`${reference},1 Weir Lane,Otley,LS21 3AD,B`))
      assert.deepEqual([totals.create, totals.change], [{}, {}], JSON.stringify(reference))
      assert.deepEqual([questions[0]?.offer, questions[0]?.isStored], ['CV-1', true], JSON.stringify(reference))
      const alone = await new Estate().importBytes(list(`${reference},1 Weir Lane,Otley,LS21 3AD,B`))
      assert.deepEqual([alone.questions[0]?.offer, alone.questions[0]?.isStored], ['CV-1', false])
    }
    const foreign = new Estate()
    const meant = { [rowKey({ sheet: '', row: 2 })]: 'written' } as const
    await foreign.importBytes(list('\u0421V-1,1 Weir Lane,Otley,LS21 3AD,C'), {}, false, meant)
    const { questions } = await foreign.importBytes(list('CV-1,3 Weir Lane,Otley,LS21 3AD,B'))
    assert.equal(questions[0]?.offer, '\u0421V-1')
    // A reference entirely in another script raises no question, and composed and decomposed accents are the same.
    assert.equal(
      (await new Estate().importBytes(list('\u0416\u0418-1,1 Weir Lane,Otley,LS21 3AD,B'))).questions.length,
      0,
    )
    const accents = await stored('Caf\u00e9-1,1 Weir Lane,Otley,LS21 3AD,C')
    assert.deepEqual((await accents.importBytes(list('Cafe\u0301-1,1 Weir Lane,Otley,LS21 3AD,C'))).totals.unchanged, {
      property: 1,
    })
  })

  test('lost leading zeros also lead to a question in reverse; long numbers that only start alike are two properties', async () => {
    const lost = await stored('4501,1 Weir Lane,Otley,LS21 3AD,C')
    assert.equal((await lost.importBytes(list('004501,1 Weir Lane,Otley,LS21 3AD,C'))).questions[0]?.offer, '4501')
    const long = await stored('1000123456789012345,1 Weir Lane,Otley,LS21 3AD,C')
    assert.deepEqual((await long.importBytes(list('1000123456789012999,2 Weir Lane,Otley,LS21 3AD,C'))).questions, [])
    const again = await stored('1000123456789012345,1 Weir Lane,Otley,LS21 3AD,C')
    const rounded = await again.importBytes(list('1000123456789010000,3 Weir Lane,Otley,LS21 3AD,C'))
    assert.deepEqual(
      rounded.questions.map(({ offer }) => offer),
      ['1000123456789012345'],
    )
    const nobody = await new Estate().importBytes(list('3.00E+08,1 Weir Lane,Otley,LS21 3AD,C'))
    assert.deepEqual(
      nobody.questions.map(({ offer, written }) => [offer, written]),
      [[null, '3.00E+08']],
    )
  })

  test('a row with bytes in another encoding is noted', async () => {
    const mixed = Buffer.concat([
      list('M-1,1 Café Yard,Otley,LS21 3AD,C'),
      Buffer.from('\r\nM-2,2 Caf\xe9 Yard,Otley,LS21 3AD,C\r\n', 'latin1'),
    ])
    const { items, notes } = await new Estate().importBytes(mixed)
    assert.deepEqual(
      items.map(({ values }) => values.address1),
      ['1 Café Yard', '2 Café Yard'],
    )
    assert.deepEqual(
      notes.map(({ row, code, message }) => [row, code, message]),
      [[3, 'encoding', "Characters in another encoding were read as '2 Café Yard'"]],
    )
  })
})

test('buildings and floors are matched as in search, and a look-alike reference is a question', async () => {
  const estate = new Estate()
  const csv = (...lines: string[]) => estate.importBytes(Buffer.from(lines.join('\n')))
  await csv('Building name,Post code,Floor name', 'St Mary’s Café,LS9 8AA,Étage 1', 'St Mary’s Café,LS9 8AA,2')
  const again = await csv(
    'Building name,Post code,Floor name',
    "St Mary's Cafe,LS9 8AA,etage 1",
    "St Mary's Cafe,LS9 8AA,2",
  )
  assert.deepEqual(again.wrong, [])
  assert.deepEqual(again.totals.create, {})
  const home = 'Property reference,Address 1,Town,Post code,Building name,Floor name'
  const homes = await csv(
    home,
    'CAFÉ-1,1 Mill Row,Leeds,LS9 8AA,st marys cafe,ETAGE 1',
    'OAK-1,2 Mill Row,Leeds,LS9 8AA,,',
  )
  assert.deepEqual(homes.wrong, [])
  assert.equal(homes.items[0]!.values.buildingName, 'St Mary’s Café')
  assert.equal(homes.items[0]!.values.floorName, 'Étage 1')
  for (const [written, offer] of [
    ['CAFE-1', 'CAFÉ-1'],
    ['OÀK-1', 'OAK-1'],
  ] as const) {
    const { questions, items } = await csv('Property reference,EPC', `${written},B`)
    assert.deepEqual(items, [])
    assert.deepEqual(
      questions.map((one) => one.offer),
      [offer],
    )
  }
  // Two buildings that differ only in their accents are different: neither is guessed.
  await csv('Building name,Post code,Floor name', 'Mill É,LS9 8AA,1', 'Mill E,LS9 8AA,1')
  assert.ok(estate.buildings.has(buildingKey('Mill É')) && estate.buildings.has(buildingKey('Mill E')))
})

test('devices keep their floor where two floors of a building differ only by accents', async () => {
  const estate = new Estate()
  const floors = new Map(['Etage 1', 'Étage 1'].map((name) => [name.toLowerCase(), { id: name, name, values: {} }]))
  estate.buildings.set(buildingKey('Mill House'), { id: 'mill', name: 'Mill House', values: {}, floors })
  const { items } = await estate.importBytes(
    Buffer.from(
      'Serial number,Building,Floor\nEM1000001X,Mill House,Etage 1\nEM1000002X,Mill House,Étage 1\nEM1000003X,Mill House,ÉTAGE 1\n',
    ),
  )
  assert.deepEqual(
    items.map(({ values }) => values.floorName),
    ['Etage 1', 'Étage 1', 'Étage 1'],
  )
})
