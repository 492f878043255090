import type { Product } from '../devices/products.ts'
import type { DeviceSubject } from '../devices/rights.ts'
import type { Actor } from '../identity/actor.ts'
import { isLimited } from '../identity/actor.ts'
import type { Action } from '../rights/can.ts'
import { can } from '../rights/can.ts'

/** Everything that people look at and that may change meanwhile. What a new screen shows is added here. */
export const changeSubjects = [
  /** What listings, searches and counts show of devices. */
  'device',
  /** What only the page of a device shows: its state and when it was heard, readings, commands, tests, events, compliance, forms. */
  'device state',
  'device readings',
  'device commands',
  'device tests',
  'device events',
  'device records',
  'device forms',
  /** Which devices limited people see: the ids are those of the access rights tags that are concerned. */
  'reach',
  /** What listings and pages show of homes. */
  'property',
  /** Groups of lights, their plan and what became of it. */
  'group',
  /** Buildings, their floors and plans. */
  'building',
  /** Residents, whether they may see their homes, and what is written for them. */
  'resident',
  'tag',
  'alert',
  'access rights tag',
  'standard luminaire',
  'view',
  'user',
  'client',
  'bulk action',
  /** Lists that are brought in. */
  'import',
  'audit',
  /** Reports that people had written, and their schedules. */
  'report',
  'mail',
  /** Keys of other software; where it is told of what happens, and what became of each telling. */
  'api key',
  'webhook',
  /** Connections with their health, new sensors, mappings and codecs. */
  'connection',
] as const
export type ChangeSubject = (typeof changeSubjects)[number]

/** Of these a page shows one device at a time, so that nobody is told of all of them. */
export const detailSubjects = changeSubjects.filter((subject) => subject.startsWith('device '))
const ofDevices = new Set<ChangeSubject>(['device', ...detailSubjects])

/** Who may hear of a change at all; of devices everybody hears, as far as they see them. */
const mayHear: Partial<Record<ChangeSubject, Action>> = {
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

/** Something changed: `ids` are those of the things, or null for very many or all of them. */
export interface Change {
  subject: ChangeSubject
  ids: readonly string[] | null
  /** Ids of the people, as users of the tenant or as persons, whom alone it concerns; null when it concerns all. */
  audience: readonly string[] | null
}

/** What somebody is told of a change: of devices which, and of which products; null for any. */
export interface Told {
  subject: ChangeSubject
  ids: string[] | null
  products: Product[] | null
}

/** Ids beyond which it is told that any may have changed. */
export const mostTold = 500

/**
 * What the actor is told of a change, or undefined when it is none of theirs: devices as far as they see them, what is
 * personal only to whom it belongs, and of access rights only that other devices are in sight now.
 */
export function told(
  actor: Actor,
  { subject, ids, audience }: Change,
  deviceOf: (id: string) => DeviceSubject | undefined,
): Told | undefined {
  if (audience && !audience.includes(actor.memberId) && !audience.includes(actor.userId)) return undefined
  const action = mayHear[subject]
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
  return { subject, ids: seen.size > mostTold ? null : [...seen.keys()], products: [...new Set(seen.values())] }
}

/** Whether other devices may be in sight of the actor now: of limited people, where one of their tags is concerned. */
export function reachChanged(actor: Pick<Actor, 'tags'>, { subject, ids }: Pick<Change, 'subject' | 'ids'>): boolean {
  if (subject !== 'reach' || !isLimited(actor)) return false
  return !ids || ids.some((tag) => actor.tags.includes(tag))
}

/** Several changes as one of each subject and audience, so that nothing is told twice. */
export function merged(changes: readonly Change[]): Change[] {
  const groups = Map.groupBy(changes, ({ subject, audience }) => `${subject} ${audience?.toSorted().join() ?? ''}`)
  return [...groups.values()].map((group) => {
    const all = group.flatMap(({ ids }) => ids ?? [])
    return { ...group[0]!, ids: group.some(({ ids }) => ids === null) ? null : [...new Set(all)] }
  })
}
