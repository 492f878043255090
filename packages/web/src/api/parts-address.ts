import { defaultStringifySearch } from '@tanstack/react-router'
import { listings } from '@caretaker/rules/devices/list.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'

/** The filters for the lights that the parts list shows by default. */
export const failedLights = listings.EmergencyLights.presets.find(({ id }) => id === 'failed')!.filters

/** The address of the parts list for lights that match filters: failed ones, unless a status is set. */
export function partsAddress(
  tenant: string,
  { filters = [], search = '' }: { filters?: readonly Filter[]; search?: string } = {},
): string {
  const wanted = filters.some(({ fieldId }) => fieldId === 'status') ? filters : [...failedLights, ...filters]
  return (
    pathTo(tenant, 'EmergencyLights', 'Parts') +
    defaultStringifySearch({
      filters: filters.length > 0 ? wanted : undefined,
      search: search || undefined,
    })
  )
}
