import type { FastifyInstance } from 'fastify'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Route } from '@caretaker/contract/route.ts'
import {
  addReportSchedule,
  deleteReportRun,
  deleteReportSchedule,
  getMonthlyReport,
  getReport,
  getReportFile,
  getReportRuns,
  getReports,
  getReportSchedules,
  startReport,
  updateReportSchedule,
} from '@caretaker/contract/reports.ts'
import { startInspectionSheets } from '@caretaker/contract/inspection.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import {
  isSameReader,
  mayGenerate,
  offeredReports,
  readerOf,
  reports,
  sheetsRun,
} from '@caretaker/rules/reports/kinds.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { ReportType } from '@caretaker/rules/reports/kinds.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { monthOf } from '@caretaker/rules/reports/months.ts'
import { sendFile } from '../../files/files.ts'
import { sendTable } from '../../http/send-table.ts'
import type { Sending } from '../../http/sending.ts'
import type { StepsCall } from '../../http/serve.ts'
import { serveTenant, serveTenantInSteps } from '../../http/serve.ts'
import { oneOfFew } from '../../lists/export.ts'
import { zoneOf } from '../../lists/read.ts'
import { expectSheets } from '../inspection/archive.ts'
import type { Wanted } from './store.ts'
import {
  addSchedule,
  changeSchedule,
  deleteRun,
  deleteSchedule,
  expectReport,
  ownRun,
  ownRuns,
  ownSchedules,
  reportTags,
  startRun,
} from './store.ts'
import { reportPieces, reportTable } from './table.ts'
import { openReport, prepareReport } from './write.ts'

export function reportRoutes(app: FastifyInstance): void {
  serveTenant(app, getReports, async ({ tx, actor }) => {
    const tags = await reportTags(tx)
    return {
      reports: offeredReports(actor).map((reportType) => {
        const { label, description, isMonthly, isSchedulable, preview } = reports[reportType]
        return { reportType, label, description, isMonthly, isSchedulable, preview: [...preview] }
      }),
      tags: tags.map(({ id, name }) => ({ id, name, isOwn: actor.tags.includes(id) })),
      today: dayAt(Date.now(), await zoneOf(tx)),
    }
  })

  serveTenantInSteps(app, getMonthlyReport, (call) => {
    const { reportType, year, month } = call.params
    return answer(call, { reportType, month: { year, month }, tagIds: call.query.tag, format: call.query.format })
  })

  serveTenantInSteps(app, getReport, (call) =>
    answer(call, { reportType: call.body.reportType, month: null, tagIds: [], format: 'xlsx' }),
  )

  serveTenant(app, startReport, async ({ tx, actor, body }) => {
    const now = new Date()
    await expectReport(tx, actor, body, now)
    return startRun(tx, actor, body, now)
  })

  serveTenant(app, startInspectionSheets, async ({ tx, actor, body: { tenant: _, ...sheets } }) => {
    if (!can(actor, 'see lighting')) throw refuse('forbidden')
    const now = new Date()
    await expectSheets(tx, actor, sheets, now)
    const { runId } = await startRun(
      tx,
      actor,
      { reportType: sheetsRun, month: null, tagIds: [], format: 'zip', sheets },
      now,
    )
    return { runId }
  })

  serveTenant(app, getReportRuns, async ({ tx, actor }) => ({ runs: await ownRuns(tx, actor) }))

  serveTenant(app, getReportFile, async ({ tx, context, actor, params: { runId } }) => {
    const run = await ownRun(tx, actor, runId)
    if (!run.file_id || !run.file_name) throw refuse('not found')
    if (!run.reader || !isSameReader(run.reader, readerOf(actor)) || !mayGenerate(actor, run.report_type))
      throw refuse('forbidden', 'Your access rights have changed since this report was created. Create it again.')
    return sendFile({ tx, context }, run.file_id, { name: run.file_name })
  })

  serveTenant(app, deleteReportRun, ({ tx, actor, params }) => deleteRun(tx, actor, params.runId))

  serveTenant(app, getReportSchedules, async ({ tx, actor }) => ({ schedules: await ownSchedules(tx, actor) }))

  const expectSchedule = async (
    { tx, actor, body }: { tx: TenantTx; actor: Actor; body: Omit<Wanted, 'month'> & { reportType: ReportType } },
    now: Date,
  ) => {
    const { isSchedulable, isMonthly } = reports[body.reportType]
    if (!isSchedulable)
      throw refuse('invalid', 'Only monthly reports can be scheduled.', [
        { field: 'reportType', message: 'Only monthly reports can be scheduled.' },
      ])
    // Any month is valid here, so the current one is used.
    const month = isMonthly ? monthOf(dayAt(+now, await zoneOf(tx))) : null
    await expectReport(tx, actor, { ...body, month }, now)
  }

  serveTenant(app, addReportSchedule, async (caller) => {
    const now = new Date()
    await expectSchedule(caller, now)
    return addSchedule(caller.tx, caller.actor, caller.body, now)
  })

  serveTenant(app, updateReportSchedule, async (caller) => {
    const now = new Date()
    await expectSchedule(caller, now)
    return changeSchedule(caller.tx, caller.actor, caller.params.scheduleId, caller.body, now)
  })

  serveTenant(app, deleteReportSchedule, ({ tx, actor, params }) => deleteSchedule(tx, actor, params.scheduleId))
}

/** The file itself, written while the caller reads it. */
async function answer<T extends Route>({ reply, inTx }: StepsCall<T>, wanted: Wanted): Promise<Sending> {
  const now = new Date()
  await inTx(({ tx, actor, person }) => oneOfFew(tx, person.id, () => prepareReport(tx, actor, wanted, now)))
  return inTx(({ tx, actor, person }) =>
    oneOfFew(tx, person.id, async () => {
      const { about, file, rows } = await openReport(tx, { actor, person, wanted, now })
      return sendTable(reply, file, reportTable(about, wanted.format), reportPieces(about, rows))
    }),
  )
}
