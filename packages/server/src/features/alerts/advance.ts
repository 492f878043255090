import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { addressesIn } from '@caretaker/rules/alerts/definition.ts'
import { sendTimes } from '@caretaker/rules/alerts/engine.ts'
import { isOfSilence, isNotifiedAtOnce } from '@caretaker/rules/alerts/triggers.ts'
import type { AlertEnding, RuleWords } from '@caretaker/rules/alerts/words.ts'
import { endingIn, namesInScope } from '@caretaker/rules/alerts/words.ts'
import { changed } from '../../changes/changed.ts'
import type { Context } from '../../context.ts'
import { postMails } from '../../mail/mail.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { enqueueMessages } from '../../projections/outbox.ts'
import type { StoredDefinition } from './evaluate.ts'
import { definitionsOf, nextOf } from './evaluate.ts'
import { countBehind } from './behind.ts'
import { alertLetter } from './alert-emails.ts'
import { subjectsOf } from './subjects.ts'

/** An alert whose next step is due. */
interface DueAlert {
  id: string
  definitionId: string
  /** The device or the property that the alert is about. */
  deviceId: string | null
  propertyId: string | null
  about: string
  rule: RuleWords
  place: string
  began: number
  unstable: boolean
  due: number | null
  notifyAt: number | null
  notifiedAt: number | null
  ended: number | null
  over: number | null
  overNotifyAt: number | null
  overNotifiedAt: number | null
  ending: AlertEnding | null
  closed: number | null
  behind: number
}

type Config = Context['config']

/**
 * The phases in order. All decisions come before all e-mails, because the first alert of a place decides when the
 * others of that place are notified.
 */
const phases = [
  { does: 'decide', kind: 'told', which: 'tell_at is null' },
  { does: 'send', kind: 'told', which: 'tell_at is not null and told_at is null' },
  { does: 'decide', kind: 'over', which: 'told_at is not null and over_tell_at is null' },
  { does: 'send', kind: 'over', which: 'over_tell_at is not null' },
] as const
type Phase = (typeof phases)[number]

/** Alerts per transaction: small enough that the transaction ends before a stopping worker is killed. */
const atOnce: Record<Phase['does'], number> = { decide: 5000, send: 500 }

/**
 * Advances some of the due alerts: decides when each is notified, sends the notifications, and does the same for
 * their ends. Returns the number of e-mails queued; undefined when nothing was due.
 */
export async function advance(tx: TenantTx, config: Config, now: number): Promise<number | undefined> {
  for (const phase of phases) {
    const dueAlerts = await findDueAlerts(tx, phase, now)
    if (!dueAlerts.length) continue
    const { does, kind } = phase
    const unnotified = dueAlerts.filter(({ notifiedAt }) => notifiedAt === null)
    let posted = 0
    if (does === 'decide') await decide(tx, config, dueAlerts, kind)
    else posted = await sendEmails(tx, config, dueAlerts, kind, now)
    await write(tx, dueAlerts)
    await notifyWebhooks(tx, 'told', unnotified)
    await notifyWebhooks(tx, 'over', dueAlerts)
    await changed(tx, 'alert', null)
    return posted
  }
  return undefined
}

/** Some of the alerts that are due in a phase, oldest first. Alerts that share an e-mail are never split. */
async function findDueAlerts(tx: TenantTx, { does, which }: Phase, now: number): Promise<DueAlert[]> {
  const rows = await tx
    .selectFrom('alert')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('next_at', '<=', new Date(now))
    // `is true` keeps the condition out of index searches: otherwise the planner scans the index of all alerts
    // without an e-mail instead of the index of due ones.
    .where(sql<boolean>`(${sql.raw(which)}) is true`)
    .orderBy('next_at')
    .orderBy('definition_id')
    .orderBy('place')
    .fetch(atOnce[does], 'with ties')
    .execute()
  const ms = (at: Date | null) => at && +at
  return rows.map((row) => ({
    ...{ id: row.id, definitionId: row.definition_id, deviceId: row.device_id, propertyId: row.property_id },
    ...{ about: row.about, rule: row.rule, place: row.place },
    ...{ began: +row.began_at, unstable: row.unstable, due: ms(row.due_at), notifyAt: ms(row.tell_at) },
    ...{
      notifiedAt: ms(row.told_at),
      ended: ms(row.ended_at),
      over: ms(row.over_at),
      overNotifyAt: ms(row.over_tell_at),
    },
    ...{
      overNotifiedAt: ms(row.over_told_at),
      ending: row.ending && endingIn(row.ending),
      closed: ms(row.closed_at),
      behind: row.behind,
    },
  }))
}

