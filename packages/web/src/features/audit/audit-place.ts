import { auditPageSize, mostAuditCounted } from '@caretaker/contract/calls/audit.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { auditActions } from '@caretaker/rules/audit/audit.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { endOfDay, isDay, startOfDay } from '@caretaker/rules/calendar/days.ts'

/** The parameters of the audit in the address; defaults are left out. */
export interface AuditSearch {
  page?: number
  user?: string
  action?: AuditAction
  subject?: string
  from?: Day
  to?: Day
  /** The open entry. */
  entry?: string
}

const words = (value: unknown, length: number) =>
  ['string', 'number'].includes(typeof value) ? String(value).slice(0, length) : ''

/** The known parameters of an address. */
export function validAuditSearch(search: Record<string, unknown>): AuditSearch {
  const page = Number(search['page'])
  const action = auditActions.find((one) => one === search['action'])
  const [user, subject, entry] = [words(search['user'], 100), words(search['subject'], 200), words(search['entry'], 64)]
  const { from, to } = search
  return {
    ...(Number.isInteger(page) && page > 1 && page <= mostAuditCounted / auditPageSize ? { page } : {}),
    ...(user ? { user } : {}),
    ...(action ? { action } : {}),
    ...(subject ? { subject } : {}),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
    ...(entry ? { entry } : {}),
  }
}

/** The same with no day later than today, because the call rejects future days. */
export function untilToday({ from, to, ...rest }: AuditSearch, today: Day): AuditSearch {
  const past = (day: Day) => (day > today ? today : day)
  return { ...rest, ...(from ? { from: past(from) } : {}), ...(to ? { to: past(to) } : {}) }
}

/** The query of the call: days become instants, including the whole end day. */
export function auditQueryOf({ page = 1, user, action, subject, from, to }: AuditSearch, zone: string) {
  const instant = (at: number) => new Date(at).toISOString()
  return {
    page,
    ...(user ? { user } : {}),
    ...(action ? { action } : {}),
    ...(subject ? { subject } : {}),
    ...(from ? { from: instant(startOfDay(from, zone)) } : {}),
    // The call expects an exclusive end.
    ...(to ? { to: instant(endOfDay(to, zone) + 1) } : {}),
  }
}

/** Whether a filter is set. */
export function isNarrowed({ user, action, subject, from, to }: AuditSearch): boolean {
  return Boolean(user || action || subject || from || to)
}
