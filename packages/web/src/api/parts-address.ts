import { defaultStringifySearch } from '@tanstack/react-router'
import { listings } from '@caretaker/rules/devices/list.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'

/** The lights of which the list of parts tells unless it is asked for others. */
export const failedLights = listings.EmergencyLights.presets.find(({ id }) => id === 'failed')!.filters

/** The address of the list of parts, of lights that meet some filters of their listing: those that have failed, unless a status is asked for. */
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
