import type { Day } from '../calendar/days.ts'
import { dayAfter } from '../calendar/days.ts'
import { pressingStates } from '../compliance/due.ts'
import { reasonsOfKinds } from '../conditions/reason-choices.ts'
import { connectionStates } from '../devices/connection.ts'
import type { ListingName } from '../devices/list.ts'
import { lightsInNoGroup, listings, presetStatuses } from '../devices/list.ts'
import type { Actor } from '../identity/actor.ts'
import { hasFeature } from '../identity/actor.ts'
import type { Filter, Sort } from '../lists/filters.ts'
import type { HomeCaseName } from '../properties/attention.ts'
import { homeCases } from '../properties/attention.ts'
import { can } from '../rights/can.ts'
import { presetViewId } from '../views/view.ts'

/**
 * The cases that need attention, in dashboard order: worst first. Cases of properties are defined in
 * `properties/attention.ts`.
 */
export const workCases = [
  'legal deadlines',
  'gas failed',
  'gas overdue',
  'damp risk',
  'heating off',
  'failed lights',
  'failed boilers',
  'lights overdue',
  'gateways offline',
  'missed tests',
  'no full test',
  'lights in no group',
  'gas due',
  'gas checks',
  'void at risk',
  'water treatments',
  'boilers without treatment',
] as const satisfies (HomeCaseName | DeviceCaseName)[]
export type WorkCaseName = (typeof workCases)[number]

/**
 * Cases of devices. Properties have their own cases for boilers: where the actor sees properties, device cases count
 * only boilers without one.
 */
export const deviceCases = [
  'failed lights',
  'failed boilers',
  'lights overdue',
  'gateways offline',
  'gas checks',
  'boilers without treatment',
  'missed tests',
  'no full test',
  'lights in no group',
] as const
export type DeviceCaseName = (typeof deviceCases)[number]
const isOfDevices = (name: WorkCaseName): name is DeviceCaseName => (deviceCases as readonly string[]).includes(name)
const insteadOfHomes: readonly WorkCaseName[] = ['failed boilers', 'gas checks', 'boilers without treatment']

/** The property cases that the actor may see: for users of the heating area, like its devices. */
function homeCasesFor(actor: Actor): HomeCaseName[] {
  if (!can(actor, 'see properties') || !can(actor, listings.Boilers.may)) return []
  return homeCases.filter(
    (name) =>
      (name !== 'legal deadlines' || hasFeature(actor, 'AwaabsLaw')) &&
      (name !== 'void at risk' || hasFeature(actor, 'VoidFlag')),
  )
}

/** The cases that the actor may see, in order. */
export function workCasesFor(actor: Actor): WorkCaseName[] {
  const ofHomes: readonly WorkCaseName[] = homeCasesFor(actor)
  return workCases.filter((name) => {
    if (!isOfDevices(name)) return ofHomes.includes(name)
    if (name === 'failed boilers' && ofHomes.length > 0) return false
    // Restricted users do not see groups.
    if (name === 'lights in no group' && !can(actor, 'see test schedules')) return false
    return can(actor, listings[deviceView(name, '2000-01-01', actor).listing].may)
  })
}

/** The noun for the items of a case, as in the heading. */
export type WorkSubject = 'homes' | 'lights' | 'gateways' | 'boilers'

export function subjectOf(name: WorkCaseName): WorkSubject {
  if (!isOfDevices(name)) return 'homes'
  if (insteadOfHomes.includes(name)) return 'boilers'
  return name === 'gateways offline' ? 'gateways' : 'lights'
}

/**
 * Days within which a light needs its yearly test: if its last passed 3-hour test is older, its duration is not proved.
 */
export const fullTestDays = 365

interface DeviceView {
  listing: ListingName
  /** The preset view of the rows, if there is one. */
  viewId?: string
  filters: Filter[]
  sorts: Sort[]
  /** The columns, if they differ from the view. */
  columns?: readonly string[]
}

const installed: Filter = { fieldId: 'status', filterOp: 'anyof', value: presetStatuses.installed }
const failed: Filter = { fieldId: 'status', filterOp: 'anyof', value: presetStatuses.failed }
const oldestFirst = (fieldId: string): Sort => ({ fieldId, descending: false })

const failedOf = (listing: 'EmergencyLights' | 'Boilers'): DeviceView => ({
  listing,
  viewId: presetViewId(listings[listing], 'failed'),
  filters: [failed],
  sorts: [oldestFirst('failedSince')],
})

