import type { FastifyInstance } from 'fastify'
import type { SheetFormat } from '@caretaker/contract/inspection.ts'
import { exportInspectionSheet } from '@caretaker/contract/inspection.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import { periodFault } from '@caretaker/rules/inspection/sheet.ts'
import { sendTable } from '../../http/send-table.ts'
import { serveTenant } from '../../http/serve.ts'
import { oneOfFew } from '../../lists/export.ts'
import { zoneOf } from '../../lists/read.ts'
import { xlsxType } from '../../spreadsheets/xlsx.ts'
import type { About } from './parts.ts'
import { sheetPdf } from './sheet-pdf.ts'
import { sheetXlsx } from './sheet-xlsx.ts'
import { aboutSheet, sheetParts } from './sheet.ts'
import { findBuilding, lightsOf } from './store.ts'

/** What a sheet of Excel holds, with some to spare for planned tests that came to nothing. */
const mostTests = 900_000
const types: Record<SheetFormat, string> = { pdf: 'application/pdf', xlsx: xlsxType }

export function inspectionRoutes(app: FastifyInstance): void {
  // Tests come in while a sheet is being read: it has each of them once, as it was when the sheet was asked for.
  serveTenant(
    app,
    exportInspectionSheet,
    async ({ tx, actor, person, body, reply }) => {
      const { buildingId, from, to, format, responsible, certificate, centralBattery } = body
      const now = new Date()
      const fault = periodFault({ from, to }, dayAt(+now, await zoneOf(tx)))
      if (fault) throw refuse('invalid', fault, [{ field: 'to', message: fault }])
      const building = await findBuilding(tx, buildingId)
      const lights = building && (await lightsOf(tx, actor, buildingId))
      // Who sees no light of a building does not learn that there is one.
      if (!lights || (isLimited(actor) && lights.length === 0)) throw refuse('not found')
      return oneOfFew(tx, person.id, async () => {
        const said = {
          responsible: responsible || null,
          certificate: certificate || null,
          centralBattery: centralBattery || null,
        }
        const asked = { building, lights, period: { from, to }, ...said, now }
        const about = await aboutSheet(tx, actor, { ...asked, writtenBy: person.name })
        if (format === 'xlsx') refuseTooMany(about)
        const file = { name: `${to}-EmergencyLighting-${fileName(building.name)}.${format}`, type: types[format] }
        return sendTable(
          reply,
          file,
          format === 'pdf' ? sheetPdf(about) : sheetXlsx(about),
          sheetParts(tx, actor, about, { building: buildingId, lights }),
        )
      })
    },
    'one snapshot',
  )
}

function refuseTooMany({ tests }: About): void {
  if (tests.reduce((sum, { count }) => sum + count, 0) <= mostTests) return
  const message = 'So many tests do not fit into an Excel sheet: choose a shorter period, or a PDF.'
  throw refuse('invalid', message, [{ field: 'from', message }])
}

/** A building's name as a part of a file's: letters and figures of the simplest kind. */
function fileName(name: string): string {
  const plain = name.normalize('NFD').replaceAll(/[^\w ]/g, '')
  return plain.trim().replaceAll(/\s+/g, '-').slice(0, 60) || 'building'
}
