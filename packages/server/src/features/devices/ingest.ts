import { isDeepStrictEqual } from 'node:util'
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Event, State } from '@caretaker/contract/mqtt/payloads.ts'
import type { ConnectionStatus, Link } from '@caretaker/rules/devices/connection.ts'
import { connectionStates, connectionStatus } from '@caretaker/rules/devices/connection.ts'
import { changed, changedQuietly } from '../../changes/changed.ts'
import { dangerOf } from '@caretaker/rules/conditions/dangers.ts'
import { noContactAfterHours, silentAfterHours } from '@caretaker/rules/conditions/conditions.ts'
import type { Occurrence, ReportedKind } from '@caretaker/rules/conditions/conditions.ts'
import { faultIn, faultSince, listedStates, watchesEquipment } from '@caretaker/rules/devices/fault.ts'
import { severities } from '@caretaker/rules/telemetry/events.ts'
import { listingNames } from '@caretaker/rules/devices/list.ts'
import { datedByReceipt, undatedFields } from '@caretaker/rules/devices/state-times.ts'
import { monitorings } from '@caretaker/rules/devices/monitoring.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { recordEmptyBatteries, reportStates, setConnections } from '../../devices/report.ts'
import type { Standing } from '../../devices/statuses.ts'
import { happened } from '../conditions/store.ts'
import type { Incoming } from '../../incoming.ts'
import { doDue, makeDue, tenantsDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'

export type IncomingState = Incoming<z.infer<typeof State>>
export type IncomingEvent = Incoming<z.infer<typeof Event>>

/**
 * Maximum size of a device's reported state in bytes: fields accumulate, and a malicious device must not fill the
 * table.
 */
const reportedLimit = 65_536

/** The former values of the state fields that a message changed; null for one that did not exist. */
export type ChangedFields = Record<string, unknown>

/**
 * Merges reported states field by field in order of arrival. Each field keeps its last reported value, including
 * null. Returns the messages that could not be merged, because the device is not the tenant's or its state would
 * become too large. Calls `onChange` for each message that changed something.
 */
export async function ingestStates(
  tx: TenantTx,
  incoming: IncomingState[],
  onChange?: (message: IncomingState, was: ChangedFields) => void,
): Promise<IncomingState[]> {
  const messages = await datedMessages(tx, incoming)
  const merged = new Map<string, Record<string, unknown>>()
  for (const { deviceId, payload } of messages) merged.set(deviceId, { ...merged.get(deviceId), ...payload })
  const patches = new Map([...merged].map(([id, patch]) => [id, JSON.stringify(patch)]))
  const { rows } = await sql<{
    id: string
    differs: boolean
    listed: boolean
    fault: FaultChange | null
    batteryFull: unknown
    /** Whether a light's lamp is inhibited, and whether it has mains, if either has changed. */
    inhibited: unknown
    mains: unknown
    /** What it monitors, if that has changed. */
    monitoring: string | null
    before: ChangedFields | null
  }>`
    with merged as (
      select device.id, device.product, device.listing, device.monitoring, device.reported, device.reported || patch.fields::jsonb as next,
        patch.fields::jsonb as input
      from unnest(${[...patches.keys()]}::uuid[], ${[...patches.values()]}::text[]) as patch (id, fields)
      join device on device.tenant_id = ${tx.tenant} and device.id = patch.id
      order by device.id
      for no key update of device
    ), fitting as (
      select * from merged where octet_length(next::text) <= ${reportedLimit}
    )
    select id, next <> reported as differs, exists (
      select from unnest(${listedStates}::text[]) as field where next -> field is distinct from reported -> field
    ) as listed, case
      when next -> 'faultCode' is distinct from reported -> 'faultCode' or next -> 'fault' is distinct from reported -> 'fault'
      then jsonb_build_object('product', product, 'faultCode', next -> 'faultCode', 'fault', next -> 'fault')
    end as fault, case
      when next -> 'batteryFull' is distinct from reported -> 'batteryFull' or next -> 'mains' is distinct from reported -> 'mains'
      then next -> 'batteryFull'
    end as "batteryFull", case
      when listing = 'EmergencyLights' and next -> 'inhibited' is distinct from reported -> 'inhibited' then next -> 'inhibited'
    end as inhibited, case
      when listing = 'EmergencyLights' and next -> 'mains' is distinct from reported -> 'mains' then next -> 'mains'
    end as mains, case
      when listing = 'Boilers' and next ->> 'monitoring' = any(${monitorings}::text[])
        and next ->> 'monitoring' is distinct from monitoring
      then next ->> 'monitoring'
    end as monitoring, case when next <> reported then (
      select jsonb_object_agg(field, reported -> field) from jsonb_object_keys(input) as field
    ) end as before from fitting`.execute(tx)
  const differing = rows.filter(({ differs, monitoring }) => differs || monitoring)
  const isListed = ({ listed, monitoring }: (typeof rows)[number]) => listed || monitoring !== null
  const heardAt = new Map(messages.map(({ deviceId, receivedAt }) => [deviceId, receivedAt]))
  const standings: Standing[] = []
  await happened(
    tx,
    rows.flatMap(({ id, fault, batteryFull, inhibited, mains }) => {
      const at = heardAt.get(id)!
      return [
        ...(fault ? [faultOccurrence(fault, at)] : []),
        ...(batteryFull === true ? [{ what: 'battery full', at: +at } as const] : []),
        ...(typeof inhibited === 'boolean' ? [reportedOf('inhibited', inhibited, at)] : []),
        ...(typeof mains === 'boolean' ? [reportedOf('noMains', !mains, at)] : []),
      ].map((occurrence) => ({ deviceId: id, occurrence }))
    }),
    async (some) => void standings.push(...some),
  )
  await reportStates(
    tx,
    differing.map((row) => ({
      ...{ id: row.id, patch: patches.get(row.id)!, isListed: isListed(row), monitoring: row.monitoring },
    })),
    standings,
  )
  recordEmptyBatteries(
    tx,
    rows.filter(({ batteryFull }) => batteryFull === false).map(({ id }) => ({ deviceId: id, at: heardAt.get(id)! })),
  )
  const stored = new Set(rows.map((row) => row.id))
  if (onChange) {
    const sent = new Map(messages.map((message, at) => [message, incoming[at]!]))
    collectChanges(messages, new Map(rows.map(({ id, before }) => [id, before])), (message, was) =>
      onChange(sent.get(message)!, was),
    )
  }
  return incoming.filter((message) => !stored.has(message.deviceId))
}

/** The messages, with the time of receipt in place of times from clocks that were never set. */
async function datedMessages(tx: TenantTx, incoming: IncomingState[]): Promise<IncomingState[]> {
  const undated = incoming.filter(({ payload, receivedAt }) => undatedFields(payload, +receivedAt).length)
  if (!undated.length) return incoming
  const rows = await tx
    .selectFrom('device')
    .select(['id', 'reported'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${undated.map(({ deviceId }) => deviceId)}::uuid[])`)
    .execute()
  const known = new Map(rows.map(({ id, reported }) => [id, reported]))
  return incoming.map((message) => {
    const before = known.get(message.deviceId)
    if (!before) return message
    const payload = datedByReceipt(message.payload, before, +message.receivedAt) as IncomingState['payload']
    known.set(message.deviceId, { ...before, ...payload })
    return { ...message, payload }
  })
}

const reportedOf = (kind: ReportedKind, holds: boolean, at: Date): Occurrence => ({
  what: 'reported',
  kind,
  holds,
  at: +at,
})

/** Goes through the messages of each device in order, starting from the state before the first. */
function collectChanges(
  messages: IncomingState[],
  before: ReadonlyMap<string, ChangedFields | null>,
  onChange: (message: IncomingState, was: ChangedFields) => void,
): void {
  const states = new Map<string, ChangedFields>()
  for (const message of messages) {
    const state = states.get(message.deviceId) ?? before.get(message.deviceId)
    if (!state) continue
    const changes = Object.entries(message.payload).filter(([field, value]) => !isDeepStrictEqual(state[field], value))
    if (changes.length) onChange(message, Object.fromEntries(changes.map(([field]) => [field, state[field] ?? null])))
    states.set(message.deviceId, { ...state, ...message.payload })
  }
}

/** The fault that a device reports, if that has changed. */
interface FaultChange {
  product: Product
  faultCode: unknown
  fault: unknown
}

function faultOccurrence({ product, ...reported }: FaultChange, heardAt: Date): Occurrence {
  const fault = faultIn(reported)
  if (!fault) return { what: 'fault gone', at: +heardAt }
  const since = faultSince(reported)
  return {
    what: 'fault',
    at: Math.min(+heardAt, +(since ?? heardAt)),
    source: watchesEquipment(product) ? fault.source : 'device',
    code: fault.code,
    evidence: { description: fault.description, isResettable: fault.isResettable },
  }
}

/**
 * Stores events by id. A repeated event may add its end and corrected texts; a known end is never removed. Returns
 * the messages of devices that the tenant does not have.
 */
export async function ingestEvents(tx: TenantTx, messages: IncomingEvent[]): Promise<IncomingEvent[]> {
  const events = [...foldEvents(messages).values()]
  const column = <K extends keyof FoldedEvent>(key: K) => events.map((event) => event[key])
  // Two statements, because a distributed database accepts neither as part of the other: first, the owners.
  const devices = new Set(
    (
      await tx
        .selectFrom('device')
        .select('id')
        .where('tenant_id', '=', tx.tenant)
        .where(sql<boolean>`id = any(${column('deviceId')}::uuid[])`)
        .execute()
    ).map((row) => row.id),
  )
  const { rows } = await sql<{ id: string; eventId: string }>`
    insert into event as known (tenant_id, id, device_id, start_at, end_at, severity, category, description)
    select ${tx.tenant}, input.id, device_id, to_timestamp(start_at / 1000), to_timestamp(end_at / 1000),
      severity, category, description
    from unnest(
      ${column('eventId')}::uuid[], ${column('deviceId')}::uuid[], ${column('start')}::float8[], ${column('end')}::float8[],
      ${column('severity')}::text[], ${column('category')}::text[], ${column('description')}::text[]
    ) as input (id, device_id, start_at, end_at, severity, category, description)
    where device_id = any(${[...devices]}::uuid[])
    order by input.id
    on conflict (tenant_id, id) do update set
      end_at = coalesce(excluded.end_at, known.end_at),
      severity = excluded.severity, category = excluded.category, description = excluded.description
    where known.device_id = excluded.device_id
      and (coalesce(excluded.end_at, known.end_at), excluded.severity, excluded.category, excluded.description)
        is distinct from (known.end_at, known.severity, known.category, known.description)
    returning device_id as id, id as "eventId"`.execute(tx)
  await warnOfEvents(
    tx,
    rows.flatMap(({ eventId }) => events.find((event) => event.eventId === eventId) ?? []),
  )
  await changed(
    tx,
    'device events',
    rows.map((row) => row.id),
  )
  return messages.filter((message) => !devices.has(message.deviceId))
}

/**
 * A high-severity event of a light is a condition of it, because the light itself names a failure. For other devices
 * only a danger is, such as a leak or carbon monoxide.
 */
async function warnOfEvents(tx: TenantTx, events: readonly FoldedEvent[]): Promise<void> {
  const severe = events.filter(({ severity }) => severity === severities.at(-1))
  if (!severe.length) return
  const lights = new Set(
    (
      await tx
        .selectFrom('device')
        .select('id')
        .where('tenant_id', '=', tx.tenant)
        .where('listing', '=', 'EmergencyLights')
        .where(sql<boolean>`id = any(${severe.map(({ deviceId }) => deviceId)}::uuid[])`)
        .execute()
    ).map(({ id }) => id),
  )
  await happened(
    tx,
    severe
      .filter(({ deviceId, category }) => lights.has(deviceId) || dangerOf(category))
      .toSorted((a, b) => a.start - b.start)
      .flatMap(({ deviceId, start, end, category, description }) => {
        const evidence = { description }
        const began: Occurrence = { what: 'event', at: start, category, isOver: false, evidence }
        // An event that ends as it begins is a moment, not a period: it stays until a person has checked.
        const isOver = end !== null && end > start
        return [began, ...(isOver ? [{ ...began, at: end, isOver: true }] : [])].map((occurrence) => ({
          deviceId,
          occurrence,
        }))
      }),
  )
}

interface FoldedEvent {
  eventId: string
  deviceId: string
  start: number
  end: number | null
  severity: string
  category: string
  description: string
}

/** One row for each event of a device: a batch may contain an event twice. */
function foldEvents(messages: IncomingEvent[]): Map<string, FoldedEvent> {
  const events = new Map<string, FoldedEvent>()
  for (const { deviceId, payload } of messages) {
    const eventId = payload.eventId.toLowerCase()
    const before = events.get(eventId)
    if (before && before.deviceId !== deviceId) continue
    const { severity, category, description } = payload
    const end = payload.end ?? before?.end ?? null
    events.set(eventId, {
      eventId,
      deviceId,
      start: before?.start ?? payload.start,
      end,
      severity,
      category,
      description,
    })
  }
  return events
}

/** The changes to one device's link since the last report. */
export interface LinkChange {
  deviceId: string
  /** Null if no message arrived: a broken connection reports nothing. */
  heardAt: Date | null
  /** Whether it has a connection of its own; undefined if only a message arrived. */
  connected?: boolean
  /** When the last of its connections began. */
  connectedAt?: Date
  /** When connections broke without a disconnect packet. */
  drops: Date[]
}

interface LinkRow {
  device_id: string
  heard_at: Date | null
  connected: boolean
  drops: Date[]
  reporting_interval: number
  connection_status: ConnectionStatus
}

/** Enough to count four a day, and a bound for a device that flaps. */
const dropsKept = 20

/**
 * Stores when devices sent messages, connected or disconnected, and the resulting connection states. A connection
 * that breaks is a drop; a clean disconnect becomes one if the sweep finds that the device did not return. The caller
 * writes one batch at a time, because the order of connects and disconnects matters, and announces the changes.
 */
export async function ingestLinks(tx: TenantTx, changes: LinkChange[], now: Date): Promise<void> {
  const heard = changes.filter((change) => change.connected === undefined)
  const linked = changes.filter((change) => change.connected !== undefined)
  const rows = [...(await writeHeard(tx, heard)), ...(await writeLinked(tx, linked, now))]
  await changedQuietly(tx, 'device state', ids(changes))
  const hasChanged = await writeConnectionStates(tx, rows, now)
  // A device without a connection may go offline, and drops grow old.
  if (hasChanged || linked.length) await makeDue(tx, 'sweep connections', now)
}

/** Only rows whose state may have changed are returned: usually a connected device just sent another message. */
async function writeHeard(tx: TenantTx, changes: LinkChange[]): Promise<LinkRow[]> {
  if (!changes.length) return []
  const { rows } = await sql<LinkRow>`
    with link as (
      insert into device_link as link (tenant_id, device_id, heard_at)
      select ${tx.tenant}, id, heard_at
      from unnest(${ids(changes)}::uuid[], ${times(changes)}::timestamptz[]) as change (id, heard_at)
      where ${isDevice(tx)}
      order by id
      on conflict (tenant_id, device_id) do update set heard_at = greatest(link.heard_at, excluded.heard_at)
      returning device_id, heard_at, connected, drops
    )
    select link.*, reporting_interval, connection_status
    from link join device on device.tenant_id = ${tx.tenant} and device.id = link.device_id
    where connection_status <> ${connectionStates.online}`.execute(tx)
  return rows
}

/** Two statements: on a distributed database an insert cannot express the handling of drops. */
async function writeLinked(tx: TenantTx, changes: LinkChange[], now: Date): Promise<LinkRow[]> {
  if (!changes.length) return []
  await sql`
    insert into device_link (tenant_id, device_id)
    select ${tx.tenant}, id from unnest(${ids(changes)}::uuid[]) as change (id)
    where ${isDevice(tx)}
    order by id
    on conflict do nothing`.execute(tx)
  const drops = changes.map((change) => `{${change.drops.map((at) => `"${at.toISOString()}"`).join()}}`)
  const { rows } = await sql<LinkRow>`
    with changes as (
      select device_id, input.heard_at, input.connected, input.connected_at, input.drops::timestamptz[] as drops
      from unnest(
        ${ids(changes)}::uuid[], ${times(changes)}::timestamptz[], ${changes.map((change) => change.connected!)}::boolean[],
        ${changes.map(({ connectedAt }) => connectedAt?.toISOString() ?? null)}::timestamptz[], ${drops}::text[]
      ) as input (id, heard_at, connected, connected_at, drops)
      join device_link as known on known.tenant_id = ${tx.tenant} and known.device_id = input.id
      order by device_id
      for no key update of known
    ), link as (
      update device_link as known set
        heard_at = greatest(known.heard_at, changes.heard_at),
        connected = changes.connected,
        connected_at = coalesce(changes.connected_at, known.connected_at),
        drops = ${recent(sql`known.drops || changes.drops`, now)}
      from changes where known.tenant_id = ${tx.tenant} and known.device_id = changes.device_id
      returning known.device_id, known.heard_at, known.connected, known.drops
    )
    select link.*, reporting_interval, connection_status
    from link join device on device.tenant_id = ${tx.tenant} and device.id = link.device_id`.execute(tx)
  return rows
}

const isDevice = (tx: TenantTx) =>
  sql`exists (select from device where device.tenant_id = ${tx.tenant} and device.id = change.id)`
const day = 86_400_000
const recent = (drops: RawBuilder<unknown>, now: Date) => sql`array(
  select at from unnest(${drops}) as drop (at) where at > ${new Date(now.getTime() - day)} order by at desc limit ${dropsKept}
)`
const ids = (changes: LinkChange[]) => changes.map((change) => change.deviceId)
const times = (changes: LinkChange[]) => changes.map((change) => change.heardAt?.toISOString() ?? null)

/** Writes the connection states that differ from what the rule derives from the links; returns how many. */
async function writeConnectionStates(tx: TenantTx, rows: LinkRow[], now: Date): Promise<number> {
  const others = rows
    .map((row) => ({ row, before: row.connection_status, status: connectionStatus(linkOf(row), +now) }))
    .filter(({ before, status }) => before !== status)
    // A disconnected device has been so since its last message.
    .map(({ row, before, status }) => ({
      id: row.device_id,
      before,
      status,
      at: status === connectionStates.offline ? (row.heard_at ?? now) : now,
    }))
  if (!others.length) return 0
  await setConnections(tx, others)
  const heard = others.filter(({ status }) => status !== connectionStates.offline)
  await happened(
    tx,
    heard.map(({ id }) => ({ deviceId: id, occurrence: { what: 'heard', at: +now } })),
  )
  return others.length
}

function linkOf(row: LinkRow): Link {
  return {
    connected: row.connected,
    heardAt: row.heard_at && +row.heard_at,
    reportingInterval: row.reporting_interval,
    drops: row.drops.map(Number),
  }
}

/**
 * Finds devices that went offline, and those whose drops are a day old, in all tenants; returns how many changed. A
 * job calls it every half minute; concurrent calls do no harm. A device without a link row has never connected and
 * keeps its state.
 */
export async function sweepConnections(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'sweep connections',
    now,
    run: (tenant) => inTenant(db, tenant, (tx) => sweepTenant(tx, now)),
    next: async (tx) => ((await hasAnyToWatch(tx)) ? now : await nextSilence(tx)),
  })
}

/** Whether any device may change its state by time alone: all except those known to be disconnected. */
async function hasAnyToWatch(tx: TenantTx): Promise<boolean> {
  const row = await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('connection_status', 'in', [connectionStates.online, connectionStates.intermittent])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function sweepTenant(tx: TenantTx, now: Date): Promise<number> {
  // Locked links are in use right now, so they are connected.
  const { rows } = await sql<LinkRow>`
    select link.device_id, heard_at, connected, drops, reporting_interval, connection_status
    from device_link as link join device on device.tenant_id = ${tx.tenant} and device.id = link.device_id
    where link.tenant_id = ${tx.tenant} and (
      connection_status = ${connectionStates.intermittent}
      or connection_status = ${connectionStates.online} and not connected
        and heard_at < ${now}::timestamptz - 3 * reporting_interval * interval '1 second'
    )
    order by link.device_id
    for update of link skip locked`.execute(tx)
  const silent = rows.filter((row) => fellSilent(row, now))
  for (const row of silent) row.drops.push(now)
  if (silent.length)
    await sql`
      update device_link set drops = ${recent(sql`drops || ${now}::timestamptz`, now)}
      where tenant_id = ${tx.tenant} and device_id = any(${silent.map((row) => row.device_id)}::uuid[])`.execute(tx)
  return (await writeConnectionStates(tx, rows, now)) + (await declareSilent(tx, now))
}

/**
 * Hours without a message, or three reporting intervals if those are longer: as in `silentAfter` and
 * `noContactAfter`.
 */
const patienceOf = (hours: number) =>
  sql<string>`greatest(${hours} * interval '1 hour', 3 * reporting_interval * interval '1 second')`

/**
 * The effect of a missing report: after a day the state of a light or gateway is unknown; after a day and a half any
 * device other than a light has failed.
 */
const silences = [
  {
    kind: 'noContact',
    what: 'no contact',
    listings: ['EmergencyLights', 'NetworkingDevices'],
    patience: patienceOf(noContactAfterHours),
  },
  {
    kind: 'notHeard',
    what: 'silent',
    listings: listingNames.filter((name) => name !== 'EmergencyLights'),
    patience: patienceOf(silentAfterHours),
  },
] as const

/** Disconnected devices in service whose absence is not recorded yet. */
const silentOnes = (tx: TenantTx, { kind, listings }: (typeof silences)[number]) => sql`
  from device join device_link as link on link.tenant_id = ${tx.tenant} and link.device_id = device.id
  where device.tenant_id = ${tx.tenant} and listing = any(${listings as readonly string[]}::text[])
    and connection_status = ${connectionStates.offline} and severity <> ${severityOf('Inventory')} and heard_at is not null
    and not exists (
      select from condition where condition.tenant_id = ${tx.tenant} and condition.device_id = device.id
        and kind = ${kind} and ended_at is null)`

/** Records the absence of devices that have been disconnected for too long, from their last message. */
async function declareSilent(tx: TenantTx, now: Date): Promise<number> {
  let declared = 0
  for (const silence of silences) {
    const { rows } = await sql<{ id: string; heardAt: Date }>`
      select device.id, heard_at as "heardAt" ${silentOnes(tx, silence)} and heard_at + ${silence.patience} <= ${now}::timestamptz
      order by device.id limit ${silentAtOnce} for no key update of device`.execute(tx)
    await happened(
      tx,
      rows.map(({ id, heardAt }) => ({ deviceId: id, occurrence: { what: silence.what, at: +heardAt } })),
    )
    declared += rows.length
  }
  return declared + (await declareUnreachable(tx))
}
/** If a gateway affects thousands of devices, the rest follow at the next sweep. */
const silentAtOnce = 1000

/**
 * Records lights whose parent gateway has no contact: nothing is known about them from when the gateway went offline
 * until their next message.
 */
async function declareUnreachable(tx: TenantTx): Promise<number> {
  const { rows } = await sql<{ id: string; since: Date }>`
    select device.id, gone.began_at as since
    from condition as gone join device on device.tenant_id = ${tx.tenant} and device.parent_id = gone.device_id
    left join device_link as link on link.tenant_id = ${tx.tenant} and link.device_id = device.id
    where gone.tenant_id = ${tx.tenant} and gone.kind = 'noContact' and gone.ended_at is null
      and device.listing = 'EmergencyLights' and device.severity <> ${severityOf('Inventory')}
      and (link.heard_at is null or link.heard_at <= gone.began_at)
      and device.connection_status = ${connectionStates.offline}
      and not exists (
        select from condition where condition.tenant_id = ${tx.tenant} and condition.device_id = device.id
          and kind = 'noContact' and ended_at is null)
    order by device.id limit ${silentAtOnce} for no key update of device`.execute(tx)
  await happened(
    tx,
    rows.map(({ id, since }) => ({ deviceId: id, occurrence: { what: 'no contact', at: +since } })),
  )
  return rows.length
}

/** When the first disconnected device will have been so for too long; null if there is none. */
async function nextSilence(tx: TenantTx): Promise<Date | null> {
  const times: number[] = []
  for (const silence of silences) {
    const { rows } = await sql<{ at: Date | null }>`
      select min(heard_at + ${silence.patience}) as at ${silentOnes(tx, silence)}`.execute(tx)
    if (rows[0]!.at) times.push(+rows[0]!.at)
  }
  return times.length ? new Date(Math.min(...times)) : null
}

/** An absence is one drop: it does not count again if the connection broke, nor at the next sweep. */
function fellSilent(row: LinkRow, now: Date): boolean {
  const { heard_at: heardAt, drops } = row
  if (row.connected || heardAt === null) return false
  const lapsed = connectionStatus({ ...linkOf(row), drops: [] }, +now) === connectionStates.offline
  return lapsed && !drops.some((drop) => drop >= heardAt)
}

/**
 * Marks all connections as ended: after a start no device is connected yet. Not a drop, because the devices did
 * nothing wrong; the sweep finds those that do not return.
 */
export async function forgetConnections(db: Db): Promise<void> {
  // Connected devices are watched by the sweep.
  for (const id of await tenantsDue(db, 'sweep connections', new Date()))
    await inTenant(db, id, (tx) =>
      tx
        .updateTable('device_link')
        .set({ connected: false })
        .where('tenant_id', '=', id)
        .where('connected', '=', true)
        .execute(),
    )
}
