import type { Day } from '../calendar/days.ts'

/** A licence that ends within this many months counts as expiring (devices specification, section 9). */
export const expiryWindow = 12

/** The day `months` later; in a shorter month, its last day. */
export function monthsAfter(day: Day, months: number): Day {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  const lastOfMonth = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, lastOfMonth))).toISOString().slice(0, 10)
}

/** Licences bought together: their number, and how many are assigned to properties. */
export interface LicenceBatch {
  assigned: number
  total: number
  /** The first day of validity. */
  start: Day
  /** Months. */
  period: number
}

export const licenceEnd = ({ start, period }: Pick<LicenceBatch, 'start' | 'period'>): Day => monthsAfter(start, period)

/** The end day itself is no longer covered. */
export const isOver = (batch: Pick<LicenceBatch, 'start' | 'period'>, today: Day): boolean => licenceEnd(batch) <= today

export const isExpiring = (batch: Pick<LicenceBatch, 'start' | 'period'>, today: Day): boolean =>
  !isOver(batch, today) && licenceEnd(batch) < monthsAfter(today, expiryWindow)

export const unassigned = ({ assigned, total }: { assigned: number; total: number }): number => total - assigned

export interface ManagedServices {
  assigned: number
  available: number
  /** The number among the assigned ones. */
  expiringInUnder12Months: number
  total: number
}

/** The figures of the managed service; expired licences do not count. */
export function managedServices(batches: readonly LicenceBatch[], today: Day): ManagedServices {
  const held = batches.filter((batch) => !isOver(batch, today))
  const sum = (of: readonly LicenceBatch[], count: (batch: LicenceBatch) => number) =>
    of.reduce((result, batch) => result + count(batch), 0)
  return {
    assigned: sum(held, ({ assigned }) => assigned),
    available: sum(held, unassigned),
    expiringInUnder12Months: sum(
      held.filter((batch) => isExpiring(batch, today)),
      ({ assigned }) => assigned,
    ),
    total: sum(held, ({ total }) => total),
  }
}

/** Segments of the managed services bar are drawn above this percentage (devices specification, section 9). */
export const narrowestSegment = 2

/**
 * The segments of the bar, in order: assigned and not expiring, expiring, available; without those that are too narrow.
 */
export function managedServiceSegments(figures: ManagedServices): { id: ManagedServiceType; count: number }[] {
  const { assigned, available, expiringInUnder12Months: expiring, total } = figures
  const parts = [
    { id: 'assigned', count: assigned - expiring },
    { id: 'expiring', count: expiring },
    { id: 'available', count: available },
  ] as const
  return parts.filter(({ count }) => total > 0 && (count / total) * 100 > narrowestSegment)
}

/** The values that the managed service page can highlight. */
export const managedServiceTypes = ['assigned', 'available', 'expiring'] as const
export type ManagedServiceType = (typeof managedServiceTypes)[number]
