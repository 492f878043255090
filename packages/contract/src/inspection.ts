import { z } from 'zod'
import { Day, Id, TenantId, line } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/inspection.ts'

export { logBookText } from './calls/inspection.ts'

export const sheetFormats = ['pdf', 'xlsx'] as const
export type SheetFormat = (typeof sheetFormats)[number]

const Said = line(calls.logBookText).optional()
const said = {
  /** Who answers for the lights. */
  responsible: Said,
  /** Which certificate of completion the system has: its number, its day and where it is kept. */
  certificate: Said,
  /** Which central battery feeds lights, and where it stands. */
  centralBattery: Said,
}

const Known = z.string().nullable()
const LogBook = z.object({ responsible: Known, certificate: Known, centralBattery: Known }).meta({ id: 'LogBook' })

export const getLogBook = route({
  ...calls.getLogBook,
  summary: 'What is kept with a building of its emergency lighting as a whole. Null is what nobody has said.',
  body: z.strictObject({ tenant: TenantId, buildingId: Id }),
  reply: envelope(LogBook),
})

export const updateLogBook = route({
  ...calls.updateLogBook,
  summary:
    "Keeps with a building what the inspector's sheet says of its emergency lighting as a whole. An empty text takes it away; what is not sent stays.",
  body: z.strictObject({ tenant: TenantId, buildingId: Id, ...said }),
  reply: envelope(LogBook),
})

export const exportInspectionSheet = route({
  ...calls.exportInspectionSheet,
  summary:
    "An inspector's sheet as a PDF or an Excel workbook: the emergency lights of a building with their tests, faults and repairs in a period, and what is missing. It is a record and no certificate.",
  body: z.strictObject({
    tenant: TenantId,
    buildingId: Id,
    /** The first day and the last one, by the clocks of the client. */
    from: Day,
    to: Day,
    format: z.enum(sheetFormats).default('pdf'),
    /** For this sheet alone; what is not sent is as it is kept with the building. */
    ...said,
  }),
})

/** The most buildings whose sheets are written together. */
const mostBuildings = 1000

export const startInspectionSheets = route({
  ...calls.startInspectionSheets,
  internal: true,
  summary: `Has the inspector's sheets of several buildings written into one archive, a file for each: of at most ${mostBuildings} that are named, or of all with emergency lights. It is found among the person's reports.`,
  status: 202,
  body: z.strictObject({
    tenant: TenantId,
    /** Null for all of them. */
    buildingIds: z.array(Id).min(1).max(mostBuildings).nullable(),
    from: Day,
    to: Day,
    format: z.enum(sheetFormats).default('pdf'),
  }),
  reply: z.object({ runId: z.string() }),
})
