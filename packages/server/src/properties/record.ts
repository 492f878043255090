import type { PropertyEvent } from '../projections/events/properties.ts'
import { record } from '../projections/record.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** Records an event of the same type for each property. */
export function recordEach(tx: TenantTx, type: PropertyEvent['type'], propertyIds: readonly string[]): void {
  record(
    tx,
    propertyIds.map((propertyId) => ({ type, propertyId })),
  )
}
