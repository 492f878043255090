import type { RawBuilder, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Episode, Pace } from '@caretaker/rules/alerts/engine.ts'
import { episodesOf } from '@caretaker/rules/alerts/engine.ts'
import type { Scope } from '@caretaker/rules/alerts/scope.ts'
import { isOfSilence } from '@caretaker/rules/alerts/triggers.ts'
import type { RuleWords, StoredEnding } from '@caretaker/rules/alerts/words.ts'
import { storedCleared } from '@caretaker/rules/alerts/words.ts'
import { changed } from '../../changes/changed.ts'
import { eachOf, instants, uuids } from '../../postgres/each.ts'
import { idInOrder } from '../../postgres/ids.ts'
import { newRows } from '../../postgres/new-rows.ts'
import type { Database } from '../../postgres/database.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Histories, Pasts } from './histories.ts'
import type { Kind } from './kinds.ts'
import { kinds } from './kinds.ts'
import { asRule, historiesOf, oldestOf, relatedTo } from './histories.ts'
import type { Observed } from './observe.ts'
import { namesIn, scopeColumn, scopeIn } from './scopes.ts'

/** A rule with everything the worker needs. */
export interface StoredDefinition extends RuleWords {
  id: string
  covers: Scope
  enabled: boolean
  changedAt: number
  /** The rule is new or was changed, and has not been evaluated for everything yet. */
  isPending: boolean
  notificationType: 'NONE' | 'EMAIL' | 'EMAILUNEDITABLE'
  notificationTarget: string
}

export const definitionsOf = async (tx: TenantTx, ids: readonly string[]): Promise<StoredDefinition[]> =>
  ids.length ? definitionsBy(tx, sql<boolean>`rule.id = any(${ids}::uuid[])`) : []

/** The enabled rules that can cover something with one of these tags, or without any. */
const definitionsByTags = (tx: TenantTx, tagIds: readonly string[]) =>
  definitionsBy(
    tx,
    sql<boolean>`enabled and (rule.tag_id = any(${tagIds}::uuid[]) or rule.scope_tags && ${tagIds}::uuid[]
      or (rule.tag_id is null and rule.scope_tags = '{}'))`,
  )

async function definitionsBy(tx: TenantTx, which: RawBuilder<boolean>): Promise<StoredDefinition[]> {
  const rows = await tx
    .selectFrom('alert_definition as rule')
    .where('rule.tenant_id', '=', tx.tenant)
    .where(which)
    .select(['rule.id', 'enabled', 'delay', 'delay_unit', 'trigger_type', 'trigger_condition'])
    .select(['changed_at', 'pending', 'notification_type', 'notification_target'])
    .select(scopeColumn(tx))
    .execute()
  return rows.map((row) => ({
    id: row.id,
    covers: scopeIn(row.scope),
    enabled: row.enabled,
    scope: namesIn(row.scope),
    tagName: namesIn(row.scope).tags.join(', '),
    delay: row.delay,
    delayUnit: row.delay_unit,
    triggerType: row.trigger_type,
    triggerCondition: row.trigger_condition,
    changedAt: +row.changed_at,
    isPending: row.pending,
    notificationType: row.notification_type,
    notificationTarget: row.notification_target,
  }))
}

/**
 * The devices whose alerts may have changed: those that changed themselves, and those affected by their outages, tags
 * or buildings.
 */
export async function concernedBy(tx: TenantTx, { differs }: Observed): Promise<string[]> {
  const ids = [...differs.keys()]
  const turned = new Set(ids.filter((id) => differs.get(id)!.has('CONNECTIONSTATUS')))
  const moved = new Set(ids.filter((id) => differs.get(id)!.has('TAG') || differs.get(id)!.has('BUILDING')))
  if (!turned.size && !moved.size) return ids
  const related = (await relatedTo(tx, [...turned, ...moved])).flatMap(({ id, ancestor }) => [
    ...(turned.has(ancestor) ? [id] : []),
    ...(moved.has(id) ? [ancestor] : []),
  ])
  if (!related.length) return ids
  const { rows } = await sql<{ id: string }>`
    select device_id as id from device_spell
    where tenant_id = ${tx.tenant} and device_id = any(${[...new Set(related)]}::uuid[])
      and kind = 'CONNECTIONSTATUS' and key = 'NotConnected' and ended_at is null`.execute(tx)
  return [...new Set([...ids, ...rows.map(({ id }) => id)])]
}

interface Stored {
  id: string
  definitionId: string
  subjectId: string
  /** Identifies the fact of a property that the alert is about. */
  about: string
  seen: number
  due: number | null
  held: Episode['held']
  unstable: boolean
  notifyAt: number | null
  notifiedAt: number | null
  ended: number | null
  over: number | null
  overNotifyAt: number | null
  ending: StoredEnding | null
  closed: number | null
}

