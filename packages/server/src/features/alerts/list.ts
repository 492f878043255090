import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Alert, AlertState } from '@caretaker/contract/alerts.ts'
import { alertPageSize, mostOver } from '@caretaker/contract/alerts.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { ScopeNames } from '@caretaker/rules/alerts/scope.ts'
import { coveredBy, endingIn, namesInScope } from '@caretaker/rules/alerts/words.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { MailConfig } from '../../mail/mail.ts'
import { mailState } from '../../mail/mail.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reasonsOf } from '../conditions/store.ts'
import { readable, visibleProperties } from '../devices/visible.ts'
import { homeReasonsOf } from './home-facts.ts'
import { isLive } from './store.ts'

interface Wanted {
  state: AlertState
  deviceId?: string | undefined
  propertyId?: string | undefined
  before?: { at: Date; alertId: string } | undefined
}

const isIn: Record<AlertState, RawBuilder<boolean>> = {
  open: sql`told_at is not null and ${isLive}`,
  // An ended alert that was never notified is listed only if a rule had suppressed it.
  over: sql`closed_at is not null`,
  pending: sql`told_at is null and ${isLive}`,
}
/**
 * The time by which alerts in each state are ordered, newest first; pending alerts by their notification time, soonest
 * first.
 */
const orderOf: Record<AlertState, string> = {
  open: 'told_at',
  over: 'closed_at',
  pending: `coalesce(tell_at, due_at, '9999-12-31T00:00:00Z')`,
}

const ofDevices = (tx: TenantTx, actor: Actor) =>
  readable(tx, actor).innerJoin('alert', (join) =>
    join.on('alert.tenant_id', '=', tx.tenant).onRef('alert.device_id', '=', 'device.id'),
  )

/** Alerts of properties are listed only for users who see the properties. */
const ofHomes = (tx: TenantTx, actor: Actor) =>
  visibleProperties(tx, actor)
    .innerJoin('alert', (join) =>
      join.on('alert.tenant_id', '=', tx.tenant).onRef('alert.property_id', '=', 'property.id'),
    )
    .where(sql<boolean>`${can(actor, 'see properties')}`)

const toScope = ({ families, buildings, tags }: ScopeNames): Alert['scope'] => ({
  ...{ families: [...families], buildings: [...buildings], tags: [...tags] },
})

/** The kinds of e-mails as the API names them; other processes of an upgrade read the stored ones. */
const mailKinds = { told: 'raised', over: 'over', again: 'resent' } as const

const columns = [
  ...([
    'alert.id',
    'alert.rule',
    'alert.about',
    'began_at',
    'due_at',
    'tell_at',
    'told_at',
    'ended_at',
    'over_at',
  ] as const),
  ...(['held', 'unstable', 'behind', 'ending', 'closed_at'] as const),
] as const

type Listed = Pick<Alert, 'deviceId' | 'deviceName' | 'serial' | 'product' | 'home' | 'where' | 'building'>

