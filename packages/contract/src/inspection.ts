import { z } from 'zod'
import { Day, Id, TenantId, line } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/inspection.ts'

export { logBookText } from './calls/inspection.ts'

export const sheetFormats = ['pdf', 'xlsx'] as const
export type SheetFormat = (typeof sheetFormats)[number]

const Detail = line(calls.logBookText).optional()
const details = {
  /** The person responsible for the lights. */
  responsible: Detail,
  /** The certificate of completion: its number, its date and where it is kept. */
  certificate: Detail,
  /** The central battery that supplies lights, and its location. */
  centralBattery: Detail,
}

const Known = z.string().nullable()
const LogBook = z.object({ responsible: Known, certificate: Known, centralBattery: Known }).meta({ id: 'LogBook' })

export const getLogBook = route({
  ...calls.getLogBook,
  summary: "The log book details of a building's emergency lighting. Null means not recorded.",
  body: z.strictObject({ tenant: TenantId, buildingId: Id }),
  reply: envelope(LogBook),
})

export const updateLogBook = route({
  ...calls.updateLogBook,
  summary:
    "Sets the log book details of a building's emergency lighting, which the inspector's sheet shows. An empty text removes a detail; fields that are not sent keep their values.",
  body: z.strictObject({ tenant: TenantId, buildingId: Id, ...details }),
  reply: envelope(LogBook),
})

export const exportInspectionSheet = route({
  ...calls.exportInspectionSheet,
  looksAt: { of: 'home', as: 'file', name: 'Inspection sheet' },
  summary:
    "An inspector's sheet as a PDF or an Excel workbook: the emergency lights of a building with their tests, faults and repairs in a period, and the missing records. It is a record, not a certificate.",
  body: z.strictObject({
    tenant: TenantId,
    buildingId: Id,
    /** First and last day, in the time zone of the client. */
    from: Day,
    to: Day,
    format: z.enum(sheetFormats).default('pdf'),
    /** For this sheet only. Fields that are not sent are taken from the log book of the building. */
    ...details,
  }),
})

/** The most buildings in one archive. */
const mostBuildings = 1000

export const startInspectionSheets = route({
  ...calls.startInspectionSheets,
  internal: true,
  summary: `Writes the inspector's sheets of several buildings into one archive, with a file for each: up to ${mostBuildings} buildings by id, or all with emergency lights. The archive appears in the user's reports.`,
  status: 202,
  body: z.strictObject({
    tenant: TenantId,
    /** Null for all buildings with emergency lights. */
    buildingIds: z.array(Id).min(1).max(mostBuildings).nullable(),
    from: Day,
    to: Day,
    format: z.enum(sheetFormats).default('pdf'),
  }),
  reply: z.object({ runId: z.string() }),
})
