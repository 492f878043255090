import { buildingKey } from '../buildings/building.ts'
import type { Day } from '../calendar/days.ts'
import { products } from '../devices/products.ts'
import { deviceTextsFault } from '../devices/texts.ts'
import { splitSerialNumber } from '../devices/serial-number.ts'
import type { Feature } from '../identity/features.ts'
import { bareSigns, plainSigns } from './alike.ts'
import { searchForm } from '../texts/search-form.ts'
import { farPlace, farPlaceAnswers, farPlaceWord } from '../postcodes/far-places.ts'
import { postcodeOf } from '../postcodes/postcode.ts'
import { addressFault, addressParts } from '../properties/address.ts'
import type { SheetCell, SheetRow } from './cells.ts'
import { columnLetters } from './cells.ts'
import type { SheetMapping, SheetSurvey } from './columns.ts'
import { dayOrderOf, hasWholeAddress, isRow, kindsOf, makesHomes, wordsOf } from './columns.ts'
import type { FieldId, Kind, Reason, Value } from './fields.ts'
import { brokenCell, fieldOf, isFault, readCell, switchedOff } from './fields.ts'
import type { ReferenceQuestion } from './keys.ts'
import {
  addressKey,
  asked,
  cleanedName,
  exactFloorKey,
  floorKey,
  floorOfLine,
  homeAddressKey,
  lookalikesAmong,
  referenceFault,
  referenceIn,
  referenceKey,
  serialIn,
} from './keys.ts'
import { wholeAddressIn } from './whole-address.ts'

export type Values = Partial<Record<FieldId, Value>>

/** An object that the import creates, updates or leaves unchanged. */
export interface Item {
  kind: Kind
  /** Identifies the object: see `keys.ts`. */
  key: string
  /** The display name. */
  name: string
  sheet: string
  row: number
  action: 'create' | 'change' | 'unchanged'
  /** The id of an existing object. */
  id: string | null
  /** The values to set: all values of a new object, or the differences of an existing one. */
  values: Values
  /** The previous values of the same fields; null if there were none. */
  old: Partial<Record<FieldId, Value | null>>
}

export interface WrongCell {
  sheet: string
  row: number
  column: string
  header: string
  /** The value as in the file. */
  value: string
  reason: Reason
  message: string
  /** Whether only the field is skipped, or the whole row. */
  effect: 'cell' | 'row'
  /** The value that replaces it with one click. */
  offer?: string
}

export type NoteCode =
  | 'serial-spelling'
  | 'reference-spelling'
  | 'repeated'
  | 'address-twice'
  | 'year-two-digits'
  | 'product-disagrees'
  | 'encoding'
  | 'far-place'

export interface Note {
  sheet: string
  row: number
  code: NoteCode
  message: string
}

/** Answers to a question about a row's reference: use the offered one, use the written one, or skip the row. */
export const referenceAnswers = ['offer', 'written', 'leave'] as const
export type ReferenceAnswer = (typeof referenceAnswers)[number]

/** A row with a questioned reference; skipped until answered. */
export interface Question extends Pick<WrongCell, 'sheet' | 'row' | 'value' | 'message'> {
  /** The likely intended reference; null if there is none or more than one. */
  offer: string | null
  /** Whether the offered property is already stored. */
  isStored: boolean
  /** Whether the question is about the row's address, which several properties may share, not its reference. */
  isAddressStored: boolean
  /** The reference as written; null if it cannot be used. */
  written: string | null
  answer: ReferenceAnswer | null
}

/** The key under which the answer for a row is stored. */
export const rowKey = ({ sheet, row }: Pick<Question, 'sheet' | 'row'>): string => `${row} ${sheet}`

export interface Totals {
  rows: number
  create: Partial<Record<Kind, number>>
  change: Partial<Record<Kind, number>>
  unchanged: Partial<Record<Kind, number>>
  /** Rows that repeat an earlier one. */
  left: number
  refusedRows: number
  refusedCells: number
  /** Properties that become void. */
  becomeVoid: number
  /** Of these, the ones with devices. */
  becomeVoidWithDevices: number
  /** Rows with an unmapped word, by field. */
  emptyUntilMapped: Partial<Record<FieldId, number>>
  /** Rows with a location filled in from the row above. */
  filledDown: number
}

/** An existing object. */
export interface Known {
  id: string
  name: string
  values: Partial<Record<FieldId, Value | null>>
  /** For a property that was archived. */
  isArchived?: boolean
  /** For a property. */
  hasDevices?: boolean
}
export interface KnownBuilding extends Known {
  /** By `floorKey`; by `exactFloorKey` if several floors share it. */
  floors: ReadonlyMap<string, Known>
}

/** Existing objects that the current rows refer to. */
export interface Existing {
  /** By `referenceKey`. */
  properties: ReadonlyMap<string, Known>
  /** By serial number. */
  devices: ReadonlyMap<string, Known>
  /** Serial numbers that cannot be added; the reason is not disclosed. */
  barred: ReadonlySet<string>
  /** The serial number that already has a radio address. */
  eui64s: ReadonlyMap<string, string>
  /** The references of properties by address: see `homeAddressKey`. */
  addresses: ReadonlyMap<string, readonly string[]>
}

/** Which of several rows with the same reference is used, by the key of the reference; null keeps the stored values. */
export type ChosenRows = Readonly<Record<string, { sheet: string; row: number } | null>>

/** Rows with different values for the same property. */
export interface Repeat {
  key: string
  /** The reference for display. */
  name: string
  /** The stored values of the fields in the rows; null if the property is new. */
  stored: Partial<Record<FieldId, Value | null>> | null
  rows: { sheet: string; row: number; values: Values }[]
}

/** Limits for the comparison of repeated references: references, and rows of each. */
const [mostRepeats, mostRepeatRows] = [100, 10]

