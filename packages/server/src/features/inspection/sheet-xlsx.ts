import { Writable } from 'node:stream'
import { dutyWords, outcomeWords } from '@caretaker/rules/inspection/sheet.ts'
import { known, legend, sheetTexts, signers, squareText, unknown } from '@caretaker/rules/inspection/words.ts'
import { testTypes } from '@caretaker/rules/lighting/tests.ts'
import type { Cell, Row } from '../../spreadsheets/table.ts'
import { xlsxWorkbook } from '../../spreadsheets/xlsx.ts'
import type { About, Part, PartName } from './parts.ts'
import { lostText, partNames, plannedTest, responsibleText } from './parts.ts'

const day = (one: string | null): Cell => (one === null ? unknown : { day: one })
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const light = ['Serial', 'Light']

interface Sheet<P extends PartName> {
  name: string
  heads: readonly string[]
  rows(part: Part & { part: P }): Row[]
}

const sheets: { [P in PartName]: Sheet<P> } = {
  about: { name: 'About', heads: ['About', 'Details'], rows: ({ about }) => aboutRows(about) },
  lights: {
    name: 'Lights',
    heads: [
      ...[...light, 'Floor', 'Room', 'Luminaire', 'Lamp type', 'Inverter type', 'Battery', 'Battery installed'],
      ...['Monitored LED circuit', 'Mode', 'Key switch', 'Group', 'Last T180', 'Result', 'Minutes'],
    ],
    rows: ({ entries }) =>
      entries.map((one) => [
        ...[one.serial, one.name, known(one.floor), known(one.room), known(one.luminaire), known(one.lampType)],
        ...[
          known(one.inverterType),
          known(one.battery),
          day(one.batterySince),
          known(one.circuit),
          known(one.mode),
          known(one.keySwitch),
          one.group ?? 'none',
        ],
        ...[day(one.lastFull?.day ?? null), one.lastFull ? outcomeWords[one.lastFull.outcome] : unknown],
        one.lastFull?.minutes ?? unknown,
      ]),
  },
  schedule: {
    name: 'Schedule',
    heads: ['Group', 'Lights', 'Test', 'Next'],
    rows: ({ entries }) =>
      entries.map((one) => [one.group ?? 'none', one.lights, plannedTest(one) ?? '–', one.next ?? 'none planned']),
  },
  years: {
    name: 'Months and years',
    heads: [...light, 'Year', ...months, 'Yearly test (T180)', 'Result', 'Minutes'],
    rows: ({ entries }) =>
      entries.map((one) => [
        ...[one.light.serial, one.light.name, one.year, ...one.months.map(squareText)],
        ...[one.full.day ? { day: one.full.day } : outcomeWords[one.full.outcome], outcomeWords[one.full.outcome]],
        one.minutes ?? unknown,
      ]),
  },
  tests: {
    name: 'Tests',
    heads: [...light, 'Began', 'Test', 'Result', 'Minutes', 'Failed at', 'Why'],
    rows: ({ entries }) =>
      entries.map((one) => [
        ...[one.light.serial, one.light.name, one.at, one.type, outcomeWords[one.outcome]],
        ...[one.minutes ?? (one.type === 'T0' ? '–' : unknown)],
        ...[one.failedAt === undefined ? '–' : (one.failedAt ?? unknown), known(one.reason)],
      ]),
  },
  faults: {
    name: 'Faults',
    heads: [...light, 'Fault', 'Since', 'Ended', 'Days', 'Ended by', 'Interim measure'],
    rows: ({ entries }) =>
      entries.map((one) => [
        ...[one.light.serial, one.light.name, one.what, one.since, one.endedAt ?? 'open', one.days],
        ...[one.endedAt ? known(one.howEnded) : (one.howEnded ?? '–'), known(one.interim)],
      ]),
  },
  works: {
    name: 'Repairs and alterations',
    heads: [...light, 'Day', 'What', 'By'],
    rows: ({ entries }) =>
      entries.map((one) => [one.light.serial, one.light.name, { day: one.day }, one.what, known(one.by)]),
  },
  photos: {
    name: 'Photographs',
    heads: [...light, 'Day of the repair', 'File'],
    rows: ({ entries }) => entries.map((one) => [one.light.serial, one.light.name, { day: one.day }, one.name]),
  },
  removed: {
    name: 'Lights removed',
    heads: [...light, 'Day', 'What', 'By'],
    rows: ({ entries }) =>
      entries.map((one) => [one.light.serial, one.light.name, { day: one.day }, one.what, known(one.by)]),
  },
  gaps: {
    name: 'Gaps',
    heads: [...light, 'Missing', 'From', 'Known before', 'To', 'Days', 'Planned tests without a result'],
    rows: ({ entries }) =>
      entries.map((one) => [
        ...[
          one.light.serial,
          one.light.name,
          dutyWords[one.duty],
          { day: one.from },
          one.isAfterTest ? 'Yes' : unknown,
        ],
        ...[{ day: one.to }, one.days, one.lost.length ? one.lost.map(lostText).join('; ') : 'none on record'],
      ]),
  },
}

