import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { History, Pace, Rule, Interval } from '@caretaker/rules/alerts/engine.ts'
import { previewDays } from '@caretaker/rules/alerts/engine.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import { delayMs } from '@caretaker/rules/alerts/definition.ts'
import type { Scope } from '@caretaker/rules/alerts/scope.ts'
import type { IntervalKind } from '@caretaker/rules/alerts/signals.ts'
import { mutesRule } from '@caretaker/rules/alerts/signals.ts'
import { isOfHome, isOfSilence, isNotifiedAtOnce } from '@caretaker/rules/alerts/triggers.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { eachOf } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { placeOfHome } from './home-facts.ts'
import type { Kind } from './kinds.ts'
import { kinds } from './kinds.ts'

/** How many levels a device may be below a gateway: there may be extenders between them. */
const deepest = 4
/** Days of history that matter: those of a preview, and what was still open at its beginning. */
const historyDays = previewDays + 1
const day = 86_400_000

type When = Pick<Definition, 'delay' | 'delayUnit' | 'triggerType' | 'triggerCondition'>
interface Asked extends When {
  scope: Scope
}

/** A rule in the form that the engine expects. */
export const asRule = (definition: When, from: number, pace: Pace): Rule => ({
  delay: delayMs(definition),
  from,
  atOnce: isNotifiedAtOnce(definition.triggerType, definition.triggerCondition),
  ofSilence: isOfSilence(definition.triggerType, definition.triggerCondition),
  pace,
})

export interface StoredSpell extends Interval {
  kind: IntervalKind
  key: string
  /** Distinguishes facts that share a key; empty if there is only one. */
  about: string
}

/** The product of a device, and the place by which its alerts are grouped. A property has no product. */
export interface Standing {
  place: string
  product: Product | null
  /** Whether a device is in a property: facts of properties then have the property as their subject. */
  isInHome?: boolean | undefined
}

/** The products of devices or properties, and their history over the relevant time. */
export interface Pasts {
  standings: ReadonlyMap<string, Standing>
  spells: ReadonlyMap<string, readonly StoredSpell[]>
}

/** The stored history of some devices or properties, which answers a rule's questions about each. */
export class Histories {
  readonly #standings: ReadonlyMap<string, Standing>
  readonly #spells: ReadonlyMap<string, readonly StoredSpell[]>
  readonly #above: ReadonlyMap<string, readonly string[]>
  readonly #below: ReadonlyMap<string, readonly string[]>
  constructor({ standings, spells }: Pasts, related: readonly { id: string; ancestor: string }[]) {
    this.#standings = standings
    this.#spells = spells
    this.#above = groupOf(related.map(({ id, ancestor }) => [id, ancestor]))
    this.#below = groupOf(related.map(({ id, ancestor }) => [ancestor, id]))
  }