export interface PlanBase {
  today: Day
  zone: string
  /** The client's features. */
  features: ReadonlySet<Feature>
  /** All buildings, by `buildingKey`. */
  buildings: ReadonlyMap<string, KnownBuilding>
  /** References that a spreadsheet would alter. */
  lookalikes: readonly string[]
  /** Names of the access rights tags, by lower-case name. */
  accessRightsTags: ReadonlyMap<string, string>
  /** The centre of each known outward code. */
  outwardCentres: ReadonlyMap<string, { lat: number; lng: number }>
  /** The meanings of words, by field and lower-case word. */
  answers: Partial<Record<FieldId, Readonly<Record<string, string | null>>>>
  /** Use the offered reference for all questions. */
  takeOffers: boolean
  /** Use the written reference for all other questions. */
  asWritten: boolean
  /**
   * Create a property for each row whose address is already stored; the two options above do not apply to these rows.
   */
  storedAddressesAsNew: boolean
  /** Answers to single questions, by `rowKey`; they take precedence over the answers for all. */
  references: Readonly<Record<string, ReferenceAnswer>>
  /** Skip rows hidden by a filter. */
  leaveHidden: boolean
  /** Skip a row entirely if one of its cells is rejected. */
  wholeRows: boolean
  chosenRows?: ChosenRows
}

/** The key of a floor: its exact name if the building has a floor with that key, else its search key. */
function keyOfFloor(building: KnownBuilding | undefined, name: string): string {
  const exact = exactFloorKey(name)
  return building?.floors.has(exact) ? exact : floorKey(name)
}

interface Seen {
  sheet: string
  row: number
  digest: string
  name: string
}
type Place = Pick<Known['values'], 'buildingName' | 'floorName'>
interface RefusedBuilding extends Pick<WrongCell, 'sheet' | 'row' | 'reason' | 'column' | 'header'> {}
interface PlannedBuilding {
  name: string
  /** As in the file, across all its rows. */
  written?: string
  floors: Map<string, { row: number; sheet: string; name: string }>
}

/** Sheets are planned in this order, whatever their order in the file: containers come first. */
export const sheetOrder: readonly Kind[] = ['building', 'floor', 'property', 'device']

const archived = ({ name }: Known) => ({ reason: 'refused', message: `${name} is archived: restore it first` }) as const

/** The distinct serial numbers in rows of a sheet. */
export function serialsIn(mapping: SheetMapping, rows: readonly SheetRow[]): string[] {
  const column = mapping.columns.indexOf('serialNumber')
  const found = new Set<string>()
  for (const { cells } of rows) {
    const read = serialIn(cells[column])
    if ('serial' in read) found.add(read.serial)
  }
  return [...found]
}

