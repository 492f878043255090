import { sql } from 'kysely'
import type { Condition } from '@caretaker/rules/conditions/conditions.ts'
import type { Facts, Signal, IntervalKind } from '@caretaker/rules/alerts/signals.ts'
import { signalsOf, signalsOfHome } from '@caretaker/rules/alerts/signals.ts'
import { darkSince, supplyOf } from '@caretaker/rules/lighting/supply.ts'
import { eachOf, instants, uuids } from '../../postgres/each.ts'
import { newRows } from '../../postgres/new-rows.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { wantsAgain } from '../groups/wanting.ts'
import type { Pasts, Standing, StoredSpell } from './histories.ts'
import { oldestOf, place, spellsOf } from './histories.ts'
import { checksOf, homeFactsOf } from './home-facts.ts'
import type { Kind } from './kinds.ts'
import { kinds } from './kinds.ts'

/**
 * The differences between the known and the current state of devices or properties, by kind, and the state now known.
 */
export interface Observed {
  differs: ReadonlyMap<string, ReadonlySet<IntervalKind>>
  pasts: Pasts
}

type Of<T> = T & { subjectId: string }

/** The current state of a device or property, and when it changed. */
interface Known extends Standing {
  signals: readonly Signal[]
  connectionSince?: number | null
  lastEnded?: number | null
}

/**
 * Reads the current state of these devices or properties and stores where it differs from the known one. What becomes
 * known now counts from now on, so no earlier decision could have been different; at the very first round everything
 * counts from its beginning. `before` is the time until which everything is decided.
 */
export async function observe(
  tx: TenantTx,
  kind: Kind,
  ids: readonly string[],
  now: number,
  before: number | null,
): Promise<Observed> {
  if (!ids.length) return { differs: new Map(), pasts: { standings: new Map(), spells: new Map() } }
  const facts = kind === 'device' ? await devicesNow(tx, ids, now) : await homesNow(tx, ids, now)
  const known = await spellsOf(tx, kind, ids, { now })
  const begun: Of<StoredSpell>[] = []
  const over: Of<StoredSpell>[] = []
  const spells = new Map<string, StoredSpell[]>()
  const since = (at: number | null) => (at === null ? null : Math.min(at, now))
  const keyOf = (one: Signal) => `${one.kind} ${one.key} ${one.about ?? ''}`
  for (const subjectId of ids) {
    const fact = facts.get(subjectId)
    const signals = fact?.signals ?? []
    const past = known.get(subjectId) ?? []
    const open = new Map(past.filter(isOpen).map((one) => [keyOf({ ...one, since: null }), one]))
    const newSpells: StoredSpell[] = []
    for (const signal of signals) {
      const spell = open.get(keyOf(signal))
      // Disconnected, connected and disconnected again between two rounds.
      const again = spell && signal.kind === 'CONNECTIONSTATUS' && signal.since !== null && signal.since > spell.seen
      if (spell && !again) {
        open.delete(keyOf(signal))
        continue
      }
      // Earlier versions stored no buildings, and no tags of properties. A scope that they did not store counts as
      // unchanged since then.
      const isOfScope = signal.kind === 'BUILDING' || (kind === 'home' && signal.kind === 'TAG')
      const isFirst = before === null || (isOfScope && past.length > 0 && !past.some(isOfBuilding))
      const began = since(signal.since) ?? (isFirst ? 0 : now)
      const seen = isFirst ? began : now
      const about = signal.about ?? ''
      const one: StoredSpell = { kind: signal.kind, key: signal.key, about, began, seen, ended: null }
      // The same interval was already seen at this very moment.
      if (!past.some(isSame(one))) newSpells.push(one)
    }
    const ended = [...open.values()].map((spell) => ({
      ...spell,
      ended: Math.min(now, Math.max(endOf(spell, signals, fact) ?? now, (before ?? 0) + 1)),
    }))
    begun.push(...newSpells.map((spell) => ({ ...spell, subjectId })))
    over.push(...ended.map((spell) => ({ ...spell, subjectId })))
    spells.set(subjectId, pastAfter(past, ended, newSpells, now))
  }
  await end(tx, kind, over)
  await begin(tx, kind, begun, before === null)
  const changes = Map.groupBy([...begun, ...over], ({ subjectId }) => subjectId)
  return {
    differs: new Map([...changes].map(([id, all]) => [id, new Set(all.map(({ kind }) => kind))])),
    pasts: {
      standings: new Map([...facts].map(([id, { place, product, isInHome }]) => [id, { place, product, isInHome }])),
      spells,
    },
  }
}

