import type { Actor } from '../identity/actor.ts'
import { can } from '../rights/can.ts'
import type { BulkAction } from './actions.ts'
import { bulkActionLabels, bulkActions, mayDoInBulk } from './actions.ts'

/** What can be done with many homes at once, in the order of the bar. */
export const homeActions = [
  'archive properties',
  'set access rights tag of properties',
  'remove access rights tag of properties',
] as const
export type HomeAction = (typeof homeActions)[number]

/** What a bulk action is done to. */
export const bulkSubjects = ['device', 'property'] as const
export type BulkSubjectName = (typeof bulkSubjects)[number]

/** Everything that a bulk action can do, to whatever subject. */
export const runActions = [...bulkActions, ...homeActions] as const
export type RunAction = BulkAction | HomeAction

export const isHomeAction = (action: RunAction): action is HomeAction => homeActions.some((one) => one === action)

export const runActionLabels: Record<RunAction, string> = {
  ...bulkActionLabels,
  'archive properties': 'Archive',
  'set access rights tag of properties': 'Set access rights tag',
  'remove access rights tag of properties': 'Remove access rights tag',
}

/** Most characters of the reason for which homes are archived. */
export const longestArchiveReason = 200
/** Changes of more homes than this are not undone in one go: each is written by itself. */
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

/** Whether the actor may do it to any homes at all; the server asks before it starts, and again while it runs. */
export const mayDoToHomes = (actor: Actor, action: HomeAction): boolean => can(actor, rightTo[action])

/** Whether the actor is offered anything to do with many homes. */
export const selectsHomes = (actor: Actor): boolean => homeActions.some((action) => mayDoToHomes(actor, action))

/** What selected homes come to. */
export interface SelectedHomes {
  total: number
  /** Homes with devices: they cannot be archived. */
  occupied: number
  /** Homes without devices that have an open case of Awaab's Law: they cannot be archived either. */
  openCases: number
  /** Devices in them that the actor may change. */
  devices: number
}

export interface HomeOffer {
  action: HomeAction | 'add tags' | 'remove tags'
  /** How many of the homes, or of the devices in them for tags, it is done to. */
  suitable: number
  /** Why it cannot be done with this selection; undefined when it can. */
  reason?: string
}

/** What the actor is offered with selected homes, each with the reason when the selection does not allow it. Tags are those of devices. */
export function offeredHomeActions(actor: Actor, { total, occupied, openCases, devices }: SelectedHomes): HomeOffer[] {
  const tags = (['add tags', 'remove tags'] as const).filter((action) => mayDoInBulk(actor, action))
  return [
    ...tags.map((action) => ({
      action,
      suitable: devices,
      ...(devices === 0 && { reason: 'The selected properties have no devices that you may tag' }),
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
        const reasons = [
          ...selectedWith(occupied, 'devices'),
          ...selectedWith(openCases, "an open case of Awaab's Law"),
        ]
        return { action, suitable: total - left, reason: reasons.join('; ') }
      }),
  ]
}
