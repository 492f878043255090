import { z } from 'zod'
import type { Encoding } from '@caretaker/rules/imports/cells.ts'
import { encodingIds, importLimits } from '@caretaker/rules/imports/cells.ts'
import type { FieldId } from '@caretaker/rules/imports/fields.ts'
import { fieldIds, kinds, reasons } from '@caretaker/rules/imports/fields.ts'
import { importItemStates, importStates } from '@caretaker/rules/imports/life.ts'
import { referenceAnswers } from '@caretaker/rules/imports/plan.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import { Id, inTenant, TenantId, text, Timestamp, Version } from './scalars.ts'
import * as calls from './calls/imports.ts'

const Count = z.number().int().min(0)
/** Rows that a sheet of a workbook can have. */
const mostRow = 1_048_576
const Field = z.enum(fieldIds as [FieldId, ...FieldId[]])
const Value = z.union([z.string(), z.number(), z.array(z.string()).readonly()])
const Values = z.partialRecord(Field, Value.nullable())
const Kinds = z.partialRecord(z.enum(kinds), Count)

const Code = z.enum(encodingIds as [Encoding, ...Encoding[]])

export const Wishes = z.object({
  /** Sheets that are to be read otherwise than they were recognised; a head row of null leaves the sheet. */
  sheets: z
    .array(
      z.object({
        sheet: text(200),
        headerRow: z.number().int().min(1).max(mostRow).nullable(),
        columns: z.array(Field.nullable()).max(importLimits.columns),
        buildingFromName: z.boolean().default(false),
      }),
    )
    .max(importLimits.sheets)
    .default([]),
  /** What words of the file mean, by field and in small letters. */
  answers: z.partialRecord(Field, z.record(text(importLimits.characters), text(200).nullable())).default({}),
  takeOffers: z.boolean().default(false),
  /** All other references that are asked about are taken as they are written. */
  asWritten: z.boolean().default(false),
  /** All rows whose address is stored under another reference are new homes; `takeOffers` and `asWritten` do not answer these. */
  storedAddressesAsNew: z.boolean().default(false),
  /** Answers to single questions about references, by row and sheet ('12 Homes'); they count before those for all. */
  references: z.record(text(220), z.enum(referenceAnswers)).default({}),
  /** The encoding of a text file; null where it is to be told by what is in it. */
  encoding: Code.nullable().default(null),
  leaveHidden: z.boolean().default(false),
  /** A row of which a cell is not taken is left whole; otherwise the field alone. */
  wholeRows: z.boolean().default(false),
  /** Which of the rows that repeat a reference is taken, by `key` of `repeats`; null leaves what is stored. */
  chosenRows: z
    .record(text(200), z.object({ sheet: text(200), row: z.number().int().min(1).max(mostRow) }).nullable())
    .default({}),
})

const Mapping = z.object({
  sheet: z.string(),
  headerRow: Count,
  headers: z.array(z.string()),
  columns: z.array(Field.nullable()),
  buildingFromName: z.boolean(),
})

const Found = z.object({
  format: z
    .object({
      encoding: z.string(),
      /** Of lists that were read before it could be chosen, null. */
      code: Code.nullable().default(null),
      separator: z.string(),
      /** Lines with letters beyond ASCII, by which people see whether the encoding is right. */
      examples: z.array(z.string()).default([]),
    })
    .nullable(),
  sheets: z.array(
    z.object({
      name: z.string(),
      hidden: z.boolean(),
      mapping: Mapping.nullable(),
      /** How it would be read, but that no column is known by which its rows are recognised. */
      draft: Mapping.nullable().default(null),
      /** Read as somebody said of an earlier list with these headings. */
      isKept: z.boolean().default(false),
      left: z.array(z.string()),
      hiddenColumns: z.array(Count),
      rows: Count,
      hiddenRows: Count,
      /** The first rows as they stand; of lists that were read before these were kept, none. */
      head: z.array(z.object({ row: Count, cells: z.array(z.string()) })).default([]),
    }),
  ),
  words: z.array(z.object({ field: Field, word: z.string(), count: Count, meaning: z.string().nullable() })),
  totals: z.object({
    rows: Count,
    create: Kinds,
    change: Kinds,
    unchanged: Kinds,
    left: Count,
    refusedRows: Count,
    refusedCells: Count,
    becomeVoid: Count,
    /** Of lists that were read before this was counted, none. */
    becomeVoidWithDevices: Count.default(0),
    emptyUntilMapped: z.partialRecord(Field, Count),
    filledDown: Count,
  }),
  notes: z.array(z.object({ sheet: z.string(), row: Count, code: z.string(), message: z.string() })),
  moreNotes: Count,
  /** Rows whose reference is asked about, the first 500; of lists that were read before this was asked, none. */
  questions: z
    .array(
      z.object({
        sheet: z.string(),
        row: Count,
        value: z.string(),
        message: z.string(),
        offer: z.string().nullable(),
        isStored: z.boolean(),
        /** The address of the row is stored under another reference. */
        isAddressStored: z.boolean().default(false),
        written: z.string().nullable(),
        answer: z.enum(referenceAnswers).nullable(),
      }),
    )
    .default([]),
  moreQuestions: Count.default(0),
  /** Rows that name one home with different values, of at most 100 homes; of lists that were read before this was kept, none. */
  repeats: z
    .array(
      z.object({
        key: z.string(),
        name: z.string(),
        /** Null where the home is new. */
        stored: Values.nullable(),
        rows: z.array(z.object({ sheet: z.string(), row: Count, values: Values })),
      }),
    )
    .default([]),
})