/** When the next step of an alert is due by time alone; null when it waits for its device. */
export function nextOf(
  alert: Pick<Stored, 'due' | 'notifyAt' | 'notifiedAt' | 'over' | 'overNotifyAt' | 'closed'>,
): number | null {
  if (alert.closed !== null) return null
  if (alert.notifyAt === null) return alert.due
  if (alert.notifiedAt === null) return alert.notifyAt
  return alert.overNotifyAt ?? alert.over
}

interface Asked {
  /** No notifications are sent for times before the tenant was first evaluated. */
  started: number
  now: number
  pace: Pace
  /** Only these rules, because they changed; all rules otherwise. */
  only?: readonly StoredDefinition[]
  /** Histories that are already loaded. */
  pasts?: Pasts
}

/**
 * Updates the alerts of these devices or properties to match their history. Recipients and times are decided in
 * `advance`.
 */
export async function evaluate(tx: TenantTx, kind: Kind, ids: readonly string[], asked: Asked): Promise<void> {
  if (!ids.length) return
  const histories = await historiesOf(tx, kind, ids, asked.now, asked.pasts)
  const tags = new Map(ids.map((id) => [id, histories.tagsOf(id)]))
  const definitions =
    asked.only?.filter(({ enabled }) => enabled) ??
    (await definitionsByTags(tx, [...new Set([...tags.values()].flatMap((some) => [...some]))]))
  const stored = await storedOf(tx, kind, ids, asked)
  const byPair = Map.groupBy(stored, (one) => `${one.definitionId} ${one.subjectId}`)
  const byTag = new Map<string, StoredDefinition[]>()
  for (const definition of definitions)
    for (const tag of definition.covers.tagIds) byTag.set(tag, [...(byTag.get(tag) ?? []), definition])
  const withoutTags = definitions.filter(({ covers }) => !covers.tagIds.length)
  const candidatesFor = (subjectId: string) =>
    new Set(
      [
        ...[...tags.get(subjectId)!].flatMap((tag) => byTag.get(tag) ?? []),
        // Rules about lost connections also look at the devices connected through a gateway.
        ...withoutTags.filter(
          ({ covers, triggerType, triggerCondition }) =>
            histories.isOfFamily(subjectId, covers) || isOfSilence(triggerType, triggerCondition),
        ),
      ].filter((definition) => histories.isSubject(subjectId, definition)),
    )
  const writing = new Writing(kind)
  for (const subjectId of ids)
    for (const definition of candidatesFor(subjectId)) {
      const pair = `${definition.id} ${subjectId}`
      const alerts = byPair.get(pair) ?? []
      const abouts = new Set([...histories.aboutsOf(subjectId, definition), ...alerts.map(({ about }) => about)])
      for (const about of abouts) {
        const those = alerts.filter((one) => one.about === about)
        reconcile(writing, { definition, histories, subjectId, about, stored: those }, asked)
      }
      byPair.delete(pair)
    }
  // True when the rule no longer covers the subject, or when a fact of a property is stored for a device that has
  // left that property.
  const isMoved = (alert: Stored) => {
    const rule = definitions.find(({ id }) => id === alert.definitionId)
    return rule !== undefined && !histories.isSubject(alert.subjectId, rule)
  }
  for (const alert of [...byPair.values()].flat())
    writing.end(alert, asked.now, isMoved(alert) ? 'out of scope' : 'tag taken off')
  await writing.flush(tx, asked.now)
}

interface Pair {
  definition: StoredDefinition
  histories: Histories
  subjectId: string
  about: string
  stored: readonly Stored[]
}

function reconcile(
  writing: Writing,
  { definition, histories, subjectId, about, stored }: Pair,
  { started, now, pace }: Asked,
): void {
  const from = Math.max(definition.changedAt, started)
  const rule = asRule(definition, from, pace)
  const history = histories.history(subjectId, { ...definition, scope: definition.covers }, about)
  const left = new Map(stored.map((one) => [one.seen, one]))
  for (const episode of episodesOf(rule, history)) {
    const alert = left.get(episode.seen)
    left.delete(episode.seen)
    if (alert) {
      const ended =
        episode.ended !== null && history.active.some((one) => one.ended === null || one.ended > episode.ended!)
      const leaving = definition.covers.buildingIds.length ? 'out of scope' : 'tag taken off'
      const ending = !histories.isInService(subjectId) ? 'out of service' : ended ? leaving : storedCleared
      writing.update(alert, episode, episode.ended === null ? null : ending)
      continue
    }
    const isOpen = episode.ended === null
    // An interval that was never notified leaves no trace, unless a rule had suppressed it.
    if (episode.held === 'gateway' && episode.due === null) continue
    if (!isOpen && episode.due === null && episode.held === null) continue
    // Skips intervals that ended before the rule had its current form or before the first evaluation.
    if (!isOpen && (definition.isPending || (episode.due === null && episode.ended! <= from))) continue
    writing.add(definition, { ...episode, about }, now)
  }
  for (const alert of left.values())
    writing.end(alert, now, histories.isInService(subjectId) ? 'rule changed' : 'out of service')
}