const place = ['building', 'floor'] as const
const lights = (filters: Filter[], sort: string, ...columns: string[]): DeviceView => ({
  listing: 'EmergencyLights',
  filters,
  sorts: [oldestFirst(sort)],
  columns: ['serial', 'name', 'status', 'statusReason', ...columns, ...place],
})
const reasons = (...kinds: Parameters<typeof reasonsOfKinds>): Filter => ({
  fieldId: 'anyReason',
  filterOp: 'anyof',
  value: reasonsOfKinds(...kinds),
})

/**
 * The listing and filters of a case: the server counts these rows, and the link opens them. If the actor sees
 * properties, only boilers without one.
 */
export function deviceView(name: DeviceCaseName, today: Day, actor?: Actor): DeviceView {
  const withoutHome: Filter[] =
    actor && homeCasesFor(actor).length > 0 ? [{ fieldId: 'propertyReference', filterOp: 'present', value: false }] : []
  switch (name) {
    case 'failed lights':
      return failedOf('EmergencyLights')
    case 'failed boilers':
      return failedOf('Boilers')
    case 'lights overdue': {
      const kinds = ['testOverdue', 'neverTested', 'noContact', 'notHeard', 'neverHeard'] as const
      return lights([reasons(...kinds), installed], 'testedOrInstalled', 'testedOrInstalled', 'connection', 'lastHeard')
    }
    case 'missed tests':
      return lights([reasons('testMissed'), installed], 'testedOrInstalled', 'testedOrInstalled', 'testGroup')
    case 'no full test': {
      const before = dayAfter(today, -fullTestDays - 1)
      const filters: Filter[] = [{ fieldId: 'fullTestedOrInstalled', filterOp: 'to', value: before }, installed]
      return lights(filters, 'fullTestedOrInstalled', 'lastFullTest', 'lastTest')
    }
    case 'lights in no group':
      return lights([...lightsInNoGroup], 'statusSince', 'testGroup', 'lastTest')
    case 'gas checks':
      return checksDue('gasSafety', 'gasSafetyDue', withoutHome)
    case 'boilers without treatment':
      return checksDue('waterTreatment', 'waterTreatmentDue', withoutHome)
    case 'gateways offline':
      return {
        listing: 'NetworkingDevices',
        filters: [{ fieldId: 'connection', filterOp: 'equals', value: connectionStates.offline }, installed],
        sorts: [oldestFirst('connectionSince')],
        columns: ['serial', 'name', 'status', 'connection', 'connectionSince', ...place, 'lastHeard'],
      }
  }
}

const checksDue = (state: string, due: string, withoutHome: Filter[]): DeviceView => ({
  listing: 'Boilers',
  filters: [{ fieldId: state, filterOp: 'anyof', value: pressingStates }, installed, ...withoutHome],
  sorts: [oldestFirst(due)],
  columns: ['serial', 'name', 'status', state, due, 'connection', 'propertyReference', 'address'],
})

/**
 * The number of cases shown as cards, a multiple of four and three that includes those about lights; the rest are links
 * in one row.
 */
export const shownCases = 12

/** A user's choice: the order of cases, and which are not cards. */
export interface CaseChoice {
  order: WorkCaseName[]
  hidden: WorkCaseName[]
}

/**
 * Splits the cases into cards and links according to the user's choice. A case unknown to the choice keeps its place.
 */
export function arrange<C extends { case: WorkCaseName }>(
  cases: readonly C[],
  choice: CaseChoice | undefined,
): { cards: C[]; also: C[] } {
  const order = choice?.order ?? []
  const rank = ({ case: name }: C) => {
    const at = order.indexOf(name)
    return at < 0 ? order.length + workCases.indexOf(name) : at
  }
  const sorted = cases.toSorted((a, b) => rank(a) - rank(b))
  const isHidden = ({ case: name }: C) => choice?.hidden.includes(name) ?? false
  const cards = sorted.filter((one) => !isHidden(one)).slice(0, shownCases)
  return { cards, also: sorted.filter((one) => !cards.includes(one)) }
}

/** Parses the choice stored in the browser; undefined if invalid. */
export function choiceIn(text: string): CaseChoice | undefined {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return undefined
  }
  const names = (value: unknown) =>
    Array.isArray(value) ? workCases.filter((name) => value.includes(name)).toSorted(inOrderOf(value)) : undefined
  const { order, hidden } = (found ?? {}) as Record<string, unknown>
  const [ordered, kept] = [names(order), names(hidden)]
  return ordered && kept && { order: ordered, hidden: kept }
}
const inOrderOf = (list: unknown[]) => (a: WorkCaseName, b: WorkCaseName) => list.indexOf(a) - list.indexOf(b)
