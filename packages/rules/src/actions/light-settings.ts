import type { Day } from '../calendar/days.ts'
import { isDay } from '../calendar/days.ts'
import type { SettableKind } from '../conditions/conditions.ts'
import type { BulkAction } from './actions.ts'

/** Bulk actions on emergency lights, except tags. */
export const lightActions = [
  'move lights',
  'set luminaire',
  'set battery day',
  'set status',
  'add to group',
] as const satisfies BulkAction[]
export type LightAction = (typeof lightActions)[number]

export const isLightAction = (action: BulkAction): action is LightAction =>
  (lightActions as readonly BulkAction[]).includes(action)

/** The values of these actions; each action uses its own fields. */
export interface LightSettings {
  buildingId?: string | undefined
  floorId?: string | null | undefined
  luminaireId?: string | undefined
  batteryDay?: Day | undefined
  condition?: SettableKind | undefined
  reason?: string | undefined
  /** The last day on which the status applies. */
  until?: Day | undefined
  groupId?: string | undefined
}

/** Statuses that a user can set on lights. Lights are never disabled for non-payment. */
export const lightConditions = [
  'maintenance',
  'equipmentBroken',
  'deviceBroken',
  'disabledOther',
] as const satisfies readonly SettableKind[]

const takes: Record<LightAction, { needs: (keyof LightSettings)[]; may: (keyof LightSettings)[]; missing: string }> = {
  'move lights': { needs: ['buildingId'], may: ['floorId'], missing: 'Choose a building.' },
  'set luminaire': { needs: ['luminaireId'], may: [], missing: 'Choose a standard luminaire.' },
  'set battery day': { needs: ['batteryDay'], may: [], missing: 'Enter the date on which the batteries were fitted.' },
  'set status': { needs: ['condition', 'reason'], may: ['until'], missing: 'Choose a status and enter a reason.' },
  'add to group': { needs: ['groupId'], may: [], missing: 'Choose a group.' },
}

/**
 * The validation error of an action's values, by field; undefined if there is none. `today` is the date in the client's
 * time zone.
 */
export function settingsFault(
  action: BulkAction,
  settings: LightSettings,
  today: Day,
): { field: keyof LightSettings; message: string } | undefined {
  const given = (Object.keys(settings) as (keyof LightSettings)[]).filter((field) => settings[field] !== undefined)
  const { needs, may, missing } = isLightAction(action) ? takes[action] : { needs: [], may: [], missing: '' }
  const lacks = needs.find((field) => !settings[field])
  if (lacks) return { field: lacks, message: missing }
  const other = given.find((field) => !needs.includes(field) && !may.includes(field))
  if (other) return { field: other, message: 'This action does not use this field.' }
  for (const field of ['batteryDay', 'until'] as const)
    if (settings[field] && !isDay(settings[field])) return { field, message: 'Enter a date as DD/MM/YYYY' }
  if (settings.batteryDay && settings.batteryDay > today)
    return { field: 'batteryDay', message: 'The date cannot be in the future.' }
  if (settings.until && settings.until < today) return { field: 'until', message: 'The date cannot be in the past.' }
  if (settings.condition === 'disabledOther' && !settings.until)
    return { field: 'until', message: 'Enter the last day on which the lights are disabled.' }
  if (settings.condition && !(lightConditions as readonly SettableKind[]).includes(settings.condition))
    return { field: 'condition', message: 'Lights cannot have this status.' }
  return undefined
}
