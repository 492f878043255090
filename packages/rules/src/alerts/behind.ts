import type { Filter } from '../lists/filters.ts'
import type { ScopeNames } from './scope.ts'

/** The listing of devices connected through gateways: lights. Other devices are shown on the page of their property. */
export const listingOfConnected = 'EmergencyLights'

/**
 * The filters for devices affected by silent gateways: all devices connected through them, in the buildings and with
 * the tags of the rule, whatever their status.
 */
export const filtersOfConnected = ({ tags, buildings }: ScopeNames, serials: readonly string[]): Filter[] => [
  ...anyOf('tags', tags),
  ...anyOf('building', buildings),
  { fieldId: 'gateway', filterOp: 'anyof', value: [...serials] },
]

const anyOf = (fieldId: 'tags' | 'building', names: readonly string[]): Filter[] => {
  if (!names.length) return []
  return [
    names.length === 1
      ? { fieldId, filterOp: 'equals', value: names[0]! }
      : { fieldId, filterOp: 'anyof', value: [...names] },
  ]
}
