import { z } from 'zod'
import { Day, Id, TenantId, line } from './scalars.ts'
import { route } from './route.ts'

export const sheetFormats = ['pdf', 'xlsx'] as const
export type SheetFormat = (typeof sheetFormats)[number]

export const exportInspectionSheet = route({
  method: 'POST',
  path: '/api/ExportInspectionSheet',
  may: 'see lighting',
  summary:
    "An inspector's sheet as a PDF or an Excel workbook: the emergency lights of a building with their tests, faults and repairs in a period, and what is missing. It is a record and no certificate.",
  body: z.strictObject({
    tenant: TenantId,
    buildingId: Id,
    /** The first day and the last one, by the clocks of the client. */
    from: Day,
    to: Day,
    format: z.enum(sheetFormats).default('pdf'),
    /** Who answers for the lights, as whoever asks says. */
    responsible: line(200).optional(),
    /** Which certificate of completion the system has: its number, its day and where it is kept, as whoever asks says. */
    certificate: line(200).optional(),
    /** Which central battery feeds lights, and where it stands, as whoever asks says. */
    centralBattery: line(200).optional(),
  }),
  file: 'application/octet-stream',
})