/** Plans an import row by row. Memory use grows with the number of keys, not with the size of the file. */
export function planner(base: PlanBase) {
  const totals: Totals = {
    rows: 0,
    create: {},
    change: {},
    unchanged: {},
    left: 0,
    refusedRows: 0,
    refusedCells: 0,
    becomeVoid: 0,
    becomeVoidWithDevices: 0,
    emptyUntilMapped: {},
    filledDown: 0,
  }
  const homes = new Map<string, Seen & { place: Place }>()
  /** The first row of each property, imported or skipped. */
  const firstRows = new Map<string, Seen>()
  const repeats = new Map<string, Repeat>()
  /** Properties that become void, and whether they have devices. */
  const voidHomes = new Map<string, boolean>()
  const refusedHomes = new Map<string, { sheet: string; row: number }>()
  const addresses = new Map<string, { row: number; sheet: string; key: string }>()
  const buildings = new Map<string, PlannedBuilding>()
  const refusedBuildings = new Map<string, RefusedBuilding>()
  const serials = new Map<string, Seen>()
  const eui64s = new Map<string, { sheet: string; row: number }>()
  const sheets = new Map<string, { floorLine?: string; building?: string; buildingRow?: number; floor?: string }>()

  const lookalikes = lookalikesAmong(base.lookalikes)
  /** Floors named in the file, by building: a building's default floor may be in a sheet planned later. */
  const floorsNamed = new Map<string, Map<string, string>>()

  /** Keys of buildings by the search form of their names. */
  const alike = Map.groupBy(base.buildings.keys(), (key) => buildingKey(searchForm(base.buildings.get(key)!.name)))

  let farPlaces = 0

  return { totals, take, keysOf, nameFloors, countFarPlaces: () => farPlaces, repeats: () => [...repeats.values()] }

  /**
   * The key of the building that a name refers to: an exact match, or the only match that ignores accents and
   * apostrophes.
   */
  function keyNamed(name: string): string {
    const key = buildingKey(name)
    if (base.buildings.has(key) || buildings.has(key)) return key
    const same = alike.get(buildingKey(searchForm(name)))
    return same?.length === 1 ? same[0]! : key
  }

  /** Collects the floors named in rows; `carried` is the building of the previous row. */
  function nameFloors(mapping: SheetMapping, rows: readonly SheetRow[], carried = ''): string {
    const [building, floor] = (['buildingName', 'floorName'] as const).map((id) => mapping.columns.indexOf(id)) as [
      number,
      number,
    ]
    let key = carried
    for (const row of rows) {
      if (!isRow(mapping, row)) continue
      const named = row.cells[building]
      if (named) key = keyNamed(cleanedName(named.text))
      const floorCell = row.cells[floor]
      if (!floorCell || brokenCell(floorCell) || key === '') continue
      const floors = floorsNamed.get(key) ?? new Map<string, string>()
      floorsNamed.set(key, floors.set(keyOfFloor(base.buildings.get(key), floorCell.text), cleanedName(floorCell.text)))
    }
    return key
  }

  /** The keys to look up before these rows can be planned. */
  function keysOf(mapping: SheetMapping, rows: readonly SheetRow[]) {
    const properties = new Set<string>()
    const addressKeys = new Set<string>()
    const addressed = makesHomes(mapping.columns)
    const wantedEui64s = new Set<string>()
    const [reference, radio] = (['propertyReference', 'eui64'] as const).map((id) => mapping.columns.indexOf(id)) as [
      number,
      number,
    ]
    for (const { cells } of rows) {
      const named = cells[reference]
      if (named) {
        properties.add(referenceKey(named.text))
        // Questions may offer one of these.
        for (const one of lookalikes(named)) properties.add(referenceKey(one))
        properties.add(referenceKey(plainSigns(named.text.replace(/^0+(?=\d)/, ''))))
        properties.add(referenceKey(bareSigns(named.text)))
      }
      const lines = addressed ? addressOf(mapping, cells) : ''
      if (lines !== '') addressKeys.add(lines)
      const address = cells[radio]
      if (address) wantedEui64s.add(address.text.replaceAll(/[\s:-]/g, '').toLowerCase())
    }
    return {
      properties: [...properties],
      serials: serialsIn(mapping, rows),
      eui64s: [...wantedEui64s],
      addresses: [...addressKeys],
    }
  }

  /** Plans rows of a sheet, in order. */
  function take(mapping: SheetMapping, survey: SheetSurvey, rows: readonly SheetRow[], existing: Existing) {
    const items: Item[] = []
    const wrong: WrongCell[] = []
    const notes: Note[] = []
    const questions: Question[] = []
    const kinds = kindsOf(mapping.columns)
    const state = sheets.get(mapping.sheet) ?? {}
    sheets.set(mapping.sheet, state)
    for (const row of rows) {
      if (base.leaveHidden && row.hidden) continue
      const line = lineOf(mapping, row)
      if (line !== undefined && kinds.includes('device')) {
        state.floorLine = line
        continue
      }
      if (!isRow(mapping, row)) continue
      totals.rows++
      const reader = rowReader(mapping, survey, row)
      noteMixed(reader, row)
      if (kinds.includes('device')) planDevice(reader)
      else if (kinds.includes('property')) planProperty(reader)
      else planBuilding(reader, kinds)
      wrong.push(...reader.wrong)
      totals.refusedCells += reader.wrong.length
      if (reader.isRefused()) totals.refusedRows++
      else notes.push(...reader.notes)
    }
    return { items, wrong, notes, questions }

    function noteMixed(reader: RowReader, { cells }: SheetRow) {
      const mixed = cells.find((cell) => cell?.isMixed)
      if (mixed) reader.note('encoding', `Characters in another encoding were read as '${mixed.text.slice(0, 60)}'`)
    }

    /** The reference after a question; undefined if it is unanswered or the row is skipped. */
    function answered(
      reader: RowReader,
      { reason, message, offer, written }: ReferenceQuestion,
      isStored: boolean,
    ): string | undefined {
      const wanted = base.references[rowKey(reader.at)]
      const isAddressStored = reason === 'address-stored'
      const takesOffer = base.takeOffers && !isAddressStored && offer !== undefined
      const takesWritten = (isAddressStored ? base.storedAddressesAsNew : base.asWritten) && written !== undefined
      const forAll = takesOffer ? 'offer' : takesWritten ? 'written' : undefined
      const value = reader.cell('propertyReference')?.text ?? ''
      questions.push({
        ...{ ...reader.at, value, message, offer: offer ?? null, isStored, isAddressStored },
        ...{ written: written ?? null, answer: wanted ?? forAll ?? null },
      })
      const answer = wanted ?? forAll
      return answer === 'offer' ? offer : answer === 'written' ? written : undefined
    }

    /** The reference of a row, or why it has none; answers to questions are applied here. */
    function referenceOf(reader: RowReader, makes: boolean): { reference: string } | ReferenceQuestion {
      const stored = (key: string) => existing.properties.has(key) || homes.has(key)
      const cell = reader.cell('propertyReference')
      const read = referenceIn(cell, { stored, lookalikes, allNumbers: survey.allNumbers })
      if (!('reason' in read) || (read.written === undefined && read.offer === undefined)) return read
      const question = nearestOf(reader, cell!, read)
      const isStored = question.offer !== undefined && stored(referenceKey(question.offer))
      // A device needs an existing property.
      const { written, ...others } = question
      const chosen = answered(reader, makes ? question : others, isStored)
      if (chosen === undefined) return question
      const fault = written === chosen ? referenceFault(chosen) : undefined
      return fault ?? { reference: chosen }
    }

    /** Of several likely references, the one whose address matches the row. */
    function nearestOf(reader: RowReader, cell: SheetCell, question: ReferenceQuestion): ReferenceQuestion {
      if (question.offer !== undefined || !makesHomes(mapping.columns)) return question
      const there = new Set(existing.addresses.get(addressOf(mapping, reader.cells)))
      const near = lookalikes(cell).filter((one) => there.has(one))
      const { reason, message, written = '' } = question
      return asked(reason, message, { candidates: near, written })
    }

    function add(item: Item) {
      items.push(item)
      totals[item.action][item.kind] = (totals[item.action][item.kind] ?? 0) + 1
    }

    function planProperty(reader: RowReader) {
      const cell = reader.cell('propertyReference')
      const makes = makesHomes(mapping.columns)
      let read = referenceOf(reader, makes)
      if (makes && 'reference' in read) read = storedAddressOf(reader, read.reference)
      const isWhole = hasWholeAddress(mapping.columns)
      const values = reader.values([
        ...(['propertyReference', 'buildingName', 'floorName', 'accessRightsTag'] as const),
        ...(isWhole ? addressParts : []),
      ])
      if ('reason' in read) {
        const message =
          read.reason === 'required' && makes
            ? `${read.message}; without it this property cannot be identified`
            : read.message
        reader.refuse('propertyReference', { ...read, message }, 'row')
        return
      }
      const { reference } = read
      const key = referenceKey(reference)
      const known = existing.properties.get(key)
      if (!known) {
        if (!makes)
          reader.refuse(
            'propertyReference',
            {
              reason: 'not-found',
              message: 'No property has this reference, and this list has no address columns to create one',
            },
            'row',
          )
        else if (isWhole) wholeAddressInto(reader, values)
        else for (const id of ['address1', 'postcode'] as const) reader.require(id, values)
      }
      buildingInto(reader, values, { what: 'property', effect: 'cell' })
      tagInto(reader, values)
      if (known?.isArchived) reader.refuse('propertyReference', archived(known), 'row')
      const tooLong = addressFault({ ...known?.values, ...values })
      if (tooLong) reader.refuse('address1', { reason: 'too-long', message: tooLong }, 'row')
      if (reader.isRefused()) {
        refusedHomes.set(key, reader.at)
        return
      }
      const digest = JSON.stringify([values, reader.wrong.map((one) => [one.column, one.value])])
      const seen = { ...reader.at, digest, name: known?.name ?? reference }
      const earlier = firstRows.get(key)
      if (!earlier) firstRows.set(key, seen)
      else if (earlier.digest !== digest) showRepeat(key, [earlier, seen], known)
      const chosen = base.chosenRows?.[key]
      if (chosen !== undefined && !(chosen?.sheet === seen.sheet && chosen.row === seen.row)) {
        totals.left++
        reader.forget()
        reader.note(
          'repeated',
          chosen ? `Skipped: ${placeOf(chosen, reader.at)} was chosen` : 'Skipped: the stored values were chosen',
        )
        return
      }
      const first = homes.get(key)
      if (first)
        return repeated(reader, {
          first,
          digest,
          field: 'propertyReference',
          what: 'reference',
          tail: ' with other values',
        })
      homes.set(key, { ...seen, place: placeAfter(values, known) })
      if (known && cell && cell.kind === 'text' && known.name !== cell.text && referenceKey(cell.text) === key)
        reader.note('reference-spelling', `Read as ${known.name}`)
      if (!known) sameAddress(reader, key, values)
      reader.countAsked()
      const item = itemOf({ kind: 'property', key, name: known?.name ?? reference, at: reader.at, known, values })
      if (!known) item.values = { propertyReference: reference, ...item.values }
      if (item.values.voidStatus === 'Void') {
        totals.becomeVoid++
        if (known?.hasDevices) totals.becomeVoidWithDevices++
        voidHomes.set(key, known?.hasDevices ?? false)
      }
      add(item)
    }

    /** Asks about a new property whose address is stored under another reference. */
    function storedAddressOf(reader: RowReader, reference: string): { reference: string } | ReferenceQuestion {
      const key = referenceKey(reference)
      if (existing.properties.has(key) || homes.has(key)) return { reference }
      const there = existing.addresses.get(addressOf(mapping, reader.cells)) ?? []
      // A user who has already confirmed a separate property is not asked again.
      if (there.length === 0 || questions.at(-1)?.row === reader.at.row) return { reference }
      const [one] = there
      const made =
        there.length === 1
          ? `Property '${one}' already has this address.`
          : `${there.length} properties already have this address: ${there.slice(0, 3).join(', ')}${there.length > 3 ? ' …' : ''}.`
      const question = asked('address-stored', made, { candidates: there, written: reference })
      const chosen = answered(reader, question, true)
      return chosen === undefined ? question : { reference: chosen }
    }

    /** Keeps differing rows of one property, to be shown side by side. */
    function showRepeat(key: string, rows: readonly Seen[], known: Known | undefined) {
      if (!repeats.has(key) && repeats.size >= mostRepeats) return
      const repeat = repeats.get(key) ?? { key, name: rows[0]!.name, stored: known ? {} : null, rows: [] }
      repeats.set(key, repeat)
      for (const { sheet, row, digest } of rows) {
        const isShown = repeat.rows.some((one) => one.sheet === sheet && one.row === row)
        if (isShown || repeat.rows.length >= mostRepeatRows) continue
        const [values] = JSON.parse(digest) as [Values]
        repeat.rows.push({ sheet, row, values })
        if (repeat.stored)
          for (const id of Object.keys(values) as FieldId[]) repeat.stored[id] = known?.values[id] ?? null
      }
    }

    /** Fills in the address parts of a new property; an existing address is not overwritten by inferred parts. */
    function wholeAddressInto(reader: RowReader, values: Values) {
      const text = reader.cell('address1')?.text
      const whole = text === undefined ? undefined : wholeAddressIn(text)
      if (whole) Object.assign(values, whole)
      else
        reader.refuse(
          'address1',
          {
            reason: text === undefined ? 'required' : 'postcode',
            message: text === undefined ? 'Address line 1 is missing' : 'This address contains no complete postcode',
          },
          'row',
        )
    }

    function sameAddress(reader: RowReader, key: string, values: Values) {
      const parts = (['address1', 'address2', 'address3', 'town', 'postcode'] as const).map(
        (id) => values[id] as string | undefined,
      )
      const address = addressKey(parts)
      const other = addresses.get(address)
      if (other && other.key !== key)
        reader.note('address-twice', `The same address as ${placeOf(other, reader.at)} under another reference`)
      else addresses.set(address, { ...reader.at, key })
    }

    function repeated(
      reader: RowReader,
      { first, digest, field, what, tail }: { first: Seen; digest: string; field: FieldId; what: string; tail: string },
    ) {
      const where = placeOf(first, reader.at)
      if (first.digest === digest) {
        totals.left++
        reader.forget()
        reader.note('repeated', `The same as ${where}`)
      } else reader.refuse(field, { reason: 'duplicate', message: `The same ${what} is in ${where}${tail}` }, 'row')
    }

    function planBuilding(reader: RowReader, sheetKinds: readonly Kind[]) {
      const cell = reader.cell('buildingName')
      const fillsDown = sheetKinds.length === 2 && !cell && state.building !== undefined
      const own = reader.values(['buildingName', 'floorName', 'buildingPostcode'])
      if (fillsDown) totals.filledDown++
      let key = state.building ?? ''
      if (!fillsDown) {
        if (!cell)
          return reader.refuse('buildingName', { reason: 'required', message: 'Building name is missing' }, 'row')
        const read = reader.take('buildingName', 'row')
        const name = read === undefined ? '' : cleanedName(String(read))
        key = keyNamed(name)
        if (read !== undefined && key === '')
          reader.refuse('buildingName', { reason: 'required', message: 'Building name is missing' }, 'row')
        // Rows below an invalid building name are not floors of the building above.
        state.building = key
        state.buildingRow = reader.at.row
        if (key === '') return void refuseBuilding(reader, key)
        if (sheetKinds.includes('building')) {
          refusedBuildings.delete(`${mapping.sheet} ${key}`)
          if (!buildingItem(reader, { name, key, own })) return
        }
      }
      if (!sheetKinds.includes('floor')) return
      const refusal = refusedBuildings.get(key)
      const here =
        fillsDown && state.buildingRow !== undefined
          ? refusedBuildings.get(`${mapping.sheet} ${key} ${state.buildingRow}`)
          : refusal
      if (here) {
        reader.wrong.push({
          ...reader.at,
          column: fillsDown ? here.column : reader.columnOf('buildingName'),
          header: fillsDown ? here.header : reader.headerOf('buildingName'),
          value: cell?.text ?? '',
          reason: fillsDown ? here.reason : 'not-found',
          message: `The building of this floor is rejected (${here.sheet === mapping.sheet ? '' : `${here.sheet}, `}row ${here.row})`,
          effect: 'row',
        })
        return
      }
      floorItem(reader, key, own)
    }

    /** Stores why the building of a row is rejected, for the floors below it. */
    function refuseBuilding(reader: RowReader, key: string): RefusedBuilding {
      const { reason, column, header } = reader.wrong.find(({ effect }) => effect === 'row')!
      const refusal = { ...reader.at, reason, column, header }
      refusedBuildings.set(`${mapping.sheet} ${key} ${reader.at.row}`, refusal)
      return refusal
    }

    /** Whether the building is accepted. */
    function buildingItem(reader: RowReader, { name, key, own }: { name: string; key: string; own: Values }): boolean {
      const known = base.buildings.get(key)
      const planned = buildings.get(key)
      const postcode = reader.cell('buildingPostcode')
        ? reader.take('buildingPostcode', known || planned ? 'cell' : 'row')
        : undefined
      if (!known && !planned && !reader.cell('buildingPostcode'))
        reader.refuse('buildingPostcode', { reason: 'required', message: 'Post code is missing' }, 'row')
      if (planned && ![planned.name, planned.written].includes(name))
        reader.refuse(
          'buildingName',
          { reason: 'duplicate', message: `Name is already being used: '${planned.name}' in this file` },
          'row',
        )
      if (reader.isRefused()) {
        const refusal = refuseBuilding(reader, key)
        if (!planned) refusedBuildings.set(key, refusal)
        return false
      }
      // A building repeated beside each of its floors is planned once.
      if (planned) return true
      buildings.set(key, { name: known?.name ?? name, written: name, floors: new Map() })
      const defaultFloor = defaultFloorOf(reader, { name: known?.name ?? name, key, own })
      const { latitude, longitude } = placeTaken(reader, own, postcode ?? known?.values.buildingPostcode)
      reader.countAsked()
      const entered = { buildingPostcode: postcode, defaultFloor, latitude, longitude }
      const values = Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== undefined)) as Values
      const item = itemOf({ kind: 'building', key, name: known?.name ?? name, at: reader.at, known, values })
      if (!known) item.values = { buildingName: name, ...item.values }
      add(item)
      return true
    }

    /** The default floor of a building: an existing one, or one that the import creates. */
    function defaultFloorOf(
      reader: RowReader,
      { name, key, own: { defaultFloor } }: { name: string; key: string; own: Values },
    ): Value | undefined {
      if (defaultFloor === undefined) return undefined
      const known = base.buildings.get(key)
      const floor = keyOfFloor(known, String(defaultFloor))
      const floorName = known?.floors.get(floor)?.name ?? floorsNamed.get(key)?.get(floor)
      if (floorName !== undefined) return floorName
      reader.refuse(
        'defaultFloor',
        { reason: 'not-found', message: `${name} has no floor ${String(defaultFloor)}, here or in the sheet Floors` },
        'cell',
      )
      return undefined
    }

    /** The location of a building; a location far from the postcode raises a question. */
    function placeTaken(
      reader: RowReader,
      { latitude, longitude }: Values,
      postcode: Value | null | undefined,
    ): Pick<Values, 'latitude' | 'longitude'> {
      const centre = base.outwardCentres.get(postcodeOf(String(postcode ?? ''))?.outward ?? '')
      const place = { lat: latitude as number, lng: longitude as number }
      if (latitude === undefined || longitude === undefined || !centre) return { latitude, longitude }
      const far = farPlace(place, centre)
      if (!far) return { latitude, longitude }
      farPlaces++
      const [exchange, keep] = farPlaceAnswers
      const answer = base.answers.latitude?.[farPlaceWord]
      if (answer === keep) return { latitude, longitude }
      if (answer === exchange && far.isExchanged) return { latitude: longitude, longitude: latitude }
      reader.ask('latitude')
      const hint = far.isExchanged ? ': latitude and longitude are exchanged' : ''
      reader.note('far-place', `${far.km.toLocaleString('en-GB')} km from ${String(postcode)}${hint}`)
      return {}
    }

    function floorItem(reader: RowReader, key: string, own: Values) {
      if (reader.isRefused()) return
      const cell = reader.cell('floorName')
      const known = base.buildings.get(key)
      const planned = buildings.get(key)
      if (!known && !planned)
        return reader.refuse(
          'buildingName',
          {
            reason: 'not-found',
            message: `No building has this name, here or in the sheet Buildings`,
          },
          'row',
        )
      // A row may contain only a building.
      if (!cell) return kindsOf(mapping.columns).length === 2 ? undefined : reader.require('floorName', {})
      const name = reader.take('floorName', 'row')
      if (name === undefined) return
      const building = planned ?? { name: known!.name, floors: new Map() as PlannedBuilding['floors'] }
      buildings.set(key, building)
      const floor = keyOfFloor(known, String(name))
      const first = building.floors.get(floor)
      if (first)
        return reader.refuse(
          'floorName',
          {
            reason: 'duplicate',
            message: `${building.name} already has floor ${first.name}, in ${placeOf(first, reader.at)}`,
          },
          'row',
        )
      // Rows that name the floor refer to the stored one.
      building.floors.set(floor, { ...reader.at, name: known?.floors.get(floor)?.name ?? String(name) })
      const { width, height, rotation } = own
      const entered = Object.entries({ width, height, rotation }).filter(([, value]) => value !== undefined)
      const item = itemOf({
        kind: 'floor',
        key: `${key}/${floor}`,
        name: `${building.name}, ${String(name)}`,
        at: reader.at,
        known: known?.floors.get(floor),
        values: Object.fromEntries(entered) as Values,
      })
      if (!item.id) item.values = { buildingName: building.name, floorName: String(name), ...item.values }
      add(item)
    }

    function planDevice(reader: RowReader) {
      const cell = reader.cell('serialNumber')
      const read = serialIn(cell)
      const values = reader.values([
        'serialNumber',
        'propertyReference',
        'buildingName',
        'floorName',
        'eui64',
        'accessRightsTag',
      ])
      if ('reason' in read) return reader.refuse('serialNumber', read, 'row')
      const { serial, note } = read
      placeInto(reader, values)
      const known = existing.devices.get(serial)
      const { propertyReference: home } = values
      // A device added to a property gets the property's location unless it has its own.
      if (home !== undefined && values.buildingName === undefined && home !== known?.values.propertyReference)
        Object.assign(values, placeOfHome(referenceKey(String(home))))
      if (existing.barred.has(serial))
        reader.refuse('serialNumber', { reason: 'refused', message: 'This serial number cannot be added' }, 'row')
      if (reader.isRefused()) return
      const radio = reader.cell('eui64') ? reader.take('eui64', 'cell') : undefined
      if (radio !== undefined) {
        const other = eui64s.get(String(radio))
        const holder = existing.eui64s.get(String(radio))
        const here = serials.get(serial)
        if (other && here?.row !== other.row)
          reader.refuse(
            'eui64',
            { reason: 'duplicate', message: `The same EUI64 is in ${placeOf(other, reader.at)}` },
            'cell',
          )
        else if (holder !== undefined && holder !== serial)
          reader.refuse('eui64', { reason: 'duplicate', message: `${holder} already has this EUI64` }, 'cell')
        else values.eui64 = radio
      }
      tagInto(reader, values)
      if (reader.isRefused()) return
      const digest = JSON.stringify([values, reader.wrong.map((one) => [one.column, one.value])])
      const first = serials.get(serial)
      const { deviceName, room, location, locationDetails } = { ...known?.values, ...values }
      const tooLong = deviceTextsFault([serial, deviceName, room, location, locationDetails])
      if (tooLong) return reader.refuse('deviceName', { reason: 'too-long', message: tooLong }, 'row')
      if (first) {
        reader.forgetCells()
        return repeated(reader, { first, digest, field: 'serialNumber', what: 'serial number', tail: '' })
      }
      serials.set(serial, { ...reader.at, digest, name: serial })
      if (values.eui64 !== undefined) eui64s.set(String(values.eui64), reader.at)
      if (note !== undefined) reader.note('serial-spelling', note)
      const product = reader.productWord()
      if (product !== undefined && disagrees(product, serial))
        reader.note('product-disagrees', `'${product}' does not match serial number ${serial}, which takes precedence`)
      reader.countAsked()
      const item = itemOf({ kind: 'device', key: serial, name: serial, at: reader.at, known, values })
      if (!known) item.values = { serialNumber: serial, deviceName: newDeviceName(serial), ...item.values }
      add(item)
      const homeKey = home === undefined ? undefined : referenceKey(String(home))
      if (homeKey !== undefined && voidHomes.get(homeKey) === false) {
        voidHomes.set(homeKey, true)
        totals.becomeVoidWithDevices++
      }
    }

    function placeOfHome(key: string): Values {
      const { buildingName, floorName } = homes.get(key)?.place ?? existing.properties.get(key)?.values ?? {}
      return { ...(buildingName && { buildingName, ...(floorName && { floorName }) }) }
    }

    function tagInto(reader: RowReader, values: Values) {
      const tag = reader.cell('accessRightsTag') ? reader.take('accessRightsTag', 'cell') : undefined
      if (tag !== undefined) {
        const named = base.accessRightsTags.get(String(tag).toLowerCase())
        if (named !== undefined) values.accessRightsTag = named
        else
          reader.refuse(
            'accessRightsTag',
            { reason: 'not-found', message: 'No access rights tag has this name' },
            'cell',
          )
      }
    }

    /** The property, or the building and floor, of a device. */
    function placeInto(reader: RowReader, values: Values) {
      const home = reader.cell('propertyReference')
      if (home) {
        const read = referenceOf(reader, false)
        if ('reason' in read) return reader.refuse('propertyReference', read, 'row')
        const key = referenceKey(read.reference)
        const name = existing.properties.get(key)?.name ?? homes.get(key)?.name
        const refused = refusedHomes.get(key)
        if (name === undefined)
          return reader.refuse(
            'propertyReference',
            {
              reason: 'not-found',
              message: refused
                ? `The property of this device is rejected (${refused.sheet === reader.at.sheet ? '' : `${refused.sheet}, `}row ${refused.row})`
                : 'No property has this reference',
            },
            'row',
          )
        const known = existing.properties.get(key)
        if (known?.isArchived) return reader.refuse('propertyReference', archived(known), 'row')
        if (home.kind === 'text' && home.text !== name && referenceKey(home.text) === key)
          reader.note('reference-spelling', `Read as ${name}`)
        values.propertyReference = name
      }
      buildingInto(reader, values, { what: 'device', effect: 'row' })
    }

    /** The building and floor of an object. A property may have no floor; a device's own floor takes precedence. */
    function buildingInto(
      reader: RowReader,
      values: Values,
      { what, effect }: { what: 'property' | 'device'; effect: WrongCell['effect'] },
    ) {
      const written = reader.cell('buildingName')?.text ?? (mapping.buildingFromName ? mapping.sheet : undefined)
      if (written === undefined) {
        if (reader.cell('floorName') && values.propertyReference === undefined)
          reader.refuse('floorName', { reason: 'not-found', message: 'A floor needs its building' }, effect)
        return
      }
      const key = keyNamed(written)
      const known = base.buildings.get(key)
      const planned = buildings.get(key)
      const building = planned?.name ?? known?.name
      if (building === undefined)
        return reader.refuse(
          'buildingName',
          {
            reason: 'not-found',
            message: refusedBuildings.has(key)
              ? `The building of this ${what} is rejected (row ${refusedBuildings.get(key)!.row})`
              : 'No building has this name',
          },
          effect,
        )
      values.buildingName = building
      const floorWritten =
        reader.cell('floorName')?.text ?? (mapping.columns.includes('floorName') ? undefined : state.floorLine)
      if (floorWritten === undefined) return
      const floor = keyOfFloor(known, floorWritten)
      const floorName = planned?.floors.get(floor)?.name ?? known?.floors.get(floor)?.name
      if (floorName === undefined)
        return reader.refuse(
          'floorName',
          { reason: 'not-found', message: `${building} has no floor ${cleanedName(floorWritten)}` },
          effect,
        )
      values.floorName = floorName
    }
  }

  type RowReader = ReturnType<typeof rowReader>

  function rowReader(mapping: SheetMapping, survey: SheetSurvey, { row, cells }: SheetRow) {
    const at = { sheet: mapping.sheet, row }
    const wrong: WrongCell[] = []
    let notes: Note[] = []
    let asked: FieldId[] = []
    const columnAt = (id: FieldId) => mapping.columns.indexOf(id)
    const cell = (id: FieldId): SheetCell | undefined => cells[columnAt(id)]
    const columnOf = (id: FieldId) => (columnAt(id) < 0 ? '' : columnLetters(columnAt(id)))
    const headerOf = (id: FieldId) => mapping.headers[columnAt(id)] ?? ''
    const refuse = (
      id: FieldId,
      { reason, message, offer }: { reason: Reason; message: string; offer?: string },
      effect: WrongCell['effect'],
    ) => {
      const value = cell(id)?.text ?? ''
      wrong.push({
        ...at,
        column: columnOf(id),
        header: headerOf(id),
        value,
        reason,
        message,
        effect: base.wholeRows ? 'row' : effect,
        ...(offer !== undefined && { offer }),
      })
    }
    const note = (code: NoteCode, message: string) => void notes.push({ ...at, code, message })
    const take = (id: FieldId, effect: WrongCell['effect']): Value | undefined => {
      const held = cell(id)
      if (!held) return undefined
      const { words, asks } = wordsOf(id, survey.words[id] ?? {}, base.answers[id])
      const answers = Object.fromEntries(Object.entries(words).map(([word, value]) => [word.toLowerCase(), value]))
      const { order: dayOrder } = dayOrderOf(id, survey, base.answers[id])
      const taken = readCell(id, held, {
        header: headerOf(id),
        words: answers,
        asks,
        today: base.today,
        zone: base.zone,
        dayOrder,
      })
      if (isFault(taken)) {
        refuse(id, taken, effect)
        return undefined
      }
      if ('word' in taken) {
        asked.push(id)
        return undefined
      }
      const off = switchedOff(id, taken.value, base.features)
      if (off !== undefined) {
        refuse(id, { reason: 'refused', message: off }, effect)
        return undefined
      }
      if (taken.note !== undefined) note('year-two-digits', taken.note)
      return taken.value
    }
    return {
      at,
      cells,
      wrong,
      get notes() {
        return notes
      },
      cell,
      columnOf,
      headerOf,
      refuse,
      note,
      ask: (id: FieldId) => void asked.push(id),
      take,
      isRefused: () => wrong.some(({ effect }) => effect === 'row'),
      /** All other fields of the row. */
      values: (without: readonly FieldId[]): Values => {
        const values: Values = {}
        for (const id of mapping.columns) {
          if (!id || without.includes(id)) continue
          const value = take(id, 'cell')
          if (value !== undefined) values[id] = value
        }
        return values
      },
      /** A field without which the row is rejected. */
      require: (id: FieldId, values: Values) => {
        if (values[id] !== undefined) return
        const at = wrong.find(({ column }) => column === columnOf(id))
        if (at) at.effect = 'row'
        else refuse(id, { reason: 'required', message: `${fieldOf(id).label} is missing` }, 'row')
      },
      /** Drops the messages of a row that repeats another. */
      forget: () => {
        notes = []
        asked = []
        wrong.length = 0
      },
      forgetCells: () => {
        wrong.length = 0
      },
      countAsked: () => {
        for (const id of asked) totals.emptyUntilMapped[id] = (totals.emptyUntilMapped[id] ?? 0) + 1
      },
      productWord: () => {
        const column = mapping.headers.findIndex((header, at) => /^product$/i.test(header) && !mapping.columns[at])
        return cells[column]?.text.trim()
      },
    }
  }
}

