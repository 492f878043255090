import { isVisible } from '../devices/visibility.ts'
import type { Product } from '../devices/products.ts'
import type { Actor } from '../identity/actor.ts'
import { hidesPersonalData } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { can } from '../rights/can.ts'
import type { ColumnOf } from './columns.ts'
import { complianceColumns, dampColumns, failedColumns, gasColumns, overviewColumns, warmthColumns } from './columns.ts'
import { lawColumns } from './law-columns.ts'

/** The available reports (estate specification, section 9). */
export const reportTypes = [
  'FailedEmeredReport',
  'EmeredComplianceReport',
  'Overview',
  'DampAndMould',
  'FuelPoverty',
  'GasSafety',
  'AwaabsLaw',
] as const
export type ReportType = (typeof reportTypes)[number]

/** Generated and stored like reports: inspector's sheets of several buildings, in one archive. */
export const sheetsRun = 'InspectionSheets'
export const runTypes = [...reportTypes, sheetsRun] as const
export type RunType = (typeof runTypes)[number]
export const isReportRun = (type: RunType): type is ReportType => type !== sheetsRun
export const runLabel = (type: RunType): string => (isReportRun(type) ? reports[type].label : 'Inspector’s sheets')

interface Kind {
  label: string
  description: string
  /** Covers a month and can be filtered by tags; others show the present and have no options. */
  isMonthly: boolean
  /** Can be scheduled monthly and filtered by tags: every monthly report, and some of the present. */
  isSchedulable: boolean
  /** Not offered in menus, but available on request. */
  isHidden: boolean
  /** The requester must be able to see one of these products; null for no condition. */
  products: readonly Product[] | null
  columns: readonly ColumnOf<never>[]
  /** Columns of the preview, and the coloured one. */
  preview: readonly string[]
}

const lights: readonly Product[] = ['EM', 'EL']
const boilers: readonly Product[] = ['BC', 'BX']

export const reports: Readonly<Record<ReportType, Kind>> = {
  Overview: {
    label: 'Overview',
    description: 'Every property with its devices, their status, tests and faults over the month.',
    ...{ isMonthly: true, isSchedulable: true, isHidden: false, products: null, columns: overviewColumns },
    preview: ['Property REF', 'Devices', 'Passed', 'Status'],
  },
  DampAndMould: {
    label: 'Damp and mould',
    description: 'Hours above 70 % humidity and below 16 °C, by room, with the worst week.',
    ...{ isMonthly: true, isSchedulable: true, isHidden: false, products: boilers, columns: dampColumns },
    preview: ['Property REF', 'Room', 'Hours', 'Risk'],
  },
  FuelPoverty: {
    label: 'Fuel poverty',
    description: 'Properties heated less than similar ones, with set point, hours and energy.',
    ...{ isMonthly: true, isSchedulable: true, isHidden: false, products: boilers, columns: warmthColumns },
    preview: ['Property REF', 'Mean °C', 'Hours', 'Gap'],
  },
  GasSafety: {
    label: 'Gas safety',
    description: 'Every property with its last gas check, the next due date, the state and the certificate.',
    ...{ isMonthly: false, isSchedulable: true, isHidden: false, products: boilers, columns: gasColumns },
    preview: ['Property REF', 'Next due', 'State', 'Certificate'],
  },
  AwaabsLaw: {
    label: "Awaab's Law",
    description: 'Every case of the month with its steps, deadlines and missed deadlines.',
    ...{ isMonthly: true, isSchedulable: true, isHidden: false, products: null, columns: lawColumns },
    preview: ['Property REF', 'Case', 'Due', 'State'],
  },
  FailedEmeredReport: {
    label: 'Failed emergency lights',
    description: 'Every light that has failed, with building, floor, reason, test and failed part.',
    ...{ isMonthly: false, isSchedulable: false, isHidden: false, products: lights, columns: failedColumns },
    preview: ['Serial', 'Building', 'Test', 'Part'],
  },
  EmeredComplianceReport: {
    label: 'Emergency lighting compliance',
    description: 'Every emergency light with its last monthly and yearly test.',
    ...{ isMonthly: false, isSchedulable: false, isHidden: true, products: lights, columns: complianceColumns },
    preview: [],
  },
}

export const isReportType = (text: string): text is ReportType => Object.hasOwn(reports, text)

/**
 * Whether the actor may request a report: its devices must be accessible to the role (estate specification, section 6).
 */
export function mayReport(actor: Actor, type: ReportType): boolean {
  const { products } = reports[type]
  if (type === 'AwaabsLaw' && !can(actor, 'see breach register')) return false
  return can(actor, 'see reports') && (!products || products.some((code) => isVisible(actor.role, code)))
}

/** The same for anything generated. */
export const mayGenerate = (actor: Actor, type: RunType): boolean =>
  isReportRun(type) ? mayReport(actor, type) : can(actor, 'see reports') && can(actor, 'see lighting')

/** The facts about a person that determine the content of their reports. */
export interface Reader {
  role: Role
  tags: readonly string[]
  seesProperties: boolean
  hidesPersonal: boolean
}

export const readerOf = (actor: Actor): Reader => ({
  role: actor.role,
  tags: actor.tags.toSorted(),
  seesProperties: can(actor, 'see properties'),
  hidesPersonal: hidesPersonalData(actor),
})

export const isSameReader = (a: Reader, b: Reader): boolean =>
  a.role === b.role &&
  a.tags.join() === b.tags.join() &&
  a.seesProperties === b.seesProperties &&
  a.hidesPersonal === b.hidesPersonal

/** The reports offered to the actor, in order. */
export const offeredReports = (actor: Actor): ReportType[] =>
  (Object.keys(reports) as ReportType[]).filter((type) => !reports[type].isHidden && mayReport(actor, type))

/**
 * The default access rights tag is not offered as a filter, since it identifies no part of the tenant (estate
 * specification, 2.6).
 */
export const isReportTag = (name: string) => name.toLowerCase() !== 'default'

/** Days for which a requested report is kept (decisions, 'My Reports'). */
export const reportKeptDays = 90

export const reportFormats = ['xlsx', 'csv'] as const
/** The formats of generated files: reports, or an archive of sheets. */
export const runFormats = [...reportFormats, 'zip'] as const
export type RunFormat = (typeof runFormats)[number]
export type ReportFormat = (typeof reportFormats)[number]

export const reportRunStates = ['waiting', 'running', 'done', 'failed'] as const
export type ReportRunState = (typeof reportRunStates)[number]
