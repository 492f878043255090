import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { History, Pace, Rule, Spell } from '@caretaker/rules/alerts/engine.ts'
import { previewDays } from '@caretaker/rules/alerts/engine.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import { delayMs } from '@caretaker/rules/alerts/definition.ts'
import type { Scope } from '@caretaker/rules/alerts/scope.ts'
import type { SpellKind } from '@caretaker/rules/alerts/signals.ts'
import { silences } from '@caretaker/rules/alerts/signals.ts'
import { isOfSilence, isToldAtOnce } from '@caretaker/rules/alerts/triggers.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { eachOf } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** How far a device may be behind a gateway: extenders may stand between them. */
const deepest = 4
/** Days of history that decide: those of a preview, and what was still open at its beginning. */
const historyDays = previewDays + 1
const day = 86_400_000

type When = Pick<Definition, 'delay' | 'delayUnit' | 'triggerType' | 'triggerCondition'>
interface Asked extends When {
  scope: Scope
}

/** A rule as the engine asks for it. */
export const asRule = (definition: When, from: number, pace: Pace): Rule => ({
  delay: delayMs(definition),
  from,
  atOnce: isToldAtOnce(definition.triggerType, definition.triggerCondition),
  ofSilence: isOfSilence(definition.triggerType, definition.triggerCondition),
  pace,
})

export interface StoredSpell extends Spell {
  kind: SpellKind
  key: string
}

/** What a device is, and where as far as its alerts go together by it. */
export interface Standing {
  place: string
  product: Product
}

/** What devices are, and what was so with them in the time that decides. */
export interface Pasts {
  standings: ReadonlyMap<string, Standing>
  spells: ReadonlyMap<string, readonly StoredSpell[]>
}