export const ImportCell = z.object({
  sheet: z.string(),
  row: Count,
  column: z.string(),
  header: z.string(),
  value: z.string(),
  reason: z.enum(reasons),
  message: z.string(),
  /** Whether the field alone stays as it was, or the whole row is left. */
  effect: z.enum(['cell', 'row']),
  offer: z.string().nullable(),
})
export type ImportCell = z.infer<typeof ImportCell>

/** Cells of a column that are not taken for the same reason. */
export const ImportFault = z.object({
  ...ImportCell.omit({ row: true, value: true }).shape,
  rows: Count,
  /** The first five of these rows. */
  firstRows: z.array(Count),
  /** How many different texts stand there, and three of them. */
  texts: Count,
  someTexts: z.array(z.string()),
})
export type ImportFault = z.infer<typeof ImportFault>

export const ImportItem = z.object({
  kind: z.enum(kinds),
  name: z.string(),
  sheet: z.string(),
  row: Count,
  action: z.enum(['create', 'change']),
  values: Values,
  old: Values,
  state: z.enum(importItemStates),
  /** Why it was not written, or is kept when the rest is undone. */
  reason: z.string().nullable(),
})
export type ImportItem = z.infer<typeof ImportItem>

export const ImportRow = z
  .object({
    importId: z.string(),
    name: z.string(),
    state: z.enum(importStates),
    /** Why it cannot be read, or was stopped. */
    fault: z.string().nullable(),
    /** Things to make and change, and what came of them. */
    total: Count,
    done: Count,
    refused: Count.describe('Things that were planned and could not be written.'),
    refusedRows: Count.describe('Rows of the list that are wrong, so that nothing was planned for them.'),
    undone: Count,
    kept: Count,
    createdAt: Timestamp,
    finishedAt: Timestamp.nullable(),
    by: z.string(),
  })
  .meta({ id: 'ImportRow' })
export type ImportRow = z.infer<typeof ImportRow>

export const Import = z
  .object({
    ...ImportRow.shape,
    /** Sent back with the order to import, it says which preview one has seen. */
    revision: Count,
    wishes: Wishes,
    found: Found.nullable(),
    /** The first 200 of each. */
    cells: z.array(ImportCell),
    faults: z.array(ImportFault),
    items: z.array(ImportItem),
    left: z.array(ImportItem),
    /** Whether rows to mend can be had, after the import those that were not taken. */
    hasRowsToMend: z.boolean(),
    /** Of the devices that it made: how many have no key to connect with, and how many have one and were never heard. */
    deviceKeys: z.object({ without: Count, unheard: Count }),
  })
  .meta({ id: 'Import' })
export type Import = z.infer<typeof Import>

const ofImport = { tenant: TenantId, importId: Id }
const Begun = envelope(z.object({ importId: z.string() }))

export const uploadImport = route({
  ...calls.uploadImport,
  summary:
    'Takes a list of homes, buildings or devices as an Excel workbook or a CSV or TSV file and begins to read it. Nothing is changed by it.',
  form: z.object({ tenant: TenantId, file: z.instanceof(File, { error: 'Choose a file' }) }),
  reply: Begun,
  limit: importLimits.bytes + 100_000,
})

export const getImports = route({
  ...calls.getImports,
  summary: 'The lists that were imported in the last 30 days, the newest first.',
  body: inTenant,
  reply: envelope(z.array(ImportRow)),
})

export const getImport = route({
  ...calls.getImport,
  summary:
    'How a list is read, what it would make and change, which of its cells are not taken and why, or what came of it.',
  body: z.object(ofImport),
  reply: envelope(Import),
})

export const planImport = route({
  ...calls.planImport,
  summary: 'Reads an uploaded list anew: with other columns, with words explained, with offered references taken.',
  body: z.object({ ...ofImport, wishes: Wishes }),
  reply: Begun,
})

export const commitImport = route({
  ...calls.commitImport,
  summary: 'Begins to make and change what the preview says. It goes on when nobody looks, and after a restart.',
  body: z.object({ ...ofImport, revision: Version }),
  reply: Begun,
})

export const undoImport = route({
  ...calls.undoImport,
  summary:
    'Takes an import back: what it made goes and what it changed is put back, but for what somebody has edited since, which is kept and named.',
  body: z.object(ofImport),
  reply: Begun,
})

export const exportImportFaults = route({
  ...calls.exportImportFaults,
  summary:
    'Every cell of a list that is not taken and everything that was not written or not taken back, with the reason, as CSV.',
  body: z.object(ofImport),
})

export const exportMarkedImport = route({
  ...calls.exportMarkedImport,
  summary:
    'The rows of a list of which something is not taken, the first 5,000 of them, as they stand in the file and each with why, as an Excel workbook: mended, it can be imported itself. Once the list is in, these rows are all that is kept of its file.',
  body: z.object(ofImport),
  refuses: ['refused'],
})

export const makeImportKeys = route({
  ...calls.makeImportKeys,
  summary:
    'Makes the keys with which devices that a list made connect, those that have none yet, and answers with them as CSV: they are told once, for only their hashes are kept. With `renew` also of devices that have one and were never heard, whose former keys hold no more.',
  body: z.object({ ...ofImport, renew: z.boolean().default(false) }),
  refuses: ['conflict'],
})

export const getImportTemplate = route({
  ...calls.getImportTemplate,
  summary:
    'An empty Excel workbook with a sheet for homes, buildings, floors and devices, and a column for all that can be imported.',
  params: inTenant,
})
