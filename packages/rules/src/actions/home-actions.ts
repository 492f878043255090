import type { Actor } from '../identity/actor.ts'
import { can } from '../rights/can.ts'
import type { BulkAction } from './actions.ts'
import { bulkActionLabels, bulkActions, mayDoInBulk } from './actions.ts'

/** Bulk actions on properties, in the order of the action bar. */
export const homeActions = [
  'archive properties',
  'set access rights tag of properties',
  'remove access rights tag of properties',
] as const
export type HomeAction = (typeof homeActions)[number]

/** The kinds of things that a bulk action changes. */
export const bulkSubjects = ['device', 'property'] as const
export type BulkSubjectName = (typeof bulkSubjects)[number]

/** All bulk actions, on devices and on properties. */
export const runActions = [...bulkActions, ...homeActions] as const
export type RunAction = BulkAction | HomeAction

export const isHomeAction = (action: RunAction): action is HomeAction => homeActions.some((one) => one === action)

export const runActionLabels: Record<RunAction, string> = {
  ...bulkActionLabels,
  'archive properties': 'Archive',
  'set access rights tag of properties': 'Set access rights tag',
  'remove access rights tag of properties': 'Remove access rights tag',
}

/** Longest reason for archiving properties, in characters. */
export const longestArchiveReason = 200
/** Changes to more properties than this cannot be undone in one step: each is written separately. */
export const undoHomesLimit = 1000

const nouns: Record<BulkSubjectName, [one: string, many: string]> = {
  device: ['device', 'devices'],
  property: ['property', 'properties'],
}

/** '1 device', '1,204 properties'. */
export const countOf = (count: number, subject: BulkSubjectName): string =>
  `${count.toLocaleString('en-GB')} ${nouns[subject][count === 1 ? 0 : 1]}`

export const singularOf = (subject: BulkSubjectName): string => nouns[subject][0]
export const pluralOf = (subject: BulkSubjectName): string => nouns[subject][1]

const rightTo = {
  'archive properties': 'manage properties',
  'set access rights tag of properties': 'set access rights tag of property',
  'remove access rights tag of properties': 'set access rights tag of property',
} as const satisfies Record<HomeAction, Parameters<typeof can>[1]>

/**
 * Whether the actor may run the action on any property. The server checks it before the run starts and again while it
 * runs.
 */
export const mayDoToHomes = (actor: Actor, action: HomeAction): boolean => can(actor, rightTo[action])

/** Whether the actor is offered any bulk action on properties. */
export const selectsHomes = (actor: Actor): boolean => homeActions.some((action) => mayDoToHomes(actor, action))

/** Counts for a selection of properties. */
export interface SelectedHomes {
  total: number
  /** Properties with devices; these cannot be archived. */
  occupied: number
  /** Properties without devices that have an open Awaab's Law case; these cannot be archived either. */
  openCases: number
  /** Devices of these properties that the actor may change. */
  devices: number
}

export interface HomeOffer {
  action: HomeAction | 'add tags' | 'remove tags'
  /** How many properties the action applies to; for tags, how many devices in them. */
  suitable: number
  /** Why the action is not possible with this selection; undefined if it is. */
  reason?: string
}

/**
 * The bulk actions offered for selected properties, each with a reason where the selection does not allow it. Tags are
 * set on the devices of the properties.
 */
export function offeredHomeActions(actor: Actor, { total, occupied, openCases, devices }: SelectedHomes): HomeOffer[] {
  const tags = (['add tags', 'remove tags'] as const).filter((action) => mayDoInBulk(actor, action))
  return [
    ...tags.map((action) => ({
      action,
      suitable: devices,
      ...(devices === 0 && { reason: 'The selected properties have no devices that you can tag' }),
    })),
    ...homeActions
      .filter((action) => mayDoToHomes(actor, action))
      .map((action) => {
        const left = occupied + openCases
        if (action !== 'archive properties' || left === 0) return { action, suitable: total }
        const selectedWith = (count: number, what: string) =>
          count > 0
            ? [`${count.toLocaleString('en-GB')} selected ${count === 1 ? 'property has' : 'properties have'} ${what}`]
            : []
        const reasons = [...selectedWith(occupied, 'devices'), ...selectedWith(openCases, "an open Awaab's Law case")]
        return { action, suitable: total - left, reason: reasons.join('; ') }
      }),
  ]
}