/** The stored history of some devices, from which what a rule asks of each is taken. */
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

  /** The tags that rules about a device may ask for, those of what is behind it included. */
  tagsOf(deviceId: string): Set<string> {
    return new Set([deviceId, ...this.#behind(deviceId)].flatMap((id) => this.#of(id, 'TAG').map(({ key }) => key)))
  }

  isOfFamily(deviceId: string, { families }: Pick<Scope, 'families'>): boolean {
    const product = this.#standings.get(deviceId)?.product
    return product !== undefined && (!families.length || families.includes(familyOf(product)))
  }

  /** When a scope covered a device. */
  #covered(deviceId: string, scope: Scope): Spell[] {
    if (!this.isOfFamily(deviceId, scope)) return []
    const during = (kind: SpellKind, keys: readonly string[]) =>
      keys.length ? union(this.#of(deviceId, kind).filter(({ key }) => keys.includes(key))) : [always]
    return intersection(during('BUILDING', scope.buildingIds), during('TAG', scope.tagIds))
  }

  history(deviceId: string, { scope, triggerType, triggerCondition }: Asked): History {
    const ofSilence = isOfSilence(triggerType, triggerCondition)
    const carriers = ofSilence ? [deviceId, ...this.#behind(deviceId)] : [deviceId]
    return {
      deviceId,
      place: this.#standings.get(deviceId)?.place ?? deviceId,
      inScope: union(carriers.flatMap((id) => this.#covered(id, scope))),
      so: triggerType === 'NONE' || !triggerCondition ? [] : this.#of(deviceId, triggerType, triggerCondition),
      muted: this.#of(deviceId, 'MUTED').filter(({ key }) => silences(key, triggerCondition)),
      isBehind: (this.#above.get(deviceId)?.length ?? 0) > 0,
      cutOff: ofSilence ? (this.#above.get(deviceId) ?? []).flatMap((id) => this.#silences(id)) : [],
    }
  }

  isInService(deviceId: string): boolean {
    return this.#of(deviceId, 'CONNECTIONSTATUS').some(({ ended }) => ended === null)
  }

  /** Only of what has fallen silent it matters what is behind it. */
  #behind = (id: string) => (this.#silences(id).length ? (this.#below.get(id) ?? []) : [])
  #silences = (id: string) => this.#of(id, 'CONNECTIONSTATUS', 'NotConnected')
  #of(id: string, kind: SpellKind, key?: string): StoredSpell[] {
    return (this.#spells.get(id) ?? []).filter((one) => one.kind === kind && (key === undefined || one.key === key))
  }
}

function groupOf(pairs: readonly (readonly [string, string])[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value])
  return groups
}

const always: Spell = { began: 0, seen: 0, ended: null }

/** The times in which both were so. */
function intersection(some: readonly Spell[], others: readonly Spell[]): Spell[] {
  return some.flatMap((a) =>
    others.flatMap((b) => {
      const seen = Math.max(a.seen, b.seen)
      const ended = Math.min(a.ended ?? Infinity, b.ended ?? Infinity)
      if (seen >= ended) return []
      return [{ began: Math.max(a.began, b.began), seen, ended: ended === Infinity ? null : ended }]
    }),
  )
}

/** Overlapping times as one, by when they were known. */
function union(spells: readonly Spell[]): Spell[] {
  const merged: Spell[] = []
  for (const { began, seen, ended } of spells.toSorted((a, b) => a.seen - b.seen)) {
    const last = merged.at(-1)
    if (last && (last.ended === null || seen <= last.ended))
      last.ended = last.ended === null || ended === null ? null : Math.max(last.ended, ended)
    else merged.push({ began, seen, ended })
  }
  return merged
}

/** The time before which what is over decides nothing any more. */
export const oldestOf = (now: number) => now - historyDays * day

/** Which of them matter of devices that others speak through, or that speak through others. */
const ofKin = sql`(kind in ('TAG', 'BUILDING') or key = 'NotConnected')`

/** What was so with these devices in the time that decides, and is. */
export async function spellsOf(
  tx: TenantTx,
  deviceIds: readonly string[],
  { now, which = sql`true` }: { now: number; which?: RawBuilder<unknown> },
): Promise<Map<string, StoredSpell[]>> {
  if (!deviceIds.length) return new Map()
  const { rows } = await sql<{
    deviceId: string
    kind: SpellKind
    key: string
    began: Date
    seen: Date
    ended: Date | null
  }>`
    select wanted.id as "deviceId", spell.* from ${eachOf(deviceIds)} cross join lateral (
      select kind, key, began_at as began, seen_at as seen, ended_at as ended from device_spell
      where tenant_id = ${tx.tenant} and device_id = wanted.id
        and (ended_at is null or ended_at > ${new Date(oldestOf(now))}) and ${which}
      offset 0
    ) as spell`.execute(tx)
  const spells = new Map<string, StoredSpell[]>()
  for (const { deviceId, kind, key, began, seen, ended } of rows) {
    const of = spells.get(deviceId) ?? []
    of.push({ kind, key, began: +began, seen: +seen, ended: ended && +ended })
    spells.set(deviceId, of)
  }
  return spells
}

/** Of a device: its building, or its home, or itself. */
export const place = sql`coalesce(device.building_id, device.property_id, device.id)::text`

async function standingsOf(tx: TenantTx, deviceIds: readonly string[]): Promise<Map<string, Standing>> {
  if (!deviceIds.length) return new Map()
  const { rows } = await sql<Standing & { id: string }>`
    select wanted.id, device.place, device.product from ${eachOf(deviceIds)} cross join lateral (
      select ${place} as place, product from device where tenant_id = ${tx.tenant} and id = wanted.id offset 0
    ) as device`.execute(tx)
  return new Map(rows.map(({ id, place, product }) => [id, { place, product }]))
}

/**
 * Reads the history of these devices, with what matters of those that they speak through and that speak through them. What is
 * known of some of them already is not read again.
 */
export async function historiesOf(
  tx: TenantTx,
  deviceIds: readonly string[],
  now: number,
  known: Pasts = { standings: new Map(), spells: new Map() },
): Promise<Histories> {
  const unknown = deviceIds.filter((id) => !known.standings.has(id))
  const standings = joined([known.standings, await standingsOf(tx, unknown)])
  const own = joined([known.spells, await spellsOf(tx, unknown, { now })])
  // Of whom nothing tells of silence it decides nothing what it speaks through, nor what speaks through it.
  const related = await relatedTo(
    tx,
    deviceIds.filter((id) => own.get(id)?.some(({ kind, key }) => isOfSilence(kind, key))),
  )
  const others = [...new Set(related.flatMap(({ id, ancestor }) => [id, ancestor]))].filter((id) => !standings.has(id))
  const whole = {
    standings: joined([standings, await standingsOf(tx, others)]),
    spells: joined([own, await spellsOf(tx, others, { now, which: ofKin })]),
  }
  return new Histories(whole, related)
}

/** Several maps as one; where a key is in more than one of them, the first tells. */
const joined = <T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> =>
  new Map(maps.toReversed().flatMap((map) => [...map]))

/** Whom these devices speak through, and who speaks through them, in pairs. */
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
 * The devices that some of these rules may have something to tell of in the time of a preview: all that carry one of their tags or
 * did, and those that others speak through which do; for rules without tags all that their condition held for.
 */
export async function devicesOf(
  tx: TenantTx,
  rules: readonly Pick<Asked, 'scope' | 'triggerType' | 'triggerCondition'>[],
  now: number,
): Promise<string[]> {
  const oldest = new Date(oldestOf(now))
  const tagIds = [...new Set(rules.flatMap(({ scope }) => scope.tagIds))]
  const untagged = rules.filter(({ scope }) => !scope.tagIds.length)
  const { rows: tagged } = tagIds.length
    ? await sql<{ id: string }>`
      with recursive carrier as (
        select device_id as id, 1 as step from device_spell
        where device_spell.tenant_id = ${tx.tenant} and kind = 'TAG' and key = any(${tagIds}::text[])
          and (ended_at is null or ended_at > ${oldest})
        union
        select device.parent_id, step + 1
        from carrier join device on device.tenant_id = ${tx.tenant} and device.id = carrier.id
        where device.parent_id is not null and step < ${deepest}
      )
      select distinct id from carrier`.execute(tx)
    : { rows: [] }
  const { rows: conditioned } = untagged.length
    ? await sql<{ id: string }>`
      select distinct device_id as id from device_spell
      where tenant_id = ${tx.tenant} and (ended_at is null or ended_at > ${oldest}) and (kind, key) in (
        select * from unnest(
          ${untagged.map((rule) => rule.triggerType)}::text[], ${untagged.map((rule) => rule.triggerCondition)}::text[])
      )`.execute(tx)
    : { rows: [] }
  return [...new Set([...tagged, ...conditioned].map(({ id }) => id))].toSorted()
}