const steps = {
  told: {
    time: (one: DueAlert) => one.due!,
    at: (one: DueAlert) => one.notifyAt!,
    column: sql.ref('tell_at'),
    set: (one: DueAlert, at: number) => (one.notifyAt = at),
  },
  over: {
    time: (one: DueAlert) => one.over!,
    at: (one: DueAlert) => one.overNotifyAt!,
    column: sql.ref('over_tell_at'),
    set: (one: DueAlert, at: number) => (one.overNotifyAt = at),
  },
} as const

/** An alert that a user ended is closed without an e-mail. */
const isQuiet = ({ ending }: DueAlert) => ending !== null && ending !== 'cleared'

const subjectOf = (one: DueAlert) => one.deviceId ?? `${one.propertyId!} ${one.about}`
const groupOf = (one: DueAlert) => `${one.definitionId} ${one.place}`

/** Decides per place when the alerts that became due are notified. */
async function decide(
  tx: TenantTx,
  { alertPace: pace }: Config,
  dueAlerts: readonly DueAlert[],
  kind: Phase['kind'],
): Promise<void> {
  const { time, column, set } = steps[kind]
  if (kind === 'over') for (const one of dueAlerts.filter(isQuiet)) one.closed = one.over
  const open = dueAlerts.filter((one) => one.closed === null)
  if (!open.length) return
  const groups = [...Map.groupBy(open, groupOf).values()]
  const { rows } = await sql<{ group: string; last: Date | null }>`
    select alert.definition_id || ' ' || alert.place as "group", max(${column}) as last
    from unnest(
      ${groups.map(([one]) => one!.definitionId)}::uuid[], ${groups.map(([one]) => one!.place)}::text[]
    ) as wanted (definition_id, place)
    join alert on alert.tenant_id = ${tx.tenant} and alert.definition_id = wanted.definition_id
      and alert.place = wanted.place and alert.tell_at is not null
    group by 1`.execute(tx)
  const last = new Map(rows.map((row) => [row.group, row.last && +row.last]))
  for (const group of groups) {
    group.sort((a, b) => time(a) - time(b) || (subjectOf(a) < subjectOf(b) ? -1 : 1))
    const { triggerType, triggerCondition } = group[0]!.rule
    const times = sendTimes(group.map(time), last.get(groupOf(group[0]!)) ?? null, {
      atOnce: isNotifiedAtOnce(triggerType, triggerCondition),
      pace,
    })
    for (const [index, one] of group.entries()) set(one, times[index]!)
  }
}

/**
 * Queues the notifications that are due now, in the transaction that marks them as sent: one e-mail per rule and
 * place.
 */
async function sendEmails(
  tx: TenantTx,
  config: Config,
  dueAlerts: readonly DueAlert[],
  kind: Phase['kind'],
  now: number,
): Promise<number> {
  const definitions = new Map(
    (await definitionsOf(tx, [...new Set(dueAlerts.map(({ definitionId }) => definitionId))])).map((one) => [
      one.id,
      one,
    ]),
  )
  if (kind === 'told') await countLightsBehind(tx, dueAlerts)
  const { at } = steps[kind]
  const emails = [...Map.groupBy(dueAlerts, (one) => `${groupOf(one)} ${at(one)}`).values()].flatMap((alerts) => {
    const definition = definitions.get(alerts[0]!.definitionId)
    return definition && definition.notificationType !== 'NONE' ? [{ definition, alerts }] : []
  })
  const posted = await send(tx, config, emails, kind, now)
  for (const one of dueAlerts)
    if (kind === 'told') one.notifiedAt = now
    else one.overNotifiedAt = one.closed = now
  return posted
}

