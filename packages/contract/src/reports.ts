import { z } from 'zod'
import { reportFormats, reportRunStates, reportTypes, runFormats, runTypes } from '@caretaker/rules/reports/kinds.ts'
import { route } from './route.ts'
import { Id, inTenant, TenantId, Timestamp } from './scalars.ts'
import * as calls from './calls/reports.ts'

const ReportType = z.enum(reportTypes)
const Format = z.enum(reportFormats)
const number = (most: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().int().min(1).max(most))

/** Ids of access rights tags. A query can repeat the parameter. */
const Tags = z
  .union([Id, z.array(Id).max(200)])
  .transform((tags) => [tags].flat())
  .default([])

const Year = z.number().int().min(1).max(9999)
const MonthNumber = z.number().int().min(1).max(12)

/** A report that the user can choose. */
export const OfferedReport = z.object({
  reportType: ReportType,
  label: z.string(),
  description: z.string(),
  /** Whether it covers a month and can be narrowed by tags. */
  isMonthly: z.boolean(),
  /** Whether it can be scheduled monthly. */
  isSchedulable: z.boolean(),
  /** Some of its column headings. */
  preview: z.array(z.string()),
})

export const getReports = route({
  ...calls.getReports,
  summary:
    "The reports that the user can create, the tags by which they can be filtered, and which of these tags are the user's own.",
  params: inTenant,
  reply: z.object({
    reports: z.array(OfferedReport),
    tags: z.array(z.object({ id: z.string(), name: z.string(), isOwn: z.boolean() })),
    /** YYYY-MM-DD in the time zone of the client; determines which months are complete. */
    today: z.string(),
  }),
})

export const getMonthlyReport = route({
  ...calls.getMonthlyReport,
  looksAt: { of: 'home', as: 'file', name: 'Monthly report' },
  summary:
    'A monthly report as an Excel workbook or CSV; January is month 1. Its figures are those at the end of the month, or the current ones for the current month. With tags, it covers the items with at least one of them.',
  params: z.object({ tenant: TenantId, reportType: ReportType, year: number(9999), month: number(12) }),
  query: z.strictObject({ tag: Tags, format: Format.default('xlsx') }),
})

export const getReport = route({
  ...calls.getReport,
  looksAt: { of: 'home', as: 'file', name: 'Monthly report' },
  summary: 'A report that does not depend on a month, as an Excel workbook.',
  params: inTenant,
  body: z.strictObject({ reportType: ReportType }),
})

export const ReportRun = z
  .object({
    runId: z.string(),
    reportType: z.enum(runTypes),
    /** Null for a report that does not depend on a month. */
    month: z.object({ year: Year, month: MonthNumber }).nullable(),
    /** The names of the tags that narrow it. */
    tags: z.array(z.string()),
    format: z.enum(runFormats),
    state: z.enum(reportRunStates),
    /** Rows written so far, or in total; for inspector's sheets, buildings. */
    rows: z.number().int(),
    /** Why it failed. */
    fault: z.string().nullable(),
    fileName: z.string().nullable(),
    /** In bytes. */
    size: z.number().int().nullable(),
    askedAt: Timestamp,
    finishedAt: Timestamp.nullable(),
    /** When the file is deleted. */
    keptUntil: Timestamp,
    /** Whether one of the user's schedules started it. */
    isScheduled: z.boolean(),
  })
  .meta({ id: 'ReportRun' })
export type ReportRun = z.infer<typeof ReportRun>

const OneRun = z.object({ tenant: TenantId, runId: Id })

const ReportRequest = z.object({
  reportType: ReportType,
  /** Required for a monthly report; otherwise null. */
  month: z.strictObject({ year: Year, month: MonthNumber }).nullable(),
  tagIds: z.array(Id).max(200).default([]),
  format: Format.default('xlsx'),
})

export const startReport = route({
  ...calls.startReport,
  internal: true,
  summary: 'Starts writing a report in the background. It continues after a restart.',
  status: 202,
  params: inTenant,
  body: z.strictObject(ReportRequest.shape),
  reply: ReportRun,
})

export const getReportRuns = route({
  ...calls.getReportRuns,
  internal: true,
  summary: "The user's own reports of the last 90 days, newest first.",
  params: inTenant,
  reply: z.object({ runs: z.array(ReportRun) }),
})

export const getReportFile = route({
  ...calls.getReportFile,
  recentSignIn: true,
  looksAt: { of: 'home', as: 'file', name: 'Report' },
  internal: true,
  summary: "The file of one of the user's own reports, once it is written.",
  params: OneRun,
})

export const deleteReportRun = route({
  ...calls.deleteReportRun,
  internal: true,
  summary: "Deletes one of the user's own reports and its file.",
  status: 204,
  params: OneRun,
})

export const ReportSchedule = z
  .object({
    scheduleId: z.string(),
    reportType: ReportType,
    tags: z.array(z.object({ id: z.string(), name: z.string() })),
    format: Format,
    /** Day of the month and hour, in the time zone of the client. */
    day: z.number().int().min(1).max(28),
    hour: z.number().int().min(0).max(23),
    /** Other users who receive the report, each limited to what they may see. */
    recipients: z.array(z.object({ id: z.string(), name: z.string() })),
    nextAt: Timestamp,
    /** When it last sent a report. */
    lastAt: Timestamp.nullable(),
  })
  .meta({ id: 'ReportSchedule' })
export type ReportSchedule = z.infer<typeof ReportSchedule>

export const getReportSchedules = route({
  ...calls.getReportSchedules,
  internal: true,
  summary: "The user's own schedules, which e-mail a report of the previous month each month.",
  params: inTenant,
  reply: z.object({ schedules: z.array(ReportSchedule) }),
})

const NewSchedule = z.strictObject({
  reportType: ReportType,
  tagIds: z.array(Id).max(200).default([]),
  format: Format.default('xlsx'),
  day: z.number().int().min(1).max(28),
  hour: z.number().int().min(0).max(23),
  /** Other users who receive the report; this requires the right to see users. */
  recipientIds: z.array(Id).max(20).default([]),
})

export const addReportSchedule = route({
  ...calls.addReportSchedule,
  internal: true,
  summary: "Schedules a monthly report that is e-mailed to the user, at a time in the client's time zone.",
  status: 201,
  params: inTenant,
  body: NewSchedule,
  reply: ReportSchedule,
})

export const updateReportSchedule = route({
  ...calls.updateReportSchedule,
  internal: true,
  summary: "Changes the report, time, format, tags and recipients of one of the user's own schedules.",
  params: z.object({ tenant: TenantId, scheduleId: Id }),
  body: NewSchedule,
  reply: ReportSchedule,
})

export const deleteReportSchedule = route({
  ...calls.deleteReportSchedule,
  internal: true,
  summary: "Deletes one of the user's own schedules.",
  status: 204,
  params: z.object({ tenant: TenantId, scheduleId: Id }),
})