const isOpen = ({ ended }: StoredSpell) => ended === null
const isOfBuilding = ({ kind }: StoredSpell) => kind === 'BUILDING'
const isSame = (a: StoredSpell) => (b: StoredSpell) =>
  a.kind === b.kind && a.key === b.key && a.about === b.about && a.seen === b.seen

/** The stored intervals of a device or property after some have ended and some begun, as they would be read again. */
function pastAfter(
  past: readonly StoredSpell[],
  ended: readonly StoredSpell[],
  begun: readonly StoredSpell[],
  now: number,
): StoredSpell[] {
  const before = past
    .map((one) => (isOpen(one) ? (ended.find(isSame(one)) ?? one) : one))
    .filter((one) => one.ended === null || one.ended > oldestOf(now))
  return [...before, ...begun]
}

/** When an ended interval ended, if the current state shows it. */
function endOf({ kind }: StoredSpell, signals: readonly Signal[], fact: Known | undefined): number | null {
  if (kind === 'CONNECTIONSTATUS') return fact?.connectionSince ?? null
  if (kind !== 'DEVICESTATUS') return null
  // A worse status began, or the status ended.
  const next = signals.find((signal) => signal.kind === 'DEVICESTATUS')?.since
  return next || fact?.lastEnded ? Math.max(next ?? 0, fact?.lastEnded ?? 0) : null
}

async function homesNow(tx: TenantTx, ids: readonly string[], now: number): Promise<Map<string, Known>> {
  const homes = await homeFactsOf(tx, ids, now)
  return new Map(
    [...homes].map(([id, { place: of, ...facts }]) => [
      id,
      { place: of, product: null, signals: signalsOfHome(facts) },
    ]),
  )
}

async function devicesNow(tx: TenantTx, deviceIds: readonly string[], now: number): Promise<Map<string, Known>> {
  const { rows } = await sql<{
    id: string
    place: string
    product: Facts['product']
    connection: Facts['connection']
    connectionAt: Date | null
    isVoid: boolean
    lastEnded: Date | null
    supply: Record<string, unknown> | null
    tagIds: string[]
    buildingId: string | null
    isInHome: boolean
  }>`
    select wanted.id, device.* from ${eachOf(deviceIds)} cross join lateral (
      select product, connection_status as connection, connection_at as "connectionAt",
        coalesce(property.void_flag = 'Void', false) as "isVoid", (
          select max(ended_at) from condition where condition.tenant_id = ${tx.tenant} and condition.device_id = device.id
        ) as "lastEnded",
        case when reported -> 'inhibited' = 'true' then reported end as supply, ${place} as place, array(
          select tag_id from device_tag where tenant_id = ${tx.tenant} and device_id = device.id
        ) as "tagIds", coalesce(device.building_id, property.building_id) as "buildingId",
        device.property_id is not null as "isInHome"
      from device left join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
      where device.tenant_id = ${tx.tenant} and device.id = wanted.id offset 0
    ) as device`.execute(tx)
  const open = await openOf(tx, deviceIds)
  const missed = await missedSince(tx, deviceIds)
  const checks = await checksOf(tx, deviceIds, now)
  return new Map(
    rows.map((row) => {
      const facts: Facts = {
        product: row.product,
        connection: row.connection,
        connectionSince: row.connectionAt && +row.connectionAt,
        open: open.get(row.id) ?? [],
        lastEnded: row.lastEnded && +row.lastEnded,
        tagIds: row.tagIds,
        buildingId: row.buildingId,
        isVoid: row.isVoid,
        records: checks.get(row.id) ?? unchecked,
        testMissedSince: missed.get(row.id) ?? null,
        darkSince: row.supply ? darkSince(supplyOf(row.supply)) : undefined,
      }
      const { product, connectionSince, lastEnded } = facts
      return [
        row.id,
        { place: row.place, isInHome: row.isInHome, product, connectionSince, lastEnded, signals: signalsOf(facts) },
      ]
    }),
  )
}

