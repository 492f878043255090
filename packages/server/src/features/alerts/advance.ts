import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { addressesIn } from '@caretaker/rules/alerts/definition.ts'
import { sendTimes } from '@caretaker/rules/alerts/engine.ts'
import { isOfSilence, isToldAtOnce } from '@caretaker/rules/alerts/triggers.ts'
import type { AlertEnding, RuleWords } from '@caretaker/rules/alerts/words.ts'
import { changed } from '../../changes/changed.ts'
import type { Context } from '../../context.ts'
import { postMail } from '../../mail/mail.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { tell } from '../../webhooks/outbox.ts'
import type { StoredDefinition } from './evaluate.ts'
import { nextOf } from './evaluate.ts'
import { alertLetter } from './letters.ts'
import { subjectsOf } from './subjects.ts'

/** An alert that the clock takes a step further. */
interface Ripe {
  id: string
  definitionId: string
  deviceId: string
  rule: RuleWords
  place: string
  began: number
  unstable: boolean
  due: number | null
  tell: number | null
  told: number | null
  ended: number | null
  over: number | null
  overTell: number | null
  overTold: number | null
  ending: AlertEnding | null
  closed: number | null
  behind: number
}

type Config = Context['config']

/** Takes every alert as far as the clock does: decides when it is told, tells it, and the same of its end. Returns how many mails were posted. */
export async function advance(
  tx: TenantTx,
  config: Config,
  definitions: ReadonlyMap<string, StoredDefinition>,
  now: number,
): Promise<number> {
  let posted = 0
  for (;;) {
    const ripe = await ripeBy(tx, now)
    if (!ripe.length) return posted
    const untold = ripe.filter(({ told }) => told === null)
    const open = ripe.filter(({ closed }) => closed === null)
    await decide(tx, config, ripe, 'told', now)
    posted += await tellPeople(tx, config, definitions, ripe, 'told', now)
    await decide(tx, config, ripe, 'over', now)
    posted += await tellPeople(tx, config, definitions, ripe, 'over', now)
    await write(tx, ripe)
    await tellSoftware(tx, 'told', untold)
    await tellSoftware(tx, 'over', open)
    await changed(tx, 'alert', null)
  }
}

/** More than a place has: what becomes due in it together is one e-mail. */
const ripeAtOnce = 20_000

async function ripeBy(tx: TenantTx, now: number): Promise<Ripe[]> {
  const rows = await tx
    .selectFrom('alert')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('next_at', '<=', new Date(now))
    .orderBy('next_at')
    .orderBy('device_id')
    .limit(ripeAtOnce)
    .execute()
  const ms = (at: Date | null) => at && +at
  return rows.map((row) => ({
    ...{ id: row.id, definitionId: row.definition_id, deviceId: row.device_id, rule: row.rule, place: row.place },
    ...{ began: +row.began_at, unstable: row.unstable, due: ms(row.due_at), tell: ms(row.tell_at) },
    ...{ told: ms(row.told_at), ended: ms(row.ended_at), over: ms(row.over_at), overTell: ms(row.over_tell_at) },
    ...{ overTold: ms(row.over_told_at), ending: row.ending, closed: ms(row.closed_at), behind: row.behind },
  }))
}

const steps = {
  told: {
    isAt: (one: Ripe, now: number) => one.tell === null && one.due !== null && one.due <= now,
    time: (one: Ripe) => one.due!,
    column: sql.ref('tell_at'),
    set: (one: Ripe, at: number) => (one.tell = at),
  },
  over: {
    isAt: (one: Ripe, now: number) =>
      one.told !== null && one.overTell === null && one.over !== null && one.over <= now,
    time: (one: Ripe) => one.over!,
    column: sql.ref('over_tell_at'),
    set: (one: Ripe, at: number) => (one.overTell = at),
  },
} as const

/** What a person brought about is not told to those who were told of the alert. */
const isQuiet = ({ ending }: Ripe) => ending !== null && ending !== 'it was so no more'

const groupOf = (one: Ripe) => `${one.definitionId} ${one.place}`

