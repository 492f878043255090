import type { LicenceBatch, ManagedServiceType } from '@caretaker/rules/properties/licences.ts'
import { isExpiring, licenceEnd, managedServiceTypes, unassigned } from '@caretaker/rules/properties/licences.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'

/** A line of the licence summary: of each batch of licences those that are given to a home, and those that are not. */
export interface LicenceRow {
  id: string
  type: string
  state: 'Assigned' | 'Unassigned'
  count: number
  start: Day
  /** Months. */
  period: number
  end: Day
  /** Whether the address points it out. */
  isMarked: boolean
}

/** The part of the managed service that an address points out, if it names one. */
export function typeIn(value: unknown): ManagedServiceType | undefined {
  return managedServiceTypes.find((type) => type === value)
}

/** Two rows a batch; asked for what expires, only the batches that end within 12 months (devices gaps B27). */
export function licenceRows(
  batches: readonly (LicenceBatch & { type: string })[],
  pointedOut: ManagedServiceType | undefined,
  today: Day,
): LicenceRow[] {
  const shown = pointedOut === 'expiring' ? batches.filter((batch) => isExpiring(batch, today)) : batches
  return shown.flatMap((batch) =>
    (['Assigned', 'Unassigned'] as const).map((state) => ({
      id: `${batch.type} ${batch.start} ${batch.period} ${state}`,
      type: batch.type,
      state,
      count: state === 'Assigned' ? batch.assigned : unassigned(batch),
      start: batch.start,
      period: batch.period,
      end: licenceEnd(batch),
      isMarked: pointedOut !== undefined && (pointedOut === 'available') === (state === 'Unassigned'),
    })),
  )
}