const never = { state: null, dueSince: null }
/** For a device without recorded checks. */
const unchecked: Facts['records'] = { GasSafety: never, WaterTreatment: never }

/** The open conditions of these devices, for each only as many as signals need. */
async function openOf(tx: TenantTx, deviceIds: readonly string[]): Promise<Map<string, Facts['open']>> {
  const { rows } = await sql<Pick<Condition, 'kind' | 'key'> & { deviceId: string; beganAt: Date }>`
    select wanted.id as "deviceId", open.* from ${eachOf(deviceIds)} cross join lateral (
      select id, kind, key, began_at as "beganAt" from condition
      where tenant_id = ${tx.tenant} and device_id = wanted.id and ended_at is null offset 0
    ) as open order by "beganAt", open.id`.execute(tx)
  const of = Map.groupBy(rows, ({ deviceId }) => deviceId)
  const asOpen = ({ kind, key, beganAt }: (typeof rows)[number]) => ({ kind, key, began: +beganAt, ended: null })
  return new Map([...of].map(([id, some]) => [id, some.map(asOpen)]))
}

/** For each light, since when it has a missed test that it still needs. */
async function missedSince(tx: TenantTx, deviceIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; at: Date }>`
    select light.device_id as id, min(coalesce(light.ended_at, light.due_at)) as at
    from test_run_light as light join test_run as run on run.tenant_id = ${tx.tenant} and run.id = light.run_id
    where light.tenant_id = ${tx.tenant} and light.device_id = any(${uuids(deviceIds)}::uuid[]) and ${wantsAgain(tx)}
    group by 1`.execute(tx)
  return new Map(rows.map(({ id, at }) => [id, +at]))
}

async function end(tx: TenantTx, kind: Kind, over: readonly Of<StoredSpell>[]): Promise<void> {
  if (!over.length) return
  const { spells, id, about } = kinds[kind]
  const ids = uuids(over.map((one) => one.subjectId))
  // The subject ids are repeated here; otherwise the database scans all open intervals.
  await sql`
    update ${spells} as spell set ended_at = to_timestamp(input.ended_ms / 1000)
    from unnest(
      ${ids}::uuid[], ${over.map((one) => one.kind)}::text[], ${over.map((one) => one.key)}::text[],
      ${over.map((one) => one.about)}::text[], ${instants(over.map((one) => one.ended))}::float8[]
    ) as input (subject_id, kind, key, input_about, ended_ms)
    where spell.tenant_id = ${tx.tenant} and ${id} = any(${ids}::uuid[]) and ${id} = input.subject_id
      and spell.kind = input.kind and spell.key = input.key and ${about} = input_about and spell.ended_at is null`.execute(
    tx,
  )
}

async function begin(tx: TenantTx, kind: Kind, begun: readonly Of<StoredSpell>[], isFirst: boolean): Promise<void> {
  if (!begun.length) return
  const { spells, id } = kinds[kind]
  const ofHome = kind === 'home'
  const rows = sql`
    insert into ${spells} (tenant_id, ${id}, kind, key, ${ofHome ? sql`about, ` : sql``}began_at, seen_at)
    select ${tx.tenant}, subject_id, kind, key, ${ofHome ? sql`about, ` : sql``}
      to_timestamp(began_ms / 1000), to_timestamp(seen_ms / 1000)
    from unnest(
      ${uuids(begun.map((one) => one.subjectId))}::uuid[], ${begun.map((one) => one.kind)}::text[],
      ${begun.map((one) => one.key)}::text[], ${begun.map((one) => one.about)}::text[],
      ${instants(begun.map((one) => one.began))}::float8[], ${instants(begun.map((one) => one.seen))}::float8[]
    ) as input (subject_id, kind, key, about, began_ms, seen_ms)`
  // An interrupted first round may already have stored intervals with early times.
  await newRows(rows, isFirst).execute(tx)
}