function aboutRows(about: About): Row[] {
  return [
    ['Client', [about.client, about.contacts].filter(Boolean).join(', ')],
    ['Building', about.building],
    ['Address', known(about.address)],
    ['From', { day: about.period.from }],
    ['To', { day: about.period.to }],
    ['Responsible person', known(about.responsible)],
    ...(about.responsibleBefore.length > 1 ? [['Earlier responsible persons', responsibleText(about)]] : []),
    ['Completion certificate', about.certificate ?? sheetTexts.certificate],
    ['Central battery', known(about.centralBattery)],
    ['Emergency lights', about.lights],
    ...testTypes.flatMap((type) =>
      about.tests
        .filter((one) => one.type === type)
        .map(({ outcome, count }): Row => [`${type} ${outcomeWords[outcome].toLowerCase()}`, count]),
    ),
    ['Written', about.writtenAt],
    ['Time zone', about.zone],
    ['By', about.writtenBy],
    ['Months', `${legend}. The number is the day of the month.`],
    ...[
      sheetTexts.record,
      sheetTexts.unknown,
      sheetTexts.monthly,
      sheetTexts.mode,
      sheetTexts.schedule,
      sheetTexts.gaps,
      sheetTexts.gone,
    ].map((text): Row => ['Note', text]),
    ...(about.isLimited ? [['Note', sheetTexts.limited]] : []),
    ...signers.map((who): Row => [`${who}: name, signature, date`, Array(3).fill(sheetTexts.line).join('   ')]),
  ]
}

/** A sheet as an Excel workbook: takes its parts in order, returns bytes. */
export function sheetXlsx({ zone }: About) {
  const wanted = partNames.map((name) => ({ name: sheets[name].name, columns: sheets[name].heads.length }))
  const { sheets: writers, bytes } = xlsxWorkbook(wanted, zone)
  for (const [at, name] of partNames.entries()) writers[at]!.write([sheets[name].heads])
  let open = 0
  const goTo = (at: number) => {
    while (open < at) writers[open++]!.end()
  }
  const rows = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write(pieces: readonly Part[], _encoding, done) {
      for (const piece of pieces.slice(0, -1)) writeOne(piece)
      const last = pieces.at(-1)
      if (last) writeOne(last, done)
      else done()
    },
    final(done) {
      goTo(partNames.length)
      done()
    },
  })
  const writeOne = (piece: Part, done?: (error?: Error | null) => void) => {
    const at = partNames.indexOf(piece.part)
    goTo(at)
    const sheet = sheets[piece.part] as Sheet<PartName>
    writers[at]!.write(sheet.rows(piece as never), (error) => done?.(error))
  }
  return { rows, bytes }
}
