import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'vitest'
import { features } from '@caretaker/rules/identity/features.ts'
import { leftColumns, wordsOf } from '@caretaker/rules/imports/columns.ts'
import type { FieldId } from '@caretaker/rules/imports/fields.ts'
import { buildingKey } from '@caretaker/rules/buildings/building.ts'
import { floorKey, isMisread } from '@caretaker/rules/imports/keys.ts'
import type { Item, Known, KnownBuilding, Note, Totals, Values, WrongCell } from '@caretaker/rules/imports/plan.ts'
import { planner } from '@caretaker/rules/imports/plan.ts'
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

/** An organisation in memory, which holds what was imported before. */
class Estate {
  properties = new Map<string, Known>()
  buildings = new Map<string, KnownBuilding & { floors: Map<string, Known> }>()
  devices = new Map<string, Known>()

  async import(
    name: string,
    answers: Partial<Record<FieldId, Record<string, string | null>>> = {},
    takeOffers = false,
  ) {
    const file = await openFile(await readFile(path.join(samples, name)))
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
      takeOffers,
      leaveHidden: false,
      wholeRows: false,
    })
    const items: Item[] = []
    const wrong: WrongCell[] = []
    const notes: Note[] = []
    const eui64s = new Map([...this.devices.values()].map((one) => [String(one.values.eui64), one.name]))
    for await (const part of planFile(file, sheets, plan, async () => ({
      properties: this.properties,
      devices: this.devices,
      barred: new Set<string>(),
      eui64s,
    }))) {
      items.push(...part.items)
      wrong.push(...part.wrong)
      notes.push(...part.notes)
    }
    for (const item of items) this.#keep(item)
    return { sheets, items, wrong, notes, totals: plan.totals, format: file.format }
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
      floors.set(floorKey(floor), { ...merged(floors.get(floor)), name: String(values.floorName ?? floor) })
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

describe('each sample comes in as its expected.json says', () => {
  for (const expected of files)
    test(expected.file, async () => {
      const estate = new Estate()
      for (const start of before[expected.file.slice(0, 2)] ?? []) await estate.import(nameOf(start))
      const { totals, wrong, notes, sheets, format } = await estate.import(expected.file)
      const told = ({
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
        // A number in a cell of the file, where the workbook's own writing of it does not count.
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
      assert.deepEqual(inOrder(wrong.map(told)), inOrder(expected.refusedCells.map(told)))
      assert.equal(totals.rows, expected.rows)
      assert.deepEqual(counted(totals.create), expected.create)
      assert.deepEqual(counted(totals.change), expected.change)
      assert.deepEqual(counted(totals.unchanged), expected.unchanged)
      assert.equal(totals.left, expected.left)
      assert.equal(totals.refusedRows, expected.refusedRows)
      assert.equal(totals.becomeVoid, expected.becomeVoid ?? totals.becomeVoid)
      if (expected.emptyUntilMapped) assert.deepEqual(totals.emptyUntilMapped, expected.emptyUntilMapped)
      // The samples name the spelling of one serial number of 03, and of 04 only how many there are.
      const spelled = expected.file.startsWith('04') ? notes.filter(({ code }) => code === 'serial-spelling') : []
      const said = notes.filter((note) => !spelled.includes(note))
      assert.deepEqual(
        inOrder(said),
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

test('a second import of any sample makes and changes nothing', async () => {
  const estate = new Estate()
  for (const start of ['06', '01', '02', '03', '04', '05', '07-template-filled', '08', '09', '10']) {
    await estate.import(nameOf(start))
    const { totals } = await estate.import(nameOf(start))
    assert.deepEqual([start, totals.create, totals.change], [start, {}, {}])
  }
})

test('one press takes what is offered for all broken references, and an answer counts for all rows of its word', async () => {
  const estate = new Estate()
  await estate.import(nameOf('01'), { propertyArchitype: { bungalow: 'House Detached' } })
  assert.equal(
    [...estate.properties.values()].filter(({ values }) => values.propertyArchitype === undefined).length < 62,
    true,
  )
  const { totals } = await estate.import(nameOf('04'), {}, true)
  assert.equal(totals.create.device, 281 + 15)
})
