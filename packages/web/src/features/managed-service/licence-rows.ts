import type { LicenceBatch, ManagedServiceType } from '@caretaker/rules/properties/licences.ts'
import { isExpiring, licenceEnd, managedServiceTypes, unassigned } from '@caretaker/rules/properties/licences.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'

/** A row of the licence summary: the assigned or the free licences of a batch. */
export interface LicenceRow {
  id: string
  type: string
  state: 'Assigned' | 'Unassigned'
  count: number
  start: Day
  /** In months. */
  period: number
  end: Day
  /** Whether the address highlights it. */
  isMarked: boolean
}

/** The part of the managed service that an address highlights, if any. */
export function typeIn(value: unknown): ManagedServiceType | undefined {
  return managedServiceTypes.find((type) => type === value)
}

/** Two rows per batch; for expiring licences, only batches that end within 12 months (devices gaps B27). */
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