/** The address in a row, for comparison; empty if there is none. */
function addressOf({ columns }: Pick<SheetMapping, 'columns'>, cells: SheetRow['cells']): string {
  const textAt = (id: FieldId) => cells[columns.indexOf(id)]?.text
  if (!hasWholeAddress(columns))
    return homeAddressKey([textAt('address1'), textAt('address2'), textAt('address3')], textAt('postcode'))
  const whole = wholeAddressIn(textAt('address1') ?? '')
  return whole ? homeAddressKey([whole.address1, whole.address2, whole.address3], whole.postcode) : ''
}

/** The location of a property after the import. */
function placeAfter(values: Values, known: Known | undefined): Place {
  const { buildingName = null, floorName = null } = known?.values ?? {}
  if (values.buildingName === undefined) return { buildingName, floorName }
  // A property that stays in its building keeps its floor if none is given.
  const stays = values.buildingName === buildingName ? floorName : null
  return { buildingName: values.buildingName, floorName: values.floorName ?? stays }
}

/** The floor named in a line across the sheet, for the rows below it. */
function lineOf({ headerRow, columns }: SheetMapping, { row, cells }: SheetRow): string | undefined {
  const filled = cells.filter((cell): cell is SheetCell => cell !== undefined)
  if (row <= headerRow || filled.length !== 1 || cells[columns.indexOf('serialNumber')]) return undefined
  return floorOfLine(filled[0]!.text)
}

