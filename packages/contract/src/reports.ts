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

/** Ids of access rights tags; a query has one, or several under the same name. */
const Tags = z
  .union([Id, z.array(Id).max(200)])
  .transform((tags) => [tags].flat())
  .default([])

const Year = z.number().int().min(1).max(9999)
const MonthNumber = z.number().int().min(1).max(12)

/** One report as it is offered. */
export const OfferedReport = z.object({
  reportType: ReportType,
  label: z.string(),
  description: z.string(),
  /** Of a month, to be chosen with tags. */
  isMonthly: z.boolean(),
  /** Whether it can be sent each month. */
  isSchedulable: z.boolean(),
  /** Some of its columns. */
  preview: z.array(z.string()),
})

export const getReports = route({
  ...calls.getReports,
  summary:
    'The reports that the person may have, the tags that they can be narrowed to, and which of these are the own.',
  params: inTenant,
  reply: z.object({
    reports: z.array(OfferedReport),
    tags: z.array(z.object({ id: z.string(), name: z.string(), isOwn: z.boolean() })),
    /** By the clocks of the client, YYYY-MM-DD: which months are over depends on it. */
    today: z.string(),
  }),
})

export const getMonthlyReport = route({
  ...calls.getMonthlyReport,
  summary:
    'A monthly report as an Excel workbook, or as CSV: January is month 1. Its figures are those of the last day of the month; of the running month they are those so far. With tags it covers what carries one of them.',
  params: z.object({ tenant: TenantId, reportType: ReportType, year: number(9999), month: number(12) }),
  query: z.strictObject({ tag: Tags, format: Format.default('xlsx') }),
})

export const getReport = route({
  ...calls.getReport,
  summary: 'A report that is of no month, as an Excel workbook.',
  params: inTenant,
  body: z.strictObject({ reportType: ReportType }),
})

export const ReportRun = z
  .object({
    runId: z.string(),
    reportType: z.enum(runTypes),
    /** Null where the report is of no month. */
    month: z.object({ year: Year, month: MonthNumber }).nullable(),
    /** Names of the tags that it was narrowed to. */
    tags: z.array(z.string()),
    format: z.enum(runFormats),
    state: z.enum(reportRunStates),
    /** Rows that are written so far, or in the end; of inspector's sheets, buildings. */
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
    /** Whether one of the person's schedules asked for it. */
    isScheduled: z.boolean(),
  })
  .meta({ id: 'ReportRun' })
export type ReportRun = z.infer<typeof ReportRun>

const OneRun = z.object({ tenant: TenantId, runId: Id })

const Wanted = z.object({
  reportType: ReportType,
  /** Only, and always, of a monthly report. */
  month: z.strictObject({ year: Year, month: MonthNumber }).nullable(),
  tagIds: z.array(Id).max(200).default([]),
  format: Format.default('xlsx'),
})

export const startReport = route({
  ...calls.startReport,
  internal: true,
  summary: 'Has a report written; it goes on when nobody waits for it, and after a restart.',
  status: 202,
  params: inTenant,
  body: z.strictObject(Wanted.shape),
  reply: ReportRun,
})

export const getReportRuns = route({
  ...calls.getReportRuns,
  internal: true,
  summary: "The person's own reports of the last 90 days, the newest first.",
  params: inTenant,
  reply: z.object({ runs: z.array(ReportRun) }),
})

export const getReportFile = route({
  ...calls.getReportFile,
  internal: true,
  summary: "The file of one of the person's own reports, once it is written.",
  params: OneRun,
})

export const deleteReportRun = route({
  ...calls.deleteReportRun,
  internal: true,
  summary: "Deletes one of the person's own reports, with its file.",
  status: 204,
  params: OneRun,
})

export const ReportSchedule = z
  .object({
    scheduleId: z.string(),
    reportType: ReportType,
    tags: z.array(z.object({ id: z.string(), name: z.string() })),
    format: Format,
    /** Of the month, and at which hour, by the clocks of the client. */
    day: z.number().int().min(1).max(28),
    hour: z.number().int().min(0).max(23),
    /** Other members who get the report, each of what they may see. */
    recipients: z.array(z.object({ id: z.string(), name: z.string() })),
    nextAt: Timestamp,
    /** When it sent a report the last time. */
    lastAt: Timestamp.nullable(),
  })
  .meta({ id: 'ReportSchedule' })
export type ReportSchedule = z.infer<typeof ReportSchedule>

export const getReportSchedules = route({
  ...calls.getReportSchedules,
  internal: true,
  summary: "The person's own schedules: reports of the month before that come by mail each month.",
  params: inTenant,
  reply: z.object({ schedules: z.array(ReportSchedule) }),
})

const NewSchedule = z.strictObject({
  reportType: ReportType,
  tagIds: z.array(Id).max(200).default([]),
  format: Format.default('xlsx'),
  day: z.number().int().min(1).max(28),
  hour: z.number().int().min(0).max(23),
  /** Other members who receive the report; naming them requires the right to see users. */
  recipientIds: z.array(Id).max(20).default([]),
})

export const addReportSchedule = route({
  ...calls.addReportSchedule,
  internal: true,
  summary: 'Sends the person a monthly report by mail each month, by the clocks of the client.',
  status: 201,
  params: inTenant,
  body: NewSchedule,
  reply: ReportSchedule,
})

export const updateReportSchedule = route({
  ...calls.updateReportSchedule,
  internal: true,
  summary: "Changes one of the person's own schedules: its report, time, file, tags and recipients.",
  params: z.object({ tenant: TenantId, scheduleId: Id }),
  body: NewSchedule,
  reply: ReportSchedule,
})

export const deleteReportSchedule = route({
  ...calls.deleteReportSchedule,
  internal: true,
  summary: "Deletes one of the person's own schedules.",
  status: 204,
  params: z.object({ tenant: TenantId, scheduleId: Id }),
})