type StoredRow = Pick<
  Selectable<Database['alert']>,
  | ('id' | 'definition_id' | 'about' | 'seen_at' | 'due_at' | 'held' | 'unstable' | 'tell_at' | 'told_at')
  | ('ended_at' | 'over_at' | 'over_tell_at' | 'ending' | 'closed_at')
> & { subject_id: string }

/** The alerts of these devices or properties that may belong to the intervals in their history. */
async function storedOf(
  tx: TenantTx,
  kind: Kind,
  subjects: readonly string[],
  { only, now }: Asked,
): Promise<Stored[]> {
  const oldest = new Date(oldestOf(now))
  const ids = only?.map(({ id }) => id)
  const { rows } = await sql<StoredRow>`
    select alert.* from ${eachOf(subjects)} cross join lateral (
      select id, definition_id, ${kinds[kind].id} as subject_id, about, seen_at, due_at, held, unstable, tell_at, told_at, ended_at, over_at, over_tell_at,
        ending, closed_at
      from alert
      where tenant_id = ${tx.tenant} and ${kinds[kind].id} = wanted.id
        and ending is distinct from 'rule changed' and (closed_at is null or seen_at > ${oldest}) offset 0
    ) as alert ${ids ? sql`where definition_id = any(${ids}::uuid[])` : sql``}`.execute(tx)
  const ms = (at: Date | null) => at && +at
  return rows.map((row) => ({
    id: row.id,
    definitionId: row.definition_id,
    subjectId: row.subject_id,
    about: row.about,
    seen: +row.seen_at,
    due: ms(row.due_at),
    held: row.held,
    unstable: row.unstable,
    notifyAt: ms(row.tell_at),
    notifiedAt: ms(row.told_at),
    ended: ms(row.ended_at),
    over: ms(row.over_at),
    overNotifyAt: ms(row.over_tell_at),
    ending: row.ending,
    closed: ms(row.closed_at),
  }))
}

interface Found extends Episode {
  about: string
}

/** Collects changes to alerts and writes them in three statements, however many there are. */
class Writing {
  readonly #kind: Kind
  #added: (Found & { id: string; definition: StoredDefinition; closed: number | null })[] = []
  #changed: Stored[] = []
  #gone: string[] = []

  constructor(kind: Kind) {
    this.#kind = kind
  }

  add(definition: StoredDefinition, episode: Found, now: number): void {
    const closed = episode.due === null && episode.ended !== null ? now : null
    this.#added.push({ ...episode, id: idInOrder(), definition, closed })
  }

  update(alert: Stored, episode: Episode, ending: StoredEnding | null): void {
    if (alert.closed !== null) return
    // The due time is final once the time of the notification was decided.
    const due = alert.notifyAt === null ? episode.due : alert.due
    const isOver = alert.notifyAt === null && due === null
    // The rule no longer covers the device: nobody is notified any more, and nothing stays pending.
    const isLeft = ending === 'tag taken off' || ending === 'out of scope'
    if (episode.ended !== null && (isOver || isLeft)) return this.end(alert, episode.ended, ending!)
    const over = alert.overNotifyAt === null ? overOf(alert, episode) : alert.over
    const { held, unstable, ended } = episode
    if (due !== alert.due || held !== alert.held || ended !== alert.ended || over !== alert.over)
      this.#changed.push({ ...alert, due, held, unstable, ended, over, ending })
  }

  /** Ends the alert without an e-mail: a user ended it, or nobody was notified of it. */
  end(alert: Stored, at: number, ending: StoredEnding): void {
    if (alert.closed !== null) return
    if (alert.notifiedAt === null && alert.held !== 'muted') this.#gone.push(alert.id)
    else this.#changed.push({ ...alert, ended: alert.ended ?? at, over: alert.over ?? at, ending, closed: at })
  }

