import { dayAt, dayText, zonedText } from '@caretaker/rules/calendar/days.ts'
import { dutyWords, outcomeWords } from '@caretaker/rules/inspection/sheet.ts'
import {
  fullTestText,
  known,
  legend,
  sheetTexts,
  signers,
  squareText,
  unknown,
} from '@caretaker/rules/inspection/words.ts'
import { testTypes } from '@caretaker/rules/lighting/tests.ts'
import type { PdfCell, PdfColumn, Tone } from '../../pdf/tagged-pdf.ts'
import { TaggedPdf, contentWidth, intoPdf } from '../../pdf/tagged-pdf.ts'
import type {
  About,
  FaultEntry,
  GapEntry,
  LightEntry,
  LightName,
  Part,
  PartName,
  PhotoEntry,
  RemovedEntry,
  ScheduleEntry,
  TestEntry,
  WorkEntry,
  YearEntry,
} from './parts.ts'
import { lostText, partNames, plannedTest, responsibleText } from './parts.ts'

/** A sheet as a PDF: takes its parts, returns bytes. */
export function sheetPdf(about: About) {
  const { client, building, period, zone, writtenAt } = about
  const pdf = new TaggedPdf({
    title: `${sheetTexts.title}: ${building}, ${periodText(about)}`,
    author: client,
    writtenAt,
    foot: `${client} · ${building} · ${dayText(period.from)} – ${dayText(period.to)} · written ${zonedText(+writtenAt, zone)}`,
  })
  const sections = new Sections(pdf, zone)
  const write = (pieces: readonly Part[]) => {
    for (const piece of pieces) {
      if (piece.part === 'about') cover(pdf, piece.about)
      else sections.write(piece)
    }
  }
  return intoPdf(pdf, write, () => sections.finish())
}

const periodText = ({ period: { from, to } }: About) => `${dayText(from)} to ${dayText(to)}`

function cover(pdf: TaggedPdf, about: About): void {
  pdf.title(sheetTexts.title)
  pdf.paragraph(sheetTexts.record, { strong: true })
  pdf.paragraph(sheetTexts.unknown)
  pdf.table([
    { label: 'About', width: 150 },
    { label: 'Details', width: contentWidth - 150 },
  ])
  const tested = testTypes.flatMap((type) => {
    const some = about.tests.filter((one) => one.type === type)
    return some.length
      ? [`${type}: ${some.map(({ outcome, count }) => `${count} ${outcomeWords[outcome].toLowerCase()}`).join(', ')}`]
      : []
  })
  for (const row of [
    ['Client', [about.client, about.contacts].filter(Boolean).join(', ')],
    ['Building', [about.building, known(about.address)].join(', ')],
    ['Period', periodText(about)],
    ['Responsible person', known(about.responsible)],
    ...(about.responsibleBefore.length > 1 ? [['Earlier responsible persons', responsibleText(about)]] : []),
    ['Completion certificate', about.certificate ?? sheetTexts.certificate],
    ['Central battery', known(about.centralBattery)],
    ['Emergency lights', String(about.lights)],
    ['Tests in the period', tested.join('; ') || 'none on record'],
    ['Written', `${zonedText(+about.writtenAt, about.zone)} (${about.zone}) by ${about.writtenBy}`],
  ])
    pdf.row(row)
  pdf.paragraph(`In the months: ${legend}. The number is the day of the month.`)
  pdf.paragraph(sheetTexts.monthly)
  pdf.paragraph(sheetTexts.mode)
  pdf.paragraph(sheetTexts.gone)
  if (about.isLimited) pdf.paragraph(sheetTexts.limited, { strong: true })
}

type Line = readonly (string | PdfCell)[]

interface Section<Entry> {
  heading: string
  note?: string
  columns: readonly PdfColumn[]
  /** Undefined for entries that the section leaves out. */
  line(entry: Entry, zone: string): Line | undefined
  none: string
}

