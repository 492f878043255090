import { sql } from 'kysely'
import { alertableEventNames, isOfHome } from '@caretaker/rules/alerts/triggers.ts'
import { lateFrom } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { instants, uuids } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { dueRulesOf } from '../compliance/figures.ts'
import { spellsOf } from './histories.ts'
import { lawDeadlinesOf } from './home-facts.ts'
import { isLive } from './store.ts'

const keys = alertableEventNames.filter((name) => isOfHome('ALERTABLEEVENT', name))

/**
 * The intervals of property facts that earlier versions stored for devices. Frost that a device reports itself stays
 * with the device. `device` and `property` name the device and its property.
 */
const isOfHomeFact = (tx: TenantTx) => sql`
  spell.tenant_id = ${tx.tenant} and spell.kind = 'ALERTABLEEVENT' and spell.key = any(${keys}::text[])
    and device.tenant_id = ${tx.tenant} and device.id = spell.device_id
    and property.tenant_id = ${tx.tenant} and property.id = device.property_id
    and (spell.key <> 'frostRisk' or property.frost_since is not null)`

/**
 * Moves the facts of properties from devices to properties: each open interval with one open alert per rule. Ended
 * intervals are deleted, or a later change of the device would raise their alerts again. Nobody is notified again of
 * an alert or of its end.
 */
export async function takeOverHomes(tx: TenantTx, now: number): Promise<void> {
  await sql`
    insert into home_spell (tenant_id, property_id, kind, key, began_at, seen_at)
    select distinct on (property.id, spell.key) ${tx.tenant}, property.id, spell.kind, spell.key, spell.began_at, spell.seen_at
    from device_spell as spell, device, property
    where ${isOfHomeFact(tx)} and spell.key not like 'awaabsLaw%' and spell.ended_at is null
    order by property.id, spell.key, spell.seen_at
    on conflict do nothing`.execute(tx)
  await takeOverDeadlines(tx)
  await takeOverAlerts(tx, now)
  await sql`delete from device_spell as spell using device, property where ${isOfHomeFact(tx)}`.execute(tx)
}

/** Earlier versions knew only the next deadline; its intervals and alerts move to that deadline. */
async function takeOverDeadlines(tx: TenantTx): Promise<void> {
  const { rows } = await sql<{ home: string; key: string; began: Date; seen: Date }>`
    select distinct on (property.id, spell.key) property.id as home, spell.key, spell.began_at as began, spell.seen_at as seen
    from device_spell as spell, device, property
    where ${isOfHomeFact(tx)} and spell.key like 'awaabsLaw%' and spell.ended_at is null
    order by property.id, spell.key, spell.seen_at`.execute(tx)
  if (!rows.length) return
  const { zone } = await dueRulesOf(tx)
  const homes = [...new Set(rows.map(({ home }) => home))]
  const deadlines = await lawDeadlinesOf(tx, homes)
  const next = new Map(
    [...deadlines].map(([home, some]) => [
      home,
      some.toSorted((a, b) => lateFrom(a.due, zone) - lateFrom(b.due, zone))[0]!.about,
    ]),
  )
  const known = rows.filter(({ home }) => next.has(home))
  await sql`
    insert into home_spell (tenant_id, property_id, kind, key, about, began_at, seen_at)
    select ${tx.tenant}, home, 'ALERTABLEEVENT', key, about, to_timestamp(began / 1000), to_timestamp(seen / 1000) from unnest(
      ${uuids(known.map(({ home }) => home))}::uuid[], ${known.map(({ key }) => key)}::text[],
      ${known.map(({ home }) => next.get(home)!)}::text[], ${instants(known.map(({ began }) => +began))}::float8[],
      ${instants(known.map(({ seen }) => +seen))}::float8[]
    ) as known (home, key, about, began, seen)
    on conflict do nothing`.execute(tx)
}

async function takeOverAlerts(tx: TenantTx, now: number): Promise<void> {
  const { rows } = await sql<{ id: string; definition: string; home: string; key: string }>`
    select alert.id, alert.definition_id as definition, property.id as home, alert.rule ->> 'triggerCondition' as key
    from alert
    join device on device.tenant_id = ${tx.tenant} and device.id = alert.device_id
    join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    where alert.tenant_id = ${tx.tenant} and ${isLive} and alert.rule ->> 'triggerType' = 'ALERTABLEEVENT'
      and alert.rule ->> 'triggerCondition' = any(${keys}::text[])
      and (alert.rule ->> 'triggerCondition' <> 'frostRisk' or property.frost_since is not null)
    order by alert.told_at nulls last, alert.seen_at, alert.id`.execute(tx)
  if (!rows.length) return
  const spells = await spellsOf(tx, 'home', [...new Set(rows.map(({ home }) => home))], { now })
  const kept = new Map<string, { id: string; home: string; about: string; seen: number }>()
  for (const { id, definition, home, key } of rows) {
    // The rule matches its alert by the time from which the interval is known.
    const spell = spells
      .get(home)
      ?.find(({ kind, key: of, ended }) => kind === 'ALERTABLEEVENT' && of === key && ended === null)
    const pair = `${definition} ${home}`
    if (spell && !kept.has(pair)) kept.set(pair, { id, home, about: spell.about, seen: spell.seen })
  }
  const ours = [...kept.values()]
  await sql`
    update alert set device_id = null, property_id = home, about = ours.about, seen_at = to_timestamp(seen / 1000)
    from unnest(
      ${uuids(ours.map(({ id }) => id))}::uuid[], ${uuids(ours.map(({ home }) => home))}::uuid[],
      ${ours.map(({ about }) => about)}::text[], ${instants(ours.map(({ seen }) => seen))}::float8[]
    ) as ours (id, home, about, seen)
    where alert.tenant_id = ${tx.tenant} and alert.id = ours.id`.execute(tx)
  const ids = new Set(ours.map(({ id }) => id))
  const others = uuids(rows.filter(({ id }) => !ids.has(id)).map(({ id }) => id))
  await sql`delete from alert where tenant_id = ${tx.tenant} and id = any(${others}::uuid[]) and told_at is null`.execute(
    tx,
  )
  await sql`
    update alert set closed_at = ${new Date(now)}, over_at = coalesce(over_at, ${new Date(now)}), ending = 'rule changed', next_at = null
    where tenant_id = ${tx.tenant} and id = any(${others}::uuid[])`.execute(tx)
}