/** Says when what has become due is sent, place by place. */
async function decide(
  tx: TenantTx,
  { alertPace: pace }: Config,
  ripe: readonly Ripe[],
  step: keyof typeof steps,
  now: number,
): Promise<void> {
  const { isAt, time, column, set } = steps[step]
  const those = ripe.filter((one) => isAt(one, now) && one.closed === null)
  if (step === 'over') for (const one of those.filter(isQuiet)) one.closed = one.over
  const open = those.filter((one) => one.closed === null)
  if (!open.length) return
  const groups = [...Map.groupBy(open, groupOf).values()]
  const { rows } = await sql<{ group: string; last: Date | null }>`
    select alert.definition_id || ' ' || alert.place as "group", max(${column}) as last
    from unnest(
      ${groups.map(([one]) => one!.definitionId)}::uuid[], ${groups.map(([one]) => one!.place)}::text[]
    ) as wanted (definition_id, place)
    join alert on alert.tenant_id = ${tx.tenant} and alert.definition_id = wanted.definition_id
      and alert.place = wanted.place
    group by 1`.execute(tx)
  const last = new Map(rows.map((row) => [row.group, row.last && +row.last]))
  for (const group of groups) {
    group.sort((a, b) => time(a) - time(b) || (a.deviceId < b.deviceId ? -1 : 1))
    const { triggerType, triggerCondition } = group[0]!.rule
    const times = sendTimes(group.map(time), last.get(groupOf(group[0]!)) ?? null, {
      atOnce: isToldAtOnce(triggerType, triggerCondition),
      pace,
    })
    for (const [index, one] of group.entries()) set(one, times[index]!)
  }
}

/** Sends what is to be sent by now, with the transaction that writes it down. */
async function tellPeople(
  tx: TenantTx,
  config: Config,
  definitions: ReadonlyMap<string, StoredDefinition>,
  ripe: readonly Ripe[],
  kind: 'told' | 'over',
  now: number,
): Promise<number> {
  const at = (one: Ripe) => (kind === 'told' ? one.tell : one.overTell)
  const done = (one: Ripe) => (kind === 'told' ? one.told : one.overTold)
  const those = ripe.filter((one) => one.closed === null && done(one) === null && at(one) !== null && at(one)! <= now)
  let posted = 0
  for (const [, group] of Map.groupBy(those, (one) => `${groupOf(one)} ${at(one)}`)) {
    const definition = definitions.get(group[0]!.definitionId)
    if (kind === 'told' && definition) await countBehind(tx, definition.tagId, group)
    posted += await send(tx, config, definition, group, kind, now)
    for (const one of group)
      if (kind === 'told') one.told = now
      else one.overTold = one.closed = now
  }
  return posted
}

/** Tells the client's own software of every alert that was told or closed just now, whether or not anybody gets an e-mail of it. */
async function tellSoftware(tx: TenantTx, kind: 'told' | 'over', alerts: readonly Ripe[]): Promise<void> {
  const news = alerts.filter(({ told, closed }) => told !== null && (kind === 'told' || closed !== null))
  await tell(
    tx,
    news.map(({ id, deviceId, rule, began, ended, ending, unstable, behind }) => ({
      ...{ event: `alert.${kind}` as const, deviceId, at: new Date(kind === 'told' ? began : (ended ?? began)) },
      data: {
        alert: {
          ...{ id, rule, began: iso(began), ended: iso(ended) },
          ...{ ending: ended === null ? null : ending, unstable, devicesBehind: behind },
        },
      },
    })),
  )
}

/** Of gateways that fell silent: how many tagged devices they take with them. */
async function countBehind(tx: TenantTx, tagId: string, group: readonly Ripe[]): Promise<void> {
  const silent = group.filter(({ rule }) => isOfSilence(rule.triggerType, rule.triggerCondition))
  if (!silent.length) return
  const { rows } = await sql<{ id: string; n: number }>`
    with recursive below as (
      select device.id, parent_id as root, 1 as step from device
      where device.tenant_id = ${tx.tenant} and parent_id = any(${silent.map((one) => one.deviceId)}::uuid[])
      union all
      select device.id, below.root, step + 1
      from below join device on device.tenant_id = ${tx.tenant} and device.parent_id = below.id where step < 4
    )
    select root as id, count(distinct below.id)::int as n
    from below join device_tag on device_tag.tenant_id = ${tx.tenant} and device_tag.device_id = below.id
    where device_tag.tag_id = ${tagId}
    group by 1`.execute(tx)
  const counts = new Map(rows.map(({ id, n }) => [id, n]))
  for (const one of silent) one.behind = counts.get(one.deviceId) ?? 0
}