/** Notifies webhooks of each alert that was just notified or closed, whether or not anyone gets an e-mail. */
async function notifyWebhooks(tx: TenantTx, kind: 'told' | 'over', alerts: readonly DueAlert[]): Promise<void> {
  const concerned = alerts.filter(
    ({ notifiedAt, closed }) => notifiedAt !== null && (kind === 'told' || closed !== null),
  )
  await enqueueMessages(
    tx,
    concerned.map(({ id, deviceId, propertyId, about, rule, began, ended, ending, unstable, behind }) => ({
      ...{
        event: `alert.${kind}` as const,
        ...(deviceId === null ? { propertyId: propertyId! } : { deviceId }),
        at: new Date(kind === 'told' ? began : (ended ?? began)),
      },
      data: {
        alert: {
          ...{ id, rule, began: iso(began), ended: iso(ended) },
          ...{ ending: ended === null ? null : ending, unstable, devicesBehind: behind, about: about || null },
        },
      },
    })),
  )
}

/** Stores the number of lights that each offline gateway affects. */
async function countLightsBehind(tx: TenantTx, alerts: readonly DueAlert[]): Promise<void> {
  const silent = alerts.filter(({ deviceId, rule }) => deviceId && isOfSilence(rule.triggerType, rule.triggerCondition))
  if (!silent.length) return
  const counts = await countBehind(
    tx,
    silent.map(({ deviceId, rule }) => ({ deviceId: deviceId!, covers: namesInScope(rule) })),
  )
  for (const [index, one] of silent.entries()) one.behind = counts[index]!
}

/** The alerts that one e-mail lists. */
interface AlertEmail {
  definition: StoredDefinition
  alerts: readonly DueAlert[]
}

async function send(
  tx: TenantTx,
  config: Config,
  emails: readonly AlertEmail[],
  kind: Phase['kind'],
  now: number,
): Promise<number> {
  const recipients = await recipientsOf(tx, emails, kind)
  const sent = emails.flatMap((one, index) => recipients[index]!.map((recipient) => ({ ...one, ...recipient })))
  if (!sent.length) return 0
  const { aboutOf, reach } = await subjectsOf(
    tx,
    sent.flatMap(({ alerts }) => alerts),
  )
  const mailIds = await postMails(
    tx,
    config,
    sent.map(({ definition, alerts, address, token }) => {
      const unsubscribe = definition.notificationType === 'EMAIL' ? token : null
      const letter = { config, reach, to: address, kind, rule: alerts[0]!.rule, alerts: aboutOf(alerts), unsubscribe }
      return alertLetter(letter)
    }),
  )
  const mails = sent.flatMap(({ alerts, address }, index) =>
    alerts.map(({ id }) => ({ id, address, mailId: mailIds[index]! })),
  )
  await sql`
    insert into alert_mail (tenant_id, alert_id, mail_id, recipient, kind, at)
    select ${tx.tenant}, input.*, ${kind}, ${new Date(now)}::timestamptz from unnest(
      ${mails.map(({ id }) => id)}::uuid[], ${mails.map(({ mailId }) => mailId)}::uuid[],
      ${mails.map(({ address }) => address)}::text[]
    ) as input (alert_id, mail_id, recipient)
    returning alert_id`.execute(tx)
  return sent.length
}

interface Recipient {
  address: string
  token: string
}

/**
 * The recipients of each e-mail: the addresses of the rule. The end of an alert goes only to those who were notified
 * of its start.
 */
async function recipientsOf(tx: TenantTx, emails: readonly AlertEmail[], kind: Phase['kind']): Promise<Recipient[][]> {
  const recipientsOfStart =
    kind === 'over'
      ? await notifiedBefore(
          tx,
          emails.flatMap(({ alerts }) => alerts),
        )
      : undefined
  return withTokens(
    tx,
    emails.map(({ definition, alerts }) => ({
      definitionId: definition.id,
      addresses: recipientsOfStart ? recipientsOfStart(alerts) : addressesIn(definition.notificationTarget),
    })),
  )
}