/** A page of the alerts in one state, of devices and properties that the actor sees. */
export async function listAlerts(
  tx: TenantTx,
  actor: Actor,
  config: MailConfig,
  { state, deviceId, propertyId, before }: Wanted,
): Promise<{ alerts: Alert[]; hasMore: boolean }> {
  const order = sql<Date>`date_trunc('milliseconds', ${sql.raw(orderOf[state])})`
  const nearest = state === 'pending'
  const after = before
    ? nearest
      ? sql<boolean>`(${order}, alert.id) > (${before.at}::timestamptz, ${before.alertId}::uuid)`
      : sql<boolean>`(${order}, alert.id) < (${before.at}::timestamptz, ${before.alertId}::uuid)`
    : sql<boolean>`true`
  const direction = nearest ? 'asc' : 'desc'
  const hidden = hidesPersonalData(actor)
  const devices =
    propertyId === undefined
      ? await ofDevices(tx, actor)
          .where(isIn[state])
          .$if(deviceId !== undefined, (some) => some.where('device.id', '=', deviceId!))
          .where(after)
          .select(columns)
          .select(order.as('ordered'))
          .select(['device.id as device_id', 'device.name', 'device.serial', 'device.product'])
          .select(['building_name', 'floor_name', 'room', 'address', 'property_reference'])
          .orderBy(order, direction)
          .orderBy('alert.id', direction)
          .limit(alertPageSize + 1)
          .execute()
      : []
  const homes =
    deviceId === undefined
      ? await ofHomes(tx, actor)
          .leftJoin('building', (join) =>
            join.on('building.tenant_id', '=', tx.tenant).onRef('building.id', '=', 'property.building_id'),
          )
          .where(isIn[state])
          .$if(propertyId !== undefined, (some) => some.where('property.id', '=', propertyId!))
          .where(after)
          .select(columns)
          .select(order.as('ordered'))
          .select(['property.id as property_id', 'property.reference', 'property.address', 'building.name as building'])
          .orderBy(order, direction)
          .orderBy('alert.id', direction)
          .limit(alertPageSize + 1)
          .execute()
      : []
  const rows = [
    ...devices.map((row) => {
      const inBuilding = row.building_name && [row.building_name, row.floor_name, row.room].filter(Boolean).join(', ')
      const home = (hidden ? row.property_reference : (row.address ?? row.property_reference)) ?? ''
      const listed: Listed = {
        ...{ deviceId: row.device_id, deviceName: row.name, serial: row.serial, product: row.product, home: null },
        ...{ where: inBuilding || home, building: row.building_name },
      }
      return { row, listed }
    }),
    ...homes.map((row) => {
      const home = { propertyId: row.property_id, reference: row.reference, address: hidden ? null : row.address }
      const listed: Listed = {
        ...{ deviceId: null, deviceName: null, serial: null, product: null, home },
        ...{ where: row.building ?? '', building: row.building },
      }
      return { row, listed }
    }),
  ].toSorted((a, b) => {
    const later = +a.row.ordered - +b.row.ordered || (a.row.id < b.row.id ? -1 : 1)
    return nearest ? later : -later
  })
  const page = rows.slice(0, alertPageSize)
  const reasons = await reasonsOf(
    tx,
    page.flatMap(({ listed }) => listed.deviceId ?? []),
  )
  const aboutHomes = ({ row, listed }: (typeof page)[number]) =>
    listed.home
      ? [
          {
            ...{ propertyId: listed.home.propertyId, condition: row.rule.triggerCondition, about: row.about },
            isOver: row.ended_at !== null || row.closed_at !== null,
          },
        ]
      : []
  const reasonOfHome = await homeReasonsOf(tx, page.flatMap(aboutHomes))
  const mails = await mailsOf(
    tx,
    config,
    page.map(({ row }) => row.id),
  )
  const iso = (at: Date | null) => at && at.toISOString()
  return {
    hasMore: rows.length > alertPageSize,
    alerts: page.map((one): Alert => {
      const { row, listed } = one
      const { tagName, triggerType, triggerCondition, delay, delayUnit } = row.rule
      const [ofHome] = aboutHomes(one)
      const reason = ofHome ? reasonOfHome(ofHome) : (reasons.get(listed.deviceId ?? '') ?? '')
      return {
        ...{ alertId: row.id, state, ...listed, reason, tagName, triggerType, triggerCondition, delay, delayUnit },
        ...{ covers: coveredBy(row.rule), scope: toScope(namesInScope(row.rule)) },
        ...{ beganAt: row.began_at.toISOString(), dueAt: iso(row.tell_at ?? row.due_at), notifiedAt: iso(row.told_at) },
        ...{
          endedAt: iso(row.ended_at),
          overAt: iso(row.over_at),
          closedAt: iso(row.closed_at),
          isMuted: row.held === 'muted' && !row.told_at,
        },
        ...{
          isUnstable: row.unstable,
          behind: row.behind,
          ending: row.ending && endingIn(row.ending),
          mails: mails.get(row.id) ?? [],
        },
      }
    }),
  }
}

async function mailsOf(
  tx: TenantTx,
  config: MailConfig,
  alertIds: readonly string[],
): Promise<Map<string, Alert['mails']>> {
  const rows = await tx
    .selectFrom('alert_mail as sent')
    .leftJoin('mail', (join) => join.on('mail.tenant_id', '=', tx.tenant).onRef('mail.id', '=', 'sent.mail_id'))
    .where('sent.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`sent.alert_id = any(${alertIds}::uuid[])`)
    .select(['sent.alert_id', 'sent.mail_id', 'sent.kind', 'sent.recipient', 'sent.at'])
    .select(['mail.id as known', 'mail.sent_at', 'mail.failed_at', 'mail.error'])
    .orderBy('sent.at')
    .orderBy('sent.recipient')
    .execute()
  const stateOf = (row: (typeof rows)[number]): Alert['mails'][number]['state'] =>
    row.known === null ? 'gone' : mailState(row, config)
  const sent = rows.map((row) => ({
    alertId: row.alert_id,
    mail: {
      ...{ mailId: row.mail_id, kind: mailKinds[row.kind], to: row.recipient, at: row.at.toISOString() },
      ...{ state: stateOf(row), error: row.error },
    } as const,
  }))
  return new Map([...Map.groupBy(sent, ({ alertId }) => alertId)].map(([id, all]) => [id, all.map(({ mail }) => mail)]))
}

/** The number of matching alerts about devices and properties that the actor sees. */
export async function countAlerts(
  tx: TenantTx,
  actor: Actor,
): Promise<{ open: number; pending: number; over: number }> {
  const counts = { open: 0, pending: 0, over: 0 }
  for (const alerts of [ofDevices(tx, actor), ofHomes(tx, actor)] as unknown as ReturnType<typeof ofDevices>[]) {
    const over = alerts
      .where(isIn.over)
      .select('alert.id')
      .limit(mostOver + 1)
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from (${over}) as over`.execute(tx)
    const live = await alerts
      .where(isLive)
      .select((eb) => [
        eb.fn.count<number>('told_at').as('open'),
        sql<number>`count(*) filter (where told_at is null and due_at is not null)`.as('pending'),
      ])
      .executeTakeFirstOrThrow()
    counts.open += Number(live.open)
    counts.pending += Number(live.pending)
    counts.over = Math.min(mostOver + 1, counts.over + rows[0]!.count)
  }
  return counts
}
