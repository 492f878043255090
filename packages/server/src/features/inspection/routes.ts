import type { FastifyInstance } from 'fastify'
import type { SheetFormat } from '@caretaker/contract/inspection.ts'
import { exportInspectionSheet, getLogBook, updateLogBook } from '@caretaker/contract/inspection.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { LogBook } from '@caretaker/rules/inspection/sheet.ts'
import { periodFault } from '@caretaker/rules/inspection/sheet.ts'
import { audit } from '../../audit/audit.ts'
import { sendTable } from '../../http/send-table.ts'
import { serveTenant } from '../../http/serve.ts'
import { oneOfFew } from '../../lists/export.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { xlsxType } from '../../spreadsheets/xlsx.ts'
import type { About } from './parts.ts'
import { sheetXlsx } from './sheet-xlsx.ts'
import { aboutSheet, sheetParts } from './sheet.ts'
import { findBuilding, lightsOf, saveLogBook } from './store.ts'

/** What a sheet of Excel holds, with some to spare for planned tests that came to nothing. */
const mostTests = 900_000
const types: Record<SheetFormat, string> = { pdf: 'application/pdf', xlsx: xlsxType }

export function inspectionRoutes(app: FastifyInstance): void {
  serveTenant(app, getLogBook, async ({ tx, actor, body }) => {
    const { building } = await findLights(tx, actor, body.buildingId)
    return success(logBookOf(building))
  })

  serveTenant(app, updateLogBook, async ({ tx, person, body: { buildingId, tenant: _tenant, ...sent } }) => {
    const building = await findBuilding(tx, buildingId, true)
    if (!building) throw refuse('not found')
    const before = logBookOf(building)
    const after = said(before, sent)
    const difference = differences(before as {}, after as {})
    if (difference) {
      await saveLogBook(tx, buildingId, after)
      const subject = { type: 'building', id: buildingId, name: building.name } as const
      await audit(tx, { person, action: 'building changed', subject, ...difference })
    }
    return success(after)
  })

  // Tests come in while a sheet is being read: it has each of them once, as it was when the sheet was asked for.
  serveTenant(
    app,
    exportInspectionSheet,
    async ({ tx, actor, person, body, reply }) => {
      const { buildingId, from, to, format } = body
      const now = new Date()
      const fault = periodFault({ from, to }, dayAt(+now, await zoneOf(tx)))
      if (fault) throw refuse('invalid', fault, [{ field: 'to', message: fault }])
      const { building, lights } = await findLights(tx, actor, buildingId)
      return oneOfFew(tx, person.id, async () => {
        const logBook = said(logBookOf(building), body)
        const asked = { building, lights, period: { from, to }, logBook, now }
        const about = await aboutSheet(tx, actor, { ...asked, writtenBy: person.name })
        if (format === 'xlsx') refuseTooMany(about)
        const file = { name: `${to}-EmergencyLighting-${fileName(building.name)}.${format}`, type: types[format] }
        // What writes a PDF, with its fonts, is loaded with the first one.
        const write = format === 'pdf' ? (await import('./sheet-pdf.ts')).sheetPdf : sheetXlsx
        return sendTable(reply, file, write(about), sheetParts(tx, actor, about, { building: buildingId, lights }))
      })
    },
    'one snapshot',
  )
}

/** A building and those of its lights that the actor sees. Who sees none of them does not learn that there is a building. */
async function findLights(tx: TenantTx, actor: Actor, buildingId: string) {
  const building = await findBuilding(tx, buildingId)
  const lights = building && (await lightsOf(tx, actor, buildingId))
  if (!lights || (isLimited(actor) && lights.length === 0)) throw refuse('not found')
  return { building, lights }
}

type Said = { [Fact in keyof LogBook]?: string | undefined }

const logBookOf = ({ responsible, certificate, centralBattery }: LogBook): LogBook => ({
  ...{ responsible, certificate, centralBattery },
})

/** A log book with what somebody says instead; an empty text says that it is not known. */
const said = (kept: LogBook, { responsible, certificate, centralBattery }: Said): LogBook => ({
  responsible: (responsible ?? kept.responsible) || null,
  certificate: (certificate ?? kept.certificate) || null,
  centralBattery: (centralBattery ?? kept.centralBattery) || null,
})

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
