import type { FastifyInstance } from 'fastify'
import type { SheetFormat } from '@caretaker/contract/inspection.ts'
import { exportInspectionSheet, getLogBook, updateLogBook } from '@caretaker/contract/inspection.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { LogBook } from '@caretaker/rules/inspection/sheet.ts'
import { periodFault } from '@caretaker/rules/inspection/sheet.ts'
import { setLogBook } from '../../buildings/save.ts'
import { sendTable } from '../../http/send-table.ts'
import { serveTenant } from '../../http/serve.ts'
import { oneOfFew } from '../../lists/export.ts'
import { zoneOf } from '../../lists/read.ts'
import { xlsxType } from '../../spreadsheets/xlsx.ts'
import { findLights, logBookOf, openSheet, sheetFileName } from './open.ts'
import { findBuilding } from './store.ts'

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
    const after = withOverrides(before, sent)
    const difference = differences(before as {}, after as {})
    if (difference) {
      const { responsible, certificate, centralBattery } = after
      const columns = {
        responsible_person: responsible,
        completion_certificate: certificate,
        central_battery: centralBattery,
      }
      await setLogBook(tx, person, building, { columns, changes: difference })
    }
    return success(after)
  })

  // Tests arrive while a sheet is being read: it contains each of them once, as of the request.
  serveTenant(
    app,
    exportInspectionSheet,
    async ({ tx, actor, person, body, reply, context }) => {
      const { buildingId, from, to, format } = body
      const now = new Date()
      const fault = periodFault({ from, to }, dayAt(+now, await zoneOf(tx)))
      if (fault) throw refuse('invalid', fault, [{ field: 'to', message: fault }])
      const { building, lights } = await findLights(tx, actor, buildingId)
      return oneOfFew(tx, person.id, async () => {
        const logBook = withOverrides(logBookOf(building), body)
        const asked = { building, lights, period: { from, to }, logBook, now }
        const file = { name: sheetFileName(building.name, to, format), type: types[format] }
        const { table, parts } = await openSheet(
          tx,
          actor,
          { ...asked, writtenBy: person.name },
          { format, files: context.files },
        )
        return sendTable(reply, file, table, parts)
      })
    },
    'repeatable read',
  )
}

type Overrides = { [Fact in keyof LogBook]?: string | undefined }

/** A log book with overrides; an empty text means unknown. */
const withOverrides = (kept: LogBook, { responsible, certificate, centralBattery }: Overrides): LogBook => ({
  responsible: (responsible ?? kept.responsible) || null,
  certificate: (certificate ?? kept.certificate) || null,
  centralBattery: (centralBattery ?? kept.centralBattery) || null,
})