  async flush(tx: TenantTx, now: number): Promise<void> {
    if (!this.#added.length && !this.#changed.length && !this.#gone.length) return
    if (this.#gone.length)
      await sql`delete from alert where tenant_id = ${tx.tenant} and id = any(${uuids(this.#gone)}::uuid[])`.execute(tx)
    await this.#add(tx, now)
    await this.#change(tx)
    await changed(tx, 'alert', null)
  }

  async #add(tx: TenantTx, now: number): Promise<void> {
    const added = this.#added
    if (!added.length) return
    const words = ({ tagName, scope, triggerType, triggerCondition, delay, delayUnit }: RuleWords): RuleWords => ({
      ...{ tagName, scope, triggerType, triggerCondition, delay, delayUnit },
    })
    // The words of a rule, and an event that several rules raise, are sent once and referred to by number.
    const rules = numbered(added, ({ definition }) => definition.id)
    const times = numbered(added, (one) =>
      [one.subjectId, one.about, one.seen, one.began, one.held, one.unstable, one.ended, one.closed].join(),
    )
    const rows = sql`
      insert into alert (tenant_id, id, definition_id, ${kinds[this.#kind].id}, about, place, began_at, seen_at, due_at, held, unstable,
        ended_at, over_at, next_at, closed_at, rule)
      select ${tx.tenant}, input.id, rule.id, subject_id, about, place, to_timestamp(began_ms / 1000), to_timestamp(seen_ms / 1000),
        to_timestamp(due_ms / 1000), held, unstable, to_timestamp(ended_ms / 1000), to_timestamp(over_ms / 1000),
        case when closed_ms is null then to_timestamp(due_ms / 1000) end, to_timestamp(closed_ms / 1000), words
      from unnest(
        ${uuids(added.map((one) => one.id))}::uuid[], ${`{${rules.numbers.join()}}`}::integer[], ${`{${times.numbers.join()}}`}::integer[],
        ${instants(added.map((one) => one.due))}::float8[], ${instants(added.map((one) => one.over))}::float8[]
      ) as input (id, rule_no, time_no, due_ms, over_ms)
      join unnest(
        ${uuids(rules.each.map((one) => one.definition.id))}::uuid[],
        ${rules.each.map((one) => JSON.stringify(words(one.definition)))}::jsonb[]
      ) with ordinality as rule (id, words, no) on rule.no = input.rule_no
      join unnest(
        ${uuids(times.each.map((one) => one.subjectId))}::uuid[], ${times.each.map((one) => one.about)}::text[],
        ${times.each.map((one) => one.place)}::text[],
        ${instants(times.each.map((one) => one.began))}::float8[], ${instants(times.each.map((one) => one.seen))}::float8[],
        ${times.each.map((one) => one.held)}::text[], ${times.each.map((one) => one.unstable)}::boolean[],
        ${instants(times.each.map((one) => one.ended))}::float8[], ${instants(times.each.map((one) => one.closed))}::float8[]
      ) with ordinality as time (subject_id, about, place, began_ms, seen_ms, held, unstable, ended_ms, closed_ms, no)
        on time.no = input.time_no`
    // Closed alerts were read only as far as they may matter, so an earlier one may already exist.
    await newRows(
      rows,
      added.some(({ seen }) => seen <= oldestOf(now)),
    ).execute(tx)
  }

  async #change(tx: TenantTx): Promise<void> {
    const changes = this.#changed
    if (!changes.length) return
    await sql`
      update alert set due_at = to_timestamp(due_ms / 1000), held = input.held, unstable = input.unstable,
        ended_at = to_timestamp(ended_ms / 1000), over_at = to_timestamp(over_ms / 1000), ending = input.ending,
        closed_at = to_timestamp(closed_ms / 1000), next_at = to_timestamp(next_ms / 1000)
      from unnest(
        ${uuids(changes.map((one) => one.id))}::uuid[], ${instants(changes.map((one) => one.due))}::float8[],
        ${changes.map((one) => one.held)}::text[], ${changes.map((one) => one.unstable)}::boolean[],
        ${instants(changes.map((one) => one.ended))}::float8[], ${instants(changes.map((one) => one.over))}::float8[],
        ${changes.map((one) => one.ending)}::text[], ${instants(changes.map((one) => one.closed))}::float8[],
        ${instants(changes.map(nextOf))}::float8[]
      ) as input (id, due_ms, held, unstable, ended_ms, over_ms, ending, closed_ms, next_ms)
      where alert.tenant_id = ${tx.tenant} and alert.id = input.id`.execute(tx)
  }
}

/** The end of an alert. A changed rule may no longer match the interval; then the device's own history decides. */
const overOf = (alert: Stored, episode: Episode) =>
  episode.ended === null ? null : Math.max(episode.over ?? episode.ended, alert.notifyAt ?? 0)

/** The first item with each key, and the number of each item's key, from 1. */
function numbered<T>(all: readonly T[], keyOf: (one: T) => string): { each: T[]; numbers: number[] } {
  const each: T[] = []
  const numberOf = new Map<string, number>()
  const numbers = all.map((one) => {
    const key = keyOf(one)
    const known = numberOf.get(key) ?? each.push(one)
    numberOf.set(key, known)
    return known
  })
  return { each, numbers }
}