/**
 * Selects rows of a sheet so that they keep their meaning on their own: each with the line that names its floor, once,
 * and with its building name from rows above. Call it with all rows in order, and whether each is selected.
 */
export function rowsTaken(mapping: SheetMapping): (row: SheetRow, isTaken: boolean) => SheetRow[] {
  const kinds = kindsOf(mapping.columns)
  const column = mapping.columns.indexOf('buildingName')
  let line: SheetRow | undefined
  let building: SheetCell | undefined
  return (row, isTaken) => {
    if (kinds.includes('device') && lineOf(mapping, row) !== undefined) {
      line = row
      return []
    }
    if (kinds.length === 2 && isRow(mapping, row)) building = row.cells[column] ?? building
    if (!isTaken) return []
    // Blanks below an unreadable name are filled once the name is corrected.
    const isNamed = kinds.length === 2 && building && !brokenCell(building)
    const named = isNamed ? { ...row, cells: Object.assign([...row.cells], { [column]: building }) } : row
    const taken = line ? [line, named] : [named]
    line = undefined
    return taken
  }
}

const placeOf = (there: { sheet: string; row: number }, here: { sheet: string }) =>
  there.sheet === here.sheet ? `row ${there.row}` : `sheet '${there.sheet}', row ${there.row}`

function itemOf({
  kind,
  key,
  name,
  at,
  known,
  values,
}: Pick<Item, 'kind' | 'key' | 'name' | 'values'> & {
  at: { sheet: string; row: number }
  known: Known | undefined
}): Item {
  if (!known) return { kind, key, name, ...at, action: 'create', id: null, values, old: {} }
  // Imported tags are added to the device's own.
  const held = known.values.tags
  if (values.tags && Array.isArray(held))
    values.tags = [...new Set([...held, ...(values.tags as string[])])].sort((a, b) => (a < b ? -1 : 1))
  const differs = (id: FieldId) => !isSame(id, values[id], known.values[id])
  // A floor belongs to its building, so a move within one includes the building.
  const changed = (Object.keys(values) as FieldId[]).filter(
    (id) => differs(id) || (id === 'buildingName' && values.floorName !== undefined && differs('floorName')),
  )
  return {
    kind,
    key,
    name,
    ...at,
    action: changed.length > 0 ? 'change' : 'unchanged',
    id: known.id,
    values: Object.fromEntries(changed.map((id) => [id, values[id]])) as Values,
    old: Object.fromEntries(changed.map((id) => [id, known.values[id] ?? null])),
  }
}

function isSame(id: FieldId, value: Value | undefined, held: Value | null | undefined): boolean {
  // A missing rating and 'No rating' are equal.
  if (id === 'epcRating' && value === 'No rating') return held === undefined || held === null || held === value
  return JSON.stringify(value) === JSON.stringify(held ?? undefined)
}

/** The default name of a new device. */
const newDeviceName = (serial: string) => `${products[splitSerialNumber(serial).product!].name} ${serial}`

const plainWord = (word: string) => word.toLowerCase().replaceAll(/[^a-z]/g, '')
const productWords = new Map<string, string>(
  Object.values(products).map(({ name, family }) => [plainWord(name), family]),
)
productWords.set('heatpumpcontroller', 'airSourceHeatPump')

/** Whether a product in words is a known product other than the serial number's. */
function disagrees(word: string, serial: string): boolean {
  const family = productWords.get(plainWord(word))
  const { product } = splitSerialNumber(serial)
  return family !== undefined && product !== undefined && products[product].family !== family
}