async function send(
  tx: TenantTx,
  config: Config,
  definition: StoredDefinition | undefined,
  group: readonly Ripe[],
  kind: 'told' | 'over',
  now: number,
): Promise<number> {
  if (!definition || definition.notificationType === 'NONE') return 0
  const recipients = await recipientsOf(tx, definition, group, kind)
  if (!recipients.length) return 0
  const { about, reach } = await subjectsOf(tx, group)
  for (const { address, token } of recipients) {
    const unsubscribe = definition.notificationType === 'EMAIL' ? token : null
    const mail = alertLetter({ config, reach, to: address, kind, rule: group[0]!.rule, alerts: about, unsubscribe })
    const mailId = await postMail(tx, config, mail)
    await tx
      .insertInto('alert_mail')
      .values(
        group.map((one) => ({
          ...{ tenant_id: tx.tenant, alert_id: one.id, mail_id: mailId, kind, recipient: address, at: new Date(now) },
        })),
      )
      .execute()
  }
  return recipients.length
}

interface Recipient {
  address: string
  token: string
}

/** Who is told: the addresses of the rule, and of an end only those who were told of its beginning. */
async function recipientsOf(
  tx: TenantTx,
  definition: StoredDefinition,
  group: readonly Ripe[],
  kind: 'told' | 'over',
): Promise<Recipient[]> {
  const addresses =
    kind === 'told'
      ? addressesIn(definition.notificationTarget)
      : (
          await tx
            .selectFrom('alert_mail')
            .select('recipient')
            .distinct()
            .where('tenant_id', '=', tx.tenant)
            .where('kind', '=', 'told')
            .where(sql<boolean>`alert_id = any(${group.map(({ id }) => id)}::uuid[])`)
            .orderBy('recipient')
            .execute()
        ).map(({ recipient }) => recipient)
  return withTokens(tx, definition.id, addresses)
}

/** Each with the token of its link, without those who want no more of it. */
export async function withTokens(
  tx: TenantTx,
  definitionId: string,
  addresses: readonly string[],
): Promise<Recipient[]> {
  if (!addresses.length) return []
  const keys = addresses.map((address) => address.toLowerCase())
  await tx
    .insertInto('alert_recipient')
    .values(
      keys.map((address) => ({
        ...{ tenant_id: tx.tenant, definition_id: definitionId, address },
        ...{ token: randomBytes(24).toString('base64url'), unsubscribed_at: null },
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const rows = await tx
    .selectFrom('alert_recipient')
    .select(['address', 'token', 'unsubscribed_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('definition_id', '=', definitionId)
    .where(sql<boolean>`address = any(${keys}::text[])`)
    .execute()
  const known = new Map(rows.map((row) => [row.address, row]))
  return addresses.flatMap((address) => {
    const row = known.get(address.toLowerCase())
    return row && !row.unsubscribed_at ? [{ address, token: row.token }] : []
  })
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

async function write(tx: TenantTx, ripe: readonly Ripe[]): Promise<void> {
  await sql`
    update alert set tell_at = told.tell_at, told_at = told.told_at, over_tell_at = told.over_tell_at,
      over_told_at = told.over_told_at, closed_at = told.closed_at, behind = told.behind, next_at = told.next_at
    from unnest(
      ${ripe.map((one) => one.id)}::uuid[], ${ripe.map((one) => iso(one.tell))}::timestamptz[],
      ${ripe.map((one) => iso(one.told))}::timestamptz[], ${ripe.map((one) => iso(one.overTell))}::timestamptz[],
      ${ripe.map((one) => iso(one.overTold))}::timestamptz[], ${ripe.map((one) => iso(one.closed))}::timestamptz[],
      ${ripe.map((one) => one.behind)}::int[], ${ripe.map((one) => iso(nextOf(one)))}::timestamptz[]
    ) as told (id, tell_at, told_at, over_tell_at, over_told_at, closed_at, behind, next_at)
    where alert.tenant_id = ${tx.tenant} and alert.id = told.id`.execute(tx)
}
