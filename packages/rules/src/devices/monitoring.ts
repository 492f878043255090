import type { Filter } from '../lists/filters.ts'
import { statusCategories } from './status.ts'

/** The heating that a BCM monitors; None is a surveyor cube (devices specification, section 3). */
export const monitorings = ['Boiler', 'HeatPump', 'None', 'Unknown'] as const
export type Monitoring = (typeof monitorings)[number]
export const monitoringWords: Record<Monitoring, string> = {
  Boiler: 'Boiler',
  HeatPump: 'Heat pump',
  None: 'Surveyor cube',
  Unknown: 'Unknown',
}

/** The reported monitoring of a device; null if not reported or unknown. */
export const monitoringIn = (value: unknown): Monitoring | null => monitorings.find((one) => one === value) ?? null

/** The kinds of heating in the filter of the Bcms page (devices gaps B25). */
export const bcmTypes = ['BCM', 'ASHP', 'SurveyorCube', 'Boiler'] as const
export type BcmType = (typeof bcmTypes)[number]
/** Their labels in the heating-type menu. */
export const bcmTypeLabels: Record<BcmType, string> = {
  BCM: 'BCMs',
  ASHP: 'Air Source Heat Pumps',
  Boiler: 'Boilers',
  SurveyorCube: 'Surveyor Cubes',
}

/** The filter in the URL of the Bcms page. */
export interface BcmFilter {
  type: BcmType
  options?: { statuses?: readonly string[]; statusCategory?: keyof typeof statusCategories }
}

const monitoringOf: Record<Exclude<BcmType, 'BCM'>, Monitoring> = {
  ASHP: 'HeatPump',
  SurveyorCube: 'None',
  Boiler: 'Boiler',
}

/** Parses the filter from a JSON query parameter; invalid values select all BCMs. */
export function bcmFilterIn(text: unknown): BcmFilter {
  const given = parsed(text)
  const wanted = typeof given['type'] === 'string' ? given['type'].replaceAll(/\s/g, '').toLowerCase() : ''
  const type = bcmTypes.find((one) => one.toLowerCase() === wanted)
  if (!type) return { type: 'BCM' }
  const options = (given['options'] ?? {}) as Record<string, unknown>
  const statuses = Array.isArray(options['statuses'])
    ? options['statuses'].filter((one): one is string => typeof one === 'string').slice(0, 50)
    : []
  const category = (Object.keys(statusCategories) as (keyof typeof statusCategories)[]).find(
    (one) => one === options['statusCategory'],
  )
  return {
    type,
    ...(statuses.length || category
      ? { options: { ...(statuses.length ? { statuses } : {}), ...(category ? { statusCategory: category } : {}) } }
      : {}),
  }
}

function parsed(text: unknown): Record<string, unknown> {
  if (typeof text === 'object' && text !== null && !Array.isArray(text)) return text as Record<string, unknown>
  if (typeof text !== 'string') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

/** The filter as conditions on rows. */
export function conditionsOf({ type, options }: BcmFilter): Filter[] {
  const conditions: Filter[] = []
  if (type !== 'BCM') conditions.push({ fieldId: 'monitoring', filterOp: 'equals', value: monitoringOf[type] })
  if (options?.statuses?.length) conditions.push({ fieldId: 'status', filterOp: 'anyof', value: [...options.statuses] })
  if (options?.statusCategory)
    conditions.push({ fieldId: 'status', filterOp: 'anyof', value: [...statusCategories[options.statusCategory]] })
  return conditions
}
