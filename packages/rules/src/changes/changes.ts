import type { Product } from '../devices/products.ts'
import type { DeviceSubject } from '../devices/rights.ts'
import type { Actor } from '../identity/actor.ts'
import { isLimited } from '../identity/actor.ts'
import type { Action } from '../rights/can.ts'
import { can } from '../rights/can.ts'

/**
 * All subjects of change events: data that pages show and that may change while they are open. Add the subjects of new
 * screens here.
 */
export const changeSubjects = [
  /** Device data shown in listings, searches and counts. */
  'device',
  /** Data shown only on a device page: state and last contact, readings, commands, tests, events, compliance, forms. */
  'device state',
  'device readings',
  'device commands',
  'device tests',
  'device events',
  'device records',
  'device forms',
  /** Which devices restricted users see; the ids are those of the access rights tags affected. */
  'reach',
  /** Property data shown in listings and pages. */
  'property',
  /** Light groups, their schedule and its results. */
  'group',
  /** Buildings, floors and plans. */
  'building',
  /** Residents, their access, and the texts written for them. */
  'resident',
  'tag',
  'alert',
  'access rights tag',
  'standard luminaire',
  'view',
  'user',
  'client',
  'bulk action',
  /** Imports. */
  'import',
  'audit',
  /** Generated reports and their schedules. */
  'report',
  'mail',
  /** API keys, webhooks and their deliveries. */
  'api key',
  'webhook',
  /** Connections with their health, new sensors, mappings and codecs. */
  'connection',
] as const
export type ChangeSubject = (typeof changeSubjects)[number]

/** A page shows these for one device at a time, so they are sent per device and not for all. */
export const detailSubjects = changeSubjects.filter((subject) => subject.startsWith('device '))
const ofDevices = new Set<ChangeSubject>(['device', ...detailSubjects])

/** The right needed to receive a change; changes to devices go to everyone who can see them. */
const rightToReceive: Partial<Record<ChangeSubject, Action>> = {
  property: 'see properties',
  import: 'import homes',
  resident: 'see residents',
  group: 'see test schedules',
  building: 'see maps',
  user: 'see users',
  audit: 'see audit',
  mail: 'see mailbox',
  report: 'see reports',
  'api key': 'manage api keys',
  webhook: 'manage webhooks',
  connection: 'see connections',
}

/** A change event; `ids` is null for very many or all objects. */
export interface Change {
  subject: ChangeSubject
  ids: readonly string[] | null
  /** Ids of the only recipients (tenant users or persons); null for everyone. */
  audience: readonly string[] | null
}

/** A change event as sent to one recipient: devices and products affected; null for any. */
export interface ChangeEvent {
  subject: ChangeSubject
  ids: string[] | null
  products: Product[] | null
}

/** With more ids than this, the event states that any may have changed. */
export const longestIdList = 500

/**
 * The event for one actor, or undefined if it does not concern them: only devices they can see, personal changes only
 * for their owner, and changes to access rights only as a new set of visible devices.
 */
export function eventFor(
  actor: Actor,
  { subject, ids, audience }: Change,
  deviceOf: (id: string) => DeviceSubject | undefined,
): ChangeEvent | undefined {
  if (audience && !audience.includes(actor.memberId) && !audience.includes(actor.userId)) return undefined
  const action = rightToReceive[subject]
  if (action && !can(actor, action)) return undefined
  if (subject === 'reach')
    return reachChanged(actor, { subject, ids }) ? { subject: 'device', ids: null, products: null } : undefined
  if (!ids || !ofDevices.has(subject)) return { subject, ids: null, products: null }
  const seen = new Map<string, Product>()
  for (const id of ids) {
    const device = deviceOf(id)
    if (device && can(actor, 'see device', device)) seen.set(id, device.product)
  }
  if (!seen.size) return undefined
  return { subject, ids: seen.size > longestIdList ? null : [...seen.keys()], products: [...new Set(seen.values())] }
}

/** Whether a change may alter which devices the actor sees: for restricted users, if one of their tags is affected. */
export function reachChanged(actor: Pick<Actor, 'tags'>, { subject, ids }: Pick<Change, 'subject' | 'ids'>): boolean {
  if (subject !== 'reach' || !isLimited(actor)) return false
  return !ids || ids.some((tag) => actor.tags.includes(tag))
}

/** Merges changes into one per subject and audience, so that nothing is sent twice. */
export function merged(changes: readonly Change[]): Change[] {
  const groups = Map.groupBy(changes, ({ subject, audience }) => `${subject} ${audience?.toSorted().join() ?? ''}`)
  return [...groups.values()].map((group) => {
    const all = group.flatMap(({ ids }) => ids ?? [])
    return { ...group[0]!, ids: group.some(({ ids }) => ids === null) ? null : [...new Set(all)] }
  })
}
