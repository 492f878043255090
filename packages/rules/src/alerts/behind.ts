import type { Filter } from '../lists/filters.ts'
import type { ScopeNames } from './scope.ts'

/** The listing of what gateways take with them: lights. Where it is something of a home, its own page tells. */
export const listingBehind = 'EmergencyLights'

/** What of that listing is shown with gateways that fell silent: those behind them in the buildings and with the tags of the rule, however they are. */
export const filtersBehind = ({ tags, buildings }: ScopeNames, serials: readonly string[]): Filter[] => [
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
