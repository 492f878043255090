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
/** The most rows in a worksheet. */
const mostRow = 1_048_576
const Field = z.enum(fieldIds as [FieldId, ...FieldId[]])
const Value = z.union([z.string(), z.number(), z.array(z.string()).readonly()])
const Values = z.partialRecord(Field, Value.nullable())
const Kinds = z.partialRecord(z.enum(kinds), Count)

const Code = z.enum(encodingIds as [Encoding, ...Encoding[]])

export const ImportOptions = z.object({
  /** Sheets with a changed mapping. A header row of null skips the sheet. */
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
  /** The meanings of values in the file, by field and by value in lower case. */
  answers: z.partialRecord(Field, z.record(text(importLimits.characters), text(200).nullable())).default({}),
  takeOffers: z.boolean().default(false),
  /** Accepts all other questioned references as written. */
  asWritten: z.boolean().default(false),
  /**
   * Imports all rows whose address is stored under another reference as new properties. `takeOffers` and `asWritten` do
   * not apply to these.
   */
  storedAddressesAsNew: z.boolean().default(false),
  /** Answers for single references, by row and sheet ('12 Homes'). They take precedence over the answers for all. */
  references: z.record(text(220), z.enum(referenceAnswers)).default({}),
  /** The encoding of a text file; null to detect it from the content. */
  encoding: Code.nullable().default(null),
  leaveHidden: z.boolean().default(false),
  /** Whether a row with an invalid cell is rejected; otherwise only the field is skipped. */
  wholeRows: z.boolean().default(false),
  /**
   * Which of the rows with the same reference is imported, keyed by `key` of `repeats`; null keeps the stored values.
   */
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
      /** Null for lists that were read before the encoding could be chosen. */
      code: Code.nullable().default(null),
      separator: z.string(),
      /** Lines with non-ASCII letters, by which a user can check the encoding. */
      examples: z.array(z.string()).default([]),
    })
    .nullable(),
  sheets: z.array(
    z.object({
      name: z.string(),
      hidden: z.boolean(),
      mapping: Mapping.nullable(),
      /** The draft mapping of a sheet in which no identifying column was recognised. */
      draft: Mapping.nullable().default(null),
      /** Whether the mapping was taken from an earlier list with the same headings. */
      isKept: z.boolean().default(false),
      left: z.array(z.string()),
      hiddenColumns: z.array(Count),
      rows: Count,
      hiddenRows: Count,
      /** The first rows, unprocessed; empty for lists that were read before these were stored. */
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
    /** 0 for lists that were read before this was counted. */
    becomeVoidWithDevices: Count.default(0),
    emptyUntilMapped: z.partialRecord(Field, Count),
    filledDown: Count,
  }),
  notes: z.array(z.object({ sheet: z.string(), row: Count, code: z.string(), message: z.string() })),
  moreNotes: Count,
  /** The first 500 rows with a questioned reference; empty for lists that were read before this was checked. */
  questions: z
    .array(
      z.object({
        sheet: z.string(),
        row: Count,
        value: z.string(),
        message: z.string(),
        offer: z.string().nullable(),
        isStored: z.boolean(),
        /** Whether the row's address is stored under another reference. */
        isAddressStored: z.boolean().default(false),
        written: z.string().nullable(),
        answer: z.enum(referenceAnswers).nullable(),
      }),
    )
    .default([]),
  moreQuestions: Count.default(0),
  /**
   * Rows with different values for the same property, for at most 100 properties; empty for lists that were read before
   * these were stored.
   */
  repeats: z
    .array(
      z.object({
        key: z.string(),
        name: z.string(),
        /** Null for a new property. */
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
  /** Whether only the field is skipped, or the whole row. */
  effect: z.enum(['cell', 'row']),
  offer: z.string().nullable(),
})
export type ImportCell = z.infer<typeof ImportCell>

/** Cells of a column that were rejected for the same reason. */
export const ImportFault = z.object({
  ...ImportCell.omit({ row: true, value: true }).shape,
  rows: Count,
  /** The numbers of the first five of these rows. */
  firstRows: z.array(Count),
  /** The number of different values, and three of them. */
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
  /** Why it was not written, or why undo kept it. */
  reason: z.string().nullable(),
})
export type ImportItem = z.infer<typeof ImportItem>

export const ImportRow = z
  .object({
    importId: z.string(),
    name: z.string(),
    state: z.enum(importStates),
    /** Why it cannot be read, or why it was stopped. */
    fault: z.string().nullable(),
    /** Items to create and change, and their results. */
    total: Count,
    done: Count,
    refused: Count.describe('Planned items that could not be written.'),
    refusedRows: Count.describe('Invalid rows of the list, for which nothing was planned.'),
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
    /** The revision of the preview. Send it when starting the import. */
    revision: Count,
    wishes: ImportOptions,
    found: Found.nullable(),
    /** The first 200 of each. */
    cells: z.array(ImportCell),
    faults: z.array(ImportFault),
    items: z.array(ImportItem),
    left: z.array(ImportItem),
    /** Whether rejected rows can be downloaded for correction. */
    hasRejectedRows: z.boolean(),
    /** Among the devices that the import created: how many have no key, and how many have a key but never reported. */
    deviceKeys: z.object({ without: Count, neverConnected: Count }),
  })
  .meta({ id: 'Import' })
export type Import = z.infer<typeof Import>

const ofImport = { tenant: TenantId, importId: Id }
const Begun = envelope(z.object({ importId: z.string() }))

export const uploadImport = route({
  ...calls.uploadImport,
  summary:
    'Uploads a list of properties, buildings or devices as an Excel workbook or a CSV or TSV file, and starts reading it. No data is changed.',
  form: z.object({ tenant: TenantId, file: z.instanceof(File, { error: 'Choose a file' }) }),
  reply: Begun,
  limit: importLimits.bytes + 100_000,
})

export const getImports = route({
  ...calls.getImports,
  summary: 'The lists imported in the last 30 days, newest first.',
  body: inTenant,
  reply: envelope(z.array(ImportRow)),
})

export const getImport = route({
  ...calls.getImport,
  summary:
    'The mapping of a list, the items it would create and change, and its rejected cells with reasons; after the import, the results.',
  body: z.object(ofImport),
  reply: envelope(Import),
})

export const planImport = route({
  ...calls.planImport,
  summary: 'Reads an uploaded list again with another column mapping, value mapping or accepted references.',
  body: z.object({ ...ofImport, wishes: ImportOptions }),
  reply: Begun,
})

export const commitImport = route({
  ...calls.commitImport,
  summary: 'Starts importing what the preview shows. The import continues in the background and after a restart.',
  body: z.object({ ...ofImport, revision: Version }),
  reply: Begun,
})

export const undoImport = route({
  ...calls.undoImport,
  summary:
    'Undoes an import: deletes what it created and restores what it changed. Items that were edited since are kept and listed.',
  body: z.object(ofImport),
  reply: Begun,
})

export const exportImportFaults = route({
  ...calls.exportImportFaults,
  looksAt: { of: 'home', as: 'file', name: 'Import faults' },
  summary: 'All rejected cells of a list, and all items that could not be written or undone, with reasons, as CSV.',
  body: z.object(ofImport),
})

export const exportMarkedImport = route({
  ...calls.exportMarkedImport,
  looksAt: { of: 'home', as: 'file', name: 'Import file' },
  summary:
    'The first 5,000 rows with rejected values, unchanged and with the reasons, as an Excel workbook. Once corrected, the workbook can be imported. Once the import has finished, only these rows of the file are kept.',
  body: z.object(ofImport),
  refuses: ['refused'],
})

export const makeImportKeys = route({
  ...calls.makeImportKeys,
  summary:
    'Creates connection keys for the devices of an import that have none, and returns them as CSV. They are shown once, because only their hashes are stored. With `renew`, also replaces the keys of devices that never reported; their previous keys stop working.',
  body: z.object({ ...ofImport, renew: z.boolean().default(false) }),
  refuses: ['conflict'],
})

export const getImportTemplate = route({
  ...calls.getImportTemplate,
  summary:
    'An empty Excel workbook with a sheet each for properties, buildings, floors and devices, and a column for every field that can be imported.',
  params: inTenant,
})