const light = (width = 150): PdfColumn => ({ label: 'Light', width })
const named = ({ serial, name }: LightName) => `${serial} ${name}`
/** The last column takes the remaining width. */
const filled = (...columns: PdfColumn[]): PdfColumn[] => {
  const rest = contentWidth - columns.slice(0, -1).reduce((sum, { width }) => sum + width, 0)
  return columns.map((column, at) => (at === columns.length - 1 ? { ...column, width: rest } : column))
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** Each month has the width of 'unknown' and a space: few different words, whose layout is cached. */
const signs = 8
const strip = (texts: readonly string[]) =>
  texts
    .map((text) => text.padEnd(signs))
    .join('')
    .trimEnd()

const toneOf = (outcome: string): Tone | undefined => {
  if (outcome === 'failed') return 'bad'
  return ['passed', 'notDue'].includes(outcome) ? undefined : 'doubt'
}
const toned = (text: string, tone: Tone | undefined): PdfCell => ({ text, ...(tone && { tone }) })

const sections: { [P in Exclude<PartName, 'about'>]: Section<(Part & { part: P })['entries'][number]> } = {
  lights: {
    heading: 'Lights',
    columns: filled(
      light(130),
      { label: 'Location', width: 95 },
      { label: 'Luminaire', width: 100 },
      { label: 'Lamp, inverter', width: 95 },
      { label: 'Battery', width: 115 },
      { label: 'Mode', width: 55 },
      { label: 'Key switch', width: 55 },
      { label: 'Group', width: 65 },
      { label: 'Last T180', width: 0 },
    ),
    line: (entry: LightEntry) => [
      named(entry),
      [known(entry.floor), known(entry.room)].join(', '),
      [known(entry.luminaire), entry.circuit].filter(Boolean).join(', '),
      [known(entry.lampType), known(entry.inverterType)].join(', '),
      `${known(entry.battery)}, in since ${entry.batterySince ? dayText(entry.batterySince) : unknown}`,
      known(entry.mode),
      known(entry.keySwitch),
      entry.group ?? 'none',
      entry.lastFull
        ? toned(
            fullTestText(entry.lastFull.outcome, entry.lastFull.day, entry.lastFull.minutes),
            toneOf(entry.lastFull.outcome),
          )
        : toned(unknown, 'doubt'),
    ],
    none: 'No emergency light of the building is in service.',
  },
  schedule: {
    heading: 'Schedule',
    note: sheetTexts.schedule,
    columns: filled(
      { label: 'Group', width: 250 },
      { label: 'Lights', width: 60 },
      { label: 'Test', width: 110 },
      { label: 'Next', width: 0 },
    ),
    line: (entry: ScheduleEntry, zone) => [
      entry.group ?? 'none',
      String(entry.lights),
      plannedTest(entry) ?? '–',
      entry.next ? zonedText(+entry.next, zone) : toned('none planned', 'doubt'),
    ],
    none: 'No emergency light of the building is in service.',
  },
  years: {
    heading: 'Monthly and yearly tests',
    columns: filled(
      light(140),
      { label: 'Year', width: 30 },
      { label: strip(months), width: 392, mono: true },
      { label: 'Yearly test (T180)', width: 0 },
    ),
    line: ({ light: of, year, months: squares, full, minutes }: YearEntry) => {
      const texts = squares.map(squareText)
      const marks = squares.flatMap(({ outcome }, at) => {
        const tone = toneOf(outcome)
        return tone ? [{ at: at * signs, length: texts[at]!.length, tone }] : []
      })
      return [
        named(of),
        String(year),
        { text: strip(texts), marks },
        toned(fullTestText(full.outcome, full.day, minutes), toneOf(full.outcome)),
      ]
    },
    none: 'Nothing on record.',
  },
  tests: {
    heading: 'Tests that did not pass',
    note: 'Tests of the period that did not pass or were corrected or disputed, and planned tests without a result.',
    columns: filled(
      light(),
      { label: 'Began', width: 96 },
      { label: 'Test', width: 40 },
      { label: 'Result', width: 110 },
      { label: 'Burned', width: 60 },
      { label: 'Failed at', width: 96 },
      { label: 'Why', width: 0 },
    ),
    line: ({ light: of, at, type, outcome, minutes, failedAt, reason, isDecided }: TestEntry, zone) =>
      outcome === 'passed' && !isDecided
        ? undefined
        : [
            named(of),
            zonedText(+at, zone),
            type,
            toned(outcomeWords[outcome], toneOf(outcome)),
            minutes === null ? (type === 'T0' ? '–' : unknown) : `${minutes} min`,
            failedAt === undefined ? '–' : failedAt ? zonedText(+failedAt, zone) : unknown,
            known(reason),
          ],
    none: 'None in the period.',
  },
  faults: {
    heading: 'Faults',
    columns: filled(
      light(),
      { label: 'Fault', width: 180 },
      { label: 'Since', width: 96 },
      { label: 'Now', width: 100 },
      { label: 'Ended by', width: 130 },
      { label: 'Interim measure', width: 0 },
    ),
    line: ({ light: of, what, since, endedAt, howEnded, interim, days }: FaultEntry, zone) => [
      named(of),
      what,
      zonedText(+since, zone),
      endedAt
        ? `ended ${dayText(dayAt(+endedAt, zone))} after ${inDays(days)}`
        : toned(`OPEN for ${inDays(days)}`, 'bad'),
      endedAt ? known(howEnded) : (howEnded ?? '–'),
      known(interim),
    ],
    none: 'None on record in the period.',
  },
  works: {
    heading: 'Repairs and alterations',
    columns: filled(
      light(),
      { label: 'Day', width: 60 },
      { label: 'What', width: contentWidth - 360 },
      { label: 'By', width: 0 },
    ),
    line: ({ light: of, day, what, by }: WorkEntry) => [named(of), dayText(day), what, known(by)],
    none: 'None on record in the period.',
  },
  photos: {
    heading: 'Photographs of repairs',
    columns: filled(
      light(),
      { label: 'Day', width: 60 },
      { label: 'File', width: 250 },
      { label: 'Not printed', width: 0 },
    ),
    line: ({ light: of, day, name, why }: PhotoEntry) => [named(of), dayText(day), name, toned(why ?? '', 'doubt')],
    none: 'None on record in the period.',
  },
  removed: {
    heading: 'Lights removed',
    note: sheetTexts.removed,
    columns: filled(
      light(),
      { label: 'Day', width: 60 },
      { label: 'What', width: contentWidth - 360 },
      { label: 'By', width: 0 },
    ),
    line: ({ light: of, day, what, by }: RemovedEntry) => [named(of), dayText(day), what, known(by)],
    none: 'None on record in the period.',
  },
  gaps: {
    heading: 'Gaps',
    note: sheetTexts.gaps,
    columns: filled(
      light(),
      { label: 'Missing', width: 110 },
      { label: 'From', width: 130 },
      { label: 'To', width: 60 },
      { label: 'Days', width: 45 },
      { label: 'Planned tests without a result', width: 0 },
    ),
    line: ({ light: of, duty, from, to, days, isAfterTest, lost }: GapEntry) => [
      named(of),
      dutyWords[duty],
      `${dayText(from)}${isAfterTest ? '' : ', nothing known before'}`,
      dayText(to),
      toned(String(days), 'doubt'),
      lost.length ? lost.map(lostText).join('; ') : 'none on record',
    ],
    none: 'None: every light was tested in time.',
  },
}

const unreadableText = 'not printed: its file could not be read. See it on the Maintenance tab of the light.'
const notPrintedText = (all: number, left: number) =>
  `${all - left} of ${all} photographs are printed. ${left === 1 ? 'The other one is' : `The other ${left} are`} in the list, and on the Maintenance tab of each light.`

const inDays = (days: number) => (days === 1 ? '1 day' : `${days} days`)

/** Writes each section with its first entry, and marks sections without entries as empty. */
class Sections {
  #pdf: TaggedPdf
  #zone: string
  #begun: PartName = 'about'
  /** Entries of the section so far. */
  #lines = 0
  /** Photographs that are listed and not printed. */
  #notPrinted = 0
  /** Whether the table of the section is open. */
  #hasTable = false
  constructor(pdf: TaggedPdf, zone: string) {
    this.#pdf = pdf
    this.#zone = zone
  }

  write({ part, entries }: Exclude<Part, { part: 'about' }>): void {
    this.#goTo(part)
    const section = sections[part] as Section<unknown>
    for (const entry of entries) {
      if (part === 'photos' && (entry as PhotoEntry).image) {
        this.#photo(entry as PhotoEntry)
        continue
      }
      const line = section.line(entry, this.#zone)
      if (!line) continue
      if (part === 'photos') this.#notPrinted++
      if (!this.#hasTable) this.#pdf.table(section.columns)
      this.#hasTable = true
      this.#lines++
      this.#pdf.row(line)
    }
  }

  /** A photograph with its light, day and name below it; one that cannot be drawn is a row of the table. */
  #photo(photo: PhotoEntry): void {
    const caption = `${named(photo.light)}, ${dayText(photo.day)}`
    if (this.#pdf.figure(photo.image!, { alt: `Photograph of a repair: ${caption}`, caption })) {
      this.#lines++
      this.#hasTable = false
      return
    }
    this.write({ part: 'photos', entries: [{ ...photo, image: null, why: unreadableText }] })
  }

  finish(): void {
    this.#goTo('gaps')
    this.#leave()
    this.#sign()
    this.#pdf.paragraph('End of the sheet.', { dim: true })
  }

  /** Lines that are filled in by hand. */
  #sign(): void {
    this.#pdf.heading(`${partNames.length} Signatures`)
    this.#pdf.table(
      filled(
        { label: 'Who', width: 150 },
        { label: 'Name', width: 200 },
        { label: 'Signature', width: 200 },
        { label: 'Date', width: 0 },
      ),
    )
    for (const who of signers) this.#pdf.row([who, sheetTexts.line, sheetTexts.line, sheetTexts.line])
  }

  #goTo(part: PartName): void {
    while (this.#begun !== part) {
      if (this.#begun !== 'about') this.#leave()
      this.#begun = partNames[partNames.indexOf(this.#begun) + 1]!
      const { heading, note } = sections[this.#begun as keyof typeof sections]
      this.#pdf.heading(`${partNames.indexOf(this.#begun)} ${heading}`)
      if (note) this.#pdf.paragraph(note, { dim: true })
      this.#lines = 0
      this.#hasTable = false
    }
  }

  #leave(): void {
    if (this.#lines === 0) this.#pdf.paragraph(sections[this.#begun as keyof typeof sections].none)
    if (this.#begun === 'photos' && this.#notPrinted > 0)
      this.#pdf.paragraph(notPrintedText(this.#lines, this.#notPrinted), { strong: true })
  }
}