  /** The tags that may bring a device under a rule, including those of the devices connected through it. */
  tagsOf(deviceId: string): Set<string> {
    return new Set([deviceId, ...this.#behind(deviceId)].flatMap((id) => this.#of(id, 'TAG').map(({ key }) => key)))
  }

  /** Whether the family of a subject is in the scope. Properties have no family. */
  isOfFamily(subjectId: string, { families }: Pick<Scope, 'families'>): boolean {
    const product = this.#standings.get(subjectId)?.product
    return product === null || (product !== undefined && (!families.length || families.includes(familyOf(product))))
  }

  /**
   * Whether a rule can apply to the subject: only rules about facts of properties apply to properties, and none of
   * these apply to devices in a property, except for frost that they report themselves.
   */
  isSubject(subjectId: string, { triggerType, triggerCondition }: Pick<When, 'triggerType' | 'triggerCondition'>) {
    const { product, isInHome } = this.#standings.get(subjectId) ?? {}
    if (product === null) return isOfHome(triggerType, triggerCondition)
    return !isInHome || !isOfHome(triggerType, triggerCondition) || triggerCondition === 'frostRisk'
  }

  /** The facts of one kind that a rule watches; each is an alert of its own. */
  aboutsOf(subjectId: string, { triggerType, triggerCondition }: Pick<When, 'triggerType' | 'triggerCondition'>) {
    if (triggerType === 'NONE') return []
    return [...new Set(this.#of(subjectId, triggerType, triggerCondition).map(({ about }) => about))]
  }

  /** The intervals in which a scope covered the subject. */
  #covered(deviceId: string, scope: Scope): Interval[] {
    if (!this.isOfFamily(deviceId, scope)) return []
    const during = (kind: IntervalKind, keys: readonly string[]) =>
      keys.length ? union(this.#of(deviceId, kind).filter(({ key }) => keys.includes(key))) : [always]
    return intersection(during('BUILDING', scope.buildingIds), during('TAG', scope.tagIds))
  }

  history(subjectId: string, { scope, triggerType, triggerCondition }: Asked, about = ''): History {
    const ofSilence = isOfSilence(triggerType, triggerCondition)
    const carriers = ofSilence ? [subjectId, ...this.#behind(subjectId)] : [subjectId]
    const all = triggerType === 'NONE' || !triggerCondition ? [] : this.#of(subjectId, triggerType, triggerCondition)
    return {
      subjectId,
      place: this.#standings.get(subjectId)?.place ?? subjectId,
      inScope: union(carriers.flatMap((id) => this.#covered(id, scope))),
      active: all.filter((one) => one.about === about),
      muted: this.#of(subjectId, 'MUTED').filter(({ key }) => mutesRule(key, triggerCondition)),
      isBehind: (this.#above.get(subjectId)?.length ?? 0) > 0,
      gatewayOffline: ofSilence ? (this.#above.get(subjectId) ?? []).flatMap((id) => this.#silences(id)) : [],
    }
  }

  /** Whether a device is in service, or a property in use. */
  isInService(subjectId: string): boolean {
    const isHome = this.#standings.get(subjectId)?.product === null
    return this.#of(subjectId, isHome ? 'BUILDING' : 'CONNECTIONSTATUS').some(({ ended }) => ended === null)
  }

  /** The devices connected through it matter only for a device that has lost its connection. */
  #behind = (id: string) => (this.#silences(id).length ? (this.#below.get(id) ?? []) : [])
  #silences = (id: string) => this.#of(id, 'CONNECTIONSTATUS', 'NotConnected')
  #of(id: string, kind: IntervalKind, key?: string): StoredSpell[] {
    return (this.#spells.get(id) ?? []).filter((one) => one.kind === kind && (key === undefined || one.key === key))
  }
}

function groupOf(pairs: readonly (readonly [string, string])[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value])
  return groups
}

const always: Interval = { began: 0, seen: 0, ended: null }

/** The intersection of two sets of intervals. */
function intersection(some: readonly Interval[], others: readonly Interval[]): Interval[] {
  return some.flatMap((a) =>
    others.flatMap((b) => {
      const seen = Math.max(a.seen, b.seen)
      const ended = Math.min(a.ended ?? Infinity, b.ended ?? Infinity)
      if (seen >= ended) return []
      return [{ began: Math.max(a.began, b.began), seen, ended: ended === Infinity ? null : ended }]
    }),
  )
}

/** Merges overlapping intervals, in the order in which they became known. */
function union(spells: readonly Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const { began, seen, ended } of spells.toSorted((a, b) => a.seen - b.seen)) {
    const last = merged.at(-1)
    if (last && (last.ended === null || seen <= last.ended))
      last.ended = last.ended === null || ended === null ? null : Math.max(last.ended, ended)
    else merged.push({ began, seen, ended })
  }
  return merged
}

/** The time before which ended intervals no longer matter. */
export const oldestOf = (now: number) => now - historyDays * day

/** The relevant intervals of gateways and of devices connected through a gateway. */
const ofRelated = sql`(kind in ('TAG', 'BUILDING') or key = 'NotConnected')`

/** The intervals of these devices or properties over the time that matters. */
export async function spellsOf(
  tx: TenantTx,
  kind: Kind,
  ids: readonly string[],
  { now, which = sql`true` }: { now: number; which?: RawBuilder<unknown> },
): Promise<Map<string, StoredSpell[]>> {
  if (!ids.length) return new Map()
  const { spells: table, id, about } = kinds[kind]
  const { rows } = await sql<{
    subjectId: string
    kind: IntervalKind
    key: string
    about: string
    began: Date
    seen: Date
    ended: Date | null
  }>`
    select wanted.id as "subjectId", spell.* from ${eachOf(ids)} cross join lateral (
      select kind, key, ${about} as about, began_at as began, seen_at as seen, ended_at as ended from ${table}
      where tenant_id = ${tx.tenant} and ${id} = wanted.id
        and (ended_at is null or ended_at > ${new Date(oldestOf(now))}) and ${which}
      offset 0
    ) as spell`.execute(tx)
  const spells = new Map<string, StoredSpell[]>()
  for (const { subjectId, began, seen, ended, ...what } of rows) {
    const of = spells.get(subjectId) ?? []
    of.push({ ...what, began: +began, seen: +seen, ended: ended && +ended })
    spells.set(subjectId, of)
  }
  return spells
}

/** The place of a device's alerts: its building, or its property, or the device itself. */
export const place = sql`coalesce(device.building_id, device.property_id, device.id)::text`

async function standingsOf(tx: TenantTx, kind: Kind, ids: readonly string[]): Promise<Map<string, Standing>> {
  if (!ids.length) return new Map()
  const of =
    kind === 'device'
      ? sql`select ${place} as place, product, property_id is not null as "isInHome" from device where tenant_id = ${tx.tenant} and id = wanted.id offset 0`
      : sql`select ${placeOfHome(tx)} as place, null as product, false as "isInHome" from property
          where tenant_id = ${tx.tenant} and id = wanted.id offset 0`
  const { rows } = await sql<Standing & { id: string }>`
    select wanted.id, one.place, one.product, one."isInHome" from ${eachOf(ids)} cross join lateral (${of}) as one`.execute(
    tx,
  )
  return new Map(rows.map(({ id, ...standing }) => [id, standing]))
}

/**
 * Reads the history of these properties, or of these devices with the relevant history of their gateways and of the
 * devices connected through them. Histories that are already loaded are not read again.
 */
export async function historiesOf(
  tx: TenantTx,
  kind: Kind,
  ids: readonly string[],
  now: number,
  known: Pasts = { standings: new Map(), spells: new Map() },
): Promise<Histories> {
  const unknown = ids.filter((id) => !known.standings.has(id))
  const standings = joined([known.standings, await standingsOf(tx, kind, unknown)])
  const own = joined([known.spells, await spellsOf(tx, kind, unknown, { now })])
  // Gateways and the devices connected through them matter only for devices with a lost connection.
  const related = await relatedTo(
    tx,
    ids.filter((id) => own.get(id)?.some((one) => isOfSilence(one.kind, one.key))),
  )
  const others = [...new Set(related.flatMap(({ id, ancestor }) => [id, ancestor]))].filter((id) => !standings.has(id))
  const whole = {
    standings: joined([standings, await standingsOf(tx, 'device', others)]),
    spells: joined([own, await spellsOf(tx, 'device', others, { now, which: ofRelated })]),
  }
  return new Histories(whole, related)
}

/** Merges maps; if several contain a key, the first one wins. */
const joined = <T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> =>
  new Map(maps.toReversed().flatMap((map) => [...map]))

/** Pairs of these devices with their gateways, and with the devices connected through them. */
export async function relatedTo(
  tx: TenantTx,
  deviceIds: readonly string[],
): Promise<{ id: string; ancestor: string }[]> {
  if (!deviceIds.length) return []
  const { rows } = await sql<{ id: string; ancestor: string }>`
    with recursive above as (
      select wanted.id, device.parent_id as ancestor, 1 as step from ${eachOf(deviceIds)} cross join lateral (
        select parent_id from device where tenant_id = ${tx.tenant} and id = wanted.id and parent_id is not null offset 0
      ) as device
      union all
      select above.id, device.parent_id, step + 1 from above cross join lateral (
        select parent_id from device where tenant_id = ${tx.tenant} and id = above.ancestor and parent_id is not null offset 0
      ) as device
      where step < ${deepest}
    ), below as (
      select device.id, wanted.id as ancestor, 1 as step from ${eachOf(deviceIds)} cross join lateral (
        select id from device where tenant_id = ${tx.tenant} and parent_id = wanted.id offset 0
      ) as device
      union all
      select device.id, below.ancestor, step + 1 from below cross join lateral (
        select id from device where tenant_id = ${tx.tenant} and parent_id = below.id offset 0
      ) as device
      where step < ${deepest}
    )
    select id, ancestor from above union select id, ancestor from below`.execute(tx)
  return rows
}

/**
 * The devices or properties for which these rules may notify within a preview's period: all that have or had one of
 * their tags, and the gateways of such devices; for rules without tags, all on which the condition occurred.
 */
export async function candidatesOf(
  tx: TenantTx,
  kind: Kind,
  rules: readonly Pick<Asked, 'scope' | 'triggerType' | 'triggerCondition'>[],
  now: number,
): Promise<string[]> {
  const { spells, id: idOf } = kinds[kind]
  const isHeld = sql`(ended_at is null or ended_at > ${new Date(oldestOf(now))})`
  const ours = kind === 'device' ? rules : rules.filter((rule) => isOfHome(rule.triggerType, rule.triggerCondition))
  const tagIds = [...new Set(ours.flatMap(({ scope }) => scope.tagIds))]
  const untagged = ours.filter(({ scope }) => !scope.tagIds.length)
  const carriers = sql`
    select ${idOf} as id, 1 as step from ${spells}
    where tenant_id = ${tx.tenant} and kind = 'TAG' and key = any(${tagIds}::text[]) and ${isHeld}`
  const { rows: tagged } = tagIds.length
    ? await sql<{ id: string }>`
      with recursive carrier as (
        ${carriers}
        ${
          kind === 'home'
            ? sql``
            : sql`union
        select device.parent_id, step + 1
        from carrier join device on device.tenant_id = ${tx.tenant} and device.id = carrier.id
        where device.parent_id is not null and step < ${deepest}`
        }
      )
      select distinct id from carrier`.execute(tx)
    : { rows: [] }
  const { rows: conditioned } = untagged.length
    ? await sql<{ id: string }>`
      select distinct ${idOf} as id from ${spells}
      where tenant_id = ${tx.tenant} and ${isHeld} and (kind, key) in (
        select * from unnest(
          ${untagged.map((rule) => rule.triggerType)}::text[], ${untagged.map((rule) => rule.triggerCondition)}::text[])
      )`.execute(tx)
    : { rows: [] }
  return [...new Set([...tagged, ...conditioned].map(({ id }) => id))].toSorted()
}