async function notifiedBefore(
  tx: TenantTx,
  alerts: readonly DueAlert[],
): Promise<(of: readonly DueAlert[]) => string[]> {
  const rows = await tx
    .selectFrom('alert_mail')
    .select(['alert_id', 'recipient'])
    .distinct()
    .where('tenant_id', '=', tx.tenant)
    .where('kind', '=', 'told')
    .where(sql<boolean>`alert_id = any(${alerts.map(({ id }) => id)}::uuid[])`)
    .orderBy('recipient')
    .execute()
  const recipients = Map.groupBy(rows, (row) => row.alert_id)
  return (of) => [
    ...new Set(of.flatMap(({ id }) => (recipients.get(id) ?? []).map(({ recipient }) => recipient)).toSorted()),
  ]
}

/** Each e-mail's recipients with their unsubscribe tokens, except those who have unsubscribed from the rule. */
export async function withTokens(
  tx: TenantTx,
  wanted: readonly { definitionId: string; addresses: readonly string[] }[],
): Promise<Recipient[][]> {
  const keyOf = (definitionId: string, address: string) => `${definitionId} ${address.toLowerCase()}`
  const all = wanted.flatMap(({ definitionId, addresses }) =>
    addresses.map((address) => ({ definitionId, address: address.toLowerCase() })),
  )
  const each = [...new Map(all.map((one) => [keyOf(one.definitionId, one.address), one])).values()]
  if (!each.length) return wanted.map(() => [])
  const pairs = sql`${each.map((one) => one.definitionId)}::uuid[], ${each.map((one) => one.address)}::text[]`
  await sql`
    insert into alert_recipient (tenant_id, definition_id, address, token)
    select ${tx.tenant}, input.* from unnest(${pairs}, ${each.map(() => randomBytes(24).toString('base64url'))}::text[])
      as input (definition_id, address, token)
    on conflict do nothing`.execute(tx)
  const { rows } = await sql<{ definitionId: string; address: string; token: string }>`
    select known.definition_id as "definitionId", known.address, known.token
    from unnest(${pairs}) as wanted (definition_id, address)
    join alert_recipient as known on known.tenant_id = ${tx.tenant} and known.definition_id = wanted.definition_id
      and known.address = wanted.address
    where known.unsubscribed_at is null`.execute(tx)
  const tokens = new Map(rows.map((row) => [keyOf(row.definitionId, row.address), row.token]))
  return wanted.map(({ definitionId, addresses }) =>
    addresses.flatMap((address) => {
      const token = tokens.get(keyOf(definitionId, address))
      return token === undefined ? [] : [{ address, token }]
    }),
  )
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

async function write(tx: TenantTx, dueAlerts: readonly DueAlert[]): Promise<void> {
  await sql`
    update alert set tell_at = input.tell_at, told_at = input.told_at, over_tell_at = input.over_tell_at,
      over_told_at = input.over_told_at, closed_at = input.closed_at, behind = input.behind, next_at = input.next_at
    from unnest(
      ${dueAlerts.map((one) => one.id)}::uuid[], ${dueAlerts.map((one) => iso(one.notifyAt))}::timestamptz[],
      ${dueAlerts.map((one) => iso(one.notifiedAt))}::timestamptz[], ${dueAlerts.map((one) => iso(one.overNotifyAt))}::timestamptz[],
      ${dueAlerts.map((one) => iso(one.overNotifiedAt))}::timestamptz[], ${dueAlerts.map((one) => iso(one.closed))}::timestamptz[],
      ${dueAlerts.map((one) => one.behind)}::int[], ${dueAlerts.map((one) => iso(nextOf(one)))}::timestamptz[]
    ) as input (id, tell_at, told_at, over_tell_at, over_told_at, closed_at, behind, next_at)
    where alert.tenant_id = ${tx.tenant} and alert.id = input.id`.execute(tx)
}
